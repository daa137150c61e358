// ScalarTranslator: compiles bytecode to machine code, instruction by instruction. Values are where `locations` says; a
// fixed register that holds another slot is spilled before it is overwritten. Used once, by one thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "jit/scalar/code_call.h"
#include "jit/x64/registers.h"

namespace tracefn::machine_code {

class ScalarTranslator {
 public:
  // All of it must outlive the ScalarTranslator. `results` are written back to memory at the end.
  ScalarTranslator(std::span<const scalar::BytecodeInstruction> instructions, std::span<const Operation> operations,
                   std::span<const Location> locations, const Liveness& live, std::span<const scalar::Slot> results,
                   bool has_avx);
  // A function of the type Entry.
  std::vector<std::uint8_t> translate();

 private:
  using Slot = scalar::Slot;
  using BytecodeInstruction = scalar::BytecodeInstruction;

  // translator.cpp: the frame, jumps, moves and calls.
  void enter();
  void leave();
  void instruction(std::size_t i);
  bool is_dead(std::size_t i) const;
  std::size_t selections_of(std::size_t i) const;
  void selections(std::size_t i, std::size_t n);
  void move(const BytecodeInstruction& s);
  void jump(std::size_t i);
  void ask(std::size_t i);
  void kernel_call(std::size_t i);
  // Around what may change all registers that calls may: spills what lives on, and what the instruction reads; and
  // loads it, and the result.
  void spill_for_call(std::size_t i);
  void reload_after_call(std::size_t i);
  bool lives_on(std::size_t i, Slot slot) const;
  // Calls `function` with the registers that `arguments` sets up, everything live being spilled; jumps to the end if it
  // returns anything but 0.
  void call(std::size_t i, const void* function, const std::function<void()>& arguments);
  void check_call(std::size_t i);  // jumps to the end unless eax is 0
  void spill(Slot s);
  void reload(Slot s);
  void fail(std::size_t i, int status);  // out of line
  // Emitted behind the code.
  void out_of_line(std::function<void()> code) { pending_.push_back(std::move(code)); }

  // translator_lists.cpp
  void list(std::size_t i);
  Mem list_field(std::uint32_t list, std::size_t offset) const;
  void load_element(const Mem& element, std::size_t bytes, Slot out);
  void store_element(const Mem& element, std::size_t bytes, Slot value);
  void list_call(std::size_t i);
  // translator_arrays.cpp: rows.
  void array(std::size_t i);
  // Number in[0] + offset of the array; rdx is part of it, and maybe rax.
  Mem element(const BytecodeInstruction& s);
  void check_index(std::size_t i);
  void own(std::size_t i);
  void add_or_remove_row(std::size_t i);
  void array_call(std::size_t i);
  // translator_works.cpp
  void find_works();
  void work(std::size_t i);
  void part_of_work(std::size_t i, std::size_t number);
  void copies(const scalar::CodeCall& call, std::span<const scalar::CodeCall::Copy> copies, std::int32_t copies_at);
  // May overwrite rax; r11 points to the lists.
  void place_address(Gpr to, const scalar::CodeCall::Place& place, std::int32_t copies_at);

  // translator_integers.cpp: int32, int64 and bool.
  void integer(std::size_t i);
  void add(const BytecodeInstruction& s, Width w);
  void subtract(const BytecodeInstruction& s, Width w);
  void multiply(const BytecodeInstruction& s, Width w);
  void add_scaled(const BytecodeInstruction& s, Width w);
  void bitwise(Alu op, const BytecodeInstruction& s, Type t);
  void divide(std::size_t i, Width w);
  bool divide_by_shift(const BytecodeInstruction& s, MachineOp op, Width w);
  void extreme(MachineOp op, const BytecodeInstruction& s, Width w);

  // translator_floats.cpp
  void floating(const BytecodeInstruction& s, const Operation& o);
  void arithmetic(Sse op, const BytecodeInstruction& s, Form form);
  void multiply_add(const BytecodeInstruction& s, Form form);
  void extreme_floating(MachineOp op, const BytecodeInstruction& s, Form form);
  void blend(Slot a, Slot b, Slot out, Form form);
  void select_floating(const BytecodeInstruction& s, Form form);
  // The bits of xmm0: whether the comparison of floats holds.
  void compare_to_mask(const BytecodeInstruction& s, const Operation& o);
  void cast(const BytecodeInstruction& s);

  // translator_four.cpp: four numbers at once.
  void four(std::size_t i);
  void four_integers(const BytecodeInstruction& s, const Operation& o);
  void packed(PackedInteger op, const BytecodeInstruction& s);
  void invert_masks(Slot out);  // those in xmm0
  void compare_four(const BytecodeInstruction& s, const Operation& o);
  void cast_four(const BytecodeInstruction& s);
  void broadcast(const BytecodeInstruction& s, Type from);
  void insert(const BytecodeInstruction& s, Type of);
  void extract(const BytecodeInstruction& s, Type of);
  void load_masks(const Mem& from, Slot out);
  void store_masks(const Mem& to, Slot value);

  // translator_flags.cpp: comparisons of all types.
  struct Flags {
    Condition condition = Condition::not_equal;
    enum Parity : std::uint8_t { kIgnored, kAndOrdered, kOrUnordered } parity = kIgnored;
  };
  Flags compare(MachineOp op, Slot a, Slot b, Type t);
  Flags compare_integers(MachineOp op, Slot a, Slot b, Type t);
  Flags compare_floats(MachineOp op, Slot a, Slot b, Form form);
  Flags truth(Slot condition);
  void put_flags(Flags flags, Slot out);
  void select_integer(const BytecodeInstruction& s, Flags flags);  // the flags test one condition
  void jump_if(Flags flags, Label to);
  void jump_unless(Flags flags, Label to);

  // In the frame: the Run and the lists, as passed to the code.
  static constexpr Mem kRunAt{Gpr::rsp, 0}, kListsAt{Gpr::rsp, 8};
  static constexpr Gpr kList = Gpr::rcx;      // points to the lists during an instruction
  static constexpr std::int32_t kFrame = 24;  // keeps the stack at a multiple of 16
  std::int32_t frame_ = kFrame;               // with what work needs above it
  // Of loads and stores one after the other: the array whose data rdx points to.
  static constexpr std::uint32_t kNoList = 0xffffffff;
  std::uint32_t data_in_rdx_ = kNoList;

  // Locations of slots.
  static Mem in_memory(Slot s) { return {kRegisters, static_cast<std::int32_t>(s * sizeof(scalar::Register))}; }
  Rm place(Slot s) const;
  bool is_immediate(Slot s) const { return locations_[s].kind == Location::kImmediate; }
  std::int32_t value(Slot s) const { return locations_[s].value; }
  // The result's register, or that one if the result is in memory.
  Gpr target(Slot out, Gpr otherwise) const;
  Xmm target(Slot out, Xmm otherwise) const;
  void get(Gpr to, Slot s, Type t);
  void get(Xmm to, Slot s, Form form);
  void put(Slot out, Gpr from, Type t);
  void put(Slot out, Xmm from, Form form);
  // Of 1 to 8 bytes.
  void load(Gpr to, const Mem& from, std::size_t bytes);
  void load(Gpr to, const Mem& from, Type t);
  // A narrow integer's low bits as its value.
  void extend(Gpr to, const Rm& from, Type t);
  void store(const Mem& to, Gpr from, std::size_t bytes);
  // The slot's register, or `otherwise` after loading the value into it.
  Gpr in_gpr(Slot s, Gpr otherwise, Type t);
  Xmm in_xmm(Slot s, Xmm otherwise, Form form);

  std::span<const BytecodeInstruction> instructions_;
  std::span<const Operation> operations_;
  std::span<const Location> locations_;
  const Liveness& live_;
  std::span<const Slot> results_;
  std::vector<std::vector<scalar::CodeCall>> calls_;  // by instruction: the parts of its work
  std::vector<char> is_target_;                       // by instruction, and for the end: whether it is a jump target
  Assembler asm_;
  std::vector<Label> labels_;  // of the same
  Label epilogue_;
  std::vector<std::function<void()>> pending_;
};

inline Form form_of(Type t) { return t == Type::kDouble ? Form::sd : is_four(t) ? Form::ps : Form::ss; }
inline Width width_of(Type t) { return t == Type::kInt64 || t == Type::kDouble ? Width::k64 : Width::k32; }

}  // namespace tracefn::machine_code
