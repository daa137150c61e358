// IsotonicRegression: for each row the non-increasing sequence with the least squared distance, by pooling adjacent
// violators (Ayer et al., "An empirical distribution function for sampling with incomplete information", 1955).
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/no_kernel.h"
#include "ops/random/samples.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_isotonic(InferContext& c) {
  c.set_output(0, c.shape(0));
  c.set_output(1, c.shape(0));
}

// The pairs of dtypes that TensorFlow has kernels for.
void check_isotonic(const KernelContext& c) {
  const DType in = c.input(0).dtype(), out = c.attr("output_dtype").type();
  const bool small = in == DType::kInt8 || in == DType::kInt16, large = in == DType::kInt32 || in == DType::kInt64;
  const bool same =
      in == out && (in == DType::kHalf || in == DType::kBFloat16 || in == DType::kFloat || in == DType::kDouble);
  if (!(same || (small && out == DType::kFloat) || (large && out == DType::kDouble))) no_kernel();
}

struct Pool {
  std::int64_t begin;
  double sum, count;
  double mean() const { return sum / count; }
};

// Pools neighbours while the mean rises; writes the means and the numbers of the pools.
void fit_row(const double* x, std::int64_t n, std::vector<Pool>& pools, Store store, void* y, std::int64_t at,
             std::int32_t* segments) {
  pools.clear();
  for (std::int64_t i = 0; i < n; ++i) {
    pools.push_back({i, x[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() < pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const std::int64_t end = p + 1 < pools.size() ? pools[p + 1].begin : n;
    for (std::int64_t i = pools[p].begin; i < end; ++i) {
      store(y, at + i, pools[p].mean());
      segments[i] = static_cast<std::int32_t>(p);
    }
  }
}

void isotonic(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.num_elements() == 0) return;
  const std::int64_t n = in.rank() ? in.dim(in.rank() - 1) : 1, rows = in.num_elements() / n;
  const std::vector<double> x = as_doubles(in);
  const Store store = store_of(c.output(0).dtype());
  void* y = c.output(0).mutable_raw();
  auto* segments = c.output(1).mutable_data<std::int32_t>();
  c.parallel_for(rows, 10 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    std::vector<Pool> pools;
    for (std::int64_t r = begin; r < end; ++r) fit_row(x.data() + r * n, n, pools, store, y, r * n, segments + r * n);
  });
}

// Each element moves the mean of its pool: the gradient is the mean of the pool's gradients.
void grad_isotonic(GradContext& c) {
  const Operand one = build::ints({1}), minus_one = build::ints({-1});
  const Operand& dy = c.dy(0);
  const Operand shape = build::shape_of(dy);
  const Operand size = emit1("Size", {dy});
  const Operand scalar_one = build::scalar(DType::kInt32, 1);
  const Operand row =
      emit1("Prod",
            {emit1("StridedSlice",
                   {emit1("ConcatV2", {one, shape, build::scalar(DType::kInt32, 0)}), minus_one, build::ints({0}), one},
                   {{"end_mask", Attr(std::int64_t{1})}}),
             build::ints({0})});
  const Operand numbers = emit1("Range", {build::scalar(DType::kInt32, 0), size, scalar_one});
  const Operand starts = emit1("Sub", {numbers, emit1("FloorMod", {numbers, emit1("Maximum", {row, scalar_one})})});
  const Operand pools = starts + build::reshape(c.output(1), minus_one);
  const Operand flat = build::reshape(dy, minus_one);
  const Operand sums = emit1("UnsortedSegmentSum", {flat, pools, size});
  const Operand counts = emit1("UnsortedSegmentSum", {build::ones_like(flat), pools, size});
  const Operand zero = build::scalar(DType::kInt32, 0);
  const Operand mean = emit1("GatherV2", {sums, pools, zero}) / emit1("GatherV2", {counts, pools, zero});
  c.to_input(0, build::reshape(mean, shape));
}

}  // namespace

void register_isotonic(Registry& r) {
  r.add(
      {.name = "IsotonicRegression",
       .inputs = {"input: T"},
       .outputs = {"output: output_dtype", "segments: int32"},
       .attrs = {"T: " TRACEFN_REAL_NUMBERS, "output_dtype: {half, bfloat16, float, double} = DT_FLOAT"},
       .doc =
           "For each row, the non-increasing sequence with the least squared distance, and for each element the number "
           "of the run of equal values that it belongs to.",
       .infer = infer_isotonic,
       .check = check_isotonic,
       .kernel = isotonic,
       .grad = grad_isotonic});
}

}  // namespace tracefn
