// Local response normalization: elements divided by a power of the sum of squares of neighboring channels.
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

struct Attrs {
  std::int64_t radius;
  float bias, alpha, beta;

  explicit Attrs(const KernelContext& c)
      : radius(c.attr("depth_radius").i()),
        bias(c.attr("bias").f()),
        alpha(c.attr("alpha").f()),
        beta(c.attr("beta").f()) {}
};

void require_radius(const KernelContext& c) {
  const std::int64_t radius = c.attr("depth_radius").i();
  if (radius < 0 || radius != static_cast<std::int32_t>(radius))
    invalid_argument("depth_radius = ", radius, " larger than int max");
}

void infer_response(InferContext& c) {
  c.require_rank(0, 4);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(4));
}

void infer_response_gradient(InferContext& c) {
  for (std::size_t i = 0; i < 3; ++i) c.require_rank(i, 4);
  Shape out = c.shape(0);
  if (c.running()) return c.set_output(0, std::move(out));
  out = merge_or_explain(out, c.shape(1));
  out = merge_or_explain(out, c.shape(2));
  c.set_output(0, out.has_rank() ? std::move(out) : Shape::of_rank(4));
}

void check_response(const KernelContext& c) {
  require_radius(c);
  if (c.input(0).rank() != 4) invalid_argument("in must be 4-dimensional");
}

void check_response_gradient(const KernelContext& c) {
  require_radius(c);
  const Shape &gradients = c.input(0).shape(), &x = c.input(1).shape(), &y = c.input(2).shape();
  if (gradients.rank() != 4 || x.rank() != 4) invalid_argument("inputs must be 4-dimensional");
  if (x != gradients || y != gradients)
    invalid_argument("input_grads, input_image, and out_image should have the same shape");
}

// The sums over the windows of rows of n elements, several rows at a time: they are laid out in a line with zeros
// around each row, as many as a window reaches beyond it. Sums of twice as many elements are made again and again, and
// those whose number is a bit of the window's length are added: differences of running sums would cancel, and would
// keep infinities and NaN for all later elements.
class WindowSums {
 public:
  WindowSums(std::int64_t n, std::int64_t radius, std::int64_t rows)
      : n_(n),
        radius_(std::min(radius, n - 1)),
        line_(static_cast<std::size_t>(rows * stride() + length())),
        sums_(static_cast<std::size_t>(rows * stride())) {}

  // Where row i's elements are to be set, after start().
  float* elements(std::int64_t i) { return line_.data() + i * stride() + radius_; }
  void start() { std::fill(line_.begin(), line_.end(), 0.0f); }
  // The sums of row i, after run(rows).
  float* sums(std::int64_t i) { return sums_.data() + i * stride(); }
  void run(std::int64_t rows) {
    const NormalizationKernels& kernels = kernel_table().normalization;
    // Nothing is needed of the sums behind the last row's elements.
    const std::int64_t count = rows * stride() - 2 * radius_;
    std::fill_n(sums_.begin(), count, 0.0f);
    std::int64_t offset = 0;
    for (std::int64_t size = 1; size <= length(); size *= 2) {
      if (length() & size) {
        slices(count, [&](std::int64_t from, std::int64_t n) {
          kernels.add(line_.data() + offset + from, n, sums_.data() + from);
        });
        offset += size;
      }
      if (2 * size > length()) break;
      const std::int64_t elements = rows * stride() - size;
      slices(elements, [&](std::int64_t from, std::int64_t n) { kernels.add_shifted(line_.data() + from, size, n); });
    }
  }

 private:
  std::int64_t length() const { return 2 * radius_ + 1; }
  std::int64_t stride() const { return n_ + 2 * radius_; }
  template <typename F>
  static void slices(std::int64_t n, const F& f) {
    in_slices(0, n, kPass, [&](std::int64_t from, std::int64_t to) { f(from, to - from); });
  }
  static constexpr double kPass = 0.1;  // nanoseconds for an element

  std::int64_t n_, radius_;
  std::vector<float> line_, sums_;
};

// Calls f(element, length, row, from) for parts of rows [first, first + rows) of n elements; polls between them.
template <typename F>
void for_parts(std::int64_t first, std::int64_t rows, std::int64_t n, double cost, const F& f) {
  for (std::int64_t i = 0; i < rows; ++i)
    in_slices(0, n, cost, [&](std::int64_t from, std::int64_t to) { f((first + i) * n + from, to - from, i, from); });
}

// Calls f(first row, rows, sums to use) for some rows of channels at a time, on several threads. `cost` is of an
// element.
template <typename F>
void for_rows(const KernelContext& c, const Tensor& x, std::int64_t radius, double cost, const F& f) {
  constexpr std::int64_t kElements = 4096;
  const std::int64_t n = x.dim(3), rows = n ? x.num_elements() / n : 0;
  if (!rows) return;
  const std::int64_t most = std::clamp<std::int64_t>(kElements / (n + 2 * std::min(radius, n)), 1, rows);
  c.parallel_for((rows + most - 1) / most, cost * static_cast<double>(most * n),
                 [&](std::int64_t begin, std::int64_t end) {
                   WindowSums sums(n, radius, most);
                   for (std::int64_t k = begin; k < end; ++k) {
                     f(k * most, std::min(most, rows - k * most), sums);
                     poll();
                   }
                 });
}

// Nanoseconds for an element: with a power, and without.
constexpr double kPower = 2, kSimple = 0.3;

// norms = bias + alpha * the sums of the squares of x in the windows, y = v norms^-beta, for v = x or the gradient
void respond(const Attrs& a, const float* x, const float* v, float* y, std::int64_t n, std::int64_t first,
             std::int64_t rows, WindowSums& sums) {
  const NormalizationKernels& kernels = kernel_table().normalization;
  sums.start();
  for_parts(first, rows, n, kSimple, [&](std::int64_t at, std::int64_t length, std::int64_t row, std::int64_t from) {
    kernels.squares(x + at, length, sums.elements(row) + from);
  });
  sums.run(rows);
  for_parts(first, rows, n, kPower, [&](std::int64_t at, std::int64_t length, std::int64_t row, std::int64_t from) {
    kernels.respond(v + at, a.bias, a.alpha, a.beta, length, sums.sums(row) + from, y + at);
  });
}

void response(KernelContext& c) {
  const Attrs a(c);
  const Tensor x = as_float(c.input(0));
  Tensor y = wide_output(c.output(0));
  const float* from = x.data<float>();
  float* to = y.mutable_data<float>();
  for_rows(c, x, a.radius, kPower, [&](std::int64_t first, std::int64_t rows, WindowSums& sums) {
    respond(a, from, from, to, x.dim(3), first, rows, sums);
  });
  round_output(y, c.output(0));
}

// dx[k] = dy[k] norm[k]^-beta - 2 alpha beta x[k] * the sum over neighbors i of dy[i] y[i] / norm[i]
void response_gradient(KernelContext& c) {
  const Attrs a(c);
  const Tensor dy = as_float(c.input(0)), x = as_float(c.input(1)), y = as_float(c.input(2));
  Tensor dx = wide_output(c.output(0));
  const float *gradient = dy.data<float>(), *in = x.data<float>(), *result = y.data<float>();
  float* to = dx.mutable_data<float>();
  const std::int64_t n = x.dim(3);
  const NormalizationKernels& kernels = kernel_table().normalization;
  for_rows(c, x, a.radius, kPower, [&](std::int64_t first, std::int64_t rows, WindowSums& sums) {
    respond(a, in, gradient, to, n, first, rows, sums);
    sums.start();
    for_parts(first, rows, n, kSimple, [&](std::int64_t at, std::int64_t length, std::int64_t row, std::int64_t from) {
      kernels.parts(gradient + at, result + at, sums.sums(row) + from, length, sums.elements(row) + from);
    });
    sums.run(rows);
    for_parts(first, rows, n, kSimple, [&](std::int64_t at, std::int64_t length, std::int64_t row, std::int64_t from) {
      kernels.subtract_parts(in + at, sums.sums(row) + from, 2 * a.alpha * a.beta, length, to + at);
    });
  });
  round_output(dx, c.output(0));
}

}  // namespace

void register_local_response(Registry& r) {
  const std::vector<std::string_view> attrs = {"depth_radius: int = 5", "bias: float = 1.0", "alpha: float = 1.0",
                                               "beta: float = 0.5", "T: {half, bfloat16, float} = DT_FLOAT"};
  r.add({.name = "LRN",
         .python = "nn.local_response_normalization(input, depth_radius, bias, alpha, beta)",
         .aliases = {"nn.lrn"},
         .inputs = {"input: T"},
         .outputs = {"output: T"},
         .attrs = attrs,
         .doc =
             "input / (bias + alpha * s) ** beta for images, where s is the sum of the squares of up to depth_radius "
             "channels on both sides, and of the channel itself.\n\n"
             "input is a float16, bfloat16 or float32 tensor [batch, height, width, channels], depth_radius an int of "
             "at least 0; 16-bit floats are computed as float32. The result has input's dtype and shape. Raises "
             "InvalidArgumentError if input has another rank, or if depth_radius is negative or no int32. Source: "
             "Krizhevsky et al., \"ImageNet classification with deep convolutional neural networks\", 2012.",
         .infer = infer_response,
         .check = check_response,
         .kernel = response,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("LRNGrad", {c.dy(0), c.input(0), c.output(0)},
                               {{"depth_radius", c.attr("depth_radius")},
                                {"bias", c.attr("bias")},
                                {"alpha", c.attr("alpha")},
                                {"beta", c.attr("beta")}}));
         }});
  r.add({.name = "LRNGrad",
         .inputs = {"input_grads: T", "input_image: T", "output_image: T"},
         .outputs = {"output: T"},
         .attrs = attrs,
         .doc = "The gradient of LRN with respect to its input.",
         .infer = infer_response_gradient,
         .check = check_response_gradient,
         .kernel = response_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
