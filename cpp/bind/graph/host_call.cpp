// Python callables that nodes run (tf.py_function and its variants).
#include "ops/control/host_call.h"

#include <array>

#include "autodiff/tape.h"
#include "bind/call/op_call.h"
#include "bind/context/open_contexts.h"
#include "bind/convert/convert.h"
#include "bind/effects.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/gil.h"
#include "bind/graph/graph_of_inputs.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/tensor_object.h"
#include "exec/eager.h"
#include "ops/registry.h"

namespace tracefn::bind {
namespace {

// Puts the thread's exception aside. A callable also runs when an iterator is freed while an exception is on its way.
class Pending {
 public:
  Pending() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~Pending() {
    if (type_) PyErr_Restore(type_, value_, traceback_);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

// TensorFlow's error class for an exception of a callable.
ErrorKind kind_of(PyObject* exception) {
  auto is = [&](PyObject* type) { return PyErr_GivenExceptionMatches(exception, type); };
  if (is(PyExc_ValueError) || is(PyExc_TypeError)) return ErrorKind::kInvalidArgument;
  if (is(PyExc_StopIteration)) return ErrorKind::kOutOfRange;
  if (is(PyExc_MemoryError)) return ErrorKind::kResourceExhausted;
  if (is(PyExc_NotImplementedError)) return ErrorKind::kUnimplemented;
  return ErrorKind::kUnknown;
}

// Throws the current Python exception as the run-time error of the node.
[[noreturn]] void throw_host_error() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw_python_error();  // KeyboardInterrupt, SystemExit
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  PyRef exception = PyRef::steal(value);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  PyRef module = owned(PyImport_ImportModule("tracefn._host_call"));
  PyRef text = owned(PyObject_CallMethod(module.get(), "error_text", "(O)", exception.get()));
  const char* message = PyUnicode_AsUTF8(text.get());
  if (!message) throw_python_error();
  Error error(kind_of(exception.get()), message);
  error.set_cause(hold(exception.get()));
  throw error;
}

Ref<HostCall> new_call(PyObject* function);

// Calls `function(*tensors)`, which returns a list of eager tensors.
class PythonCall final : public HostCall {
 public:
  explicit PythonCall(PyObject* function, std::string token = next_host_call_token())
      : HostCall(std::move(token)), function_(function) {}

  void visit_owned(OwnedVisitor& visitor) const override { visitor.host(&function_); }

  void run(std::span<const Tensor> inputs, std::vector<Tensor>& outputs) override {
    const EnsuredGil gil;
    Pending pending;
    TargetScope eagerly(EagerTarget::get());
    // A call recorded on tapes may be differentiated: a differentiable callable keeps a record then.
    PyRef function = function_.get();
    bool kept = ActiveTapes::of_thread().listening() && PyObject_HasAttrString(function.get(), "recorded");
    PyRef target = kept ? owned(PyObject_GetAttrString(function.get(), "recorded")) : function;
    // Not recorded on tapes: the op that runs the callable has its own gradient.
    TapePause pause;
    ContextScope scope;
    PyRef args = owned(PyTuple_New(static_cast<Py_ssize_t>(inputs.size())));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i), wrap(Operand(inputs[i])));
    PyRef result = PyRef::steal(blocking_at_exit([&] { return PyObject_CallObject(target.get(), args.get()); }));
    if (!result) throw_host_error();
    PyRef items = owned(PySequence_Fast(result.get(), "a host call must return a list of tensors"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
      if (!is_eager(item)) fail(ErrorKind::kInternal, "A host call returned something other than an eager tensor.");
      outputs.push_back(operand_of(item).tensor);
    }
  }

  // A differentiable callable has a method `gradient`, which returns the callable of its gradient.
  Ref<HostCall> gradient() override {
    const EnsuredGil gil;
    PyRef function = function_.get();
    if (!PyObject_HasAttrString(function.get(), "gradient")) return nullptr;
    PyRef gradient = owned(PyObject_CallMethod(function.get(), "gradient", nullptr));
    if (gradient.get() == Py_None) return nullptr;
    return new_call(gradient.get());
  }

 private:
  HostCallable function_;
};

// The functions of nodes by their tokens, while they live. Owned by the process; needs the GIL.
PyObject* functions_by_token() {
  static PyObject* functions = nullptr;
  if (!functions) {
    PyRef module = owned(PyImport_ImportModule("weakref"));
    PyObject* made = checked(PyObject_CallMethod(module.get(), "WeakValueDictionary", nullptr));
    if (functions)  // another thread was here meanwhile
      Py_DECREF(made);
    else
      functions = made;
  }
  return functions;
}

Ref<HostCall> new_call(PyObject* function) {
  Ref<HostCall> call = make_ref<PythonCall>(function);
  PyRef token = owned(PyUnicode_FromString(call->text().c_str()));
  if (PyObject_SetItem(functions_by_token(), token.get(), function) < 0) throw_python_error();
  return call;
}

}  // namespace

Ref<HostCall> living_host_call(const std::string& token) {
  const EnsuredGil gil;
  PyRef function = owned(PyObject_CallMethod(functions_by_token(), "get", "s", token.c_str()));
  return function.get() == Py_None ? nullptr : make_ref<PythonCall>(function.get(), token);
}

PyObject* emit_host_call(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const char *op_name, *node_name;
    PyObject *function, *given, *types;
    if (!PyArg_ParseTuple(args, "sOOOs", &op_name, &function, &given, &types, &node_name)) throw_python_error();
    const OpDef& op = Registry::get().at(op_name);
    std::vector<Operand> inputs;
    PyRef values = owned(PySequence_Fast(given, "inputs must be a list"));
    const GraphOfInputs graph(std::array{values.get()});
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(values.get()); ++i)
      inputs.push_back(to_operand(PySequence_Fast_GET_ITEM(values.get(), i)));
    std::vector<DType> out_types;
    PyRef dtypes = owned(PySequence_Fast(types, "Tout must be a list"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(dtypes.get()); ++i)
      out_types.push_back(parse_dtype(PySequence_Fast_GET_ITEM(dtypes.get(), i)));
    AttrList attrs(op.signature.attrs.size());
    attrs[static_cast<std::size_t>(op.signature.attr_index("token"))] = host_call_token(new_call(function));
    attrs[static_cast<std::size_t>(op.signature.attr_index("Tout"))] = std::move(out_types);
    attrs = complete_attrs(op, inputs, std::move(attrs));
    Operands outputs;
    emit_completed(op, inputs, attrs, outputs, node_name);
    return wrap_outputs(op, attrs, std::move(outputs));
  });
}

}  // namespace tracefn::bind
