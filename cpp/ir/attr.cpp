// Compares, hashes and prints attribute values.
#include "ir/attr.h"

#include <type_traits>
#include <variant>

#include "base/error.h"
#include "base/hash.h"
#include "ir/graph.h"

namespace tracefn {

struct Attr::Boxed {
  std::variant<std::string, Shape, Tensor, FuncRef, std::vector<std::int64_t>, std::vector<float>, std::vector<bool>,
               std::vector<DType>, std::vector<std::string>, std::vector<Shape>, std::vector<FuncRef>>
      value;
};

namespace {

bool equal(const Tensor& a, const Tensor& b) { return identical(a, b); }
template <typename T>
bool equal(const T& a, const T& b) {
  return a == b;
}

std::size_t hash_of(const Tensor& t) {
  std::size_t h = hash_add(t.shape().hash(), slot(t.dtype()));
  if (is_plain(t.dtype())) h = hash_add(h, std::string_view(static_cast<const char*>(t.raw()), t.bytes()));
  return h;
}
std::size_t hash_of(const Shape& s) { return s.hash(); }
std::size_t hash_of(const FuncRef& f) { return hash_add(std::hash<std::string>{}(f.name), f.body.get()); }
template <typename T>
std::size_t hash_of(const T& v) {
  return std::hash<T>{}(v);
}
template <typename T>
std::size_t hash_of(const std::vector<T>& list) {
  std::size_t h = list.size();
  for (const auto& v : list) {
    if constexpr (std::is_same_v<T, bool>) {
      h = hash_mix(h, v ? 1 : 0);
    } else {
      h = hash_mix(h, hash_of(v));
    }
  }
  return h;
}

std::string text_of(std::int64_t v) { return std::to_string(v); }
std::string text_of(float v) { return concat(v); }
std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(DType v) { return std::string(enum_name(v)); }
std::string text_of(const std::string& v) { return "\"" + v + "\""; }
std::string text_of(const Shape& v) { return v.text(); }
std::string text_of(const Tensor& v) {
  return concat("Tensor<type: ", runtime_name(v.dtype()), " shape: ", v.shape().text(), ">");
}
std::string text_of(const FuncRef& v) { return v.name + "[]"; }
template <typename T>
std::string text_of(const std::vector<T>& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i) out += ", ";
    out += text_of(list[i]);
  }
  return out + "]";
}

}  // namespace

template <typename T>
Attr::Attr(Kind kind, T value) : kind_(kind), boxed_(std::make_shared<const Boxed>(Boxed{std::move(value)})) {}

Attr::Attr(std::string v) : Attr(Kind::kString, std::move(v)) {}
Attr::Attr(const char* v) : Attr(std::string(v)) {}
Attr::Attr(Shape v) : Attr(Kind::kShape, std::move(v)) {}
Attr::Attr(Tensor v) : Attr(Kind::kTensor, std::move(v)) {}
Attr::Attr(FuncRef v) : Attr(Kind::kFunc, std::move(v)) {}
Attr::Attr(std::vector<std::int64_t> v) : Attr(Kind::kInts, std::move(v)) {}
Attr::Attr(std::vector<float> v) : Attr(Kind::kFloats, std::move(v)) {}
Attr::Attr(std::vector<bool> v) : Attr(Kind::kBools, std::move(v)) {}
Attr::Attr(std::vector<DType> v) : Attr(Kind::kTypes, std::move(v)) {}
Attr::Attr(std::vector<std::string> v) : Attr(Kind::kStrings, std::move(v)) {}
Attr::Attr(std::vector<Shape> v) : Attr(Kind::kShapes, std::move(v)) {}
Attr::Attr(std::vector<FuncRef> v) : Attr(Kind::kFuncs, std::move(v)) {}
Attr::Attr(std::string v, Ref<HostObject> owner) : Attr(std::move(v)) { host_ = std::move(owner); }

const std::string& Attr::s() const { return std::get<std::string>(boxed_->value); }
const Shape& Attr::shape() const { return std::get<Shape>(boxed_->value); }
const Tensor& Attr::tensor() const { return std::get<Tensor>(boxed_->value); }
const FuncRef& Attr::func() const { return std::get<FuncRef>(boxed_->value); }
const std::vector<std::int64_t>& Attr::ints() const { return std::get<std::vector<std::int64_t>>(boxed_->value); }
const std::vector<float>& Attr::floats() const { return std::get<std::vector<float>>(boxed_->value); }
const std::vector<bool>& Attr::bools() const { return std::get<std::vector<bool>>(boxed_->value); }
const std::vector<DType>& Attr::types() const { return std::get<std::vector<DType>>(boxed_->value); }
const std::vector<std::string>& Attr::strings() const { return std::get<std::vector<std::string>>(boxed_->value); }
const std::vector<Shape>& Attr::shapes() const { return std::get<std::vector<Shape>>(boxed_->value); }
const std::vector<FuncRef>& Attr::funcs() const { return std::get<std::vector<FuncRef>>(boxed_->value); }

bool Attr::operator==(const Attr& other) const {
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kNone:
      return true;
    case Kind::kInt:
      return plain_.i == other.plain_.i;
    case Kind::kFloat:
      return plain_.f == other.plain_.f;
    case Kind::kBool:
      return plain_.b == other.plain_.b;
    case Kind::kType:
      return plain_.t == other.plain_.t;
    case Kind::kHost:
      return host_ == other.host_;
    default:
      break;
  }
  if (boxed_ == other.boxed_) return true;
  return std::visit(
      [&](const auto& value) { return equal(value, std::get<std::decay_t<decltype(value)>>(other.boxed_->value)); },
      boxed_->value);
}

std::size_t Attr::hash() const {
  std::size_t h = static_cast<std::size_t>(kind_);
  switch (kind_) {
    case Kind::kNone:
      return h;
    case Kind::kInt:
      return hash_add(h, plain_.i);
    case Kind::kFloat:
      return hash_add(h, plain_.f);
    case Kind::kBool:
      return hash_add(h, plain_.b);
    case Kind::kType:
      return hash_add(h, slot(plain_.t));
    case Kind::kHost:
      return hash_add(h, host_.get());
    default:
      return hash_mix(h, std::visit([](const auto& value) { return hash_of(value); }, boxed_->value));
  }
}

std::string Attr::text() const {
  switch (kind_) {
    case Kind::kNone:
      return "";
    case Kind::kInt:
      return text_of(plain_.i);
    case Kind::kFloat:
      return text_of(plain_.f);
    case Kind::kBool:
      return text_of(plain_.b);
    case Kind::kType:
      return text_of(plain_.t);
    case Kind::kHost:
      return text_of(host_->text());
    default:
      return std::visit([](const auto& value) { return text_of(value); }, boxed_->value);
  }
}

void Attr::visit_owned(OwnedVisitor& visitor) const {
  visitor.counted(host_);
  if (kind_ != Kind::kFunc && kind_ != Kind::kFuncs) return;
  visitor.shared(boxed_, [](const void* object, OwnedVisitor& v) {
    const auto& boxed = static_cast<const Boxed*>(object)->value;
    if (const auto* one = std::get_if<FuncRef>(&boxed)) return v.shared(one->body);
    for (const FuncRef& f : std::get<std::vector<FuncRef>>(boxed)) v.shared(f.body);
  });
}

}  // namespace tracefn
