// Jump threading. `if (a) {c = b} else {c = a} if (c) ...` becomes `if (a) {if (b) ...}`.
#include "jit/scalar/conditions.h"

#include <algorithm>

namespace tracefn::scalar {
namespace {

class Threading {
 public:
  Threading(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots, std::span<const Slot> variables)
      : all_(instructions),
        reads_(num_slots, 0),
        jumps_to_(instructions.size() + 1, 0),
        dropped_(instructions.size(), 0) {
    for (const BytecodeInstruction& s : all_) {
      for (int k = 0; k < num_inputs(s.kind); ++k) ++reads_[s.in[k]];
      if (jumps(s.kind)) ++jumps_to_[s.target];
    }
    for (const Slot s : variables) ++reads_[s];
  }

  // Returns whether anything changed.
  bool run() {
    bool changed = false;
    for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
      if (all_[i].kind != Kind::kJumpUnless && all_[i].kind != Kind::kMove1) continue;
      if (!(test_what_was_moved(i) || decide_if_false(i) || decide_if_true(i))) continue;
      changed = true;
    }
    if (changed) drop(all_, dropped_);
    return changed;
  }

 private:
  bool is(std::size_t i, Kind kind) const { return i < all_.size() && all_[i].kind == kind && !dropped_[i]; }
  // Whether instruction i jumps unless a slot is true that nothing else reads.
  bool is_test(std::size_t i) const { return is(i, Kind::kJumpUnless) && reads_[all_[i].in[0]] == 1; }
  bool moves(std::size_t i, Slot from, Slot to) const {
    return is(i, Kind::kMove1) && all_[i].in[0] == from && all_[i].out == to;
  }

  // i: c = x; jump unless c
  bool test_what_was_moved(std::size_t i) {
    if (!is(i, Kind::kMove1) || jumps_to_[i + 1] > 0 || !is_test(i + 1) || all_[i + 1].in[0] != all_[i].out)
      return false;
    all_[i + 1].in[0] = all_[i].in[0];
    dropped_[i] = 1;
    return true;
  }

  // i: jump unless x to other; ...; jump to test; other: c = x; test: jump unless c to end
  bool decide_if_false(std::size_t i) {
    if (!is(i, Kind::kJumpUnless)) return false;
    const std::size_t other = all_[i].target, test = other + 1;
    if (other < i + 2 || !is_test(test) || !moves(other, all_[i].in[0], all_[test].in[0])) return false;
    BytecodeInstruction& before = all_[other - 1];
    if (!is(other - 1, Kind::kJump) || before.target != test || jumps_to_[other] != 1 || jumps_to_[test] != 1)
      return false;
    all_[i].target = all_[test].target;
    before = all_[test];
    dropped_[other] = dropped_[test] = 1;
    jumps_to_[other] = jumps_to_[test] = 0;
    ++jumps_to_[before.target];
    --reads_[all_[i].in[0]];
    return true;
  }

  // i: jump unless x to other; c = x; jump to test; other: ...; test: jump unless c to end
  bool decide_if_true(std::size_t i) {
    if (!is(i, Kind::kJumpUnless) || all_[i].target != i + 3 || !is(i + 2, Kind::kJump)) return false;
    const std::size_t test = all_[i + 2].target;
    if (!is_test(test) || !moves(i + 1, all_[i].in[0], all_[test].in[0]) || jumps_to_[i + 1] + jumps_to_[i + 2] > 0)
      return false;
    all_[i + 2].target = static_cast<std::uint32_t>(test + 1);
    --jumps_to_[test];
    ++jumps_to_[test + 1];
    --reads_[all_[i].in[0]];
    dropped_[i + 1] = 1;
    return true;
  }

  std::vector<BytecodeInstruction>& all_;
  std::vector<int> reads_;     // by slot
  std::vector<int> jumps_to_;  // by instruction
  std::vector<char> dropped_;
};

}  // namespace

void thread_jumps(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                  std::span<const Slot> variables) {
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds && Threading(instructions, num_slots, variables).run(); ++round) {
  }
}

}  // namespace tracefn::scalar
