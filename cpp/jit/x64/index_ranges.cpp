// Rounds over the instructions in order: states flow forward along jumps, and to the next round along those back.
#include "jit/x64/index_ranges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "jit/scalar/array_work.h"
#include "jit/scalar/slot_types.h"
#include "jit/x64/value_range.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using scalar::Slot;
using Role = Operation::Role;

// States are kept for each jump target; programs with more values than that keep their checks.
constexpr std::size_t kMostValues = std::size_t{1} << 15;
constexpr int kMostPasses = 16, kNarrowings = 2;
// More rows than memory holds.
constexpr std::int64_t kMostRows = std::int64_t{1} << 48;

class Analysis {
 public:
  explicit Analysis(Code& code)
      : code_(code),
        operations_(code.operations()),
        constants_(code.constants()),
        types_(slot_types(code.instructions, operations_, code.initial.size())),
        is_target_(scalar::targets(code.instructions)),
        jumps_to_(is_target_.size(), 0) {
    for (const BytecodeInstruction& s : code.instructions)
      if (scalar::jumps(s.kind)) ++jumps_to_[s.target];
  }

  void run() {
    if (std::ranges::none_of(operations_, [](const Operation& o) { return checks(o.role); })) return;
    find_tracked();
    const auto num_targets = static_cast<std::size_t>(std::ranges::count(is_target_, 1));
    if ((num_targets + 1) * (num_tracked_ + num_lists_) > kMostValues) return;
    find_thresholds();
    back_.resize(is_target_.size());
    int round = 0;
    for (bool changed = true; changed; ++round) {
      if (round == kMostPasses) return;
      changed = widen(flow(nullptr));
    }
    for (int i = 0; i < kNarrowings; ++i) back_ = flow(nullptr);
    std::vector<Fate> fates(code_.instructions.size());
    flow(&fates);
    rewrite(fates);
  }

 private:
  // By tracked slot, then by list: `low` is the least number of rows if the list is the only owner of its memory, else
  // kShared. Empty: not reached.
  using State = std::vector<Range>;
  using States = std::vector<State>;  // by instruction
  static constexpr std::uint32_t kUntracked = 0xffffffff;
  static constexpr std::int64_t kShared = -1;

  static bool checks(Role role) { return role == Role::kCheckIndex || role == Role::kGet || role == Role::kSet; }

  // What is known of a check: nothing, that its index is not negative, or that it never fails. Of a load: that its
  // address is right even if the branch is not taken that leads there.
  enum class Fate : std::uint8_t { kStays, kNotNegative, kGoes, kMayRunEarly };

  // Integers on which checks depend.
  void find_tracked() {
    tracked_.assign(code_.initial.size(), kUntracked);
    const auto track = [&](Slot s) {
      if (tracked_[s] != kUntracked || constants_[s] || !is_integer(types_[s])) return false;
      tracked_[s] = static_cast<std::uint32_t>(num_tracked_++);
      return true;
    };
    const auto is_tracked = [&](Slot s) { return tracked_[s] != kUntracked; };
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const BytecodeInstruction& s = code_.instructions[i];
      if (checks(operations_[i].role)) track(s.in[0]);
      if (operations_[i].role == Role::kCheckIndex) track(s.in[1]);
      if (scalar::on_list(s.kind)) num_lists_ = std::max<std::size_t>(num_lists_, s.target + 1);
      if (s.kind == Kind::kTake || s.kind == Kind::kShare) num_lists_ = std::max<std::size_t>(num_lists_, s.offset + 1);
      if (s.kind == Kind::kWork)
        for (const std::uint32_t array : s.work->arrays()) num_lists_ = std::max<std::size_t>(num_lists_, array + 1);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = operations_.size(); i-- > 0;) {
        const BytecodeInstruction& s = code_.instructions[i];
        const Operation& o = operations_[i];
        const bool makes = scalar::writes(s.kind) && is_tracked(s.out);
        const bool compares =
            scalar::jumps(s.kind) && o.num_inputs == 2 && (is_tracked(s.in[0]) || is_tracked(s.in[1]));
        if (!makes && !compares) continue;
        for (int k = 0; k < o.num_inputs; ++k) more |= track(s.in[k]);
      }
    }
  }

  void find_thresholds() {
    for (const Type t : {Type::kInt32, Type::kInt64}) {
      const Range all = all_of(t);
      thresholds_.insert(thresholds_.end(), {all.low, all.high - 1, all.high});
    }
    thresholds_.insert(thresholds_.end(), {-1, 0, 1});
    for (const BytecodeInstruction& s : code_.instructions)
      for (int k = 0; k < scalar::num_inputs(s.kind); ++k) {
        if (!constants_[s.in[k]] || !is_integer(types_[s.in[k]])) continue;
        const std::int64_t c = integer_in(code_.initial[s.in[k]], types_[s.in[k]]);
        thresholds_.push_back(c);
        if (c != std::numeric_limits<std::int64_t>::min()) thresholds_.push_back(c - 1);
      }
    std::ranges::sort(thresholds_);
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
  }

  Range value(const State& state, Slot s) const {
    if (constants_[s] && is_integer(types_[s])) {
      const std::int64_t c = integer_in(code_.initial[s], types_[s]);
      return {c, c};
    }
    return tracked_[s] == kUntracked ? all_of(types_[s]) : state[tracked_[s]];
  }
  void set(State& state, Slot s, Range range) const {
    if (tracked_[s] == kUntracked) return;
    const Range all = all_of(types_[s]);
    state[tracked_[s]] = range.low < all.low || range.high > all.high ? all : range;
  }

  static void join(State& into, const State& from) {
    if (from.empty()) return;
    if (into.empty()) {
      into = from;
      return;
    }
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = either(into[i], from[i]);
  }

  // Whether back_ grew.
  bool widen(const States& next) {
    bool changed = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i].empty()) continue;
      if (back_[i].empty()) {
        back_[i] = next[i];
        changed = true;
        continue;
      }
      for (std::size_t k = 0; k < next[i].size(); ++k) {
        Range& known = back_[i][k];
        const Range& found = next[i][k];
        // The ends of int64 are thresholds.
        if (found.low < known.low) known.low = *(std::ranges::upper_bound(thresholds_, found.low) - 1), changed = true;
        if (found.high > known.high) known.high = *std::ranges::lower_bound(thresholds_, found.high), changed = true;
      }
    }
    return changed;
  }

  // One round: the states that jumps back lead to.
  States flow(std::vector<Fate>* fates) const {
    const std::size_t n = code_.instructions.size();
    States forward(n + 1), back(n + 1);
    State now(num_tracked_ + num_lists_, {kShared, kMostRows});
    for (Slot s = 0; s < tracked_.size(); ++s) set(now, s, all_of(types_[s]));
    for (std::size_t i = 0; i < n; ++i) {
      if (is_target_[i]) {
        join(now, forward[i]);
        join(now, back_[i]);
        forward[i].clear();
      }
      if (now.empty()) continue;
      const BytecodeInstruction& s = code_.instructions[i];
      if (fates) judge(i, now, *fates);
      if (!scalar::jumps(s.kind)) {
        step(i, now);
        continue;
      }
      const bool always = s.kind == Kind::kJump || s.kind == Kind::kLoop;
      const bool taken_if = operations_[i].role == Role::kLoopIf;
      if (fates && operations_[i].role == Role::kJumpUnless) judge_sides(i, now, *fates);
      State taken = now;
      if (!always && !assume(i, taken_if, taken)) taken.clear();
      join(s.target > i ? forward[s.target] : back[s.target], taken);
      if (always || !assume(i, !taken_if, now)) now.clear();
    }
    return back;
  }

  // What the comparison of a jump says, if it holds or does not; false if that cannot be.
  bool assume(std::size_t jump, bool holds, State& state) const {
    const Operation& o = operations_[jump];
    if (o.num_inputs != 2 || !is_integer(o.in[0])) return true;
    const BytecodeInstruction& s = code_.instructions[jump];
    Range a = value(state, s.in[0]), b = value(state, s.in[1]);
    refine(holds ? o.op : opposite(o.op), a, b);
    if (a.is_empty() || b.is_empty()) return false;
    set(state, s.in[0], a);
    set(state, s.in[1], b);
    return true;
  }

  void step(std::size_t i, State& state) const {
    const BytecodeInstruction& s = code_.instructions[i];
    const Operation& o = operations_[i];
    if (o.role == Role::kCheckIndex) {
      const Range index = value(state, s.in[0]), limit = value(state, s.in[1]);
      if (limit.high <= 0) return;  // it fails
      const Range inside{0, limit.high - 1}, known = both(index, inside);
      if (scalar::writes(s.kind)) {
        set(state, s.out, index.low >= 0 && !known.is_empty() ? known : inside);
      } else if (!known.is_empty()) {
        set(state, s.in[0], known);
      }
      return;
    }
    if (scalar::on_list(s.kind)) step_list(s, state);
    if (scalar::writes(s.kind) && tracked_[s.out] != kUntracked) set(state, s.out, result(i, state));
  }

  std::int64_t& rows(State& state, std::uint32_t list) const { return state[num_tracked_ + list].low; }

  void step_list(const BytecodeInstruction& s, State& state) const {
    std::int64_t& least = rows(state, s.target);
    const auto owned_with = [&](std::int64_t n) { least = std::max<std::int64_t>({least, n, 0}); };
    switch (s.kind) {
      case Kind::kReserve:
        least = kShared;
        return owned_with(value(state, s.in[0]).low);
      case Kind::kOwn:
        if (s.offset != scalar::kAsIs) least = kShared;
        return owned_with(s.offset == scalar::kAsIs ? 0 : std::int64_t{s.offset});
      case Kind::kSet:
      case Kind::kPush:
      case Kind::kAppend:
        return owned_with(0);
      case Kind::kGrow:
        return owned_with(value(state, s.in[0]).low + 1);
      case Kind::kPop:
      case Kind::kRemove:
        least = kShared;
        return;
      case Kind::kTake:
        least = std::exchange(rows(state, s.offset), kShared);
        return;
      case Kind::kShare:
        least = rows(state, s.offset) = kShared;
        return;
      case Kind::kWork:
        for (const std::uint32_t array : s.work->arrays()) rows(state, array) = kShared;
        return;
      default:
        return;
    }
  }

  Range result(std::size_t i, const State& state) const {
    const BytecodeInstruction& s = code_.instructions[i];
    const Operation& o = operations_[i];
    const Range all = all_of(types_[s.out]);
    if (o.role == Role::kMove) return value(state, s.in[0]);
    if (o.role == Role::kRows) return {0, kMostRows};
    if (o.role != Role::kValue) return all;
    if (o.op == MachineOp::kSelect) return either(value(state, s.in[1]), value(state, s.in[2]));
    if (!is_integer(o.in[0])) return all;
    const Range a = value(state, s.in[0]), b = o.num_inputs > 1 ? value(state, s.in[1]) : Range{0, 0};
    switch (o.op) {
      case MachineOp::kAdd:
        return by_ends(a, b, [](auto x, auto y, auto* r) { return __builtin_add_overflow(x, y, r); }).value_or(all);
      case MachineOp::kSub:
        return by_ends(a, b, [](auto x, auto y, auto* r) { return __builtin_sub_overflow(x, y, r); }).value_or(all);
      case MachineOp::kMul:
        return by_ends(a, b, [](auto x, auto y, auto* r) { return __builtin_mul_overflow(x, y, r); }).value_or(all);
      case MachineOp::kMaximum:
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case MachineOp::kMinimum:
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case MachineOp::kFloorDiv:
        return b.low == b.high && b.low > 0 ? Range{floor_div(a.low, b.low), floor_div(a.high, b.low)} : all;
      case MachineOp::kFloorMod:
        return b.low == b.high && b.low > 0 ? Range{0, b.low - 1} : all;
      case MachineOp::kAnd:
        return b.low >= 0 ? Range{0, b.high} : a.low >= 0 ? Range{0, a.high} : all;
      case MachineOp::kCast:
        return a;
      default:
        return all;
    }
  }

  bool holds(std::size_t check, const State& state) const {
    const BytecodeInstruction& s = code_.instructions[check];
    const Range index = value(state, s.in[0]);
    const std::int64_t limit =
        operations_[check].role == Role::kCheckIndex ? value(state, s.in[1]).low : state[num_tracked_ + s.target].low;
    return index.low >= 0 && index.high < limit;
  }

  void judge(std::size_t i, const State& state, std::vector<Fate>& fates) const {
    if (!checks(operations_[i].role)) return;
    const BytecodeInstruction& s = code_.instructions[i];
    fates[i] = holds(i, state) ? Fate::kGoes : value(state, s.in[0]).low >= 0 ? Fate::kNotNegative : Fate::kStays;
  }

  // The loads on both sides of a branch, with what is known before it.
  void judge_sides(std::size_t jump, const State& before, std::vector<Fate>& fates) const {
    const auto walk = [&](std::size_t i) {
      State state = before;
      const std::size_t begin = i;
      for (; i < operations_.size() && (i == begin || !is_target_[i]); ++i) {
        const Operation& o = operations_[i];
        if (o.role == Role::kCheckIndex && !holds(i, state)) return;
        if (o.role == Role::kLoad) {
          fates[i] = Fate::kMayRunEarly;
        } else if (o.role != Role::kValue && o.role != Role::kMove && o.role != Role::kCheckIndex) {
          return;
        }
        step(i, state);
      }
    };
    const std::size_t target = code_.instructions[jump].target;
    if (!is_target_[jump + 1]) walk(jump + 1);
    if (target > jump + 1 && target < operations_.size() && jumps_to_[target] == 1 &&
        code_.instructions[target - 1].kind == Kind::kJump)
      walk(target);
  }

  void rewrite(const std::vector<Fate>& fates) {
    std::vector<BytecodeInstruction> made;
    std::vector<std::uint32_t> moved(code_.instructions.size() + 1);
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      moved[i] = static_cast<std::uint32_t>(made.size());
      BytecodeInstruction s = code_.instructions[i];
      const bool wraps = s.kind == Kind::kWrapIndex;
      if (fates[i] == Fate::kMayRunEarly) s.function = scalar::kMayRunEarly;
      if (fates[i] == Fate::kGoes && operations_[i].role != Role::kCheckIndex) {
        made.push_back(index_of(s));
        s.kind = operations_[i].role == Role::kGet ? Kind::kLoad : Kind::kStore;
        s.in[0] = made.back().out;
        s.offset = 0;
        made.push_back(s);
        continue;
      }
      if (fates[i] == Fate::kNotNegative && wraps) {
        s.kind = Kind::kCheckIndex;
        made.push_back(s);
      } else if (fates[i] != Fate::kGoes) {
        made.push_back(s);
        continue;
      }
      if (!wraps) continue;
      BytecodeInstruction move;
      move.kind = Kind::kMove8;
      move.in[0] = s.in[0];
      move.out = s.out;
      move.node = s.node;
      made.push_back(move);
    }
    moved[code_.instructions.size()] = static_cast<std::uint32_t>(made.size());
    for (BytecodeInstruction& s : made)
      if (scalar::jumps(s.kind)) s.target = moved[s.target];
    code_.instructions = std::move(made);
    read_what_was_moved();
    drop_unread();
  }

  // An index of a list, as one of an array.
  BytecodeInstruction index_of(const BytecodeInstruction& s) {
    BytecodeInstruction cast;
    cast.kind = Kind::kUnary;
    cast.function = scalar::kCastFunction;
    cast.operand = DType::kInt32;
    cast.result = DType::kInt64;
    cast.in[0] = s.in[0];
    cast.out = static_cast<Slot>(code_.initial.size());
    cast.node = s.node;
    code_.initial.emplace_back();
    return cast;
  }

  // Copy propagation in each block.
  void read_what_was_moved() {
    const std::vector<char> is_target = scalar::targets(code_.instructions);
    std::vector<std::pair<Slot, Slot>> moves;  // from, to
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      BytecodeInstruction& s = code_.instructions[i];
      if (is_target[i]) moves.clear();
      for (int k = 0; k < scalar::num_inputs(s.kind); ++k)
        for (const auto& [from, to] : moves)
          if (s.in[k] == to) {
            s.in[k] = from;
            break;
          }
      if (scalar::writes(s.kind))
        std::erase_if(moves, [&](const auto& move) { return move.first == s.out || move.second == s.out; });
      if (s.kind == Kind::kMove8 && s.in[0] != s.out) moves.emplace_back(s.in[0], s.out);
    }
  }

  // What was computed for checks alone.
  void drop_unread() {
    std::vector<int> reads(code_.initial.size(), 0);
    for (Slot s : code_.variables) ++reads[s];
    for (const BytecodeInstruction& s : code_.instructions)
      for (int k = 0; k < scalar::num_inputs(s.kind); ++k) ++reads[s.in[k]];
    std::vector<char> dropped(code_.instructions.size(), 0);
    for (std::size_t i = code_.instructions.size(); i-- > 0;) {
      const BytecodeInstruction& s = code_.instructions[i];
      if (!scalar::writes(s.kind) || reads[s.out] > 0 || !only_adds(s.kind)) continue;
      for (int k = 0; k < scalar::num_inputs(s.kind); ++k) --reads[s.in[k]];
      dropped[i] = 1;
    }
    scalar::drop(code_.instructions, dropped);
  }
  static bool only_adds(Kind kind) {
    return (kind >= Kind::kMove1 && kind <= Kind::kMove16) ||
           (kind >= Kind::kAddInt32 && kind < scalar::kFirstComparison);
  }

  Code& code_;
  const std::vector<Operation> operations_;
  const std::vector<char> constants_;
  const std::vector<Type> types_;
  const std::vector<char> is_target_;
  std::vector<int> jumps_to_;           // by instruction
  std::vector<std::uint32_t> tracked_;  // by slot: its number
  std::size_t num_tracked_ = 0, num_lists_ = 0;
  std::vector<std::int64_t> thresholds_;  // sorted: where widening stops
  States back_;                           // by instruction: what jumps back lead there with
};

}  // namespace

void drop_known_checks(Code& code) { Analysis(code).run(); }

}  // namespace tracefn::machine_code
