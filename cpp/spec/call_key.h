// CallKey: the key of a trace: the bound parameters of a call and the trace type of each (tracing rule 28).
#pragma once

#include <optional>

#include "base/small_vector.h"
#include "spec/parameter.h"

namespace tracefn {

using TraceTypes = SmallVector<TraceTypePtr, 6>;

// A value type, cheap to move. Comparisons may run user code (see HostValue).
class CallKey {
 public:
  CallKey() = default;
  // Precondition: one type per parameter.
  CallKey(ParameterListPtr parameters, TraceTypes types);

  const ParameterListPtr& parameters() const { return parameters_; }
  const TraceTypes& types() const { return types_; }
  std::size_t hash() const { return hash_; }
  // See TraceType::family().
  std::size_t family() const { return family_; }
  std::size_t num_leaves() const { return num_leaves_; }
  // The types of all tensors, in order; the pointers live as long as the key.
  std::vector<const TraceType*> leaves() const;

  bool equals(const CallKey& other) const;
  // True if a trace made for this key serves a call with the key `call` (tracing rule 48).
  bool is_supertype_of(const CallKey& call) const;
  // Both generalized leaf by leaf, or nothing if some argument has no common supertype (tracing rules 52, 53).
  std::optional<CallKey> most_specific_common_supertype(const CallKey& other) const;

 private:
  ParameterListPtr parameters_;
  TraceTypes types_;
  std::size_t hash_ = 0;
  std::size_t family_ = 0;
  std::size_t num_leaves_ = 0;
};

}  // namespace tracefn
