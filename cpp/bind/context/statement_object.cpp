// A statement owns the contexts that it has entered. An exception first ends all statements that it leaves; then they
// may explain it.
#include "bind/context/statement_object.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "bind/context/open_contexts.h"
#include "bind/errors.h"
#include "bind/method.h"

namespace tracefn::bind {
namespace {

struct StatementObject {
  PyObject_HEAD
  OpenCount open;
  PyObject* frame;  // the statement's frame; null when it has ended
  long number;
  std::vector<PyRef>* contexts;
  PyObject* dict;
  PyObject* weakrefs;
};

PyTypeObject* statement_type = nullptr;
PyObject* enter_method = nullptr;
PyObject* exit_method = nullptr;

StatementObject* as_statement(PyObject* self) { return reinterpret_cast<StatementObject*>(self); }

// Marks a statement as open. Its contexts restore themselves.
class StatementChange final : public Change {
 public:
  explicit StatementChange(PyObject* statement) : statement_(statement) {}
  void restore(std::span<const OpenContext>) noexcept override { Py_CLEAR(as_statement(statement_)->frame); }
  PyObject* statement() const { return statement_; }

 private:
  PyObject* statement_;  // the owner, which the open context holds
};

// This thread's open statements, oldest first; borrowed.
std::vector<PyObject*> statements() {
  std::vector<PyObject*> found;
  for (const OpenContext& context : open_contexts())
    if (auto* change = dynamic_cast<StatementChange*>(context.change.get())) found.push_back(change->statement());
  return found;
}

PyObject* statement_create(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    auto contexts = std::make_unique<std::vector<PyRef>>();
    PyObject* self = checked(type->tp_alloc(type, 0));
    new (&as_statement(self)->open) OpenCount();
    as_statement(self)->contexts = contexts.release();
    return self;
  });
}

PyObject* begin(PyObject* self, PyObject* args) {
  PyObject* frame;
  long number;
  if (!PyArg_ParseTuple(args, "Ol:begin", &frame, &number)) throw_python_error();
  begin_context(self, as_statement(self)->open, std::make_unique<StatementChange>(self));
  as_statement(self)->number = number;
  Py_XSETREF(as_statement(self)->frame, Py_NewRef(frame));
  Py_RETURN_NONE;
}

PyObject* enter_context(PyObject* self, PyObject* context) {
  std::vector<PyRef>& contexts = *as_statement(self)->contexts;
  contexts.reserve(contexts.size() + 1);
  PyObject* value = checked(PyObject_CallMethodNoArgs(context, enter_method));
  contexts.push_back(PyRef::borrow(context));
  return value;
}

void leave_last(PyObject* self) {
  std::vector<PyRef>& contexts = *as_statement(self)->contexts;
  PyRef last = std::move(contexts.back());
  contexts.pop_back();
  PyObject* call[] = {last.get(), Py_None, Py_None, Py_None};
  owned(PyObject_VectorcallMethod(exit_method, call, 4, nullptr));
}

PyObject* leave_context(PyObject* self) {
  leave_last(self);
  Py_RETURN_NONE;
}

PyObject* end(PyObject* self) {
  StatementObject* statement = as_statement(self);
  while (!statement->contexts->empty()) leave_last(self);
  if (statement->open.count > 0) end_context(self, statement->open, [] { return "a statement"; });
  Py_RETURN_NONE;
}

PyObject* statement_exit_with(PyObject* self, PyObject* const*, Py_ssize_t) {
  return guarded([&] { return end(self); });
}

PyObject* enter_self(PyObject* self) { return Py_NewRef(self); }

// The exception that is being handled, or null.
PyRef handled_exception() {
  PyObject *type, *value, *traceback;
  PyErr_GetExcInfo(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  if (value == Py_None) Py_CLEAR(value);
  return PyRef::steal(value);
}

// Raises, in place of the exception being handled, the explanation of the statements it has ended, innermost first,
// each explaining the previous one's. Only the last is shown. They belong to `frame`, which they may inspect meanwhile.
void raise_explained(const std::vector<PyRef>& ended, PyObject* frame) {
  PyRef error = handled_exception();
  if (!error) return;
  PyRef told = error;
  for (const PyRef& statement : ended) {
    as_statement(statement.get())->frame = Py_NewRef(frame);
    PyRef instead = PyRef::steal(PyObject_CallMethod(statement.get(), "explain", "(O)", told.get()));
    Py_CLEAR(as_statement(statement.get())->frame);
    if (!instead) throw_python_error();
    if (instead.get() == Py_None) continue;
    PyRef traceback = PyRef::steal(PyException_GetTraceback(told.get()));
    if (traceback) checked(PyException_SetTraceback(instead.get(), traceback.get()));
    PyException_SetCause(instead.get(), nullptr);  // and its context is not shown
    told = std::move(instead);
  }
  if (told.get() == error.get()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(told.get())), told.get());
  throw_python_error();
}

// unwind(first, last): ends the caller's statements with these numbers, and what began after them.
PyObject* unwind(PyObject*, PyObject* args) {
  long first, last;
  if (!PyArg_ParseTuple(args, "ll:unwind", &first, &last)) return nullptr;
  return guarded([&]() -> PyObject* {
    auto* frame = reinterpret_cast<PyObject*>(PyEval_GetFrame());  // borrowed: of the Python code that calls this
    std::vector<PyObject*> open = statements();
    std::size_t begin = 0;
    auto is_mine = [&](PyObject* s) {
      return as_statement(s)->frame == frame && first <= as_statement(s)->number && as_statement(s)->number <= last;
    };
    while (begin < open.size() && !is_mine(open[begin])) ++begin;
    std::vector<PyRef> ended;
    for (std::size_t i = open.size(); i-- > begin;) {
      if (is_mine(open[i])) ended.push_back(PyRef::borrow(open[i]));
      PyRef done = PyRef::steal(end(open[i]));
    }
    if (!ended.empty()) raise_explained(ended, frame);
    Py_RETURN_NONE;
  });
}

PyObject* open_statements(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    std::vector<PyObject*> open = statements();
    PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(open.size())));
    for (std::size_t i = 0; i < open.size(); ++i)
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(open[i]));
    return list.release();
  });
}

int statement_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_statement(self)->frame);
  Py_VISIT(as_statement(self)->dict);
  if (as_statement(self)->contexts)
    for (const PyRef& context : *as_statement(self)->contexts) Py_VISIT(context.get());
  return 0;
}

int statement_clear(PyObject* self) {
  Py_CLEAR(as_statement(self)->frame);
  Py_CLEAR(as_statement(self)->dict);
  return 0;
}

void statement_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_statement(self)->weakrefs) PyObject_ClearWeakRefs(self);
  statement_clear(self);
  delete std::exchange(as_statement(self)->contexts, nullptr);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* get_frame(PyObject* self) {
  PyObject* frame = as_statement(self)->frame;
  return Py_NewRef(frame ? frame : Py_None);
}
PyObject* get_number(PyObject* self) { return PyLong_FromLong(as_statement(self)->number); }

PyMethodDef statement_methods[] = {
    {"begin", method1<begin>, METH_VARARGS, "Opens the statement: (frame, number)."},
    {"enter", method1<enter_context>, METH_O, "Enters a context that ends with the statement; returns what it gives."},
    {"leave_context", method<leave_context>, METH_NOARGS, "Leaves what was entered last."},
    {"end", method<end>, METH_NOARGS, "Leaves everything; the statement is no longer open."},
    {"__enter__", method<enter_self>, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(statement_exit_with)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef statement_getset[] = {
    {"frame", getter<get_frame>, nullptr, "Of the function; None when it has ended.", nullptr},
    {"number", getter<get_number>, nullptr, "Tells it from the function's others.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef statement_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(StatementObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(StatementObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot statement_slots[] = {
    {Py_tp_doc, const_cast<char*>("A statement of a converted function while it is traced.")},
    {Py_tp_new, reinterpret_cast<void*>(statement_create)},
    {Py_tp_dealloc, reinterpret_cast<void*>(statement_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(statement_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(statement_clear)},
    {Py_tp_methods, statement_methods},
    {Py_tp_getset, statement_getset},
    {Py_tp_members, statement_members},
    {0, nullptr}};
PyType_Spec statement_spec = {"tracefn._core.Statement", sizeof(StatementObject), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, statement_slots};

PyMethodDef statement_functions[] = {
    {"unwind", unwind, METH_VARARGS,
     "Ends the statements of the calling function numbered first to last that are open, when an exception has passed "
     "them by; raises what one of them explains it with."},
    {"open_statements", open_statements, METH_NOARGS, "The statements open on this thread, the first to begin first."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_statement_object(PyObject* module) {
  enter_method = checked(PyUnicode_InternFromString("__enter__"));
  exit_method = checked(PyUnicode_InternFromString("__exit__"));
  statement_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&statement_spec)));
  checked(PyModule_AddType(module, statement_type));
  checked(PyModule_AddFunctions(module, statement_functions));
}

}  // namespace tracefn::bind
