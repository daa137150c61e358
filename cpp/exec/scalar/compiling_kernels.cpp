// Shape rules say beforehand how much a kernel would make.
#include "exec/scalar/compiling_kernels.h"

#include <algorithm>
#include <vector>

#include "exec/run_op.h"
#include "ops/infer.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Whether the op's shape rule says that no output has more elements. It may not look at inputs that are moved.
bool makes_at_most(std::int64_t most, const Node& n, const AttrList& attrs, std::span<const Tensor> inputs,
                   std::span<const char> moves) {
  std::vector<KnownInput> known;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    known.push_back({inputs[i].shape(), inputs[i].dtype(), i < moves.size() && moves[i] ? nullptr : &inputs[i]});
  const std::optional<std::vector<Shape>> made = inferred_shapes(n, attrs, known);
  return made && std::ranges::all_of(*made, [&](const Shape& shape) {
           const std::optional<std::int64_t> count = shape.maybe_num_elements();
           return count && *count <= most;
         });
}

std::optional<SmallVector<Tensor, 2>> run(const Node& n, const AttrList& attrs, std::span<Tensor> inputs,
                                          std::span<const DType> dtypes) {
  SmallVector<TensorRef, 4> operands;
  for (Tensor& t : inputs) operands.push_back(borrowed(t));
  SmallVector<Tensor, 2> outputs(n.outputs.size());
  try {
    run_op(op_def(*n.op), attrs, {operands.data(), operands.size()}, {outputs.data(), outputs.size()}, dtypes, {});
  } catch (const Error& e) {
    if (e.reraise()) throw;  // a signal handler's
    return std::nullopt;
  }
  return outputs;
}

}  // namespace

std::optional<std::vector<Shape>> inferred_shapes(const Node& n, const AttrList& attrs,
                                                  std::span<const KnownInput> inputs) {
  SmallVector<InferContext::Input, 4> known;
  for (const KnownInput& input : inputs) known.push_back({&input.shape, input.dtype, input.value});
  std::vector<OutputInfo> made;
  for (const OutputInfo& info : n.outputs) made.push_back({info.dtype, Shape::unknown()});
  InferContext context(*n.op, attrs, std::span<const InferContext::Input>(known.data(), known.size()), made);
  try {
    op_def(*n.op).infer(context);
  } catch (const Error& e) {
    if (e.reraise()) throw;  // a signal handler's
    return std::nullopt;
  }
  std::vector<Shape> shapes;
  for (OutputInfo& info : made) shapes.push_back(std::move(info.shape));
  return shapes;
}

std::optional<SmallVector<Tensor, 2>> result_of(const Node& n, const AttrList& attrs, std::span<Tensor> inputs) {
  std::vector<DType> dtypes;
  for (const OutputInfo& info : n.outputs) dtypes.push_back(info.dtype);
  return run(n, attrs, inputs, dtypes);
}

std::optional<SmallVector<Tensor, 2>> result_of_constants(const Node& n, std::span<Tensor> inputs, std::int64_t most) {
  if (!makes_at_most(most, n, n.attrs, inputs, {})) return std::nullopt;
  return result_of(n, n.attrs, inputs);
}

SmallVector<char, 4> moved_inputs(const Node& n) {
  const std::string_view attr = op_def(*n.op).facts.moves;
  SmallVector<char, 4> moved;
  for (const ArgDef& arg : n.op->inputs) {
    const std::int64_t count = arg.number_attr.empty() ? 1 : n.attr(arg.number_attr).i();
    for (std::int64_t i = 0; i < count; ++i) moved.push_back(arg.type_attr == attr);
  }
  return moved;
}

std::optional<SmallVector<Tensor, 2>> result_of_numbers(const Node& n, std::span<Tensor> inputs,
                                                        std::span<const char> moves, std::int64_t most) {
  AttrList attrs = n.attrs;
  attrs[static_cast<std::size_t>(n.op->attr_index(op_def(*n.op).facts.moves))] = Attr(DType::kInt64);
  if (!makes_at_most(most, n, attrs, inputs, moves)) return std::nullopt;
  return run(n, attrs, inputs, std::vector<DType>(n.outputs.size(), DType::kInt64));
}

}  // namespace tracefn
