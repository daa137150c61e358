// Static shapes of what a call returns, as far as they follow from what this call is given.
#pragma once

#include <span>
#include <vector>

#include "ops/emit.h"

namespace tracefn {

// A function may have been traced with less known shapes than a call of it has. For each output of `body`, what is
// known when the inputs are `inputs`, operands of `target`: one for each input of `body`. Empty when nothing more is
// known than `body` says. Builds on a scratch graph, so it must be called by the thread that traces.
std::vector<Shape> call_shapes(const Graph& body, std::span<const Operand> inputs, EmitTarget& target);

}  // namespace tracefn
