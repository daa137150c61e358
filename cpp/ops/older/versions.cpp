// Ops that are other ops with further dtypes, dimensions or attributes: BatchMatMulV3, ApproxTopK, Conv,
// ScatterNdNonAliasingAdd.
#include <algorithm>

#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// BatchMatMulV3: operands of two dtypes, converted to that of the result.

void infer_first_batch_matmul(InferContext& c) {
  c.set_output(0, infer_inside("BatchMatMulV2", {c.input(0), c.input(1)},
                               {{"adj_x", c.attr("adj_x")}, {"adj_y", c.attr("adj_y")}})[0]);
}

Tensor converted(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor out(dtype, x.shape());
  with_number(x.dtype(), [&]<typename From>(std::type_identity<From>) {
    with_number(dtype, [&]<typename To>(std::type_identity<To>) {
      const From* from = x.data<From>();
      To* to = out.mutable_data<To>();
      for (std::int64_t i = 0; i < x.num_elements(); ++i) to[i] = static_cast<To>(compute_value(from[i]));
    });
  });
  return out;
}

// The pairs of dtypes that TensorFlow has kernels for.
bool has_product(DType x, DType y, DType out) {
  auto is_byte = [](DType d) { return d == DType::kInt8 || d == DType::kUInt8; };
  if (x == y && x == out) return !is_byte(x);
  if (is_byte(x) && is_byte(y)) return out == DType::kInt32;
  return out == DType::kBFloat16 && ((is_byte(x) && y == out) || (x == out && is_byte(y)));
}

void first_batch_matmul(KernelContext& c) {
  const DType out = c.attr("Tout").type();
  if (!has_product(c.input(0).dtype(), c.input(1).dtype(), out)) no_kernel();
  c.set_output(0, run_inside(c, "BatchMatMulV2", {converted(c.input(0), out), converted(c.input(1), out)},
                             {{"adj_x", c.attr("adj_x")}, {"adj_y", c.attr("adj_y")}})[0]);
}

void grad_first_batch_matmul(GradContext& c) {
  const std::vector<Gradient> found = differentiate_inside(c, "BatchMatMulV2", {c.input(0), c.input(1)},
                                                           {{"adj_x", c.attr("adj_x")}, {"adj_y", c.attr("adj_y")}});
  for (std::size_t i = 0; i < 2; ++i) c.to_input(i, found[i]);
}

// ApproxTopK: exact.

void require_last_axis(const KernelContext& c) {
  if (c.attr("reduction_dimension").i() != -1 || !c.attr("is_max_k").b())
    no_kernel(
        "ApproxTopK takes the largest elements (is_max_k) along the last dimension (reduction_dimension=-1) only.");
}

void infer_approx_top_k(InferContext& c) {
  c.require_rank_at_least(0, 1);
  const Shape& x = c.shape(0);
  if (!x.has_rank()) {
    c.set_output(0, Shape::unknown());
    return c.set_output(1, Shape::unknown());
  }
  const std::int64_t axis = normalize_axis(c.attr("reduction_dimension").i(), x.rank(), "reduction_dimension");
  const std::int64_t k = c.attr("k").i();
  Shape out = x;
  if (!c.running() && x[static_cast<int>(axis)] >= 0 && x[static_cast<int>(axis)] < k)
    invalid_argument("input must have last dimension >= k = ", k, " but was ", x[static_cast<int>(axis)]);
  out[static_cast<int>(axis)] = k;
  c.set_output(0, out);
  c.set_output(1, out);
}

void approx_top_k(KernelContext& c) {
  require_last_axis(c);
  const Tensor k = build::scalar_tensor(DType::kInt32, static_cast<double>(c.attr("k").i()));
  std::vector<Tensor> found = run_inside(c, "TopKV2", {c.input(0), k});
  for (std::size_t j = 0; j < 2; ++j) c.set_output(j, std::move(found[j]));
}

void grad_approx_top_k(GradContext& c) {
  const Operand k = build::scalar(DType::kInt32, static_cast<double>(c.attr("k").i()));
  c.to_input(0, differentiate_inside(c, "TopKV2", {c.input(0), k})[0]);
}

// Conv: Conv2D or Conv3D after any number of batch dimensions.

struct ConvForm {
  bool three;
  int batch_dims;
};

template <typename Context>
ConvForm conv_form(const Context& c, const Shape& input, const Shape& filter) {
  const std::int64_t batch_dims = c.attr("batch_dims").i(), dims = filter.rank() - 2;
  if (batch_dims < 0) invalid_argument("Must specify at least one batch_dims >= 0, got ", batch_dims);
  if (dims < 1 || dims > 3) invalid_argument("Must have 1 <= spatial dimensions <= 3, got ", dims);
  if (input.rank() != batch_dims + dims + 1)
    invalid_argument("Input must be of rank ", batch_dims + dims + 1, " = batch_dims + ", dims, " + 1, got ",
                     input.rank());
  if (dims == 1) fail(ErrorKind::kUnimplemented, "Conv computes two or three spatial dimensions, got 1.");
  if (c.attr("data_format").s() != "CHANNELS_LAST")
    fail(ErrorKind::kUnimplemented, "The Conv op currently only supports the CHANNELS_LAST format on the CPU.");
  if (c.attr("groups").i() != 1)
    fail(ErrorKind::kUnimplemented, "Grouped/Depthwise Convolutions are not supported yet.");
  return {dims == 3, static_cast<int>(batch_dims)};
}

// The shape with one dimension for the batch.
Shape one_batch(const Shape& input, int batch_dims) {
  Shape shape({1});
  for (int i = 0; i < batch_dims; ++i) shape[0] = shape[0] < 0 || input[i] < 0 ? kUnknownDim : shape[0] * input[i];
  for (int i = batch_dims; i < input.rank(); ++i) shape.push_back(input[i]);
  return shape;
}

Shape own_batch(const Shape& input, int batch_dims, const Shape& out) {
  Shape shape;
  for (int i = 0; i < batch_dims; ++i) shape.push_back(input[i]);
  for (int i = 1; i < out.rank(); ++i) shape.push_back(out[i]);
  return shape;
}

std::vector<std::int64_t> dilations(const Attr& attr, bool three) {
  return attr.ints().empty() ? std::vector<std::int64_t>(three ? 5 : 4, 1) : attr.ints();
}

void infer_conv_any(InferContext& c) {
  const Shape &input = c.shape(0), &filter = c.shape(1);
  if (!input.has_rank() || !filter.has_rank()) return c.set_output(0, Shape::unknown());
  const ConvForm form = conv_form(c, input, filter);
  const Shape flat = one_batch(input, form.batch_dims);
  const std::vector<InferContext::Input> inputs{{&flat, c.dtype(0), nullptr, nullptr}, c.input(1)};
  const Attr dilated = dilations(c.attr("dilations"), form.three);
  const Shape out =
      form.three
          ? infer_inside("Conv3D", inputs,
                         {{"strides", c.attr("strides")}, {"padding", c.attr("padding")}, {"dilations", dilated}})[0]
          : infer_inside("Conv2D", inputs,
                         {{"strides", c.attr("strides")},
                          {"padding", c.attr("padding")},
                          {"explicit_paddings", c.attr("explicit_paddings")},
                          {"dilations", dilated}})[0];
  c.set_output(0, own_batch(input, form.batch_dims, out));
}

void conv_any(KernelContext& c) {
  const Tensor &input = c.input(0), &filter = c.input(1);
  const ConvForm form = conv_form(c, input.shape(), filter.shape());
  if (form.three && c.attr("padding").s() == "EXPLICIT")
    fail(ErrorKind::kUnimplemented, "Conv with three spatial dimensions does not take explicit paddings.");
  const Tensor flat = input.reshaped(one_batch(input.shape(), form.batch_dims));
  const Attr dilated = dilations(c.attr("dilations"), form.three);
  // Conv3D takes no integers; sums of products of 32-bit integers below 2^53 are exact in doubles.
  const bool wide = form.three && flat.dtype() == DType::kInt32;
  Tensor out =
      form.three
          ? run_inside(
                c, "Conv3D",
                {wide ? converted(flat, DType::kDouble) : flat, wide ? converted(filter, DType::kDouble) : filter},
                {{"strides", c.attr("strides")}, {"padding", c.attr("padding")}, {"dilations", dilated}})[0]
          : run_inside(c, "Conv2D", {flat, filter},
                       {{"strides", c.attr("strides")},
                        {"padding", c.attr("padding")},
                        {"explicit_paddings", c.attr("explicit_paddings")},
                        {"dilations", dilated}})[0];
  if (wide) out = converted(out, DType::kInt32);
  c.set_output(0, out.reshaped(own_batch(input.shape(), form.batch_dims, out.shape())));
}

// ScatterNdNonAliasingAdd: TensorScatterAdd.

void infer_scatter_add(InferContext& c) {
  c.set_output(0, infer_inside("TensorScatterAdd", {c.input(0), c.input(1), c.input(2)})[0]);
}

// The same numbers 0 and 1 as another type.
template <typename From, typename To>
Tensor as_flags(const Tensor& x) {
  Tensor out(DTypeOf<To>::value, x.shape());
  std::transform(x.data<From>(), x.data<From>() + x.num_elements(), out.mutable_data<To>(),
                 [](From v) { return static_cast<To>(v != From{}); });
  return out;
}

// A sum of bools is true if one of them is.
void scatter_add(KernelContext& c) {
  const bool flags = c.input(0).dtype() == DType::kBool;
  auto operand = [&](std::size_t i) { return flags ? as_flags<bool, std::int32_t>(c.input(i)) : c.input(i); };
  const Tensor sum = run_inside(c, "TensorScatterAdd", {operand(0), c.input(1), operand(2)},
                                {{"bad_indices_policy", c.attr("bad_indices_policy")}})[0];
  c.set_output(0, flags ? as_flags<std::int32_t, bool>(sum) : sum);
}

void grad_scatter_add(GradContext& c) {
  c.to_input(0, c.dy(0));
  c.to_input(2, emit1("GatherNd", {c.dy(0), c.input(1)}));
}

}  // namespace

void register_versions(Registry& r) {
  constexpr std::string_view product =
      "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
      "complex128}";
  static const std::string ta = concat("Ta: ", product), tb = concat("Tb: ", product);
  r.add({.name = "BatchMatMulV3",
         .inputs = {"x: Ta", "y: Tb"},
         .outputs = {"output: Tout"},
         .attrs = {ta, tb, "Tout: {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}",
                   "adj_x: bool = false", "adj_y: bool = false", "grad_x: bool = false", "grad_y: bool = false"},
         .facts = {.contracts = true},
         .doc = "The matrix products of two batches, computed in the dtype of the result.",
         .infer = infer_first_batch_matmul,
         .kernel = first_batch_matmul,
         .allocation = Allocation::kShared,
         .grad = grad_first_batch_matmul});
  r.add({.name = "ApproxTopK",
         .inputs = {"input: T"},
         .outputs = {"values: T", "indices: int32"},
         .attrs = {"k: int >= 0", "reduction_dimension: int = -1", "recall_target: float = 0.95",
                   "is_max_k: bool = true", "reduction_input_size_override: int = -1", "aggregate_to_topk: bool = true",
                   "T: {half, bfloat16, float}"},
         .doc = "The k largest elements along the last axis, and their indices. They are exact.",
         .infer = infer_approx_top_k,
         .kernel = approx_top_k,
         .allocation = Allocation::kShared,
         .grad = grad_approx_top_k});
  r.add(
      {.name = "Conv",
       .python = "conv(input, filter, strides, padding, explicit_paddings, data_format, dilations, batch_dims, groups)",
       .inputs = {"input: T", "filter: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {half, bfloat16, float, double, int32}", "strides: list(int)",
                 "padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []",
                 "data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'", "dilations: list(int) = []",
                 "batch_dims: int = 1", "groups: int = 1"},
       .facts = {.contracts = true},
       .doc = "The cross-correlation of images or volumes [batch..., spatial..., channels] with filters [spatial..., "
              "channels, filters].\n\nThere are `batch_dims` batch dimensions, and two or three spatial ones. Raises "
              "UnimplementedError for groups and for channels that are not last.",
       .infer = infer_conv_any,
       .kernel = conv_any,
       .allocation = Allocation::kShared,
       .grad = without_gradient});
  r.add(
      {.name = "ScatterNdNonAliasingAdd",
       .inputs = {"input: T", "indices: Tindices", "updates: T"},
       .outputs = {"output: T"},
       .attrs = {"T: {" TRACEFN_EVERY_NUMBER ", bool}", "Tindices: {int32, int64}", "bad_indices_policy: string = ''"},
       .doc = "The input with `updates` added at the index vectors in the last dimension of `indices`.",
       .infer = infer_scatter_add,
       .kernel = scatter_add,
       .allocation = Allocation::kShared,
       .grad = grad_scatter_add});
}

}  // namespace tracefn
