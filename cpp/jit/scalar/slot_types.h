// The type of each slot's values.
#pragma once

#include <span>
#include <vector>

#include "jit/x64/operation.h"

namespace tracefn::machine_code {

// kNone if instructions disagree, or none determines it.
std::vector<Type> slot_types(std::span<const scalar::BytecodeInstruction> instructions,
                             std::span<const Operation> operations, std::size_t num_slots);

}  // namespace tracefn::machine_code
