// The machine's memory in bytes: larger requests are rejected before they are allocated. Any thread may call.
#pragma once

#include <cstddef>

namespace tracefn {

std::size_t physical_memory();

}  // namespace tracefn
