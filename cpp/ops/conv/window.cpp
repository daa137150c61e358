// Layouts, paddings and sizes of windows.
#include "ops/conv/window.h"

#include <limits>

#include "base/poll.h"
#include "ops/array/transpose.h"

namespace tracefn {

ImageLayout layout_of(std::string_view data_format) {
  return {.dims = static_cast<int>(data_format.size()) - 2, .channels_second = data_format[1] == 'C'};
}

Spatial spatial_part(const ImageLayout& layout, const Shape& shape) {
  Spatial part{1, 1, 1};
  for (int i = 0; i < layout.dims; ++i) part[spatial_index(layout.dims, i)] = shape[layout.spatial(i)];
  return part;
}

Padding padding_of(std::string_view text) {
  return text == "SAME" ? Padding::kSame : text == "VALID" ? Padding::kValid : Padding::kExplicit;
}

std::span<const std::int64_t> ints_of(const OpSignature& op, const AttrList& attrs, std::string_view name) {
  const int i = op.attr_index(name);
  return i < 0 ? std::span<const std::int64_t>() : attrs[static_cast<std::size_t>(i)].ints();
}

WindowAttrs::WindowAttrs(const OpSignature& op, const AttrList& attrs)
    : padding(padding_of(attrs[static_cast<std::size_t>(op.attr_index("padding"))].s())),
      strides(ints_of(op, attrs, "strides")),
      explicit_paddings(ints_of(op, attrs, "explicit_paddings")) {
  const int format = op.attr_index("data_format");
  layout = layout_of(format < 0 ? "NHWC" : std::string_view(attrs[static_cast<std::size_t>(format)].s()));
}
WindowAttrs::WindowAttrs(const InferContext& c) : WindowAttrs(c.op(), c.attrs()) {}
WindowAttrs::WindowAttrs(const KernelContext& c) : WindowAttrs(c.op().signature, c.attrs()) {}

std::array<WindowAxis, 3> WindowAttrs::axes() const {
  std::array<WindowAxis, 3> result;
  for (int i = 0; i < layout.dims; ++i) {
    const auto at = static_cast<std::size_t>(layout.spatial(i));
    WindowAxis& axis = result[spatial_index(layout.dims, i)];
    axis.stride = strides[at];
    axis.padding = padding;
    if (padding == Padding::kExplicit) {
      axis.before = explicit_paddings[2 * at];
      axis.after = explicit_paddings[2 * at + 1];
    }
  }
  return result;
}

namespace {

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t added(std::int64_t size, std::int64_t more) {
  if (size < 0 || more == 0) return size;
  std::int64_t sum;
  if (more < 0 || __builtin_add_overflow(size, more, &sum))
    invalid_argument("Dimension size overflow from adding ", size, " and ", more);
  return sum;
}

// The extent of a window with gaps: of `window` elements, `dilation` apart.
std::int64_t extent(std::int64_t window, std::int64_t dilation) {
  if (window < 0 || dilation == 1) return window;
  std::int64_t product;
  if (__builtin_mul_overflow(window - 1, dilation, &product) || __builtin_add_overflow(product, 1, &product))
    invalid_argument("Negative dimension size caused by overflow when multiplying ", window - 1, " and ", dilation);
  return product;
}

}  // namespace

std::int64_t infer_places(const InferContext& c, std::int64_t size, const WindowAxis& axis) {
  if (axis.stride <= 0) invalid_argument("Stride must be > 0, but got ", axis.stride);
  if (axis.dilation < 1) invalid_argument("Dilation rate must be >= 1, but got ", axis.dilation);
  if (axis.padding == Padding::kSame) {
    if (axis.stride == 1) return size;
    return size < 0 ? kUnknownDim : (added(size, axis.stride - 1)) / axis.stride;
  }
  if (axis.padding == Padding::kExplicit) {
    const std::int64_t more = wrapped_sum(axis.before, axis.after);
    if (size < 0 && more != 0) size = kUnknownDim;
    size = added(size, more);
  }
  const std::int64_t window = extent(axis.window, axis.dilation);
  if (window == 1 && axis.stride == 1 && size != 0) return size;  // maybe a symbol
  if (size < 0 || window < 0) return kUnknownDim;
  if (c.running()) return (size - window + axis.stride) / axis.stride;
  if (window > size) invalid_argument("Negative dimension size caused by subtracting ", window, " from ", size);
  return added(size - window, axis.stride) / axis.stride;
}

std::int64_t count_places(std::int64_t size, WindowAxis& axis) {
  const std::int64_t window = (axis.window - 1) * axis.dilation + 1;
  std::int64_t places = 0;
  if (axis.padding == Padding::kSame) {
    places = (size + axis.stride - 1) / axis.stride;
    const std::int64_t needed = std::max<std::int64_t>(0, (places - 1) * axis.stride + window - size);
    axis.before = needed / 2;
    axis.after = needed - axis.before;
  } else {
    if (axis.padding == Padding::kValid) axis.before = axis.after = 0;
    const std::int64_t padded = wrapped_sum(wrapped_sum(size, axis.before), axis.after);
    places = wrapped_sum(padded, axis.stride - window) / axis.stride;
  }
  if (places < 0)
    invalid_argument("Computed output size would be negative: ", places, " [input_size: ", size,
                     ", effective_filter_size: ", window, ", stride: ", axis.stride, "]");
  return places;
}

Shape given_shape(const InferContext& c, std::size_t i) {
  c.require_rank(i, 1);
  return c.shape_value(i, true);
}

void require_int32(std::string_view attr, std::span<const std::int64_t> values) {
  for (std::int64_t v : values)
    if (v != static_cast<std::int32_t>(v))
      invalid_argument("Attr ", attr, " has value ", v, " out of range for an int32");
}

void check_explicit_paddings(const WindowAttrs& attrs) {
  const std::span<const std::int64_t> paddings = attrs.explicit_paddings;
  if (attrs.padding != Padding::kExplicit) {
    if (!paddings.empty())
      invalid_argument("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    return;
  }
  const int wanted = 2 * attrs.layout.rank();
  if (paddings.size() != static_cast<std::size_t>(wanted))
    invalid_argument("explicit_paddings attribute must contain ", wanted, " values, but got: ", paddings.size());
  for (std::int64_t p : paddings)
    if (p < 0) invalid_argument("All elements of explicit_paddings must be nonnegative");
  const auto channel = static_cast<std::size_t>(attrs.layout.channel());
  if (paddings[0] || paddings[1] || paddings[2 * channel] || paddings[2 * channel + 1])
    invalid_argument("Nonzero explicit padding in the batch or depth dimensions is not supported");
}

void for_lines(const KernelContext& c, std::int64_t images, std::int64_t lines, double cost, LinesFunction f) {
  if (lines == 0) return;
  c.parallel_for(images * lines, cost, [&](std::int64_t begin, std::int64_t end) {
    in_slices(begin, end, cost, [&](std::int64_t from, std::int64_t to) {
      while (from < to) {
        const std::int64_t image = from / lines, first = from % lines, last = std::min(lines, first + to - from);
        f(image, first, last);
        from += last - first;
      }
    });
  });
}

Tensor channels_last(const KernelContext& c, const Tensor& x, const ImageLayout& layout) {
  if (!layout.channels_second) return x;
  if (x.dim(1) == 1) return x.reshaped(channels_last(x.shape(), layout));
  constexpr int kTwo[] = {0, 2, 3, 1}, kThree[] = {0, 2, 3, 4, 1};
  return transposed(c, x, layout.dims == 2 ? std::span<const int>(kTwo) : std::span<const int>(kThree));
}

Shape channels_last(const Shape& shape, const ImageLayout& layout) {
  if (!layout.channels_second) return shape;
  Shape last({shape[0]});
  for (int i = 2; i < shape.rank(); ++i) last.push_back(shape[i]);
  last.push_back(shape[1]);
  return last;
}

void store_channels_last(const KernelContext& c, const Tensor& images, const ImageLayout& layout, Tensor& out) {
  if (!layout.channels_second) return;
  constexpr int kTwo[] = {0, 3, 1, 2}, kThree[] = {0, 4, 1, 2, 3};
  transpose_into(c, images, layout.dims == 2 ? std::span<const int>(kTwo) : std::span<const int>(kThree), out);
}

Tensor images_for(const Tensor& out, const ImageLayout& layout) {
  return layout.channels_second ? Tensor(out.dtype(), channels_last(out.shape(), layout)) : out;
}

}  // namespace tracefn
