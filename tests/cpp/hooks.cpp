// With differentiation.
#include "hooks.h"

#include "autodiff/body_gradient.h"
#include "autodiff/recorded_bodies.h"

namespace tracefn::test {

RuntimeHooks hooks() { return {.body_gradients = kBodyGradients, .recorded_bodies = record_bodies}; }

}  // namespace tracefn::test
