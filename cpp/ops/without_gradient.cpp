// The error for a missing gradient rule.
#include "ops/without_gradient.h"

#include "base/error.h"
#include "ops/gradient.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

void (*fallback_rule)(GradContext&) = nullptr;

}  // namespace

void without_gradient(GradContext& c) {
  if (!fallback_rule) fail(ErrorKind::kLookup, "gradient registry has no entry for: ", c.op().name());
  fallback_rule(c);
}

GradientFallback set_gradient_fallback(GradientFallback fallback) { return std::exchange(fallback_rule, fallback); }

}  // namespace tracefn
