// Allocation: a program after register allocation, with its loads and spills. The steps are one iteration of a loop
// over vectors, or over several at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jit/vector/program.h"
#include "jit/vector/target.h"
#include "jit/vector/uses.h"

namespace tracefn::vector_code {

struct MachineOperand {
  enum Kind : std::uint8_t {
    kNone,
    kRegister,
    kSlot,     // stack slot, of a whole vector or a mask
    kUniform,  // a number that is the same for all elements, or a mask in a vector
    kPlace,    // the elements at that place
  } kind = kNone;
  std::uint32_t index = 0;
};

struct MachineInstruction {
  enum Kind : std::uint8_t {
    kCompute,   // computes `op` of in[0] to in[2] into `to`
    kLoad,      // in[0] into `to`
    kLoadMask,  // the same for masks: in mask registers, or from bytes
    kSpill,     // spills the register in[0] to in[1]
    kSpillMask,
  } kind;
  LaneOp op = LaneOp::kSource;
  std::uint8_t to = 0;
  std::uint8_t vector = 0;   // which of the current vectors it is for
  std::uint8_t scratch = 0;  // a vector register that bytes pass through on their way to or from a mask register
  // For kMultiplyAdd and kChooseBits: which operand `to` initially holds. The others are in[0] and in[1].
  std::uint8_t over = 0;
  bool swapped = false;  // in[0] and in[1] are exchanged
  // For operations on numbers the last operand may be in memory; for others all are in registers. A select whose in[2]
  // is kNone writes zeros there.
  MachineOperand in[3] = {};
  std::uint64_t bits = 0;  // as in the program
};

// Uniform values: the same for all elements.
struct Uniform {
  enum Kind : std::uint8_t {
    kConstant,  // `value`
    kPlace,     // which holds one element: number `value`
    kComputed,  // spilled before the loop
  } kind = kConstant;
  std::uint64_t value = 0;
  bool is_mask = false;
};

struct Allocation {
  VectorTarget target = kAvx512;
  LaneWidth width = LaneWidth::k32;
  int num_vectors = 1;
  std::vector<MachineInstruction> before;  // before the loop: uniform values
  std::vector<MachineInstruction> steps;
  std::vector<Uniform> uniforms;
  std::vector<Uniform> uniform_masks;  // in mask registers; these are in the first mask slots
  std::uint32_t num_slots = 0;         // of vectors
  std::uint32_t num_mask_slots = 0;
  Alive alive;
};

// Bit k of `scalars` says that place k holds one element.
Allocation allocate(const LaneProgram& program, std::uint64_t scalars, const VectorTarget& target);
// For the number of interleaved vectors that pays off and that the registers suffice for, on the target of `single`,
// the program's allocation for one. Nothing if one is best.
std::optional<Allocation> allocate_interleaved(const LaneProgram& program, std::uint64_t scalars,
                                               const Allocation& single);

}  // namespace tracefn::vector_code
