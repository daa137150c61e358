// Allocates slots by their uses for each point that they take, each to a register that no other slot needs at the same
// points. Coalesces moves and selects where possible, so that the move disappears.
#include "jit/x64/registers.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "jit/scalar/slot_types.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Slot;
using Role = Operation::Role;

// In order of preference. The first ones are caller-saved.
constexpr Gpr kGprs[] = {Gpr::rsi, Gpr::rdi, Gpr::r8,  Gpr::r9,  Gpr::r10,
                         Gpr::r11, Gpr::rbp, Gpr::r12, Gpr::r13, Gpr::r14};
constexpr int kNumLostGprs = 6;
constexpr int kFirstXmm = 3, kNumXmms = 13;

constexpr double kIterationsOfLoop = 8;  // iterations assumed, for weights

// Estimated execution count of an instruction.
std::vector<double> weights(std::span<const BytecodeInstruction> instructions) {
  std::vector<double> weight(instructions.size(), 1);
  for (std::size_t i = 0; i < instructions.size(); ++i)
    if (scalar::jumps(instructions[i].kind) && instructions[i].target <= i)
      for (std::size_t k = instructions[i].target; k <= i; ++k)
        weight[k] = std::min(weight[k] * kIterationsOfLoop, 1e12);
  return weight;
}

std::optional<std::int32_t> immediate(Type type, const scalar::Register& constant) {
  if (type == Type::kNone || is_in_xmm(type)) return std::nullopt;
  const std::int64_t value = integer_in(constant, type);
  const auto low = static_cast<std::int32_t>(value);
  return value == low ? std::optional(low) : std::nullopt;
}

class Allocation {
 public:
  Allocation(std::span<const BytecodeInstruction> instructions, std::span<const Operation> operations,
             std::size_t num_slots, const Liveness& live)
      : points_(num_slots, 2 * instructions.size()),
        taken_(std::size(kGprs) + kNumXmms, 2 * instructions.size()),
        use_(num_slots, 0),
        lost_(num_slots, 0),
        partners_(num_slots) {
    const std::vector<double> weight = weights(instructions);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const BytecodeInstruction& instruction = instructions[i];
      const bool writes = scalar::writes(instruction.kind);
      const bool calls = operations[i].role == Role::kCall || operations[i].role == Role::kListCall;
      if (writes) {
        points_.set(instruction.out, 2 * i + 1);
        use_[instruction.out] += weight[i];
      }
      for (int k = 0; k < operations[i].num_inputs; ++k) use_[instruction.in[k]] += weight[i];
      for_bits(live.before.row(i), [&](std::size_t s) { points_.set(s, 2 * i); });
      for_bits(live.after.row(i), [&](std::size_t s) {
        points_.set(s, 2 * i + 1);
        if (calls && !(writes && instruction.out == s)) lost_[s] += weight[i];
      });
      if (operations[i].role == Role::kMove) make_partners(instruction.in[0], instruction.out);
      if (operations[i].op == MachineOp::kSelect) {
        make_partners(instruction.in[1], instruction.out);
        make_partners(instruction.in[2], instruction.out);
      }
    }
  }

  double use(Slot s) const { return use_[s]; }
  // Uses for each point at which a register would be taken.
  double density(Slot s) const {
    std::size_t points = 1;
    for (const std::uint64_t word : points_.row(s)) points += static_cast<std::size_t>(std::popcount(word));
    return use_[s] / static_cast<double>(points);
  }

  void place(Slot s, std::vector<Location>& locations) {
    Location& where = locations[s];
    const bool floating = is_in_xmm(where.type);
    // A spill around a call costs a reload, and a store if the value changed.
    const bool worth_saving = use_[s] > lost_[s] * (where.written ? 2 : 1);
    std::optional<int> found;
    for (Slot other : partners_[s]) {
      const Location& there = locations[other];
      if (there.kind != (floating ? Location::kXmm : Location::kGpr)) continue;
      int index = floating ? static_cast<int>(std::size(kGprs)) + there.reg - kFirstXmm : index_of(there.reg);
      if (is_free(index, s) && (worth_saving || is_kept(index))) found = index;
    }
    if (!found)
      found = floating ? first_free(std::size(kGprs), taken_rows(), worth_saving, s) : free_gpr(s, worth_saving);
    if (!found) return;
    unite(taken_.row(static_cast<std::size_t>(*found)), points_.row(s));
    where.kind = floating ? Location::kXmm : Location::kGpr;
    where.reg = floating ? static_cast<std::uint8_t>(*found - static_cast<int>(std::size(kGprs)) + kFirstXmm)
                         : static_cast<std::uint8_t>(kGprs[*found]);
  }

 private:
  void make_partners(Slot a, Slot b) {
    partners_[a].push_back(b);
    partners_[b].push_back(a);
  }
  static constexpr std::size_t taken_rows() { return std::size(kGprs) + kNumXmms; }
  static bool is_kept(int index) { return index >= kNumLostGprs && index < static_cast<int>(std::size(kGprs)); }
  static int index_of(std::uint8_t gpr) {
    return static_cast<int>(std::find(std::begin(kGprs), std::end(kGprs), static_cast<Gpr>(gpr)) - std::begin(kGprs));
  }
  bool is_free(int index, Slot s) const { return !meet(taken_.row(static_cast<std::size_t>(index)), points_.row(s)); }
  std::optional<int> first_free(std::size_t from, std::size_t to, bool worth_saving, Slot s) const {
    for (std::size_t i = from; i < to; ++i) {
      const int index = static_cast<int>(i);
      if ((worth_saving || is_kept(index)) && is_free(index, s)) return index;
    }
    return std::nullopt;
  }
  std::optional<int> free_gpr(Slot s, bool worth_saving) const {
    if (lost_[s] > 0)
      if (auto kept = first_free(kNumLostGprs, std::size(kGprs), true, s)) return kept;
    return first_free(0, std::size(kGprs), worth_saving, s);
  }

  BitTable points_;  // by slot; two for each instruction: before it and after it
  BitTable taken_;   // by register
  std::vector<double> use_, lost_;
  std::vector<std::vector<Slot>> partners_;
};

}  // namespace

std::vector<Location> assign_locations(std::span<const BytecodeInstruction> instructions,
                                       std::span<const Operation> operations, std::span<const scalar::Register> initial,
                                       const std::vector<char>& constants, const Liveness& live) {
  const std::size_t num_slots = initial.size();
  std::vector<Location> locations(num_slots);
  const std::vector<Type> types = slot_types(instructions, operations, num_slots);
  const std::vector<char> written = scalar::written(instructions, num_slots);
  Allocation allocation(instructions, operations, num_slots, live);
  std::vector<Slot> wanting, constant_wanting;
  for (Slot s = 0; s < num_slots; ++s) {
    Location& where = locations[s];
    where.type = types[s];
    where.written = written[s] != 0;
    if (where.type == Type::kNone || allocation.use(s) == 0) continue;
    const std::optional<std::int32_t> value = constants[s] ? immediate(where.type, initial[s]) : std::nullopt;
    if (value) {
      where.kind = Location::kImmediate;
      where.value = *value;
    } else {
      (constants[s] ? constant_wanting : wanting).push_back(s);
    }
  }
  // Constants last: a memory operand is cheap for them.
  for (std::vector<Slot>* group : {&wanting, &constant_wanting}) {
    std::vector<double> density(num_slots);
    for (Slot s : *group) density[s] = allocation.density(s);
    std::stable_sort(group->begin(), group->end(), [&](Slot a, Slot b) { return density[a] > density[b]; });
    for (Slot s : *group) allocation.place(s, locations);
  }
  return locations;
}

bool is_lost_in_calls(const Location& where) {
  if (where.kind == Location::kXmm) return true;
  if (where.kind != Location::kGpr) return false;
  for (int i = 0; i < kNumLostGprs; ++i)
    if (static_cast<std::uint8_t>(kGprs[i]) == where.reg) return true;
  return false;
}

}  // namespace tracefn::machine_code
