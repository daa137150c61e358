// Subscripts of tensors: one StridedSlice with masks, or a boolean mask; and their length.
#include <array>
#include <optional>

#include "bind/call/op_call.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_numpy.h"
#include "bind/convert/from_python.h"
#include "bind/convert/narrow.h"
#include "bind/convert/numpy_types.h"
#include "bind/effects.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/graph/graph_of_inputs.h"
#include "bind/graph/name_scope.h"
#include "bind/tensor/boolean_mask.h"
#include "bind/tensor/tensor_iterator.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"
#include "ops/build.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// One of begin, end and stride of one subscript: a number, or a scalar tensor while tracing.
struct Bound {
  std::int64_t number = 0;
  std::optional<Operand> tensor;
};

struct SliceSpec {
  SmallVector<Bound, 4> begin, end, stride;
  std::int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  void push(Bound b, Bound e, Bound s) {
    begin.push_back(std::move(b));
    end.push_back(std::move(e));
    stride.push_back(std::move(s));
  }
};

[[noreturn]] void bad_index(PyObject* index) {
  fail(ErrorKind::kType,
       "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
       "valid indices, got ",
       repr_of(index));
}

bool is_index_dtype(DType dtype) { return dtype == DType::kInt16 || dtype == DType::kInt32 || dtype == DType::kInt64; }

std::int64_t number_of(PyObject* index) {
  PyRef number = owned(PyNumber_Index(index));
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow) fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  if (v == -1 && PyErr_Occurred()) throw_python_error();
  return v;
}

Bound bound_of_operand(PyObject* index, const Operand& operand) {
  const Shape& shape = operand.shape();
  if (!is_index_dtype(operand.dtype()) || (shape.has_rank() && shape.rank() > 0)) bad_index(index);
  if (!operand.is_eager() || !current_target().is_eager()) return {0, operand};
  if (operand.dtype() == DType::kInt16) return {operand.tensor.item<std::int16_t>(), {}};
  return {operand.tensor.int_at(0), {}};
}

Bound bound_of(PyObject* index) {
  if (PyLong_CheckExact(index)) return {number_of(index), {}};
  if (is_tensor(index)) return bound_of_operand(index, operand_of(index));
  if (is_numpy_array(index)) {
    NumpyArray array(index);
    if (!is_index_dtype(array.dtype) || array.shape.rank() > 0) bad_index(index);
    return {number_of(index), {}};
  }
  if (PyIndex_Check(index)) return {number_of(index), {}};
  // A Variable, or another object that converts to a tensor.
  if (PyObject_HasAttrString(index, "__tf_tensor__") && !PyType_Check(index))
    return bound_of_operand(index, to_operand(index));
  bad_index(index);
}

Operand constant_of(Tensor value, std::string_view node_name) {
  if (current_target().is_eager()) return Operand(std::move(value));
  const OpDef& op = Registry::get().at("Const");
  AttrList attrs(op.signature.attrs.size());
  attrs[static_cast<std::size_t>(op.signature.attr_index("dtype"))] = value.dtype();
  attrs[static_cast<std::size_t>(op.signature.attr_index("value"))] = std::move(value);
  Operands outputs;
  emit(op, {}, std::move(attrs), outputs, node_name);
  return std::move(outputs[0]);
}

// The end of a single index's range. In a graph it is an op, created outside the slice's scope.
Bound after(const Bound& index) {
  if (index.tensor) {
    NameScope scope("add");
    Operand one = constant_of(narrow(Tensor::scalar<std::int64_t>(1), index.tensor->dtype()), "y");
    Operand inputs[] = {*index.tensor, one};
    Operands outputs;
    emit(Registry::get().at("AddV2"), inputs, {}, outputs, scope.node_name());
    return {0, std::move(outputs[0])};
  }
  std::int64_t next = 0;
  if (__builtin_add_overflow(index.number, 1, &next))
    fail(ErrorKind::kValue, "Can't convert Python sequence with out-of-range integer to Tensor.");
  return {next, {}};
}

void add_slice(SliceSpec& spec, PyObject* slice, std::int64_t bit) {
  PyObject* parts[] = {reinterpret_cast<PySliceObject*>(slice)->start, reinterpret_cast<PySliceObject*>(slice)->stop,
                       reinterpret_cast<PySliceObject*>(slice)->step};
  if (parts[0] == Py_None) spec.begin_mask |= bit;
  if (parts[1] == Py_None) spec.end_mask |= bit;
  Bound begin = parts[0] == Py_None ? Bound() : bound_of(parts[0]);
  Bound end = parts[1] == Py_None ? Bound() : bound_of(parts[1]);
  Bound stride = parts[2] == Py_None ? Bound{1, {}} : bound_of(parts[2]);
  spec.push(std::move(begin), std::move(end), std::move(stride));
}

// Bools in a list or tuple are not a mask, but indices of a type that StridedSlice rejects; beside a number they become
// numbers.
void refuse_bools(PyObject* subscripts) {
  Py_ssize_t n = PyTuple_GET_SIZE(subscripts);
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!PyBool_Check(PyTuple_GET_ITEM(subscripts, i))) return;
  if (n == 0) return;
  if (!current_target().is_eager())
    fail(ErrorKind::kType,
         "Value passed to parameter 'begin' has DataType bool not in list of allowed values: int16, int32, int64");
  invalid_argument("Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, int64");
}

void add_subscript(SliceSpec& spec, PyObject* subscript, std::size_t position) {
  // The masks have one bit per subscript.
  if (position >= 63) fail(ErrorKind::kValue, "A tensor takes at most 63 subscripts.");
  std::int64_t bit = std::int64_t{1} << position;
  if (PySlice_Check(subscript)) return add_slice(spec, subscript, bit);
  if (subscript == Py_Ellipsis) {
    spec.ellipsis_mask |= bit;
    return spec.push({}, {}, {1, {}});
  }
  if (subscript == Py_None) {
    spec.new_axis_mask |= bit;
    return spec.push({}, {}, {1, {}});
  }
  Bound begin = bound_of(subscript);
  Bound end = after(begin);
  spec.shrink_axis_mask |= bit;
  spec.push(std::move(begin), std::move(end), {1, {}});
}

bool needs_int64(const SmallVector<Bound, 4>& bounds) {
  for (const Bound& b : bounds) {
    if (b.tensor ? b.tensor->dtype() == DType::kInt64 : b.number != static_cast<std::int32_t>(b.number)) return true;
  }
  return false;
}

Tensor vector_of(const SmallVector<Bound, 4>& bounds, DType dtype) {
  Tensor out(dtype, Shape({static_cast<std::int64_t>(bounds.size())}));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (dtype == DType::kInt64)
      out.mutable_data<std::int64_t>()[i] = bounds[i].number;
    else
      out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(bounds[i].number);
  }
  return out;
}

Operand stacked(const SmallVector<Bound, 4>& bounds, DType dtype) {
  bool all_numbers = true;
  for (const Bound& b : bounds) all_numbers = all_numbers && !b.tensor;
  if (all_numbers) return constant_of(vector_of(bounds, dtype), "stack");
  Operands parts;
  for (const Bound& b : bounds)
    parts.push_back(b.tensor ? build::cast(*b.tensor, dtype)
                             : build::constant(dtype == DType::kInt64
                                                   ? Tensor::scalar(b.number)
                                                   : Tensor::scalar(static_cast<std::int32_t>(b.number))));
  Operands outputs;
  emit(Registry::get().at("Pack"), parts, {}, outputs, "stack");
  return std::move(outputs[0]);
}

// `op` on the part of the first input that `spec` selects: StridedSlice of a tensor, ResourceStridedSliceAssign with a
// value.
Operands emit_slice(const OpDef& op, const Operand& first, const SliceSpec& spec, const Operand* value) {
  NameScope scope("strided_slice");
  bool wide = needs_int64(spec.begin) || needs_int64(spec.end) || needs_int64(spec.stride);
  DType dtype = wide ? DType::kInt64 : DType::kInt32;
  Operands inputs{first, stacked(spec.begin, dtype), stacked(spec.end, dtype), stacked(spec.stride, dtype)};
  if (value) inputs.push_back(*value);
  AttrList attrs(op.signature.attrs.size());
  auto set = [&](std::string_view name, std::int64_t mask) {
    attrs[static_cast<std::size_t>(op.signature.attr_index(name))] = mask;
  };
  set("begin_mask", spec.begin_mask);
  set("end_mask", spec.end_mask);
  set("ellipsis_mask", spec.ellipsis_mask);
  set("new_axis_mask", spec.new_axis_mask);
  set("shrink_axis_mask", spec.shrink_axis_mask);
  Operands outputs;
  bool is_tensor_value = first.is_eager() && first.dtype() != DType::kResource;
  GilRelease release(worth_releasing(inputs, is_tensor_value ? first.tensor.num_elements() : 0));
  // TensorFlow's eager errors show the scope's name too.
  std::string_view name = current_target().is_eager() ? "strided_slice/" : scope.node_name();
  emit(op, inputs, std::move(attrs), outputs, value ? std::string_view() : name);
  return outputs;
}

Operand strided_slice(const Operand& tensor, const SliceSpec& spec) {
  static const OpDef& op = Registry::get().at("StridedSlice");
  return std::move(emit_slice(op, tensor, spec, nullptr)[0]);
}

SliceSpec spec_of(PyObject* key) {
  SliceSpec spec;
  if (PyTuple_Check(key) || PyList_Check(key)) {
    PyRef items = owned(PySequence_Tuple(key));
    refuse_bools(items.get());
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
      add_subscript(spec, PyTuple_GET_ITEM(items.get(), i), static_cast<std::size_t>(i));
  } else {
    add_subscript(spec, key, 0);
  }
  return spec;
}

bool is_mask(PyObject* key) {
  if (PyBool_Check(key)) return true;
  if (is_tensor(key)) return operand_of(key).dtype() == DType::kBool;
  return is_numpy_array(key) && NumpyArray(key).dtype == DType::kBool;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self, key});
    const Operand tensor = operand_of(self);  // kept: reading an index may run Python code
    if (is_mask(key)) return wrap(boolean_mask(tensor, to_operand(key)));
    return wrap(strided_slice(tensor, spec_of(key)));
  });
}

PyObject* item(PyObject* self, Py_ssize_t i) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self});
    SliceSpec spec;
    spec.shrink_axis_mask = 1;
    spec.push({i, {}}, {i + 1, {}}, {1, {}});
    return wrap(strided_slice(operand_of(self), spec));
  });
}

Py_ssize_t length(PyObject* self) {
  return guarded(
      [&]() -> Py_ssize_t {
        const Operand& operand = operand_of(self);
        if (!operand.is_eager())
          fail(ErrorKind::kType, "len is not well defined for a symbolic Tensor (",
               operand.graph->value_name(operand.value),
               "). Please call `x.shape` rather than `len(x)` for shape information.");
        if (operand.tensor.rank() == 0) fail(ErrorKind::kType, "Scalar tensor has no `len()`");
        return operand.tensor.dim(0);
      },
      -1);
}

// `item in tensor`: by iteration. Without this slot Python would replace the iterator's error by its own.
int contains(PyObject* self, PyObject* wanted) {
  PyObject* rows = tensor_iterator(self);
  if (!rows) return -1;
  int found = 0;
  while (found == 0) {
    PyObject* row = PyIter_Next(rows);
    if (!row) break;
    found = PyObject_RichCompareBool(row, wanted, Py_EQ);
    Py_DECREF(row);
  }
  Py_DECREF(rows);
  return PyErr_Occurred() ? -1 : found;
}

}  // namespace

PyObject* assign_slice(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *handle, *key, *value;
    if (!PyArg_ParseTuple(args, "OOO", &handle, &key, &value)) throw_python_error();
    if (!is_tensor(handle) || !is_tensor(value)) fail(ErrorKind::kType, "expected a handle and a tensor");
    static const OpDef& op = Registry::get().at("ResourceStridedSliceAssign");
    const Operand target = operand_of(handle);
    const Operand given = operand_of(value);
    Operands outputs = emit_slice(op, target, spec_of(key), &given);
    AttrList attrs;
    return wrap_outputs(op, attrs, std::move(outputs));
  });
}

// A slot only for its message, which can suggest what to write instead.
int refuse_item(PyObject* self, PyObject*, PyObject* value) {
  return guarded(
      [&]() -> int {
        fail(ErrorKind::kType, "'", Py_TYPE(self)->tp_name, "' object ",
             value ? "does not support item assignment" : "doesn't support item deletion");
      },
      -1);
}

void add_index_slots(Slots& tensor) {
  tensor.push_back({Py_mp_subscript, reinterpret_cast<void*>(subscript)});
  tensor.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(refuse_item)});
  tensor.push_back({Py_mp_length, reinterpret_cast<void*>(length)});
  // Used by reversed().
  tensor.push_back({Py_sq_item, reinterpret_cast<void*>(item)});
  tensor.push_back({Py_sq_length, reinterpret_cast<void*>(length)});
  tensor.push_back({Py_sq_contains, reinterpret_cast<void*>(contains)});
  tensor.push_back({Py_tp_iter, reinterpret_cast<void*>(tensor_iterator)});
}

}  // namespace tracefn::bind
