// Classes drawn by unnormalized log-probabilities: input 0 holds them in rows, input 1 says how many to draw for each.
#pragma once

#include "math/philox.h"
#include "ops/infer.h"
#include "ops/kernel.h"

namespace tracefn {

void infer_multinomial(InferContext& c);
void check_multinomial(const KernelContext& c);
// Fills output 0 from a stream in which the numbers of the rows follow each other.
void fill_multinomial(KernelContext& c, const Philox& start);

}  // namespace tracefn
