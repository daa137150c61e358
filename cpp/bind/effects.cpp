// The streams of tf.print, variable handles, and the number of threads.
#include "bind/effects.h"

#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/tensor/dtype_object.h"
#include "bind/tensor/shape_object.h"
#include "bind/tensor/tensor_object.h"
#include "exec/thread_pool.h"
#include "ops/debug/print_sink.h"
#include "ops/random/random_state.h"
#include "ops/state/variable_resource.h"

namespace tracefn::bind {
namespace {

// Writes to the current sys.stdout and sys.stderr, as notebooks and redirections expect, and to the package's logger.
class PythonStreams final : public PrintSink {
 public:
  void write(std::string_view stream, std::string_view text) override {
    const EnsuredGil gil;
    auto size = static_cast<Py_ssize_t>(text.size());
    PyRef decoded = owned(PyUnicode_DecodeUTF8(text.data(), size, "replace"));
    if (stream.starts_with("log(")) {
      PyRef logging = owned(PyImport_ImportModule("tracefn._logging"));
      PyRef logger = owned(PyObject_CallMethod(logging.get(), "get_logger", nullptr));
      std::string level(stream.substr(4, stream.size() - 5));
      owned(PyObject_CallMethod(logger.get(), level.c_str(), "sO", "%s", decoded.get()));
      return;
    }
    PyObject* file = PySys_GetObject(stream == "stdout" ? "stdout" : "stderr");  // borrowed
    if (!file || file == Py_None) return;
    PyRef held = PyRef::borrow(file);
    owned(PyObject_CallMethod(held.get(), "write", "(O)", decoded.get()));
  }
};

// A handle of a resource, or a scalar variant: a dataset, say.
const Operand& handle_of(PyObject* object) {
  if (is_tensor(object)) {
    const Operand& operand = operand_of(object);
    if (operand.dtype() == DType::kResource) return operand;
    if (operand.dtype() == DType::kVariant && (!operand.is_eager() || operand.tensor.rank() == 0)) return operand;
  }
  fail(ErrorKind::kType, "expected a resource handle or a scalar variant");
}

// A variable without a value; its handle is always eager.
PyObject* make_variable(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *dtype, *shape;
    const char* name;
    int trainable;
    if (!PyArg_ParseTuple(args, "OOsp", &dtype, &shape, &name, &trainable)) throw_python_error();
    auto variable = make_ref<VariableResource>(parse_dtype(dtype), parse_shape(shape), name);
    variable->set_trainable(trainable);
    return wrap(Operand(Tensor::handle(DType::kResource, variable)));
  });
}

// The identity of what is behind a handle, whichever tensor holds it.
PyObject* resource_key(PyObject*, PyObject* handle) {
  return guarded([&]() -> PyObject* {
    const Operand& operand = handle_of(handle);
    if (operand.is_eager()) return PyLong_FromVoidPtr(operand.tensor.object().get());
    return PyLong_FromVoidPtr(const_cast<OutputInfo*>(&operand.graph->info(operand.value)));
  });
}

PyObject* reset_states(PyObject*, PyObject*) {
  reset_random_states();
  Py_RETURN_NONE;
}

PyObject* set_num_threads(PyObject*, PyObject* n) {
  return guarded([&]() -> PyObject* {
    long threads = PyLong_AsLong(n);
    if (threads == -1 && PyErr_Occurred()) throw_python_error();
    ThreadPool::get().set_num_threads(static_cast<int>(threads));
    Py_RETURN_NONE;
  });
}

PyMethodDef effects_functions[] = {
    {"emit_host_call", emit_host_call, METH_VARARGS,
     "Emits EagerPyFunc, PyFunc or PyFuncStateless: (op, function, inputs, Tout, name)."},
    {"make_variable", make_variable, METH_VARARGS, "The handle of a new variable: (dtype, shape, name, trainable)."},
    {"assign_slice", assign_slice, METH_VARARGS, "variable[key] = value as an op: (handle, key, value)."},
    {"resource_key", resource_key, METH_O, "An int that identifies what is behind a handle or in a variant."},
    {"reset_random_states", reset_states, METH_NOARGS, "Makes random ops begin anew from their seeds."},
    {"set_num_threads", set_num_threads, METH_O, "How many threads work on one op from now on, the caller's included."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_effects(PyObject* module) {
  if (PyModule_AddFunctions(module, effects_functions) < 0) throw_python_error();
}

PrintSink& python_streams() {
  static PythonStreams streams;
  return streams;
}

}  // namespace tracefn::bind
