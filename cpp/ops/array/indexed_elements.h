// The rules by element (ops/elements.h) of ops that read and write at indices which are known when the code runs.
#pragma once

#include "ops/elements.h"

namespace tracefn {

bool gather_elements(ElementsContext& c);     // GatherV2, and Gather, which has no axis
bool gather_nd_elements(ElementsContext& c);  // GatherNd
bool slice_elements(ElementsContext& c);      // Slice, of a known size
bool strided_slice_elements(ElementsContext& c);
// TensorScatterUpdate, and those whose update is a function of the old element and the new one; null: the new one.
using ElementUpdate = ElementsContext::Element (*)(ElementsContext& c, DType dtype, ElementsContext::Element old,
                                                   ElementsContext::Element value);
bool scatter_elements(ElementsContext& c, ElementUpdate update);

}  // namespace tracefn
