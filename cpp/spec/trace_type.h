// TraceType: the static type of one argument of a traced function; the lattice behind the function cache.
//
// Each kind has its own file: tensor_type.h (tensors), variable_type.h, literal_type.h (Python values), object_type.h
// (weakly held objects), sequence_type.h (list, tuple), dict_type.h, record_type.h (named tuple, attrs, dataclass,
// custom nest) and host_type.h (TypeSpecs and user-defined types). See tracing rules C and D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/consecutive.h"
#include "base/hash.h"
#include "base/ref.h"

namespace tracefn {

enum class TypeKind : std::uint8_t {
  kTensor,
  kVariable,
  kLiteral,
  kObject,
  kList,
  kTuple,
  kDict,
  kNamedTuple,
  kAttrs,
  kDataclass,
  kCustomNest,
  kComposite,    // a TypeSpec of the host
  kUserDefined,  // any other trace type of the host
};
// Containers are recognized by their place.
static_assert(consecutive(TypeKind::kObject, TypeKind::kList, TypeKind::kTuple, TypeKind::kDict, TypeKind::kNamedTuple,
                          TypeKind::kAttrs, TypeKind::kDataclass, TypeKind::kCustomNest, TypeKind::kComposite));

class TraceType;
struct TypeHashes;
using TraceTypePtr = Ref<const TraceType>;

// Immutable and shared by threads. Comparisons may run user code (see HostValue).
class TraceType : public RefCounted {
 public:
  TypeKind kind() const { return kind_; }
  // Equal types have equal hashes. Computed once.
  std::size_t hash() const { return hash_; }
  // A coarser hash, shared by a type, its subtypes and its common supertypes. It ignores shapes.
  std::size_t family() const { return family_; }
  // The tensors in a value of this type.
  std::size_t num_leaves() const { return num_leaves_; }

  // Never true for a type that holds a dead object, not even with itself.
  bool equals(const TraceType& other) const {
    return kind_ == other.kind_ && hash_ == other.hash_ && equals_same_kind(other);
  }
  // True if a trace made for `other` serves values of this type: `other` is equal, or has more general shapes.
  virtual bool is_subtype_of(const TraceType& other) const = 0;
  // The least common supertype, computed leaf by leaf; null if there is none. It never joins dtypes, values or
  // structures.
  virtual TraceTypePtr most_specific_common_supertype(const TraceType& other) const = 0;

  // "TensorSpec(shape=(2,), dtype=tf.float32, name=None)", "List[Literal[1]]": tracing rules 84-87.
  std::string text() const {
    std::string out;
    append_text(out);
    return out;
  }
  virtual void append_text(std::string& out) const = 0;

  // The parts of a structure in its own order (dicts: insertion order); the tensor types of a composite. Empty for
  // leaves.
  virtual std::span<const TraceTypePtr> children() const { return {}; }
  // The types of the tensors in a value of this type, in the order of the graph's inputs (dicts by sorted key): each is
  // of kind kTensor, or kVariable for the handle of a variable. The pointers live as long as this type.
  virtual void append_leaves(std::vector<const TraceType*>& out) const {
    for (const TraceTypePtr& child : children()) child->append_leaves(out);
  }

 protected:
  TraceType(TypeKind kind, std::size_t hash, std::size_t family, std::size_t num_leaves)
      : hash_(hash), family_(family), num_leaves_(num_leaves), kind_(kind) {}
  TraceType(TypeKind kind, const TypeHashes& hashes);
  // Precondition: kind and hash are equal.
  virtual bool equals_same_kind(const TraceType& other) const = 0;

 private:
  std::size_t hash_;
  std::size_t family_;
  std::size_t num_leaves_;
  TypeKind kind_;
};

// The ingredients of structure hashes.
struct TypeHashes {
  std::size_t hash;
  std::size_t family;
  std::size_t num_leaves;

  // For a structure of `kind`; `label` distinguishes it from others of its kind.
  static TypeHashes of(TypeKind kind, std::size_t label, std::span<const TraceTypePtr> children);
};

// True if both have the same length and are equal pairwise.
bool all_equal(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b);
// True if each of `a` is a subtype of the one in `b`.
bool all_subtypes(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b);
// Appends the pairwise common supertypes to `joined`; false if some pair has none.
bool join_all(std::span<const TraceTypePtr> a, std::span<const TraceTypePtr> b, std::vector<TraceTypePtr>& joined);

}  // namespace tracefn
