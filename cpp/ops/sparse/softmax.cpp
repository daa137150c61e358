// SparseSoftmax: softmax over the given values of each row.
#include <algorithm>
#include <cmath>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void check_softmax(const KernelContext& c) {
  const SparseParts s(c, 0);
  if (s.indices.rank() != 2)
    invalid_argument("Input sp_indices should be a matrix but received shape: ", s.indices.shape().text());
  if (s.values.rank() != 1 || s.shape.rank() != 1)
    invalid_argument("Inputs sp_values and sp_shape should be vectors but received shapes: ", s.values.shape().text(),
                     " and ", s.shape.shape().text());
  if (s.shape.dim(0) < 2) invalid_argument("Input should have rank >= 2, but received shape: ", spaced(s.sizes()));
  require_sizes(s.sizes());
  require_sparse_object(s);
}

// A row is a run of places that differ in the last dimension only.
void softmax(KernelContext& c) {
  const SparseParts s(c, 0);
  const std::int64_t n = s.size(), outer = s.rank() - 1;
  with_float(s.values.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* x = s.values.data<T>();
    T* y = c.output(0).mutable_data<T>();
    PolledSteps polled(1024);
    for (std::int64_t begin = 0, end = 0; begin < n; begin = end) {
      auto most = compute_value(x[begin]);
      for (end = begin + 1; end < n && compare_places(s.place(begin), s.place(end), outer) == 0; ++end)
        most = std::max(most, compute_value(x[end]));
      decltype(most) total = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto part = std::exp(compute_value(x[i]) - most);
        y[i] = static_cast<T>(part);
        total += part;
      }
      for (std::int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(compute_value(y[i]) / total);
      polled.step(end - begin);
    }
  });
}

void grad_softmax(GradContext& c) {
  const Operand &places = c.input(0), &sizes = c.input(2), &y = c.output(0);
  const Operand sums =
      -emit1("SparseReduceSum", {places, y * c.dy(0), sizes, build::ints({-1})}, {{"keep_dims", true}});
  c.to_input(1, emit1("SparseDenseCwiseAdd", {places, c.dy(0), sizes, sums}) * y);
}

}  // namespace

void register_sparse_softmax(Registry& r) {
  r.add({.name = "SparseSoftmax",
         .inputs = {"sp_indices: int64", "sp_values: T", "sp_shape: int64"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, float, double}"},
         .doc = "Softmax over the given values along the last dimension of a sparse tensor in row-major order.",
         .infer =
             [](InferContext& c) {
               c.require_rank(0, 2);
               c.require_rank(1, 1);
               c.set_output(0, c.shape(1).has_rank() ? c.shape(1) : Shape::of_rank(1));
             },
         .check = check_softmax,
         .kernel = softmax,
         .grad = grad_softmax});
}

}  // namespace tracefn
