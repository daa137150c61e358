// LowerBound and UpperBound: the places of values in sorted rows.
#include <algorithm>
#include <cmath>

#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/array/search.kernels.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_bound(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  c.set_output(0, c.shape(1));
}

void check_bound(const KernelContext& c) {
  const Tensor& sorted = c.input(0);
  const Tensor& values = c.input(1);
  if (sorted.rank() != 2) invalid_argument("sorted input argument must be a matrix");
  if (values.rank() != 2) invalid_argument("values argument must be a matrix");
  if (sorted.dim(0) != values.dim(0)) invalid_argument("Leading dim_size of both tensors must match.");
}

// For each value of a row its insertion point in the same row of sorted inputs, before equals or after them.
template <bool upper>
void bound(KernelContext& c) {
  const Tensor& sorted = c.input(0);
  const Tensor& values = c.input(1);
  const std::int64_t n = sorted.dim(1), count = values.dim(1);
  const Places places(c.output(0));
  const SearchKernels& kernels = kernel_table().search;
  const FindPlaces find = (upper ? kernels.upper : kernels.lower)[slot(sorted.dtype())];
  if (!find) no_kernel();
  const auto bytes = static_cast<std::int64_t>(size_of(sorted.dtype()));
  const auto *rows = static_cast<const char*>(sorted.raw()), *all = static_cast<const char*>(values.raw());
  const double cost = 2 + std::log2(static_cast<double>(n) + 1);
  c.parallel_for(values.num_elements(), cost, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t found[kSearchedTogether];
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t row = i / count, together = std::min({kSearchedTogether, end - i, (row + 1) * count - i});
      find(rows + row * n * bytes, n, all + i * bytes, together, found);
      for (std::int64_t k = 0; k < together; ++k) places.set(i + k, found[k]);
      i += together;
    }
  });
}

}  // namespace

void register_search(Registry& r) {
  r.add(
      {.name = "LowerBound",
       .inputs = {"sorted_inputs: T", "values: T"},
       .outputs = {"output: out_type"},
       .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
       .doc =
           "For each value, the index of the first element in the same row of sorted_inputs that is not less than it.",
       .infer = infer_bound,
       .check = check_bound,
       .kernel = bound<false>,
       .grad = not_differentiable});
  r.add({.name = "UpperBound",
         .inputs = {"sorted_inputs: T", "values: T"},
         .outputs = {"output: out_type"},
         .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
         .doc =
             "For each value, the index of the first element in the same row of sorted_inputs that is greater than it.",
         .infer = infer_bound,
         .check = check_bound,
         .kernel = bound<true>,
         .grad = not_differentiable});
}

}  // namespace tracefn
