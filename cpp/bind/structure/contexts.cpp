// Small Python classes: three whose instances are cleared when their call ends, and the placeholder for an object in a
// structured signature.
#include "bind/structure/contexts.h"

#include "bind/class_table.h"
#include "bind/convert/from_python.h"

namespace tracefn::bind {
namespace {

struct TracingView {
  TracingContext* context;
};

struct PlaceholderView {
  const std::vector<PyRef>* leaves;
  std::size_t* next;
};

struct CastView {};

struct UnknownArgument {};

[[noreturn]] void outlived(const char* name) {
  fail(ErrorKind::kRuntime, "A ", name, " cannot be used after the call that it was given to.");
}

std::int64_t alias_global_id(const TracingView& view, std::int64_t number) {
  if (!view.context) outlived("TracingContext");
  return view.context->alias_of(static_cast<std::uintptr_t>(number));
}

PyRef placeholder(const PlaceholderView& view, PyObject* spec) {
  if (!view.leaves) outlived("PlaceholderContext");
  if (*view.next == view.leaves->size())
    fail(ErrorKind::kValue, "placeholder_value() of ", repr_of(spec), " asked for more tensors than flatten() lists.");
  return (*view.leaves)[(*view.next)++];
}

}  // namespace

PyRef call_with_context(PyObject* value, PyObject* method, TracingContext& context) {
  PyRef view = box(TracingView{&context});
  PyRef result = PyRef::steal(PyObject_CallMethodObjArgs(value, method, view.get(), nullptr));
  unboxed<TracingView>(view.get()).context = nullptr;
  return owned(result.release());
}

PyRef placeholder_value(PyObject* type, const std::vector<PyRef>& leaves, std::size_t& next) {
  PyRef view = box(PlaceholderView{&leaves, &next});
  PyRef result = PyRef::steal(PyObject_CallMethod(type, "placeholder_value", "(O)", view.get()));
  unboxed<PlaceholderView>(view.get()).leaves = nullptr;
  return owned(result.release());
}

PyRef cast_by_type(PyObject* type, PyObject* value) {
  PyRef view = box(CastView{});
  return owned(PyObject_CallMethod(type, "cast", "OO", value, view.get()));
}

PyRef unknown_argument() { return box(UnknownArgument{}); }

void init_contexts(PyObject* module) {
  static PyMethodDef tracing[] = {
      member<alias_global_id>("alias_global_id", "number",
                              "A small number for `number`, equal for equal numbers of one call."),
      {}};
  add_class<TracingView>(module, "tracefn._core.TracingContext", "Given to `__tf_tracing_type__`.",
                         {{Py_tp_methods, tracing}});
  static PyMethodDef placeholders[] = {
      member<placeholder>("placeholder", "spec", "The symbolic tensor for `spec`, an input of the trace."), {}};
  add_class<PlaceholderView>(module, "tracefn._core.PlaceholderContext", "Given to `TraceType.placeholder_value`.",
                             {{Py_tp_methods, placeholders}});
  add_class<CastView>(module, "tracefn._core.CastContext", "Given to `TraceType.cast`.", {});
  add_class<UnknownArgument>(module, "tracefn._core.UnknownArgument",
                             "Stands for an object among the arguments of a concrete function.", {});
}

}  // namespace tracefn::bind
