// Entering and leaving a recorder runs no Python code, so a signal cannot leave a tape recording.
#include "bind/tape/tape_recorder.h"

#include <structmember.h>

#include <cstddef>

#include "bind/errors.h"
#include "bind/method.h"
#include "bind/tape/tape_object.h"

namespace tracefn::bind {
namespace {

struct RecorderObject {
  PyObject_HEAD
  PyObject* tape;  // a Tape; null: none yet, or no more
  char persistent;
  char watches_variables;
  PyObject* dict;
  PyObject* weakrefs;
};

RecorderObject* as_recorder(PyObject* self) { return reinterpret_cast<RecorderObject*>(self); }

bool records(PyObject* self) {
  PyObject* tape = as_recorder(self)->tape;
  return tape && tape_records(tape);
}

int init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"persistent", "watch_accessed_variables", nullptr};
  int persistent = 0, watches = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pp", const_cast<char**>(keywords), &persistent, &watches)) return -1;
  as_recorder(self)->persistent = static_cast<char>(persistent);
  as_recorder(self)->watches_variables = static_cast<char>(watches);
  return 0;
}

PyObject* push(PyObject* self) {
  RecorderObject* recorder = as_recorder(self);
  if (records(self)) {
    PyRef message = owned(PyObject_GetAttrString(self, "_already_recording"));
    PyErr_SetObject(PyExc_ValueError, message.get());
    throw_python_error();
  }
  if (!recorder->tape) recorder->tape = new_tape(recorder->watches_variables, recorder->persistent);
  start_tape(recorder->tape);
  Py_RETURN_NONE;
}

PyObject* pop(PyObject* self) {
  if (!records(self)) fail(ErrorKind::kValue, "Tape is not recording.");
  stop_tape(as_recorder(self)->tape);
  Py_RETURN_NONE;
}

PyObject* tape_recorder_enter(PyObject* self) {
  PyRef none = PyRef::steal(push(self));
  return Py_NewRef(self);
}

PyObject* tape_recorder_exit(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&]() -> PyObject* {
    if (records(self)) stop_tape(as_recorder(self)->tape);
    Py_RETURN_NONE;
  });
}

PyObject* get_tape(PyObject* self) {
  PyObject* tape = as_recorder(self)->tape;
  return Py_NewRef(tape ? tape : Py_None);
}

int set_tape(PyObject* self, PyObject* value, void*) {
  if (value && value != Py_None && !is_tape(value)) {
    PyErr_SetString(PyExc_TypeError, "expected a Tape or None");
    return -1;
  }
  Py_XSETREF(as_recorder(self)->tape, value && value != Py_None ? Py_NewRef(value) : nullptr);
  return 0;
}

PyObject* tape_recorder_get_recording(PyObject* self) { return PyBool_FromLong(records(self)); }

int tape_recorder_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_recorder(self)->tape);
  Py_VISIT(as_recorder(self)->dict);
  return 0;
}

int tape_recorder_clear(PyObject* self) {
  Py_CLEAR(as_recorder(self)->tape);
  Py_CLEAR(as_recorder(self)->dict);
  return 0;
}

void tape_recorder_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_recorder(self)->weakrefs) PyObject_ClearWeakRefs(self);
  tape_recorder_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef tape_recorder_methods[] = {
    {"__enter__", method<tape_recorder_enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(tape_recorder_exit)), METH_FASTCALL, nullptr},
    {"_push", method<push>, METH_NOARGS, nullptr},
    {"_pop", method<pop>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef tape_recorder_getset[] = {
    {"_tape", getter<get_tape>, set_tape, "The Tape; None: none yet, or no more.", nullptr},
    {"_recording", getter<tape_recorder_get_recording>, nullptr, "Whether it records.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef tape_recorder_members[] = {
    {"_persistent", T_BOOL, offsetof(RecorderObject, persistent), 0, nullptr},
    {"_watch_accessed_variables", T_BOOL, offsetof(RecorderObject, watches_variables), 0, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(RecorderObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(RecorderObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot tape_recorder_slots[] = {{Py_tp_doc, const_cast<char*>("Starts and stops a Tape.")},
                                     {Py_tp_init, reinterpret_cast<void*>(init)},
                                     {Py_tp_dealloc, reinterpret_cast<void*>(tape_recorder_dealloc)},
                                     {Py_tp_traverse, reinterpret_cast<void*>(tape_recorder_traverse)},
                                     {Py_tp_clear, reinterpret_cast<void*>(tape_recorder_clear)},
                                     {Py_tp_methods, tape_recorder_methods},
                                     {Py_tp_getset, tape_recorder_getset},
                                     {Py_tp_members, tape_recorder_members},
                                     {0, nullptr}};
PyType_Spec tape_recorder_spec = {"tracefn._core.TapeRecorder", sizeof(RecorderObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, tape_recorder_slots};

}  // namespace

void init_tape_recorder(PyObject* module) {
  PyRef type = owned(PyType_FromSpec(&tape_recorder_spec));
  checked(PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())));
}

}  // namespace tracefn::bind
