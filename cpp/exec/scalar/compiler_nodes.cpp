// Single nodes, as their records say: elementwise ones, those that move elements, those that have a rule by element.
#include <algorithm>
#include <numeric>

#include "exec/scalar/compiler.h"
#include "exec/scalar/compiling_kernels.h"
#include "exec/scalar/node_elements.h"
#include "ops/build.h"
#include "ops/elements.h"
#include "ops/fusable.h"
#include "ops/op_def.h"

namespace tracefn {

namespace {

// A constant of more costs more time and memory than a branch that is never taken may.
constexpr std::int64_t kMostComputed = 65536;

}  // namespace

std::optional<Places> ScalarCompiler::plain(const Graph& g, const Node& n, const Places& inputs) {
  const OpDef& op = op_def(*n.op);
  if (op.facts.asserts) return asserted(n, inputs);
  if (n.op->stateful) return on_variables(g, n, inputs);
  if (op.has_function_attr) return std::nullopt;
  for (const Place& p : inputs)
    if (!p.has_elements() && p.kind != Place::kArray && p.kind != Place::kComputed) return std::nullopt;
  if (op.facts.measures)
    if (auto made = measured(n, inputs)) return made;
  for (const OutputInfo& out : n.outputs)
    if (!fits(out.dtype)) return std::nullopt;
  if (op.block) {
    if (auto made = elementwise(g, n, inputs)) return made;
    if (auto made = elementwise_arrays(g, n, inputs)) return made;
    return called(n, inputs);
  }
  if (auto made = computed(n, inputs)) return made;
  if (reduces_nothing(n, inputs)) return Places{inputs[0]};
  const bool views = std::ranges::any_of(inputs, [](const Place& p) { return p.kind == Place::kComputed; });
  if (!op.facts.moves.empty() && views)
    if (auto made = moved_arrays(n, inputs)) return made;
  if (!op.facts.moves.empty())
    if (auto made = moved(n, inputs)) return made;
  if (op.facts.elements) {
    NodeElements context(*this, n, inputs);
    Places outputs;
    if (op.facts.elements(context) && context.take(outputs)) return outputs;
  }
  if (!op.facts.moves.empty() && !views)
    if (auto made = moved_arrays(n, inputs)) return made;
  if (op.facts.reduction) {
    if (auto made = reduced(n, inputs)) return made;
    if (auto made = accumulated(n, inputs)) return made;
    if (auto made = reduced_array(n, inputs)) return made;
  }
  return called(n, inputs);
}

std::optional<Places> ScalarCompiler::elementwise(const Graph& g, const Node& n, const Places& inputs) {
  const std::optional<NodeBlock> found = node_block(g, n);
  if (!found) return std::nullopt;
  const BlockSpec& spec = *op_def(*n.op).block;
  Shape shape;
  for (const Place& p : inputs) {
    if (!is_small(p.shape) || !can_broadcast(shape, p.shape)) return std::nullopt;
    shape = broadcast(shape, p.shape);
  }
  if (!is_small(shape)) return std::nullopt;
  Places operands;
  for (const Place& p : inputs) {
    std::optional<Place> elements = as_elements(p);
    if (!elements) return std::nullopt;
    operands.push_back(std::move(*elements));
  }
  const std::int64_t count = shape.num_elements();
  SmallVector<std::vector<std::int64_t>, 3> at;
  for (const Place& p : operands) at.push_back(broadcast_indices(p.shape, shape));
  SmallVector<Slot, 1> out;
  for (std::int64_t i = 0; i < count; ++i) {
    Slot in[3] = {};
    for (std::size_t k = 0; k < operands.size(); ++k)
      in[k] = operands[k].slots[static_cast<std::size_t>(at[k][static_cast<std::size_t>(i)])];
    const std::optional<Slot> made =
        code_.apply(spec, g.info(n.inputs.back()).dtype, found->result, {in, operands.size()});
    if (!made) return std::nullopt;
    out.push_back(*made);
  }
  return Places{elements_place(found->result, std::move(shape), std::move(out))};
}

// The numbers that an op makes of the number of rows are a multiple of it plus a constant.
std::optional<Places> ScalarCompiler::measured(const Node& n, const Places& inputs) {
  bool known = true;
  for (const Place& p : inputs) known = known && (p.shape.rank() == 0 || p.shape[0] >= 0);
  if (!known && inputs.size() != 1) return std::nullopt;
  auto with_rows = [&](std::int64_t rows) {
    SmallVector<Tensor, 4> of_shape;
    for (const Place& p : inputs) {
      Shape shape = p.shape;
      if (!known) shape[0] = rows;
      of_shape.emplace_back(p.dtype, std::move(shape), Ref<Buffer>(), nullptr);
    }
    return result_of(n, n.attrs, {of_shape.data(), of_shape.size()});
  };
  const auto zero = with_rows(0), one = with_rows(1);
  if (!zero || !one) return std::nullopt;
  Places outputs;
  for (std::size_t j = 0; j < zero->size(); ++j) {
    const Tensor &a = (*zero)[j], &b = (*one)[j];
    if (known) {
      outputs.push_back(constant(a));
      continue;
    }
    SmallVector<Slot, 1> slots;
    for (std::int64_t i = 0; i < a.num_elements(); ++i) {
      const std::int64_t from = a.int_at(i), step = b.int_at(i) - from;
      const Slot number =
          step == 0 ? code_.constant(from) : code_.add(code_.multiply(rows(inputs[0]), step), code_.constant(from));
      slots.push_back(code_.cast(number, DType::kInt64, a.dtype()));
    }
    outputs.push_back(elements_place(a.dtype(), a.shape(), std::move(slots)));
  }
  return outputs;
}

std::optional<Places> ScalarCompiler::computed(const Node& n, const Places& inputs) {
  SmallVector<Tensor, 4> values;
  for (const Place& p : inputs) {
    std::optional<Tensor> value = known(p);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  const auto results = result_of_constants(n, {values.data(), values.size()}, kMostComputed);
  if (!results) return std::nullopt;
  Places outputs;
  for (const Tensor& t : *results) {
    outputs.push_back(constant(t));
    if (outputs.back().kind == Place::kOpaque) return std::nullopt;
  }
  return outputs;
}

// The op's own kernel says where the elements go: it moves their numbers.
std::optional<SmallVector<Tensor, 2>> ScalarCompiler::moved_numbers(const Node& n, const Places& inputs,
                                                                    std::int64_t most) const {
  const SmallVector<char, 4> moves = moved_inputs(n);
  if (moves.size() != inputs.size()) return std::nullopt;
  SmallVector<Tensor, 4> numbered;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!moves[i]) {
      std::optional<Tensor> value = known(inputs[i]);
      if (!value) return std::nullopt;
      numbered.push_back(std::move(*value));
      continue;
    }
    const std::optional<std::int64_t> count = inputs[i].shape.maybe_num_elements();
    if (!count || *count > most) return std::nullopt;
    Tensor numbers(DType::kInt64, inputs[i].shape);
    std::iota(numbers.mutable_data<std::int64_t>(), numbers.mutable_data<std::int64_t>() + *count,
              static_cast<std::int64_t>(i + 1) * kNumbersOfInput);
    numbered.push_back(std::move(numbers));
  }
  return result_of_numbers(n, {numbered.data(), numbered.size()}, {moves.data(), moves.size()}, most);
}

std::optional<Places> ScalarCompiler::moved(const Node& n, const Places& inputs) {
  const auto results = moved_numbers(n, inputs, findings_.most_elements);
  if (!results) return std::nullopt;
  Places from = inputs;
  Places outputs;
  for (std::size_t j = 0; j < results->size(); ++j) {
    const Tensor& t = (*results)[j];
    const DType dtype = n.outputs[j].dtype;
    SmallVector<Slot, 1> out;
    for (std::int64_t number : t.span<std::int64_t>()) {
      if (number < kNumbersOfInput) {
        const Tensor zero = Tensor::zeros(dtype, Shape());
        out.push_back(code_.constant(zero.raw(), dtype));
        continue;
      }
      Place& p = from[static_cast<std::size_t>(number / kNumbersOfInput - 1)];
      if (!p.has_elements()) {
        std::optional<Place> elements = as_elements(p);
        if (!elements) return std::nullopt;
        p = std::move(*elements);
      }
      out.push_back(p.slots[static_cast<std::size_t>(number % kNumbersOfInput)]);
    }
    outputs.push_back(elements_place(dtype, t.shape(), std::move(out)));
  }
  return outputs;
}

}  // namespace tracefn
