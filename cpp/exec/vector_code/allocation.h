// Allocation: a program whose values have been given registers, with the loads and saves that this takes. The steps
// are those of one trip through a loop over vectors, or over several at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/vector_code/program.h"
#include "exec/vector_code/uses.h"

namespace tracefn::vector_code {

struct Operand {
  enum Kind : std::uint8_t {
    kNone,
    kRegister,
    kSlot,     // of the stack, of a whole vector or a mask
    kUniform,  // a number that is the same for all elements
    kPlace,    // the elements there
  } kind = kNone;
  std::uint32_t index = 0;
};

struct Step {
  enum Kind : std::uint8_t {
    kCompute,   // what `op` does: in[0] to in[2] into `to`
    kLoad,      // in[0] into `to`
    kLoadMask,  // the same of masks
    kSave,      // the register in[0] to in[1]
    kSaveMask,
  } kind;
  Op op = Op::kSource;
  std::uint8_t to = 0;
  std::uint8_t vector = 0;   // of those at hand the one that it is for
  std::uint8_t scratch = 0;  // a vector register that masks of bytes pass through
  // Of kMultiplyAdd and kChooseBits: which operand `to` is at first. The others are in[0] and in[1].
  std::uint8_t over = 0;
  bool swapped = false;  // in[0] and in[1] have changed places
  // Of operations on numbers the last may be in memory, of others all are in registers. A selection whose in[2] is
  // kNone makes zeros there.
  Operand in[3] = {};
  std::uint64_t bits = 0;  // as in the program
};

// What is the same for all elements.
struct Uniform {
  enum Kind : std::uint8_t {
    kConstant,  // `value`
    kPlace,     // which holds one element: of the number `value`
    kComputed,  // saved before the loop
  } kind = kConstant;
  std::uint64_t value = 0;
};

struct Allocation {
  Width width = Width::k32;
  int num_vectors = 1;
  std::vector<Step> before;  // the loop: what is the same for all elements
  std::vector<Step> steps;
  std::vector<Uniform> uniforms;
  std::vector<Uniform> uniform_masks;  // these are in the first slots of masks
  std::uint32_t num_slots = 0;         // of vectors
  std::uint32_t num_mask_slots = 0;
  Alive alive;
};

// Masks are in k2 to k7: k0 and k1 are left to the translator.
inline constexpr int kFirstMask = 2;
inline constexpr int kNumMasks = 6;
inline constexpr int kNumVectors = 32;

// Bit k of `scalars` says that place k holds one element.
Allocation allocate(const Program& program, std::uint64_t scalars);
// For so many vectors at once as are worth it and the registers suffice for; `single` is the program's allocation for
// one. Nothing if that is best.
std::optional<Allocation> allocate_interleaved(const Program& program, std::uint64_t scalars, const Allocation& single);

}  // namespace tracefn::vector_code
