// The installed hook.
#include "exec/interrupt.h"

namespace tracefn {
namespace {
std::atomic<Interrupt*> installed{nullptr};
}

Interrupt* process_interrupt() { return installed.load(std::memory_order_acquire); }
void set_process_interrupt(Interrupt* interrupt) { installed.store(interrupt, std::memory_order_release); }

}  // namespace tracefn
