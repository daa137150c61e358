// FlushSubnormals and KeepSubnormals: scopes that set the processor's handling of subnormal numbers on this thread.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tracefn {

namespace subnormals {
#if defined(__x86_64__)
using Mode = std::uint32_t;
inline constexpr Mode kFlush = 0x8040;  // flush results to zero, take inputs as zero
inline Mode get() { return _mm_getcsr(); }
inline void set(Mode mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
using Mode = std::uint64_t;
inline constexpr Mode kFlush = 1u << 24;  // FPCR.FZ
inline Mode get() {
  Mode mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void set(Mode mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
#error "tracefn runs on x86-64 and aarch64"
#endif

template <bool flush>
class Scope {
 public:
  Scope() : before_(get()) {
    Mode wanted = flush ? before_ | kFlush : before_ & ~kFlush;
    if (wanted != before_) set(wanted);
  }
  ~Scope() {
    if (get() != before_) set(before_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Mode before_;
};
}  // namespace subnormals

// While kernels run.
using FlushSubnormals = subnormals::Scope<true>;
// While a kernel calls the host language, or compares subnormal numbers, which are not zero.
using KeepSubnormals = subnormals::Scope<false>;

}  // namespace tracefn
