// Images seen through projective transforms: pixel (x, y) of the result is the pixel at
// ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image, where k = c0 x + c1 y + 1.
#include <cmath>
#include <limits>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

enum class Fill : std::uint8_t { kReflect, kWrap, kConstant, kNearest };

Fill fill_of(const KernelContext& c) {
  const std::string& mode = c.attr("fill_mode").s();
  if (mode == "REFLECT") return Fill::kReflect;
  if (mode == "WRAP") return Fill::kWrap;
  if (mode == "CONSTANT") return Fill::kConstant;
  if (mode == "NEAREST") return Fill::kNearest;
  invalid_argument("Invalid mode ", mode, ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST");
}
bool is_bilinear(const KernelContext& c) {
  const std::string& interpolation = c.attr("interpolation").s();
  if (interpolation == "BILINEAR") return true;
  if (interpolation == "NEAREST") return false;
  invalid_argument("Invalid interpolation ", interpolation, ". Supported types: NEAREST, BILINEAR");
}

void check_transform(const KernelContext& c) {
  fill_of(c);
  is_bilinear(c);
  const Tensor &images = c.input(0), &transforms = c.input(1), &size = c.input(2);
  if (images.rank() != 4) invalid_argument("Input images must have rank 4");
  if (transforms.rank() != 2 || (transforms.dim(0) != images.dim(0) && transforms.dim(0) != 1) ||
      transforms.dim(1) != 8)
    invalid_argument("Input transform should be num_images x 8 or 1 x 8");
  if (size.rank() != 1) invalid_argument("output shape must be 1-dimensional", size.shape().text());
  if (size.num_elements() != 2) invalid_argument("output shape must have two elements", size.shape().text());
  if (size.int_at(0) <= 0 || size.int_at(1) <= 0) invalid_argument("output dimensions must be positive");
  if (c.num_inputs() > 3 && c.input(3).rank() != 0)
    invalid_argument("fill_value must be a scalar", c.input(3).shape().text());
}

// A place that may be outside [0, size) brought inside, as scipy.ndimage does. NaN is no place.
float mapped(float at, std::int64_t size, Fill fill) {
  const auto end = static_cast<float>(size - 1);
  auto whole = [](float x) { return std::trunc(x); };
  if (fill == Fill::kReflect && (at < 0 || at > end)) {
    const auto twice = static_cast<float>(2 * size), once = static_cast<float>(size);
    if (size <= 1) {
      at = 0;
    } else if (at < 0) {
      at = twice * whole(-at / twice) + at;
      at = at < -once ? at + twice : -at - 1;
    } else {
      at -= twice * whole(at / twice);
      if (at >= once) at = twice - at - 1;
    }
  } else if (fill == Fill::kWrap && (at < 0 || at > end)) {
    const auto once = static_cast<float>(size);
    if (size <= 1) {
      at = 0;
    } else if (at < 0) {
      at += once * (whole(-at / end) + 1);
    } else {
      at -= once * whole(at / end);
    }
  }
  return fill == Fill::kConstant ? at : std::min(std::max(at, 0.0f), end);
}

// x as a T; what an integer does not hold becomes the number nearest to it.
template <typename T>
T number(float x) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto least = static_cast<float>(std::numeric_limits<T>::min()),
                   most = static_cast<float>(std::numeric_limits<T>::max());
    if (!(x > least)) return std::numeric_limits<T>::min();
    return x >= most ? std::numeric_limits<T>::max() : static_cast<T>(x);
  } else {
    return T(x);
  }
}

template <typename T>
class Transformer {
 public:
  Transformer(const Tensor& images, T fill, bool bilinear)
      : images_(images.data<T>()),
        height_(images.dim(1)),
        width_(images.dim(2)),
        channels_(images.dim(3)),
        fill_(fill),
        bilinear_(bilinear) {}

  void pixel(std::int64_t image, float y, float x, T* to) const {
    const auto right = static_cast<float>(width_ - 1), bottom = static_cast<float>(height_ - 1);
    // Beyond, no neighbor of the place is in the image. NaN is nowhere.
    if (!(x >= -1 && x <= right + 1 && y >= -1 && y <= bottom + 1)) {
      std::fill_n(to, channels_, fill_);
      return;
    }
    if (!bilinear_) {
      const T* from = at(image, static_cast<std::int64_t>(std::round(y)), static_cast<std::int64_t>(std::round(x)));
      from ? static_cast<void>(std::copy(from, from + channels_, to))
           : static_cast<void>(std::fill_n(to, channels_, fill_));
      return;
    }
    const float top = std::floor(y), left = std::floor(x);
    const auto i = static_cast<std::int64_t>(top), j = static_cast<std::int64_t>(left);
    const T *a = at(image, i, j), *b = at(image, i, j + 1), *c = at(image, i + 1, j), *d = at(image, i + 1, j + 1);
    const float right_part = x - left, left_part = left + 1 - x, low_part = y - top, high_part = top + 1 - y;
    for (std::int64_t k = 0; k < channels_; ++k) {
      const float upper = left_part * value(a, k) + right_part * value(b, k),
                  lower = left_part * value(c, k) + right_part * value(d, k);
      to[k] = number<T>(high_part * upper + low_part * lower);
    }
  }
  T fill() const { return fill_; }

 private:
  // Null beyond the image.
  const T* at(std::int64_t image, std::int64_t y, std::int64_t x) const {
    if (y < 0 || y >= height_ || x < 0 || x >= width_) return nullptr;
    return images_ + ((image * height_ + y) * width_ + x) * channels_;
  }
  float value(const T* pixel, std::int64_t k) const {
    return static_cast<float>(compute_value(pixel ? pixel[k] : fill_));
  }

  const T* images_;
  std::int64_t height_, width_, channels_;
  T fill_;
  bool bilinear_;
};

template <typename T>
void transform_images(const KernelContext& c, Tensor& out) {
  const Tensor &images = c.input(0), &transforms = c.input(1);
  const Fill fill = fill_of(c);
  const Transformer<T> transformer(images, c.num_inputs() > 3 ? number<T>(c.input(3).item<float>()) : T(),
                                   is_bilinear(c));
  const std::int64_t height = out.dim(1), width = out.dim(2), channels = out.dim(3);
  T* to = out.mutable_data<T>();
  const double cost = static_cast<double>(width) * static_cast<double>(10 + 3 * channels);
  c.parallel_for(out.dim(0) * height, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t image = row / height;
      const float* t = transforms.data<float>() + (transforms.dim(0) == 1 ? 0 : 8 * image);
      const auto y = static_cast<float>(row % height);
      T* line = to + row * width * channels;
      for (std::int64_t i = 0; i < width; ++i, line += channels) {
        const auto x = static_cast<float>(i);
        const float k = t[6] * x + t[7] * y + 1.0f;
        if (k == 0) {
          std::fill_n(line, channels, transformer.fill());
          continue;
        }
        transformer.pixel(image, mapped((t[3] * x + t[4] * y + t[5]) / k, images.dim(1), fill),
                          mapped((t[0] * x + t[1] * y + t[2]) / k, images.dim(2), fill), line);
      }
      poll();
    }
  });
}

void transform(KernelContext& c) {
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  with_number(out.dtype(), [&]<typename T>(std::type_identity<T>) { transform_images<T>(c, out); });
}

// The incoming gradient seen through the inverse transforms.
void grad_transform(GradContext& c) {
  const Operand& images = c.input(0);
  if (!is_differentiable(images)) return;
  if (images.dtype() == DType::kBFloat16) fail(ErrorKind::kType, "Invalid dtype ", name(images.dtype()), ".");
  const Operand flat = build::reshape(c.input(1), build::ints({-1, 8}));
  const Operand one = build::ones_like(emit1("Slice", {flat, build::ints({0, 0}), build::ints({-1, 1})}));
  const Operand parts[] = {flat, one, build::scalar(DType::kInt32, 1)};
  const Operand matrices = build::reshape(emit_all("ConcatV2", parts)[0], build::ints({-1, 3, 3}));
  const Operand inverse = build::reshape(emit1("MatrixInverse", {matrices}), build::ints({-1, 9}));
  const Operand last = emit1("Slice", {inverse, build::ints({0, 8}), build::ints({-1, 1})});
  const Operand transforms = emit1("Slice", {inverse / last, build::ints({0, 0}), build::ints({-1, 8})});
  const Operand size = emit1("Slice", {build::shape_of(images), build::ints({1}), build::ints({2})});
  if (c.num_inputs() > 3) {
    c.to_input(
        0, emit_like(c, "ImageProjectiveTransformV3", {c.dy(0), transforms, size, build::scalar(DType::kFloat, 0)}));
  } else {
    c.to_input(0, emit_like(c, "ImageProjectiveTransformV2", {c.dy(0), transforms, size}));
  }
}

}  // namespace

void register_projective_transform(Registry& r) {
  const std::vector<std::string_view> attrs = {"dtype: {uint8, int32, int64, half, bfloat16, float, double}",
                                               "interpolation: string", "fill_mode: string = 'CONSTANT'"};
  const std::string_view doc =
      "Images seen through projective transforms, of 8 numbers each. Pixels beyond an image are those that fill_mode "
      "says: REFLECT, WRAP, CONSTANT or NEAREST.";
  r.add({.name = "ImageProjectiveTransformV2",
         .inputs = {"images: dtype", "transforms: float", "output_shape: int32"},
         .outputs = {"transformed_images: dtype"},
         .attrs = attrs,
         .doc = doc,
         .infer = infer_sized<2>,
         .check = check_transform,
         .kernel = transform,
         .grad = grad_transform});
  r.add({.name = "ImageProjectiveTransformV3",
         .inputs = {"images: dtype", "transforms: float", "output_shape: int32", "fill_value: float"},
         .outputs = {"transformed_images: dtype"},
         .attrs = attrs,
         .doc = doc,
         .infer = infer_sized<2>,
         .check = check_transform,
         .kernel = transform,
         .grad = grad_transform});
}

}  // namespace tracefn
