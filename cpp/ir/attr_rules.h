// Rules that the attributes of one node keep among themselves, whatever its inputs. Emitting and the verifier ask alike.
#pragma once

#include <string>

#include "ir/signature.h"

namespace tracefn {

// A node has no more outputs of a list than this: a larger number is a mistake, found before the list is made.
inline constexpr std::int64_t kMostOutputs = std::int64_t{1} << 20;

// The list of no elements. Precondition: the kind is one of a list.
Attr empty_list(Attr::Kind kind);

// What is wrong, as a sentence; empty when nothing is:
// - numbers and lengths of lists are at least what the op declares;
// - functions take what the node passes on (Tin, or T) and return its outputs (Tout, or T; the condition of a loop one
//   tensor), in number and dtype;
// - `output_shapes`, where given, has a shape for each output, and none that the functions' own results contradict;
// - a constant has the dtype that the node names;
// - lists of outputs counted by an attribute are no longer than kMostOutputs.
// Precondition: the attributes are complete and of the declared kinds, and the graphs of functions keep
// the rules of edges.
std::string broken_attr_rule(const OpSignature& op, const AttrList& attrs);

}  // namespace tracefn
