// rdi holds the places, rax the first element of the current vector; rsi and rcx are scratch, except in the first loop,
// where rsi holds the last element that an iteration can start at. The frame has from rsp on: spill slots of vectors,
// scalar sources, slots of masks, saved registers.
#include "jit/x64/vector_translator.h"

#include <algorithm>

namespace tracefn::vector_code {
namespace {

using machine_code::Alu;
using machine_code::Condition;
using machine_code::Rm;
using machine_code::Shift;

constexpr Gpr kPlaces = Gpr::rdi, kLimit = Gpr::rsi, kIndex = Gpr::rax, kFree = Gpr::rcx;
// For pointers. The later ones are callee-saved.
constexpr Gpr kPointers[] = {Gpr::rdx, Gpr::r8,  Gpr::r9,  Gpr::r10, Gpr::r11, Gpr::rbx,
                             Gpr::rbp, Gpr::r12, Gpr::r13, Gpr::r14, Gpr::r15};
constexpr std::size_t kNumLostPointers = 5;
constexpr std::int32_t kVectorBytes = 64;
constexpr std::int32_t kWordBytes = 8;
constexpr std::int32_t kPageBytes = 4096;

Mem at(Label label) {
  Mem memory;
  memory.at_label = true;
  memory.label = label;
  return memory;
}
Mem in_frame(std::int32_t offset) { return {Gpr::rsp, offset}; }
Mem pointer_to(std::uint64_t place) { return {kPlaces, static_cast<std::int32_t>(place * kWordBytes)}; }

}  // namespace

VectorTranslator::VectorTranslator(const Allocation& whole, const Allocation& single)
    : whole_(whole),
      single_(single),
      width_(single.width),
      rest_(a_.new_label()),
      exit_(a_.new_label()),
      ones_(a_.new_label()),
      element_masks_(a_.new_label()) {}

std::vector<std::uint8_t> VectorTranslator::translate() {
  choose_pointers();
  enter();
  loop_over_whole_vectors();
  loop_over_rest();
  leave();
  write_data();
  return a_.finish();
}

void VectorTranslator::loop_over_whole_vectors() {
  const Label again = a_.new_label();
  const std::int32_t num_elements = whole_.num_vectors * lanes();
  a_.alu(Alu::xor_, GprWidth::k32, kIndex, kIndex);
  for (const MachineInstruction& s : single_.before)
    if (&whole_ == &single_) step(s, true);
  a_.alu(Alu::sub, GprWidth::k64, Rm(kLimit), num_elements);
  a_.jump(Condition::sign, rest_);
  for (const MachineInstruction& s : whole_.before)
    if (&whole_ != &single_) step(s, true);
  a_.align(32);
  a_.bind(again);
  for (const MachineInstruction& s : whole_.steps) step(s, true);
  a_.alu(Alu::add, GprWidth::k64, Rm(kIndex), num_elements);
  a_.alu(Alu::cmp, GprWidth::k64, kIndex, kLimit);
  a_.jump(Condition::less_equal, again);
}

void VectorTranslator::loop_over_rest() {
  const Label again = a_.new_label(), partial = a_.new_label(), done = a_.new_label();
  a_.bind(rest_);
  for (const MachineInstruction& s : single_.before)
    if (&whole_ != &single_) step(s, true);
  a_.bind(again);
  // The remainder. After a failed guard it may be long.
  a_.mov(GprWidth::k64, kLimit, in_frame(n_at_));
  a_.alu(Alu::sub, GprWidth::k64, kLimit, kIndex);
  a_.jump(Condition::less_equal, done);
  a_.alu(Alu::cmp, GprWidth::k64, Rm(kLimit), lanes());
  a_.jump(Condition::less_equal, partial);
  a_.mov(kLimit, lanes());
  a_.bind(partial);
  a_.lea(GprWidth::k64, kFree, at(element_masks_));
  a_.mask_load(Mask{1}, {kFree, 0, kLimit, 2});
  for (const MachineInstruction& s : single_.steps) step(s, false);
  a_.alu(Alu::add, GprWidth::k64, Rm(kIndex), lanes());
  a_.jump(again);
  a_.bind(done);
  a_.mov(GprWidth::k64, kIndex, in_frame(n_at_));
  a_.bind(exit_);
}

void VectorTranslator::choose_pointers() {
  std::size_t given = 0;
  const auto want = [&](std::uint64_t place) {
    if (place >= pointers_.size()) pointers_.resize(place + 1, Gpr::rsp);
    if (pointers_[place] != Gpr::rsp || given == std::size(kPointers)) return;
    if (given >= kNumLostPointers) saved_.push_back(kPointers[given]);
    pointers_[place] = kPointers[given++];
  };
  for (const MachineInstruction& s : single_.steps) {
    if (s.kind == MachineInstruction::kCompute && (s.op == LaneOp::kStore || s.op == LaneOp::kMaskStore)) want(s.bits);
    if (s.in[0].kind == MachineOperand::kPlace) want(s.in[0].index);
  }
}

void VectorTranslator::enter() {
  std::int32_t bytes = static_cast<std::int32_t>(std::max(whole_.num_slots, single_.num_slots)) * kVectorBytes;
  const auto words = [&](std::size_t count) {
    const std::int32_t begin = bytes;
    bytes += static_cast<std::int32_t>(count) * kWordBytes;
    return begin;
  };
  uniforms_.reserve(single_.uniforms.size());
  for (const Uniform& u : single_.uniforms)
    uniforms_.push_back(u.kind == Uniform::kConstant ? at(a_.new_label()) : in_frame(words(1)));
  mask_slots_at_ = words(std::max(whole_.num_mask_slots, single_.num_mask_slots));
  saved_at_ = words(saved_.size());
  old_stack_at_ = words(1);
  n_at_ = words(1);
  frame_ = (bytes + kVectorBytes - 1) / kVectorBytes * kVectorBytes;

  a_.mov(GprWidth::k64, kFree, Gpr::rsp);
  // Probes page by page, since a stack may end at a guard page.
  for (std::int32_t page = kPageBytes; page < frame_; page += kPageBytes)
    a_.mov(GprWidth::k64, Mem{Gpr::rsp, -page}, kFree);
  a_.alu(Alu::sub, GprWidth::k64, Rm(Gpr::rsp), frame_);
  a_.alu(Alu::and_, GprWidth::k64, Rm(Gpr::rsp), -kVectorBytes);
  a_.mov(GprWidth::k64, in_frame(old_stack_at_), kFree);
  a_.mov(GprWidth::k64, in_frame(n_at_), kLimit);
  for (std::size_t k = 0; k < saved_.size(); ++k)
    a_.mov(GprWidth::k64, in_frame(saved_at_ + static_cast<std::int32_t>(k) * kWordBytes), saved_[k]);
  fill_uniforms();
  for (std::size_t place = 0; place < pointers_.size(); ++place)
    if (pointers_[place] != Gpr::rsp) a_.mov(GprWidth::k64, pointers_[place], pointer_to(place));
}

// Copies scalar sources, also so that no store changes them, and writes uniform masks.
void VectorTranslator::fill_uniforms() {
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    const Uniform& u = single_.uniforms[k];
    if (u.kind != Uniform::kPlace) continue;
    const GprWidth w = width_ == LaneWidth::k32 ? GprWidth::k32 : GprWidth::k64;
    a_.mov(GprWidth::k64, kFree, pointer_to(u.value));
    a_.mov(w, kFree, Mem{kFree, 0});
    a_.mov(w, uniform(k), kFree);
  }
  for (std::uint32_t k = 0; k < single_.uniform_masks.size(); ++k) {
    const Uniform& u = single_.uniform_masks[k];
    if (u.kind == Uniform::kComputed) continue;
    if (u.kind == Uniform::kPlace) {
      a_.mov(GprWidth::k64, kFree, pointer_to(u.value));
      a_.movzx8(kFree, Mem{kFree, 0});
      // The negative of a nonzero byte has its sign bit set.
      a_.neg(GprWidth::k32, kFree);
      a_.shift(Shift::sar, GprWidth::k32, kFree, 31);
    } else {
      a_.mov(kFree, u.value ? -1 : 0);
    }
    a_.mov(GprWidth::k32, mask_slot(k), kFree);
  }
}

void VectorTranslator::leave() {
  a_.zero_upper();
  for (std::size_t k = 0; k < saved_.size(); ++k)
    a_.mov(GprWidth::k64, saved_[k], in_frame(saved_at_ + static_cast<std::int32_t>(k) * kWordBytes));
  a_.mov(GprWidth::k64, Gpr::rsp, in_frame(old_stack_at_));
  a_.ret();
}

void VectorTranslator::write_data() {
  a_.align(16);
  a_.bind(ones_);
  for (int k = 0; k < 2; ++k) a_.data(0x0101010101010101, 8);
  a_.bind(element_masks_);
  for (std::int32_t k = 0; k <= lanes(); ++k) a_.data((1U << k) - 1, 2);
  for (std::uint32_t k = 0; k < single_.uniforms.size(); ++k) {
    if (single_.uniforms[k].kind != Uniform::kConstant) continue;
    a_.bind(uniforms_[k].label);
    a_.data(single_.uniforms[k].value, static_cast<unsigned>(number_bytes()));
  }
}

Mem VectorTranslator::element(std::uint64_t place, int vector, std::int32_t size) {
  Gpr pointer = pointers_[place];
  if (pointer == Gpr::rsp) {
    pointer = kFree;
    a_.mov(GprWidth::k64, pointer, pointer_to(place));
  }
  return {pointer, vector * lanes() * size, kIndex, static_cast<std::uint8_t>(size)};
}
Mem VectorTranslator::slot(std::uint64_t number) const {
  return in_frame(static_cast<std::int32_t>(number) * kVectorBytes);
}
Mem VectorTranslator::mask_slot(std::uint64_t number) const {
  return in_frame(mask_slots_at_ + static_cast<std::int32_t>(number) * kWordBytes);
}

}  // namespace tracefn::vector_code
