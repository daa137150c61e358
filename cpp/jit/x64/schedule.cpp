// A walk through the dependences of each block, depth first from what nothing later in the block reads.
#include "jit/x64/schedule.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Slot;
using Role = Operation::Role;

bool is_load(const Operation& o) { return o.role == Role::kLoad || o.role == Role::kRows || o.role == Role::kData; }
bool changes_arrays(const Operation& o) {
  switch (o.role) {
    case Role::kPush:
    case Role::kPop:
    case Role::kSet:
    case Role::kStore:
    case Role::kOwn:
    case Role::kAppend:
    case Role::kRemove:
    case Role::kListCall:
      return true;
    default:
      return false;
  }
}

// By slot: whether loads have it for an index, and no other instruction computes with it.
std::vector<char> only_indices(const Code& code, const std::vector<Operation>& operations,
                               const std::vector<char>& constants) {
  std::vector<char> loaded_by(constants.size(), 0), other(constants);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const BytecodeInstruction& s = code.instructions[i];
    const bool checks = operations[i].role == Role::kCheckIndex, loads = operations[i].role == Role::kLoad;
    for (int k = 0; k < operations[i].num_inputs; ++k) other[s.in[k]] |= !(loads || (checks && k != 1));
    if (loads) loaded_by[s.in[0]] = 1;
  }
  for (Slot s = 0; s < loaded_by.size(); ++s) loaded_by[s] &= !other[s];
  return loaded_by;
}

class Scheduler {
 public:
  Scheduler(Code& code, std::vector<Operation>& operations)
      : code_(code),
        operations_(operations),
        constants_(code.constants()),
        only_indices_(only_indices(code, operations, constants_)),
        slots_(code.initial.size()) {
    instructions_.reserve(code.instructions.size());
    scheduled_.reserve(code.instructions.size());
  }

  void run() {
    const std::vector<char> is_target = scalar::targets(code_.instructions);
    for (std::size_t begin = 0, end; begin < code_.instructions.size(); begin = end) {
      end = begin + 1;
      while (end < code_.instructions.size() && !is_target[end] && !scalar::jumps(code_.instructions[end - 1].kind))
        ++end;
      block(begin, end);
    }
    code_.instructions = std::move(instructions_);
    operations_ = std::move(scheduled_);
  }

 private:
  using Index = std::uint32_t;  // of an instruction in the block
  static constexpr Index kNone = 0xffffffff;

  struct Node {
    std::vector<Index> before;   // what must come first
    std::vector<Index> guarded;  // selects by this comparison, loads by the index that this checks
    Index guard = kNone;         // of a select: its comparison
    bool is_read = false;        // by a later one of the block
    bool is_done = false;
  };
  struct SlotState {
    Index writer = kNone, check = kNone;
    std::vector<Index> readers;  // since it was written
  };

  // Whether its place among the others of this kind matters.
  bool keeps_order(std::size_t i) const {
    const Operation& o = operations_[i];
    const BytecodeInstruction& s = code_.instructions[i];
    switch (o.role) {
      case Role::kValue:
        switch (o.op) {
          case MachineOp::kFloorDiv:
          case MachineOp::kFloorMod:
          case MachineOp::kTruncateDiv:
          case MachineOp::kTruncateMod:
            return !is_floating(o.in[0]) && !(constants_[s.in[1]] && integer_in(code_.initial[s.in[1]], o.in[1]) != 0);
          default:
            return false;
        }
      case Role::kMove:
      case Role::kLoad:
      case Role::kRows:
      case Role::kData:
        return false;
      default:
        return true;
    }
  }

  void block(std::size_t begin, std::size_t end) {
    find_dependences(begin, end);
    for (Index i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].is_read) put(begin, i);
    for (Slot s : touched_) slots_[s] = {};
    touched_.clear();
  }

  void find_dependences(std::size_t begin, std::size_t end) {
    nodes_.assign(end - begin, {});
    std::unordered_map<std::uint32_t, std::vector<Index>> loads_of;  // by array, since it was changed
    std::unordered_map<std::uint32_t, Index> changed_of;             // by array: the last store
    Index ordered = kNone, changed = kNone;
    Index checked = kNone;  // the last check that may speak of loads by other slots
    for (std::size_t at = begin; at < end; ++at) {
      const BytecodeInstruction& s = code_.instructions[at];
      const Operation& o = operations_[at];
      const auto i = static_cast<Index>(at - begin);
      std::vector<Index>& before = nodes_[i].before;
      const auto after = [&](Index earlier) {
        if (earlier != kNone && earlier != i) before.push_back(earlier);
      };
      // Comparisons last: a select right behind its comparison needs no other register for it.
      for (int k = o.num_inputs; k-- > 0;) {
        SlotState& state = slots_[s.in[k]];
        after(state.writer);
        if (state.writer != kNone) nodes_[state.writer].is_read = true;
      }
      if (o.op == MachineOp::kSelect && slots_[s.in[0]].writer != kNone) {
        nodes_[i].guard = slots_[s.in[0]].writer;
        nodes_[nodes_[i].guard].guarded.push_back(i);
      }
      for (int k = 0; k < o.num_inputs; ++k) {
        slots_[s.in[k]].readers.push_back(i);
        touched_.push_back(s.in[k]);
      }
      if (is_load(o)) {
        // Of what no check in this block speaks, those before it might.
        const Index check = o.role == Role::kLoad ? slots_[s.in[0]].check : kNone;
        after(check == kNone ? ordered : check);
        after(checked);
        if (check != kNone) nodes_[check].guarded.push_back(i);
        after(changed);
        if (const auto store = changed_of.find(s.target); store != changed_of.end()) after(store->second);
        loads_of[s.target].push_back(i);
      } else if (keeps_order(at)) {
        after(ordered);
        ordered = i;
        if (o.role == Role::kCheckIndex && !scalar::writes(s.kind)) {
          slots_[s.in[0]].check = i;
          if (!only_indices_[s.in[0]]) checked = i;
        }
        if (o.role == Role::kStore) {
          changed_of[s.target] = i;
          for (Index load : loads_of[s.target]) after(load);
          loads_of[s.target].clear();
        } else if (changes_arrays(o)) {
          changed = i;
          for (auto& [target, earlier] : loads_of) {
            for (Index load : earlier) after(load);
            earlier.clear();
          }
        }
      }
      if (scalar::writes(s.kind)) {
        SlotState& state = slots_[s.out];
        after(state.writer);
        for (Index reader : state.readers) after(reader);
        state.readers.clear();
        state.writer = i;
        state.check = o.role == Role::kCheckIndex ? i : kNone;
        touched_.push_back(s.out);
      }
      if (scalar::jumps(s.kind))
        for (Index earlier = 0; earlier < i; ++earlier) after(earlier);
    }
  }

  // With all that must come before it, those first that it names first.
  void put(std::size_t begin, Index last) {
    struct Visit {
      Index node;
      std::size_t next = 0;
    };
    std::vector<Visit> visits{{last}};
    while (!visits.empty()) {
      Visit& visit = visits.back();
      Node& node = nodes_[visit.node];
      if (!node.is_done && visit.next < node.before.size()) {
        const Index earlier = node.before[visit.next++];
        if (!nodes_[earlier].is_done) visits.push_back({earlier});
        continue;
      }
      if (!node.is_done) emit(begin, visit.node);
      visits.pop_back();
    }
  }

  void emit(std::size_t begin, Index i) {
    append(begin, i);
    // The other selects of a comparison, which serves them all, and what is loaded by an index: then neither is needed
    // any longer.
    const bool is_check = operations_[begin + i].role == Role::kCheckIndex;
    if (const Index guard = is_check ? i : nodes_[i].guard; guard != kNone)
      for (const Index other : nodes_[guard].guarded)
        if (!nodes_[other].is_done && is_ready(other)) append(begin, other);
  }
  bool is_ready(Index i) const {
    return std::ranges::all_of(nodes_[i].before, [&](Index earlier) { return nodes_[earlier].is_done; });
  }
  void append(std::size_t begin, Index i) {
    nodes_[i].is_done = true;
    instructions_.push_back(code_.instructions[begin + i]);
    scheduled_.push_back(operations_[begin + i]);
  }

  Code& code_;
  std::vector<Operation>& operations_;
  const std::vector<char> constants_, only_indices_;
  std::vector<SlotState> slots_;
  std::vector<Slot> touched_;
  std::vector<Node> nodes_;
  std::vector<BytecodeInstruction> instructions_;
  std::vector<Operation> scheduled_;
};

}  // namespace

void schedule_instructions(Code& code, std::vector<Operation>& operations) { Scheduler(code, operations).run(); }

}  // namespace tracefn::machine_code
