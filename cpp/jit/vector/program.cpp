// Value numbering, min/max, DCE.
#include "jit/vector/program.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/hash.h"

namespace tracefn::vector_code {

bool is_mask(LaneOp op) { return op >= LaneOp::kMaskSource && op <= LaneOp::kMaskNot; }
bool is_effect(LaneOp op) { return op >= LaneOp::kSkipIfNone; }
bool is_jump(LaneOp op) { return op >= LaneOp::kSkipIfNone && op <= LaneOp::kSkipEnd; }

int num_inputs(LaneOp op) {
  switch (op) {
    case LaneOp::kSource:
    case LaneOp::kConstant:
    case LaneOp::kMaskSource:
    case LaneOp::kMaskConstant:
    case LaneOp::kSkipEnd:
      return 0;
    case LaneOp::kSqrt:
    case LaneOp::kRoundDown:
    case LaneOp::kRoundUp:
    case LaneOp::kRoundToEven:
    case LaneOp::kShiftLeft:
    case LaneOp::kShiftRight:
    case LaneOp::kSignedValue:
    case LaneOp::kSignBit:
    case LaneOp::kMaskNot:
    case LaneOp::kSkipIfNone:
    case LaneOp::kSkipIfAll:
    case LaneOp::kGuard:
    case LaneOp::kStore:
    case LaneOp::kMaskStore:
      return 1;
    case LaneOp::kMultiplyAdd:
    case LaneOp::kChooseBits:
    case LaneOp::kSelect:
      return 3;
    default:
      return 2;
  }
}

std::size_t LaneProgram::Hash::operator()(const LaneInstruction& i) const {
  std::size_t hash = hash_mix(static_cast<std::size_t>(i.op), i.bits);
  for (Id in : i.in) hash = hash_mix(hash, in);
  return hash;
}

bool LaneProgram::Same::operator()(const LaneInstruction& a, const LaneInstruction& b) const {
  return a.op == b.op && std::ranges::equal(a.in, b.in) && a.bits == b.bits;
}

Id LaneProgram::add_bool(LaneOp op, Id a, Id b, std::uint64_t bits) {
  const auto constant = [&](bool value) { return add(LaneOp::kConstant, 0, 0, 0, value); };
  switch (op) {
    case LaneOp::kMaskSource:  // any nonzero byte is true
      return add(LaneOp::kMinBits, add(LaneOp::kSource, 0, 0, 0, bits), constant(true));
    case LaneOp::kMaskConstant:
      return constant(bits != 0);
    case LaneOp::kMaskAnd:
      return add(LaneOp::kAnd, a, b);
    case LaneOp::kMaskOr:
      return add(LaneOp::kOr, a, b);
    case LaneOp::kMaskXor:
      return add(LaneOp::kXor, a, b);
    case LaneOp::kMaskNot:
      return add(LaneOp::kXor, a, constant(true));
    default:
      check_failed(__FILE__, __LINE__, "an operation on bools");
  }
}

Id LaneProgram::add(LaneOp op, Id a, Id b, Id c, std::uint64_t bits) {
  if (width_ == LaneWidth::k8 && is_mask(op)) return add_bool(op, a, b, bits);
  if (op == LaneOp::kGuard) {
    if (std::ranges::find(guards_, a) == guards_.end()) guards_.push_back(a);
    return a;
  }
  if (op == LaneOp::kSelect) {
    if (b == c) return b;
    const LaneInstruction& condition = instructions_[a];
    const auto compares = [&](Id x, Id y) {
      return condition.op == LaneOp::kLess && condition.in[0] == x && condition.in[1] == y;
    };
    if (compares(b, c)) return add(LaneOp::kMin, b, c);
    if (compares(c, b)) return add(LaneOp::kMax, b, c);
    if (const std::optional<Id> extreme = add_extreme(condition, b, c)) return *extreme;
  }
  if (op == LaneOp::kOr && are_complements(a, b)) {
    const Id yes = instructions_[a].in[0], no = instructions_[b].in[0];
    return yes == no ? yes : add(LaneOp::kChooseBits, instructions_[a].in[1], yes, no);
  }
  const LaneInstruction made{op, {a, b, c}, bits};
  auto [place, is_new] = made_.try_emplace(made, static_cast<Id>(instructions_.size()));
  if (is_new) instructions_.push_back(made);
  return place->second;
}

// x where it is not beyond y or is NaN, else y: the processor's instruction, which gives its second operand if either
// is NaN, is right but where y alone is NaN.
std::optional<Id> LaneProgram::add_extreme(const LaneInstruction& condition, Id x, Id y) {
  if (condition.op != LaneOp::kMaskOr) return std::nullopt;
  const LaneInstruction ordered = instructions_[condition.in[0]], unordered = instructions_[condition.in[1]];
  if (ordered.op != LaneOp::kLessEqual || unordered.op != LaneOp::kNotEqual) return std::nullopt;
  if (unordered.in[0] != x || unordered.in[1] != x) return std::nullopt;
  const bool is_max = ordered.in[0] == y && ordered.in[1] == x, is_min = ordered.in[0] == x && ordered.in[1] == y;
  if (!is_max && !is_min) return std::nullopt;
  const LaneOp op = is_max ? LaneOp::kMax : LaneOp::kMin;
  if (const std::optional<double> number = constant(x); number && *number != 0 && *number == *number)
    return add(op, x, y);  // whose bits are y's where they are equal
  const Id found = add(op, y, x);
  if (const std::optional<double> number = constant(y); number && *number == *number) return found;
  return add(LaneOp::kSelect, add(LaneOp::kNotEqual, y, y), y, found);
}

std::optional<double> LaneProgram::constant(Id id) const {
  const LaneInstruction& made = instructions_[id];
  if (made.op != LaneOp::kConstant) return std::nullopt;
  return width_ == LaneWidth::k32 ? std::bit_cast<float>(static_cast<std::uint32_t>(made.bits))
                                  : std::bit_cast<double>(made.bits);
}

// Whether one masks some bits of a number, and the other the complementary bits of a number.
bool LaneProgram::are_complements(Id a, Id b) const {
  const LaneInstruction &x = instructions_[a], &y = instructions_[b];
  if (x.op != LaneOp::kAnd || y.op != LaneOp::kAnd) return false;
  const LaneInstruction &these = instructions_[x.in[1]], &others = instructions_[y.in[1]];
  const std::uint64_t all = width_ == LaneWidth::k32 ? 0xFFFFFFFF : ~std::uint64_t{0};
  return these.op == LaneOp::kConstant && others.op == LaneOp::kConstant && ((these.bits ^ others.bits) & all) == all;
}

void LaneProgram::finish(const std::vector<Store>& stores) {
  std::vector<char> needed(instructions_.size(), 0);
  for (Id guard : guards_) needed[guard] = 1;
  for (const Store& store : stores) needed[store.value] = 1;
  for (std::size_t i = instructions_.size(); i-- > 0;) {
    const LaneInstruction& made = instructions_[i];
    for (int k = 0; needed[i] && k < num_inputs(made.op); ++k) needed[made.in[k]] = 1;
  }
  std::vector<LaneInstruction> kept;
  std::vector<Id> moved(instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    if (!needed[i]) continue;
    moved[i] = static_cast<Id>(kept.size());
    LaneInstruction& instruction = kept.emplace_back(instructions_[i]);
    for (int k = 0; k < num_inputs(instruction.op); ++k) instruction.in[k] = moved[instruction.in[k]];
  }
  for (Id guard : guards_) kept.push_back({LaneOp::kGuard, {moved[guard]}});
  for (const Store& store : stores) {
    const LaneOp op = is_mask(instructions_[store.value].op) ? LaneOp::kMaskStore : LaneOp::kStore;
    kept.push_back({op, {moved[store.value]}, store.place});
  }
  instructions_ = std::move(kept);
  made_.clear();
  guards_.clear();
}

}  // namespace tracefn::vector_code
