// Images scaled and moved, with a choice of interpolation kernels that can be widened against aliasing.
#include <limits>

#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/resampling.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();

void require_kernel(const KernelContext& c) {
  const std::string& kernel = c.attr("kernel_type").s();
  if (!is_sampling_kernel(kernel)) invalid_argument("Unrecognized kernel type: ", kernel);
}

void require_pair(const Tensor& t) {
  if (t.rank() != 1) invalid_argument("t must be 1-dimensional", t.shape().text());
  if (t.num_elements() != 2) invalid_argument("t must have two elements", t.shape().text());
}

void require_transform(const KernelContext& c) {
  require_pair(c.input(2));
  const float* scale = c.input(2).data<float>();
  if (!(scale[0] > 0 && scale[1] > 0)) invalid_argument("Scale must be greater than zero.");
  require_pair(c.input(3));
}

void check_transform(const KernelContext& c) {
  require_kernel(c);
  const Tensor &x = c.input(0), &size = c.input(1);
  if (x.rank() != 4) invalid_argument("input must be 4-dimensional", x.shape().text());
  if (size.rank() != 1) invalid_argument("output_shape_t must be 1-dimensional", size.shape().text());
  if (size.num_elements() != 2) invalid_argument("output_shape_t must have two elements", size.shape().text());
  if (x.dim(1) >= kMostExtent || x.dim(2) >= kMostExtent)
    invalid_argument("input sizes must be between 0 and max int32");
  if (size.int_at(0) <= 0 || size.int_at(1) <= 0) invalid_argument("output dimensions must be positive");
  if (x.dim(3) <= 0) invalid_argument("image must have at least one channel");
  if (x.dim(1) <= 0 || x.dim(2) <= 0) invalid_argument("input image must be of non-zero size");
  require_transform(c);
}

void check_transform_gradient(const KernelContext& c) {
  require_kernel(c);
  const Tensor &gradient = c.input(0), &image = c.input(1);
  if (gradient.rank() != 4) invalid_argument("input_grad must be 4-dimensional", gradient.shape().text());
  if (image.rank() != 4) invalid_argument("original_image must be 4-dimensional", image.shape().text());
  if (image.dim(1) >= kMostExtent || image.dim(2) >= kMostExtent)
    invalid_argument("original sizes must be between 0 and max int32");
  require_transform(c);
}

struct Taps {
  AxisTaps rows, columns;
};
// Of `out` pixels of an image of `in` pixels.
Taps taps_of(const KernelContext& c, const Tensor& in, const Tensor& out) {
  const std::string& kernel = c.attr("kernel_type").s();
  const bool antialias = c.attr("antialias").b();
  const float *scale = c.input(2).data<float>(), *translation = c.input(3).data<float>();
  return {.rows = sampling_taps(kernel, in.dim(1), out.dim(1), scale[0], translation[0], antialias),
          .columns = sampling_taps(kernel, in.dim(2), out.dim(2), scale[1], translation[1], antialias)};
}

void transform(KernelContext& c) {
  if (c.output(0).num_elements() == 0) return;
  const Taps taps = taps_of(c, c.input(0), c.output(0));
  resample(c, c.input(0), taps.rows, taps.columns, ResampleOrder::kRowsFirst, 1, c.output(0));
}

void infer_transform_gradient(InferContext& c) {
  if (!c.running()) return infer_as_second(c);
  Shape out = c.shape(0);
  for (int i : {1, 2}) out[i] = c.shape(1)[i];
  c.set_output(0, std::move(out));
}

void transform_gradient(KernelContext& c) {
  if (c.output(0).num_elements() == 0) return;
  const Taps taps = taps_of(c, c.output(0), c.input(0));
  resample(c, c.input(0), transposed_taps(taps.rows), transposed_taps(taps.columns), ResampleOrder::kRowsFirst, 1,
           c.output(0));
}

}  // namespace

void register_scale_and_translate(Registry& r) {
  constexpr std::string_view kKernel = "kernel_type: string = 'lanczos3'", kAntialias = "antialias: bool = true";
  r.add({.name = "ScaleAndTranslate",
         .inputs = {"images: T", "size: int32", "scale: float", "translation: float"},
         .outputs = {"resized_images: float"},
         .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}", kKernel, kAntialias},
         .doc = "Images [batch, height, width, channels] scaled and moved along both axes, of size (height, width). "
                "kernel_type: lanczos1, lanczos3, lanczos5, gaussian, box, triangle, keyscubic or mitchellcubic.",
         .infer = infer_resized,
         .check = check_transform,
         .kernel = transform,
         .grad = [](GradContext& c) {
           if (is_differentiable(c.input(0)))
             c.to_input(0, emit_like(c, "ScaleAndTranslateGrad", {c.dy(0), c.input(0), c.input(2), c.input(3)}));
         }});
  r.add({.name = "ScaleAndTranslateGrad",
         .inputs = {"grads: T", "original_image: T", "scale: float", "translation: float"},
         .outputs = {"output: T"},
         .attrs = {"T: {float}", kKernel, kAntialias},
         .doc = "The gradient of ScaleAndTranslate with respect to its images.",
         .infer = infer_transform_gradient,
         .check = check_transform_gradient,
         .kernel = transform_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
