// The error of a missing gradient rule.
#include "ops/without_gradient.h"

#include "base/error.h"
#include "ops/gradient.h"
#include "ops/op_def.h"

namespace tracefn {

void without_gradient(GradContext& c) {
  fail(ErrorKind::kLookup, "gradient registry has no entry for: ", c.op().name());
}

}  // namespace tracefn
