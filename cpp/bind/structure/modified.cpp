// Walks containers along their trace types before and after the function runs.
#include "bind/structure/modified.h"

#include <algorithm>

#include "bind/structure/containers.h"

namespace tracefn::bind {
namespace {

bool is_open(const TraceType& type) { return type.kind() >= TypeKind::kList && type.kind() <= TypeKind::kCustomNest; }

// The class, the keys and the values of each container; null ends one.
void record(PyObject* value, const TraceType* type, std::vector<PyRef>& seen) {
  seen.push_back(PyRef::borrow(value));
  if (!type || !is_open(*type)) return;
  Container container = open_container(value, type->kind());
  for (const PyRef& key : container.keys) seen.push_back(PyRef::borrow(key.get()));
  for (std::size_t i = 0; i < container.values.size(); ++i)
    record(container.values[i].get(), i < type->children().size() ? type->children()[i].get() : nullptr, seen);
  seen.emplace_back();
}

// The value of parameter i.
PyObject* value_at(const PythonCall& call, const ParameterList& parameters, std::size_t i) {
  auto positional = static_cast<std::size_t>(PyTuple_GET_SIZE(call.args.get()));
  if (i < positional) return PyTuple_GET_ITEM(call.args.get(), static_cast<Py_ssize_t>(i));
  return PyDict_GetItemString(call.kwargs.get(), parameters[i].name.c_str());
}

bool same(const std::vector<PyRef>& a, const std::vector<PyRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PyRef& x, const PyRef& y) { return x.get() == y.get(); });
}

// "outer.<locals>.f(d, e=None)"; for a callable without a name its repr.
std::string shown_function(PyObject* function) {
  PyRef inspect = owned(PyImport_ImportModule("inspect"));
  PyRef signature = owned(PyObject_CallMethod(inspect.get(), "signature", "(O)", function));
  PyRef name = PyRef::steal(PyObject_GetAttrString(function, "__qualname__"));
  if (!name) {
    drop_ordinary_error();
    name = owned(PyObject_Repr(function));
  }
  PyRef text = owned(PyUnicode_FromFormat("%S%S", name.get(), signature.get()));
  const char* utf8 = PyUnicode_AsUTF8(text.get());
  if (!utf8) throw_python_error();
  return utf8;
}

}  // namespace

ArgumentSnapshot::ArgumentSnapshot(const PythonCall& call, const CallKey& key) : key_(key) {
  for (std::size_t i = 0; i < key.types().size(); ++i)
    record(value_at(call, *key.parameters(), i), key.types()[i].get(), before_.emplace_back());
}

std::vector<std::string> ArgumentSnapshot::modified(const PythonCall& call) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    std::vector<PyRef> after;
    record(value_at(call, *key_.parameters(), i), key_.types()[i].get(), after);
    if (same(before_[i], after)) continue;
    const ParameterName& parameter = (*key_.parameters())[i];
    const std::string& name = parameter.owner.empty() ? parameter.name : parameter.owner;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

void ArgumentSnapshot::check(const PythonCall& call, PyObject* python_function) const {
  std::string list;
  for (const std::string& name : modified(call)) list += concat(list.empty() ? "" : ", ", name);
  if (!list.empty())
    fail(ErrorKind::kValue, shown_function(python_function),
         " should not modify its Python input arguments. Modifying a copy is allowed. The following parameter(s) were "
         "modified: ",
         list);
}

}  // namespace tracefn::bind
