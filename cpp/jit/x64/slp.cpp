// A group is four instructions in a row of one op that differ in their numbers only. The slots that it writes are a
// pack: they live in one slot of four numbers, so every instruction that writes one of them must be in such a group.
// Groups that do not pay for what goes between packs and single numbers are given up one by one.
#include "jit/x64/slp.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "jit/scalar/liveness.h"
#include "jit/scalar/slot_types.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;
using Role = Operation::Role;

constexpr std::size_t kLanes = 4;
constexpr std::uint32_t kNone = 0xffffffff;

// Instructions that put a number into a register of four, or take it out.
int instructions_of_lane(Type t) { return t == Type::kBool ? 2 : 1; }
// Bools are bytes in arrays.
int instructions_of_access(Role role, Type t) {
  if (t != Type::kBool) return 1;
  return role == Role::kLoad ? 2 : role == Role::kStore ? 5 : 1;
}
bool is_packable(Type t) { return four_of(t) != t; }

// Whether there is an instruction for four.
bool has_four(const Operation& o) {
  const Type t = o.in[o.num_inputs - 1];
  if (!is_packable(t) || !is_packable(o.out)) return false;
  const bool floating = t == Type::kFloat, boolean = t == Type::kBool;
  switch (o.op) {
    case MachineOp::kAdd:
    case MachineOp::kSub:
    case MachineOp::kMul:
    case MachineOp::kSquaredDifference:
    case MachineOp::kMaximum:
    case MachineOp::kMinimum:
    case MachineOp::kNeg:
    case MachineOp::kAbs:
    case MachineOp::kSquare:
    case MachineOp::kLess:
    case MachineOp::kLessEqual:
    case MachineOp::kGreater:
    case MachineOp::kGreaterEqual:
    case MachineOp::kEqual:
    case MachineOp::kNotEqual:
      return !boolean;
    case MachineOp::kDiv:
    case MachineOp::kSqrt:
    case MachineOp::kReciprocal:
    case MachineOp::kFloor:
    case MachineOp::kCeil:
    case MachineOp::kRound:
    case MachineOp::kMultiplyAdd:
      return floating;
    case MachineOp::kAnd:
    case MachineOp::kOr:
    case MachineOp::kXor:
      return !floating;
    case MachineOp::kNot:
      return boolean;
    case MachineOp::kSelect:
      return true;
    case MachineOp::kCast:
      return t != o.out;
    default:
      return false;
  }
}

using Lanes = std::array<Slot, kLanes>;

struct Pack {
  Lanes slots{};
  Slot four = 0;  // the slot of all four
  Type type = Type::kNone;
  bool is_used = true;
};

struct Group {
  std::size_t first = 0;
  std::uint32_t pack = kNone;  // that it writes
  bool is_used = true;
};

class Vectorizer {
 public:
  explicit Vectorizer(Code& code)
      : code_(code),
        operations_(code.operations()),
        is_target_(scalar::targets(code.instructions)),
        constants_(code.constants()),
        types_(slot_types(code.instructions, operations_, code.initial.size())),
        group_of_(code.instructions.size(), kNone),
        pack_of_(code.initial.size(), kNone),
        is_gathered_(code.initial.size(), 0) {}

  void run() {
    find_groups();
    if (groups_.empty()) return;
    find_uses();
    give_up_what_conflicts();
    give_up_what_costs();
    if (std::ranges::any_of(groups_, &Group::is_used)) rebuild();
  }

 private:
  // Whether the instruction may be one of a group.
  bool fits(std::size_t i) const {
    const BytecodeInstruction& s = code_.instructions[i];
    const Operation& o = operations_[i];
    switch (o.role) {
      case Role::kLoad:
        return s.kind == Kind::kLoad && is_packable(o.out);
      case Role::kStore:
        return s.kind == Kind::kStore && is_packable(o.in[1]);
      case Role::kMove:
        return is_packable(types_[s.in[0]]) && types_[s.in[0]] == types_[s.out];
      case Role::kValue:
        return has_four(o);
      default:
        return false;
    }
  }

  // Whether instruction i + lane is of the same op as i, on the next numbers.
  bool continues(std::size_t i, std::size_t lane) const {
    const BytecodeInstruction &a = code_.instructions[i], &b = code_.instructions[i + lane];
    if (a.kind != b.kind || a.operand != b.operand || a.result != b.result || a.node != b.node) return false;
    const bool is_load = a.kind == Kind::kLoad;
    if (!is_load && a.function != b.function) return false;
    if (is_load || a.kind == Kind::kStore)
      return a.target == b.target && a.in[0] == b.in[0] && b.offset == a.offset + lane;
    return fits(i + lane);
  }

  void find_groups() {
    const std::size_t n = code_.instructions.size();
    for (std::size_t i = 0; i < n;) {
      std::size_t length = 1;
      if (fits(i))
        while (i + length < n && !is_target_[i + length] && continues(i, length)) ++length;
      for (std::size_t lane = 0; lane + kLanes <= length; lane += kLanes)
        if (are_independent(i + lane)) add_group(i + lane);
      i += length;
    }
  }

  bool are_independent(std::size_t first) const {
    for (std::size_t i = first; i < first + kLanes; ++i) {
      if (!scalar::writes(code_.instructions[i].kind)) continue;
      for (std::size_t later = i + 1; later < first + kLanes; ++later) {
        const BytecodeInstruction& s = code_.instructions[later];
        if (s.out == code_.instructions[i].out) return false;
        for (int k = 0; k < operations_[later].num_inputs; ++k)
          if (s.in[k] == code_.instructions[i].out) return false;
      }
    }
    return true;
  }

  void add_group(std::size_t first) {
    Group group{first};
    if (scalar::writes(code_.instructions[first].kind)) {
      Lanes slots{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) slots[lane] = code_.instructions[first + lane].out;
      const auto [found, is_new] = numbers_.emplace(slots, static_cast<std::uint32_t>(packs_.size()));
      if (is_new) {
        for (Slot s : slots)
          if (pack_of_[s] != kNone) {
            numbers_.erase(found);
            return;
          }
        for (Slot s : slots) pack_of_[s] = found->second;
        packs_.push_back({slots, 0, types_[slots[0]], true});
      }
      group.pack = found->second;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      group_of_[first + lane] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back(group);
  }

  struct Use {
    std::size_t instruction = 0;
    int operand = 0;
  };
  void find_uses() {
    uses_.resize(code_.initial.size());
    alone_.resize(code_.initial.size());
    writers_.resize(code_.initial.size());
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      for (int k = 0; k < operations_[i].num_inputs; ++k) uses_[code_.instructions[i].in[k]].push_back({i, k});
      if (scalar::writes(code_.instructions[i].kind)) writers_[code_.instructions[i].out].push_back(i);
    }
  }

  bool is_used(std::uint32_t group) const { return group != kNone && groups_[group].is_used; }
  // The pack whose numbers these are, in order.
  std::uint32_t pack_of(const Lanes& slots) const {
    const std::uint32_t pack = pack_of_[slots[0]];
    return pack != kNone && packs_[pack].is_used && packs_[pack].slots == slots ? pack : kNone;
  }
  bool is_address(const Group& group, int k) const {
    const Role role = operations_[group.first].role;
    return (role == Role::kLoad || role == Role::kStore) && k == 0;
  }
  Lanes operands(const Group& group, int k) const {
    Lanes slots{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) slots[lane] = code_.instructions[group.first + lane].in[k];
    return slots;
  }
  static bool is_one(const Lanes& slots) {
    return std::ranges::all_of(slots, [&](Slot s) { return s == slots[0]; });
  }
  bool are_constants(const Lanes& slots) const {
    return std::ranges::all_of(slots, [&](Slot s) { return constants_[s] != 0; });
  }
  Type type_of(const Group& group, int k) const {
    const Operation& o = operations_[group.first];
    return o.role == Role::kMove ? types_[code_.instructions[group.first].in[k]] : o.in[k];
  }

  void give_up(Group& group) {
    group.is_used = false;
    ++given_up_;
    if (group.pack != kNone && packs_[group.pack].is_used) give_up(group.pack);
  }
  void give_up(std::uint32_t pack) {
    packs_[pack].is_used = false;
    ++given_up_;
    for (Group& group : groups_)
      if (group.pack == pack) group.is_used = false;
  }

  // What is written outside of groups, too, or holds different things.
  void give_up_what_conflicts() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t number = 0; number < packs_.size(); ++number) {
        const Pack& pack = packs_[number];
        if (!pack.is_used) continue;
        const bool good = is_packable(pack.type) && std::ranges::all_of(pack.slots, [&](Slot s) {
                            return types_[s] == pack.type && std::ranges::all_of(writers_[s], [&](std::size_t i) {
                                     return is_used(group_of_[i]) && groups_[group_of_[i]].pack == number;
                                   });
                          });
        if (good) continue;
        give_up(number);
        changed = true;
      }
    }
  }

  // Whether the use is in a group that has this pack for that operand.
  bool takes_pack(const Use& use, std::uint32_t pack) const {
    const std::uint32_t group = group_of_[use.instruction];
    return is_used(group) && !is_address(groups_[group], use.operand) &&
           pack_of(operands(groups_[group], use.operand)) == pack;
  }

  // Whether something reads the slot, which is in a pack, as a single number.
  bool is_read_alone(Slot s) const {
    Alone& known = alone_[s];
    if (known.as_of != given_up_) {
      const bool alone = std::ranges::any_of(uses_[s], [&](const Use& use) { return !takes_pack(use, pack_of_[s]); });
      known = {given_up_, alone};
    }
    return known.alone;
  }
  // The instructions that take such slots of the pack out, or would take out the others.
  int extractions(std::uint32_t pack, bool of_others = false) const {
    const auto n = std::ranges::count_if(packs_[pack].slots, [&](Slot s) { return is_read_alone(s) != of_others; });
    return static_cast<int>(n) * instructions_of_lane(packs_[pack].type);
  }

  // The instructions that the group saves, as long as the others stay as they are.
  int gain(const Group& group) const {
    const Operation& o = operations_[group.first];
    int gain = static_cast<int>(kLanes);
    gain -= instructions_of_access(o.role, o.role == Role::kStore ? o.in[1] : o.out);
    std::uint32_t read[3] = {kNone, kNone, kNone};
    for (int k = 0; k < o.num_inputs; ++k) {
      if (is_address(group, k)) continue;
      const Lanes slots = operands(group, k);
      read[k] = pack_of(slots);
      if (read[k] != kNone) {
        if (std::count(read, read + k, read[k]) == 0) gain += extractions(read[k], true);
      } else if (!are_constants(slots)) {
        gain -= instructions_of_lane(type_of(group, k)) * (is_one(slots) ? 1 : static_cast<int>(kLanes));
      }
    }
    return group.pack == kNone ? gain : gain - extractions(group.pack);
  }

  void give_up_what_costs() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = groups_.size(); i-- > 0;) {
        if (!groups_[i].is_used || gain(groups_[i]) > 0) continue;
        give_up(groups_[i]);
        changed = true;
      }
    }
  }

  Slot new_slot(scalar::Register value = {}) {
    code_.initial.push_back(value);
    return static_cast<Slot>(code_.initial.size() - 1);
  }
  static BytecodeInstruction on_lane(Kind kind, Type type, Slot out, Slot in, std::size_t lane) {
    BytecodeInstruction s;
    s.kind = kind;
    s.operand = s.result = dtype_of(type);
    s.in[0] = in;
    s.out = out;
    s.offset = static_cast<std::uint32_t>(lane);
    return s;
  }

  Slot constant(const Lanes& slots, Type type) {
    const auto [found, is_new] = constant_packs_.emplace(std::pair(type, slots), 0);
    if (is_new) {
      scalar::Register all{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        auto number = scalar::get<std::uint32_t>(code_.initial[slots[lane]]);
        if (type == Type::kBool) number = (number & 0xff) != 0 ? 0xffffffff : 0;
        std::memcpy(all.bytes + lane * sizeof number, &number, sizeof number);
      }
      found->second = new_slot(all);
    }
    return found->second;
  }

  void gather(const Lanes& slots, Type type, Slot four) {
    made_.push_back(on_lane(Kind::kBroadcast, type, four, slots[0], 0));
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
      if (slots[lane] == slots[0]) continue;
      made_.push_back(on_lane(Kind::kInsert, type, four, four, lane));
      made_.back().in[1] = slots[lane];
    }
  }

  // The slot of these four numbers, which instructions make if they are not a pack.
  Slot slot_of_four(const Lanes& slots, Type type) {
    if (const std::uint32_t pack = pack_of(slots); pack != kNone) return packs_[pack].four;
    if (are_constants(slots)) return constant(slots, type);
    const auto [found, is_new] = made_here_.emplace(slots, 0);
    if (!is_new) return found->second;
    for (Slot s : slots) is_gathered_[s] = 1;
    found->second = new_slot();
    gather(slots, type, found->second);
    return found->second;
  }

  void forget(Slot written) {
    if (!is_gathered_[written]) return;
    std::erase_if(made_here_, [&](const auto& known) { return std::ranges::count(known.first, written) > 0; });
  }

  void extract(Slot s) {
    const Pack& pack = packs_[pack_of_[s]];
    const auto lane = static_cast<std::size_t>(std::ranges::find(pack.slots, s) - pack.slots.begin());
    made_.push_back(on_lane(Kind::kExtract, pack.type, s, pack.four, lane));
  }

  void make(const Group& group) {
    BytecodeInstruction s = code_.instructions[group.first];
    s.on_four = true;
    if (s.kind == Kind::kLoad)
      for (std::size_t lane = 1; lane < kLanes; ++lane) s.function &= code_.instructions[group.first + lane].function;
    if (operations_[group.first].role == Role::kMove) s.kind = Kind::kMove16;
    for (int k = 0; k < operations_[group.first].num_inputs; ++k)
      if (!is_address(group, k)) s.in[k] = slot_of_four(operands(group, k), type_of(group, k));
    if (group.pack == kNone) return made_.push_back(s);
    const Pack& pack = packs_[group.pack];
    s.out = pack.four;
    made_.push_back(s);
    for (Slot slot : pack.slots) forget(slot);
    for (Slot slot : pack.slots)
      if (is_read_alone(slot)) extract(slot);
  }

  void rebuild() {
    const std::size_t n = code_.instructions.size(), num_slots = code_.initial.size();
    const Liveness live(code_.instructions, num_slots, code_.variables);
    for (Pack& pack : packs_) {
      if (!pack.is_used) continue;
      pack.four = new_slot();
      if (std::ranges::any_of(pack.slots, [&](Slot s) { return live.before.has(0, s); }))
        gather(pack.slots, pack.type, pack.four);
    }
    const std::size_t in_front = made_.size();
    std::vector<std::uint32_t> moved(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      moved[i] = static_cast<std::uint32_t>(made_.size());
      if (is_target_[i]) made_here_.clear();
      if (is_used(group_of_[i])) {
        make(groups_[group_of_[i]]);
        i += kLanes - 1;
        continue;
      }
      made_.push_back(code_.instructions[i]);
      if (scalar::writes(made_.back().kind)) forget(made_.back().out);
    }
    moved[n] = static_cast<std::uint32_t>(made_.size());
    const bool loops = std::ranges::any_of(code_.instructions, [&](const BytecodeInstruction& s) {
      return scalar::jumps(s.kind) && &code_.instructions[s.target] <= &s;
    });
    for (BytecodeInstruction& s : made_)
      if (scalar::jumps(s.kind)) s.target = moved[s.target];
    for (Slot s : code_.variables)
      if (pack_of_[s] != kNone && packs_[pack_of_[s]].is_used && !is_read_alone(s)) extract(s);
    // Each group paid for itself only as long as the others stayed. What runs once does not count beside a loop.
    const std::size_t now = loops ? moved[n] - in_front : made_.size();
    if (now < n) {
      code_.instructions = std::move(made_);
    } else {
      code_.initial.resize(num_slots);
    }
  }

  Code& code_;
  const std::vector<Operation> operations_;
  const std::vector<char> is_target_, constants_;
  const std::vector<Type> types_;
  std::vector<Group> groups_;
  std::vector<Pack> packs_;
  std::map<Lanes, std::uint32_t> numbers_;         // of the packs
  std::vector<std::uint32_t> group_of_;            // by instruction
  std::vector<std::uint32_t> pack_of_;             // by slot
  std::vector<std::vector<Use>> uses_;             // by slot
  std::vector<std::vector<std::size_t>> writers_;  // by slot
  // What is_read_alone() found out, as of that number of groups and packs given up.
  struct Alone {
    std::size_t as_of = 0;
    bool alone = false;
  };
  mutable std::vector<Alone> alone_;  // by slot
  std::size_t given_up_ = 1;
  std::map<std::pair<Type, Lanes>, Slot> constant_packs_;
  std::map<Lanes, Slot> made_here_;  // in the block at hand, from numbers that are as they were
  std::vector<char> is_gathered_;    // by slot: whether some of these are made from it
  std::vector<BytecodeInstruction> made_;
};

}  // namespace

void vectorize_small_tensors(Code& code) { Vectorizer(code).run(); }

}  // namespace tracefn::machine_code
