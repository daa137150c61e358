// A host for tests of trace types: values are doubles or strings, and can be told to die.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <variant>

#include "base/error.h"
#include "spec/host_value.h"
#include "spec/literal_type.h"
#include "spec/object_type.h"
#include "spec/sequence_type.h"
#include "spec/tensor_type.h"

namespace tracefn::test {

inline constexpr DType kF32 = DType::kFloat, kI32 = DType::kInt32;

class FakeValue final : public HostValue {
 public:
  using Value = std::variant<double, std::string>;
  explicit FakeValue(Value value) : value_(std::move(value)) {}

  std::size_t hash() const override {
    auto* number = std::get_if<double>(&value_);
    return number && std::isnan(*number) ? 0 : std::hash<Value>{}(value_);
  }
  bool equals(const HostValue& other) const override {
    auto& o = static_cast<const FakeValue&>(other);
    auto *a = std::get_if<double>(&value_), *b = std::get_if<double>(&o.value_);
    bool both_nan = a && b && std::isnan(*a) && std::isnan(*b);
    return alive_ && o.alive_ && (both_nan || value_ == o.value_);
  }
  std::string str() const override {
    auto* number = std::get_if<double>(&value_);
    return number ? concat(*number) : std::get<std::string>(value_);
  }
  std::string repr() const override { return value_.index() == 0 ? str() : "'" + str() + "'"; }
  bool alive() const override { return alive_; }
  bool less(const HostValue& other) const override {
    auto& o = static_cast<const FakeValue&>(other);
    if (value_.index() != o.value_.index()) fail(ErrorKind::kType, "'<' not supported");
    return value_ < o.value_;
  }
  void die() const { alive_ = false; }

 private:
  Value value_;
  mutable bool alive_ = true;
};

inline HostValuePtr host(double value) { return make_ref<FakeValue>(value); }
inline HostValuePtr host(const char* value) { return make_ref<FakeValue>(std::string(value)); }
template <typename T>
TraceTypePtr literal(T value) {
  return make_ref<LiteralType>(host(value));
}
inline TraceTypePtr tensor(DType dtype, Shape shape, std::string name = "") {
  return make_ref<TensorType>(dtype, std::move(shape), std::move(name));
}
inline TraceTypePtr list(std::vector<TraceTypePtr> elements) {
  return make_ref<SequenceType>(TypeKind::kList, std::move(elements));
}
inline TraceTypePtr tuple(std::vector<TraceTypePtr> elements) {
  return make_ref<SequenceType>(TypeKind::kTuple, std::move(elements));
}

}  // namespace tracefn::test
