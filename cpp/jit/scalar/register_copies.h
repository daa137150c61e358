// Copies between tensors of few elements and the registers that hold them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "jit/scalar/bytecode.h"

namespace tracefn::scalar {
namespace register_copies {

// `copy` gets a function that moves one element of `bytes` bytes: one move, as their number is known there.
template <typename Copy>
void of_size(std::size_t bytes, Copy copy) {
  switch (bytes) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>());
    case 2:
      return copy(std::integral_constant<std::size_t, 2>());
    case 4:
      return copy(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy(std::integral_constant<std::size_t, 8>());
    default:
      TRACEFN_CHECK(bytes == sizeof(Register));
      return copy(std::integral_constant<std::size_t, sizeof(Register)>());
  }
}

}  // namespace register_copies

// The elements at `from`, of `bytes` bytes each, to the slots in their order.
inline void copy_to_registers(const void* from, std::size_t bytes, std::span<const Slot> slots, Register* registers) {
  if (slots.empty()) return;
  register_copies::of_size(bytes, [&](auto size) {
    const auto* at = static_cast<const unsigned char*>(from);
    for (const Slot s : slots) {
      std::memcpy(registers[s].bytes, at, size());
      at += size();
    }
  });
}

// And back.
inline void copy_from_registers(const Register* registers, std::span<const Slot> slots, std::size_t bytes, void* to) {
  if (slots.empty()) return;
  register_copies::of_size(bytes, [&](auto size) {
    auto* at = static_cast<unsigned char*>(to);
    for (const Slot s : slots) {
      std::memcpy(at, registers[s].bytes, size());
      at += size();
    }
  });
}

}  // namespace tracefn::scalar
