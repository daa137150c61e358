// Comparing, hashing and printing of attribute values.
#include "ir/attr.h"

#include "base/error.h"
#include "base/hash.h"

namespace tracefn {
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
      [&](const auto& value) { return equal(value, std::get<std::decay_t<decltype(value)>>(*other.boxed_)); }, *boxed_);
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
      return hash_mix(h, std::visit([](const auto& value) { return hash_of(value); }, *boxed_));
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
      return std::visit([](const auto& value) { return text_of(value); }, *boxed_);
  }
}

}  // namespace tracefn
