// Which type the values of each slot have.
#pragma once

#include <span>
#include <vector>

#include "exec/machine_code/operation.h"

namespace tracefn::machine_code {

// kNone where steps disagree, or none says.
std::vector<Type> slot_types(std::span<const scalar::Step> steps, std::span<const Operation> operations,
                             std::size_t num_slots);

}  // namespace tracefn::machine_code
