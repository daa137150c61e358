// The bytecode interpreter.
#pragma once

#include <span>

#include "exec/scalar_code.h"
#include "exec/scalar_list.h"

namespace tracefn::scalar {

// Runs the code to its end. On an Error, `failed` is the node of the instruction that threw.
void run(std::span<const Step> steps, Cell* cells, ScalarList* lists, const Node*& failed);

}  // namespace tracefn::scalar
