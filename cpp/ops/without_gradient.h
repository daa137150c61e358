// For ops that have a derivative but, as in TensorFlow, no gradient rule.
#pragma once

namespace tracefn {

class GradContext;

// Requesting the gradient is Error(kLookup), unless a fallback is set.
void without_gradient(GradContext& c);
// The fallback for such gradients: rules that users register. Set once, at startup.
void set_gradient_fallback(void (*fallback)(GradContext& c));

}  // namespace tracefn
