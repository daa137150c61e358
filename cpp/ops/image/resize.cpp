// Images resized by bilinear, bicubic and area interpolation, with their gradients.
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/resampling.h"
#include "ops/image/resize_sizes.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

using MakeTaps = AxisTaps (*)(const ResizeScale&);

template <MakeTaps taps, ResampleOrder order>
void resize(KernelContext& c) {
  const ResizeSizes s = resize_sizes(c);
  // Interpolation would make NaN of the infinities of an image that keeps its size.
  if (order == ResampleOrder::kMixed && s.rows.in == s.rows.out && s.columns.in == s.columns.out)
    return images_to_float(c, c.input(0), c.output(0));
  const float scale = order == ResampleOrder::kPixelsFirst ? 1.0f / (s.rows.scale * s.columns.scale) : 1.0f;
  resample(c, c.input(0), taps(s.rows), taps(s.columns), order, scale, c.output(0));
}

// TensorFlow's bicubic gradient multiplies in the dtype of the result, its bilinear one in floats.
template <MakeTaps taps, bool wide_products>
void resize_gradient(KernelContext& c) {
  const ResizeSizes s = resize_gradient_sizes(c);
  Tensor wide = wide_output(c.output(0));
  scatter_gradient(c, c.input(0), taps(s.rows), taps(s.columns), wide_products, wide);
  round_output(wide, c.output(0));
}

// The gradient has the batch and the channels of the incoming one, which a graph need not know.
void infer_resize_gradient(InferContext& c) {
  if (!c.running()) return infer_as_second(c);
  Shape out = c.shape(0);
  for (int i : {1, 2}) out[i] = c.shape(1)[i];
  c.set_output(0, std::move(out));
}

constexpr std::string_view kImages = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}",
                           kCorners = "align_corners: bool = false", kCenters = "half_pixel_centers: bool = false";

}  // namespace

void register_resize(Registry& r) {
  r.add({.name = "ResizeBilinear",
         .inputs = {"images: T", "size: int32"},
         .outputs = {"resized_images: float"},
         .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}", kCorners,
                   kCenters},
         .doc = "Images [batch, height, width, channels] resized to size (height, width) by bilinear interpolation.",
         .infer = infer_resized,
         .check = check_resize,
         .kernel = resize<bilinear_taps, ResampleOrder::kMixed>,
         .grad = [](GradContext& c) {
           if (is_differentiable(c.input(0))) c.to_input(0, emit_like(c, "ResizeBilinearGrad", {c.dy(0), c.input(0)}));
         }});
  r.add({.name = "ResizeBilinearGrad",
         .inputs = {"grads: float", "original_image: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {float, bfloat16, half, double}", kCorners, kCenters},
         .doc = "The gradient of ResizeBilinear with respect to its images.",
         .infer = infer_resize_gradient,
         .check = check_resize_gradient,
         .kernel = resize_gradient<bilinear_taps, false>,
         .grad = not_differentiable});
  r.add({.name = "ResizeBicubic",
         .inputs = {"images: T", "size: int32"},
         .outputs = {"resized_images: float"},
         .attrs = {kImages, kCorners, kCenters},
         .doc = "Images [batch, height, width, channels] resized to size (height, width) by bicubic interpolation.",
         .infer = infer_resized,
         .check = check_resize,
         .kernel = resize<bicubic_taps, ResampleOrder::kRowsFirst>,
         .grad = [](GradContext& c) {
           const DType dtype = c.input(0).dtype();
           if (dtype == DType::kFloat || dtype == DType::kDouble)
             c.to_input(0, emit_like(c, "ResizeBicubicGrad", {c.dy(0), c.input(0)}));
         }});
  r.add({.name = "ResizeBicubicGrad",
         .inputs = {"grads: float", "original_image: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {float, double}", kCorners, kCenters},
         .doc = "The gradient of ResizeBicubic with respect to its images.",
         .infer = infer_resize_gradient,
         .check = check_resize_gradient,
         .kernel = resize_gradient<bicubic_taps, true>,
         .grad = without_gradient});
  r.add({.name = "ResizeArea",
         .inputs = {"images: T", "size: int32"},
         .outputs = {"resized_images: float"},
         .attrs = {kImages, kCorners},
         .doc = "Images [batch, height, width, channels] resized to size (height, width): each pixel is the average of "
                "the area that it covers.",
         .infer = infer_resized,
         .check = check_resize,
         .kernel = resize<area_taps, ResampleOrder::kPixelsFirst>,
         .grad = without_gradient});
}

}  // namespace tracefn
