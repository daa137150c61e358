// Printing, assertions, numeric checks, and NoOp.
#include <cmath>

#include "base/poll.h"
#include "ops/debug/print_sink.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/value_format.h"

namespace tracefn {
namespace {

void infer_print(InferContext& c) { c.require_rank(0, 0); }

void print(KernelContext& c) {
  const Tensor& text = c.input(0);
  const std::string& stream = c.attr("output_stream").s();
  if (!is_print_stream(stream))
    invalid_argument("Unknown output stream: ", stream,
                     ", Valid streams are: stdout stderr log(info) log(warning) log(error)");
  if (text.rank() != 0) invalid_argument("Input is expected to be scalar, but got ", text.shape().text());
  print_to(stream, text.item<std::string>() + c.attr("end").s());
}

void infer_assert(InferContext& c) { c.require_rank(0, 0); }

void assert_true(KernelContext& c) {
  const Tensor& condition = c.input(0);
  if (condition.rank() != 0) invalid_argument("In[0] should be a scalar: ", condition.shape().text());
  if (condition.item<bool>()) return;
  std::string message = "assertion failed: ";
  for (std::size_t i = 1; i < c.num_inputs(); ++i)
    message += concat(i > 1 ? " [" : "[", summarize_value(c.input(i), c.attr("summarize").i()), "]");
  throw Error(ErrorKind::kInvalidArgument, std::move(message));
}

struct Found {
  bool minus_inf = false, plus_inf = false, nan = false;
};

template <typename T>
Found search(const Tensor& t) {
  Found found;
  in_slices(t.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (const T& x : t.span<T>().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
      auto v = [&] {
        if constexpr (std::is_same_v<T, double>)
          return x;
        else
          return static_cast<float>(x);
      }();
      if (std::isfinite(v)) continue;
      (std::isnan(v) ? found.nan : v > 0 ? found.plus_inf : found.minus_inf) = true;
    }
  });
  return found;
}

Found search(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return search<float>(t);
    case DType::kDouble:
      return search<double>(t);
    case DType::kHalf:
      return search<Half>(t);
    default:
      return search<BFloat16>(t);
  }
}

template <bool kWithSigns>
void check_numerics(KernelContext& c) {
  Found found = search(c.input(0));
  std::string what;
  if (kWithSigns) {
    if (found.minus_inf) what = "-Inf";
    if (found.plus_inf) what += what.empty() ? "+Inf" : found.nan ? ", +Inf," : " and +Inf";
    if (found.nan) what += what.empty() ? "NaN" : " and NaN";
  } else {
    if (found.minus_inf || found.plus_inf) what = "Inf";
    if (found.nan) what += what.empty() ? "NaN" : " and NaN";
  }
  if (!what.empty()) invalid_argument(c.attr("message").s(), " : Tensor had ", what, " values");
  c.set_output(0, c.take_input(0));
}

// The gradient is checked as well, under a message that says so.
void check_numerics_grad(GradContext& g) {
  std::string message =
      concat("Not a number (NaN) or infinity (Inf) values detected in gradient. ", g.attr("message").s());
  g.to_input(0, emit1("CheckNumerics", {g.dy(0)}, {{"message", message}}));
}
void check_numerics_v2_grad(GradContext& g) {
  std::string message =
      concat("Not a number (NaN) or infinity (Inf) values detected in gradient. ", g.attr("message").s());
  g.to_input(0, emit1("CheckNumericsV2", {g.dy(0)}, {{"message", message}}));
}

void do_nothing(KernelContext&) {}

}  // namespace

void register_debug(Registry& r) {
  r.add({
      .name = "PrintV2",
      .inputs = {"input: string"},
      .attrs = {"output_stream: string = 'stderr'", "end: string = '\n'"},
      .stateful = true,
      .doc = "Prints the scalar string `input`, followed by `end`, to `output_stream`.",
      .infer = infer_print,
      .kernel = print,
      .grad = not_differentiable,
  });
  r.add({
      .name = "Assert",
      .inputs = {"condition: bool", "data: T"},
      .attrs = {"T: list(type) >= 1", "summarize: int = 3"},
      .stateful = true,
      .facts = {.asserts = true},
      .doc = "Raises InvalidArgumentError with `data` in its message if the scalar `condition` is False.",
      .infer = infer_assert,
      .kernel = assert_true,
      .grad = not_differentiable,
  });
  r.add({
      .name = "CheckNumerics",
      .python = "debugging.check_numerics(tensor, message)",
      .inputs = {"tensor: T"},
      .outputs = {"output: T"},
      .attrs = {"T: {bfloat16, half, float, double}", "message: string"},
      .stateful = true,
      .doc = "Returns `tensor` unchanged. Raises InvalidArgumentError with `message` if it contains Inf or NaN.",
      .infer = infer::same_as_first,
      .kernel = check_numerics<false>,
      .allocation = Allocation::kShared,
      .grad = check_numerics_grad,
  });
  r.add({
      .name = "CheckNumericsV2",
      .inputs = {"tensor: T"},
      .outputs = {"output: T"},
      .attrs = {"T: {bfloat16, half, float, double}", "message: string"},
      .stateful = true,
      .doc = "Like CheckNumerics, but the error message distinguishes -Inf from +Inf.",
      .infer = infer::same_as_first,
      .kernel = check_numerics<true>,
      .allocation = Allocation::kShared,
      .grad = check_numerics_v2_grad,
  });
  r.add({
      .name = "NoOp",
      .doc = "Does nothing. Useful as an anchor for control dependencies.",
      .infer = infer::nothing,
      .kernel = do_nothing,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
