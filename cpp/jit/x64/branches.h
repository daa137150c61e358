// If-conversion: short integer branches are computed on both sides and selected, so that unpredictable data costs no
// mispredictions.
#pragma once

#include <vector>

#include "jit/x64/operation.h"

namespace tracefn::machine_code {

// Code during translation.
struct Code {
  std::vector<scalar::BytecodeInstruction> instructions;
  std::vector<scalar::Register> initial;
  std::vector<scalar::Slot> variables;  // set before the code runs, needed after it

  std::vector<Operation> operations() const;
  // By slot: whether its register keeps its initial value.
  std::vector<char> constants() const;
};

// Adds slots.
void select_instead_of_branching(Code& code);

}  // namespace tracefn::machine_code
