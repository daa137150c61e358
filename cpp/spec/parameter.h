// Parameter: one parameter of a function type; ParameterList: those of a call, named once and shared by its keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/consecutive.h"
#include "base/ref.h"
#include "spec/trace_type.h"

namespace tracefn {

// As inspect.Parameter: the same order, the same numbers.
enum class ParameterKind : std::uint8_t {
  kPositionalOnly,
  kPositionalOrKeyword,
  kVarPositional,
  kKeywordOnly,
  kVarKeyword,
};
static_assert(static_cast<int>(ParameterKind::kPositionalOnly) == 0 &&
              consecutive(ParameterKind::kPositionalOnly, ParameterKind::kPositionalOrKeyword,
                          ParameterKind::kVarPositional, ParameterKind::kKeywordOnly, ParameterKind::kVarKeyword));

// "POSITIONAL_OR_KEYWORD".
std::string_view name(ParameterKind kind);

// A parameter without its type.
struct ParameterName {
  std::string name;
  ParameterKind kind;
  bool optional = false;  // has a default
  bool member = false;    // one of *args
  std::string owner;      // of a member of *args or **kwargs: the name of those; else empty

  bool operator==(const ParameterName&) const = default;
};

struct Parameter : ParameterName {
  TraceTypePtr type;  // null: unconstrained
};

// The parameters that a call binds, in canonical order: those of the signature, with the members of *args as args_0,
// args_1, ... in place and those of **kwargs sorted at the end (tracing rules 43, 83). Immutable, shared by threads.
class ParameterList : public RefCounted {
 public:
  explicit ParameterList(std::vector<ParameterName> names);

  const std::vector<ParameterName>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  const ParameterName& operator[](std::size_t i) const { return names_[i]; }
  std::size_t hash() const { return hash_; }
  bool operator==(const ParameterList& other) const {
    return this == &other || (hash_ == other.hash_ && names_ == other.names_);
  }

 private:
  std::vector<ParameterName> names_;
  std::size_t hash_;
};

using ParameterListPtr = Ref<const ParameterList>;

}  // namespace tracefn
