// CallBinder: binds the arguments of a Python call to the parameters of a function, like inspect.Signature.bind, and
// builds the cache key of the call (tracing rules 28, 43, 83, 194). All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "bind/errors.h"
#include "bind/structure/trace_type_of.h"
#include "spec/call_key.h"
#include "spec/function_type.h"

namespace tracefn::bind {

// One value per parameter of `parameters`, borrowed from the arguments of the call and the binder's defaults.
struct BoundArguments {
  ParameterListPtr parameters;
  SmallVector<PyObject*, 8> values;
};

// The arguments of a vectorcall; `nargs` without the offset flag, `kwnames` null or a tuple.
struct Arguments {
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
};

// The arguments of a tp_call-style call, `args` a tuple and `kwargs` a dict or null; borrows their items.
class PackedArguments {
 public:
  PackedArguments(PyObject* args, PyObject* kwargs);
  Arguments view() const { return {values_.data(), nargs_, names_.get()}; }

 private:
  SmallVector<PyObject*, 8> values_;
  Py_ssize_t nargs_;
  PyRef names_;
};

// Created once per Function. Movable.
class CallBinder {
 public:
  // Parameters in Python's order; an empty PyRef if there is no default.
  CallBinder(std::vector<ParameterName> parameters, std::vector<PyRef> defaults);
  // From a Python callable, as inspect.signature reports it: without `self` for a bound method. `skip_first` omits the
  // first parameter, for a function that is called as a method.
  static CallBinder of_callable(PyObject* callable, bool skip_first = false);

  const std::vector<ParameterName>& parameters() const { return parameters_; }
  // Borrowed; null if there is none.
  PyObject* default_of(std::size_t i) const { return defaults_[i].get(); }
  // Parameters without types: f.function_type if there is no input_signature.
  FunctionTypePtr function_type() const;

  // Applies defaults. False if the arguments do not bind.
  bool try_bind(const Arguments& call, BoundArguments& bound) const;
  // The same with tracing rule 194's TypeError, which shows `type`.
  BoundArguments bind(const Arguments& call, const FunctionType& type) const;

 private:
  // The parameter list with `members` of *args and these keywords of **kwargs (sorted); cached.
  ParameterListPtr list_for(std::size_t members, const std::vector<std::string>& keywords) const;
  ParameterListPtr make_list(std::size_t members, const std::vector<std::string>& keywords) const;
  // The position of a parameter that can be given by this name, or -1.
  int find_keyword(PyObject* name) const;
  // inspect's message for such a call: "missing a required argument: 'x'".
  std::string unbound_reason(PyObject* args, PyObject* kwargs) const;

  std::vector<ParameterName> parameters_;
  std::vector<PyRef> names_;  // interned
  std::vector<PyRef> defaults_;
  std::size_t positional_ = 0;    // how many can be given by position, without members of *args
  std::size_t keyword_only_ = 0;  // how many are keyword-only
  int var_positional_ = -1;
  int var_keyword_ = -1;
  ParameterListPtr plain_;  // no members, no keywords
  mutable std::unordered_map<std::string, ParameterListPtr> lists_;
};

// The key of bound arguments.
CallKey key_of(const BoundArguments& bound, TracingContext& context);
// The key of a type whose parameters all have types.
CallKey key_of(const FunctionType& type);

// The TypeError of tracing rule 194 with `reason`. The second takes the reason from the error being handled, which is
// chained; errors that are not a Python Exception (KeyboardInterrupt) pass through.
[[noreturn]] void throw_binding_error(const std::string& reason, const Arguments& call, const FunctionType& type);
[[noreturn]] void throw_binding_error_from(const Error& error, const Arguments& call, const FunctionType& type);

}  // namespace tracefn::bind
