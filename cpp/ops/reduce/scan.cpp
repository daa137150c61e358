// Cumulative results along an axis: Cumsum, Cumprod, CumulativeLogsumexp.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/build.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/reduce/reduce_elements.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds per element.
constexpr double cost_of(ScanFunction function) { return function == kScanLogSumExp ? 3 : 0.5; }

// The result for no elements.
constexpr double initial_of(ScanFunction function) {
  if (function == kScanLogSumExp) return -std::numeric_limits<double>::infinity();
  return function == kScanSum ? 0 : 1;
}

// The rule reads the axis only if it is a known scalar.
void infer_scan(InferContext& c) { c.set_output(0, c.shape(0)); }

void check_scan(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 0) invalid_argument("ScanOp: axis must be a scalar, not ", c.input(1).shape().text());
  std::int64_t axis = c.input(1).int_at(0), rank = x.rank();
  if (axis < -rank || axis >= rank)
    invalid_argument("ScanOp: Expected scan axis in the range [", -rank, ", ", rank, "), but got ", axis);
}

// So many lines that lie side by side are scanned together: memory is read and written in order.
constexpr std::int64_t kPanelOfScan = 512;

template <ScanFunction function>
void scan(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t axis = c.input(1).int_at(0), rank = x.rank();
  if (axis < 0) axis += rank;
  const bool exclusive = c.attr("exclusive").b(), reverse = c.attr("reverse").b();
  std::int64_t n = x.dim(static_cast<int>(axis)), outer = 1, inner = 1;
  for (int i = 0; i < rank; ++i)
    if (i != axis) (i < axis ? outer : inner) *= x.dim(i);
  Tensor& out = c.output(0);
  const ScanKernel& kernel = kernel_table().array.scan[function][slot(x.dtype())];
  if (!kernel.line) no_kernel();
  if (out.num_elements() == 0) return;
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const char* from = x.data<char>();
  char* to = out.mutable_data<char>();
  const std::int64_t panels = (inner + kPanelOfScan - 1) / kPanelOfScan, step = reverse ? -inner : inner;
  // In the kernel's numbers.
  const bool is_half = x.dtype() == DType::kHalf || x.dtype() == DType::kBFloat16;
  const Tensor initial = build::scalar_tensor(is_half ? DType::kFloat : x.dtype(), initial_of(function));
  constexpr double kCost = cost_of(function);
  const double cost = kCost * static_cast<double>(n);
  c.parallel_for(outer * panels, cost * static_cast<double>(std::min(kPanelOfScan, inner)),
                 [&](std::int64_t begin, std::int64_t end) {
                   alignas(16) char state[kPanelOfScan * 16];
                   for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t column = i % panels * kPanelOfScan,
                                        width = std::min(kPanelOfScan, inner - column);
                     for (std::int64_t j = 0; j < width; ++j)
                       std::memcpy(state + j * kernel.state_bytes, initial.raw(), initial.bytes());
                     const std::int64_t first = i / panels * n * inner + column + (reverse ? (n - 1) * inner : 0);
                     in_slices(n, kCost * static_cast<double>(width), [&](std::int64_t k, std::int64_t last) {
                       const std::int64_t at = (first + k * step) * size;
                       if (inner == 1) {
                         kernel.line(from + at, to + at, last - k, step, exclusive, state);
                       } else {
                         kernel.columns(from + at, to + at, last - k, step, width, exclusive, state);
                       }
                     });
                   }
                 });
}

Operand running(const GradContext& c, std::string_view op, const Operand& x, bool reverse) {
  return emit1(op, {x, c.input(1)}, {{"exclusive", c.attr("exclusive")}, {"reverse", reverse}});
}

void grad_running_sum(GradContext& c) { c.to_input(0, running(c, "Cumsum", c.dy(0), !c.attr("reverse").b())); }

// dx[i] = (sum over the results that contain x[i] of result * dy) / x[i]; undefined where x is 0, and nothing is
// conjugated, as in TensorFlow.
void grad_running_product(GradContext& c) {
  bool reverse = c.attr("reverse").b();
  Operand weighted = c.output(0) * c.dy(0);
  c.to_input(0, emit1("DivNoNan", {running(c, "Cumsum", weighted, !reverse), c.input(0)}));
}

// The derivative of result k by x[i] is exp(x[i] - result k), and so the sum over the results that contain x[i] is
// again one of exponentials: of log(dy) - result, apart for positive and negative dy, as in TensorFlow.
void grad_log_sum_exp(GradContext& c) {
  const DType dtype = c.dy(0).dtype();
  double lowest = 0;
  with_float(dtype, [&]<typename T>(std::type_identity<T>) { lowest = static_cast<double>(lowest_number<T>()); });
  const Operand zero = build::scalar(dtype, 0), least = build::scalar(dtype, lowest);
  auto part = [&](std::string_view side, const Operand& dy) {
    Operand log = build::select(emit1(side, {c.dy(0), zero}), emit1("Log", {dy}), least);
    Operand sums = running(c, "CumulativeLogsumexp", log - c.output(0), !c.attr("reverse").b());
    return emit1("Exp", {sums + c.input(0)});
  };
  c.to_input(0, part("Greater", c.dy(0)) - part("Less", build::neg(c.dy(0))));
}

OpRecord record(std::string_view name, std::string_view doc, KernelFn kernel, GradFn grad) {
  return {.name = name,
          .inputs = {"x: T", "axis: Tidx"},
          .outputs = {"out: T"},
          .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: " TRACEFN_NUMBERS,
                    "Tidx: {int32, int64} = DT_INT32"},
          .facts = {.serial = true},
          .doc = doc,
          .infer = infer_scan,
          .check = check_scan,
          .kernel = kernel,
          .grad = grad};
}

}  // namespace

void register_scan(Registry& r) {
  OpRecord sums = record("Cumsum",
                         "The cumulative sums along an axis.\n\n`exclusive` leaves each element out of its own sum; "
                         "`reverse` starts at the end. Raises InvalidArgumentError if the axis is out of range.",
                         scan<kScanSum>, grad_running_sum);
  sums.python = "math.cumsum(x, axis=0, exclusive, reverse)";
  sums.aliases = {"cumsum"};
  sums.facts.elements = [](ElementsContext& c) { return cumulative_elements(c, false); };
  r.add(sums);
  OpRecord products =
      record("Cumprod",
             "The cumulative products along an axis.\n\n`exclusive` leaves each element out of its own product; "
             "`reverse` starts at the end. Raises InvalidArgumentError if the axis is out of range.",
             scan<kScanProduct>, grad_running_product);
  products.python = "math.cumprod(x, axis=0, exclusive, reverse)";
  products.facts.elements = [](ElementsContext& c) { return cumulative_elements(c, true); };
  r.add(products);
  OpRecord logarithms = record(
      "CumulativeLogsumexp",
      "The cumulative logarithms of sums of exponentials along an axis: log(exp(x[0]) + ... + exp(x[i])).\n\nWithout "
      "overflow: each step adds to the larger of two logarithms. `exclusive` leaves each element out of its own sum, "
      "the sum of none being -inf; `reverse` starts at the end. A NaN makes all that follow NaN. Raises "
      "InvalidArgumentError if the axis is out of range.",
      scan<kScanLogSumExp>, grad_log_sum_exp);
  logarithms.python = "math.cumulative_logsumexp(x, axis=0, exclusive, reverse)";
  logarithms.attrs[2] = "T: {bfloat16, half, float, double}";
  r.add(logarithms);
}

}  // namespace tracefn
