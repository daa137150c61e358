// LiteralType: a Python value that is part of the key (tracing rules 31-33): 1, "s", None, range(3).
#pragma once

#include "spec/host_value.h"
#include "spec/trace_type.h"

namespace tracefn {

// Holds the first value of its kind: 1, 1.0 and True are equal, and the trace uses the one it was made with (tracing
// rule 32).
class LiteralType final : public TraceType {
 public:
  explicit LiteralType(HostValuePtr value);

  const HostValuePtr& value() const { return value_; }

  bool is_subtype_of(const TraceType& other) const override { return equals(other); }
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  HostValuePtr value_;
};

}  // namespace tracefn
