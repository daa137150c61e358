// Branches: short choices between integers are computed on both sides and selected, so that data which no processor can
// predict costs no misprediction.
#pragma once

#include <vector>

#include "exec/machine_code/operation.h"

namespace tracefn::machine_code {

// Code as it is being translated.
struct Code {
  std::vector<scalar::Step> steps;
  std::vector<scalar::Cell> initial;
  std::vector<scalar::Slot> variables;  // set before the code runs, needed after it

  std::vector<Operation> operations() const;
  // By slot: whether its cell keeps what it begins with.
  std::vector<char> constants() const;
};

// Adds slots.
void select_instead_of_branching(Code& code);

}  // namespace tracefn::machine_code
