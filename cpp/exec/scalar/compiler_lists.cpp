// TensorLists: elements are rows of an array that grows.
#include "base/concat.h"
#include "exec/scalar/compiler.h"
#include "ops/elements.h"
#include "ops/list/tensor_list.h"

namespace tracefn {
namespace {

// The element shape that an input gives; unknown if the compiler does not know it.
Shape given_shape(const std::optional<Tensor>& value) {
  return value && value->rank() <= 1 ? element_shape_of(*value) : Shape::unknown();
}

}  // namespace

std::optional<Places> ScalarCompiler::list_access(const Node& n, const Places& inputs) {
  switch (n.op->kind) {
    case OpKind::kListEmpty:
    case OpKind::kListReserve:
      return new_list(n, inputs);
    case OpKind::kListUnstack:
      return unstack(inputs);
    default:
      break;
  }
  if (inputs[0].kind != Place::kList || !is_latest(inputs[0])) return std::nullopt;
  if (n.op->kind != OpKind::kListLength) arrays_[inputs[0].number].accessed = true;
  switch (n.op->kind) {
    case OpKind::kListLength: {
      return Places{
          elements_place(DType::kInt32, Shape(), {code_.cast(rows(inputs[0]), DType::kInt64, DType::kInt32)})};
    }
    case OpKind::kListStack:
      return stack(n, inputs);
    case OpKind::kListGet:
    case OpKind::kListSet:
      return get_or_set(n, inputs);
    default:
      return push_or_pop(n, inputs);
  }
}

std::optional<Places> ScalarCompiler::get_or_set(const Node& n, const Places& inputs) {
  const bool gets = n.op->kind == OpKind::kListGet;
  const DType dtype = n.attr("element_dtype").type();
  if (!inputs[1].is_scalar()) return std::nullopt;
  Place list = inputs[0];
  std::optional<Place> item;
  if (gets) {
    Shape shape = given_shape(known(inputs[2]));
    if (!shape.is_fully_known() && n.outputs[0].shape.is_fully_known()) shape = n.outputs[0].shape;
    if (shape.is_fully_known()) {
      if (!decide(list, dtype, shape)) return std::nullopt;
    } else if (arrays_[list.number].decided ? routine_.arrays[list.number].dtype != dtype
                                            : !decide(list, dtype, Shape())) {
      return no("a list of elements of another dtype");
    } else {
      routine_.arrays[list.number].known = false;
    }
  } else {
    if (inputs[2].dtype != dtype || !decide(list, dtype, inputs[2].shape)) return std::nullopt;
    if (!routine_.arrays[list.number].declared.is_compatible_with(inputs[2].shape)) return std::nullopt;
    item = is_small(inputs[2].shape) ? as_elements(inputs[2]) : item_for(inputs[2], list);
    if (!item) return std::nullopt;
    list = own(list, n);
    if (n.attr("resize_if_index_out_of_bounds").b()) {
      auto& grow = code_.add(Kind::kGrow);
      grow.target = list.number;
      grow.in[0] = inputs[1].slot();
      list = next_state(list, &n);  // of another number of rows
    }
  }
  const std::int64_t size = row_size(list);
  const Shape row = routine_.arrays[list.number].row;
  if (size == 1) {
    auto& access = code_.add(gets ? Kind::kGet : Kind::kSet);
    access.target = list.number;
    access.operand = dtype;
    access.in[0] = inputs[1].slot();
    if (!gets) {
      access.in[1] = item->slot();
      return Places{next_state(list, &n)};
    }
    const Slot out = code_.new_slot(size_of(dtype));
    routine_.instructions.back().out = out;
    return Places{elements_place(dtype, row, {out})};
  }
  const Slot index = code_.cast(inputs[1].slot(), DType::kInt32, DType::kInt64);
  const std::string what = gets ? "Trying to access element {0} in a list with {1} elements."
                                : "Trying to modify element {0} in a list with {1} elements.";
  if (!code_.check_index(index, rows(list), what)) return std::nullopt;
  const Slot at = code_.multiply(index, size);
  SmallVector<Slot, 1> slots;
  if (!is_small(row)) {
    if (gets) return Places{row_of(list, row, at)};
    code_.own(list.number);
    if (!put_row(*item, list, at)) return std::nullopt;
    return Places{next_state(list, &n)};
  }
  if (gets) {
    for (std::int64_t k = 0; k < size; ++k) slots.push_back(load(list, at, k));
    return Places{elements_place(dtype, row, std::move(slots))};
  }
  slots = item->slots;
  code_.own(list.number);
  for (std::int64_t k = 0; k < size; ++k) code_.store(list.number, at, k, slots[static_cast<std::size_t>(k)]);
  return Places{next_state(list, &n)};
}

std::optional<Places> ScalarCompiler::push_or_pop(const Node& n, const Places& inputs) {
  const bool pushes = n.op->kind == OpKind::kListPush;
  const DType dtype = n.attr("element_dtype").type();
  Place list = inputs[0];
  SmallVector<Slot, 1> slots;
  std::optional<Place> item;
  if (pushes) {
    if (inputs[1].dtype != dtype || !decide(list, dtype, inputs[1].shape)) return std::nullopt;
    item = is_small(inputs[1].shape) ? as_elements(inputs[1]) : item_for(inputs[1], list);
    if (!item) return std::nullopt;
    slots = item->slots;
  } else {
    Shape shape = given_shape(known(inputs[1]));
    if (!shape.is_fully_known() && n.outputs[1].shape.is_fully_known()) shape = n.outputs[1].shape;
    scalar::ListType& type = routine_.arrays[list.number];
    if (shape.is_fully_known()) {
      if (!decide(list, dtype, shape)) return std::nullopt;
    } else if (arrays_[list.number].decided ? type.dtype != dtype : !decide(list, dtype, Shape())) {
      return no("a list of elements of another dtype");
    } else {
      type.known = false;
    }
  }
  list = own(list, n);
  const std::int64_t size = row_size(list);
  const Shape row = routine_.arrays[list.number].row;
  if (size == 1) {
    if (!pushes) slots.push_back(code_.new_slot(size_of(dtype)));
    auto& access = code_.add(pushes ? Kind::kPush : Kind::kPop);
    access.target = list.number;
    access.operand = dtype;
    (pushes ? access.in[0] : access.out) = slots[0];
  } else {
    const Slot index = code_.new_slot(sizeof(std::int64_t));
    auto& access = code_.add(pushes ? Kind::kAppend : Kind::kRemove);
    access.target = list.number;
    access.out = index;
    const Slot at = code_.multiply(index, size);
    if (!is_small(row)) {
      if (pushes && !put_row(*item, list, at)) return std::nullopt;
      Places results{next_state(list, &n)};
      if (!pushes) results.push_back(row_of(results[0], row, at));
      return results;
    }
    for (std::int64_t k = 0; k < size && !arrays_[list.number].element.defined(); ++k) {
      if (pushes) {
        code_.store(list.number, at, k, slots[static_cast<std::size_t>(k)]);
      } else {
        slots.push_back(load(list, at, k));
      }
    }
  }
  Places results{next_state(list, &n)};
  if (arrays_[list.number].element.defined()) {
    results.push_back(constant(arrays_[list.number].element));
    return results;
  }
  if (!pushes) results.push_back(elements_place(dtype, row, std::move(slots)));
  return results;
}

// What a nest can write to a row of the list: it may not read the list meanwhile.
std::optional<Place> ScalarCompiler::item_for(const Place& item, const Place& list) {
  if (item.kind != Place::kComputed) return as_array(item, false);
  return reads(*item.expression, list.number) ? in_memory(item) : item;
}

bool ScalarCompiler::put_row(const Place& item, const Place& list, Slot at) {
  constexpr int kFewNodes = 2;  // cost no more than a copy
  std::optional<ArrayExpressionPtr> e = expression_of(item);
  if (e && (*e)->kind == ArrayExpression::kNode && (*e)->num_nodes > kFewNodes && is_needed_later(*e, 1, {*e}, {})) {
    const std::optional<Place> array = in_memory(item);
    e = array ? expression_of(*array) : std::nullopt;
  }
  if (!e || !is_current(**e)) return false;
  const NestResult result{known_parts(*e), list.number, at};
  return compute({&result, 1}, item.shape);
}

Place ScalarCompiler::row_of(Place list, const Shape& row, Slot at) const {
  list.dtype = routine_.arrays[list.number].dtype;
  return computed_place(element_of(list, row, at), row);
}

std::optional<Places> ScalarCompiler::new_list(const Node& n, const Places& inputs) {
  const DType dtype = n.attr("element_dtype").type();
  const std::optional<Tensor> shape = known(inputs[0]);
  if (!shape || !fits(dtype) || !inputs[1].is_scalar()) return std::nullopt;
  const Shape declared = given_shape(shape);
  const Place list = new_list(dtype, declared, declared);
  const bool is_empty = n.op->kind == OpKind::kListEmpty;
  const Slot none = code_.constant(is_empty ? std::int32_t{0} : std::int32_t{-1});
  auto& make = code_.add(Kind::kReserve);
  make.target = list.number;
  make.in[0] = is_empty ? none : inputs[1].slot();
  make.in[1] = is_empty ? inputs[1].slot() : none;
  return Places{list};
}

std::optional<Places> ScalarCompiler::stack(const Node& n, const Places& inputs) {
  const Place& list = inputs[0];
  const DType dtype = n.attr("element_dtype").type();
  const Shape given = given_shape(known(inputs[1]));
  const Shape& made = n.outputs[0].shape;
  Shape shape = given;
  if (!shape.is_fully_known() && made.has_rank() && made.rank() > 0) shape = without_first(made);
  if (!shape.is_fully_known() || !decide(list, dtype, shape)) return std::nullopt;
  const std::int64_t expected = n.attr("num_elements").i();
  if (expected != -1) {
    // Both bounds, so that the number is known from here on.
    const Slot found = rows(list), size = code_.constant(expected);
    const std::string text =
        concat("Operation expected a list with ", expected, " elements but got a list with {2} elements.");
    const Slot difference = code_.apply<functions::Sub>(DType::kInt64, {found, size});
    if (!code_.check_index(difference, code_.constant(std::int64_t{1}), text, found)) return std::nullopt;
  }
  Place array;
  array.kind = Place::kArray;
  array.dtype = dtype;
  array.shape = with_first(expected, shape);
  array.number = list.number;
  array.version = list.version;
  return Places{array};
}

std::optional<Places> ScalarCompiler::unstack(const Places& inputs) {
  const std::optional<Tensor> shape = known(inputs[1]);
  if (!shape) return std::nullopt;
  const std::optional<Place> array = as_array(inputs[0], false);
  const Shape declared = given_shape(shape);
  if (!array || !is_latest(*array)) return std::nullopt;
  const Shape row = without_first(array->shape);
  if (!declared.is_compatible_with(row)) return std::nullopt;
  const Place list = new_list(array->dtype, row, declared);
  code_.on_array(Kind::kShare, list.number, array->number);
  return Places{list};
}

}  // namespace tracefn
