// Fractional pooling (Graham, "Fractional max-pooling", 2014): windows of two sizes that differ by one, in an order
// drawn at random, so that images shrink by a ratio that is no whole number.
#include <cmath>
#include <limits>
#include <random>

#include "base/poll.h"
#include "math/philox.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/pool/pool_families.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::int64_t kRank = 4;
constexpr std::int64_t kStepsToPoll = 1 << 16;  // elements, of about a nanosecond each

template <typename F>
void with_pooled(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    default:
      no_kernel();
  }
}

void check_ratio_attr(const std::vector<float>& ratio) {
  if (ratio.size() != kRank) invalid_argument("pooling_ratio field must specify 4 dimensions");
}

// The check of an execution. The shape rule of a graph lets NaN pass, as TensorFlow's does.
void require_ratios(const std::vector<float>& ratio) {
  for (float r : ratio)
    if (!(r >= 1)) invalid_argument("pooling_ratio cannot be smaller than 1, got: ", r);
}

// What is left of a dimension, computed with floats as TensorFlow does, but never more than there is. What no int64
// holds is the least one, which a conversion gives on x86.
std::int64_t pooled_size(std::int64_t size, float ratio) {
  if (ratio == 1) return size;  // a float would round sizes above 2^24
  const double result = std::floor(static_cast<double>(static_cast<float>(size) / ratio));
  constexpr double kLimit = 0x1p63;
  if (!(result >= -kLimit && result < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return ratio > 1 ? std::min(static_cast<std::int64_t>(result), size) : static_cast<std::int64_t>(result);
}

void infer_fractional(InferContext& c) {
  c.require_rank(0, kRank);
  const std::vector<float>& ratio = c.attr("pooling_ratio").floats();
  check_ratio_attr(ratio);
  if (c.running()) require_ratios(ratio);
  Shape out = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(kRank);
  for (int i = 0; i < kRank; ++i) {
    const float r = ratio[static_cast<std::size_t>(i)];
    if (out[i] >= 0) {
      out[i] = pooled_size(out[i], r);
      if (out[i] < 0) invalid_argument("Size computed for dim ", i, " is negative: ", out[i]);
    } else if (r != 1) {
      out[i] = kUnknownDim;
    }
  }
  for (float r : ratio)
    if (r < 1) invalid_argument("pooling_ratio cannot be smaller than 1, got: ", r);
  auto ends = [](std::int64_t n) { return n < 0 ? kUnknownDim : n + 1; };
  c.set_output(1, Shape({ends(out[1])}));
  c.set_output(2, Shape({ends(out[2])}));
  c.set_output(0, std::move(out));
}

template <bool average>
void check_fractional(const KernelContext& c) {
  const std::vector<float>& ratio = c.attr("pooling_ratio").floats();
  check_ratio_attr(ratio);
  require_ratios(ratio);
  if (ratio[0] != 1 || ratio[3] != 1)
    fail(ErrorKind::kUnimplemented, "Fractional ", average ? "average" : "max",
         " pooling is not yet supported on the batch nor channel dimension.");
  if (!c.attr("deterministic").b() && (c.attr("seed").i() != 0 || c.attr("seed2").i() != 0))
    invalid_argument("Both seed and seed2 should be 0 if deterministic is false.");
  const Tensor& x = c.input(0);
  if (x.rank() != kRank) invalid_argument("tensor_in must be 4-dimensional");
  for (int i = 0; i < kRank; ++i)
    if (static_cast<float>(x.dim(i)) < ratio[static_cast<std::size_t>(i)])
      invalid_argument("Pooling ratio is higher than input dimension size for dimension ", i,
                       ". Input dim size: ", x.dim(i), " pooling ratio: ", ratio[static_cast<std::size_t>(i)]);
}

// Words as TensorFlow takes them from a generator that several take from: in blocks of four.
class Words {
 public:
  explicit Words(const Philox& start) : state_(start) {}
  PhiloxWords reserve(std::int64_t words) {
    const Philox start = state_;
    state_.skip(static_cast<std::uint64_t>((words + 3) / 4));
    return PhiloxWords(start);
  }

 private:
  Philox state_;
};

// Where the windows of a dimension start, and at last its size: TensorFlow's draws for the same seeds.
std::vector<std::int64_t> draw_windows(std::int64_t in, std::int64_t out, bool pseudo_random, Words& words) {
  const std::int64_t k = in / out;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(out), k);
  if (pseudo_random) {
    // Window i starts at ceil(alpha (i + u)), for one u for which all sizes are k or k + 1.
    const double alpha = static_cast<double>(in) / static_cast<double>(out);
    const double most = std::min(static_cast<double>(k + 2) / alpha - 1,
                                 static_cast<double>(in + 1 - k) / alpha - static_cast<double>(out - 1));
    PhiloxWords two = words.reserve(2);
    const std::uint64_t high = two.next() & 0xfffffu, low = two.next();
    const double u = (std::bit_cast<double>(std::uint64_t{1023} << 52 | high << 32 | low) - 1) * most;
    std::int64_t before = 1;
    for (std::int64_t i = 1; i <= out; ++i) {
      const std::int64_t start =
          i == out ? in + 1 : static_cast<std::int64_t>(std::ceil(alpha * (static_cast<double>(i) + u)));
      sizes[static_cast<std::size_t>(i - 1)] = start - before;
      before = start;
    }
  } else {
    for (std::int64_t i = 0; i < in % out; ++i) ++sizes[static_cast<std::size_t>(i)];
    PhiloxWords draw = words.reserve(out);
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
      std::swap(sizes[i], sizes[i + draw.next() % static_cast<std::uint32_t>(sizes.size() - i)]);
  }
  std::vector<std::int64_t> starts{0};
  for (std::int64_t size : sizes) starts.push_back(starts.back() + size);
  return starts;
}

// The windows of both dimensions; overlapping ones share their edges.
struct Windows {
  std::vector<std::int64_t> rows, columns;
  bool overlapping;

  std::int64_t height() const { return static_cast<std::int64_t>(rows.size()) - 1; }
  std::int64_t width() const { return static_cast<std::int64_t>(columns.size()) - 1; }
  // [first, last) of window i, inside a dimension of that size.
  std::pair<std::int64_t, std::int64_t> range(const std::vector<std::int64_t>& starts, std::int64_t i,
                                              std::int64_t size) const {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t first = std::clamp<std::int64_t>(starts[at], 0, size);
    return {first, std::clamp(starts[at + 1] + (overlapping ? 1 : 0), first, size)};
  }
  // The number of pixels of a window of an image.
  std::int64_t pixels(std::int64_t row, std::int64_t column, std::int64_t height_of_image,
                      std::int64_t width_of_image) const {
    const auto [top, bottom] = range(rows, row, height_of_image);
    const auto [left, right] = range(columns, column, width_of_image);
    return (bottom - top) * (right - left);
  }
};

// Calls f(pixel) for the pixels of a window of an image.
template <typename F>
void for_pixels(const Windows& w, std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width,
                const F& f) {
  const auto [top, bottom] = w.range(w.rows, row, height);
  const auto [left, right] = w.range(w.columns, column, width);
  for (std::int64_t y = top; y < bottom; ++y)
    for (std::int64_t x = left; x < right; ++x) f(y * width + x);
}

Philox generator(const KernelContext& c) {
  auto seed = static_cast<std::uint64_t>(c.attr("seed").i()), seed2 = static_cast<std::uint64_t>(c.attr("seed2").i());
  if (seed == 0 && seed2 == 0) {
    std::random_device entropy;
    seed = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
    seed2 = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  }
  return Philox::of(seed, 0, seed2);
}

template <bool average>
void fractional(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  const bool pseudo_random = c.attr("pseudo_random").b();
  Words words(generator(c));
  Windows w{.rows = {}, .columns = {}, .overlapping = c.attr("overlapping").b()};
  w.rows = draw_windows(x.dim(1), out.dim(1), pseudo_random, words);
  w.columns = draw_windows(x.dim(2), out.dim(2), pseudo_random, words);
  std::copy(w.rows.begin(), w.rows.end(), c.output(1).mutable_data<std::int64_t>());
  std::copy(w.columns.begin(), w.columns.end(), c.output(2).mutable_data<std::int64_t>());
  const std::int64_t channels = x.dim(3), pixels = x.dim(1) * x.dim(2), lines = out.dim(1);
  const double cost = static_cast<double>(2 * channels) * static_cast<double>(pixels / lines + 1);
  with_pooled(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(x.dim(0) * lines, cost, [&](std::int64_t begin, std::int64_t end) {
      PolledSteps steps(kStepsToPoll);
      for (std::int64_t line = begin; line < end; ++line) {
        const T* image = from + line / lines * pixels * channels;
        for (std::int64_t column = 0; column < out.dim(2); ++column) {
          T* result = to + (line * out.dim(2) + column) * channels;
          std::fill_n(result, channels, average ? T(0) : std::numeric_limits<T>::lowest());
          std::int64_t count = 0;
          for_pixels(w, line % lines, column, x.dim(1), x.dim(2), [&](std::int64_t pixel) {
            ++count;
            steps.step(channels);
            const T* in = image + pixel * channels;
            for (std::int64_t k = 0; k < channels; ++k) {
              if (average) {
                result[k] = add_elements(result[k], in[k]);
              } else if (compute_value(result[k]) < compute_value(in[k])) {
                result[k] = in[k];
              }
            }
          });
          if (average && count > 0)
            for (std::int64_t k = 0; k < channels; ++k)
              result[k] = static_cast<T>(compute_value(result[k]) / static_cast<decltype(compute_value(T()))>(count));
        }
      }
    });
  });
}

Windows windows_given(const KernelContext& c, std::size_t rows, std::size_t columns) {
  Windows w{.rows = {}, .columns = {}, .overlapping = c.attr("overlapping").b()};
  auto read = [](const Tensor& t) {
    return std::vector<std::int64_t>(t.data<std::int64_t>(), t.data<std::int64_t>() + t.num_elements());
  };
  w.rows = read(c.input(rows));
  w.columns = read(c.input(columns));
  return w;
}

void require_starts(const Tensor& t, std::string_view name, std::int64_t windows) {
  if (t.rank() != 1) invalid_argument(name, " must be a vector, received shape ", t.shape().text());
  if (t.num_elements() != windows + 1)
    invalid_argument(name, " must have ", windows + 1, " elements for ", windows, " windows, but has ",
                     t.num_elements());
}

void infer_fractional_max_gradient(InferContext& c) {
  c.require_rank(0, kRank);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(kRank));
}

void check_fractional_max_gradient(const KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1), &dy = c.input(2);
  if (x.rank() != kRank) invalid_argument("orig_input should be a tensor of rank 4, got shape ", x.shape().text());
  if (x.num_elements() == 0) invalid_argument("orig_input must not be empty, got shape ", x.shape().text());
  if (y.rank() != kRank) invalid_argument("orig_output should be a tensor of rank 4, got shape ", y.shape().text());
  if (y.num_elements() == 0) invalid_argument("orig_output must not be empty, got shape ", y.shape().text());
  if (y.dim(0) != x.dim(0) || y.dim(3) != x.dim(3))
    invalid_argument("orig_input and orig_output must have the same batch and channels, but have the shapes ",
                     x.shape().text(), " and ", y.shape().text());
  if (dy.shape() != y.shape())
    invalid_argument("Expected grad shape to be ", y.shape().text(), ", but got ", dy.shape().text());
  require_starts(c.input(3), "row_pooling_sequence", y.dim(1));
  require_starts(c.input(4), "col_pooling_sequence", y.dim(2));
}

void fractional_max_gradient(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  Tensor& out = c.output(0);
  out.fill_zeros();
  const Windows w = windows_given(c, 3, 4);
  const std::int64_t channels = x.dim(3), pixels = x.dim(1) * x.dim(2);
  with_pooled(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T *in = x.data<T>(), *best = y.data<T>(), *dy = c.input(2).data<T>();
    T* dx = out.mutable_data<T>();
    PolledSteps steps(kStepsToPoll);
    for (std::int64_t i = 0; i < y.dim(0); ++i)
      for (std::int64_t row = 0; row < y.dim(1); ++row)
        for (std::int64_t column = 0; column < y.dim(2); ++column)
          for (std::int64_t k = 0; k < channels; ++k) {
            std::int64_t found = -1;
            for_pixels(w, row, column, x.dim(1), x.dim(2), [&](std::int64_t pixel) {
              steps.step();
              const std::int64_t at = (i * pixels + pixel) * channels + k;
              if (found < 0 || compute_value(in[found]) < compute_value(in[at])) found = at;
            });
            const std::int64_t place = ((i * y.dim(1) + row) * y.dim(2) + column) * channels + k;
            if (found < 0 || !(in[found] == best[place]))
              invalid_argument("tensor_out_dup is not the same as tensor_out");
            dx[found] = add_elements(dx[found], dy[place]);
          }
  });
}

void infer_fractional_average_gradient(InferContext& c) {
  c.require_rank(0, 1);
  const Shape out = c.shape_value(0, true);
  c.set_output(0, out.has_rank() ? out : Shape::of_rank(kRank));
}

void check_fractional_average_gradient(const KernelContext& c) {
  const Tensor &sizes = c.input(0), &dy = c.input(1);
  if (sizes.rank() != 1 || sizes.dim(0) != kRank)
    invalid_argument("original input tensor shape must be1-dimensional and 4 elements");
  if (dy.rank() != kRank) invalid_argument("out_backprop must be 4-dimensional");
  for (int i = 0; i < kRank; ++i)
    if (dy.dim(i) <= 0) invalid_argument("out_backprop must be positive for all dimension, got:", dy.dim(i));
  for (int i = 0; i < kRank; ++i)
    if (sizes.int_at(i) < 0) invalid_argument("Expected a non-negative size, got ", sizes.int_at(i));
  if (sizes.int_at(1) == 0) invalid_argument("Rows dimension of input must not be 0");
  if (sizes.int_at(2) == 0) invalid_argument("Columns dimension of input must not be 0");
  for (int i : {0, 3})
    if (sizes.int_at(i) != dy.dim(i))
      invalid_argument("out_backprop must have the original input's size ", sizes.int_at(i), " in dimension ", i,
                       ", but has ", dy.dim(i));
  for (std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    const Tensor& starts = c.input(i);
    const std::int64_t least = dy.dim(static_cast<int>(i) - 1) + 1;
    if (starts.num_elements() < least)
      invalid_argument("Given out_backprop shape ", dy.shape().text(), ", ", i == 2 ? "row" : "col",
                       "_seq_tensor must have at least ", least, " elements, but got ", starts.num_elements());
    for (std::int64_t k = 0; k < starts.num_elements(); ++k)
      if (starts.int_at(k) < 0)
        invalid_argument(i == 2 ? "Row" : "Column", " sequence tensor values must not be negative, got ",
                         starts.int_at(k));
  }
}

void fractional_average_gradient(KernelContext& c) {
  const Tensor& dy = c.input(1);
  Tensor& out = c.output(0);
  out.fill_zeros();
  const Windows w = windows_given(c, 2, 3);
  const std::int64_t channels = out.dim(3), pixels = out.dim(1) * out.dim(2);
  with_pooled(dy.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = dy.data<T>();
    T* to = out.mutable_data<T>();
    std::vector<double> image(static_cast<std::size_t>(pixels * channels));
    PolledSteps steps(kStepsToPoll);
    for (std::int64_t i = 0; i < dy.dim(0); ++i) {
      std::fill(image.begin(), image.end(), 0.0);
      for (std::int64_t row = 0; row < dy.dim(1); ++row)
        for (std::int64_t column = 0; column < dy.dim(2); ++column) {
          const std::int64_t count = w.pixels(row, column, out.dim(1), out.dim(2));
          const T* part = from + ((i * dy.dim(1) + row) * dy.dim(2) + column) * channels;
          for_pixels(w, row, column, out.dim(1), out.dim(2), [&](std::int64_t pixel) {
            steps.step(channels);
            for (std::int64_t k = 0; k < channels; ++k)
              image[static_cast<std::size_t>(pixel * channels + k)] +=
                  static_cast<double>(compute_value(part[k])) / static_cast<double>(count);
          });
        }
      for (std::size_t k = 0; k < image.size(); ++k)
        to[static_cast<std::size_t>(i * pixels * channels) + k] = static_cast<T>(image[k]);
    }
  });
}

template <bool average>
void fractional_gradient(GradContext& c) {
  if (average) {
    const Operand shape = emit1("Shape", {c.input(0)}, {{"out_type", DType::kInt64}});
    c.to_input(0, emit1("FractionalAvgPoolGrad", {shape, c.dy(0), c.output(1), c.output(2)},
                        {{"overlapping", c.attr("overlapping")}}));
  } else {
    c.to_input(0, emit1("FractionalMaxPoolGrad", {c.input(0), c.output(0), c.dy(0), c.output(1), c.output(2)},
                        {{"overlapping", c.attr("overlapping")}}));
  }
}

}  // namespace

void register_fractional_pool(Registry& r) {
  constexpr std::string_view overlapping = "overlapping: bool = false", types = "T: {float, double, int32, int64}";
  const std::vector<std::string_view> attrs = {"pooling_ratio: list(float) >= 4",
                                               "pseudo_random: bool = false",
                                               overlapping,
                                               "deterministic: bool = false",
                                               "seed: int = 0",
                                               "seed2: int = 0",
                                               types};
  const std::vector<std::string_view> outputs = {"output: T", "row_pooling_sequence: int64",
                                                 "col_pooling_sequence: int64"};
  r.add({.name = "FractionalMaxPool",
         .inputs = {"value: T"},
         .outputs = outputs,
         .attrs = attrs,
         .doc =
             "The largest element of each window of images, whose sizes are drawn so that height and width shrink by "
             "pooling_ratio; and where the windows start.",
         .infer = infer_fractional,
         .check = check_fractional<false>,
         .kernel = fractional<false>,
         .grad = fractional_gradient<false>});
  r.add({.name = "FractionalAvgPool",
         .inputs = {"value: T"},
         .outputs = outputs,
         .attrs = attrs,
         .doc = "The average of each window of images, whose sizes are drawn so that height and width shrink by "
                "pooling_ratio; and where the windows start.",
         .infer = infer_fractional,
         .check = check_fractional<true>,
         .kernel = fractional<true>,
         .grad = fractional_gradient<true>});
  r.add({.name = "FractionalMaxPoolGrad",
         .inputs = {"orig_input: T", "orig_output: T", "out_backprop: T", "row_pooling_sequence: int64",
                    "col_pooling_sequence: int64"},
         .outputs = {"output: T"},
         .attrs = {overlapping, types},
         .doc = "The gradient of FractionalMaxPool with respect to its input.",
         .infer = infer_fractional_max_gradient,
         .check = check_fractional_max_gradient,
         .kernel = fractional_max_gradient,
         .grad = without_gradient});
  r.add({.name = "FractionalAvgPoolGrad",
         .inputs = {"orig_input_tensor_shape: int64", "out_backprop: T", "row_pooling_sequence: int64",
                    "col_pooling_sequence: int64"},
         .outputs = {"output: T"},
         .attrs = {overlapping, types},
         .doc = "The gradient of FractionalAvgPool with respect to its input, whose shape is given.",
         .infer = infer_fractional_average_gradient,
         .check = check_fractional_average_gradient,
         .kernel = fractional_average_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
