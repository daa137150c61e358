// Bucketize: between which boundaries numbers lie.
#include <algorithm>
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/op_def.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void check_bucketize(const KernelContext& c) {
  const std::vector<float>& boundaries = c.attr("boundaries").floats();
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) invalid_argument("Expected sorted boundaries");
}

void bucketize(KernelContext& c) {
  const Tensor& in = c.input(0);
  auto* to = c.output(0).mutable_data<std::int32_t>();
  const std::vector<float>& boundaries = c.attr("boundaries").floats();
  with_number(in.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = in.data<T>();
    const double cost = 2 + 2 * std::log2(1 + static_cast<double>(boundaries.size()));
    c.parallel_for(in.num_elements(), cost, [&](std::int64_t begin, std::int64_t end) {
      in_slices(begin, end, cost, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const auto x = static_cast<double>(compute_value(from[i]));
          // NaN is beyond all boundaries.
          const auto place = std::upper_bound(boundaries.begin(), boundaries.end(), x,
                                              [](double value, float boundary) { return value < boundary; });
          to[i] = static_cast<std::int32_t>(place - boundaries.begin());
        }
      });
    });
  });
}

}  // namespace

void register_bucketize(Registry& r) {
  r.add({.name = "Bucketize",
         .inputs = {"input: T"},
         .outputs = {"output: int32"},
         .attrs = {"T: {int32, int64, float, double}", "boundaries: list(float)"},
         .doc = "The number of boundaries that are not above each number.\n\n`boundaries` is a sorted list of floats.",
         .infer = infer::same_as_first,
         .check = check_bucketize,
         .kernel = bucketize,
         .grad = not_differentiable});
}

}  // namespace tracefn
