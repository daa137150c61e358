// RegisterFile: the registers of one kind, and the values they hold. Used by one thread.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "jit/vector/program.h"

namespace tracefn::vector_code {

class RegisterFile {
 public:
  RegisterFile(int first, int count) : all_(static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first)) {
    free_ = all_;
  }

  bool any_free() const { return free_ != 0; }
  std::uint8_t take() {
    const auto reg = static_cast<std::uint8_t>(std::countr_zero(free_));
    take(reg);
    return reg;
  }
  void take(std::uint8_t reg) { free_ &= ~bit(reg); }
  void release(std::uint8_t reg) { free_ |= bit(reg) & ~kept_; }
  void hold(std::uint8_t reg, Id value) { holds_[reg] = value; }
  Id held(std::uint8_t reg) const { return holds_[reg]; }

  // For the whole loop.
  std::uint8_t keep_highest() {
    const auto reg = static_cast<std::uint8_t>(31 - std::countl_zero(free_));
    kept_ |= bit(reg);
    take(reg);
    return reg;
  }
  bool is_kept(std::uint8_t reg) const { return kept_ & bit(reg); }

  // Pins the operands of the current instruction: they are not moved or overwritten.
  void pin(std::uint8_t reg) { pinned_ |= bit(reg); }
  void next_instruction() {
    pinned_ = 0;
    free_slots_.insert(free_slots_.end(), leaving_slots_.begin(), leaving_slots_.end());
    leaving_slots_.clear();
  }
  std::uint32_t movable() const { return all_ & ~(free_ | kept_ | pinned_); }

  std::uint32_t new_slot() {
    if (free_slots_.empty()) return num_slots_++;
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  // One that no value has had.
  std::uint32_t unused_slot() { return num_slots_++; }
  void release_slot(std::uint32_t slot) { leaving_slots_.push_back(slot); }
  std::uint32_t num_slots() const { return num_slots_; }

 private:
  static std::uint32_t bit(std::uint8_t reg) { return std::uint32_t{1} << reg; }
  std::uint32_t all_, free_ = 0, kept_ = 0, pinned_ = 0;
  Id holds_[32] = {};
  std::uint32_t num_slots_ = 0;
  std::vector<std::uint32_t> free_slots_, leaving_slots_;
};

}  // namespace tracefn::vector_code
