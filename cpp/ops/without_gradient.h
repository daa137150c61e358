// For ops that have a derivative and, as in TensorFlow, no gradient rule.
#pragma once

namespace tracefn {

class GradContext;

// Asking for the gradient is Error(kLookup).
void without_gradient(GradContext& c);

}  // namespace tracefn
