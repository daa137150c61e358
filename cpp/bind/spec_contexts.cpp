// Small Python classes: three whose instances lose what they point to when the call they were made for is over, and
// what stands for an object in a structured signature.
#include "bind/spec_contexts.h"

#include <pybind11/pybind11.h>

#include "bind/from_python.h"

namespace tracefn::bind {
namespace {

namespace py = pybind11;

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

py::object placeholder(const PlaceholderView& view, const py::object& spec) {
  if (!view.leaves) outlived("PlaceholderContext");
  if (*view.next == view.leaves->size())
    fail(ErrorKind::kValue, "placeholder_value() of ", repr_of(spec.ptr()),
         " asked for more tensors than flatten() lists.");
  return py::reinterpret_borrow<py::object>((*view.leaves)[(*view.next)++].get());
}

}  // namespace

PyRef call_with_context(PyObject* value, PyObject* method, TracingContext& context) {
  py::object view = py::cast(TracingView{&context});
  PyRef result = PyRef::steal(PyObject_CallMethodObjArgs(value, method, view.ptr(), nullptr));
  py::cast<TracingView&>(view).context = nullptr;
  return owned(result.release());
}

PyRef placeholder_value(PyObject* type, const std::vector<PyRef>& leaves, std::size_t& next) {
  py::object view = py::cast(PlaceholderView{&leaves, &next});
  PyRef result = PyRef::steal(PyObject_CallMethod(type, "placeholder_value", "O", view.ptr()));
  py::cast<PlaceholderView&>(view).leaves = nullptr;
  return owned(result.release());
}

PyRef cast_by_type(PyObject* type, PyObject* value) {
  py::object view = py::cast(CastView{});
  return owned(PyObject_CallMethod(type, "cast", "OO", value, view.ptr()));
}

PyRef unknown_argument() { return PyRef::steal(py::cast(UnknownArgument{}).release().ptr()); }

void init_contexts(PyObject* module) {
  py::module_ m = py::reinterpret_borrow<py::module_>(module);
  py::class_<TracingView>(m, "TracingContext", "Given to `__tf_tracing_type__`.")
      .def("alias_global_id", &alias_global_id, py::arg("number"),
           "A small number for `number`, equal for equal numbers of one call.");
  py::class_<PlaceholderView>(m, "PlaceholderContext", "Given to `TraceType.placeholder_value`.")
      .def("placeholder", &placeholder, py::arg("spec"), "The symbolic tensor for `spec`, an input of the trace.");
  py::class_<CastView>(m, "CastContext", "Given to `TraceType.cast`.");
  py::class_<UnknownArgument>(m, "UnknownArgument", "Stands for an object among the arguments of a concrete function.");
}

}  // namespace tracefn::bind
