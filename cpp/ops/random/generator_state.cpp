// Ops that draw from the state of a tf.random.Generator.
#include "ops/random/generator_state.h"

#include <random>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/no_kernel.h"
#include "ops/random/random_fill.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::int64_t kStateSize = 3;  // the counter, and the key

Philox generator_of(const Tensor& state) {
  const std::int64_t* words = state.data<std::int64_t>();
  auto word = [&](int i) { return static_cast<std::uint64_t>(words[i]); };
  return Philox::of(word(2), word(0), word(1));
}

}  // namespace

Philox take_from_generator(KernelContext& c, std::uint64_t blocks) {
  VariableResource& variable = variable_input(c, 0);
  if (variable.dtype() != DType::kInt64)
    invalid_argument("dtype of RNG state variable must be int64, not ", runtime_name(variable.dtype()));
  Philox taken{};
  variable.update([&](Tensor& state) {
    if (state.rank() != 1) invalid_argument("RNG state must have one and only one dimension, not ", state.rank());
    if (state.dim(0) < kStateSize)
      invalid_argument("For the Philox algorithm, the size of state must be at least ", kStateSize, "; got ",
                       state.dim(0));
    taken = generator_of(state);
    Philox next = taken;
    next.skip(blocks);
    std::int64_t* words = state.mutable_data<std::int64_t>();
    words[0] = static_cast<std::int64_t>(next.counter_low());
    words[1] = static_cast<std::int64_t>(next.counter_high());
  });
  return taken;
}

void require_philox(const KernelContext& c, std::size_t i) {
  if (c.input(i).rank() != 0)
    invalid_argument("input ", i, " (0-based) must have shape [], not ", c.input(i).shape().text());
  const std::int64_t algorithm = c.input(i).int_at(0);
  if (algorithm == kThreeFryAlgorithm)
    fail(ErrorKind::kUnimplemented, "Non-XLA devices don't support the ThreeFry algorithm.");
  if (algorithm != kPhiloxAlgorithm && algorithm != kAutoSelect)
    invalid_argument("Unsupported algorithm id: ", algorithm);
}

namespace {

void infer_drawn(InferContext& c) {
  c.require_rank(2, 1);
  c.set_output(0, c.dtype(2) == DType::kInt32 || c.dtype(2) == DType::kInt64 ? c.result_shape(2) : Shape::unknown());
}

void check_drawn(const KernelContext& c) {
  const Tensor& shape = c.input(2);
  if (shape.rank() != 1) invalid_argument("shape must be a vector of {int32,int64}, got shape ", shape.shape().text());
  if (shape.dtype() != DType::kInt32 && shape.dtype() != DType::kInt64)
    invalid_argument("shape must be a vector of {int32,int64}.");
}

void require_dtype(const KernelContext& c, std::initializer_list<DType> dtypes) {
  for (DType dtype : dtypes)
    if (c.attr("dtype").type() == dtype) return;
  no_kernel();
}

void fill(KernelContext& c, RandomDistribution distribution, std::uint64_t low = 0, std::uint64_t range = 0) {
  Tensor& out = c.output(0);
  const auto n = static_cast<std::uint64_t>(out.num_elements());
  fill_random(c, distribution, take_from_generator(c, n * kBlocksPerSample), out, low, range);
}

template <RandomDistribution kDistribution>
void real(KernelContext& c) {
  require_philox(c, 1);
  fill(c, kDistribution);
}

void bounded_int(KernelContext& c) {
  require_philox(c, 1);
  IntegerRange range = integer_range(c.input(3), c.input(4));
  range.check();
  fill(c, kUniform, range.low, range.size());
}

void full_int(KernelContext& c) {
  require_philox(c, 1);
  fill(c, kUniform);
}

void check_real(const KernelContext& c) {
  require_dtype(c, {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble});
  check_drawn(c);
}
void check_bounded_int(const KernelContext& c) {
  require_dtype(c, {DType::kInt32, DType::kInt64});
  check_drawn(c);
}
void check_full_int(const KernelContext& c) {
  require_dtype(c, {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64});
  check_drawn(c);
}

std::uint64_t skipped_blocks(const KernelContext& c) {
  const Tensor& delta = c.input(2);
  if (delta.rank() != 0) invalid_argument("input 2 (0-based) must have shape [], not ", delta.shape().text());
  return *static_cast<const std::uint64_t*>(delta.raw()) * kBlocksPerSample;
}

void skip(KernelContext& c) {
  require_philox(c, 1);
  take_from_generator(c, skipped_blocks(c));
}

void read_and_skip(KernelContext& c) {
  require_philox(c, 1);
  const Philox before = take_from_generator(c, skipped_blocks(c));
  std::int64_t* words = c.output(0).mutable_data<std::int64_t>();
  words[0] = static_cast<std::int64_t>(before.counter_low());
  words[1] = static_cast<std::int64_t>(before.counter_high());
  words[2] = static_cast<std::int64_t>(before.key[0] | static_cast<std::uint64_t>(before.key[1]) << 32);
}

void infer_read_and_skip(InferContext& c) {
  c.require_rank(1, 0);
  c.require_rank(2, 0);
  c.set_output(0, Shape({kStateSize}));
}

void infer_non_deterministic(InferContext& c) {
  c.require_rank(0, 1);
  c.set_output(0, c.dtype(0) == DType::kInt32 || c.dtype(0) == DType::kInt64 ? c.result_shape(0) : Shape::unknown());
}

void check_non_deterministic(const KernelContext& c) {
  require_dtype(c, {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64});
  check_sample_shape(c);
  if (c.input(0).dtype() != DType::kInt32 && c.input(0).dtype() != DType::kInt64)
    invalid_argument("shape must be a vector of {int32,int64}.");
}

// From the system's entropy.
void non_deterministic(KernelContext& c) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  std::random_device device;
  auto word = [&] { return static_cast<std::uint64_t>(device()) << 32 | device(); };
  const std::uint64_t key = word(), low = word(), high = word();
  fill_random(c, kUniform, Philox::of(key, low, high), out);
}

void add(Registry& r, std::string_view name, std::string_view doc, std::string_view dtype, CheckFn check,
         KernelFn kernel, bool bounded = false) {
  OpRecord record{
      .name = name,
      .inputs = {"resource: resource", "algorithm: int64", "shape: shape_dtype"},
      .outputs = {"output: dtype"},
      .attrs = {dtype, "shape_dtype: type = DT_INT64"},
      .stateful = true,
      .doc = doc,
      .infer = infer_drawn,
      .check = check,
      .kernel = kernel,
      .grad = without_gradient,
  };
  if (bounded) {
    record.inputs.push_back("minval: dtype");
    record.inputs.push_back("maxval: dtype");
  }
  r.add(record);
}

}  // namespace

void register_generator_state(Registry& r) {
  add(r, "StatefulUniform", "Uniform random numbers in [0, 1), drawn from a generator's state.",
      "dtype: type = DT_FLOAT", check_real, real<kUniform>);
  add(r, "StatefulStandardNormalV2",
      "Normal random numbers with mean 0 and standard deviation 1, drawn from a generator's state.",
      "dtype: type = DT_FLOAT", check_real, real<kStandardNormal>);
  add(r, "StatefulTruncatedNormal",
      "Normal random numbers with mean 0 and standard deviation 1, drawn from a generator's state. Values beyond two "
      "standard deviations are drawn again.",
      "dtype: type = DT_FLOAT", check_real, real<kTruncatedNormal>);
  add(r, "StatefulUniformInt", "Uniform random integers in [minval, maxval), drawn from a generator's state.",
      "dtype: type = DT_INT64", check_bounded_int, bounded_int, true);
  add(r, "StatefulUniformFullInt",
      "Uniform random integers over the full range of their dtype, drawn from a generator's state.",
      "dtype: type = DT_UINT64", check_full_int, full_int);
  r.add({
      .name = "RngSkip",
      .inputs = {"resource: resource", "algorithm: int64", "delta: int64"},
      .stateful = true,
      .doc = "Advances a generator's state as if `delta` numbers had been drawn.",
      .infer = infer::nothing,
      .kernel = skip,
      .grad = without_gradient,
  });
  r.add({
      .name = "RngReadAndSkip",
      .inputs = {"resource: resource", "alg: int32", "delta: uint64"},
      .outputs = {"value: int64"},
      .stateful = true,
      .doc = "A generator's state, which then advances as if `delta` numbers had been drawn.",
      .infer = infer_read_and_skip,
      .kernel = read_and_skip,
      .grad = without_gradient,
  });
  r.add({
      .name = "NonDeterministicInts",
      .inputs = {"shape: shape_dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: type = DT_INT64", "shape_dtype: type = DT_INT64"},
      .stateful = true,
      .doc = "Random integers over the full range of their dtype, from the system's entropy.",
      .infer = infer_non_deterministic,
      .check = check_non_deterministic,
      .kernel = non_deterministic,
      .grad = without_gradient,
  });
}

}  // namespace tracefn
