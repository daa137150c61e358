// Operators of tensors: arithmetic, bits and logic, matrix product, comparison. Each converts the other operand as
// TensorFlow does (`+` and `/` use its own dtype if it has one, the others require the tensor's) and emits one op.
#include <array>
#include <optional>

#include "bind/call/unnamed_errors.h"
#include "bind/convert/convert.h"
#include "bind/convert/from_python.h"
#include "bind/convert/numpy_types.h"
#include "bind/convert/traced_parameter.h"
#include "bind/dispatch.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/graph/graph_of_inputs.h"
#include "bind/graph/name_scope.h"
#include "bind/method.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"
#include "exec/eager.h"
#include "exec/eager_elementwise.h"
#include "ops/registry.h"
#include "trace/func_graph.h"

namespace tracefn::bind {
namespace {

// A cached op lookup.
class LazyOp {
 public:
  constexpr explicit LazyOp(const char* op_name) : name_(op_name) {}
  const OpDef& operator*() const {
    if (!def_) def_ = &Registry::get().at(name_);
    return *def_;
  }

 private:
  const char* name_;
  mutable const OpDef* def_ = nullptr;  // written under the GIL
};

enum class Convert { kExact, kHint };

struct BinaryOp {
  const char* node;       // name of the node while tracing
  const char* op;         // the op, for messages
  const char* reflected;  // the other operand's method, tried if it does not convert
  Convert convert;
  Operand (*compute)(const Operand& x, const Operand& y, std::string_view node_name);
};

Operand emit_one(const OpDef& op, std::span<const Operand> inputs, std::string_view node_name, std::int64_t work,
                 AttrList attrs = {}) {
  Operands outputs;
  GilRelease release(worth_releasing(inputs, work));
  emit(op, inputs, std::move(attrs), outputs, node_name);
  return std::move(outputs[0]);
}

// True if an op on it only runs a kernel.
bool runs_at_once(const Operand& x) { return x.is_eager() && !current_listener() && !op_callback() && runs_eagerly(); }

std::int64_t elements(const Operand& operand) { return operand.is_eager() ? operand.tensor.num_elements() : 0; }

Operand emit_binary(const OpDef& op, const Operand& x, const Operand& y, std::string_view node_name,
                    AttrList attrs = {}) {
  if (runs_at_once(x) && y.is_eager()) {
    Tensor result = try_eager_binary(op, x.tensor, y.tensor);
    if (result.defined()) return Operand(std::move(result));
  }
  Operand inputs[] = {x, y};
  return emit_one(op, inputs, node_name, std::max(elements(x), elements(y)), std::move(attrs));
}

const LazyOp kAddV2("AddV2"), kAdd("Add"), kSub("Sub"), kMul("Mul"), kRealDiv("RealDiv"), kFloorDiv("FloorDiv"),
    kFloorMod("FloorMod"), kPow("Pow"), kMatMul("MatMul"), kBatchMatMul("BatchMatMulV2"), kCast("Cast");
const LazyOp kBitwiseAnd("BitwiseAnd"), kBitwiseOr("BitwiseOr"), kBitwiseXor("BitwiseXor"), kInvert("Invert"),
    kLogicalAnd("LogicalAnd"), kLogicalOr("LogicalOr"), kLogicalNot("LogicalNot");
const LazyOp kNeg("Neg"), kAbs("Abs"), kComplexAbs("ComplexAbs");
const LazyOp kLess("Less"), kLessEqual("LessEqual"), kGreater("Greater"), kGreaterEqual("GreaterEqual"),
    kEqual("Equal"), kNotEqual("NotEqual");

template <const LazyOp& op>
Operand plain(const Operand& x, const Operand& y, std::string_view node_name) {
  return emit_binary(*op, x, y, node_name);
}

Operand add(const Operand& x, const Operand& y, std::string_view node_name) {
  return emit_binary(x.dtype() == DType::kString ? *kAdd : *kAddV2, x, y, node_name);
}

// The dtype for integer division; kInvalid if no cast is needed.
std::optional<DType> quotient_dtype(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16:
      return DType::kFloat;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
      return DType::kDouble;
    default:
      if (is_floating(dtype) || is_complex(dtype)) return DType::kInvalid;
      return std::nullopt;
  }
}

Operand cast(const Operand& x, DType dtype) {
  AttrList attrs((*kCast).signature.attrs.size());
  attrs[static_cast<std::size_t>((*kCast).signature.attr_index("DstT"))] = dtype;
  Operand inputs[] = {x};
  return emit_one(*kCast, inputs, {}, elements(x), std::move(attrs));
}

// Truth values are multiplied as int32, whatever the other operand is, and the product is a truth value.
Operand multiply(const Operand& x, const Operand& y, std::string_view node_name) {
  if (x.dtype() != DType::kBool && y.dtype() != DType::kBool) return emit_binary(*kMul, x, y, node_name);
  std::optional<NameScope> scope;
  if (!node_name.empty() && !node_name.ends_with('/')) scope.emplace(node_name);
  const Operand a = cast(x, DType::kInt32), b = cast(y, DType::kInt32);
  return cast(emit_binary(*kMul, a, b, scope ? scope->node_name() : node_name), DType::kBool);
}

Operand truediv(const Operand& x, const Operand& y, std::string_view node_name) {
  if (x.dtype() != y.dtype())
    fail(ErrorKind::kType, "`x` and `y` must have the same dtype, got tf.", name(x.dtype()), " != tf.", name(y.dtype()),
         ".");
  std::optional<DType> dtype = quotient_dtype(x.dtype());
  if (!dtype)
    fail(ErrorKind::kType, "Invalid dtype tf.", name(x.dtype()),
         " in __truediv__. Expected one of {tf.uint8, tf.int8, tf.uint16, tf.int16, tf.uint32, tf.int32, tf.uint64, "
         "tf.int64, tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128}.");
  if (*dtype == DType::kInvalid) return emit_binary(*kRealDiv, x, y, node_name);
  if (node_name.ends_with('/')) return emit_binary(*kRealDiv, cast(x, *dtype), cast(y, *dtype), node_name);
  NameScope scope(node_name);
  return emit_binary(*kRealDiv, cast(x, *dtype), cast(y, *dtype), scope.node_name());
}

// Python 2's `/`: kept by TensorFlow as the method __div__.
Operand old_div(const Operand& x, const Operand& y, std::string_view node_name) {
  return is_integer(x.dtype()) ? emit_binary(*kFloorDiv, x, y, node_name) : truediv(x, y, node_name);
}

bool is_batch(const Operand& x) { return !x.shape().has_rank() || x.shape().rank() > 2; }

Operand matmul(const Operand& x, const Operand& y, std::string_view node_name) {
  Operand inputs[] = {x, y};
  std::int64_t work = elements(x) * (y.is_eager() && y.tensor.rank() > 0 ? y.tensor.dim(y.tensor.rank() - 1) : 1);
  return emit_one(is_batch(x) || is_batch(y) ? *kBatchMatMul : *kMatMul, inputs, node_name, work);
}

// TensorFlow names the node of a bitwise operator inside a scope of the operator: "and/BitwiseAnd". A name that ends in
// '/' is that inner scope already.
Operand bitwise(const OpDef& op, const Operand& x, const Operand& y, std::string_view node_name) {
  if (node_name.empty() || node_name.ends_with('/')) return emit_binary(op, x, y, node_name);
  NameScope scope(node_name);
  return emit_binary(op, x, y, {});
}

template <const LazyOp& logical, const LazyOp& of_bits>
Operand bits(const Operand& x, const Operand& y, std::string_view node_name) {
  return x.dtype() == DType::kBool ? emit_binary(*logical, x, y, node_name) : bitwise(*of_bits, x, y, node_name);
}

Operand exclusive_or(const Operand& x, const Operand& y, std::string_view node_name) {
  if (x.dtype() != DType::kBool) return bitwise(*kBitwiseXor, x, y, node_name);
  std::optional<NameScope> scope;
  if (!node_name.ends_with('/')) scope.emplace(node_name);
  Operand either = emit_binary(*kLogicalOr, x, y, {});
  Operand both[] = {emit_binary(*kLogicalAnd, x, y, {})};
  Operand not_both = emit_one(*kLogicalNot, both, {}, elements(both[0]));
  return emit_binary(*kLogicalAnd, either, not_both, scope ? scope->node_name() : node_name);
}

constexpr BinaryOp kAddOp = {"add", "AddV2", "__radd__", Convert::kHint, add};
constexpr BinaryOp kSubOp = {"sub", "Sub", "__rsub__", Convert::kExact, plain<kSub>};
constexpr BinaryOp kMulOp = {"mul", "Mul", "__rmul__", Convert::kExact, multiply};
constexpr BinaryOp kTrueDivOp = {"truediv", "RealDiv", "__rtruediv__", Convert::kHint, truediv};
constexpr BinaryOp kOldDivOp = {"div", "RealDiv", "__rdiv__", Convert::kExact, old_div};
constexpr BinaryOp kFloorDivOp = {"floordiv", "FloorDiv", "__rfloordiv__", Convert::kExact, plain<kFloorDiv>};
constexpr BinaryOp kModOp = {"mod", "FloorMod", "__rmod__", Convert::kExact, plain<kFloorMod>};
constexpr BinaryOp kPowOp = {"pow", "Pow", "__rpow__", Convert::kExact, plain<kPow>};
constexpr BinaryOp kMatMulOp = {"matmul", "MatMul", "__rmatmul__", Convert::kHint, matmul};
constexpr BinaryOp kAndOp = {"and", "BitwiseAnd", "__rand__", Convert::kExact, bits<kLogicalAnd, kBitwiseAnd>};
constexpr BinaryOp kOrOp = {"or", "BitwiseOr", "__ror__", Convert::kExact, bits<kLogicalOr, kBitwiseOr>};
constexpr BinaryOp kXorOp = {"xor", "BitwiseXor", "__rxor__", Convert::kExact, exclusive_or};

// Eager nodes have no name; TensorFlow's messages then end in "name: ".
std::string_view node_name(const char* node) { return current_target().is_eager() ? std::string_view() : node; }

const char* op_name(const BinaryOp& op, DType dtype) {
  if (dtype != DType::kBool) return op.op;
  if (op.compute == kAndOp.compute) return "LogicalAnd";
  return op.compute == kOrOp.compute || op.compute == kXorOp.compute ? "LogicalOr" : op.op;
}
bool is_bitwise(const BinaryOp& op, DType dtype) {
  return dtype != DType::kBool &&
         (op.compute == kAndOp.compute || op.compute == kOrOp.compute || op.compute == kXorOp.compute);
}
bool is_matmul(const BinaryOp& op) { return op.compute == matmul; }

Operand with_right(const BinaryOp& op, const Operand& x, PyObject* other) {
  if (is_tensor(other)) return op.compute(x, operand_of(other), node_name(op.node));
  const char* parameter = is_matmul(op) ? "b" : "y";
  bool hint = op.convert == Convert::kHint;
  if (op.compute == multiply && x.dtype() == DType::kBool && other != Py_None) {
    const std::string_view node = node_name(op.node);
    std::optional<NameScope> scope;
    if (!node.empty()) scope.emplace(node);
    return multiply(x, to_operand(other), scope ? scope->node_name() : node);
  }
  if (current_target().is_eager()) {
    Operand y = to_operand(other, hint ? DType::kInvalid : x.dtype(), x.dtype());
    return naming_node_if([&] { return hint || is_taken_natively(other); }, [&] { return op.compute(x, y, {}); });
  }
  NameScope scope(op.node);
  std::optional<NameScope> inner;
  if (is_bitwise(op, x.dtype())) inner.emplace(op.op);
  Operand y = hint ? to_operand(other, DType::kInvalid, x.dtype(), parameter)
                   : traced_parameter(other, x.dtype(), op_name(op, x.dtype()), parameter, "x");
  return op.compute(x, y, (inner ? *inner : scope).node_name());
}

Operand with_left(const BinaryOp& op, PyObject* other, const Operand& y) {
  if (current_target().is_eager()) return op.compute(to_operand(other, y.dtype()), y, {});
  NameScope scope(op.node);
  Operand x = to_operand(other, y.dtype(), DType::kInvalid, "x");
  std::optional<NameScope> inner;
  if (is_bitwise(op, y.dtype())) inner.emplace(op.op);
  return op.compute(x, y, (inner ? *inner : scope).node_name());
}

// An object that does not convert may implement the operation itself. Null if it does not.
PyRef try_reflected(const BinaryOp& op, PyObject* self, PyObject* other) {
  PyRef method = PyRef::steal(PyObject_GetAttrString(other, op.reflected));
  if (!method) {
    drop_ordinary_error();
    return PyRef();
  }
  PyRef result = PyRef::steal(PyObject_CallOneArg(method.get(), self));
  if (!result) {
    // 'a'.__rmul__ treats a tensor as a number: the first error is more helpful.
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python_error();
    PyErr_Clear();
    return PyRef();
  }
  return result.get() == Py_NotImplemented ? PyRef() : std::move(result);
}

template <const BinaryOp& op>
PyObject* binary(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const GraphOfInputs graph(std::array{a, b});
    if (!is_tensor(a)) return wrap(with_left(op, a, operand_of(b)));
    try {
      return wrap(with_right(op, operand_of(a), b));
    } catch (const Error& e) {
      if (is_tensor(b) || !is_type_or_value_error(e)) throw;
      PyRef result = try_reflected(op, a, b);
      if (!result) throw;
      return result.release();
    }
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow() with a third argument is not supported for tensors");
    return nullptr;
  }
  return binary<kPowOp>(a, b);
}

PyObject* reflected_old_div(PyObject* self, PyObject* other) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self, other});
    return wrap(with_left(kOldDivOp, other, operand_of(self)));
  });
}

Operand emit_unary(const OpDef& op, const Operand& x, std::string_view node_name = {}) {
  if (runs_at_once(x)) {
    Tensor result = try_eager_unary(op, x.tensor);
    if (result.defined()) return Operand(std::move(result));
  }
  Operand inputs[] = {x};
  return emit_one(op, inputs, node_name, elements(x));
}

PyObject* negative(PyObject* self) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self});
    return wrap(emit_unary(*kNeg, operand_of(self)));
  });
}
PyObject* absolute(PyObject* self) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self});
    const Operand& x = operand_of(self);
    if (!is_complex(x.dtype())) return wrap(emit_unary(*kAbs, x));
    AttrList attrs((*kComplexAbs).signature.attrs.size());
    attrs[static_cast<std::size_t>((*kComplexAbs).signature.attr_index("Tout"))] = real_dtype(x.dtype());
    Operand inputs[] = {x};
    return wrap(emit_one(*kComplexAbs, inputs, node_name("Abs"), elements(x), std::move(attrs)));
  });
}
PyObject* invert(PyObject* self) {
  return guarded([&] {
    const GraphOfInputs graph(std::array{self});
    const Operand& x = operand_of(self);
    return wrap(emit_unary(x.dtype() == DType::kBool ? *kLogicalNot : *kInvert, x));
  });
}

bool is_in_plain_graph(const FuncGraph* graph) {
  while (graph && graph->is_function()) graph = graph->outer();
  return graph != nullptr;
}

// As TensorFlow's, tensors of a tf.Graph are equal to themselves alone, and keys of dicts: `feed_dict={x: ...}`. So are
// all tensors while a tf.Graph is built.
bool is_compared_by_identity(PyObject* tensor) {
  if (is_in_plain_graph(current_func_graph())) return true;
  if (!is_symbolic(tensor)) return false;
  std::shared_ptr<FuncGraph> own = FuncGraph::of(operand_of(tensor).graph.get());
  return !own || !own->is_function();  // without one nothing can be added to the graph
}

// Operands of shapes that do not broadcast are unequal, not an error.
AttrList equality_attrs(const OpDef& op) {
  AttrList attrs(op.signature.attrs.size());
  attrs[static_cast<std::size_t>(op.signature.attr_index("incompatible_shape_error"))] = false;
  return attrs;
}

PyObject* compare_values(PyObject* self, PyObject* other, int relation) {
  static const std::array<const LazyOp*, 6> kOps = {&kLess,     &kLessEqual, &kEqual,
                                                    &kNotEqual, &kGreater,   &kGreaterEqual};
  bool equality = relation == Py_EQ || relation == Py_NE;
  const OpDef& op = **kOps[static_cast<std::size_t>(relation)];
  const Operand& x = operand_of(self);
  if (is_tensor(other) && runs_at_once(x) && is_eager(other)) {
    Tensor result = try_eager_binary(op, x.tensor, operand_of(other).tensor);
    if (result.defined()) return wrap(Operand(std::move(result)));
  }
  AttrList attrs = equality ? equality_attrs(op) : AttrList();
  if (is_tensor(other)) return wrap(emit_binary(op, x, operand_of(other), {}, std::move(attrs)));
  if (current_target().is_eager()) {
    // What has a dtype keeps it: the op names the two that differ.
    const bool takes_dtype = is_weakly_typed(other) || is_numpy(other);
    Operand y = to_operand(other, takes_dtype ? x.dtype() : DType::kInvalid);
    return naming_node_if([&] { return is_taken_natively(other); },
                          [&] { return wrap(emit_binary(op, x, y, {}, std::move(attrs))); });
  }
  NameScope scope(op.name());
  Operand y = traced_parameter(other, x.dtype(), op.name(), "y", "x");
  return wrap(emit_binary(op, x, y, scope.node_name(), std::move(attrs)));
}

PyObject* compare(PyObject* self, PyObject* other, int relation) {
  static constexpr std::array<const char*, 6> kPaths = {"math.less",      "math.less_equal", "math.equal",
                                                        "math.not_equal", "math.greater",    "math.greater_equal"};
  if (relation == Py_EQ || relation == Py_NE) {
    if (other == Py_None) return PyBool_FromLong(relation == Py_NE);
    if (is_compared_by_identity(self)) return PyBool_FromLong((self == other) == (relation == Py_EQ));
  }
  return guarded([&]() -> PyObject* {
    const GraphOfInputs graph(std::array{self, other});
    try {
      return compare_values(self, other, relation);
    } catch (const Error& e) {
      if (is_tensor(other) || !has_dispatcher() || !is_type_or_value_error(e)) throw;
      PyRef path = owned(PyUnicode_FromString(kPaths[static_cast<std::size_t>(relation)]));
      PyRef arguments = owned(Py_BuildValue("{sOsO}", "x", self, "y", other));
      PyRef result = dispatched(path.get(), arguments.get());
      if (!result) throw;
      return result.release();
    }
  });
}

Py_hash_t tensor_hash(PyObject* self) {
  if (is_compared_by_identity(self)) return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self) >> 4);
  PyErr_SetString(PyExc_TypeError, "Tensor is unhashable. Instead, use tensor.ref() as the key.");
  return -1;
}

template <typename F>
void put(Slots& slots, int slot, F* function) {
  slots.push_back({slot, reinterpret_cast<void*>(function)});
}

}  // namespace

PyObject* tensor_old_div(PyObject* self, PyObject* other) { return binary<kOldDivOp>(self, other); }
PyObject* tensor_reflected_old_div(PyObject* self, PyObject* other) { return reflected_old_div(self, other); }

void add_operator_slots(Slots& tensor) {
  put(tensor, Py_nb_add, binary<kAddOp>);
  put(tensor, Py_nb_subtract, binary<kSubOp>);
  put(tensor, Py_nb_multiply, binary<kMulOp>);
  put(tensor, Py_nb_true_divide, binary<kTrueDivOp>);
  put(tensor, Py_nb_floor_divide, binary<kFloorDivOp>);
  put(tensor, Py_nb_remainder, binary<kModOp>);
  put(tensor, Py_nb_power, power);
  put(tensor, Py_nb_matrix_multiply, binary<kMatMulOp>);
  put(tensor, Py_nb_and, binary<kAndOp>);
  put(tensor, Py_nb_or, binary<kOrOp>);
  put(tensor, Py_nb_xor, binary<kXorOp>);
  put(tensor, Py_nb_negative, negative);
  put(tensor, Py_nb_absolute, absolute);
  put(tensor, Py_nb_invert, invert);
  put(tensor, Py_tp_richcompare, compare);
  put(tensor, Py_tp_hash, tensor_hash);
}

}  // namespace tracefn::bind
