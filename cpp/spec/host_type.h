// HostType: a trace type that the host defines: the TypeSpec of a composite value, or the result of a user's
// `__tf_tracing_type__`.
#pragma once

#include <vector>

#include "spec/host_value.h"
#include "spec/trace_type.h"

namespace tracefn {

// The host's object, which makes all decisions of a trace type. hash() and equals() are its own.
class HostTypeValue : public HostValue {
 public:
  virtual bool is_subtype_of(const HostTypeValue& other) const = 0;
  // Null if there is none.
  virtual TraceTypePtr most_specific_common_supertype(const HostTypeValue& other) const = 0;
};

class HostType final : public TraceType {
 public:
  // Precondition: `kind` is kComposite or kUserDefined. `tensors` are the types of its tensors, in order.
  HostType(TypeKind kind, Ref<const HostTypeValue> value, std::vector<TraceTypePtr> tensors);

  const Ref<const HostTypeValue>& value() const { return value_; }

  std::span<const TraceTypePtr> children() const override { return tensors_; }
  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  Ref<const HostTypeValue> value_;
  std::vector<TraceTypePtr> tensors_;
};

}  // namespace tracefn
