// Vectors of 64 bytes on every instruction set, so that all kernel libraries give the same bits. Included by the reduce
// *.kernels.cpp only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tracefn {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kRegisterBytes = 32;
#else
constexpr std::size_t kRegisterBytes = 16;
#endif

// 64 bytes of numbers, in as many registers as the instruction set needs: compilers split wider vectors poorly.
template <typename T>
struct Lanes {
  static constexpr std::int64_t kCount = 64 / sizeof(T);
  static constexpr std::size_t kRegisters = 64 / kRegisterBytes;
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  struct Vector {
    Register r[kRegisters];
  };
};

// Applies f to each register: unrolled, since compilers keep in memory what a loop indexes.
template <typename F>
[[gnu::always_inline]] inline void for_registers(const F& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (f(std::integral_constant<std::size_t, i>{}), ...); }
  (std::make_index_sequence<64 / kRegisterBytes>{});
}

template <typename Acc, typename In>
[[gnu::always_inline]] inline typename Lanes<Acc>::Vector load(const In* x) {
  typename Lanes<Acc>::Vector v;
  if constexpr (std::is_same_v<Acc, In>) {
    for_registers([&](auto i) { std::memcpy(&v.r[i], x + i * kRegisterBytes / sizeof(Acc), kRegisterBytes); });
  } else {
    Acc wide[Lanes<Acc>::kCount];
    for (std::int64_t i = 0; i < Lanes<Acc>::kCount; ++i) wide[i] = static_cast<Acc>(x[i]);
    std::memcpy(&v, wide, sizeof(v));
  }
  return v;
}

template <typename Acc>
[[gnu::always_inline]] inline void store(const typename Lanes<Acc>::Vector& v, Acc* y) {
  for_registers([&](auto i) { std::memcpy(y + i * kRegisterBytes / sizeof(Acc), &v.r[i], kRegisterBytes); });
}

}  // namespace
}  // namespace tracefn
