// The TargetScopes open on this thread, for contexts that are not C++ scopes: one may end only inside the scope that it
// began in.
#pragma once

#include <cstdint>

namespace tracefn {

// The id of the innermost open TargetScope of this thread; 0: none is open. Ids are unique per thread.
std::uint64_t innermost_target_scope();

// Whether the scope with that id is still open on this thread; 0 always is.
bool target_scope_is_open(std::uint64_t name);

}  // namespace tracefn
