// VariableType: a tf.Variable argument, identified by dtype, shape, trainability and which other arguments are the same
// variable (tracing rules 37, 38).
#pragma once

#include <cstdint>

#include "spec/trace_type.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tracefn {

// No alias number: a VariableSpec created by a user.
inline constexpr std::int64_t kNoAlias = -1;

class VariableType final : public TraceType {
 public:
  // `alias` numbers the distinct variables of a call in order of first use.
  VariableType(DType dtype, Shape shape, bool trainable, std::int64_t alias);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  bool trainable() const { return trainable_; }
  std::int64_t alias() const { return alias_; }

  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;
  // The leaf is the handle, a scalar resource.
  void append_leaves(std::vector<const TraceType*>& out) const override { out.push_back(this); }

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  bool matches_but_for_shape(const TraceType& other) const;

  DType dtype_;
  bool trainable_;
  std::int64_t alias_;
  Shape shape_;
};

}  // namespace tracefn
