// Kernels, and fusion groups as a whole, on arrays.
#include <algorithm>

#include "exec/compile_mode.h"
#include "exec/expected_shapes.h"
#include "exec/fusion/finished_product.h"
#include "exec/nest/array_call.h"
#include "exec/nest/variable_call.h"
#include "exec/scalar/compiler.h"
#include "exec/scalar/compiling_kernels.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

// Up to this many elements, a product, nests and reductions, each with an array as its result, cost less than the walk
// of a group block by block.
constexpr std::int64_t kMostInParts = 2048;
// Updates of larger Variables in one pass over their memory (UpdateGroup) save more than a compiled loop.
constexpr std::int64_t kMostOfVariable = 16384;

}  // namespace

void ScalarCompiler::work(std::uint32_t target, std::unique_ptr<const scalar::ArrayWork> work) {
  auto& instruction = code_.add(Kind::kWork);
  instruction.target = target;
  instruction.work = work.get();
  routine_.works.push_back(std::move(work));
}

std::optional<Places> ScalarCompiler::called(const Node& n, const Places& inputs) {
  const OpDef& op = op_def(*n.op);
  if (!takes_arrays_ || op.keeps_state || !op.kernel == !op.block) return std::nullopt;
  std::vector<std::optional<Tensor>> values;
  std::vector<KnownInput> given;
  for (const Place& p : inputs) values.push_back(known(p));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    given.push_back({inputs[i].shape, inputs[i].dtype, values[i] ? &*values[i] : nullptr});
  std::optional<std::vector<Shape>> shapes = inferred_shapes(n, n.attrs, given);
  if (!shapes) return std::nullopt;
  for (std::size_t j = 0; j < shapes->size(); ++j) {
    Shape& shape = (*shapes)[j];
    if (shape.is_compatible_with(n.outputs[j].shape)) shape = merge(shape, n.outputs[j].shape);
    if (!fits(n.outputs[j].dtype) || !shape.has_rank() || !(shape.rank() == 0 || has_rows(shape))) return std::nullopt;
  }
  // The first operand becomes the first result, unless another operand is the same array.
  const bool updates = op.facts.indexing == Indexing::kUpdates;
  std::vector<ArrayCall::Operand> operands;
  Place updated;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::optional<Place> array = lent(inputs[i], updates && i == 0);
    if (!array) return std::nullopt;
    if (updates && i == 0) updated = *array = inputs[i].has_elements() ? *array : own(*array, n);
    operands.push_back({array->number, inputs[i].shape});
  }
  const bool again = std::ranges::count(operands, updated.number, &ArrayCall::Operand::array) > 1;
  if (updates && again) {
    const Place copy = like(updated);
    code_.on_array(Kind::kShare, copy.number, updated.number);
    updated = copy;
    operands[0].array = copy.number;
  }
  std::vector<ArrayCall::Result> results;
  Places outputs;
  for (std::size_t j = 0; j < shapes->size(); ++j) {
    if (updates && j == 0) {
      outputs.push_back(next_state(updated, &n));
      outputs[0].shape = (*shapes)[0];
      results.push_back({updated.number, n.outputs[0].dtype, (*shapes)[0]});
    } else {
      add_result(n.outputs[j].dtype, (*shapes)[j], results, outputs);
    }
  }
  std::vector<Shape> expected;
  std::vector<InferContext::Input> infos;
  for (const KnownInput& in : given) infos.emplace_back(&in.shape, in.dtype, in.value, nullptr);
  if (std::ranges::all_of(given, [](const KnownInput& in) { return in.shape.is_fully_known(); }))
    expected = expected_shapes(op, n.attrs, infos, n.outputs.size());
  const std::uint32_t target = results.empty() ? 0 : results[0].array;
  work(target, std::make_unique<KernelCall>(n, std::move(operands), std::move(results), updates, unread_outputs_,
                                            std::move(expected)));
  for (std::size_t j = 0; j < outputs.size(); ++j) unpack(outputs[j], (*shapes)[j]);
  return outputs;
}

std::optional<Places> ScalarCompiler::on_variables(const Graph& g, const Node& n, const Places& inputs) {
  const OpDef& op = op_def(*n.op);
  if (!takes_arrays_ || op.keeps_state || op.has_function_attr || !op.kernel) return std::nullopt;
  if (compile_mode() == CompileMode::kVerify) return no("an op with side effects, which would have them twice");
  std::vector<ArrayCall::Operand> operands;
  std::optional<std::uint32_t> variable;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const OutputInfo& info = g.info(n.inputs[i]);
    if (info.dtype == DType::kResource) {
      if (inputs[i].kind != Place::kOpaque || info.handle_dtype == DType::kInvalid) return std::nullopt;
      variable = handle(inputs[i]);
      operands.push_back({*variable, Shape(), true});
      continue;
    }
    if (!inputs[i].has_elements() && inputs[i].kind != Place::kArray && inputs[i].kind != Place::kComputed)
      return std::nullopt;
    const std::optional<Place> array = lent(inputs[i], false);
    if (!array) return std::nullopt;
    operands.push_back({array->number, inputs[i].shape});
  }
  if (!variable) return std::nullopt;
  std::vector<ArrayCall::Result> results;
  Places outputs;
  for (const OutputInfo& out : n.outputs) {
    const bool is_known = fits(out.dtype) && out.shape.is_fully_known();
    if (!is_known || out.shape.num_elements() == 0) return std::nullopt;
    if (out.shape.num_elements() > kMostOfVariable) return no("a large Variable");
    add_result(out.dtype, out.shape, results, outputs);
  }
  const bool reads = op.facts.reads_variable && inputs.size() == 1 && results.size() == 1;
  const bool writes = op.facts.update && inputs.size() == 2 && results.empty();
  const std::uint32_t target = results.empty() ? *variable : results[0].array,
                      array = reads ? target : operands.back().array;
  const DType dtype = reads ? n.outputs[0].dtype : inputs.back().dtype;
  const Shape shape = reads ? n.outputs[0].shape : inputs.back().shape;
  auto kernel = std::make_unique<KernelCall>(n, std::move(operands), std::move(results), false, unread_outputs_,
                                             std::vector<Shape>());
  if ((reads || writes) && is_small(shape)) {
    if (reads) code_.own(array, static_cast<std::uint32_t>(outputs[0].shape[0]));
    work(target, VariableCall::compile(op, std::move(kernel), *variable, array, dtype, shape));
  } else {
    work(target, std::move(kernel));
  }
  for (std::size_t j = 0; j < outputs.size(); ++j) unpack(outputs[j], n.outputs[j].shape);
  return outputs;
}

std::optional<Places> ScalarCompiler::asserted(const Node& n, const Places& inputs) {
  if (!takes_arrays_ || !inputs[0].is_scalar()) return std::nullopt;
  const std::uint32_t to_call = code_.jump(Kind::kJumpUnless, inputs[0].slot());
  const std::uint32_t to_end = code_.jump(Kind::kJump);
  code_.land(to_call);
  const auto known_before = mark();
  std::vector<ArrayCall::Operand> operands;
  for (const Place& p : inputs) {
    if (const auto text = constants_.find(p.number); p.kind == Place::kOpaque && text != constants_.end()) {
      operands.push_back({.shape = text->second.shape(), .constant = text->second});
      continue;
    }
    if (!p.has_elements() && p.kind != Place::kArray) return std::nullopt;
    const std::optional<Place> array = lent(p, false);
    if (!array) return std::nullopt;
    operands.push_back({array->number, p.shape});
  }
  const std::uint32_t target = operands[0].array;
  work(target, std::make_unique<KernelCall>(n, std::move(operands), std::vector<ArrayCall::Result>(), false,
                                            std::uint64_t{0}, std::vector<Shape>()));
  code_.land(to_end);
  forget_since(known_before);
  return Places();
}

std::uint32_t ScalarCompiler::handle(const Place& opaque) {
  const auto [found, is_new] = handles_.try_emplace(opaque.number, 0);
  if (is_new) found->second = new_array(DType::kResource, Shape({1})).number;
  return found->second;
}

void ScalarCompiler::add_result(DType dtype, const Shape& shape, std::vector<ArrayCall::Result>& results,
                                Places& outputs) {
  outputs.push_back(new_array(dtype, shape.rank() == 0 ? Shape({1}) : shape));
  results.push_back({outputs.back().number, dtype, shape});
}

std::optional<Place> ScalarCompiler::lent(const Place& p, bool changes) {
  std::optional<Place> array = changes ? std::nullopt : reshaped_array(p);
  if (array) return array;
  if (p.has_elements() && p.shape.rank() == 0) {
    Place one = p;
    one.shape = Shape({1});
    array = as_array(one, changes);
  } else {
    array = as_array(p, changes);
  }
  return array && is_latest(*array) ? array : std::nullopt;
}

std::optional<Place> ScalarCompiler::reshaped_array(const Place& p) const {
  if (p.kind != Place::kComputed || p.expression->kind != ArrayExpression::kElement) return std::nullopt;
  const ArrayExpression& e = *p.expression;
  const Array& state = arrays_[e.array];
  if (e.version != state.version || !state.shape.is_fully_known() || !e.is_whole(state.shape.num_elements()))
    return std::nullopt;
  Place array;
  array.kind = Place::kArray;
  array.dtype = p.dtype;
  array.shape = state.shape;
  array.number = e.array;
  array.version = e.version;
  return array;
}

void ScalarCompiler::unpack(Place& array, const Shape& shape) {
  std::optional<Place> elements = as_elements(array);
  if (!elements) return;
  elements->shape = shape;
  array = std::move(*elements);
}

std::optional<Places> ScalarCompiler::grouped(const Node& n, const Places& inputs) {
  const bool finishes = n.form == NodeForm::kFinishedProduct;
  if (!takes_arrays_ || (!finishes && n.form != NodeForm::kFusionGroup)) return std::nullopt;
  std::vector<Shape> shapes;
  bool large = false;
  std::int64_t most = 0;
  for (const Place& p : inputs) {
    if (!p.shape.is_fully_known() || !(p.has_elements() || p.kind == Place::kArray || p.kind == Place::kComputed))
      return std::nullopt;
    large |= !p.has_elements();
    most = std::max(most, p.shape.num_elements());
    shapes.push_back(p.shape);
  }
  for (const OutputInfo& out : n.outputs)
    if (!fits(out.dtype) || !out.shape.is_fully_known()) return std::nullopt;
  if (!large) return std::nullopt;
  const Graph& function = *n.attr("f").func().body;
  if (finishes) most = 0;  // what counts is what follows the product
  for (const OutputInfo& out : n.outputs) most = std::max(most, out.shape.num_elements());
  if (most <= kMostInParts || (!finishes && reduces_few(function))) return std::nullopt;
  std::unique_ptr<const InstructionRunner> runner;
  if (finishes) {
    auto product = FinishedProduct::compile(function);
    const std::optional<Shape> shape = product ? product->shape_of_product() : std::nullopt;
    if (!shape || !product->fits(*shape, shapes)) return std::nullopt;
    runner = std::move(product);
  } else {
    auto group = FusionGroup::compile(function, function.outputs);
    if (!group || !group->reduces() || !group->fits(shapes)) return std::nullopt;
    runner = std::move(group);
  }
  std::vector<ArrayCall::Operand> operands;
  for (const Place& p : inputs) {
    const std::optional<Place> array = lent(p, false);
    if (!array) return std::nullopt;
    operands.push_back({array->number, p.shape});
  }
  std::vector<ArrayCall::Result> results;
  Places outputs;
  for (const OutputInfo& out : n.outputs) add_result(out.dtype, out.shape, results, outputs);
  const std::uint32_t target = results[0].array;
  work(target, std::make_unique<RunnerCall>(std::move(runner), n, std::move(operands), std::move(results)));
  for (std::size_t j = 0; j < outputs.size(); ++j) unpack(outputs[j], n.outputs[j].shape);
  return outputs;
}

}  // namespace tracefn
