// Liveness: which slots are live before and after each instruction.
#pragma once

#include <span>

#include "jit/scalar/bits.h"
#include "jit/x64/operation.h"

namespace tracefn::machine_code {

struct Liveness {
  // Rows are instructions, columns slots. `results` are live at the end.
  Liveness(std::span<const scalar::BytecodeInstruction> instructions, std::size_t num_slots,
           std::span<const scalar::Slot> results);

  BitTable before;  // one row more than there are instructions: at the end
  BitTable after;
};

}  // namespace tracefn::machine_code
