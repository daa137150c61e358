// Stateless random ops: the numbers are a function of a seed, or of the key and counter made from one.
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/random/multinomial.h"
#include "ops/random/random_fill.h"
#include "ops/random/samples.h"
#include "ops/random/seeds.h"
#include "ops/state/effect_records.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

template <RandomDistribution kDistribution>
void random(KernelContext& c) {
  fill_random(c, kDistribution, from_seed(c.input(1)), c.output(0));
}
template <RandomDistribution kDistribution>
void random_v2(KernelContext& c) {
  fill_random(c, kDistribution, from_key(c, 1), c.output(0));
}

void random_int(KernelContext& c, const Philox& start, std::size_t minval) {
  IntegerRange range = integer_range(c.input(minval), c.input(minval + 1));
  if (c.output(0).num_elements() == 0) return;
  range.check();
  fill_random(c, kUniform, start, c.output(0), range.low, range.size());
}
void random_int_v1(KernelContext& c) { random_int(c, from_seed(c.input(1)), 2); }
void random_int_v2(KernelContext& c) { random_int(c, from_key(c, 1), 4); }

void infer_key_counter(InferContext& c) {
  c.require_rank(0, 1);
  const Shape& seed = c.shape(0);
  if (seed.has_rank() && seed[0] >= 0 && seed[0] != 2 && !c.running())
    invalid_argument("Dimension must be 2 but is ", seed[0]);
  c.set_output(0, Shape({1}));
  c.set_output(1, Shape({2}));
  if (c.num_outputs() > 2) c.set_output(2, Shape());
}

void check_key_counter(const KernelContext& c) { from_seed(c.input(0)); }

void key_counter(KernelContext& c) {
  Philox start = from_seed(c.input(0));
  c.output(0).mutable_data<std::uint64_t>()[0] = start.key[0] | static_cast<std::uint64_t>(start.key[1]) << 32;
  c.output(1).mutable_data<std::uint64_t>()[0] = start.counter_low();
  c.output(1).mutable_data<std::uint64_t>()[1] = start.counter_high();
  if (c.num_outputs() > 2) *c.output(2).mutable_data<std::int32_t>() = kPhiloxAlgorithm;
}

void algorithm(KernelContext& c) { *c.output(0).mutable_data<std::int32_t>() = kPhiloxAlgorithm; }

void multinomial(KernelContext& c) { fill_multinomial(c, from_seed(c.input(2))); }

struct Names {
  std::string_view v1, v2, doc;
  KernelFn kernel, kernel_v2;
};

void add_real(Registry& r, const Names& names) {
  r.add({
      .name = names.v1,
      .inputs = {"shape: T", "seed: Tseed"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {half, bfloat16, float, double} = DT_FLOAT", "T: {int32, int64} = DT_INT32",
                "Tseed: {int32, int64} = DT_INT64"},
      .doc = names.doc,
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = names.kernel,
      .grad = not_differentiable,
  });
  r.add({
      .name = names.v2,
      .inputs = {"shape: Tshape", "key: uint64", "counter: uint64", "alg: int32"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {half, bfloat16, float, double} = DT_FLOAT", "Tshape: {int32, int64} = DT_INT32"},
      .doc = names.doc,
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = names.kernel_v2,
      .grad = not_differentiable,
  });
}

void register_integers(Registry& r) {
  r.add({
      .name = "StatelessRandomUniformInt",
      .inputs = {"shape: T", "seed: Tseed", "minval: dtype", "maxval: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {int32, int64}", "T: {int32, int64}", "Tseed: {int32, int64} = DT_INT64"},
      .doc = "Uniform random integers in [minval, maxval), determined by a seed.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = random_int_v1,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatelessRandomUniformIntV2",
      .inputs = {"shape: Tshape", "key: uint64", "counter: uint64", "alg: int32", "minval: dtype", "maxval: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {int32, int64, uint32, uint64}", "Tshape: {int32, int64} = DT_INT32"},
      .doc = "Uniform random integers in [minval, maxval), determined by a key and a counter.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = random_int_v2,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatelessRandomUniformFullInt",
      .inputs = {"shape: T", "seed: Tseed"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {int32, int64, uint32, uint64} = DT_UINT64", "T: {int32, int64} = DT_INT32",
                "Tseed: {int32, int64, uint32, uint64} = DT_INT64"},
      .doc = "Uniform random integers over the full range of their dtype, determined by a seed.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = random<kUniform>,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatelessRandomUniformFullIntV2",
      .inputs = {"shape: Tshape", "key: uint64", "counter: uint64", "alg: int32"},
      .outputs = {"output: dtype"},
      .attrs = {"dtype: {int32, int64, uint32, uint64} = DT_UINT64", "Tshape: {int32, int64} = DT_INT32"},
      .doc = "Uniform random integers over the full range of their dtype, determined by a key and a counter.",
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = random_v2<kUniform>,
      .grad = not_differentiable,
  });
}

void register_keys(Registry& r) {
  r.add({
      .name = "StatelessRandomGetKeyCounter",
      .inputs = {"seed: Tseed"},
      .outputs = {"key: uint64", "counter: uint64"},
      .attrs = {"Tseed: {int32, int64} = DT_INT64"},
      .doc = "The Philox key and counter for a seed of shape [2].",
      .infer = infer_key_counter,
      .check = check_key_counter,
      .kernel = key_counter,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatelessRandomGetAlg",
      .outputs = {"alg: int32"},
      .stateful = true,
      .doc = "The number of the random algorithm: 1, for Philox.",
      .infer = infer::scalar,
      .kernel = algorithm,
      .grad = not_differentiable,
  });
  r.add({
      .name = "StatelessRandomGetKeyCounterAlg",
      .inputs = {"seed: Tseed"},
      .outputs = {"key: uint64", "counter: uint64", "alg: int32"},
      .attrs = {"Tseed: {int32, int64} = DT_INT64"},
      .doc = "The Philox key and counter for a seed of shape [2], and the number of the algorithm.",
      .infer = infer_key_counter,
      .check = check_key_counter,
      .kernel = key_counter,
      .grad = not_differentiable,
  });
}

}  // namespace

void register_stateless_random(Registry& r) {
  add_real(r, {"StatelessRandomUniform", "StatelessRandomUniformV2",
               "Uniform random numbers in [0, 1), determined by the seed, or by the key and the counter.",
               random<kUniform>, random_v2<kUniform>});
  add_real(r, {"StatelessRandomNormal", "StatelessRandomNormalV2",
               "Normal random numbers with mean 0 and standard deviation 1, determined by the seed, or by the key and "
               "the counter.",
               random<kStandardNormal>, random_v2<kStandardNormal>});
  add_real(r, {"StatelessTruncatedNormal", "StatelessTruncatedNormalV2",
               "Normal random numbers with mean 0 and standard deviation 1, determined by the seed, or by the key and "
               "the counter. Values beyond two standard deviations are drawn again.",
               random<kTruncatedNormal>, random_v2<kTruncatedNormal>});
  register_integers(r);
  register_keys(r);
  r.add({
      .name = "StatelessMultinomial",
      .inputs = {"logits: T", "num_samples: int32", "seed: Tseed"},
      .outputs = {"output: output_dtype"},
      .attrs = {"T: " TRACEFN_REAL_NUMBERS, "Tseed: {int32, int64} = DT_INT64",
                "output_dtype: {int32, int64} = DT_INT64"},
      .doc = "For each row of unnormalized log-probabilities, `num_samples` classes drawn from that distribution, "
             "determined by a seed.",
      .infer = infer_multinomial,
      .check = check_multinomial,
      .kernel = multinomial,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
