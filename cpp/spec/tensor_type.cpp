// The rules of tensor arguments: equal dtypes, shapes equally or more general.
#include "spec/tensor_type.h"

#include "base/error.h"
#include "base/hash.h"

namespace tracefn {
namespace {

std::size_t family_of(DType dtype) { return hash_mix(static_cast<std::size_t>(TypeKind::kTensor), slot(dtype)); }

}  // namespace

TensorType::TensorType(DType dtype, Shape shape, std::string name)
    : TraceType(TypeKind::kTensor, hash_mix(family_of(dtype), shape.hash()), family_of(dtype), 1),
      dtype_(dtype),
      shape_(std::move(shape)),
      name_(std::move(name)) {}

bool TensorType::equals_same_kind(const TraceType& other) const {
  auto& tensor = static_cast<const TensorType&>(other);
  return dtype_ == tensor.dtype_ && shape_ == tensor.shape_ && name_ == tensor.name_;
}

bool TensorType::is_subtype_of(const TraceType& other) const {
  if (other.kind() != TypeKind::kTensor) return false;
  auto& tensor = static_cast<const TensorType&>(other);
  bool fits_name = name_.empty() || name_ == tensor.name_;
  return dtype_ == tensor.dtype_ && fits_name && tensor.shape_.is_supertype_of(shape_);
}

TraceTypePtr TensorType::most_specific_common_supertype(const TraceType& other) const {
  if (other.kind() != TypeKind::kTensor) return {};
  auto& tensor = static_cast<const TensorType&>(other);
  if (dtype_ != tensor.dtype_ || name_ != tensor.name_) return {};
  return make_ref<TensorType>(dtype_, tracefn::most_specific_common_supertype(shape_, tensor.shape_), name_);
}

void TensorType::append_text(std::string& out) const {
  out += concat("TensorSpec(shape=", shape_.python_text(), ", dtype=tf.", dtype_, ", name=");
  out += name_.empty() ? "None)" : concat("'", name_, "')");
}

}  // namespace tracefn
