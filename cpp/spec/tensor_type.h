// TensorType: a tensor argument, identified by dtype and static shape (tracing rules 29, 30, 45).
#pragma once

#include <string>

#include "spec/trace_type.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tracefn {

// The name is that of a named TensorSpec: it names the placeholder and is part of equality. A call's own tensors have
// none, and an unnamed type is a subtype of a named one, so a trace made for a named spec serves them.
class TensorType final : public TraceType {
 public:
  TensorType(DType dtype, Shape shape, std::string name = "");

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  // Empty for an unnamed spec.
  const std::string& name() const { return name_; }

  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;
  void append_leaves(std::vector<const TraceType*>& out) const override { out.push_back(this); }

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  DType dtype_;
  Shape shape_;
  std::string name_;
};

}  // namespace tracefn
