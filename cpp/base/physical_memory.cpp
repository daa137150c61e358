#include "base/physical_memory.h"

#include <unistd.h>

namespace tracefn {

std::size_t physical_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

}  // namespace tracefn
