// The rules by element (ops/elements.h) of reductions, cumulative ops and places of extremes.
#pragma once

#include "ops/elements.h"

namespace tracefn {

bool reduce_elements(ElementsContext& c);
bool cumulative_elements(ElementsContext& c, bool product);
bool arg_elements(ElementsContext& c, bool largest);

}  // namespace tracefn
