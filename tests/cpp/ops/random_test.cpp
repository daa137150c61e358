// Random ops against numbers recorded from TensorFlow 2.21, and what does not depend on their bits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.h"
#include "ops/emit.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/random/random_state.h"
#include "ops/registry.h"
#include "ops/vectors.h"

namespace tracefn {
namespace {

Tensor seed_of(std::int64_t a, std::int64_t b) {
  std::int64_t values[] = {a, b};
  return Tensor::vector(std::span<const std::int64_t>(values));
}

// A stateful op with a state that the test keeps, as a node of a graph does.
class Drawn {
 public:
  Drawn(std::string_view op, std::vector<NamedAttr> named) : op_(Registry::get().at(op)) {
    attrs_.resize(op_.signature.attrs.size());
    for (const NamedAttr& a : named) attrs_[static_cast<std::size_t>(op_.signature.attr_index(a.name))] = a.value;
  }
  Tensor run(Tensor shape) {
    std::vector<Operand> operands{shape};
    AttrList attrs = complete_attrs(op_, operands, attrs_);
    Tensor out(attrs[static_cast<std::size_t>(op_.signature.attr_index("dtype"))].type(), [&] {
      Dims dims;
      for (std::int64_t i = 0; i < shape.num_elements(); ++i) dims.push_back(shape.int_at(i));
      return Shape(dims);
    }());
    TensorRef input{&shape, false};
    KernelContext c(op_, attrs, std::span(&input, 1), std::span(&out, 1));
    c.state_ = &state_;
    op_.kernel(c);
    return out;
  }

 private:
  const OpDef& op_;
  AttrList attrs_;
  StateSlot state_;
};

bool near(const Tensor& t, std::initializer_list<float> expected) {
  auto got = t.span<float>();
  return std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                    [](float a, float b) { return std::abs(a - b) <= 3e-7f * std::abs(b); });
}

}  // namespace

TEST(random_uniform_and_normal_as_recorded) {
  Drawn uniform("RandomUniform", {{"seed", 87654321}, {"seed2", 1}, {"dtype", DType::kFloat}});
  CHECK(near(uniform.run(ints({3})), {0.239037395f, 0.920399547f, 0.0505124331f}));
  CHECK(near(uniform.run(ints({3})), {0.851476192f, 0.28712368f, 0.797627687f}));
  Drawn normal("RandomStandardNormal", {{"seed", 87654321}, {"seed2", 1}, {"dtype", DType::kFloat}});
  CHECK(near(normal.run(ints({3})), {-0.811318219f, 1.48459876f, 0.0653293729f}));
  CHECK(near(normal.run(ints({3})), {0.551712453f, -0.131075516f, -0.0448138639f}));
  Drawn truncated("TruncatedNormal", {{"seed", 87654321}, {"seed2", 1}, {"dtype", DType::kFloat}});
  CHECK(near(truncated.run(ints({5})), {-0.811318219f, 1.48459876f, 0.0653293729f, 0.0992484018f, 0.639697075f}));
  Tensor stateless = emit1("StatelessRandomUniform", {ints({3}), seed_of(1, 2)}).tensor;
  CHECK(near(stateless, {0.844060421f, 0.192045331f, 0.996223211f}));
}

TEST(random_reset_begins_anew) {
  Drawn node("RandomUniform", {{"seed", 5}, {"seed2", 6}, {"dtype", DType::kDouble}});
  Tensor first = node.run(ints({10}));
  Tensor second = node.run(ints({10}));
  CHECK(!identical(first, second));
  reset_random_states();
  CHECK(identical(node.run(ints({10})), first));
}

TEST(random_eager_calls_go_on_in_one_stream) {
  auto draw = [] {
    Operand shape[] = {ints({3})};
    return emit_all("RandomUniform", shape, {{"seed", 87654321}, {"seed2", 1}, {"dtype", DType::kFloat}})[0].tensor;
  };
  reset_random_states();
  Tensor first = draw();
  CHECK(near(first, {0.239037395f, 0.920399547f, 0.0505124331f}));
  CHECK(near(draw(), {0.851476192f, 0.28712368f, 0.797627687f}));
  reset_random_states();
  CHECK(identical(draw(), first));
}

TEST(random_zero_seeds_differ) {
  Drawn a("RandomUniform", {{"dtype", DType::kDouble}}), b("RandomUniform", {{"dtype", DType::kDouble}});
  CHECK(!identical(a.run(ints({4})), b.run(ints({4}))));
}

// Shards begin at any multiple of kRandomGroup: each must give the same numbers as the whole.
TEST(random_shards_agree_with_the_whole) {
  const RandomKernels& kernels = kernel_table().random;
  Philox start = Philox::of(11, 0xfffffffffffffff0ull, 3);
  for (int d = 0; d < kRandomDistributions; ++d) {
    for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16}) {
      constexpr std::int64_t n = 150;
      Tensor whole(dtype, {n}), parts(dtype, {n});
      RandomFill fill = kernels.fill[d][slot(dtype)];
      fill(&start, 0, n, whole.mutable_raw(), 0, 0);
      for (std::int64_t begin : {0, 4, 60, 148})
        fill(&start, begin, begin == 0 ? 4 : begin == 4 ? 60 : begin == 60 ? 148 : n, parts.mutable_raw(), 0, 0);
      CHECK(identical(whole, parts));
    }
  }
}

// Each batch size, and blocks past the end of the lower half of the counter.
TEST(random_words_are_those_of_one_block_after_the_other) {
  Philox start = Philox::of(0x123456789abcdefull, ~std::uint64_t{0} - 300, 5);
  constexpr std::int64_t n = 3000;
  Tensor words(DType::kUInt32, {n});
  RandomFill fill = kernel_table().random.fill[kUniform][slot(DType::kUInt32)];
  for (std::int64_t begin : {0, 4, 1024}) {
    fill(&start, begin, n, words.mutable_raw(), 0, 0);
    Philox at = start;
    at.skip(static_cast<std::uint64_t>(begin / 4));
    PhiloxWords expected(at);
    auto got = words.span<std::uint32_t>().subspan(static_cast<std::size_t>(begin));
    CHECK(std::ranges::all_of(got, [&](std::uint32_t word) { return word == expected.next(); }));
  }
}

// Remainders come from rounded quotients.
TEST(random_integers_are_remainders) {
  Philox start = Philox::of(7, 8, 9);
  constexpr std::int64_t n = 1000;
  const RandomKernels& kernels = kernel_table().random;
  auto check = [&]<typename T>(DType dtype, T) {
    RandomFill fill = kernels.fill[kUniform][slot(dtype)];
    Tensor whole(dtype, {n}), reduced(dtype, {n});
    fill(&start, 0, n, whole.mutable_raw(), 0, 0);
    constexpr T kMost = std::numeric_limits<T>::max();
    for (T range : {T(1), T(2), T(3), T(5), T(255), T(641), T(65537), T(kMost / 3), T(kMost / 2), T(kMost / 2 + 1),
                    T(kMost / 2 + 2), T(kMost - 1), kMost}) {
      for (T low : {T(0), T(17), T(kMost - 2)}) {
        fill(&start, 0, n, reduced.mutable_raw(), low, range);
        CHECK(std::ranges::equal(reduced.span<T>(), whole.span<T>(),
                                 [&](T got, T x) { return got == static_cast<T>(low + x % range); }));
      }
    }
  };
  check(DType::kUInt32, std::uint32_t{});
  check(DType::kUInt64, std::uint64_t{});
}

TEST(random_integers_within_bounds) {
  Operand args[] = {ints({1000}), seed_of(3, 4), Tensor::scalar(std::int32_t{-2}), Tensor::scalar(std::int32_t{3})};
  Tensor t = emit_all("StatelessRandomUniformInt", args)[0].tensor;
  auto [low, high] = std::minmax_element(t.span<std::int32_t>().begin(), t.span<std::int32_t>().end());
  CHECK_EQ(*low, -2);
  CHECK_EQ(*high, 2);
  Operand wrong[] = {ints({1}), seed_of(3, 4), Tensor::scalar(std::int32_t{3}), Tensor::scalar(std::int32_t{3})};
  CHECK_THROWS(emit_all("StatelessRandomUniformInt", wrong), kInvalidArgument, "Need minval < maxval, got 3 >= 3");
}

}  // namespace tracefn
