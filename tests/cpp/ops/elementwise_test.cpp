// The driver of elementwise ops: broadcasting against plain indexing, reuse of buffers, errors, strings.
#include "ops/elementwise/elementwise.h"

#include <random>

#include "check.h"
#include "exec/run_op.h"
#include "ops/emit.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

template <typename T>
Tensor filled(const Shape& shape, T first) {
  Tensor t(DTypeOf<T>::value, shape);
  for (std::int64_t i = 0; i < t.num_elements(); ++i)
    t.mutable_data<T>()[i] = static_cast<T>(first + static_cast<T>(i));
  return t;
}

Tensor run(std::string_view op, std::initializer_list<Operand> inputs, std::initializer_list<NamedAttr> attrs = {}) {
  return emit1(op, inputs, attrs).tensor;
}

template <typename T>
void check_sub(const Shape& a, const Shape& b) {
  Tensor x = filled<T>(a, 3), y = filled<T>(b, 5);
  Tensor z = run("Sub", {x, y});
  CHECK_EQ(z.shape(), broadcast(a, b));
  std::vector<std::int64_t> i = broadcast_indices(a, z.shape()), j = broadcast_indices(b, z.shape());
  for (std::size_t k = 0; k < i.size(); ++k)
    CHECK_EQ(z.data<T>()[k], static_cast<T>(x.data<T>()[i[k]] - y.data<T>()[j[k]]));
}

// Splits every range in pieces of odd sizes.
class OddShards final : public ShardRunner {
 public:
  void parallel_for(std::int64_t n, double, Shard shard) override {
    ++calls;
    for (std::int64_t at = 0; at < n; at += 1237) shard(at, std::min(n, at + 1237));
  }
  int num_threads() override { return 1; }
  int calls = 0;
};

Tensor run_with(const char* name, std::span<TensorRef> operands, const RunServices& services = {}) {
  const OpDef& op = Registry::get().at(name);
  std::vector<Operand> inputs;
  for (auto& operand : operands) inputs.emplace_back(*operand.tensor);
  AttrList attrs = complete_attrs(op, inputs, {});
  inputs.clear();  // the operands are to be the only owners
  Tensor out;
  DType dtype = output_dtypes(op.signature, attrs)[0];
  run_op(op, attrs, operands, std::span(&out, 1), std::span(&dtype, 1), services);
  return out;
}

}  // namespace

TEST(elementwise_broadcast_indices) {
  std::vector<std::int64_t> expected = {0, 0, 0, 1, 1, 1};
  CHECK(broadcast_indices(Shape({2, 1}), Shape({2, 3})) == expected);
  CHECK(broadcast_indices(Shape({2, 1}), Shape({0, 2, 3})).empty());
}

TEST(elementwise_scalar) {
  CHECK_EQ(run("AddV2", {Tensor::scalar(2.5f), Tensor::scalar(1.0f)}).item<float>(), 3.5f);
  CHECK_EQ(run("Neg", {Tensor::scalar(std::int32_t{7})}).item<std::int32_t>(), -7);
}

TEST(elementwise_broadcast_shapes) {
  const Shape pairs[][2] = {{{}, {5}},
                            {{5}, {}},
                            {{1}, {1, 1}},
                            {{2, 3}, {3}},
                            {{2, 3}, {2, 1}},
                            {{2, 1}, {1, 3}},
                            {{4, 1, 3}, {5, 1}},
                            {{700, 3}, {3}},
                            {{3}, {700, 3}},
                            {{700, 3}, {700, 1}},
                            {{2, 100}, {100}},
                            {{2, 100}, {2, 1}},
                            {{1, 90}, {80, 1}},
                            {{2, 3, 1, 5}, {1, 4, 1}},
                            {{0, 3}, {3}},
                            {{0}, {1}},
                            {{2, 1, 40}, {2, 7, 1}},
                            {{1, 1, 3}, {2, 2, 1}}};
  for (const auto& pair : pairs) {
    check_sub<float>(pair[0], pair[1]);
    check_sub<std::int8_t>(pair[0], pair[1]);
    check_sub<std::int16_t>(pair[0], pair[1]);
    check_sub<double>(pair[0], pair[1]);
    check_sub<std::complex<double>>(pair[0], pair[1]);
  }
}

TEST(elementwise_broadcast_random_shapes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    int rank = static_cast<int>(random() % 5);
    Shape a = Shape::of_rank(rank), b = a;
    for (int i = 0; i < rank; ++i) {
      std::int64_t d = 1 + static_cast<std::int64_t>(random() % (i == rank - 1 ? 50 : 4));
      a[i] = random() % 3 ? d : 1;
      b[i] = random() % 3 ? d : 1;
    }
    check_sub<std::int32_t>(a, b);
  }
}

TEST(elementwise_shards_agree) {
  OddShards shards;
  RunServices services;
  services.shards = &shards;
  const Shape pairs[][2] = {{{200'003}, {200'003}}, {{70'001, 3}, {3}}, {{500, 401}, {500, 1}}, {{300'000}, {}}};
  for (const auto& pair : pairs) {
    Tensor x = filled<float>(pair[0], 1), y = filled<float>(pair[1], 2);
    TensorRef operands[] = {{&x, false}, {&y, false}};
    CHECK(identical(run_with("Mul", operands, services), run("Mul", {x, y})));
  }
  CHECK_EQ(shards.calls, 4);
}

TEST(elementwise_reuses_dying_buffer) {
  Tensor x = filled<float>(Shape({4}), 1), y = filled<float>(Shape({4}), 2), s = Tensor::scalar(2.0f);
  const void *memory_x = x.raw(), *memory_y = y.raw();
  TensorRef second[] = {{&x, false}, {&y, true}};
  Tensor z = run_with("AddV2", second);
  CHECK(z.raw() == memory_y);
  CHECK_EQ(z.data<float>()[3], 9.0f);
  CHECK_EQ(x.data<float>()[3], 4.0f);

  TensorRef with_scalar[] = {{&s, true}, {&x, true}};
  Tensor w = run_with("Mul", with_scalar);
  CHECK(w.raw() == memory_x);
  CHECK_EQ(w.data<float>()[3], 8.0f);

  // The same register twice, dying: the square, in place.
  TensorRef twice[] = {{&w, true}, {&w, true}};
  Tensor square = run_with("Mul", twice);
  CHECK(square.raw() == memory_x);
  CHECK_EQ(square.data<float>()[3], 64.0f);

  // Another owner, or another dtype: new memory.
  Tensor owner = square;
  TensorRef shared[] = {{&square, true}};
  CHECK(run_with("Neg", shared).raw() != memory_x);
  CHECK_EQ(owner.data<float>()[0], 4.0f);
  owner = Tensor();
  TensorRef compared[] = {{&square, true}, {&z, false}};
  CHECK_EQ(run_with("Less", compared).dtype(), DType::kBool);
}

TEST(elementwise_incompatible_shapes) {
  Tensor x = filled<float>(Shape({3}), 0), y = filled<float>(Shape({2}), 0);
  CHECK_THROWS(run("AddV2", {x, y}), kInvalidArgument, "Incompatible shapes: [3] vs. [2]");
  CHECK_THROWS(run("Equal", {x, y}), kInvalidArgument, "Incompatible shapes: [3] vs. [2]");
  CHECK(!run("Equal", {x, y}, {{"incompatible_shape_error", false}}).item<bool>());
  CHECK(run("NotEqual", {x, y}, {{"incompatible_shape_error", false}}).item<bool>());
  CHECK_EQ(run("Equal", {x, x}, {{"incompatible_shape_error", false}}).shape(), Shape({3}));
}

TEST(elementwise_strings) {
  Tensor words(DType::kString, Shape({2, 1})), others(DType::kString, Shape({2}));
  words.mutable_data<std::string>()[0] = "a";
  words.mutable_data<std::string>()[1] = "b";
  others.mutable_data<std::string>()[0] = "b";
  others.mutable_data<std::string>()[1] = "c";
  Tensor z = run("Equal", {words, others});
  CHECK_EQ(z.shape(), Shape({2, 2}));
  CHECK(!z.data<bool>()[0] && z.data<bool>()[2] && !z.data<bool>()[3]);
  CHECK(run("NotEqual", {words, others}).data<bool>()[0]);
}

TEST(elementwise_names_missing_kernels) {
  Tensor handle = Tensor::handle(DType::kVariant, nullptr);
  CHECK_THROWS(run("Equal", {handle, handle}), kNotFound,
               "{{node Equal}} = Equal[T=DT_VARIANT, incompatible_shape_error=true]");
}

}  // namespace tracefn
