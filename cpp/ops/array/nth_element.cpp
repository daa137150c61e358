// NthElement: the number at a place of a sorted row, without sorting it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_nth(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 0);
  const Shape& s = c.shape(0);
  if (!s.has_rank()) return c.set_output(0, Shape::unknown());
  const std::int64_t size = s[s.rank() - 1];
  if (const auto n = c.int_value(1); n && !c.running() && size >= 0 && size <= *n)
    invalid_argument("Input must have last dimension > n = ", *n, " but is ", size);
  c.set_output(0, Shape(std::span(s.dims()).first(s.dims().size() - 1)));
}

void check_nth(const KernelContext& c) {
  const Shape &s = c.input(0).shape(), &place = c.input(1).shape();
  if (!place.is_scalar()) invalid_argument("N must be scalar but has rank ", place.rank());
  const std::int32_t n = c.input(1).item<std::int32_t>();
  if (n < 0) invalid_argument("n must be non-negative but is ", n);
  if (s.rank() < 1) invalid_argument("Input must be at least rank 1 but is rank ", s.rank());
  if (s[s.rank() - 1] <= n) invalid_argument("Input must have last dimension > n = ", n);
}

void nth(KernelContext& c) {
  const Tensor& in = c.input(0);
  Tensor& out = c.output(0);
  const std::int64_t size = in.dim(in.rank() - 1);
  std::int64_t n = c.input(1).item<std::int32_t>();
  if (c.attr("reverse").b()) n = size - 1 - n;
  with_number(in.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = in.data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(out.num_elements(), 8.0 * static_cast<double>(size), [&](std::int64_t begin, std::int64_t end) {
      std::vector<T> row(static_cast<std::size_t>(size));
      PolledSteps polled(1 << 14);
      // NaN comes last.
      auto less = [&](const T& a, const T& b) {
        polled.step();
        const auto x = compute_value(a), y = compute_value(b);
        if constexpr (std::is_floating_point_v<decltype(x)>) return std::isnan(y) ? !std::isnan(x) : x < y;
        return x < y;
      };
      for (std::int64_t i = begin; i < end; ++i) {
        std::copy_n(from + i * size, size, row.begin());
        std::nth_element(row.begin(), row.begin() + n, row.end(), less);
        to[i] = row[static_cast<std::size_t>(n)];
      }
    });
  });
}

// Equal numbers share the gradient.
void grad_nth(GradContext& c) {
  const Operand &x = c.input(0), last = build::scalar(DType::kInt32, -1);
  auto as_column = [&](const Operand& v) { return emit1("ExpandDims", {v, last}); };
  const Operand chosen = build::cast(emit1("Equal", {as_column(c.output(0)), x}), x.dtype());
  c.to_input(0, chosen / build::sum(chosen, build::ints({-1}), true) * as_column(c.dy(0)));
}

}  // namespace

void register_nth_element(Registry& r) {
  r.add({.name = "NthElement",
         .inputs = {"input: T", "n: int32"},
         .outputs = {"values: T"},
         .attrs = {"reverse: bool = false", "T: " TRACEFN_REAL_NUMBERS},
         .doc = "The number at place n of each row of the last axis, as if it were sorted: upwards, or downwards if "
                "`reverse`.\n\nNaN counts as larger than all numbers.",
         .infer = infer_nth,
         .check = check_nth,
         .kernel = nth,
         .grad = grad_nth});
}

}  // namespace tracefn
