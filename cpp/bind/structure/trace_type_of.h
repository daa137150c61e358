// trace_type_of: the TraceType of a Python argument (tracing rules C, Y5). All functions need the GIL and throw.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/small_vector.h"
#include "spec/trace_type.h"

namespace tracefn::bind {

// One per call: numbers the variables in the order of first use.
class TracingContext {
 public:
  // Equal for the same `identity` (an address, or a user-chosen number) during this call.
  std::int64_t alias_of(std::uintptr_t identity);

 private:
  SmallVector<std::uintptr_t, 8> seen_;
};

// A TensorSpec or other TypeSpec stands for a value of it (tracing rule 45). TypeError if the value has no trace type
// (tracing rules 41, 42); exceptions of user code pass through.
TraceTypePtr trace_type_of(PyObject* value, TracingContext& context);

}  // namespace tracefn::bind
