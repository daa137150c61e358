// For ops that have a derivative and, as in TensorFlow, no gradient rule.
#pragma once

namespace tracefn {

class GradContext;

// Asking for the gradient is Error(kLookup), unless a fallback is set.
void without_gradient(GradContext& c);
// What is asked for such gradients instead: rules that users register. Set once, at start.
void set_gradient_fallback(void (*fallback)(GradContext& c));

}  // namespace tracefn
