// Patches of images and of volumes, as a convolution reads them, side by side in the last dimension.
#include "base/poll.h"
#include "ops/conv/window.h"
#include "ops/gradient.h"
#include "ops/image/image_families.h"
#include "ops/registry.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

// The window along the spatial dimensions, of which there are 2 or 3.
std::array<WindowAxis, 3> axes_of(const OpSignature& op, const AttrList& attrs, int dims) {
  const auto windows = ints_of(op, attrs, "ksizes"), strides = ints_of(op, attrs, "strides"),
             rates = ints_of(op, attrs, "rates");
  std::array<WindowAxis, 3> axes;
  for (int i = 0; i < dims; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    axes[spatial_index(dims, i)] = {
        .window = windows[at],
        .stride = strides[at],
        .dilation = rates.empty() ? 1 : rates[at],
        .padding = padding_of(attrs[static_cast<std::size_t>(op.attr_index("padding"))].s())};
  }
  return axes;
}

template <int dims>
void infer_patches(InferContext& c) {
  c.require_rank(0, dims + 2);
  for (std::string_view attr : {"ksizes", "strides", "rates"}) {
    if (c.op().attr_index(attr) < 0) continue;
    const std::size_t given = c.attr(attr).ints().size();
    if (given != dims + 2)
      invalid_argument(c.op().name, " requires the ", attr, " attribute to contain ", dims + 2,
                       " values, but got: ", given);
  }
  const std::array<WindowAxis, 3> axes = axes_of(c.op(), c.attrs(), dims);
  Shape out({dim_of(c.shape(0), 0)});
  bool known = true;
  for (int i = 1; i <= dims; ++i) known = known && dim_of(c.shape(0), i) >= 0;
  std::int64_t taps = 1;
  for (int i = 0; i < dims; ++i) {
    WindowAxis axis = axes[spatial_index(dims, i)];
    taps *= axis.window;
    if (known && axis.stride <= 0) invalid_argument("Stride must be > 0, but got ", axis.stride);
    // As in TensorFlow, one unknown size makes all unknown.
    out.push_back(known ? count_places(dim_of(c.shape(0), i + 1), axis) : kUnknownDim);
  }
  const std::int64_t channels = dim_of(c.shape(0), dims + 1);
  out.push_back(taps == 1 ? channels : channels < 0 ? kUnknownDim : channels * taps);
  c.set_output(0, std::move(out));
}

template <int dims>
void check_patches(const KernelContext& c) {
  for (std::string_view attr : {"ksizes", "strides", "rates"}) {
    if (c.op().signature.attr_index(attr) < 0) continue;
    const std::vector<std::int64_t>& v = c.attr(attr).ints();
    require_int32(attr, v);
    if (v.size() != dims + 2)
      invalid_argument(c.op().name(), " requires the ", attr, " attribute to contain ", dims + 2,
                       " values, but got: ", v.size());
    if (v.front() != 1 || v.back() != 1) fail(ErrorKind::kUnimplemented, "Only support ", attr, " across space.");
    for (int i = 1; i <= dims; ++i)
      if (v[static_cast<std::size_t>(i)] < 1) fail(ErrorKind::kOutOfRange, attr, " is out of range.");
  }
  const Tensor& x = c.input(0);
  if (x.rank() != dims + 2) invalid_argument("input must be ", dims + 2, "-dimensional", x.shape().text());
  std::array<WindowAxis, 3> axes = axes_of(c.op().signature, c.attrs(), dims);
  for (int i = 0; i < dims; ++i) count_places(x.dim(i + 1), axes[spatial_index(dims, i)]);
}

template <int dims>
void patches(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  std::array<WindowAxis, 3> axes = axes_of(c.op().signature, c.attrs(), dims);
  Spatial in{1, 1, 1}, places{1, 1, 1};
  for (int i = 0; i < dims; ++i) {
    const std::size_t at = spatial_index(dims, i);
    in[at] = x.dim(i + 1);
    places[at] = count_places(in[at], axes[at]);
  }
  const std::int64_t channels = x.dim(dims + 1), patch = out.dim(dims + 1);
  const std::size_t pixel = size_of(x.dtype()) * static_cast<std::size_t>(channels);
  const char* from = x.data<char>();
  char* to = out.mutable_data<char>();
  const std::int64_t lines = places[0] * places[1];
  const double cost = 0.2 * static_cast<double>(patch) * static_cast<double>(places[2]);
  for_lines(c, x.dim(0), lines, cost, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) {
      char* at = to + static_cast<std::size_t>((image * lines + line) * places[2]) * pixel *
                          static_cast<std::size_t>(patch / channels);
      const std::int64_t starts[] = {line / places[1] * axes[0].stride - axes[0].before,
                                     line % places[1] * axes[1].stride - axes[1].before};
      for (std::int64_t place = 0; place < places[2]; ++place)
        for (std::int64_t i = 0; i < axes[0].window; ++i)
          for (std::int64_t j = 0; j < axes[1].window; ++j)
            for (std::int64_t k = 0; k < axes[2].window; ++k, at += pixel) {
              const std::int64_t z = starts[0] + i * axes[0].dilation, y = starts[1] + j * axes[1].dilation,
                                 w = place * axes[2].stride - axes[2].before + k * axes[2].dilation;
              if (z < 0 || z >= in[0] || y < 0 || y >= in[1] || w < 0 || w >= in[2]) {
                __builtin_memset(at, 0, pixel);
              } else {
                __builtin_memcpy(
                    at, from + static_cast<std::size_t>(((image * in[0] + z) * in[1] + y) * in[2] + w) * pixel, pixel);
              }
            }
    }
  });
}

// Patches of an image of numbers say which pixel each element of a patch is; the gradients of equal pixels are summed.
template <int dims>
void grad_patches(GradContext& c) {
  using namespace build;
  const Operand &x = c.input(0), dy = c.dy(0);
  auto part = [&](std::int32_t begin, std::int32_t size) {
    return emit1("Slice", {shape_of(x), ints({begin}), ints({size})});
  };
  const Operand batch = part(0, 1), space = part(1, dims), channels = part(dims + 1, 1);
  const Operand axis = scalar(DType::kInt32, 0), one = scalar(DType::kInt32, 1);
  auto join = [&](std::vector<Operand> parts) {
    parts.push_back(axis);
    return emit_all("ConcatV2", parts)[0];
  };
  const Operand pixels = emit1("Prod", {space, ints({0})});
  const Operand beyond = pixels + one;  // 0 is padding
  const Operand numbers = reshape(emit1("Range", {one, beyond, one}), join({ints({1}), space, ints({1})}));
  const Operand of = reshape(emit_like(c, c.op().name(), {numbers}), ints({-1}));
  const Operand rows = reshape(dy, join({batch, shape_of(of), channels}));
  const Operand by_pixel = emit1("Transpose", {rows, ints({1, 0, 2})});
  const Operand sums = emit1("UnsortedSegmentSum", {by_pixel, of, beyond});
  const Operand inside = emit1("Slice", {sums, ints({1, 0, 0}), ints({-1, -1, -1})});
  c.to_input(0, reshape(emit1("Transpose", {inside, ints({1, 0, 2})}), shape_of(x)));
}

}  // namespace

void register_image_patches(Registry& r) {
  r.add({.name = "ExtractImagePatches",
         .inputs = {"images: T"},
         .outputs = {"patches: T"},
         .attrs = {"ksizes: list(int) >= 4", "strides: list(int) >= 4", "rates: list(int) >= 4",
                   "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
                   "complex64, complex128, bool}",
                   "padding: {'SAME', 'VALID'}"},
         .doc = "Patches of images [batch, height, width, channels], flattened into the last dimension.",
         .infer = infer_patches<2>,
         .check = check_patches<2>,
         .kernel = patches<2>,
         .grad = grad_patches<2>});
  r.add({.name = "ExtractVolumePatches",
         .python = "extract_volume_patches(input, ksizes, strides, padding)",
         .inputs = {"input: T"},
         .outputs = {"patches: T"},
         .attrs = {"ksizes: list(int) >= 5", "strides: list(int) >= 5", "T: " TRACEFN_REAL_NUMBERS,
                   "padding: {'SAME', 'VALID'}"},
         .doc =
             "Patches of volumes, flattened into the last dimension.\n\n"
             "input is a tensor of real numbers [batch, depth, height, width, channels]; ksizes and strides are lists "
             "of 5 ints that start and end with 1, padding is \"SAME\" or \"VALID\". The result has input's dtype and "
             "the shape [batch, places along depth, height and width, elements of a patch]. Raises "
             "InvalidArgumentError if input has another rank.",
         .infer = infer_patches<3>,
         .check = check_patches<3>,
         .kernel = patches<3>,
         .grad = grad_patches<3>});
}

}  // namespace tracefn
