// If-conversion. `if (c) {n = n >> 1} else {n = 3 * n + 1}` becomes `a = n >> 1; b = 3 * n + 1; n = c ? a : b`.
#include "jit/x64/branches.h"

#include <algorithm>
#include <map>
#include <optional>

#include "jit/scalar/liveness.h"
#include "jit/scalar/slot_types.h"
#include "ops/elementwise/functions.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;
using Role = Operation::Role;

constexpr std::size_t kMaxInstructions = 4;  // per side
constexpr std::size_t kMostSelected = 2;
constexpr int kMostNested = 3;  // of nested branches

// instructions[jump] chooses between [jump + 1, other) and [other, end).
struct Choice {
  std::size_t jump = 0, then_end = 0, other = 0, end = 0;
};

class Conversion {
 public:
  explicit Conversion(Code& code)
      : code_(code),
        operations_(code.operations()),
        constants_(code.constants()),
        types_(slot_types(code.instructions, operations_, code.initial.size())),
        targets_(code.instructions.size() + 1, 0) {
    for (const BytecodeInstruction& s : code.instructions)
      if (scalar::jumps(s.kind)) ++targets_[s.target];
  }

  // Returns whether anything changed.
  bool run() {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < code_.instructions.size(); ++i)
      if (std::optional<Choice> c = choice_at(i)) {
        choices.push_back(*c);
        i = c->end - 1;
      }
    if (choices.empty()) return false;
    const Liveness live(code_.instructions, code_.initial.size(), code_.variables);
    std::vector<BytecodeInstruction> made;
    std::vector<std::uint32_t> moved(code_.instructions.size() + 1);
    bool changed = false;
    std::size_t next = 0;
    for (std::size_t i = 0; i < code_.instructions.size();) {
      moved[i] = static_cast<std::uint32_t>(made.size());
      while (next < choices.size() && choices[next].jump < i) ++next;
      if (next < choices.size() && choices[next].jump == i && convert(choices[next], live, made)) {
        i = choices[next].end;
        changed = true;
      } else {
        made.push_back(code_.instructions[i++]);
      }
    }
    moved[code_.instructions.size()] = static_cast<std::uint32_t>(made.size());
    for (BytecodeInstruction& s : made)
      if (scalar::jumps(s.kind)) s.target = moved[s.target];
    code_.instructions = std::move(made);
    return changed;
  }

 private:
  std::optional<Choice> choice_at(std::size_t i) const {
    const std::vector<BytecodeInstruction>& instructions = code_.instructions;
    if (operations_[i].role != Role::kJumpUnless || instructions[i].target <= i) return std::nullopt;
    // An unordered comparison would need two selects.
    if (is_floating(operations_[i].in[0]) && operations_[i].op >= MachineOp::kEqual) return std::nullopt;
    Choice c{i, instructions[i].target, instructions[i].target, instructions[i].target};
    const BytecodeInstruction& last = instructions[c.other - 1];
    if (c.other - 1 > i && last.kind == Kind::kJump && last.target >= c.other) {
      c.then_end = c.other - 1;
      c.end = last.target;
    }
    if (!is_plain(i + 1, c.then_end) || !is_plain(c.other, c.end)) return std::nullopt;
    for (std::size_t k = i + 1; k < c.end; ++k)
      if (targets_[k] > (k == c.other ? 1 : 0)) return std::nullopt;
    return c;
  }

  bool is_plain(std::size_t from, std::size_t to) const {
    if (to < from) return false;
    std::size_t count = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (!is_cheap(i)) return false;
      count += operations_[i].role != Role::kMove;
    }
    return count <= kMaxInstructions;
  }

  // Cannot fail, and costs less than a misprediction.
  bool is_cheap(std::size_t i) const {
    const BytecodeInstruction& s = code_.instructions[i];
    const Operation& o = operations_[i];
    if (!scalar::writes(s.kind) || types_[s.out] == Type::kNone || is_floating(types_[s.out])) return false;
    if (o.role == Role::kMove) return true;
    if (o.role == Role::kLoad) return s.function == scalar::kMayRunEarly;
    if (o.role != Role::kValue || is_floating(o.in[o.num_inputs - 1])) return false;
    switch (o.op) {
      case MachineOp::kFloorDiv:
      case MachineOp::kFloorMod:
        return divides_by_power_of_two(s, o.in[0]);
      case MachineOp::kTruncateDiv:
      case MachineOp::kTruncateMod:
        return false;
      default:
        return true;
    }
  }
  bool divides_by_power_of_two(const BytecodeInstruction& s, Type t) const {
    return constants_[s.in[1]] && is_small_power_of_two(integer_in(code_.initial[s.in[1]], t));
  }

  bool convert(const Choice& c, const Liveness& live, std::vector<BytecodeInstruction>& made) {
    const Operation& o = operations_[c.jump];
    std::vector<Slot> selected;
    for (std::size_t i = c.jump + 1; i < c.end; ++i) {
      const BytecodeInstruction& s = code_.instructions[i];
      if (i == c.then_end && c.then_end != c.other) continue;  // the jump over the other side
      if (live.before.has(c.end, s.out) && std::find(selected.begin(), selected.end(), s.out) == selected.end())
        selected.push_back(s.out);
    }
    if (selected.size() > kMostSelected) return false;
    const std::map<Slot, Slot> then_slots = side(c.jump + 1, c.then_end, made), else_slots = side(c.other, c.end, made);
    const BytecodeInstruction& jump = code_.instructions[c.jump];
    Slot condition = jump.in[0];
    if (o.op != MachineOp::kNone) {
      BytecodeInstruction comparison = jump;
      comparison.kind = static_cast<Kind>(scalar::offset(jump.kind, scalar::kFirstJumpUnless) +
                                          static_cast<int>(scalar::kFirstComparison));
      comparison.out = condition = new_slot();
      made.push_back(comparison);
    } else if (std::find(selected.begin(), selected.end(), condition) != selected.end()) {
      BytecodeInstruction copy;
      copy.kind = Kind::kMove1;
      copy.in[0] = condition;
      copy.out = condition = new_slot();
      made.push_back(copy);
    }
    auto now = [](const std::map<Slot, Slot>& slots, Slot s) {
      auto found = slots.find(s);
      return found == slots.end() ? s : found->second;
    };
    std::vector<BytecodeInstruction> selects;
    for (Slot s : selected) {
      BytecodeInstruction select;
      select.kind = Kind::kTernary;
      select.function = static_cast<std::uint8_t>(id_of<functions::Select>);
      select.operand = select.result = dtype_of(types_[s]);
      select.in[0] = condition;
      select.in[1] = now(then_slots, s);
      select.in[2] = now(else_slots, s);
      select.out = s;
      selects.push_back(select);
    }
    add_together(std::move(selects), made);
    return true;
  }

  // Each reads what the slots held before all of them.
  void add_together(std::vector<BytecodeInstruction> selects, std::vector<BytecodeInstruction>& made) {
    const auto reads = [](const BytecodeInstruction& select, Slot s) { return select.in[1] == s || select.in[2] == s; };
    while (!selects.empty()) {
      // One whose slot no other reads, or else any, with a copy for the others.
      auto next = std::ranges::find_if(selects, [&](const BytecodeInstruction& one) {
        return std::ranges::none_of(
            selects, [&](const BytecodeInstruction& other) { return other.out != one.out && reads(other, one.out); });
      });
      if (next == selects.end()) {
        next = selects.begin();
        BytecodeInstruction copy;
        copy.kind = scalar::move_of(bytes_of(types_[next->out]));
        copy.in[0] = next->out;
        copy.out = new_slot();
        made.push_back(copy);
        for (BytecodeInstruction& other : selects)
          for (int k = 1; k < 3 && other.out != next->out; ++k)
            if (other.in[k] == next->out) other.in[k] = copy.out;
      }
      made.push_back(*next);
      selects.erase(next);
    }
  }

  // The instructions but moves, with renamed results; by slot, where its value is after them.
  std::map<Slot, Slot> side(std::size_t from, std::size_t to, std::vector<BytecodeInstruction>& made) {
    std::map<Slot, Slot> now;
    for (std::size_t i = from; i < to; ++i) {
      BytecodeInstruction s = code_.instructions[i];
      for (int k = 0; k < operations_[i].num_inputs; ++k)
        if (auto found = now.find(s.in[k]); found != now.end()) s.in[k] = found->second;
      const Slot out = s.out;
      if (operations_[i].role == Role::kMove) {
        now[out] = s.in[0];
        continue;
      }
      s.out = now[out] = new_slot();
      if (operations_[i].role == Role::kLoad) s.function = 0;  // of a branch around this one nothing is known
      made.push_back(s);
    }
    return now;
  }

  Slot new_slot() {
    code_.initial.emplace_back();
    return static_cast<Slot>(code_.initial.size() - 1);
  }

  Code& code_;
  std::vector<Operation> operations_;
  std::vector<char> constants_;
  std::vector<Type> types_;
  std::vector<int> targets_;  // by instruction: how many jumps lead there
};

}  // namespace

std::vector<Operation> Code::operations() const {
  std::vector<Operation> all;
  all.reserve(instructions.size());
  for (const BytecodeInstruction& instruction : instructions) all.push_back(operation_of(instruction));
  return all;
}

std::vector<char> Code::constants() const {
  std::vector<char> all = scalar::written(instructions, initial.size());
  for (char& slot : all) slot = !slot;
  for (Slot s : variables) all[s] = 0;
  return all;
}

void select_instead_of_branching(Code& code) {
  for (int round = 0; round < kMostNested && Conversion(code).run(); ++round) {
  }
}

}  // namespace tracefn::machine_code
