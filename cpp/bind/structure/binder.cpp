// Binds without a Python call; inspect is used only for signatures of unusual callables and for error texts.
#include "bind/structure/binder.h"

#include <algorithm>

#include "base/check.h"
#include "bind/convert/from_python.h"

namespace tracefn::bind {
namespace {

PyRef inspect() { return owned(PyImport_ImportModule("inspect")); }

struct Signature {
  std::vector<ParameterName> parameters;
  std::vector<PyRef> defaults;

  void add(std::string name, ParameterKind kind, PyObject* default_value) {
    parameters.push_back({std::move(name), kind, default_value != nullptr});
    defaults.push_back(PyRef::borrow(default_value));
  }
};

// True for a function whose code object describes its whole signature.
bool is_plain_function(PyObject* callable) {
  if (!PyFunction_Check(callable)) return false;
  PyObject* dict = reinterpret_cast<PyFunctionObject*>(callable)->func_dict;
  return !dict || (!PyDict_GetItemString(dict, "__wrapped__") && !PyDict_GetItemString(dict, "__signature__"));
}

Signature signature_of_code(PyObject* function) {
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  PyRef names = owned(PyCode_GetVarnames(code));
  PyObject* defaults = PyFunction_GET_DEFAULTS(function);
  PyObject* keyword_defaults = PyFunction_GET_KW_DEFAULTS(function);
  int with_default = defaults ? static_cast<int>(PyTuple_GET_SIZE(defaults)) : 0;
  auto name = [&](int i) { return utf8(PyTuple_GET_ITEM(names.get(), i)); };

  Signature signature;
  for (int i = 0; i < code->co_argcount; ++i) {
    int at = i - (code->co_argcount - with_default);
    signature.add(name(i),
                  i < code->co_posonlyargcount ? ParameterKind::kPositionalOnly : ParameterKind::kPositionalOrKeyword,
                  at >= 0 ? PyTuple_GET_ITEM(defaults, at) : nullptr);
  }
  int keyword_only_end = code->co_argcount + code->co_kwonlyargcount, next = keyword_only_end;
  if (code->co_flags & CO_VARARGS) signature.add(name(next++), ParameterKind::kVarPositional, nullptr);
  for (int i = code->co_argcount; i < keyword_only_end; ++i) {
    PyObject* item = keyword_defaults ? PyDict_GetItem(keyword_defaults, PyTuple_GET_ITEM(names.get(), i)) : nullptr;
    signature.add(name(i), ParameterKind::kKeywordOnly, item);
  }
  if (code->co_flags & CO_VARKEYWORDS) signature.add(name(next), ParameterKind::kVarKeyword, nullptr);
  return signature;
}

Signature signature_of_callable(PyObject* callable) {
  PyRef signature = owned(PyObject_CallMethod(inspect().get(), "signature", "(O)", callable));
  PyRef values = owned(PyObject_CallMethod(get_attribute(signature.get(), "parameters").get(), "values", nullptr));
  PyRef list = owned(PySequence_List(values.get()));
  Signature result;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* parameter = PyList_GET_ITEM(list.get(), i);
    PyRef kind = get_attribute(parameter, "kind"), default_value = get_attribute(parameter, "default");
    PyRef empty = get_attribute(parameter, "empty");
    bool has_default = default_value.get() != empty.get();
    result.add(utf8(get_attribute(parameter, "name").get()), static_cast<ParameterKind>(PyLong_AsLong(kind.get())),
               has_default ? default_value.get() : nullptr);
  }
  return result;
}

PyRef args_tuple(const Arguments& call) {
  PyRef tuple = owned(PyTuple_New(call.nargs));
  for (Py_ssize_t i = 0; i < call.nargs; ++i) PyTuple_SET_ITEM(tuple.get(), i, PyRef::borrow(call.args[i]).release());
  return tuple;
}

PyRef kwargs_dict(const Arguments& call) {
  PyRef dict = owned(PyDict_New());
  Py_ssize_t count = call.kwnames ? PyTuple_GET_SIZE(call.kwnames) : 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    checked(PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(call.kwnames, i), call.args[call.nargs + i]));
  return dict;
}

// An inspect.Signature with these parameters.
PyRef python_signature(const std::vector<ParameterName>& parameters, const std::vector<PyRef>& defaults) {
  PyRef module = inspect(), make = get_attribute(module.get(), "Parameter"), list = owned(PyList_New(0));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    PyRef kind = get_attribute(make.get(), name(parameters[i].kind).data());
    PyRef empty = get_attribute(make.get(), "empty");
    PyRef keywords = owned(Py_BuildValue("{sO}", "default", defaults[i] ? defaults[i].get() : empty.get()));
    PyRef positional = owned(Py_BuildValue("(sO)", parameters[i].name.c_str(), kind.get()));
    PyRef parameter = owned(PyObject_Call(make.get(), positional.get(), keywords.get()));
    checked(PyList_Append(list.get(), parameter.get()));
  }
  return owned(PyObject_CallMethod(module.get(), "Signature", "(O)", list.get()));
}

Error binding_error(const std::string& reason, const Arguments& call, const FunctionType& type) {
  PyRef args = args_tuple(call), kwargs = kwargs_dict(call);
  return Error(ErrorKind::kType, concat("Binding inputs to tf.function failed due to `", reason, "`. Received args: ",
                                        repr_of(args.get()), " and kwargs: ", repr_of(kwargs.get()),
                                        " for signature: ", shortened(type.text()), "."));
}

}  // namespace

CallBinder::CallBinder(std::vector<ParameterName> parameters, std::vector<PyRef> defaults)
    : parameters_(std::move(parameters)), defaults_(std::move(defaults)) {
  TRACEFN_CHECK(parameters_.size() == defaults_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    names_.push_back(owned(PyUnicode_InternFromString(parameters_[i].name.c_str())));
    switch (parameters_[i].kind) {
      case ParameterKind::kVarPositional:
        var_positional_ = static_cast<int>(i);
        break;
      case ParameterKind::kVarKeyword:
        var_keyword_ = static_cast<int>(i);
        break;
      case ParameterKind::kKeywordOnly:
        ++keyword_only_;
        break;
      default:
        ++positional_;
    }
  }
  plain_ = make_list(0, {});
}

CallBinder CallBinder::of_callable(PyObject* callable, bool skip_first) {
  Signature signature = is_plain_function(callable) ? signature_of_code(callable) : signature_of_callable(callable);
  bool has_first =
      !signature.parameters.empty() && (signature.parameters[0].kind == ParameterKind::kPositionalOnly ||
                                        signature.parameters[0].kind == ParameterKind::kPositionalOrKeyword);
  if (skip_first && has_first) {
    signature.parameters.erase(signature.parameters.begin());
    signature.defaults.erase(signature.defaults.begin());
  }
  return CallBinder(std::move(signature.parameters), std::move(signature.defaults));
}

FunctionTypePtr CallBinder::function_type() const {
  std::vector<Parameter> parameters;
  for (const ParameterName& parameter : parameters_) parameters.push_back({parameter, {}});
  return make_ref<FunctionType>(std::move(parameters));
}

int CallBinder::find_keyword(PyObject* name) const {
  auto can_be_named = [&](std::size_t i) {
    return parameters_[i].kind == ParameterKind::kPositionalOrKeyword ||
           parameters_[i].kind == ParameterKind::kKeywordOnly;
  };
  // Keywords in source code are interned, so most match by address.
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].get() == name && can_be_named(i)) return static_cast<int>(i);
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (can_be_named(i) && PyUnicode_Compare(names_[i].get(), name) == 0) return static_cast<int>(i);
  return -1;
}

bool CallBinder::try_bind(const Arguments& call, BoundArguments& bound) const {
  auto given = static_cast<std::size_t>(call.nargs);
  std::size_t named = positional_ < given ? positional_ : given;
  if (given > positional_ && var_positional_ < 0) return false;
  SmallVector<PyObject*, 8> slots(parameters_.size(), nullptr);
  for (std::size_t i = 0; i < named; ++i) slots[i] = call.args[i];

  std::vector<std::pair<std::string, PyObject*>> extra;
  Py_ssize_t keywords = call.kwnames ? PyTuple_GET_SIZE(call.kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i) {
    PyObject* name = PyTuple_GET_ITEM(call.kwnames, i);
    PyObject* value = call.args[call.nargs + i];
    int at = find_keyword(name);
    if (at >= 0) {
      if (slots[static_cast<std::size_t>(at)]) return false;
      slots[static_cast<std::size_t>(at)] = value;
    } else if (var_keyword_ >= 0) {
      extra.emplace_back(utf8(name), value);
    } else {
      return false;
    }
  }
  bound.values.clear();
  std::size_t members = given - named;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (static_cast<int>(i) == var_keyword_) continue;
    if (static_cast<int>(i) == var_positional_) {
      for (std::size_t m = 0; m < members; ++m) bound.values.push_back(call.args[positional_ + m]);
      continue;
    }
    PyObject* value = slots[i] ? slots[i] : defaults_[i].get();
    if (!value) return false;
    bound.values.push_back(value);
  }
  if (members == 0 && extra.empty()) {
    bound.parameters = plain_;
    return true;
  }
  std::sort(extra.begin(), extra.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keyword_names;
  for (auto& [name, value] : extra) {
    keyword_names.push_back(std::move(name));
    bound.values.push_back(value);
  }
  bound.parameters = list_for(members, keyword_names);
  return true;
}

BoundArguments CallBinder::bind(const Arguments& call, const FunctionType& type) const {
  BoundArguments bound;
  if (!try_bind(call, bound))
    throw_binding_error(unbound_reason(args_tuple(call).get(), kwargs_dict(call).get()), call, type);
  return bound;
}

ParameterListPtr CallBinder::list_for(std::size_t members, const std::vector<std::string>& keywords) const {
  std::string key = std::to_string(members);
  for (const std::string& keyword : keywords) (key += ' ') += keyword;
  ParameterListPtr& list = lists_[key];
  if (!list) list = make_list(members, keywords);
  return list;
}

ParameterListPtr CallBinder::make_list(std::size_t members, const std::vector<std::string>& keywords) const {
  std::vector<ParameterName> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    ParameterName parameter = parameters_[i];
    parameter.optional = false;
    if (static_cast<int>(i) == var_keyword_) continue;
    if (static_cast<int>(i) == var_positional_) {
      for (std::size_t m = 0; m < members; ++m)
        names.push_back({concat(parameter.name, "_", m), ParameterKind::kPositionalOnly, false, true, parameter.name});
      continue;
    }
    // With *args, earlier parameters can only be given by position.
    if (var_positional_ >= 0 && parameter.kind == ParameterKind::kPositionalOrKeyword)
      parameter.kind = ParameterKind::kPositionalOnly;
    names.push_back(std::move(parameter));
  }
  for (const std::string& keyword : keywords)
    names.push_back(
        {keyword, ParameterKind::kKeywordOnly, false, false, parameters_[static_cast<std::size_t>(var_keyword_)].name});
  return make_ref<ParameterList>(std::move(names));
}

std::string CallBinder::unbound_reason(PyObject* args, PyObject* kwargs) const {
  // The fixed arguments of a concrete function may precede others, which inspect does not support.
  bool in_order = true;
  for (std::size_t i = 1; i < positional_; ++i) in_order = in_order && (defaults_[i] || !defaults_[i - 1]);
  PyRef signature = python_signature(parameters_, in_order ? defaults_ : std::vector<PyRef>(defaults_.size()));
  PyRef bind = get_attribute(signature.get(), "bind");
  PyRef bound = PyRef::steal(PyObject_Call(bind.get(), args, kwargs));
  TRACEFN_CHECK(!bound);
  try {
    throw_python_error();
  } catch (const Error& error) {
    PyRef text = owned(PyObject_Str(static_cast<PyObject*>(error.cause().get())));
    return utf8(text.get());
  }
}

CallKey key_of(const BoundArguments& bound, TracingContext& context) {
  TraceTypes types;
  types.reserve(bound.values.size());
  for (PyObject* value : bound.values) types.push_back(trace_type_of(value, context));
  return CallKey(bound.parameters, std::move(types));
}

PackedArguments::PackedArguments(PyObject* args, PyObject* kwargs) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) values_.push_back(PyTuple_GET_ITEM(args, i));
  nargs_ = PyTuple_GET_SIZE(args);
  if (!kwargs || PyDict_GET_SIZE(kwargs) == 0) return;
  names_ = owned(PyTuple_New(PyDict_GET_SIZE(kwargs)));
  PyObject *name, *value;
  Py_ssize_t next = 0;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &name, &value);) {
    values_.push_back(value);
    PyTuple_SET_ITEM(names_.get(), next++, PyRef::borrow(name).release());
  }
}

CallKey key_of(const FunctionType& type) {
  std::vector<ParameterName> names;
  TraceTypes types;
  for (const Parameter& parameter : type.parameters()) {
    names.push_back(parameter);
    names.back().optional = false;
    types.push_back(parameter.type);
  }
  ParameterListPtr list = make_ref<ParameterList>(std::move(names));
  return CallKey(std::move(list), std::move(types));
}

void throw_binding_error(const std::string& reason, const Arguments& call, const FunctionType& type) {
  throw binding_error(reason, call, type);
}

void throw_binding_error_from(const Error& error, const Arguments& call, const FunctionType& type) {
  auto* cause = static_cast<PyObject*>(error.cause().get());
  if (!cause || !error.reraise()) throw binding_error(error.message(), call, type);
  if (!PyErr_GivenExceptionMatches(cause, PyExc_Exception)) throw error;
  PyRef text = owned(PyObject_Str(cause));
  Error framed = binding_error(utf8(text.get()), call, type);
  framed.set_cause(error.cause());
  throw framed;
}

}  // namespace tracefn::bind
