// Checks an input_signature, and derives the parameters.
#include "bind/structure/input_signature.h"

#include <vector>

#include "bind/convert/from_python.h"
#include "bind/structure/classes.h"
#include "bind/structure/containers.h"

namespace tracefn::bind {
namespace {

// The values as a list, or their classes.
std::string listed(const std::vector<PyRef>& values, bool types) {
  PyRef list = owned(PyList_New(0));
  for (const PyRef& value : values) {
    PyObject* shown = types ? reinterpret_cast<PyObject*>(Py_TYPE(value.get())) : value.get();
    checked(PyList_Append(list.get(), shown));
  }
  return repr_of(list.get());
}

void collect_invalid(PyObject* value, std::vector<PyRef>& invalid) {
  RecursionGuard guard(" while reading an input_signature");
  if (is_instance(value, spec_classes().type_spec)) return;
  TypeKind kind = container_kind(value);
  if (kind == TypeKind::kLiteral) {
    invalid.push_back(PyRef::borrow(value));
    return;
  }
  for (const PyRef& item : open_container(value, kind).values) collect_invalid(item.get(), invalid);
}

std::vector<PyRef> specs_of(PyObject* input_signature) {
  if (!PyTuple_Check(input_signature) && !PyList_Check(input_signature)) {
    PyRef type = owned(PyObject_Repr(reinterpret_cast<PyObject*>(Py_TYPE(input_signature))));
    fail(ErrorKind::kType, "input_signature must be either a tuple or a list, got ", PyUnicode_AsUTF8(type.get()), ".");
  }
  std::vector<PyRef> invalid;
  collect_invalid(input_signature, invalid);
  if (!invalid.empty())
    fail(ErrorKind::kType,
         "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args ",
         listed(invalid, false), " with types ", listed(invalid, true), ".");
  std::vector<PyRef> specs;
  for (PyRef& spec :
       open_container(input_signature, PyList_Check(input_signature) ? TypeKind::kList : TypeKind::kTuple).values)
    specs.push_back(std::move(spec));
  return specs;
}

class Signer {
 public:
  Signer(const CallBinder& binder, std::vector<PyRef> specs) : binder_(binder), specs_(std::move(specs)) {}

  SignedFunction sign() {
    bool has_members = false;
    for (const ParameterName& p : binder_.parameters()) has_members |= p.kind == ParameterKind::kVarPositional;
    for (std::size_t i = 0; i < binder_.parameters().size(); ++i) {
      ParameterName parameter = binder_.parameters()[i];
      if (parameter.kind == ParameterKind::kVarKeyword) continue;  // no further keyword is accepted
      if (parameter.kind == ParameterKind::kVarPositional) {
        add_members(parameter.name);
      } else if (parameter.kind == ParameterKind::kKeywordOnly) {
        add_keyword_only(std::move(parameter), binder_.default_of(i));
      } else {
        if (has_members) parameter.kind = ParameterKind::kPositionalOnly;
        add_positional(std::move(parameter), binder_.default_of(i));
      }
    }
    if (next_ < specs_.size())
      fail(ErrorKind::kType, "input_signature contains ", specs_.size() - next_, " extra type constraints.");
    std::vector<ParameterName> names(parameters_.begin(), parameters_.end());
    return {CallBinder(std::move(names), std::move(defaults_)), make_ref<FunctionType>(std::move(parameters_))};
  }

 private:
  void add(ParameterName parameter, PyObject* type_source, PyObject* default_value) {
    parameters_.push_back({std::move(parameter), trace_type_of(type_source, context_)});
    defaults_.push_back(PyRef::borrow(default_value));
  }

  void add_positional(ParameterName parameter, PyObject* default_value) {
    if (next_ < specs_.size()) return add(std::move(parameter), specs_[next_++].get(), default_value);
    if (!default_value) fail(ErrorKind::kType, "input_signature missing type constraint for ", parameter.name);
    add(std::move(parameter), default_value, default_value);
  }

  void add_members(const std::string& name) {
    for (std::size_t m = 0; next_ < specs_.size(); ++m)
      add({concat(name, "_", m), ParameterKind::kPositionalOnly, false, true, name}, specs_[next_++].get(), nullptr);
  }

  void add_keyword_only(ParameterName parameter, PyObject* default_value) {
    if (!default_value)
      fail(ErrorKind::kType, "Since input_signature is defined, keyword-only parameter `", parameter.name,
           "` must have a default value");
    add(std::move(parameter), default_value, default_value);
  }

  const CallBinder& binder_;
  std::vector<PyRef> specs_;
  std::size_t next_ = 0;
  TracingContext context_;
  std::vector<Parameter> parameters_;
  std::vector<PyRef> defaults_;
};

}  // namespace

SignedFunction apply_input_signature(const CallBinder& binder, PyObject* input_signature) {
  return Signer(binder, specs_of(input_signature)).sign();
}

}  // namespace tracefn::bind
