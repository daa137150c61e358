// The reverse walk: chains, fan-out, pruning, and graphs.
#include "autodiff/backprop.h"

#include "check.h"
#include "ops/build.h"

namespace tracefn {
namespace {

double value(const Operand& x) { return x.tensor.item<double>(); }
Operand number(double v) {
  Operand x = Tensor::scalar(v);
  OpRecorder::watch(x);
  return x;
}

}  // namespace

TEST(backprop_chain_and_fan_out) {
  Operand x = number(3), y = number(2), z;
  OpRecorder recorder;
  {
    ListenerScope scope(&recorder);
    z = (x * y + x * x) * build::scalar(DType::kDouble, 10);
  }
  Operand sources[] = {x, y}, seed[] = {Operand()};
  Operands g = gradients(recorder.ops(), std::span(&z, 1), seed, sources);
  CHECK_EQ(value(g[0]), 80.0);  // 10 (y + 2x)
  CHECK_EQ(value(g[1]), 30.0);
}

TEST(backprop_no_path) {
  Operand x = number(3), y = number(2), z;
  OpRecorder recorder;
  {
    ListenerScope scope(&recorder);
    z = x * x;
  }
  Operand seed[] = {number(5)}, sources[] = {y, z, x};
  Operands g = gradients(recorder.ops(), std::span(&z, 1), seed, sources);
  CHECK(!g[0].defined());
  CHECK_EQ(value(g[1]), 5.0);
  CHECK_EQ(value(g[2]), 30.0);
}

TEST(backprop_integers_stop) {
  Operand x = number(3), z;
  OpRecorder recorder;
  {
    ListenerScope scope(&recorder);
    z = build::cast(build::cast(x, DType::kInt32), DType::kDouble);
  }
  Operand seed[] = {Operand()};
  CHECK(!gradients(recorder.ops(), std::span(&z, 1), seed, std::span(&x, 1))[0].defined());
}

TEST(backprop_long_chain_without_recursion) {
  Operand x = number(1), z = x;
  OpRecorder recorder;
  {
    ListenerScope scope(&recorder);
    for (int i = 0; i < 100'000; ++i) z = -z;
  }
  Operand seed[] = {number(1)};
  CHECK_EQ(value(gradients(recorder.ops(), std::span(&z, 1), seed, std::span(&x, 1))[0]), 1.0);
}

TEST(backprop_second_order) {
  Operand x = number(2), first;
  Operand seed[] = {number(1)};
  OpRecorder outer;
  {
    ListenerScope scope(&outer);
    OpRecorder inner(&outer);
    Operand y;
    {
      ListenerScope inner_scope(&inner);
      y = x * x * x;
    }
    // Out of the inner scope: how y is differentiated is seen by the outer recorder alone.
    first = gradients(inner.ops(), std::span(&y, 1), seed, std::span(&x, 1))[0];
  }
  CHECK_EQ(value(first), 12.0);
  CHECK_EQ(value(gradients(outer.ops(), std::span(&first, 1), seed, std::span(&x, 1))[0]), 12.0);
}

}  // namespace tracefn
