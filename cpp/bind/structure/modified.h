// Detects that a traced function modified its Python arguments (tracing rule 98). All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "bind/errors.h"
#include "bind/structure/structure.h"
#include "spec/call_key.h"

namespace tracefn::bind {

// The content of the containers among the arguments of one call, by identity.
class ArgumentSnapshot {
 public:
  // `call` was made by build_call(key, ...), and has not been used yet.
  ArgumentSnapshot(const PythonCall& call, const CallKey& key);

  // The names of the parameters whose value has changed since, in order; members of *args and **kwargs under those
  // names.
  std::vector<std::string> modified(const PythonCall& call) const;
  // ValueError "f(d) should not modify its Python input arguments. ..." if there are any.
  void check(const PythonCall& call, PyObject* python_function) const;

 private:
  CallKey key_;
  std::vector<std::vector<PyRef>> before_;  // per parameter
};

}  // namespace tracefn::bind
