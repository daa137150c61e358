// Boxes drawn on images.
#include <array>
#include <cmath>
#include <limits>

#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/image/image_shapes.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

using Color = std::array<float, 4>;

bool is_depth(std::int64_t depth) { return depth == 1 || depth == 3 || depth == 4; }
constexpr std::string_view kDepths = "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)";

void infer_boxes(InferContext& c) {
  c.require_rank(0, 4);
  const std::int64_t depth = dim_of(c.shape(0), 3);
  if (depth >= 0 && !is_depth(depth)) invalid_argument(kDepths);
  c.require_rank(1, 3);
  require_size(dim_of(c.shape(1), 2), 4);
  c.set_output(0, c.shape(0));
}
void infer_boxes_with_colors(InferContext& c) {
  c.require_rank_at_least(0, 3);
  c.set_output(0, c.shape(0));
}

void check_boxes(const KernelContext& c) {
  const Tensor &images = c.input(0), &boxes = c.input(1);
  if (images.rank() != 4) invalid_argument("The rank of the images should be 4");
  if (boxes.rank() != 3) invalid_argument("The rank of the boxes tensor should be 3");
  if (images.dim(0) != boxes.dim(0)) invalid_argument("The batch sizes should be the same");
  if (!is_depth(images.dim(3))) invalid_argument(kDepths);
  if (boxes.dim(2) != 4)
    invalid_argument("The size of the third dimension of the box must be 4. Received: ", boxes.dim(2));
  if (c.num_inputs() < 3) return;
  const Tensor& colors = c.input(2);
  if (colors.rank() != 2) invalid_argument("colors must be a 2-D matrix", colors.shape().text());
  if (colors.dim(1) < images.dim(3))
    invalid_argument("colors must have equal or more channels than the image provided: ", colors.shape().text());
}

std::vector<Color> colors_of(const KernelContext& c, std::int64_t depth) {
  std::vector<Color> colors;
  if (c.num_inputs() == 3 && c.input(2).num_elements() > 0) {
    const Tensor& given = c.input(2);
    for (std::int64_t i = 0; i < given.dim(0); ++i) {
      Color color{};
      for (std::int64_t k = 0; k < depth; ++k)
        color[static_cast<std::size_t>(k)] = given.data<float>()[i * given.dim(1) + k];
      colors.push_back(color);
    }
    return colors;
  }
  colors = {{1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
            {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
  if (depth == 1)
    for (Color& color : colors) color[0] = 1;
  return colors;
}

// As x86 converts floats: NaN and what no int64 holds become the least one.
std::int64_t whole(float x) {
  return x >= -0x1p63f && x < 0x1p63f ? static_cast<std::int64_t>(x) : std::numeric_limits<std::int64_t>::min();
}

template <typename T>
void draw(const Tensor& boxes, const std::vector<Color>& colors, Tensor& out) {
  const std::int64_t height = out.dim(1), width = out.dim(2), depth = out.dim(3), count = boxes.dim(1);
  T* to = out.mutable_data<T>();
  for (std::int64_t i = 0; i < out.dim(0) * count; ++i) {
    const float* box = boxes.data<float>() + 4 * i;
    const Color& color = colors[static_cast<std::size_t>(i % count) % colors.size()];
    const auto bottom = static_cast<float>(height - 1), right = static_cast<float>(width - 1);
    const std::int64_t top = whole(box[0] * bottom), left = whole(box[1] * right), last_row = whole(box[2] * bottom),
                       last_column = whole(box[3] * right);
    // Boxes that are upside down or beyond the image are not drawn.
    if (top > last_row || left > last_column) continue;
    if (top >= height || last_row < 0 || left >= width || last_column < 0) continue;
    auto set = [&](std::int64_t y, std::int64_t x) {
      T* pixel = to + ((i / count * height + y) * width + x) * depth;
      for (std::int64_t k = 0; k < depth; ++k) pixel[k] = T(color[static_cast<std::size_t>(k)]);
    };
    const std::int64_t from_row = std::max<std::int64_t>(top, 0), to_row = std::min(last_row, height - 1),
                       from_column = std::max<std::int64_t>(left, 0), to_column = std::min(last_column, width - 1);
    for (std::int64_t x = from_column; x <= to_column; ++x) {
      if (top >= 0) set(top, x);
      if (last_row < height) set(last_row, x);
    }
    for (std::int64_t y = from_row; y <= to_row; ++y) {
      if (left >= 0) set(y, left);
      if (last_column < width) set(y, last_column);
    }
  }
}

void draw_boxes(KernelContext& c) {
  Tensor& out = c.output(0);
  copy_elements(out.dtype(), c.input(0).raw(), out.mutable_raw(), out.num_elements());
  if (out.num_elements() == 0) return;
  const std::vector<Color> colors = colors_of(c, out.dim(3));
  out.dtype() == DType::kHalf ? draw<Half>(c.input(1), colors, out) : draw<float>(c.input(1), colors, out);
}

}  // namespace

void register_draw_boxes(Registry& r) {
  constexpr std::string_view kDoc = "Images with the edges of boxes drawn on them, in colors that take turns.";
  r.add({.name = "DrawBoundingBoxes",
         .inputs = {"images: T", "boxes: float"},
         .outputs = {"output: T"},
         .attrs = {"T: {float, half} = DT_FLOAT"},
         .doc = kDoc,
         .infer = infer_boxes,
         .check = check_boxes,
         .kernel = draw_boxes,
         .grad = not_differentiable});
  r.add({.name = "DrawBoundingBoxesV2",
         .inputs = {"images: T", "boxes: float", "colors: float"},
         .outputs = {"output: T"},
         .attrs = {"T: {float, half} = DT_FLOAT"},
         .doc = kDoc,
         .infer = infer_boxes_with_colors,
         .check = check_boxes,
         .kernel = draw_boxes,
         .grad = without_gradient});
}

}  // namespace tracefn
