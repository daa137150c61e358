// The process-wide hook by which long loops learn that the user wants to stop (cpp/bind installs one that looks at
// Python's signals).
#pragma once

#include "ops/kernel.h"

namespace tracefn {

// Null when nobody has installed one. The hook may be called on any thread that runs a program.
Interrupt* process_interrupt();
// `interrupt` must live as long as the process; installed once, at start.
void set_process_interrupt(Interrupt* interrupt);

}  // namespace tracefn
