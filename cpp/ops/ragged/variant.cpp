// RaggedTensorToVariant, RaggedTensorFromVariant: ragged tensors, or their rows, as elements of variant tensors.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/rows.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/variant_object.h"

namespace tracefn {
namespace {

// A ragged tensor, immutable.
class RaggedVariant final : public VariantObject {
 public:
  RaggedVariant(std::vector<Tensor> nested_splits, Tensor flat_values)
      : splits(std::move(nested_splits)), values(std::move(flat_values)) {}

  std::string type_name() const override { return "RaggedTensorVariant"; }
  Ref<VariantObject> zeros_like() const override {
    return make_ref<RaggedVariant>(splits, Tensor::zeros(values.dtype(), values.shape()));
  }
  Ref<VariantObject> add(const VariantObject& other) const override {
    auto* that = dynamic_cast<const RaggedVariant*>(&other);
    if (!that) invalid_argument("Cannot add a RaggedTensorVariant and another kind of variant.");
    if (splits.size() != that->splits.size() || !(values.shape() == that->values.shape()) ||
        values.dtype() != that->values.dtype())
      invalid_argument("RaggedTensorVariants to add must have the same ragged rank, shape and dtype.");
    for (std::size_t i = 0; i < splits.size(); ++i)
      if (!identical(splits[i], that->splits[i]))
        invalid_argument("RaggedTensorVariants to add must have the same row splits.");
    BinaryBlock block = elementwise_kernel<functions::Add>(values.dtype());
    if (!block) invalid_argument("No addition for ragged tensors of ", runtime_name(values.dtype()), ".");
    Tensor sum(values.dtype(), values.shape());
    block(values.raw(), that->values.raw(), sum.mutable_raw(), values.num_elements(), 0);
    return make_ref<RaggedVariant>(splits, std::move(sum));
  }

  const std::vector<Tensor> splits;
  const Tensor values;
};

// Splits from element `begin` to `end`, counted from 0.
Tensor rebased(const Splits& splits, std::int64_t begin, std::int64_t end, DType dtype) {
  Splits made(splits.begin() + begin, splits.begin() + end + 1);
  const std::int64_t first = made.front();
  for (std::int64_t& split : made) split -= first;
  Tensor out(dtype, Shape({end - begin + 1}));
  write_numbers(made, out);
  return out;
}

void infer_to_variant(InferContext& c) {
  const std::size_t rank = c.num_inputs() - 1;
  for (std::size_t i = 0; i < rank; ++i) c.require_rank(i, 1);
  if (!c.attr("batched_input").b()) return c.set_output(0, Shape());
  c.require_rank_at_least(rank, 1);
  const std::int64_t first = dim_of(c.shape(0), 0);
  c.set_output(0, Shape({rank == 0 || first == kUnknownDim ? first : first < 0 ? kUnknownDim : first - 1}));
}

void to_variant(KernelContext& c) {
  const std::size_t rank = c.num_inputs() - 1;
  const Tensor& values = c.input(rank);
  if (!c.attr("batched_input").b()) {
    std::vector<Tensor> splits;
    for (std::size_t d = 0; d < rank; ++d) splits.push_back(c.input(d));
    c.set_output(0, Tensor::handle(DType::kVariant, make_ref<RaggedVariant>(std::move(splits), values)));
    return;
  }
  if (values.rank() == 0) invalid_argument("rt_dense_values must have at least one dimension to be unbatched.");
  std::vector<Splits> nested;
  for (std::size_t d = 0; d < rank; ++d)
    nested.push_back(valid_splits(
        c.input(d), d + 1 < rank ? std::max<std::int64_t>(c.input(d + 1).num_elements() - 1, 0) : values.dim(0)));
  const std::int64_t rows = rank == 0 ? values.dim(0) : static_cast<std::int64_t>(nested[0].size()) - 1;
  Tensor& out = c.allocate_output(0, DType::kVariant, Shape({rows}));
  auto* elements = out.mutable_data<Ref<RefCounted>>();
  PolledSteps polled(256);
  for (std::int64_t row = 0; row < rows; ++row, polled.step()) {
    if (rank == 0) {
      Tensor value = values.rows(row, row + 1);
      elements[row] = make_ref<RaggedVariant>(std::vector<Tensor>(), value.reshaped(tail(values.shape(), 1)));
      continue;
    }
    std::int64_t begin = nested[0][static_cast<std::size_t>(row)], end = nested[0][static_cast<std::size_t>(row) + 1];
    std::vector<Tensor> splits;
    for (std::size_t d = 1; d < rank; ++d) {
      splits.push_back(rebased(nested[d], begin, end, c.input(d).dtype()));
      polled.step(end - begin);
      begin = nested[d][static_cast<std::size_t>(begin)];
      end = nested[d][static_cast<std::size_t>(end)];
    }
    elements[row] = make_ref<RaggedVariant>(std::move(splits), values.rows(begin, end));
  }
}

void infer_from_variant(InferContext& c) {
  const std::int64_t input_rank = c.attr("input_ragged_rank").i(), output_rank = c.attr("output_ragged_rank").i();
  if (input_rank >= 0) {
    c.require_rank(0, static_cast<int>(output_rank - input_rank));
  } else if (c.shape(0).has_rank() && c.shape(0).rank() > output_rank && !c.running()) {
    invalid_argument("Shape must be at most rank ", output_rank, " but is rank ", c.shape(0).rank());
  }
  const std::size_t splits = c.num_outputs() - 1;
  for (std::size_t i = 0; i < splits; ++i) c.set_output(i, Shape({kUnknownDim}));
  c.set_output(splits, Shape::unknown());
}

// The element i of a variant tensor, which must be a ragged tensor of these dtypes and this rank.
const RaggedVariant& component(const KernelContext& c, std::int64_t i, std::int64_t ragged_rank) {
  auto* found = dynamic_cast<const RaggedVariant*>(c.input(0).data<Ref<RefCounted>>()[i].get());
  if (!found) invalid_argument("Input Variant element at index ", i, " doesn't hold a RaggedTensorVariant");
  if (static_cast<std::int64_t>(found->splits.size()) != ragged_rank)
    invalid_argument("Encoded input RaggedTensorVariant has ragged_rank=", found->splits.size(),
                     ".  Expected ragged_rank=", ragged_rank, ".");
  const DType splits_type = c.attr("Tsplits").type(), type = c.attr("Tvalues").type();
  for (std::size_t d = 0; d < found->splits.size(); ++d) {
    const Tensor& splits = found->splits[d];
    if (splits.dtype() != splits_type)
      invalid_argument("Expected row_splits Tensor dtype: ", runtime_name(splits_type),
                       ", found: ", runtime_name(splits.dtype()));
    if (splits.rank() != 1)
      invalid_argument("Ragged splits must have rank 1; encoded scalar element at index ", i,
                       " has splits Tensor at splits_index ", d, " with rank ", splits.rank());
  }
  if (found->values.dtype() != type)
    invalid_argument("Expected values Tensor dtype: ", runtime_name(type),
                     ", found: ", runtime_name(found->values.dtype()));
  return *found;
}

// The values of elements without splits, one after the other along a new axis.
Tensor stacked_values(KernelContext& c, DType dtype) {
  const std::int64_t n = c.input(0).num_elements();
  if (n == 0) return Tensor(dtype, Shape({0}));
  const Shape& first = component(c, 0, 0).values.shape();
  for (std::int64_t i = 1; i < n; ++i) {
    const Shape& shape = component(c, i, 0).values.shape();
    if (!(shape == first))
      invalid_argument("All flat_values must have compatible shapes.  Shape at index 0: ", first.text(),
                       ".  Shape at index ", i, ": ", shape.text());
  }
  Tensor out(dtype, with_first(n, first));
  auto* to = static_cast<char*>(out.mutable_raw());
  for (std::int64_t i = 0; i < n; ++i) {
    const Tensor& values = component(c, i, 0).values;
    copy_elements(dtype, values.raw(), to, values.num_elements());
    to += values.bytes();
  }
  return out;
}

Tensor joined_values(const std::vector<const RaggedVariant*>& parts, DType dtype) {
  if (parts.empty()) return Tensor(dtype, Shape({0}));
  const Shape& first = parts[0]->values.shape();
  std::int64_t total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Shape& shape = parts[i]->values.shape();
    if (shape.rank() != first.rank())
      invalid_argument("Rank of values must match for all components; values shape at index 0: ", first.text(),
                       ", values shape at index ", i, ": ", shape.text());
    if (!(tail(shape, 1) == tail(first, 1)))
      invalid_argument("All flat_values must have compatible shapes.  Shape at index 0: ", first.text(),
                       ".  Shape at index ", i, ": ", shape.text(),
                       ".  If you are using tf.map_fn, then you may need to specify an explicit fn_output_signature "
                       "with appropriate ragged_rank, and/or convert output tensors to RaggedTensors.");
    total += shape[0];
  }
  Tensor out(dtype, with_first(total, tail(first, 1)));
  auto* to = static_cast<char*>(out.mutable_raw());
  PolledSteps polled(256);
  for (const RaggedVariant* part : parts) {
    copy_elements(dtype, part->values.raw(), to, part->values.num_elements());
    to += part->values.bytes();
    polled.step();
  }
  return out;
}

void from_variant(KernelContext& c) {
  const Tensor& encoded = c.input(0);
  const std::int64_t output_rank = c.attr("output_ragged_rank").i(), dims = encoded.rank();
  std::int64_t input_rank = c.attr("input_ragged_rank").i();
  if (output_rank == 0)
    return c.set_output(0, dims == 0 ? component(c, 0, 0).values : stacked_values(c, c.attr("Tvalues").type()));
  if (input_rank < 0) {
    input_rank = output_rank - dims;
    if (input_rank < 0)
      invalid_argument(
          "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
          "output_ragged_rank: ",
          output_rank, ", encoded_variant.dims(): ", dims, ", inferred input_ragged_rank: ", input_rank);
  }
  if (output_rank != dims + input_rank)
    invalid_argument(
        "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: ",
        output_rank, ", input_ragged_rank: ", input_rank, ", encoded_variant.dims(): ", dims, ".");
  const std::int64_t n = encoded.num_elements();
  std::vector<const RaggedVariant*> parts;
  for (std::int64_t i = 0; i < n; ++i) {
    parts.push_back(&component(c, i, input_rank));
    if (parts.back()->values.rank() < 1)
      invalid_argument("Ragged values must have rank >= 1; encoded scalar element at index ", i,
                       " has values Tensor of rank 0");
  }
  const auto values_output = static_cast<std::size_t>(output_rank);
  if (dims == 0) {
    for (std::size_t d = 0; d < values_output; ++d) c.set_output(d, parts[0]->splits[d]);
    c.set_output(values_output, parts[0]->values);
    return;
  }
  const DType type = c.attr("Tsplits").type();
  std::size_t made = 0;
  auto set_splits = [&](const Splits& splits) {
    if (type == DType::kInt32 && splits.back() > INT32_MAX)
      invalid_argument("The row splits of the result do not fit in 32 bits.");
    write_numbers(splits, c.allocate_output(made++, type, Shape({static_cast<std::int64_t>(splits.size())})));
  };
  // The dimensions of the variant tensor but the last are uniform ones of the result.
  std::int64_t rows = encoded.dim(0);
  for (int axis = 1; axis < dims; ++axis) {
    Splits splits(static_cast<std::size_t>(rows) + 1);
    for (std::size_t i = 0; i < splits.size(); ++i) splits[i] = static_cast<std::int64_t>(i) * encoded.dim(axis);
    set_splits(splits);
    rows *= encoded.dim(axis);
  }
  PolledSteps polled(1024);
  Splits lengths{0};
  for (const RaggedVariant* part : parts) {
    const std::int64_t count =
        input_rank == 0 ? part->values.dim(0) : std::max<std::int64_t>(part->splits[0].num_elements() - 1, 0);
    lengths.push_back(lengths.back() + count);
  }
  set_splits(lengths);
  for (std::size_t d = 0; d < static_cast<std::size_t>(input_rank); ++d) {
    Splits splits{0};
    for (const RaggedVariant* part : parts) {
      const std::int64_t offset = splits.back(), count = part->splits[d].num_elements();
      for (std::int64_t i = 1; i < count; ++i, polled.step()) splits.push_back(offset + part->splits[d].int_at(i));
    }
    set_splits(splits);
  }
  c.set_output(values_output, joined_values(parts, c.attr("Tvalues").type()));
}

// Row splits as the gradient's op takes them: a scalar where there are none.
void grad_to_variant(GradContext& c) {
  const std::size_t rank = c.num_inputs() - 1;
  const Operand splits = rank == 0 ? build::scalar(c.attr("Tsplits").type(), 0) : c.input(0);
  c.to_input(rank, emit1("RaggedTensorToVariantGradient", {c.dy(0), splits, build::shape_of(c.input(rank))},
                         {{"Tvalues", c.input(rank).dtype()}}));
}

void grad_from_variant(GradContext& c) {
  const Shape& shape = c.input(0).shape();
  if (shape.has_rank() && shape.rank() > 1)
    invalid_argument("Unable to compute gradient: RaggedTensorToVariant can currently only generate 0D or 1D output.");
  const bool batched = shape.has_rank() ? shape.rank() == 1 : c.attr("output_ragged_rank").i() > 0;
  const std::size_t rank = c.num_outputs() - 1;
  std::vector<Operand> args;
  for (std::size_t d = 0; d < rank; ++d) args.push_back(c.output(d));
  args.push_back(c.dy(rank));
  const Operands made = emit_all(
      "RaggedTensorToVariant", args,
      {{"RAGGED_RANK", static_cast<std::int64_t>(rank)}, {"Tsplits", c.attr("Tsplits")}, {"batched_input", batched}});
  c.to_input(0, made[0]);
}

void infer_variant_gradient(InferContext& c) { c.set_output(0, c.shape_value(2)); }

void to_variant_gradient(KernelContext& c) {
  const Tensor& encoded = c.input(0);
  const Tensor& splits = c.input(1);
  const DType type = c.attr("Tvalues").type();
  Dims dims;
  for (std::int64_t i = 0; i < c.input(2).num_elements(); ++i) {
    dims.push_back(c.input(2).int_at(i));
    if (dims.back() < 0) invalid_argument("dense_values_shape must be non-negative, got ", dims.back());
  }
  const Shape shape(std::move(dims));
  const auto* elements = encoded.data<Ref<RefCounted>>();
  // An element without a value stands for zeros.
  auto part = [&](std::int64_t i) -> const RaggedVariant* {
    if (!elements[i]) return nullptr;
    auto* found = dynamic_cast<const RaggedVariant*>(elements[i].get());
    if (!found) invalid_argument("Input Variant element at index ", i, " doesn't hold a RaggedTensorVariant");
    if (found->values.dtype() != type)
      invalid_argument("Expected values Tensor dtype: ", runtime_name(type),
                       ", found: ", runtime_name(found->values.dtype()));
    return found;
  };
  if (encoded.rank() == 0) {
    const RaggedVariant* only = part(0);
    if (only && only->values.num_elements() != shape.num_elements())
      invalid_argument("The gradient has ", only->values.num_elements(), " values, but the tensor has shape ",
                       shape.text());
    c.set_output(0, only ? only->values.reshaped(shape) : Tensor::zeros(type, shape));
    return;
  }
  if (encoded.rank() != 1 || shape.rank() < 1)
    invalid_argument("encoded_ragged_grad must be a scalar or a vector, and dense_values_shape not a scalar's.");
  const bool of_rows = splits.rank() == 1;
  if (of_rows && splits.num_elements() != encoded.num_elements() + 1)
    invalid_argument("row_splits must have one element more than encoded_ragged_grad.");
  const std::int64_t inner = tail(shape, 1).num_elements();
  Tensor& out = c.allocate_output(0, type, shape);
  if (!is_plain(type)) invalid_argument("No gradient of ", runtime_name(type), ".");
  out.fill_zeros();
  const std::int64_t size = static_cast<std::int64_t>(size_of(type));
  auto* to = static_cast<char*>(out.mutable_raw());
  std::int64_t at = 0;
  PolledSteps polled(256);
  for (std::int64_t i = 0; i < encoded.num_elements(); ++i, polled.step()) {
    const RaggedVariant* found = part(i);
    const std::int64_t count = found      ? found->values.num_elements()
                               : !of_rows ? inner
                                          : (splits.int_at(i + 1) - splits.int_at(i)) * inner;
    if (count < 0 || count > shape.num_elements() - at)
      invalid_argument("The gradient has more values than the tensor of shape ", shape.text());
    if (found) copy_elements(type, found->values.raw(), to + at * size, count);
    at += count;
  }
  if (at != shape.num_elements())
    invalid_argument("The gradient has ", at, " values, but the tensor has shape ", shape.text());
}

}  // namespace

void register_ragged_variant(Registry& r) {
  r.add(
      {.name = "RaggedTensorToVariant",
       .inputs = {"rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: Tvalues"},
       .outputs = {"encoded_ragged: variant"},
       .attrs = {"RAGGED_RANK: int >= 0", "Tvalues: type", "Tsplits: {int32, int64} = DT_INT64", "batched_input: bool"},
       .doc = "A ragged tensor as a variant, or each of its rows as one.\n\nReturns a scalar, or a vector of the rows "
              "if `batched_input`. Raises InvalidArgumentError if the splits of the rows are invalid.",
       .infer = infer_to_variant,
       .kernel = to_variant,
       .allocation = Allocation::kObjects,
       .grad = grad_to_variant});
  r.add({.name = "RaggedTensorFromVariant",
         .inputs = {"encoded_ragged: variant"},
         .outputs = {"output_nested_splits: output_ragged_rank * Tsplits", "output_dense_values: Tvalues"},
         .attrs = {"input_ragged_rank: int >= -1", "output_ragged_rank: int >= 0", "Tvalues: type",
                   "Tsplits: {int32, int64} = DT_INT64"},
         .doc =
             "The ragged tensor whose rows are in variants, as row splits and values.\n\nThe dimensions of the variant "
             "tensor come first. Raises InvalidArgumentError if the ragged tensors have other ranks or dtypes.",
         .infer = infer_from_variant,
         .kernel = from_variant,
         .allocation = Allocation::kObjects,
         .grad = grad_from_variant});
  r.add({.name = "RaggedTensorToVariantGradient",
         .inputs = {"encoded_ragged_grad: variant", "row_splits: Tsplits", "dense_values_shape: int32"},
         .outputs = {"dense_values_grad: Tvalues"},
         .attrs = {"Tvalues: type", "Tsplits: {int32, int64} = DT_INT64"},
         .doc = "The gradient of RaggedTensorToVariant's values: those of the variants, joined.",
         .infer = infer_variant_gradient,
         .kernel = to_variant_gradient,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
}

}  // namespace tracefn
