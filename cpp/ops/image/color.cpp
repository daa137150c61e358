// Colors between RGB and HSV. The formulas are those of Smith, "Color gamut transform pairs", 1978; hue is in [0, 1).
#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/image/image.kernels.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_colors(InferContext& c) {
  c.require_rank_at_least(0, 1);
  Shape out = c.shape(0);
  if (out.has_rank()) {
    require_size(out[out.rank() - 1], 3);
    out[out.rank() - 1] = 3;
  }
  c.set_output(0, std::move(out));
}

void check_colors(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) invalid_argument("input must be at least 1D", x.shape().text());
  const std::int64_t channels = x.dim(x.rank() - 1);
  if (channels != 3)
    fail(ErrorKind::kFailedPrecondition, "input must have 3 channels but input only has ", channels, " channels.");
}

template <ColorKernel ImageKernels::*kKernels>
void convert(KernelContext& c) {
  constexpr double kCost = 3;
  const Tensor x = as_float(c.input(0));
  Tensor out = wide_output(c.output(0));
  const bool wide = x.dtype() == DType::kDouble;
  const ColorKernel& kernel = kernel_table().image.*kKernels;
  const std::int64_t bytes = 3 * static_cast<std::int64_t>(size_of(x.dtype()));
  const char* from = x.data<char>();
  char* to = static_cast<char*>(out.mutable_raw());
  c.parallel_for(x.num_elements() / 3, kCost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, kCost, [&](std::int64_t first, std::int64_t last) {
      (wide ? kernel.of_doubles : kernel.of_floats)(from + first * bytes, last - first, to + first * bytes);
    });
  });
  round_output(out, c.output(0));
}

// The derivatives of RGBToHSV by one color, of the three in the order red, green, blue. They are TensorFlow's: where
// colors are equal, the first of them is the greatest, and the last one the smallest.
class HsvDerivatives {
 public:
  explicit HsvDerivatives(const GradContext& c)
      : dtype_(c.input(0).dtype()),
        rgb_{channel(c.input(0), 0), channel(c.input(0), 1), channel(c.input(0), 2)},
        saturation_(channel(c.output(0), 1)),
        value_(channel(c.output(0), 2)),
        dy_{channel(c.dy(0), 0), channel(c.dy(0), 1), channel(c.dy(0), 2)} {
    const Operand &r = rgb_[0], &g = rgb_[1], &b = rgb_[2];
    greatest_[0] = both("GreaterEqual", r, b, "GreaterEqual", r, g);
    greatest_[1] = both("Greater", g, r, "GreaterEqual", g, b);
    greatest_[2] = both("Greater", b, r, "Greater", b, g);
    least_[0] = both("Less", r, b, "Less", r, g);
    least_[1] = both("LessEqual", g, r, "Less", g, b);
    least_[2] = both("LessEqual", b, r, "LessEqual", b, g);
    for (std::size_t i = 0; i < 3; ++i) positive_[i] = as_number(emit1("Greater", {rgb_[i], build::scalar(dtype_, 0)}));
  }

  Operand gradient() const {
    std::vector<Operand> colors;
    for (std::size_t i = 0; i < 3; ++i)
      colors.push_back(dy_[2] * greatest_[i] + dy_[1] * of_saturation(i) + dy_[0] * of_hue(i));
    return emit_all("Pack", colors, {{"axis", -1}})[0];
  }

 private:
  static Operand channel(const Operand& x, std::int32_t i) {
    return emit1("GatherV2", {x, build::scalar(DType::kInt32, i), build::scalar(DType::kInt32, -1)});
  }
  Operand as_number(const Operand& flags) const { return build::cast(flags, dtype_); }
  Operand both(std::string_view op, const Operand& a, const Operand& b, std::string_view op2, const Operand& d,
               const Operand& e) const {
    return as_number(emit1("LogicalAnd", {emit1(op, {a, b}), emit1(op2, {d, e})}));
  }
  Operand inverse(const Operand& x) const { return emit1("DivNoNan", {build::ones_like(x), x}); }
  Operand inverse_square(const Operand& x) const { return inverse(x * x); }

  // s = 1 - least / greatest
  Operand of_saturation(std::size_t i) const {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Operand as_greatest = greatest_[i] * (least_[j] * rgb_[j] + least_[k] * rgb_[k]) * inverse_square(rgb_[i]);
    const Operand as_least = least_[i] * inverse(greatest_[j] * rgb_[j] + greatest_[k] * rgb_[k]);
    return positive_[i] * (as_greatest - as_least);
  }

  // h = (constant + (next - previous) / (greatest - least)) / 6, where next and previous are those after and before the
  // greatest in the circle of red, green and blue.
  Operand of_hue(std::size_t i) const {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;  // next, previous
    const Operand &x = rgb_[i], &next = rgb_[j], &previous = rgb_[k];
    const Operand as_greatest =
        positive_[i] * greatest_[i] * (previous - next) * inverse_square(saturation_) * inverse_square(value_);
    // The next color is the greatest: x is its previous one.
    const Operand under_next =
        positive_[j] * greatest_[j] *
        (least_[i] * (previous - next) * inverse_square(x - next) - least_[k] * inverse(next - previous));
    // The previous color is the greatest: x is its next one.
    const Operand under_previous =
        positive_[k] * greatest_[k] *
        (least_[i] * (previous - next) * inverse_square(previous - x) + least_[j] * inverse(previous - next));
    return build::scale(as_greatest + under_next + under_previous, 1.0 / 6);
  }

  DType dtype_;
  std::array<Operand, 3> rgb_;
  Operand saturation_, value_;
  std::array<Operand, 3> dy_, greatest_, least_, positive_;
};

}  // namespace

void register_color(Registry& r) {
  r.add({.name = "RGBToHSV",
         .python = "image.rgb_to_hsv(images)",
         .inputs = {"images: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, bfloat16, float, double} = DT_FLOAT"},
         .doc =
             "The hue, saturation and value of colors given by red, green and blue.\n\n"
             "images is a floating tensor whose last dimension is 3; numbers are in [0, 1]. The result has its shape "
             "and dtype. A hue of 0 is red, 1/3 green and 2/3 blue. Raises InvalidArgumentError if the last dimension "
             "is not 3.",
         .infer = infer_colors,
         .check = check_colors,
         .kernel = convert<&ImageKernels::to_hsv>,
         .grad = [](GradContext& c) { c.to_input(0, HsvDerivatives(c).gradient()); }});
  r.add({.name = "HSVToRGB",
         .python = "image.hsv_to_rgb(images)",
         .inputs = {"images: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, bfloat16, float, double} = DT_FLOAT"},
         .doc =
             "The red, green and blue of colors given by hue, saturation and value.\n\n"
             "images is a floating tensor whose last dimension is 3; numbers are in [0, 1]. The result has its shape "
             "and dtype. Raises InvalidArgumentError if the last dimension is not 3.",
         .infer = infer_colors,
         .check = check_colors,
         .kernel = convert<&ImageKernels::to_rgb>,
         .grad = not_differentiable});
}

}  // namespace tracefn
