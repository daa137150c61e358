// Loops that count trips up to a number, as passes/split_loops.cpp makes them.
#pragma once

#include "ir/graph.h"

namespace tracefn {

// Whether a While's first two variables are int64 scalars and it is: while first < second: first + 1, second, ...
bool is_counted(const Node& loop);

}  // namespace tracefn
