// For ops that have a derivative but, as in TensorFlow, no gradient rule; and for those whose rule the program
// replaces.
#pragma once

namespace tracefn {

class GradContext;
struct OpDef;

// Requesting the gradient is Error(kLookup), unless a fallback is set.
void without_gradient(GradContext& c);
// The fallback for such gradients: rules that users register. Returns the previous one.
using GradientFallback = void (*)(GradContext& c);
GradientFallback set_gradient_fallback(GradientFallback fallback);

// From now on the fallback gives the gradient of an op of the registry, or its own rule does again. Any thread.
void replace_gradient(const OpDef& op, bool replaced);
bool is_gradient_replaced(const OpDef& op);

}  // namespace tracefn
