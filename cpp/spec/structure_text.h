// Structures as TensorFlow 2.12 shows them in signatures: like Python values, with placeholders for the leaves.
#pragma once

#include <string>
#include <vector>

#include "spec/trace_type.h"

namespace tracefn {

// "{'a': <1>, 'b': [<2>]}"; `leaves` gets the text of each: "float32 Tensor, shape=(2,)", "True". A leaf by itself is
// its own text, with no leaves. Leaves count by sorted key, and dicts other than OrderedDicts are shown so.
std::string structure_text(const TraceType& type, std::vector<std::string>& leaves);

// The value of a type without tensors, as str() shows it: "hello", "[1, 'a']", "P(u=1, w='s')".
std::string value_text(const TraceType& type);

// "float32 Tensor, shape=(2,)"; "VariableSpec(...)"; for Python values and objects their repr.
std::string leaf_text(const TraceType& type);

}  // namespace tracefn
