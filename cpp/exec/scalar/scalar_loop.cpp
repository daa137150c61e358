// Runs scalar loops: passes values in and out.
#include "exec/scalar/scalar_loop.h"

#include <cstring>

#include "exec/scalar/indexed_only.h"
#include "ir/functions_of.h"
#include "jit/scalar/register_copies.h"
#include "jit/scalar/scalar_list.h"
#include "ops/list/tensor_list.h"
#include "ops/node_kinds.h"

namespace tracefn {
namespace {

// Null if there is none.
const TensorList* list_in(const Tensor& handle) {
  const bool may_be = handle.dtype() == DType::kVariant && handle.rank() == 0;
  return may_be ? dynamic_cast<const TensorList*>(handle.object().get()) : nullptr;
}

// Whether the list's elements are rows as the code expects them; unset ones must read as zeros.
bool fits_list(const Tensor& handle, const scalar::ListType& type) {
  const TensorList* list = list_in(handle);
  if (!list || list->element_dtype != type.dtype || !list->element_shape.is_compatible_with(type.row)) return false;
  if (list->is_packed()) return without_first(list->packed_values().shape()) == type.row;
  const bool known = type.known || list->element_shape.is_fully_known();
  if (list->is_unset()) {
    const Tensor& only = list->only_element();
    return (known || list->size() == only.defined()) && (!only.defined() || only.shape() == type.row);
  }
  for (const Tensor& t : list->elements())
    if (t.defined() ? !(t.shape() == type.row) : !known) return false;
  return true;
}

bool same_integers(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

// Whether a list has no other elements.
bool holds_only(const TensorList& list, const Tensor& value) {
  if (list.is_packed()) {
    const Tensor& rows = list.packed_values();
    if (rows.dtype() != value.dtype() || !(without_first(rows.shape()) == value.shape())) return false;
    const char* row = rows.data<char>();
    for (std::int64_t i = 0; i < list.size(); ++i, row += value.bytes())
      if (std::memcmp(row, value.raw(), value.bytes()) != 0) return false;
    return true;
  }
  for (std::int64_t i = 0; i < list.size(); ++i) {
    const Tensor element = list.element(i);
    if (!element.defined() || !same_integers(element, value)) return false;
  }
  return true;
}

bool is_few_integers(const Tensor& t) {
  constexpr std::int64_t kMost = 8;
  return (t.dtype() == DType::kInt32 || t.dtype() == DType::kInt64) && t.num_elements() <= kMost;
}

// Whether a graph, or one that its nodes hold, adds to a list or changes an element.
bool adds_to_lists(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::kListPush || node.op->kind == OpKind::kListSet) return true;
    bool adds = false;
    for_each_function(node.attrs, [&](const FuncRef& f) { adds = adds || (f.body && adds_to_lists(*f.body)); });
    if (adds) return true;
  }
  return false;
}

// The shape of its elements, as far as they have one and the list says it.
Shape row_of(const TensorList& list) {
  if (list.element_shape.is_fully_known() || list.size() == 0) return list.element_shape;
  const Tensor first = list.element(0);
  return first.defined() ? first.shape() : list.element_shape;
}

// The element of a list of few integers that all others equal; undefined if there is none.
Tensor element_of_all(const TensorList& list) {
  const Tensor first = list.size() > 0 ? list.element(0) : Tensor();
  return first.defined() && is_few_integers(first) && holds_only(list, first) ? first.copy() : Tensor();
}

}  // namespace

std::unique_ptr<ScalarLoop> ScalarLoop::compile(const Graph& graph, const Node& loop, std::span<const TensorRef> inputs,
                                                bool by_values) {
  const Graph& body = *loop.attr("body").func().body;
  const bool lists_stay = !adds_to_lists(body);
  LoopInputs given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    OutputInfo info = body.info(body.inputs[i]);
    info.shape = t.shape();
    Tensor value;
    if (const TensorList* list = list_in(t)) {
      info.handle_dtype = list->element_dtype;
      info.handle_shape = row_of(*list);
      if (by_values && lists_stay && state_of(body, body.outputs[i]) == i) value = element_of_all(*list);
    } else if (by_values && is_few_integers(t) && behind_identity(body, body.outputs[i]) == body.inputs[i]) {
      value = t.copy();  // others may change what they lent by DLPack
    }
    given.infos.push_back(std::move(info));
    given.values.push_back(std::move(value));
  }
  return compile(graph, loop, &given, nullptr);
}

bool ScalarLoop::fits(std::span<TensorRef> inputs) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    const Variable& v = variables_[i];
    if (v.only_shape && !(t.shape() == *v.only_shape)) return false;
    if (v.value.defined() && t.dtype() != DType::kVariant && !same_integers(t, v.value)) return false;
    switch (v.kind) {
      case Variable::kHandedOn:
      case Variable::kHandle:
        break;
      case Variable::kElements:
        if (t.dtype() != v.dtype || !(t.shape() == v.shape)) return false;
        break;
      case Variable::kArray:
        if (t.dtype() != v.dtype || t.rank() == 0 || !v.shape.is_compatible_with(t.shape())) return false;
        break;
      case Variable::kList:
        if (!fits_list(t, routine_.arrays[v.array])) return false;
        break;
      case Variable::kCounted:
        if (!list_in(t)) return false;
    }
  }
  // What may take long comes last.
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Tensor& t = *inputs[i].tensor;
    if (!variables_[i].value.defined() || t.dtype() != DType::kVariant) continue;
    const TensorList* list = list_in(t);
    if (!list || !holds_only(*list, variables_[i].value)) return false;
  }
  return true;
}

bool ScalarLoop::run(std::span<TensorRef> inputs, std::span<Tensor> outputs, ShardRunner&, const Node*& failed) const {
  if (!fits(inputs)) return false;
  ScalarRoutine::Registers registers(routine_);
  std::vector<scalar::ScalarList> arrays(routine_.arrays.size());
  for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k].declare(routine_.arrays[k]);
  for (const auto& [k, value] : routine_.given) {
    TensorRef given = borrowed(value);
    arrays[k].load_array(given);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& v = variables_[i];
    if (v.kind == Variable::kElements)
      scalar::copy_to_registers(inputs[i].tensor->raw(), v.bytes, v.slots, registers.data());
    if (v.kind == Variable::kArray) arrays[v.array].load_array(inputs[i]);
    if (v.kind == Variable::kList) arrays[v.array].load(inputs[i]);
    if (v.kind == Variable::kHandle) arrays[v.array].hold(*inputs[i].tensor);
    if (v.kind == Variable::kCounted) arrays[v.array].size = list_in(*inputs[i].tensor)->size();
  }
  registers.run(arrays.data(), failed);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& v = variables_[i];
    if (!v.needed) continue;
    if (v.kind == Variable::kList) {
      outputs[i] = arrays[v.array].handle();
    } else if (v.kind == Variable::kArray) {
      outputs[i] = arrays[v.array].array();
    } else if (v.kind == Variable::kHandedOn || v.kind == Variable::kHandle || v.kind == Variable::kCounted ||
               !v.written) {
      outputs[i] = *inputs[i].tensor;
    } else {
      outputs[i] = result(v, registers, inputs[i]);
    }
  }
  return true;
}

// Reuses the input's buffer if it dies here.
Tensor ScalarLoop::result(const Variable& v, ScalarRoutine::Registers& registers, TensorRef& input) {
  const bool reused = input.last_use && input.tensor->writable();
  Tensor made = reused ? std::move(*input.tensor) : Tensor(v.dtype, v.shape);
  scalar::copy_from_registers(registers.data(), v.slots, v.bytes, made.mutable_raw());
  return made;
}

}  // namespace tracefn
