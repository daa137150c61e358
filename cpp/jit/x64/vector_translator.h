// VectorTranslator: compiles a program to a loop over rows, with two loops in it: one over whole vectors, and one over
// the remainder, for some of the lanes, or as a last whole vector. What a step is on an instruction set is for the
// derived classes. Used once, by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jit/vector/allocation.h"
#include "jit/x64/vector_assembler.h"

namespace tracefn::vector_code {

class VectorTranslator {
 public:
  virtual ~VectorTranslator() = default;
  VectorTranslator(const VectorTranslator&) = delete;
  VectorTranslator& operator=(const VectorTranslator&) = delete;
  std::vector<std::uint8_t> translate();

 protected:
  // `single` is for one vector, `whole` for as many at once as the first loop processes. Both must outlive the
  // VectorTranslator.
  // `overlaps`: see VectorCode::translate().
  VectorTranslator(const Allocation& whole, const Allocation& single, bool overlaps)
      : whole_(whole), single_(single), width_(single.width), overlaps_(overlaps) {}

  // The derived class's assembler.
  virtual VectorAssembler& general() = 0;
  // The kinds of steps. `is_full` says that all lanes are used; else those chosen last.
  virtual void compute(const MachineInstruction& s, bool is_full) = 0;
  virtual void load(const MachineInstruction& s, bool is_full) = 0;
  virtual void load_mask(const MachineInstruction& s, bool is_full) = 0;
  virtual void spill(const MachineInstruction& s) = 0;
  virtual void spill_mask(const MachineInstruction& s) = 0;
  // Chooses the first kLimit lanes, one or more, for the steps that follow. May overwrite kLimit and kFree.
  virtual void choose_lanes() = 0;
  // Takes what it needs of the frame.
  virtual void lay_out_frame() = 0;
  // Copies scalar sources to the frame, also so that no store changes them, and writes uniform masks.
  virtual void fill_uniforms() = 0;
  // Emits, behind the code, constants and what else is at labels.
  virtual void write_data() = 0;

  // Registers with a use of their own: the places, the first element of the current vector, and two that are free,
  // except in the first loop, where kLimit holds the last element that an iteration can start at.
  static constexpr Gpr kPlaces = Gpr::rdi, kIndex = Gpr::rax, kLimit = Gpr::rsi, kFree = Gpr::rcx;
  static constexpr std::int32_t kWordBytes = 8;

  static Mem at(Label label);
  static Mem in_frame(std::int32_t offset) { return {Gpr::rsp, offset}; }
  static Mem pointer_to(std::uint64_t place) { return {kPlaces, static_cast<std::int32_t>(place * kWordBytes)}; }
  // Reserves bytes of the frame: their offset.
  std::int32_t take_frame(std::size_t bytes);
  // Words or vectors, in memory, that are the same for all elements: a label's, or in the frame.
  void place_uniforms(std::size_t bytes);
  Mem uniform(std::uint32_t number) const { return uniforms_[number]; }
  bool has_guards() const;
  // The operation on two vectors that a step is.
  static Binary binary_of(LaneOp op);
  static Comparison comparison_of(const MachineInstruction& s);
  static MultiplyAdd multiply_add_of(const MachineInstruction& s);
  static Rounding rounding_of(LaneOp op);
  // kFree becomes all ones if the byte at that place is not zero, else zero.
  void load_condition(std::uint64_t place);

  std::int32_t number_bytes() const { return width_ == LaneWidth::k8 ? 1 : width_ == LaneWidth::k32 ? 4 : 8; }
  std::int32_t lanes() const { return single_.target.vector_bytes / number_bytes(); }
  // Elements of the place for one of the current vectors. May overwrite kFree.
  Mem numbers(std::uint64_t place, int vector) { return element(place, vector, number_bytes()); }
  Mem bytes(std::uint64_t place, int vector) { return element(place, vector, 1); }
  Mem slot(std::uint64_t number) const;

  const Allocation &whole_, &single_;
  const LaneWidth width_;
  // Behind the steps that the last jump skips.
  Label behind_skip_{};
  Label rest_, exit_;  // where the loop over the remainder begins, and where the function ends

 private:
  void step(const MachineInstruction& s, bool is_full);
  void loop_over_whole_vectors();
  void loop_over_rest();
  void last_whole_vector(Label done);
  void next_row(Label row);
  void choose_pointers();
  void enter();
  void leave();
  Mem element(std::uint64_t place, int vector, std::int32_t size);

  const bool overlaps_;
  std::vector<Mem> uniforms_;
  std::vector<Gpr> pointers_;          // by place; rsp if it has none
  std::vector<std::uint64_t> places_;  // all that the program reads or stores
  std::vector<Gpr> saved_;
  std::int32_t saved_at_ = 0, old_stack_at_ = 0, n_at_ = 0, steps_at_ = 0, rows_at_ = 0;
  std::int32_t frame_ = 0;
};

}  // namespace tracefn::vector_code
