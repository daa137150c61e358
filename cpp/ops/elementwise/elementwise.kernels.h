// The elementwise part of the kernel table: one block kernel per function and dtype, null if the function does not
// support it.
#pragma once

#include "ops/elementwise/block.h"

namespace tracefn {

// Of one function, by slot(dtype) of the operands (for Select: of the last two).
using BlockRow = BlockKernel[kDTypeSlots];

struct ElementwiseKernels {
  const BlockRow* functions;  // indexed by id_of<F> (functions.h)
  std::uint64_t fingerprint;  // functions::fingerprint()
  // Indexed by the slots of source and target.
  UnaryBlock cast[kDTypeSlots][kDTypeSlots];
};

// Compiled once per instruction set.
void fill_elementwise(ElementwiseKernels& kernels);

}  // namespace tracefn
