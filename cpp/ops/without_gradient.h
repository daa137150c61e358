// For ops that have a derivative but, as in TensorFlow, no gradient rule.
#pragma once

namespace tracefn {

class GradContext;

// Requesting the gradient is Error(kLookup), unless a fallback is set.
void without_gradient(GradContext& c);
// The fallback for such gradients: rules that users register. Returns the previous one.
using GradientFallback = void (*)(GradContext& c);
GradientFallback set_gradient_fallback(GradientFallback fallback);

}  // namespace tracefn
