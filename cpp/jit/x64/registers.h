// Register allocation: which slots live in machine registers, and where their values are at any time.
#pragma once

#include <optional>
#include <vector>

#include "jit/scalar/liveness.h"
#include "jit/x64/assembler.h"

namespace tracefn::machine_code {

// Reserved while the code runs; the rest is allocated to slots.
inline constexpr Gpr kRegisters = Gpr::rbx, kBudget = Gpr::r15;
// rax, rcx, rdx, xmm0, xmm1 and xmm2 are scratch registers of one instruction.

struct Location {
  enum Kind : std::uint8_t { kMemory, kGpr, kXmm, kImmediate } kind = kMemory;
  std::uint8_t reg = 0;
  std::int32_t value = 0;  // of immediates
  Type type = Type::kNone;
  bool written = false;  // by an instruction; others keep their initial value
};

// For a loop's code. `constants` says of each slot whether its value is known at compile time.
std::vector<Location> assign_locations(std::span<const scalar::BytecodeInstruction> instructions,
                                       std::span<const Operation> operations, std::span<const scalar::Register> initial,
                                       const std::vector<char>& constants, const Liveness& live);

// Whether the register is caller-saved.
bool is_lost_in_calls(const Location& where);

}  // namespace tracefn::machine_code
