// The rules of variable arguments.
#include "spec/variable_type.h"

#include "base/error.h"
#include "base/hash.h"

namespace tracefn {
namespace {

std::size_t family_of(DType dtype, bool trainable, std::int64_t alias) {
  std::size_t seed = hash_mix(static_cast<std::size_t>(TypeKind::kVariable), slot(dtype));
  return hash_mix(hash_mix(seed, trainable), static_cast<std::size_t>(alias));
}

}  // namespace

VariableType::VariableType(DType dtype, Shape shape, bool trainable, std::int64_t alias)
    : TraceType(TypeKind::kVariable, hash_mix(family_of(dtype, trainable, alias), shape.hash()),
                family_of(dtype, trainable, alias), 1),
      dtype_(dtype),
      trainable_(trainable),
      alias_(alias),
      shape_(std::move(shape)) {}

bool VariableType::matches_but_for_shape(const TraceType& other) const {
  if (other.kind() != TypeKind::kVariable) return false;
  auto& variable = static_cast<const VariableType&>(other);
  return dtype_ == variable.dtype_ && trainable_ == variable.trainable_ && alias_ == variable.alias_;
}

bool VariableType::equals_same_kind(const TraceType& other) const {
  return matches_but_for_shape(other) && shape_ == static_cast<const VariableType&>(other).shape_;
}

bool VariableType::is_subtype_of(const TraceType& other) const {
  return matches_but_for_shape(other) && static_cast<const VariableType&>(other).shape_.is_supertype_of(shape_);
}

TraceTypePtr VariableType::most_specific_common_supertype(const TraceType& other) const {
  if (!matches_but_for_shape(other)) return {};
  Shape shape = tracefn::most_specific_common_supertype(shape_, static_cast<const VariableType&>(other).shape_);
  return make_ref<VariableType>(dtype_, std::move(shape), trainable_, alias_);
}

void VariableType::append_text(std::string& out) const {
  out += concat("VariableSpec(shape=", shape_.python_text(), ", dtype=tf.", dtype_,
                ", trainable=", trainable_ ? "True" : "False", ", alias_id=");
  out += alias_ == kNoAlias ? "None)" : concat(alias_, ")");
}

}  // namespace tracefn
