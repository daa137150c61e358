// Our own heap type: a tape is created for each training step, and small steps are many.
#include "bind/tape/tape_object.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "autodiff/tape.h"
#include "bind/context/context_object.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/method.h"
#include "bind/structure/classes.h"
#include "bind/tape/tape.h"
#include "bind/tensor/tensor_object.h"

namespace tracefn::bind {
namespace {

struct TapeObject {
  PyObject_HEAD
  std::shared_ptr<Tape> tape;
  OpenCount open;
  std::uint64_t starts;
};

PyTypeObject* tape_type = nullptr;

TapeObject* as_tape(PyObject* self) { return reinterpret_cast<TapeObject*>(self); }
const std::shared_ptr<Tape>& tape_of(PyObject* self) { return as_tape(self)->tape; }

// An active tape. It may be stopped, and restarted, on any thread.
class TapeChange final : public Change {
 public:
  explicit TapeChange(PyObject* tape) : tape_(as_tape(tape)), start_(tape_->starts) {}
  void restore(std::span<const OpenContext>) noexcept override {
    if (!is_restored()) ActiveTapes::remove(*tape_->tape);
  }
  bool is_restored() const override { return tape_->open.count == 0 || tape_->starts != start_; }

 private:
  TapeObject* tape_;  // the owner, which the open context holds
  std::uint64_t start_;
};

PyObject* tape_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"watches_variables", "persistent", "forward", nullptr};
  int watches = 0, persistent = 0, forward = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "p|pp:Tape", const_cast<char**>(keywords), &watches, &persistent,
                                   &forward))
    return nullptr;
  return guarded([&]() -> PyObject* {
    auto tape = std::make_shared<Tape>(watches != 0, persistent != 0, forward != 0);
    PyObject* self = checked(type->tp_alloc(type, 0));
    new (&as_tape(self)->tape) std::shared_ptr<Tape>(std::move(tape));
    new (&as_tape(self)->open) OpenCount();
    return self;
  });
}

int tape_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return visit_owned(tape_of(self).get(), visit, arg);
}

void tape_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  as_tape(self)->tape.~shared_ptr();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* start(PyObject* self) {
  start_tape(self);
  Py_RETURN_NONE;
}

PyObject* stop(PyObject* self) {
  stop_tape(self);
  Py_RETURN_NONE;
}

PyObject* tape_enter(PyObject* self) {
  start_tape(self);
  return Py_NewRef(self);
}

PyObject* tape_exit(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&] { return stop(self); });
}

PyObject* watch(PyObject* self, PyObject* tensor) {
  tape_of(self)->watch(tensor_operand_of(tensor));
  Py_RETURN_NONE;
}

PyObject* watch_one(PyObject* self, PyObject* object) {
  if (!is_tensor(object) || !is_differentiable(operand_of(object))) Py_RETURN_FALSE;
  tape_of(self)->watch(operand_of(object));
  Py_RETURN_TRUE;
}

PyObject* watch_variable(PyObject* self, PyObject* handle) {
  tape_of(self)->watch_variable(tensor_operand_of(handle));
  Py_RETURN_NONE;
}

PyObject* tracks(PyObject* self, PyObject* tensor) {
  return PyBool_FromLong(tape_of(self)->tracks(tensor_operand_of(tensor)));
}

PyObject* variables(PyObject* self) {
  const std::vector<Operand>& handles = tape_of(self)->variables();
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(handles.size())));
  for (std::size_t i = 0; i < handles.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), wrap(handles[i]));
  return list.release();
}

Py_ssize_t length(PyObject* self) { return static_cast<Py_ssize_t>(tape_of(self)->size()); }

PyObject* connected(PyObject* self, PyObject* args) {
  PyObject *targets, *sources;
  if (!PyArg_ParseTuple(args, "OO:connected", &targets, &sources)) throw_python_error();
  std::vector<bool> found = tape_of(self)->connected(tensor_operands(targets), tensor_operands(sources));
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(found.size())));
  for (std::size_t i = 0; i < found.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), PyBool_FromLong(found[i]));
  return list.release();
}

PyObject* gradient(PyObject* self, PyObject* args) {
  PyObject *targets, *target_gradients, *sources;
  if (!PyArg_ParseTuple(args, "OOO:gradient", &targets, &target_gradients, &sources)) throw_python_error();
  return gradients_to_python(
      tape_of(self)->gradient(tensor_operands(targets), tensor_operands(target_gradients), tensor_operands(sources)));
}

// The operand of a source; undefined if it is neither a tensor nor a Variable.
Operand source_operand(PyObject* object) {
  if (is_tensor(object)) return operand_of(object);
  if (!is_variable(object)) return {};
  static PyObject* name = PyUnicode_InternFromString("handle");
  PyRef handle = owned(PyObject_GetAttr(object, name));
  return is_tensor(handle.get()) ? operand_of(handle.get()) : Operand();
}

// Stores why gradients are None, for the message when they are used.
void note_missing(PyObject* self, PyObject* target, PyObject* sources, PyObject* gradients) {
  bool is_one = !PyList_CheckExact(sources) && !PyTuple_CheckExact(sources);
  PyRef list = owned(is_one ? PyList_New(0) : PySequence_List(sources));
  if (is_one) checked(PyList_Append(list.get(), sources));
  PyRef module = owned(PyImport_ImportModule("tracefn._advice.gradients"));
  owned(PyObject_CallMethod(module.get(), "note", "OOOO", self, target, list.get(), gradients));
}

// The common case: a tensor, and a tensor or Variable or a plain list or tuple of such. NotImplemented otherwise.
PyObject* gradient_of(PyObject* self, PyObject* args) {
  PyObject *target, *sources;
  if (!PyArg_ParseTuple(args, "OO:gradient_of", &target, &sources)) throw_python_error();
  if (!is_tensor(target)) Py_RETURN_NOTIMPLEMENTED;
  bool is_list = PyList_CheckExact(sources), is_tuple = PyTuple_CheckExact(sources);
  std::vector<Operand> from;
  if (is_list || is_tuple) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sources); ++i)
      from.push_back(source_operand(PySequence_Fast_GET_ITEM(sources, i)));
  } else {
    from.push_back(source_operand(sources));
  }
  for (const Operand& x : from)
    if (!x.defined()) Py_RETURN_NOTIMPLEMENTED;
  const Operand to = operand_of(target), ones = {};
  std::vector<Gradient> found = tape_of(self)->gradient(std::span(&to, 1), std::span(&ones, 1), from);
  PyRef list = owned(gradients_to_python(found));
  if (!std::all_of(found.begin(), found.end(), [](const Gradient& g) { return g.defined(); }))
    note_missing(self, target, sources, list.get());
  if (!is_list && !is_tuple) return Py_NewRef(PyList_GET_ITEM(list.get(), 0));
  return is_list ? list.release() : PyList_AsTuple(list.get());
}

PyObject* tape_get_recording(PyObject* self) { return PyBool_FromLong(tape_records(self)); }

PyGetSetDef tape_getset[] = {
    {"recording", getter<tape_get_recording>, nullptr, "Whether it records, on any thread.", nullptr},
    {"variables", getter<variables>, nullptr, "Handles of the variables watched.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef tape_methods[] = {
    {"__enter__", method<tape_enter>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(tape_exit)), METH_FASTCALL, nullptr},
    {"start", method<start>, METH_NOARGS, "Records on this thread from now on."},
    {"stop", method<stop>, METH_NOARGS, "Records no more."},
    {"watch", method1<watch>, METH_O, "Records ops on a tensor from now on."},
    {"watch_one", method1<watch_one>, METH_O,
     "The same for anything: whether it was a tensor that gradients flow through, and is watched."},
    {"watch_variable", method1<watch_variable>, METH_O, "The same for a variable's handle."},
    {"tracks", method1<tracks>, METH_O, "Whether a tensor depends on what is watched."},
    {"connected", method1<connected>, METH_VARARGS,
     "For each source whether a target depends on it: (targets, sources)."},
    {"gradient", method1<gradient>, METH_VARARGS,
     "A gradient or None for each source: (targets, target_gradients, sources)."},
    {"gradient_of", method1<gradient_of>, METH_VARARGS,
     "The gradient of a tensor, in the structure of `sources`: (target, sources); NotImplemented when that is no "
     "tensor or Variable and no list or tuple of these."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot tape_slots[] = {{Py_tp_doc, const_cast<char*>("What a tf.GradientTape has recorded.")},
                            {Py_tp_new, reinterpret_cast<void*>(tape_create)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(tape_dealloc)},
                            {Py_tp_traverse, reinterpret_cast<void*>(tape_traverse)},
                            {Py_tp_methods, tape_methods},
                            {Py_tp_getset, tape_getset},
                            {Py_sq_length, reinterpret_cast<void*>(length)},
                            {0, nullptr}};
PyType_Spec tape_spec = {"tracefn._core.Tape", sizeof(TapeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                         tape_slots};

// Stops an active tape until the context ends.
class Mute final : public ContextKind {
 public:
  explicit Mute(PyObject* tape) : tape_(PyRef::borrow(tape)) {}
  std::unique_ptr<Change> enter(PyRef&) override {
    bool records = tape_records(tape_.get());
    if (records) ActiveTapes::remove(*tape_of(tape_.get()));
    return std::make_unique<Unmute>(records ? tape_ : PyRef());
  }
  std::string text() const override { return "a tape that is stopped"; }

 private:
  class Unmute final : public Change {
   public:
    explicit Unmute(PyRef tape) : tape_(std::move(tape)) {}
    void restore(std::span<const OpenContext>) noexcept override {
      if (tape_ && as_tape(tape_.get())->open.count > 0 && !tape_records(tape_.get()))
        ActiveTapes::of_thread().push(tape_of(tape_.get()));
    }

   private:
    PyRef tape_;  // empty: it did not record
  };

  PyRef tape_;
};

std::unique_ptr<ContextKind> make_mute(PyObject* args, PyObject*) {
  PyObject* tape;
  if (!PyArg_ParseTuple(args, "O!:MutedTape", tape_type, &tape)) throw_python_error();
  return std::make_unique<Mute>(tape);
}

}  // namespace

bool is_tape(PyObject* object) { return Py_TYPE(object) == tape_type; }

PyObject* new_tape(bool watches_variables, bool persistent) {
  PyRef args = owned(Py_BuildValue("(ii)", watches_variables, persistent));
  return checked(tape_create(tape_type, args.get(), nullptr));
}

bool tape_records(PyObject* tape) { return tape_of(tape)->recorder() != nullptr; }

void start_tape(PyObject* self) {
  if (tape_records(self)) fail(ErrorKind::kValue, "The tape is recording already.");
  TapeObject* tape = as_tape(self);
  ++tape->starts;
  begin_context(self, tape->open, std::make_unique<TapeChange>(self));
  ActiveTapes::of_thread().push(tape->tape);
}

void stop_tape(PyObject* self) {
  ActiveTapes::remove(*tape_of(self));
  end_context_anywhere(self, as_tape(self)->open);
}

void init_tape_object(PyObject* module) {
  tape_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&tape_spec)));
  checked(PyModule_AddType(module, tape_type));
  add_context_type<make_mute>(module, "tracefn._core.MutedTape", "A tape does not record in it.");
}

}  // namespace tracefn::bind
