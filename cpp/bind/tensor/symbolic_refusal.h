// The error for reading the value of a symbolic tensor.
#pragma once

#include <string_view>

namespace tracefn::bind {

// OperatorNotAllowedInGraphError: "`action` is not allowed. You can attempt ...".
[[noreturn]] void refuse_symbolic(std::string_view action);

}  // namespace tracefn::bind
