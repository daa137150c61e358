// Static shapes of a call's results, as far as they follow from its arguments.
#pragma once

#include <span>
#include <vector>

#include "ops/emit.h"

namespace tracefn {

// A function may have been traced with less known shapes than a call of it has. For each output of `body`, its shape
// when the inputs are `inputs`, operands of `target`: one for each input of `body`. Empty if nothing more is known than
// `body` says. Builds on a scratch graph, so it must be called by the thread that traces.
std::vector<Shape> call_shapes(const Graph& body, std::span<const Operand> inputs, EmitTarget& target);

}  // namespace tracefn
