// OpSignature: the form of an op's nodes, the part of TensorFlow's OpDef that the graph itself needs. Created once by
// the registry and never changed or freed, so any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attr.h"

namespace tracefn {

// One declared input or output. Exactly one of `type`, `type_attr` or `type_list_attr` gives its types; with
// `number_attr` it is that many tensors of the one type.
struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

struct AttrDef {
  std::string name;
  Attr::Kind kind = Attr::Kind::kNone;
  Attr default_value;                // none: required, or inferred from the inputs
  std::vector<DType> allowed_types;  // for kType and kTypes; empty: any
  std::vector<std::string> allowed_strings;
  std::optional<std::int64_t> minimum;  // of an int, or of a list's length
};

// An op's structural role in a graph: values, calls of functions, lists of loops, and elements of iterators.
enum class OpKind : std::uint8_t {
  kOther,
  kConst,
  kPlaceholder,
  kIdentity,     // forwards its input, and the gradient
  kCall,         // of the function `f`
  kConditional,  // `then_branch` or `else_branch`
  kCase,         // one of `branches`
  kLoop,         // of `cond` and `body`
  kListEmpty,
  kListPush,
  kListPop,
  kListGet,
  kListSet,
  kListReserve,
  kListLength,
  kListStack,
  kListUnstack,
  kOptionalHasValue,
  kOptionalGetValue,
  kIteratorGetNext,  // the next element, or nothing, as an optional
};

struct OpSignature {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  bool stateful = false;
  bool commutative = false;
  OpKind kind = OpKind::kOther;

  // Index into `attrs` (and into every node's AttrList), or -1.
  int attr_index(std::string_view attr_name) const {
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (attrs[i].name == attr_name) return static_cast<int>(i);
    return -1;
  }
};

// The dtypes of a node's outputs, from its signature and attributes.
SmallVector<DType, 2> output_dtypes(const OpSignature& op, const AttrList& attrs);
// The dtypes of its inputs.
SmallVector<DType, 4> input_dtypes(const OpSignature& op, const AttrList& attrs);

}  // namespace tracefn
