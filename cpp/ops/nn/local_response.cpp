// Local response normalization: elements divided by a power of the sum of squares of neighboring channels.
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
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

constexpr int kStepsToPoll = 4096;  // some 40 microseconds; short rows poll between them

// Sums over the windows [k - radius, k + radius] of n elements. Blocks as long as a window are added up from both ends;
// a window is the end of one block and the start of the next. Differences of running sums would cancel, and would keep
// infinities and NaN for all later elements.
class WindowSums {
 public:
  WindowSums(std::int64_t n, std::int64_t radius)
      : n_(n),
        radius_(radius),
        length_(2 * radius + 1),
        from_start_(static_cast<std::size_t>(n)),
        to_end_(static_cast<std::size_t>(n)) {}

  // Sets the elements: value(i), a double.
  template <typename F>
  void set(const F& value) {
    PolledSteps steps(kStepsToPoll);
    for (std::int64_t begin = 0; begin < n_; begin += length_) {
      const std::int64_t end = std::min(begin + length_, n_);
      double sum = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        steps.step();
        from_start_[static_cast<std::size_t>(i)] = sum += value(i);
      }
      sum = 0;
      for (std::int64_t i = end; i-- > begin;) {
        steps.step();
        to_end_[static_cast<std::size_t>(i)] = sum += value(i);
      }
    }
  }

  // Calls f(k, sum) for the window of each k.
  template <typename F>
  void for_each(const F& f) const {
    PolledSteps steps(kStepsToPoll);
    std::int64_t block = 0;  // where the block starts that the window starts in
    for (std::int64_t k = 0; k < n_; ++k) {
      steps.step();
      const std::int64_t first = std::max<std::int64_t>(k - radius_, 0), last = std::min(k + radius_, n_ - 1);
      if (first == block + length_) block = first;
      const double start = to_end_[static_cast<std::size_t>(first)], end = from_start_[static_cast<std::size_t>(last)];
      if (first == block) {
        f(k, end);  // the block, or a part up to the last element
      } else {
        f(k, last < block + length_ ? start : start + end);
      }
    }
  }

 private:
  std::int64_t n_, radius_, length_;
  std::vector<double> from_start_, to_end_;  // sums from the start of an element's block, and to its end
};

// Calls f(first element of a row, norms of the row, sums to use) for the channels of each pixel:
// norms[k] = bias + alpha * the sum of the squares of x[k - radius], ..., x[k + radius]
template <typename F>
void for_rows(const KernelContext& c, const Tensor& x, double cost, const F& f) {
  const Attrs a(c);
  const std::int64_t n = x.dim(3), rows = n ? x.num_elements() / n : 0;
  const double row_cost = cost * static_cast<double>(n) + 20;
  c.parallel_for(rows, row_cost, [&](std::int64_t begin, std::int64_t end) {
    WindowSums sums(n, a.radius);
    std::vector<float> norms(static_cast<std::size_t>(n));
    in_slices(begin, end, row_cost, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = from; row < to; ++row) {
        const float* in = x.data<float>() + row * n;
        sums.set([&](std::int64_t i) { return static_cast<double>(in[i]) * static_cast<double>(in[i]); });
        sums.for_each([&](std::int64_t k, double sum) {
          norms[static_cast<std::size_t>(k)] = a.bias + a.alpha * static_cast<float>(sum);
        });
        f(a, row * n, norms.data(), sums);
      }
    });
  });
}

void response(KernelContext& c) {
  const Tensor x = as_float(c.input(0));
  Tensor y = wide_output(c.output(0));
  const std::int64_t n = x.dim(3);
  const float* from = x.data<float>();
  float* to = y.mutable_data<float>();
  for_rows(c, x, 20, [&](const Attrs& a, std::int64_t start, const float* norms, WindowSums&) {
    PolledSteps steps(kStepsToPoll);
    for (std::int64_t k = 0; k < n; ++k) {
      steps.step();
      to[start + k] = from[start + k] * std::pow(norms[k], -a.beta);
    }
  });
  round_output(y, c.output(0));
}

// dx[k] = dy[k] norm[k]^-beta - 2 alpha beta x[k] * the sum over neighbors i of dy[i] y[i] / norm[i]
void response_gradient(KernelContext& c) {
  const Tensor dy = as_float(c.input(0)), x = as_float(c.input(1)), y = as_float(c.input(2));
  Tensor dx = wide_output(c.output(0));
  const float *gradient = dy.data<float>(), *in = x.data<float>(), *result = y.data<float>();
  float* to = dx.mutable_data<float>();
  for_rows(c, x, 25, [&](const Attrs& a, std::int64_t start, const float* norms, WindowSums& sums) {
    sums.set([&](std::int64_t i) {
      return static_cast<double>(gradient[start + i]) * static_cast<double>(result[start + i]) /
             static_cast<double>(norms[i]);
    });
    sums.for_each([&](std::int64_t k, double sum) {
      to[start + k] = gradient[start + k] * std::pow(norms[k], -a.beta) -
                      2 * a.alpha * a.beta * in[start + k] * static_cast<float>(sum);
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
             "channels on both sides, and of the channel itself.",
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
