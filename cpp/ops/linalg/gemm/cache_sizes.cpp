// Asks the C library.
#include "ops/linalg/gemm/cache_sizes.h"

#include <unistd.h>

#include <algorithm>

namespace tracefn {
namespace {

#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
std::int64_t size_or(int name, std::int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}
#endif

CacheSizes read_sizes() {
  constexpr std::int64_t kSecond = std::int64_t{512} << 10, kLast = std::int64_t{8} << 20;
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  const std::int64_t second = size_or(_SC_LEVEL2_CACHE_SIZE, kSecond);
  return {second, std::max(second, size_or(_SC_LEVEL3_CACHE_SIZE, kLast))};
#else
  return {kSecond, kLast};
#endif
}

}  // namespace

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = read_sizes();
  return sizes;
}

}  // namespace tracefn
