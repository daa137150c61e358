// Attr: one attribute value of a node. Plain data: equality, hash, printing and serialization are written once, here
// and in io/. Small values are inline, others behind a counted pointer; an Attr is immutable and may be shared by
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/consecutive.h"
#include "base/owned.h"
#include "base/ref.h"
#include "tensor/tensor.h"

namespace tracefn {

class Graph;

// A function named by an attribute: the body of a branch, a loop or a call.
struct FuncRef {
  std::string name;
  std::shared_ptr<const Graph> body;
  bool operator==(const FuncRef& other) const { return name == other.name && body == other.body; }
};

// An object of the host language that a node refers to (a py_function's callable). Printed as `text()` in graphs and
// GraphDef; implemented by cpp/bind. The last reference may be dropped on any thread.
class HostObject : public RefCounted {
 public:
  virtual std::string text() const = 0;
};

class Attr {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kInt,
    kFloat,
    kBool,
    kType,
    kString,
    kShape,
    kTensor,
    kFunc,
    kHost,
    kInts,
    kFloats,
    kBools,
    kTypes,
    kStrings,
    kShapes,
    kFuncs,
  };
  // The lists come last.
  static_assert(consecutive(Kind::kHost, Kind::kInts, Kind::kFloats, Kind::kBools, Kind::kTypes, Kind::kStrings,
                            Kind::kShapes, Kind::kFuncs));
  Attr() = default;
  Attr(std::int64_t v) : kind_(Kind::kInt) { plain_.i = v; }            // NOLINT(google-explicit-constructor)
  Attr(int v) : Attr(static_cast<std::int64_t>(v)) {}                   // NOLINT
  Attr(float v) : kind_(Kind::kFloat) { plain_.f = v; }                 // NOLINT
  Attr(bool v) : kind_(Kind::kBool) { plain_.b = v; }                   // NOLINT
  Attr(DType v) : kind_(Kind::kType) { plain_.t = v; }                  // NOLINT
  Attr(std::string v);                                                  // NOLINT
  Attr(const char* v);                                                  // NOLINT
  Attr(Shape v);                                                        // NOLINT
  Attr(Tensor v);                                                       // NOLINT
  Attr(FuncRef v);                                                      // NOLINT
  Attr(std::vector<std::int64_t> v);                                    // NOLINT
  Attr(std::vector<float> v);                                           // NOLINT
  Attr(std::vector<bool> v);                                            // NOLINT
  Attr(std::vector<DType> v);                                           // NOLINT
  Attr(std::vector<std::string> v);                                     // NOLINT
  Attr(std::vector<Shape> v);                                           // NOLINT
  Attr(std::vector<FuncRef> v);                                         // NOLINT
  Attr(Ref<HostObject> v) : kind_(Kind::kHost), host_(std::move(v)) {}  // NOLINT
  // A string that names `owner` and keeps it alive; equal to any string of the same text.
  Attr(std::string v, Ref<HostObject> owner);

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ != Kind::kNone; }

  // Precondition of each: kind() is the matching one.
  std::int64_t i() const { return plain_.i; }
  float f() const { return plain_.f; }
  bool b() const { return plain_.b; }
  DType type() const { return plain_.t; }
  const std::string& s() const;
  const Shape& shape() const;
  const Tensor& tensor() const;
  const FuncRef& func() const;
  const std::vector<std::int64_t>& ints() const;
  const std::vector<float>& floats() const;
  const std::vector<bool>& bools() const;
  const std::vector<DType>& types() const;
  const std::vector<std::string>& strings() const;
  const std::vector<Shape>& shapes() const;
  const std::vector<FuncRef>& funcs() const;
  const Ref<HostObject>& host() const { return host_; }

  // The host object, and the functions: heap values are shared by copies of the attribute.
  void visit_owned(OwnedVisitor& visitor) const;

  // Tensors are equal if identical bit for bit, function bodies and host objects if they are the same object.
  bool operator==(const Attr& other) const;
  std::size_t hash() const;
  // As TensorFlow writes it in a node's text: "DT_FLOAT", "[1, 2]", "true", "\"abc\"".
  std::string text() const;

 private:
  struct Boxed;  // a variant; complete only in attr.cpp, so that other sources do not compile it
  template <typename T>
  Attr(Kind kind, T value);

  Kind kind_ = Kind::kNone;
  union {
    std::int64_t i;
    float f;
    bool b;
    DType t;
  } plain_ = {.i = 0};
  std::shared_ptr<const Boxed> boxed_;
  Ref<HostObject> host_;
};

// The attributes of a node, in the order in which its OpSignature declares them.
using AttrList = std::vector<Attr>;

}  // namespace tracefn
