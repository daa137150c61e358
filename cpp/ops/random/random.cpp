// Stateful random ops. Each run draws from the node's generator and advances it as TensorFlow does, so that runs with
// the same seeds give the same numbers.
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/random/multinomial.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_state.h"
#include "ops/random/samples.h"
#include "ops/state/effect_records.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

template <RandomDistribution kDistribution>
void random(KernelContext& c) {
  Tensor& out = c.output(0);
  auto n = static_cast<std::uint64_t>(out.num_elements());
  fill_random(c, kDistribution, random_state(c).reserve(n * kBlocksPerSample), out);
}

void random_int(KernelContext& c) {
  Tensor& out = c.output(0);
  IntegerRange range = integer_range(c.input(1), c.input(2));
  auto n = static_cast<std::uint64_t>(out.num_elements());
  if (n == 0) return;
  range.check();
  fill_random(c, kUniform, random_state(c).reserve(n * kBlocksPerSample), out, range.low, range.size());
}

void infer_random_int(InferContext& c) {
  infer_sample_shape(c);
  c.require_rank(1, 0);
  c.require_rank(2, 0);
}

void check_random_int(const KernelContext& c) {
  check_sample_shape(c);
  integer_range(c.input(1), c.input(2));
}

void multinomial(KernelContext& c) {
  auto samples = static_cast<std::uint64_t>(c.input(1).int_at(0));
  std::uint64_t words = (samples + 3) / 4 * 4 * 2;  // two words for each number
  std::uint64_t rows = static_cast<std::uint64_t>(c.input(0).dim(0));
  fill_multinomial(c, random_state(c).reserve(rows * words * kBlocksPerSample));
}

void add_real(Registry& r, std::string_view name, std::string_view doc, KernelFn kernel) {
  r.add({
      .name = name,
      .inputs = {"shape: T"},
      .outputs = {"output: dtype"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
      .stateful = true,
      .doc = doc,
      .infer = infer_sample_shape,
      .check = check_sample_shape,
      .kernel = kernel,
      .grad = not_differentiable,
      .keeps_state = true,
  });
}

}  // namespace

void register_random(Registry& r) {
  add_real(r, "RandomUniform", "Uniform random numbers in [0, 1).", random<kUniform>);
  add_real(r, "RandomStandardNormal", "Normal random numbers with mean 0 and standard deviation 1.",
           random<kStandardNormal>);
  add_real(r, "TruncatedNormal",
           "Normal random numbers with mean 0 and standard deviation 1. Values beyond two standard deviations are "
           "drawn again.",
           random<kTruncatedNormal>);
  r.add({
      .name = "RandomUniformInt",
      .inputs = {"shape: T", "minval: Tout", "maxval: Tout"},
      .outputs = {"output: Tout"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}"},
      .stateful = true,
      .doc = "Uniform random integers in [minval, maxval).",
      .infer = infer_random_int,
      .check = check_random_int,
      .kernel = random_int,
      .grad = not_differentiable,
      .keeps_state = true,
  });
  r.add({
      .name = "Multinomial",
      .inputs = {"logits: T", "num_samples: int32"},
      .outputs = {"output: output_dtype"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "T: " TRACEFN_REAL_NUMBERS,
                "output_dtype: {int32, int64} = DT_INT64"},
      .stateful = true,
      .doc = "For each row of unnormalized log-probabilities, `num_samples` classes drawn from that distribution.",
      .infer = infer_multinomial,
      .check = check_multinomial,
      .kernel = multinomial,
      .grad = not_differentiable,
      .keeps_state = true,
  });
}

}  // namespace tracefn
