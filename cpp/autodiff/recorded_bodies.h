// Recording of conditionals, loops and calls that run eagerly under tapes.
#pragma once

namespace tracefn {

// Installs it in the eager target; once, at startup.
void register_recorded_bodies();

}  // namespace tracefn
