// Recording of conditionals, loops and calls that run eagerly under tapes.
#pragma once

#include <span>

#include "ops/emit.h"

namespace tracefn {

// Runs such an op and records it on this thread's tapes; false, with nothing done, if they need not record it. The
// RecordedBodies of a Runtime.
bool record_bodies(const OpDef& op, std::span<const Operand> inputs, const AttrList& attrs, Operands& outputs);

}  // namespace tracefn
