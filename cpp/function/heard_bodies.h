// Conditionals, loops and calls that run eagerly while tapes record.
#pragma once

namespace tracefn {

// Makes the eager target run them so that tapes can differentiate them; once, at start.
void register_heard_bodies();

}  // namespace tracefn
