// The TargetScopes open on this thread, for contexts whose ends are not C++'s: one may end only inside of the scope
// that it began in.
#pragma once

#include <cstdint>

namespace tracefn {

// Names the innermost open TargetScope of this thread; 0: none is open. No two scopes of a thread have one name.
std::uint64_t innermost_target_scope();

// Whether the scope of that name is still open on this thread; 0 always is.
bool target_scope_is_open(std::uint64_t name);

}  // namespace tracefn
