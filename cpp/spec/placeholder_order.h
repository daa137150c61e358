// The order in which the placeholders of an argument are created and named: that of the structure (tracing rule 16),
// which for dicts is not the order of the graph's inputs.
#pragma once

#include <vector>

#include "spec/trace_type.h"

namespace tracefn {

// Appends the positions of the leaves of `type`, counted from `first` as append_leaves() lists them, in creation order:
// dicts in insertion order.
void append_placeholder_order(const TraceType& type, std::size_t first, std::vector<std::size_t>& order);

}  // namespace tracefn
