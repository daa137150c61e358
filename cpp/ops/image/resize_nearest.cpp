// Images resized by taking the nearest pixel.
#include <cmath>

#include "base/poll.h"
#include "ops/elementwise/as_float.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/image/resize_sizes.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// The pixel of the input that each pixel of the output is, between 0 and in - 1.
std::vector<std::int64_t> nearest_pixels(const ResizeScale& s, bool align_corners) {
  std::vector<std::int64_t> pixels;
  pixels.reserve(static_cast<std::size_t>(s.out));
  for (std::int64_t x = 0; x < s.out; ++x) {
    const auto at = static_cast<float>(static_cast<std::int32_t>(x));
    const float place = (s.half_pixel_centers ? at + 0.5f : at) * s.scale;
    const auto pixel = static_cast<std::int64_t>(align_corners ? std::round(place) : std::floor(place));
    pixels.push_back(std::clamp<std::int64_t>(pixel, 0, s.in - 1));
  }
  return pixels;
}

// Copies the pixels, of a number of bytes that the compiler knows.
template <std::size_t bytes>
void copy_pixels(const char* row, const std::vector<std::int64_t>& pixels, char* to) {
  for (std::int64_t pixel : pixels) {
    __builtin_memcpy(to, row + static_cast<std::size_t>(pixel) * bytes, bytes);
    to += bytes;
  }
}
void copy_row(const char* row, const std::vector<std::int64_t>& pixels, std::size_t bytes, char* to) {
  switch (bytes) {
    case 1:
      return copy_pixels<1>(row, pixels, to);
    case 2:
      return copy_pixels<2>(row, pixels, to);
    case 3:
      return copy_pixels<3>(row, pixels, to);
    case 4:
      return copy_pixels<4>(row, pixels, to);
    case 6:
      return copy_pixels<6>(row, pixels, to);
    case 8:
      return copy_pixels<8>(row, pixels, to);
    case 12:
      return copy_pixels<12>(row, pixels, to);
    case 16:
      return copy_pixels<16>(row, pixels, to);
    default:
      for (std::int64_t pixel : pixels) {
        __builtin_memcpy(to, row + static_cast<std::size_t>(pixel) * bytes, bytes);
        to += bytes;
      }
  }
}

void resize_nearest(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const ResizeSizes s = resize_sizes(c);
  const bool corners = c.attr("align_corners").b();
  const std::vector<std::int64_t> rows = nearest_pixels(s.rows, corners), columns = nearest_pixels(s.columns, corners);
  const std::size_t pixel = size_of(x.dtype()) * static_cast<std::size_t>(x.dim(3));
  const std::size_t in_row = pixel * static_cast<std::size_t>(x.dim(2)), out_row = pixel * columns.size();
  const char* from = x.data<char>();
  char* to = out.mutable_data<char>();
  const std::int64_t height = out.dim(1);
  c.parallel_for(x.dim(0) * height, 0.1 * static_cast<double>(out_row), [&](std::int64_t begin, std::int64_t end) {
    const char* last = nullptr;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t number = row / height * x.dim(1) + rows[static_cast<std::size_t>(row % height)];
      const char* source = from + static_cast<std::size_t>(number) * in_row;
      char* line = to + static_cast<std::size_t>(row) * out_row;
      if (source == last) {
        __builtin_memcpy(line, line - out_row, out_row);
      } else {
        copy_row(source, columns, pixel, line);
      }
      last = source;
      poll();
    }
  });
}

void infer_nearest_gradient(InferContext& c) { infer_sized<1>(c); }

template <typename T>
void add_nearest(const KernelContext& c, const Tensor& gradient, const ResizeSizes& s, Tensor& out) {
  const bool corners = c.attr("align_corners").b();
  const std::vector<std::int64_t> rows = nearest_pixels(s.rows, corners), columns = nearest_pixels(s.columns, corners);
  const std::int64_t channels = out.dim(3), height = out.dim(1), length = out.dim(2) * channels,
                     given = s.columns.out * channels;
  const T* from = gradient.data<T>();
  T* to = out.mutable_data<T>();
  const double cost =
      0.5 * static_cast<double>(given) * (static_cast<double>(s.rows.out) / static_cast<double>(height) + 1);
  // The rows that are made of row y are next to each other.
  c.parallel_for(out.dim(0) * height, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t image = row / height, y = row % height;
      T* line = to + row * length;
      std::fill_n(line, length, T(0));
      const auto [first, last] = std::equal_range(rows.begin(), rows.end(), y);
      for (auto at = first; at != last; ++at) {
        const T* source = from + (image * s.rows.out + (at - rows.begin())) * given;
        for (std::size_t x = 0; x < columns.size(); ++x, source += channels) {
          T* pixel = line + columns[x] * channels;
          for (std::int64_t k = 0; k < channels; ++k) pixel[k] = add_elements(pixel[k], source[k]);
        }
        poll();
      }
    }
  });
}

void nearest_gradient(KernelContext& c) {
  const Tensor& gradient = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  const ResizeSizes s = resize_gradient_sizes(c);
  with_number(gradient.dtype(), [&]<typename T>(std::type_identity<T>) { add_nearest<T>(c, gradient, s, out); });
}

}  // namespace

void register_resize_nearest(Registry& r) {
  constexpr std::string_view kCorners = "align_corners: bool = false", kCenters = "half_pixel_centers: bool = false";
  r.add({.name = "ResizeNearestNeighbor",
         .inputs = {"images: T", "size: int32"},
         .outputs = {"resized_images: T"},
         .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}", kCorners, kCenters},
         .doc = "Images [batch, height, width, channels] resized to size (height, width) by taking the nearest pixel.",
         .infer = infer_resized,
         .check = check_resize_nearest,
         .kernel = resize_nearest,
         .grad = [](GradContext& c) {
           const Shape& shape = c.input(0).shape();
           Operand size;
           if (shape.has_rank() && shape[1] >= 0 && shape[2] >= 0) {
             size = build::ints({static_cast<std::int32_t>(shape[1]), static_cast<std::int32_t>(shape[2])});
           } else {
             size = emit1("Slice", {build::shape_of(c.input(0)), build::ints({1}), build::ints({2})});
           }
           c.to_input(0, emit_like(c, "ResizeNearestNeighborGrad", {c.dy(0), size}));
         }});
  r.add({.name = "ResizeNearestNeighborGrad",
         .inputs = {"grads: T", "size: int32"},
         .outputs = {"output: T"},
         .attrs = {"T: {uint8, int8, int32, half, float, double, bfloat16}", kCorners, kCenters},
         .doc = "The gradient of ResizeNearestNeighbor with respect to its images.",
         .infer = infer_nearest_gradient,
         .check = check_resize_nearest_gradient,
         .kernel = nearest_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
