// Ctrl-C during long work: the hook of base/poll.h, made of Python's signal handling.
#pragma once

namespace tracefn::bind {

// Installs the hook. Needs the GIL.
void init_interrupt();

}  // namespace tracefn::bind
