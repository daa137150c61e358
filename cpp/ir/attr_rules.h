// Consistency rules among the attributes of one node, independent of its inputs. Shared by emit and the verifier.
#pragma once

#include <string>

#include "ir/signature.h"

namespace tracefn {

// The maximum length of an output list: a larger number is a mistake, found before the list is allocated.
inline constexpr std::int64_t kMostOutputs = std::int64_t{1} << 20;

// The empty list. Precondition: the kind is one of a list.
Attr empty_list(Attr::Kind kind);

// What is wrong, as a sentence; empty when nothing is:
// - numbers and lengths of lists are at least what the op declares;
// - functions take what the node passes on (Tin, or T) and return its outputs (Tout, or T; the condition of a loop one
//   tensor), in number and dtype;
// - `output_shapes`, where given, has a shape for each output, and none that the functions' own results contradict;
// - a constant has the dtype that the node names;
// - lists of outputs counted by an attribute are no longer than kMostOutputs.
// TensorFlow has other words for the first where an op runs at once (`eager`) than where a node is made.
// Precondition: the attributes are complete and of the declared kinds, and the graphs of functions keep
// the rules of edges.
std::string broken_attr_rule(const OpSignature& op, const AttrList& attrs, bool eager = false);

}  // namespace tracefn
