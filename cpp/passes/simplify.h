// The rules of simplify: each looks at a node of one op and returns a replacement with the same bits. One file per
// family of rules.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/rewrite.h"

namespace tracefn::simplify {

// Nothing if the rule does not apply. The node has one output and no control edges.
using Rule = Replacement (*)(Rewriter& r, const Node& node);
// By op, in the order in which they are tried.
using Rules = std::unordered_map<const OpSignature*, std::vector<Rule>>;

void add(Rules& rules, std::string_view op, Rule rule);
void add_arithmetic(Rules& rules);
void add_arrays(Rules& rules);
void add_reshapes(Rules& rules);

// The value of a constant; undefined for other nodes.
Tensor constant(const Rewriter& r, Value v);
// Whether every element is `value`, which distinguishes 0.0 from -0.0. Always false for complex numbers and strings.
bool all_are(const Tensor& t, double value);
// Whether x combined with `other` certainly has x's shape.
bool keeps_shape(const Rewriter& r, Value x, const Shape& other);
// Whether the static shape of `v` says at least as much as that of `of`.
bool says_as_much(const Rewriter& r, Value v, const OutputInfo& of);
// Input 0 in place of the node, unless the node's static shape is more precise.
Replacement first_input(const Rewriter& r, const Node& node);

}  // namespace tracefn::simplify
