// Counted loops: those that passes/split_loops.cpp makes, and others of that form.
#pragma once

#include "ir/graph.h"

namespace tracefn {

// Whether a While's first two variables are int64 scalars and it has the form: while first < second: first + 1, second,
// ... Its condition does nothing else then.
bool is_counted(const Node& loop);

}  // namespace tracefn
