// ObjectType: an object of any other class, held weakly: the same one, or one that is == with an equal hash, shares the
// trace; a dead one never matches again (tracing rules 39, 40).
#pragma once

#include "spec/host_value.h"
#include "spec/trace_type.h"

namespace tracefn {

class ObjectType final : public TraceType {
 public:
  explicit ObjectType(HostValuePtr object);

  const HostValuePtr& object() const { return object_; }

  bool is_subtype_of(const TraceType& other) const override { return equals(other); }
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  HostValuePtr object_;
};

}  // namespace tracefn
