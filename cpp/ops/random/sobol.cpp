// SobolSample: points of Sobol's sequence in any number of dimensions.
#include <array>
#include <bit>
#include <limits>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/random/sobol_numbers.h"
#include "ops/registry.h"
#include "ops/state/effect_records.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr int kBits = 32;
using Directions = std::array<std::uint32_t, kBits>;

// The direction numbers of every dimension, by the recurrence that its polynomial gives (P. Bratley and B. L. Fox,
// "Algorithm 659: implementing Sobol's quasirandom sequence generator", 1988).
std::vector<Directions> directions(std::int64_t dims) {
  std::vector<Directions> all(static_cast<std::size_t>(dims));
  for (int j = 0; j < kBits; ++j) all[0][static_cast<std::size_t>(j)] = 1u << (kBits - 1 - j);
  std::size_t first = 0;
  for (std::size_t d = 1; d < all.size(); ++d) {
    const std::uint32_t polynomial = sobol_polynomials()[d - 1];
    const auto degree = static_cast<std::size_t>(std::bit_width(polynomial) - 1);
    Directions& v = all[d];
    for (std::size_t j = 0; j < kBits; ++j) {
      if (j < degree) {
        v[j] = static_cast<std::uint32_t>(sobol_first_numbers()[first + j]) << (kBits - 1 - j);
        continue;
      }
      v[j] = v[j - degree] ^ v[j - degree] >> degree;
      for (std::size_t k = 1; k < degree; ++k)
        if (polynomial >> (degree - k) & 1) v[j] ^= v[j - k];
    }
    first += degree;
  }
  return all;
}

// The words of TensorFlow's kernel.
void check_sobol(const KernelContext& c) {
  for (std::size_t i = 0; i < 3; ++i)
    if (c.input(i).rank() != 0)
      invalid_argument(c.op().signature.inputs[i].name, " must be a scalar, got shape ", c.input(i).shape().text());
  const std::int64_t dims = c.input(0).int_at(0), n = c.input(1).int_at(0), skip = c.input(2).int_at(0);
  if (dims < 1) invalid_argument("dim must be at least one");
  if (dims > kSobolDimensions) invalid_argument("dim must be at most ", kSobolDimensions);
  if (n < 1) invalid_argument("num_results must be at least one");
  if (skip < 0) invalid_argument("skip must be non-negative");
  if (n + skip >= std::numeric_limits<std::int32_t>::max())
    invalid_argument("num_results+skip must be less than ", std::numeric_limits<std::int32_t>::max());
}

void infer_sobol(InferContext& c) {
  for (std::size_t i = 0; i < 3; ++i) c.require_rank(i, 0);
  auto size = [&](std::size_t i) { return c.int_value(i).value_or(kUnknownDim); };
  const std::int64_t n = size(1), dims = size(0);
  if (n < kUnknownDim || dims < kUnknownDim)
    invalid_argument("Dimension size, given by scalar input, must be non-negative");
  c.set_output(0, Shape({n, dims}));
}

// Point n is the sum modulo 2 of the directions where the Gray code of n has ones; it differs from the point before in
// one of them.
template <typename T>
void fill_points(KernelContext& c) {
  const std::int64_t dims = c.input(0).int_at(0), n = c.input(1).int_at(0);
  const auto start = static_cast<std::uint32_t>(c.input(2).int_at(0)) + 1;
  const std::vector<Directions> all = directions(dims);
  T* out = c.output(0).mutable_data<T>();
  c.parallel_for(dims, 2 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d, poll()) {
      const Directions& v = all[static_cast<std::size_t>(d)];
      std::uint32_t x = 0;
      for (std::uint32_t code = start ^ start >> 1, j = 0; code != 0; code >>= 1, ++j)
        if (code & 1) x ^= v[j];
      for (std::int64_t i = 0; i < n; ++i) {
        out[i * dims + d] = static_cast<T>(x) * static_cast<T>(0x1p-32);
        x ^= v[static_cast<std::size_t>(std::countr_one(start + static_cast<std::uint32_t>(i)))];
      }
    }
  });
}

void sobol(KernelContext& c) {
  if (c.output(0).dtype() == DType::kFloat) return fill_points<float>(c);
  fill_points<double>(c);
}

}  // namespace

void register_sobol(Registry& r) {
  r.add({.name = "SobolSample",
         .inputs = {"dim: int32", "num_results: int32", "skip: int32"},
         .outputs = {"samples: dtype"},
         .attrs = {"dtype: {float, double} = DT_FLOAT"},
         .doc = "Points of Sobol's sequence [num_results, dim], without the first `skip`.\n\nRaises "
                "InvalidArgumentError if there are more dimensions than 1111.",
         .infer = infer_sobol,
         .check = check_sobol,
         .kernel = sobol,
         .grad = without_gradient});
}

}  // namespace tracefn
