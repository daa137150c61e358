// Fills a tensor from a position in a Philox stream.
#include "ops/random/random_fill.h"

#include <algorithm>
#include <iterator>

#include "base/consecutive.h"
#include "ops/kernel_table.h"
#include "ops/no_kernel.h"

namespace tracefn {

void fill_random(KernelContext& c, RandomDistribution distribution, const Philox& start, Tensor& out, std::uint64_t low,
                 std::uint64_t range) {
  RandomFill fill = kernel_table().random.fill[distribution][slot(out.dtype())];
  if (!fill) no_kernel();
  static constexpr double cost[] = {0.6, 1.6, 3.0};
  static_assert(consecutive(kUniform, kStandardNormal, kTruncatedNormal, kRandomDistributions));
  static_assert(kUniform == 0 && std::size(cost) == kRandomDistributions);
  std::int64_t n = out.num_elements();
  c.parallel_for((n + kRandomGroup - 1) / kRandomGroup, kRandomGroup * cost[distribution],
                 [&](std::int64_t begin, std::int64_t end) {
                   fill(&start, begin * kRandomGroup, std::min(n, end * kRandomGroup), out.mutable_raw(), low, range);
                 });
}

void IntegerRange::check() const {
  bool ordered = is_signed ? static_cast<std::int64_t>(low) < static_cast<std::int64_t>(high) : low < high;
  if (ordered) return;
  if (is_signed)
    invalid_argument("Need minval < maxval, got ", static_cast<std::int64_t>(low),
                     " >= ", static_cast<std::int64_t>(high));
  invalid_argument("Need minval < maxval, got ", low, " >= ", high);
}

IntegerRange integer_range(const Tensor& minval, const Tensor& maxval) {
  if (minval.rank() != 0) invalid_argument("minval must be 0-D, got shape ", minval.shape().text());
  if (maxval.rank() != 0) invalid_argument("maxval must be 0-D, got shape ", maxval.shape().text());
  auto bits = [](const Tensor& t) -> std::uint64_t {
    switch (t.dtype()) {
      case DType::kInt32:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(t.item<std::int32_t>()));
      case DType::kUInt32:
        return t.item<std::uint32_t>();
      default:
        return t.item<std::uint64_t>();
    }
  };
  DType dtype = minval.dtype();
  return {bits(minval), bits(maxval), is_signed_integer(dtype), size_of(dtype) == 8};
}

}  // namespace tracefn
