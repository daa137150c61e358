// Converts an op's inputs from Python values: chooses each one's dtype.
#include <algorithm>
#include <span>
#include <vector>

#include "bind/call/op_call.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/convert/numpy_types.h"
#include "bind/convert/traced_parameter.h"
#include "bind/errors.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "exec/eager.h"
#include "ops/input_errors.h"

namespace tracefn::bind {
namespace {

DType tensor_dtype(PyObject* value) {
  if (is_tensor(value)) return operand_of(value).dtype();
  if (is_weakly_typed(value) || is_numpy(value)) return DType::kInvalid;
  if (!PyObject_HasAttrString(value, "__tf_tensor__")) return DType::kInvalid;
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  if (!dtype) {
    drop_ordinary_error();
    return DType::kInvalid;
  }
  return parse_dtype(PyRef::steal(dtype).get());
}

using Items = std::span<PyObject* const>;

// The items of the list inputs of a call, read once and kept alive: what a conversion runs may change a list, and a
// class derived from list may hold other items than its storage does. Eagerly a tensor is the list of its rows.
class ListInputs {
 public:
  ListInputs(const OpDef& op, std::span<PyObject* const> values) {
    const std::vector<ArgDef>& args = op.signature.inputs;
    if (std::ranges::none_of(args, &ArgDef::is_list)) return;
    tuples_.resize(args.size());
    for (std::size_t a = 0; a < args.size(); ++a)
      if (args[a].is_list()) tuples_[a] = tuple_of(op, args[a], values[a]);
  }
  Items operator[](std::size_t a) const {
    PyObject* tuple = tuples_[a].get();
    return {PySequence_Fast_ITEMS(tuple), static_cast<std::size_t>(PyTuple_GET_SIZE(tuple))};
  }

 private:
  static PyRef tuple_of(const OpDef& op, const ArgDef& arg, PyObject* value) {
    if (PyTuple_Check(value)) return PyRef::borrow(value);
    const bool has_rows = is_eager(value) && runs_eagerly() && operand_of(value).tensor.rank() > 0;
    if (PyList_Check(value) || has_rows) return PyRef::steal(checked(PySequence_Tuple(value)));
    if (!arg.type_list_attr.empty())
      fail(ErrorKind::kType, "Expected list for '", arg.name, "' argument to '", op.name(), "' Op, not ", str_of(value),
           ".");
    fail(ErrorKind::kType, "Expected list for '", arg.name, "' argument to '", function_name_of(op), "' Op, not ",
         repr_of(value), ".");
  }

  std::vector<PyRef> tuples_;
};

// Infers type attributes from the tensors among the inputs, in any position: `1 + t` has t's type.
void types_from_tensors(const OpDef& op, std::span<PyObject* const> values, const ListInputs& lists, AttrList& attrs) {
  const OpSignature& s = op.signature;
  for (std::size_t a = 0; a < s.inputs.size(); ++a) {
    const ArgDef& arg = s.inputs[a];
    if (arg.type_attr.empty()) continue;
    Attr& attr = attrs[static_cast<std::size_t>(s.attr_index(arg.type_attr))];
    if (attr.has_value()) continue;
    DType dtype = DType::kInvalid;
    if (arg.number_attr.empty()) {
      dtype = tensor_dtype(values[a]);
    } else {
      for (PyObject* item : lists[a])
        if ((dtype = tensor_dtype(item)) != DType::kInvalid) break;
    }
    if (dtype != DType::kInvalid) attr = dtype;
  }
}

bool is_number(PyObject* value) { return PyLong_Check(value) || PyFloat_Check(value); }

// Whether all inputs but number `a` were tensors or numbers before anything was converted.
bool others_are_single(const OpDef& op, std::span<PyObject* const> values, const ListInputs& lists, std::size_t a) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ArgDef& arg = op.signature.inputs[k];
    if (k == a) continue;
    if (!arg.is_list()) {
      if (tensor_dtype(values[k]) == DType::kInvalid && !is_number(values[k])) return false;
      continue;
    }
    for (PyObject* item : lists[k])
      if (tensor_dtype(item) == DType::kInvalid) return false;
  }
  return true;
}

// The first input whose length is that of a list input.
const ArgDef& first_list(const OpDef& op, const ArgDef& list) {
  return *std::ranges::find(op.signature.inputs, list.number_attr, &ArgDef::number_attr);
}

// The error of a list that is too short. Eagerly, an empty list has none: its type is what is missing.
void require_length(const OpDef& op, const ArgDef& arg, std::int64_t n, std::int64_t least) {
  if (!current_target().is_eager())
    fail(ErrorKind::kValue, "List argument '", arg.name, "' to '", op.name(), "' Op with length ", n,
         " shorter than minimum length ", least, ".");
  if (n > 0)
    invalid_argument("Value for attr '", arg.number_attr, "' of ", n, " must be at least minimum ", least,
                     "\n\t; NodeDef: {{node ", op.name(), "}} [Op:", op.name(), "] name: ");
}

// While tracing: the error of the list `value` with an item that cannot have the expected dtype.
[[noreturn]] void refuse_list(const OpDef& op, const ArgDef& arg, PyObject* value, Items items, DType wanted) {
  std::string types;
  for (PyObject* item : items) {
    const DType own = own_dtype(item);
    types += concat(types.empty() ? "" : ", ", own == DType::kInvalid ? "<NOT CONVERTIBLE TO TENSOR>" : name(own));
  }
  if (!arg.type_list_attr.empty())
    fail(ErrorKind::kType, list_with_types(op.signature, arg, types), " that are invalid. Tensors: ", repr_of(value));
  list_type_mismatch(op.signature, arg, types, wanted);
}

bool allows(const AttrDef& attr, DType dtype) {
  return attr.allowed_types.empty() || std::ranges::find(attr.allowed_types, dtype) != attr.allowed_types.end();
}

// Whether `other` holds values of `dtype` but for precision and range.
bool is_same_kind(DType dtype, DType other) {
  return (is_floating(dtype) && is_floating(other)) || (is_complex(dtype) && is_complex(other)) ||
         (is_signed_integer(dtype) && is_signed_integer(other));
}

// Converts the items of a list input by `convert(i)`.
template <typename Convert>
void convert_items(const OpDef& op, const ArgDef& arg, PyObject* value, Items items, DType wanted, Convert&& convert) {
  try {
    for (std::size_t i = 0; i < items.size(); ++i) convert(i);
  } catch (const Error& e) {
    if (current_target().is_eager() || e.reraise() || !is_type_or_value_error(e)) throw;
    refuse_list(op, arg, value, items, wanted);
  }
}

// One element of an input; `index` is its place in a list input.
Operand convert_one(const OpDef& op, const ArgDef& arg, std::size_t index, PyObject* value, DType wanted,
                    DType preferred, FuncGraph* graph) {
  // A tensor keeps its type: emit reports a mismatch, with both arguments named.
  if (!is_weakly_typed(value) && !is_numpy(value)) wanted = DType::kInvalid;
  const bool is_eager = current_target().is_eager(), plain = arg.is_list() || is_eager;
  const std::string of_item = arg.is_list() && !is_eager ? concat(arg.name, "_", index) : std::string();
  const std::string& node_name = of_item.empty() ? arg.name : of_item;
  const ArgDef* earlier = plain ? nullptr : earlier_of_type(op.signature, arg);
  Operand operand = plain ? to_operand(value, wanted, preferred, node_name.c_str())
                          : traced_parameter(value, wanted, op.name(), node_name.c_str(),
                                             earlier ? std::string_view(earlier->name) : "", preferred);
  if (graph && operand.is_eager()) graph->capture(operand, graph->scope() + node_name);
  return operand;  // not its placeholder in the graph: a tape may watch this one
}

}  // namespace

Operands convert_inputs(const OpDef& op, std::span<PyObject* const> values, AttrList& attrs, FuncGraph* graph) {
  const OpSignature& s = op.signature;
  attrs.resize(s.attrs.size());
  const ListInputs lists(op, values);
  // With one input there is nothing to agree on.
  if (s.inputs.size() > 1 || (s.inputs.size() == 1 && s.inputs[0].is_list()))
    types_from_tensors(op, values, lists, attrs);
  Operands operands;
  for (std::size_t a = 0; a < s.inputs.size(); ++a) {
    const ArgDef& arg = s.inputs[a];
    if (!arg.type_list_attr.empty()) {
      const Attr given = attrs[static_cast<std::size_t>(s.attr_index(arg.type_list_attr))];
      const Items items = lists[a];
      if (given.has_value() && given.types().size() != items.size())
        fail(ErrorKind::kValue, "List argument '", arg.name, "' to '", op.name(), "' Op with length ", items.size(),
             " must match length ", given.types().size(), " of attribute '", arg.type_list_attr, "'.");
      std::vector<DType> types;
      convert_items(op, arg, values[a], items, DType::kInvalid, [&](std::size_t i) {
        operands.push_back(convert_one(op, arg, i, items[i], given.has_value() ? given.types()[i] : DType::kInvalid,
                                       DType::kInvalid, graph));
        types.push_back(operands.back().dtype());
      });
      if (!given.has_value())
        attrs[static_cast<std::size_t>(s.attr_index(arg.type_list_attr))] = Attr(std::move(types));
      continue;
    }
    int at = arg.type_attr.empty() ? -1 : s.attr_index(arg.type_attr);
    auto wanted = [&] {
      if (at < 0) return arg.type;
      const Attr& attr = attrs[static_cast<std::size_t>(at)];
      return attr.has_value() ? attr.type() : DType::kInvalid;
    };
    DType preferred = DType::kInvalid;
    if (at >= 0 && s.attrs[static_cast<std::size_t>(at)].default_value.has_value())
      preferred = s.attrs[static_cast<std::size_t>(at)].default_value.type();
    const bool is_traced = !current_target().is_eager();
    auto convert = [&](PyObject* value, std::size_t index) {
      // The attribute's default yields to what the value needs.
      const bool by_default = preferred != DType::kInvalid && wanted() == DType::kInvalid;
      const bool too_narrow = by_default && preferred == DType::kInt32 && exceeds_int32(value);
      const auto made = [&](DType by) { return convert_one(op, arg, index, value, wanted(), by, graph); };
      // Values of a traced op keep their own type where they can, and NumPy's values do that the default would change;
      // lists of tensors do not.
      const bool keeps = by_default && !arg.is_list() &&
                         (is_traced || (is_numpy(value) && !is_same_kind(own_dtype(value), preferred)));
      Operand operand = made(too_narrow || keeps ? DType::kInvalid : preferred);
      if (keeps && !allows(s.attrs[static_cast<std::size_t>(at)], operand.dtype())) operand = made(preferred);
      operands.push_back(std::move(operand));
      // Eagerly, a float alone is not taken for anything else beside tensors and numbers; beside lists the op refuses
      // its type.
      if (by_default && operands.back().dtype() != preferred && PyFloat_CheckExact(value) && !is_traced &&
          others_are_single(op, values, lists, a))
        fail(ErrorKind::kType, "Cannot convert ", repr_of(value), " to EagerTensor of dtype ", runtime_name(preferred));
      if (at >= 0 && !attrs[static_cast<std::size_t>(at)].has_value())
        attrs[static_cast<std::size_t>(at)] = operands.back().dtype();
    };
    if (arg.number_attr.empty()) {
      convert(values[a], 0);
    } else {
      const Items items = lists[a];
      Attr& number = attrs[static_cast<std::size_t>(s.attr_index(arg.number_attr))];
      auto n = static_cast<std::int64_t>(items.size());
      if (number.has_value() && number.i() != n)
        fail(ErrorKind::kValue, "List argument '", arg.name, "' to '", function_name_of(op), "' Op with length ", n,
             " must match length ", number.i(), " of argument '", first_list(op, arg).name, "'.");
      const std::optional<std::int64_t>& least =
          s.attrs[static_cast<std::size_t>(s.attr_index(arg.number_attr))].minimum;
      if (least && n < *least) require_length(op, arg, n, *least);
      number = n;
      convert_items(op, arg, values[a], items, wanted(), [&](std::size_t i) { convert(items[i], i); });
    }
  }
  return operands;
}

}  // namespace tracefn::bind
