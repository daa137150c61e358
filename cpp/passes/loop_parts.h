// What passes over loops share: variables that do not change, and parts of conditions and bodies.
#pragma once

#include <memory>
#include <vector>

#include "ir/graph.h"

namespace tracefn {

// By loop variable: whether the body hands it on as it is.
std::vector<char> unchanged_variables(const Graph& body);

// By argument of the function: whether it is needed for these values, or by what runs for its effects.
std::vector<char> needed_arguments(const Graph& function, const std::vector<Value>& values);

// A function of the given arguments with the given results, as far as they need it; what has effects stays. The
// arguments left out must not be needed.
std::shared_ptr<Graph> part_of(const Graph& function, std::vector<Value> inputs, std::vector<Value> outputs);

}  // namespace tracefn
