// Ctrl-C and other threads during long work: the hooks of base/poll.h and base/host_lock.h by Python's signals and GIL.
#pragma once

#include "base/host_lock.h"
#include "base/poll.h"

namespace tracefn::bind {

// Notes which thread is the main one. Needs the GIL; before python_signals() is used.
void init_interrupt();

bool is_main_thread();

// Signals as Python handles them, and the GIL, for a Runtime.
Interrupt& python_signals();
HostLock& python_lock();

}  // namespace tracefn::bind
