// Ctrl-C during long loops: the hook of exec/interrupt.h, made of Python's signal handling.
#pragma once

namespace tracefn::bind {

// Installs the hook. Needs the GIL.
void init_interrupt();

}  // namespace tracefn::bind
