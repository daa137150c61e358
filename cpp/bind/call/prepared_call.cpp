// The type PreparedCall.
#include "bind/call/prepared_call.h"

#include <structmember.h>

#include "bind/errors.h"
#include "bind/py_ref.h"
#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {
namespace {

struct PreparedCall {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const OpDef* op;
  AttrList* attrs;
  PyObject* inputs;  // a tuple of tensors, which the garbage collector sees
};

PyTypeObject* prepared_call_type = nullptr;

PyObject* prepared_call_call(PyObject* object, PyObject* const*, size_t nargsf, PyObject* kwnames) {
  auto* self = reinterpret_cast<PreparedCall*>(object);
  return guarded([&]() -> PyObject* {
    if (PyVectorcall_NARGS(nargsf) || (kwnames && PyTuple_GET_SIZE(kwnames)))
      fail(ErrorKind::kType, "A PreparedCall takes no arguments");
    if (!current_target().is_eager()) return Py_NewRef(Py_NotImplemented);
    Operands inputs, outputs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->inputs); ++i)
      inputs.push_back(operand_of(PyTuple_GET_ITEM(self->inputs, i)));
    emit_completed(*self->op, {inputs.data(), inputs.size()}, *self->attrs, outputs);
    if (outputs.size() == 1) return wrap(std::move(outputs[0]));
    PyRef results = owned(PyTuple_New(static_cast<Py_ssize_t>(outputs.size())));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(i), wrap(std::move(outputs[i])));
    return results.release();
  });
}

int prepared_call_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<PreparedCall*>(object)->inputs);
  return 0;
}

int prepared_call_clear(PyObject* object) {
  Py_CLEAR(reinterpret_cast<PreparedCall*>(object)->inputs);
  return 0;
}

void prepared_call_dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  prepared_call_clear(object);
  delete reinterpret_cast<PreparedCall*>(object)->attrs;
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef prepared_call_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PreparedCall, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot prepared_call_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(prepared_call_dealloc)},
                                     {Py_tp_traverse, reinterpret_cast<void*>(prepared_call_traverse)},
                                     {Py_tp_clear, reinterpret_cast<void*>(prepared_call_clear)},
                                     {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                     {Py_tp_members, prepared_call_members},
                                     {0, nullptr}};
PyType_Spec prepared_call_spec = {
    "tracefn._core.PreparedCall", sizeof(PreparedCall), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    prepared_call_slots};

}  // namespace

PyObject* new_prepared_call(const OpDef& op, const Operands& inputs, AttrList attrs) {
  PyRef tensors = owned(PyTuple_New(static_cast<Py_ssize_t>(inputs.size())));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    PyTuple_SET_ITEM(tensors.get(), static_cast<Py_ssize_t>(i), wrap(inputs[i]));
  auto* self = PyObject_GC_New(PreparedCall, prepared_call_type);
  if (!self) throw_python_error();
  self->vectorcall = prepared_call_call;
  self->op = &op;
  self->attrs = new AttrList(std::move(attrs));
  self->inputs = tensors.release();
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

void init_prepared_call(PyObject* module) {
  prepared_call_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&prepared_call_spec)));
  checked(PyModule_AddObjectRef(module, "PreparedCall", reinterpret_cast<PyObject*>(prepared_call_type)));
}

}  // namespace tracefn::bind
