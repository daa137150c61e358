// What a program of vector code means: run one element after the other.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "exec/vector_code/lane.h"

namespace tracefn::vector_code {

// What an element's places hold, as bits; conditions are 0 and 1.
using Places = std::map<std::uint64_t, std::uint64_t>;

// The value of an instruction over numbers of type T, given those of all before.
template <typename T>
std::uint64_t value_of(const Instruction& i, const std::vector<std::uint64_t>& made, const Places& places) {
  using Bits = BitsOf<T>;
  const auto bits = [&](int k) { return static_cast<Bits>(made[i.in[k]]); };
  const auto number = [&](int k) { return std::bit_cast<T>(bits(k)); };
  const auto of = [](T x) -> std::uint64_t { return std::bit_cast<Bits>(x); };
  switch (i.op) {
    case Op::kSource:
    case Op::kMaskSource:
      return places.at(i.bits);
    case Op::kConstant:
    case Op::kMaskConstant:
      return i.bits;
    case Op::kAdd:
      return of(number(0) + number(1));
    case Op::kSub:
      return of(number(0) - number(1));
    case Op::kMul:
      return of(number(0) * number(1));
    case Op::kDiv:
      return of(number(0) / number(1));
    case Op::kMultiplyAdd:
      return of(madd(number(0), number(1), number(2)));
    case Op::kSqrt:
      return of(square_root(number(0)));
    case Op::kMax:
      return number(0) > number(1) ? bits(0) : bits(1);
    case Op::kMin:
      return number(0) < number(1) ? bits(0) : bits(1);
    case Op::kRoundDown:
      return of(round_down(number(0)));
    case Op::kRoundUp:
      return of(round_up(number(0)));
    case Op::kRoundToEven:
      return of(round_to_even(number(0)));
    case Op::kAnd:
    case Op::kMaskAnd:
      return bits(0) & bits(1);
    case Op::kOr:
    case Op::kMaskOr:
      return bits(0) | bits(1);
    case Op::kXor:
    case Op::kMaskXor:
      return bits(0) ^ bits(1);
    case Op::kAddBits:
      return static_cast<Bits>(bits(0) + bits(1));
    case Op::kSubBits:
      return static_cast<Bits>(bits(0) - bits(1));
    case Op::kShiftLeft:
      return static_cast<Bits>(bits(0) << i.bits);
    case Op::kShiftRight:
      return bits(0) >> i.bits;
    case Op::kSignedValue:
      return of(static_cast<T>(static_cast<std::int32_t>(bits(0))));
    case Op::kSelect:
      return made[i.in[0]] ? bits(1) : bits(2);
    case Op::kLess:
      return number(0) < number(1);
    case Op::kLessEqual:
      return number(0) <= number(1);
    case Op::kEqual:
      return number(0) == number(1);
    case Op::kNotEqual:
      return number(0) != number(1);
    case Op::kSignBit:
      return has_sign(number(0));
    case Op::kMaskNot:
      return made[i.in[0]] ^ 1;
    case Op::kGuard:
    case Op::kStore:
    case Op::kMaskStore:
      return made[i.in[0]];
  }
  return 0;
}

// Returns whether the guards hold; stores go into `places`.
template <typename T>
bool interpret(const Program& program, Places& places) {
  std::vector<std::uint64_t> made;
  bool holds = true;
  for (const Instruction& i : program.instructions()) {
    made.push_back(value_of<T>(i, made, places));
    if (i.op == Op::kGuard) holds = holds && made.back();
    if (i.op == Op::kStore || i.op == Op::kMaskStore) places[i.bits] = made.back();
  }
  return holds;
}

}  // namespace tracefn::vector_code
