// Ops that are others with their inputs in another order or form: Concat, Gather, Reverse, BatchMatMul, BiasAddV1,
// and convolutions that resize and pad first.
#include "ops/array/array_families.h"
#include "ops/array/indexed_elements.h"
#include "ops/gradient.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

using Inputs = std::vector<InferContext::Input>;

// Concat: the axis first.

void infer_concat(InferContext& c) {
  (void)c.int_value(0);  // notes that the axis is asked for
  Inputs inputs;
  for (std::size_t i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  inputs.push_back(c.input(0));
  c.set_output(0, infer_inside("ConcatV2", inputs)[0]);
}

void concat_first(KernelContext& c) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  inputs.push_back(c.input(0));
  c.set_output(0, run_inside(c, "ConcatV2", inputs)[0]);
}

void grad_concat(GradContext& c) {
  std::vector<Operand> inputs;
  for (std::size_t i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  inputs.push_back(c.input(0));
  std::vector<Gradient> found = differentiate_inside(c, "ConcatV2", inputs);
  for (std::size_t i = 1; i < c.num_inputs(); ++i) c.to_input(i, found[i - 1]);
}

// Gather: along the first axis.

void infer_gather(InferContext& c) {
  const Tensor axis = build::scalar_tensor(DType::kInt32, 0);
  const Inputs inputs{c.input(0), c.input(1), {&axis.shape(), axis.dtype(), &axis, nullptr}};
  c.set_output(0, infer_inside("GatherV2", inputs)[0]);
}

void gather(KernelContext& c) {
  c.set_output(0, run_inside(c, "GatherV2", {c.input(0), c.input(1), build::scalar_tensor(DType::kInt32, 0)})[0]);
}

void grad_gather(GradContext& c) {
  const std::vector<Operand> inputs{c.input(0), c.input(1), build::scalar(DType::kInt32, 0)};
  c.to_input(0, differentiate_inside(c, "GatherV2", inputs)[0]);
}

// Reverse: the axes as flags.

void infer_reverse(InferContext& c) {
  c.require_rank(1, 1);
  const Shape& x = c.shape(0);
  const Shape& flags = c.shape(1);
  if (x.has_rank() && flags.has_rank() && flags[0] >= 0 && flags[0] != x.rank())
    invalid_argument("Shape must be rank ", flags[0], " but is rank ", x.rank());
  c.set_output(0, x);
}

void reverse(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& flags = c.input(1);
  if (flags.rank() != 1) invalid_argument("'dims' must be 1-dimension, not ", flags.rank());
  if (flags.num_elements() != x.rank())
    invalid_argument("'dims' must have the same number of values as 'input' has dimensions. 'input' has ", x.rank(),
                     "'dims' has ", flags.num_elements(), " values");
  std::vector<std::int32_t> axes;
  for (int i = 0; i < x.rank(); ++i)
    if (flags.data<bool>()[i]) axes.push_back(i);
  Tensor of(DType::kInt32, Shape({static_cast<std::int64_t>(axes.size())}));
  std::copy(axes.begin(), axes.end(), of.mutable_data<std::int32_t>());
  c.set_output(0, run_inside(c, "ReverseV2", {x, of})[0]);
}

// BatchMatMul: without broadcasting.

void infer_flagged_matmul(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 2);
  auto batch = [](const Shape& s) {
    return s.has_rank() ? Shape(Dims(s.dims().begin(), s.dims().end() - 2)) : Shape::unknown();
  };
  const Shape batches = merge_or_explain(batch(c.shape(0)), batch(c.shape(1)));
  Shape out = infer_inside("BatchMatMulV2", {c.input(0), c.input(1)},
                           {{"adj_x", c.attr("adj_x")}, {"adj_y", c.attr("adj_y")}})[0];
  if (out.has_rank() && batches.has_rank())
    for (int i = 0; i < batches.rank(); ++i) out[i] = batches[i];
  c.set_output(0, std::move(out));
}

void flagged_matmul(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  if (x.rank() != y.rank())
    invalid_argument("In[0] and In[1] has different ndims: ", x.shape().text(), " vs. ", y.shape().text());
  for (int i = 0; i + 2 < x.rank(); ++i)
    if (x.dim(i) != y.dim(i))
      invalid_argument("In[0].dim(", i, ") and In[1].dim(", i, ") must be the same: ", x.shape().text(), " vs ",
                       y.shape().text());
  c.set_output(0, run_inside(c, "BatchMatMulV2", {x, y}, {{"adj_x", c.attr("adj_x")}, {"adj_y", c.attr("adj_y")}})[0]);
}

void grad_flagged_matmul(GradContext& c) {
  const bool ta = c.attr("adj_x").b(), tb = c.attr("adj_y").b();
  auto product = [](const Operand& x, const Operand& y, bool tx, bool ty) {
    return emit1("BatchMatMul", {x, y}, {{"adj_x", tx}, {"adj_y", ty}});
  };
  const Operand a = c.input(0), b = c.input(1), dy = c.dy(0);
  if (c.wanted(0)) c.to_input(0, ta ? product(b, dy, tb, true) : product(dy, b, false, !tb));
  if (c.wanted(1)) c.to_input(1, tb ? product(dy, a, true, ta) : product(a, dy, !ta, false));
}

// BiasAddV1: channels are last.

void infer_bias_add(InferContext& c) {
  c.set_output(0, infer_inside("BiasAdd", {c.input(0), c.input(1)}, {{"data_format", std::string("NHWC")}})[0]);
}

void bias_add(KernelContext& c) { c.set_output(0, run_inside(c, "BiasAdd", {c.input(0), c.input(1)})[0]); }

void grad_bias_add(GradContext& c) {
  c.to_input(0, c.dy(0));
  c.to_input(1, emit1("BiasAddGrad", {c.dy(0)}));
}

// Convolutions that resize (`kResizes`) and pad their images first.

template <bool kResizes>
struct Padded {
  static constexpr std::size_t kPaddings = kResizes ? 2 : 1, kFilter = kResizes ? 3 : 2;

  static void infer(InferContext& c) {
    c.require_rank(0, 4);
    Shape images = c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(4);
    Inputs inputs{c.input(0)};
    if constexpr (kResizes) {
      c.require_rank(1, 1);
      const Shape size = c.shape_value(1);
      for (int i = 0; i < 2; ++i) images[i + 1] = size.has_rank() && size.rank() == 2 ? size[i] : kUnknownDim;
    }
    (void)c.value(kPaddings);  // notes that it is asked for
    inputs[0].shape = &images;
    inputs[0].value = nullptr;
    inputs.push_back(c.input(kPaddings));
    Shape padded = infer_inside("MirrorPad", inputs, {{"mode", c.attr("mode")}})[0];
    if (!padded.has_rank()) padded = Shape::of_rank(4);
    c.set_output(0, infer_inside("Conv2D", {{&padded, c.dtype(0), nullptr, nullptr}, c.input(kFilter)},
                                 {{"strides", c.attr("strides")}, {"padding", c.attr("padding")}})[0]);
  }

  static void kernel(KernelContext& c) {
    Tensor images = c.input(0);
    if (images.rank() != 4) invalid_argument("input must be 4-dimensional", images.shape().text());
    if constexpr (kResizes) {
      Tensor resized =
          run_inside(c, "ResizeBilinear", {images, c.input(1)}, {{"align_corners", c.attr("resize_align_corners")}})[0];
      images = images.dtype() == DType::kFloat ? resized : rounded(resized, images.dtype());
    }
    Tensor padded = run_inside(c, "MirrorPad", {images, c.input(kPaddings)}, {{"mode", c.attr("mode")}})[0];
    c.set_output(0, run_inside(c, "Conv2D", {padded, c.input(kFilter)},
                               {{"strides", c.attr("strides")}, {"padding", c.attr("padding")}})[0]);
  }

  static Tensor rounded(const Tensor& t, DType dtype) {
    Tensor out(dtype, t.shape());
    const float* x = t.data<float>();
    const std::int64_t n = t.num_elements();
    if (dtype == DType::kHalf) {
      std::transform(x, x + n, out.mutable_data<Half>(), [](float v) { return Half(v); });
    } else {
      std::copy(x, x + n, out.mutable_data<double>());
    }
    return out;
  }
};

}  // namespace

void register_rearranged(Registry& r) {
  r.add({.name = "Concat",
         .inputs = {"concat_dim: int32", "values: N * T"},
         .outputs = {"output: T"},
         .attrs = {"N: int >= 2", "T: type"},
         .doc = "The tensors concatenated along an axis: ConcatV2, whose axis is last.",
         .infer = infer_concat,
         .kernel = concat_first,
         .allocation = Allocation::kShared,
         .grad = grad_concat});
  r.add({.name = "Gather",
         .inputs = {"params: Tparams", "indices: Tindices"},
         .outputs = {"output: Tparams"},
         .attrs = {"validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"},
         .facts = {.moves = "Tparams", .elements = gather_elements, .indexing = Indexing::kReads},
         .doc = "Rows of params, selected by indices, which are always checked.",
         .infer = infer_gather,
         .kernel = gather,
         .allocation = Allocation::kShared,
         .grad = grad_gather});
  r.add({.name = "Reverse",
         .inputs = {"tensor: T", "dims: bool"},
         .outputs = {"output: T"},
         .attrs = {"T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, "
                   "complex64, complex128, string}"},
         .facts = {.moves = "T"},
         .doc = "The tensor reversed along the dimensions whose flag is true.",
         .infer = infer_reverse,
         .kernel = reverse,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("Reverse", {c.dy(0), c.input(1)}));
         }});
  r.add({.name = "BatchMatMul",
         .inputs = {"x: T", "y: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", "adj_x: bool = false",
                   "adj_y: bool = false", "grad_x: bool = false", "grad_y: bool = false"},
         .facts = {.contracts = true},
         .doc = "The matrix products of two batches of the same shape.",
         .infer = infer_flagged_matmul,
         .kernel = flagged_matmul,
         .allocation = Allocation::kShared,
         .grad = grad_flagged_matmul});
  r.add({.name = "BiasAddV1",
         .inputs = {"value: T", "bias: T"},
         .outputs = {"output: T"},
         .attrs = {"T: " TRACEFN_NUMBERS},
         .doc = "value with the vector bias added along the last dimension.",
         .infer = infer_bias_add,
         .kernel = bias_add,
         .allocation = Allocation::kShared,
         .grad = grad_bias_add});
  r.add({.name = "FusedPadConv2D",
         .inputs = {"input: T", "paddings: int32", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, bfloat16, float, double}", "mode: {'REFLECT', 'SYMMETRIC'}", "strides: list(int)",
                   "padding: {'SAME', 'VALID'}"},
         .facts = {.contracts = true},
         .doc = "The convolution of images that are padded by mirroring first: MirrorPad, Conv2D.",
         .infer = Padded<false>::infer,
         .kernel = Padded<false>::kernel,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
  r.add({.name = "FusedResizeAndPadConv2D",
         .inputs = {"input: T", "size: int32", "paddings: int32", "filter: T"},
         .outputs = {"output: T"},
         .attrs = {"T: {half, float, double}", "resize_align_corners: bool = false", "mode: {'REFLECT', 'SYMMETRIC'}",
                   "strides: list(int)", "padding: {'SAME', 'VALID'}"},
         .facts = {.contracts = true},
         .doc = "The convolution of images that are resized and padded by mirroring first: ResizeBilinear, MirrorPad, "
                "Conv2D.",
         .infer = Padded<true>::infer,
         .kernel = Padded<true>::kernel,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
}

}  // namespace tracefn
