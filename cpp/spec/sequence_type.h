// SequenceType: a list or a tuple (tracing rule 34).
#pragma once

#include <vector>

#include "spec/trace_type.h"

namespace tracefn {

class SequenceType final : public TraceType {
 public:
  // Precondition: `kind` is kList or kTuple.
  SequenceType(TypeKind kind, std::vector<TraceTypePtr> elements);

  std::span<const TraceTypePtr> children() const override { return elements_; }
  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  std::vector<TraceTypePtr> elements_;
};

}  // namespace tracefn
