// A loop is the instructions from the target of a jump back to that jump. What is hoisted runs when the loop is
// entered, in the first iteration's place: what may fail, or load, only if the first iteration does so before anything
// else.
#include "jit/x64/hoisting.h"

#include <algorithm>
#include <map>
#include <set>

#include "jit/scalar/array_work.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;
using Role = Operation::Role;

// More live values than this would be spilled.
constexpr std::size_t kMostHoisted = 8, kMostAddresses = 5;

struct Loop {
  std::size_t begin = 0, end = 0;  // the target, and the jump back
  std::vector<BytecodeInstruction> before;
};

class Hoisting {
 public:
  explicit Hoisting(Code& code)
      : code_(code),
        operations_(code.operations()),
        is_target_(scalar::targets(code.instructions)),
        writes_(code.initial.size(), 0) {
    for (const BytecodeInstruction& s : code.instructions)
      if (scalar::writes(s.kind)) ++writes_[s.out];
    for (Slot s : code.variables) ++writes_[s];
  }

  void run() {
    find_loops();
    if (loops_.empty()) return;
    hoisted_.assign(code_.instructions.size(), 0);
    for (Loop& loop : loops_) {
      find_changes(loop);
      hoist(loop);
      hoist_addresses(loop);
    }
    rebuild();
  }

 private:
  bool jumps_back(std::size_t i) const {
    return scalar::jumps(code_.instructions[i].kind) && code_.instructions[i].target <= i;
  }

  // Innermost ones, which are entered at their beginning only.
  void find_loops() {
    const std::vector<BytecodeInstruction>& all = code_.instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!jumps_back(i)) continue;
      const std::size_t begin = all[i].target;
      bool fits = true;
      for (std::size_t k = begin; k < i && fits; ++k) fits = !jumps_back(k);
      if (fits) loops_.push_back({begin, i, {}});
    }
    std::erase_if(loops_, [&](const Loop& loop) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (!scalar::jumps(all[k].kind) || (k >= loop.begin && k <= loop.end)) continue;
        if (all[k].target > loop.begin && all[k].target <= loop.end) return true;
      }
      return false;
    });
  }

  void find_changes(const Loop& loop) {
    changed_.assign(code_.initial.size(), 0);
    moved_arrays_.clear();
    written_arrays_.clear();
    for (std::size_t i = loop.begin; i <= loop.end; ++i) {
      const BytecodeInstruction& s = code_.instructions[i];
      if (scalar::writes(s.kind)) changed_[s.out] = 1;
      if (!scalar::on_list(s.kind) || operations_[i].role == Role::kLoad || operations_[i].role == Role::kRows)
        continue;
      written_arrays_.insert(s.target);
      if (operations_[i].role == Role::kStore) continue;
      moved_arrays_.insert(s.target);
      if (s.kind == Kind::kTake || s.kind == Kind::kShare) moved_arrays_.insert(s.offset);
      if (s.kind == Kind::kWork)
        for (const std::uint32_t array : s.work->arrays()) moved_arrays_.insert(array);
    }
    written_arrays_.insert(moved_arrays_.begin(), moved_arrays_.end());
  }

  // As far as each iteration gets before it branches.
  void hoist(Loop& loop) {
    bool is_first = true;  // what has an effect, or fails, has not come yet
    for (std::size_t i = loop.begin; i < loop.end && loop.before.size() < kMostHoisted; ++i) {
      const BytecodeInstruction& s = code_.instructions[i];
      if ((i > loop.begin && is_target_[i]) || scalar::jumps(s.kind)) return;
      const auto once = [&] { return !scalar::writes(s.kind) || (writes_[s.out] == 1 && !is_read_before(loop, i)); };
      if (is_invariant(i) && may_move(i, is_first) && once()) {
        if (scalar::writes(s.kind)) changed_[s.out] = 0;
        loop.before.push_back(s);
        hoisted_[i] = 1;
      } else if (has_effect(i)) {
        is_first = false;
      }
    }
  }

  bool may_move(std::size_t i, bool is_first) const {
    const BytecodeInstruction& s = code_.instructions[i];
    switch (operations_[i].role) {
      case Role::kValue:
        return !may_fail(i);
      case Role::kMove:
        return true;
      case Role::kRows:
        return !moved_arrays_.contains(s.target);
      case Role::kLoad:
        return is_first && !written_arrays_.contains(s.target);
      case Role::kCheckIndex:
        return is_first;
      default:
        return false;
    }
  }
  bool has_effect(std::size_t i) const {
    const Role role = operations_[i].role;
    return role == Role::kValue ? may_fail(i) : role != Role::kMove && role != Role::kRows && role != Role::kLoad;
  }
  bool may_fail(std::size_t i) const {
    const Operation& o = operations_[i];
    const bool divides = o.op == MachineOp::kFloorDiv || o.op == MachineOp::kFloorMod ||
                         o.op == MachineOp::kTruncateDiv || o.op == MachineOp::kTruncateMod;
    return divides && !is_floating(o.in[0]);
  }
  bool is_invariant(std::size_t i) const {
    const BytecodeInstruction& s = code_.instructions[i];
    for (int k = 0; k < operations_[i].num_inputs; ++k)
      if (changed_[s.in[k]]) return false;
    return true;
  }

  // By what runs before it in the loop.
  bool is_read_before(const Loop& loop, std::size_t i) const {
    if (!scalar::writes(code_.instructions[i].kind)) return false;
    for (std::size_t k = loop.begin; k < i; ++k)
      for (int in = 0; in < operations_[k].num_inputs; ++in)
        if (code_.instructions[k].in[in] == code_.instructions[i].out) return true;
    return false;
  }

  // Loads and stores in arrays that stay where they are.
  void hoist_addresses(Loop& loop) {
    std::map<std::uint32_t, int> uses;
    const auto moves = [&](std::size_t i) {
      const Kind kind = code_.instructions[i].kind;
      return !hoisted_[i] && (kind == Kind::kLoad || kind == Kind::kStore) &&
             !moved_arrays_.contains(code_.instructions[i].target);
    };
    for (std::size_t i = loop.begin; i < loop.end; ++i)
      if (moves(i)) ++uses[code_.instructions[i].target];
    std::map<std::uint32_t, Slot> addresses;
    while (!uses.empty() && addresses.size() < kMostAddresses) {
      const auto most =
          std::ranges::max_element(uses, {}, [](const auto& array_and_count) { return array_and_count.second; });
      BytecodeInstruction data;
      data.kind = Kind::kData;
      data.target = most->first;
      data.out = addresses[most->first] = static_cast<Slot>(code_.initial.size());
      code_.initial.emplace_back();
      loop.before.push_back(data);
      uses.erase(most);
    }
    for (std::size_t i = loop.begin; i < loop.end; ++i) {
      BytecodeInstruction& s = code_.instructions[i];
      if (!moves(i) || !addresses.contains(s.target)) continue;
      const bool loads = s.kind == Kind::kLoad;
      s.kind = loads ? Kind::kLoadAt : Kind::kStoreAt;
      s.in[loads ? 1 : 2] = addresses[s.target];
    }
  }

  // Jumps into a loop from outside lead to what is in front of it.
  void rebuild() {
    const std::size_t n = code_.instructions.size();
    std::vector<BytecodeInstruction> made;
    std::vector<std::uint32_t> moved(n + 1), entry(n + 1);
    std::vector<std::size_t> from;  // by instruction made: where it was
    for (std::size_t i = 0; i < n; ++i) {
      entry[i] = static_cast<std::uint32_t>(made.size());
      for (const Loop& loop : loops_) {
        if (loop.begin != i) continue;
        made.insert(made.end(), loop.before.begin(), loop.before.end());
        from.resize(made.size(), n);
      }
      moved[i] = static_cast<std::uint32_t>(made.size());
      if (hoisted_[i]) continue;
      made.push_back(code_.instructions[i]);
      from.push_back(i);
    }
    entry[n] = moved[n] = static_cast<std::uint32_t>(made.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
      BytecodeInstruction& s = made[k];
      if (!scalar::jumps(s.kind)) continue;
      const bool inside = std::ranges::any_of(loops_, [&](const Loop& loop) {
        return loop.begin == s.target && from[k] >= loop.begin && from[k] <= loop.end;
      });
      s.target = (inside ? moved : entry)[s.target];
    }
    code_.instructions = std::move(made);
  }

  Code& code_;
  const std::vector<Operation> operations_;
  const std::vector<char> is_target_;
  std::vector<int> writes_;  // by slot; what sets variables counts, too
  std::vector<Loop> loops_;
  std::vector<char> hoisted_;  // by instruction
  // Of one loop, by slot, and arrays: those whose numbers change, or whose place may.
  std::vector<char> changed_;
  std::set<std::uint32_t> written_arrays_, moved_arrays_;
};

}  // namespace

void hoist_invariants(Code& code) { Hoisting(code).run(); }

}  // namespace tracefn::machine_code
