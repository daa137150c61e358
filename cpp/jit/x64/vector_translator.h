// VectorTranslator: compiles a program to two loops, one over whole vectors, and one over the remainder, where masks
// select the lanes. Used once, by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "jit/vector/allocation.h"
#include "jit/x64/vector_assembler.h"

namespace tracefn::vector_code {

// The code's signature: as VectorCode::run().
using Entry = std::int64_t (*)(void* const* places, std::int64_t n);

class VectorTranslator {
 public:
  // `single` is for one vector, `whole` for as many at once as the first loop processes. Both must outlive the
  // VectorTranslator.
  VectorTranslator(const Allocation& whole, const Allocation& single);
  std::vector<std::uint8_t> translate();

 private:
  // translator.cpp: the frame, the loop and locations.
  void loop_over_whole_vectors();
  void loop_over_rest();
  void choose_pointers();
  void enter();
  void leave();
  void fill_uniforms();
  void write_data();
  std::int32_t number_bytes() const { return width_ == LaneWidth::k32 ? 4 : 8; }
  std::int32_t lanes() const { return 64 / number_bytes(); }
  Mem numbers(std::uint64_t place, int vector) { return element(place, vector, number_bytes()); }
  Mem bytes(std::uint64_t place, int vector) { return element(place, vector, 1); }
  Mem element(std::uint64_t place, int vector, std::int32_t size);
  Mem slot(std::uint64_t number) const;
  Mem mask_slot(std::uint64_t number) const;
  Mem uniform(std::uint32_t number) const { return uniforms_[number]; }

  // translator_steps.cpp: the operations on a vector. `is_full` says that all lanes are used; else those in k1.
  void step(const MachineInstruction& s, bool is_full);
  void compute(const MachineInstruction& s, bool is_full);
  void load_mask(const MachineInstruction& s, bool is_full);
  void guard(const MachineInstruction& s, bool is_full);
  void store_mask(const MachineInstruction& s, bool is_full);
  VectorOperand operand(const MachineOperand& from) const;

  const Allocation &whole_, &single_;
  const LaneWidth width_;
  VectorAssembler a_;
  Label rest_, exit_, ones_, element_masks_;
  std::vector<Mem> uniforms_;
  std::vector<Gpr> pointers_;  // by place; rsp if it has none
  std::vector<Gpr> saved_;
  std::int32_t mask_slots_at_ = 0, saved_at_ = 0, old_stack_at_ = 0, n_at_ = 0;
  std::int32_t frame_ = 0;
};

}  // namespace tracefn::vector_code
