// Value numbering, min/max, DCE.
#include "exec/vector_code/program.h"

#include <algorithm>

#include "base/hash.h"

namespace tracefn::vector_code {

bool is_mask(Op op) { return op >= Op::kMaskSource && op <= Op::kMaskNot; }
bool is_effect(Op op) { return op >= Op::kGuard; }

int num_inputs(Op op) {
  switch (op) {
    case Op::kSource:
    case Op::kConstant:
    case Op::kMaskSource:
    case Op::kMaskConstant:
      return 0;
    case Op::kSqrt:
    case Op::kRoundDown:
    case Op::kRoundUp:
    case Op::kRoundToEven:
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kSignedValue:
    case Op::kSignBit:
    case Op::kMaskNot:
    case Op::kGuard:
    case Op::kStore:
    case Op::kMaskStore:
      return 1;
    case Op::kMultiplyAdd:
    case Op::kChooseBits:
    case Op::kSelect:
      return 3;
    default:
      return 2;
  }
}

std::size_t Program::Hash::operator()(const Instruction& i) const {
  std::size_t hash = hash_mix(static_cast<std::size_t>(i.op), i.bits);
  for (Id in : i.in) hash = hash_mix(hash, in);
  return hash;
}

bool Program::Same::operator()(const Instruction& a, const Instruction& b) const {
  return a.op == b.op && std::ranges::equal(a.in, b.in) && a.bits == b.bits;
}

Id Program::add(Op op, Id a, Id b, Id c, std::uint64_t bits) {
  if (op == Op::kGuard) {
    if (std::ranges::find(guards_, a) == guards_.end()) guards_.push_back(a);
    return a;
  }
  if (op == Op::kSelect) {
    if (b == c) return b;
    const Instruction& condition = instructions_[a];
    const auto compares = [&](Id x, Id y) {
      return condition.op == Op::kLess && condition.in[0] == x && condition.in[1] == y;
    };
    if (compares(b, c)) return add(Op::kMin, b, c);
    if (compares(c, b)) return add(Op::kMax, b, c);
  }
  if (op == Op::kOr && are_complements(a, b))
    return add(Op::kChooseBits, instructions_[a].in[1], instructions_[a].in[0], instructions_[b].in[0]);
  const Instruction made{op, {a, b, c}, bits};
  auto [place, is_new] = made_.try_emplace(made, static_cast<Id>(instructions_.size()));
  if (is_new) instructions_.push_back(made);
  return place->second;
}

// Whether one masks some bits of a number, and the other the complementary bits of a number.
bool Program::are_complements(Id a, Id b) const {
  const Instruction &x = instructions_[a], &y = instructions_[b];
  if (x.op != Op::kAnd || y.op != Op::kAnd) return false;
  const Instruction &these = instructions_[x.in[1]], &others = instructions_[y.in[1]];
  const std::uint64_t all = width_ == Width::k32 ? 0xFFFFFFFF : ~std::uint64_t{0};
  return these.op == Op::kConstant && others.op == Op::kConstant && ((these.bits ^ others.bits) & all) == all;
}

void Program::finish(const std::vector<Store>& stores) {
  std::vector<char> needed(instructions_.size(), 0);
  for (Id guard : guards_) needed[guard] = 1;
  for (const Store& store : stores) needed[store.value] = 1;
  for (std::size_t i = instructions_.size(); i-- > 0;) {
    const Instruction& made = instructions_[i];
    for (int k = 0; needed[i] && k < num_inputs(made.op); ++k) needed[made.in[k]] = 1;
  }
  std::vector<Instruction> kept;
  std::vector<Id> moved(instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    if (!needed[i]) continue;
    moved[i] = static_cast<Id>(kept.size());
    Instruction& instruction = kept.emplace_back(instructions_[i]);
    for (int k = 0; k < num_inputs(instruction.op); ++k) instruction.in[k] = moved[instruction.in[k]];
  }
  for (Id guard : guards_) kept.push_back({Op::kGuard, {moved[guard]}});
  for (const Store& store : stores) {
    const Op op = is_mask(instructions_[store.value].op) ? Op::kMaskStore : Op::kStore;
    kept.push_back({op, {moved[store.value]}, store.place});
  }
  instructions_ = std::move(kept);
  made_.clear();
  guards_.clear();
}

}  // namespace tracefn::vector_code
