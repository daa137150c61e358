// Shapes of calls' results that follow from the arguments.
#include "runtime/call_shapes.h"

#include "trace/traces.h"

namespace tracefn::test {
namespace {

const std::pair<DType, Shape> kAny{DType::kFloat, Shape::unknown()}, kAnyInts{DType::kInt32, Shape({-1})};

std::vector<Shape> shapes(const FuncRef& f, const std::vector<Operand>& inputs, EmitTarget& target) {
  return call_shapes(*f.body, std::span(inputs), target);
}

TEST(call_shapes_follow_the_arguments) {
  FuncRef f = function("f", {kAny, kAny}, [](Args& a) { return Args{a[0] + a[1], emit1("MatMul", {a[0], a[1]})}; });
  Trace g;
  Operand x = g.input(DType::kFloat, Shape({2, 2})), y = g.input(DType::kFloat, Shape({-1, 2}));
  std::vector<Shape> found = shapes(f, {x, y}, *g);
  CHECK_EQ(found.size(), 2u);
  CHECK_EQ(found[0], Shape({2, 2}));
  CHECK_EQ(found[1], Shape({2, 2}));
  CHECK_EQ(f.body->info(f.body->outputs[0]).shape, Shape::unknown());  // the body stays as it is
}

TEST(call_shapes_follow_values_of_integers) {
  FuncRef f = function("f", {kAny, kAnyInts}, [](Args& a) { return Args{build::reshape(a[0], a[1])}; });
  Trace g;
  Operand x = g.input(DType::kFloat, Shape({6}));
  CHECK_EQ(shapes(f, {x, build::ints({2, 3})}, *g)[0], Shape({2, 3}));
  CHECK_EQ(shapes(f, {x, g.input(DType::kInt32, Shape({2}))}, *g)[0], Shape::of_rank(2));
}

TEST(call_shapes_look_into_calls) {
  FuncRef inner = function("inner", {kAny}, [](Args& a) { return Args{-a[0]}; });
  FuncRef outer = function("outer", {kAny}, [&](Args& a) {
    return Args{emit_all("PartitionedCall", a, {{"f", inner}, {"Tout", std::vector<DType>{DType::kFloat}}})[0]};
  });
  Trace g;
  CHECK_EQ(shapes(outer, {g.input(DType::kFloat, Shape({4, 5}))}, *g)[0], Shape({4, 5}));
}

TEST(call_shapes_say_nothing_when_nothing_is_new) {
  FuncRef known = function("known", {{DType::kFloat, Shape({2})}}, [](Args& a) { return Args{-a[0]}; });
  FuncRef any = function("any", {kAny}, [](Args& a) { return Args{-a[0]}; });
  Trace g;
  CHECK(shapes(known, {g.input(DType::kFloat, Shape({2}))}, *g).empty());
  CHECK(shapes(any, {g.input(DType::kFloat, Shape::unknown())}, *g).empty());
  CHECK(shapes(any, {}, *g).empty());  // another number of arguments: the call reports it
}

TEST(call_shapes_leave_errors_to_the_run) {
  FuncRef f = function("f", {kAny, kAny}, [](Args& a) { return Args{emit1("MatMul", {a[0], a[1]})}; });
  Trace g;
  Operand x = g.input(DType::kFloat, Shape({2, 3}));
  CHECK(shapes(f, {x, x}, *g).empty());
}

TEST(call_shapes_leave_large_bodies_alone) {
  auto chain = [](int n) {
    return function("f", {kAny}, [=](Args& a) {
      Operand x = a[0];
      for (int i = 0; i < n; ++i) x = -x;
      return Args{x};
    });
  };
  Trace g;
  Operand x = g.input(DType::kFloat, Shape({2}));
  CHECK_EQ(shapes(chain(1999), {x}, *g).size(), 1u);
  CHECK(shapes(chain(2000), {x}, *g).empty());
}

}  // namespace
}  // namespace tracefn::test
