// Installs the hooks.
#include "runtime/runtime.h"

#include "exec/eager.h"
#include "ops/emit.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

RuntimeHooks install(const RuntimeHooks& hooks) {
  RuntimeHooks previous;
  previous.interrupt = set_process_interrupt(hooks.interrupt);
  previous.host_lock = set_process_host_lock(hooks.host_lock);
  previous.print_sink = set_print_sink(hooks.print_sink);
  previous.image_codecs = set_image_codecs(hooks.image_codecs);
  previous.gradient_fallback = set_gradient_fallback(hooks.gradient_fallback);
  previous.body_gradients = set_body_gradients(hooks.body_gradients);
  previous.recorded_bodies = set_recorded_bodies(hooks.recorded_bodies);
  return previous;
}

}  // namespace

Runtime::Runtime(const RuntimeHooks& hooks) : previous_(install(hooks)) { set_default_target(&EagerTarget::get()); }

Runtime::~Runtime() { install(previous_); }

}  // namespace tracefn
