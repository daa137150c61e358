// Boxes of images, cropped and resized to one size. A box is (y1, x1, y2, x2), where 0 is the first and 1 the last
// pixel.
#include <cmath>

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void check_boxes(const Tensor& boxes, const Tensor& places) {
  if (boxes.num_elements() == 0 && places.num_elements() == 0) return;
  if (boxes.rank() != 2) invalid_argument("boxes must be 2-D", boxes.shape().text());
  if (boxes.dim(1) != 4) invalid_argument("boxes must have 4 columns");
  if (places.rank() != 1) invalid_argument("box_index must be 1-D", places.shape().text());
  if (places.dim(0) != boxes.dim(0)) invalid_argument("box_index has incompatible shape");
}

void require_images_of_boxes(const Tensor& places, std::int64_t images) {
  for (std::int32_t image : places.span<std::int32_t>())
    if (image < 0 || image >= images) fail(ErrorKind::kOutOfRange, "box_index has values outside [0, batch_size)");
}

void require_finite(const Tensor& boxes) {
  for (float v : boxes.span<float>())
    if (!std::isfinite(v)) invalid_argument("Boxes contains at least one element that is not finite");
}

void check_crops(const KernelContext& c) {
  const Tensor &image = c.input(0), &boxes = c.input(1), &places = c.input(2), &size = c.input(3);
  if (image.rank() != 4) invalid_argument("input image must be 4-D", image.shape().text());
  if (image.dim(1) <= 0 || image.dim(2) <= 0) invalid_argument("image dimensions must be positive");
  if (boxes.rank() != 2) invalid_argument("boxes must be 2-D, got: ", boxes.shape().text());
  if (places.rank() != 1) invalid_argument("box_indices must be rank 1 but is shape ", places.shape().text());
  check_boxes(boxes, places);
  if (size.rank() != 1) invalid_argument("crop_size must be 1-D", size.shape().text());
  if (size.dim(0) != 2) invalid_argument("crop_size must have two elements", size.shape().text());
  if (size.int_at(0) <= 0 || size.int_at(1) <= 0) invalid_argument("crop dimensions must be positive");
  require_images_of_boxes(places, image.dim(0));
  require_finite(boxes);
}

void check_image_gradient(const KernelContext& c) {
  const Tensor &gradient = c.input(0), &boxes = c.input(1), &places = c.input(2), &size = c.input(3);
  if (gradient.rank() != 4) invalid_argument("grads image must be 4-D", gradient.shape().text());
  if (gradient.dim(1) <= 0 || gradient.dim(2) <= 0) invalid_argument("grads dimensions must be positive");
  check_boxes(boxes, places);
  if (gradient.dim(0) != places.num_elements()) invalid_argument("boxes and grads have incompatible shape");
  if (size.rank() != 1) invalid_argument("image_size must be 1-D", size.shape().text());
  if (size.dim(0) != 4) invalid_argument("image_size must have 4 elements", size.shape().text());
  if (size.int_at(1) <= 0 || size.int_at(2) <= 0) invalid_argument("image dimensions must be positive");
  if (gradient.dim(3) != size.int_at(3)) invalid_argument("image_size and grads are incompatible");
  require_images_of_boxes(places, size.int_at(0));
}

void check_box_gradient(const KernelContext& c) {
  const Tensor &gradient = c.input(0), &image = c.input(1), &boxes = c.input(2), &places = c.input(3);
  if (gradient.rank() != 4) invalid_argument("grads image must be 4-D", gradient.shape().text());
  if (gradient.dim(1) <= 0 || gradient.dim(2) <= 0) invalid_argument("grads dimensions must be positive");
  if (image.rank() != 4) invalid_argument("input image must be 4-D", image.shape().text());
  if (image.dim(1) <= 0 || image.dim(2) <= 0) invalid_argument("image dimensions must be positive");
  if (image.dim(3) != gradient.dim(3)) invalid_argument("image, grads depth differ");
  check_boxes(boxes, places);
  if (gradient.dim(0) != places.num_elements()) invalid_argument("boxes and grads have incompatible shape");
  require_images_of_boxes(places, image.dim(0));
}

void infer_crops(InferContext& c) {
  c.require_rank(0, 4);
  c.require_rank(1, 2);
  c.require_rank(2, 1);
  const std::int64_t boxes = merge_dims(dim_of(c.shape(1), 0), dim_of(c.shape(2), 0));
  require_size(dim_of(c.shape(1), 1), 4);
  set_sized_images(c, boxes, 3, dim_of(c.shape(0), 3));
}

void infer_image_gradient(InferContext& c) {
  Shape out = c.shape_value(3, true);
  if (out.has_rank() && out.rank() != 4) invalid_argument("Shape must be rank 4 but is rank ", out.rank());
  c.set_output(0, out.has_rank() ? std::move(out) : Shape::of_rank(4));
}

void infer_box_gradient(InferContext& c) { c.set_output(0, c.shape(2)); }

// Along one axis: pixel i of a crop lies at place(i) of the image.
struct CropAxis {
  std::int64_t image, crop;
  float first, last;  // of the box

  float ratio() const { return crop > 1 ? static_cast<float>(image - 1) / static_cast<float>(crop - 1) : 0.0f; }
  float place(std::int64_t i) const {
    const auto end = static_cast<float>(image - 1);
    if (crop <= 1) return static_cast<float>(0.5 * (first + last) * end);
    const float scale = (last - first) * end / static_cast<float>(crop - 1);
    return first * end + static_cast<float>(i) * scale;
  }
  bool inside(float at) const { return at >= 0 && at <= static_cast<float>(image - 1); }
};

// The two pixels next to a place, and how far it is from the first one.
struct Between {
  std::int64_t low, high;
  float part;

  explicit Between(float at)
      : low(static_cast<std::int64_t>(std::floor(at))),
        high(static_cast<std::int64_t>(std::ceil(at))),
        part(at - static_cast<float>(low)) {}
};

struct Crop {
  CropAxis y, x;
  std::int64_t image;

  Crop(const Tensor& boxes, const Tensor& places, std::int64_t box, const Shape& image_shape, const Shape& crops)
      : image(places.data<std::int32_t>()[box]) {
    const float* b = boxes.data<float>() + 4 * box;
    y = {image_shape[1], crops[1], b[0], b[2]};
    x = {image_shape[2], crops[2], b[1], b[3]};
  }
};

template <typename T>
void crop(const KernelContext& c, const Tensor& image, Tensor& out) {
  const std::int64_t height = out.dim(1), width = out.dim(2), channels = out.dim(3);
  const float beyond = c.attr("extrapolation_value").f();
  const bool nearest = c.attr("method").s() == "nearest";
  const T* from = image.data<T>();
  float* to = out.mutable_data<float>();
  c.parallel_for(out.dim(0) * height, 2.0 * static_cast<double>(width * channels),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t row = begin; row < end; ++row) {
                     const Crop crop(c.input(1), c.input(2), row / height, image.shape(), out.shape());
                     float* line = to + row * width * channels;
                     const float y = crop.y.place(row % height);
                     auto pixel = [&](std::int64_t i, std::int64_t j) {
                       return from + ((crop.image * image.dim(1) + i) * image.dim(2) + j) * channels;
                     };
                     for (std::int64_t i = 0; i < width; ++i, line += channels) {
                       const float x = crop.x.place(i);
                       if (!crop.y.inside(y) || !crop.x.inside(x)) {
                         std::fill_n(line, channels, beyond);
                         continue;
                       }
                       if (nearest) {
                         const T* source =
                             pixel(static_cast<std::int64_t>(std::round(y)), static_cast<std::int64_t>(std::round(x)));
                         for (std::int64_t k = 0; k < channels; ++k)
                           line[k] = static_cast<float>(compute_value(source[k]));
                         continue;
                       }
                       const Between ys(y), xs(x);
                       const T *a = pixel(ys.low, xs.low), *b = pixel(ys.low, xs.high), *d = pixel(ys.high, xs.low),
                               *e = pixel(ys.high, xs.high);
                       for (std::int64_t k = 0; k < channels; ++k) {
                         const auto top_left = static_cast<float>(compute_value(a[k])),
                                    top_right = static_cast<float>(compute_value(b[k])),
                                    bottom_left = static_cast<float>(compute_value(d[k])),
                                    bottom_right = static_cast<float>(compute_value(e[k]));
                         const float top = top_left + (top_right - top_left) * xs.part,
                                     bottom = bottom_left + (bottom_right - bottom_left) * xs.part;
                         line[k] = top + (bottom - top) * ys.part;
                       }
                     }
                     poll();
                   }
                 });
}

void crops(KernelContext& c) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_number(c.input(0).dtype(), [&]<typename T>(std::type_identity<T>) { crop<T>(c, c.input(0), out); });
}

// Calls f(crop, y, x, gradient of the pixel) for the pixels of a crop that lie inside the image.
template <typename F>
void for_inside(const Crop& crop, const float* gradient, std::int64_t channels, const F& f) {
  for (std::int64_t i = 0; i < crop.y.crop; ++i) {
    const float y = crop.y.place(i);
    if (crop.y.inside(y))
      for (std::int64_t j = 0; j < crop.x.crop; ++j) {
        const float x = crop.x.place(j);
        if (crop.x.inside(x)) f(i, j, y, x, gradient + (i * crop.x.crop + j) * channels);
      }
    poll();
  }
}

template <typename T>
void add_crops(const KernelContext& c, Tensor& out) {
  const Tensor& gradient = c.input(0);
  const std::int64_t channels = out.dim(3), pixels = gradient.dim(1) * gradient.dim(2);
  const bool nearest = c.attr("method").s() == "nearest";
  T* to = out.mutable_data<T>();
  // A thread has its images to itself: boxes of one image are added in order.
  const double cost = static_cast<double>(gradient.num_elements() + out.num_elements());
  c.parallel_for(out.dim(0), cost, [&](std::int64_t begin, std::int64_t end) {
    std::fill(to + begin * (out.num_elements() / out.dim(0)), to + end * (out.num_elements() / out.dim(0)), T(0));
    for (std::int64_t box = 0; box < gradient.dim(0); ++box) {
      const Crop crop(c.input(1), c.input(2), box, out.shape(), gradient.shape());
      if (crop.image < begin || crop.image >= end) continue;
      auto pixel = [&](std::int64_t i, std::int64_t j) {
        return to + ((crop.image * out.dim(1) + i) * out.dim(2) + j) * channels;
      };
      for_inside(crop, gradient.data<float>() + box * pixels * channels, channels,
                 [&](std::int64_t, std::int64_t, float y, float x, const float* dy) {
                   if (nearest) {
                     T* at = pixel(static_cast<std::int64_t>(std::round(y)), static_cast<std::int64_t>(std::round(x)));
                     for (std::int64_t k = 0; k < channels; ++k) at[k] += static_cast<T>(dy[k]);
                     return;
                   }
                   const Between ys(y), xs(x);
                   T *a = pixel(ys.low, xs.low), *b = pixel(ys.low, xs.high), *d = pixel(ys.high, xs.low),
                     *e = pixel(ys.high, xs.high);
                   for (std::int64_t k = 0; k < channels; ++k) {
                     const float top = (1 - ys.part) * dy[k], bottom = ys.part * dy[k];
                     a[k] += static_cast<T>((1 - xs.part) * top);
                     b[k] += static_cast<T>(xs.part * top);
                     d[k] += static_cast<T>((1 - xs.part) * bottom);
                     e[k] += static_cast<T>(xs.part * bottom);
                   }
                 });
    }
  });
}

void image_gradient(KernelContext& c) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  Tensor wide = wide_output(out);
  wide.dtype() == DType::kDouble ? add_crops<double>(c, wide) : add_crops<float>(c, wide);
  round_output(wide, out);
}

template <typename T>
void box_gradients(const KernelContext& c, const Tensor& image, Tensor& out) {
  const Tensor &gradient = c.input(0), &boxes = c.input(2), &places = c.input(3);
  const std::int64_t channels = gradient.dim(3), pixels = gradient.dim(1) * gradient.dim(2);
  const T* from = image.data<T>();
  float* to = out.mutable_data<float>();
  c.parallel_for(boxes.dim(0), 4.0 * static_cast<double>(pixels * channels), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t box = begin; box < end; ++box) {
      const Crop crop(boxes, places, box, image.shape(), gradient.shape());
      float* d = to + 4 * box;
      std::fill_n(d, 4, 0.0f);
      const auto bottom = static_cast<float>(image.dim(1) - 1), right = static_cast<float>(image.dim(2) - 1);
      auto pixel = [&](std::int64_t i, std::int64_t j) {
        return from + ((crop.image * image.dim(1) + i) * image.dim(2) + j) * channels;
      };
      for_inside(
          crop, gradient.data<float>() + box * pixels * channels, channels,
          [&](std::int64_t i, std::int64_t j, float y, float x, const float* dy) {
            const Between ys(y), xs(x);
            const T *a = pixel(ys.low, xs.low), *b = pixel(ys.low, xs.high), *e = pixel(ys.high, xs.low),
                    *f = pixel(ys.high, xs.high);
            const float down = static_cast<float>(i) * crop.y.ratio(), across = static_cast<float>(j) * crop.x.ratio();
            for (std::int64_t k = 0; k < channels; ++k) {
              const auto tl = static_cast<float>(compute_value(a[k])), tr = static_cast<float>(compute_value(b[k])),
                         bl = static_cast<float>(compute_value(e[k])), br = static_cast<float>(compute_value(f[k]));
              const float by_y = ((1 - xs.part) * (bl - tl) + xs.part * (br - tr)) * dy[k],
                          by_x = ((1 - ys.part) * (tr - tl) + ys.part * (br - bl)) * dy[k];
              d[0] += crop.y.crop > 1 ? by_y * (bottom - down) : by_y * 0.5f * bottom;
              d[2] += crop.y.crop > 1 ? by_y * down : by_y * 0.5f * bottom;
              d[1] += crop.x.crop > 1 ? by_x * (right - across) : by_x * 0.5f * right;
              d[3] += crop.x.crop > 1 ? by_x * across : by_x * 0.5f * right;
            }
          });
    }
  });
}

void box_gradient(KernelContext& c) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_number(c.input(1).dtype(), [&]<typename T>(std::type_identity<T>) { box_gradients<T>(c, c.input(1), out); });
}

Operand constant_shape(const Operand& x) {
  if (!x.shape().is_fully_known()) return build::shape_of(x);
  std::vector<std::int32_t> dims;
  for (std::int64_t d : x.shape().dims()) dims.push_back(static_cast<std::int32_t>(d));
  return build::ints(dims);
}

void grad_crops(GradContext& c) {
  const Operand& image = c.input(0);
  if (is_differentiable(image))
    c.to_input(0, emit1("CropAndResizeGradImage", {c.dy(0), c.input(1), c.input(2), constant_shape(image)},
                        {{"T", Attr(image.dtype())}, {"method", c.attr("method")}}));
  c.to_input(1, emit1("CropAndResizeGradBoxes", {c.dy(0), image, c.input(1), c.input(2)}));
}

}  // namespace

void register_crop_and_resize(Registry& r) {
  constexpr std::string_view kImages = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
                             kMethods = "method: {'bilinear', 'nearest'} = 'bilinear'";
  r.add({.name = "CropAndResize",
         .inputs = {"image: T", "boxes: float", "box_ind: int32", "crop_size: int32"},
         .outputs = {"crops: float"},
         .attrs = {kImages, kMethods, "extrapolation_value: float = 0"},
         .doc = "Crops of images, each resized to crop_size. Pixels beyond an image are extrapolation_value.",
         .infer = infer_crops,
         .check = check_crops,
         .kernel = crops,
         .grad = grad_crops});
  r.add({.name = "CropAndResizeGradImage",
         .inputs = {"grads: float", "boxes: float", "box_ind: int32", "image_size: int32"},
         .outputs = {"output: T"},
         .attrs = {"T: {float, half, double}", kMethods},
         .doc = "The gradient of CropAndResize with respect to its image.",
         .infer = infer_image_gradient,
         .check = check_image_gradient,
         .kernel = image_gradient,
         .grad = without_gradient});
  r.add({.name = "CropAndResizeGradBoxes",
         .inputs = {"grads: float", "image: T", "boxes: float", "box_ind: int32"},
         .outputs = {"output: float"},
         .attrs = {kImages, "method: {'bilinear'} = 'bilinear'"},
         .doc = "The gradient of CropAndResize with respect to its boxes.",
         .infer = infer_box_gradient,
         .check = check_box_gradient,
         .kernel = box_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
