// Ctrl-C during long work: implements the hook of base/poll.h by Python's signal handling.
#pragma once

namespace tracefn::bind {

// Installs the hook. Needs the GIL.
void init_interrupt();

}  // namespace tracefn::bind
