// None: this program has the runtime alone.
#include "hooks.h"

namespace tracefn::test {

RuntimeHooks hooks() { return {}; }

}  // namespace tracefn::test
