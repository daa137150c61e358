// The machine's memory in bytes: what asks for more is refused before it is allocated. Any thread may call.
#pragma once

#include <cstddef>

namespace tracefn {

std::size_t physical_memory();

}  // namespace tracefn
