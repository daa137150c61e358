// Cumulative sums and products along an axis: Cumsum, Cumprod.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds per element.
constexpr double kCost = 1.5;

// The rule reads the axis only if it is a known scalar.
void infer_scan(InferContext& c) { c.set_output(0, c.shape(0)); }

template <bool sum, typename T>
T combine(T a, T b) {
  if constexpr (sum) {
    return add_elements(a, b);
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return a * b;
  }
}

void check_scan(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (c.input(1).rank() != 0) invalid_argument("ScanOp: axis must be a scalar, not ", c.input(1).shape().text());
  std::int64_t axis = c.input(1).int_at(0), rank = x.rank();
  if (axis < -rank || axis >= rank)
    invalid_argument("ScanOp: Expected scan axis in the range [", -rank, ", ", rank, "), but got ", axis);
}

template <bool sum>
void scan(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::int64_t axis = c.input(1).int_at(0), rank = x.rank();
  if (axis < 0) axis += rank;
  bool exclusive = c.attr("exclusive").b(), reverse = c.attr("reverse").b();
  std::int64_t n = x.dim(static_cast<int>(axis)), outer = 1, inner = 1;
  for (int i = 0; i < rank; ++i)
    if (i != axis) (i < axis ? outer : inner) *= x.dim(i);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    using Sum = decltype(compute_value(T()));
    c.parallel_for(outer * inner, kCost * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        const T* from = x.data<T>() + line / inner * n * inner + line % inner;
        T* to = out.mutable_data<T>() + line / inner * n * inner + line % inner;
        Sum state = Sum(sum ? 0 : 1);
        in_slices(n, kCost, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t k = first; k < last; ++k) {
            std::int64_t at = (reverse ? n - 1 - k : k) * inner;
            Sum next = combine<sum>(state, compute_value(from[at]));
            to[at] = static_cast<T>(exclusive ? state : next);
            state = next;
          }
        });
      }
    });
  });
}

Operand running(const GradContext& c, std::string_view op, const Operand& x, bool reverse) {
  return emit1(op, {x, c.input(1)}, {{"exclusive", c.attr("exclusive")}, {"reverse", reverse}});
}

void grad_sum(GradContext& c) { c.to_input(0, running(c, "Cumsum", c.dy(0), !c.attr("reverse").b())); }

// dx[i] = (sum over the results that contain x[i] of result * dy) / x[i]; undefined where x is 0, and nothing is
// conjugated, as in TensorFlow.
void grad_product(GradContext& c) {
  bool reverse = c.attr("reverse").b();
  Operand weighted = c.output(0) * c.dy(0);
  c.to_input(0, emit1("DivNoNan", {running(c, "Cumsum", weighted, !reverse), c.input(0)}));
}

OpRecord record(std::string_view name, std::string_view doc, KernelFn kernel, GradFn grad) {
  return {.name = name,
          .inputs = {"x: T", "axis: Tidx"},
          .outputs = {"out: T"},
          .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: " TRACEFN_NUMBERS,
                    "Tidx: {int32, int64} = DT_INT32"},
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
                         scan<true>, grad_sum);
  sums.python = "math.cumsum(x, axis=0, exclusive, reverse)";
  sums.aliases = {"cumsum"};
  r.add(sums);
  OpRecord products =
      record("Cumprod",
             "The cumulative products along an axis.\n\n`exclusive` leaves each element out of its own product; "
             "`reverse` starts at the end. Raises InvalidArgumentError if the axis is out of range.",
             scan<false>, grad_product);
  products.python = "math.cumprod(x, axis=0, exclusive, reverse)";
  r.add(products);
}

}  // namespace tracefn
