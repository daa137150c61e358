// Allocator: linear register allocation. When registers run out, the value whose next use is furthest is evicted
// (Belady, 1966), with a bias to values that need no spill. Constants and scalar sources need no register where an
// operand may be in memory; registers the program never needs hold the most common of them over the whole loop. Used
// once, by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "jit/vector/allocation.h"
#include "jit/vector/interleave.h"
#include "jit/vector/register_file.h"
#include "jit/vector/uses.h"

namespace tracefn::vector_code {

class Allocator {
 public:
  Allocator(const LaneProgram& program, std::uint64_t scalars, int num_vectors, const VectorTarget& target);
  Allocation allocate();

 private:
  static constexpr std::uint8_t kNowhere = 0xFF;
  struct Value {
    std::uint8_t reg = kNowhere;
    MachineOperand home = {};  // its spill slot or source, so that it need not be spilled again
  };

  // allocator.cpp: the walk.
  void find_homes();
  void instructions_to(Id end);
  void keep_uniforms();
  void instruction(const LaneInstruction& made);
  void compute(const LaneInstruction& made);
  void combine_three(const LaneInstruction& made);
  void begin_skip(const LaneInstruction& made);
  void end_skip();
  bool is_uniform(Id value) const { return value < copies_.num_uniform; }
  bool is_zero(Id value) const;

  // allocator_registers.cpp: where values are.
  // Whether it is in a mask register.
  bool is_in_mask(Id value) const { return target_.has_masks() && is_mask(instructions_[value].op); }
  RegisterFile& file_of(Id value) { return is_in_mask(value) ? masks_ : vectors_; }
  bool is_last_use(Id value) const { return uses_.last(value) == now_; }
  bool in_register(Id value) const { return values_[value].reg != kNowhere; }
  // A free register, evicting a value if necessary.
  std::uint8_t take(RegisterFile& file);
  void make_room(RegisterFile& file);
  // To its home. Within steps that may be skipped, what was made before them is saved before the jump.
  void save(Id value);
  bool is_before_skip(Id value) const { return in_skip_ && value < skip_; }
  // A scratch register for one step, on a target with mask registers.
  std::uint8_t scratch();
  // Into a register not yet assigned to the value.
  void load(Id value, std::uint8_t to);
  // Assigns the register to the value.
  void settle(Id value, std::uint8_t reg);
  // Whether it is best read from memory, by an instruction that can.
  bool in_memory(Id value) const;
  // As an operand of the current instruction.
  MachineOperand to_register(Id value);
  MachineOperand to_operand(Id value) { return in_memory(value) ? values_[value].home : to_register(value); }
  // After the operands are assigned; the result may reuse an operand's register.
  void pass_inputs(const LaneInstruction& made);
  // After its last use. A second call does nothing.
  void leave(Id value);
  void leave_register(Id value);

  const VectorTarget& target_;
  const Interleaved copies_;
  const std::vector<LaneInstruction>& instructions_ = copies_.instructions;
  Uses uses_;
  std::vector<Value> values_;
  std::vector<Id> uniform_values_;
  RegisterFile vectors_{0, target_.num_vectors}, masks_{target_.first_mask, target_.num_masks};
  Id now_ = 0;
  // The jump over the current steps, if there is one; its step; and which registers values were in there.
  bool in_skip_ = false;
  Id skip_ = 0;
  std::size_t skip_step_ = 0;
  std::vector<std::uint8_t> in_registers_;
  Allocation result_;
};

}  // namespace tracefn::vector_code
