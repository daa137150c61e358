// Random programs from a seed, with sources of all kinds, many values alive at once, guards and stores.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "jit/vector/program.h"

namespace tracefn::test {

// The NaN that the processor makes. With no other among numbers, results do not depend on which operand's NaN is kept.
template <typename T>
T made_nan() {
  return -std::numeric_limits<T>::quiet_NaN();
}

template <typename T>
class RandomProgram {
 public:
  using LaneOp = vector_code::LaneOp;
  using Id = vector_code::Id;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  static constexpr T kGuarded = 1000;  // guards ask whether numbers are less
  static constexpr vector_code::LaneWidth kWidth =
      sizeof(T) == 4 ? vector_code::LaneWidth::k32 : vector_code::LaneWidth::k64;

  struct Place {
    bool is_mask = false;
    bool is_scalar = false;
    bool is_stored = false;
  };
  std::vector<Place> places;
  std::uint64_t scalars = 0;
  vector_code::LaneProgram program{kWidth};

  // `far` values back is where operands are taken from: how many are alive at once. `apart`: no place is both read and
  // stored.
  RandomProgram(std::uint64_t seed, std::size_t num_sources, std::size_t length, std::size_t far, bool guards,
                bool apart)
      : random_(seed), far_(far), apart_(apart), scalars_of_four_(seed % 5 == 0 ? 3 : 1) {
    for (std::size_t k = 0; k < num_sources; ++k) source();
    numbers_.push_back(program.add(LaneOp::kConstant, 0, 0, 0, bits(T(1.5))));
    masks_.push_back(program.add(LaneOp::kMaskConstant, 0, 0, 0, below(2)));
    for (std::size_t k = 0; k < length; ++k) {
      below(std::max<std::size_t>(24, length / 3)) == 0 ? select_with_long_sides() : instruction();
    }
    if (guards) guard();
    finish();
  }

  std::size_t below(std::size_t n) { return random_() % n; }
  // Numbers with edges among them.
  T number() {
    using Limits = std::numeric_limits<T>;
    const T edges[] = {0,
                       -T(0),
                       1,
                       -1,
                       T(0.5),
                       T(2.5),
                       T(1e6),
                       Limits::infinity(),
                       -Limits::infinity(),
                       made_nan<T>(),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min()};
    if (below(4) == 0) return edges[below(std::size(edges))];
    return std::uniform_real_distribution<T>(-8, 8)(random_);
  }

 private:
  static std::uint64_t bits(T x) { return std::bit_cast<Bits>(x); }

  void source() {
    const std::uint64_t at = places.size();
    const Place place{below(5) == 0, at < 64 && below(4) < scalars_of_four_};
    places.push_back(place);
    if (place.is_scalar) scalars |= std::uint64_t{1} << at;
    const Id id = program.add(place.is_mask ? LaneOp::kMaskSource : LaneOp::kSource, 0, 0, 0, at);
    (place.is_mask ? masks_ : numbers_).push_back(id);
  }

  Id pick(const std::vector<Id>& from) { return from[from.size() - 1 - below(std::min(far_, from.size()))]; }
  Id a_number() { return below(4) == 0 ? program.add(LaneOp::kConstant, 0, 0, 0, bits(number())) : pick(numbers_); }
  Id a_mask() { return below(32) == 0 ? program.add(LaneOp::kMaskConstant, 0, 0, 0, below(2)) : pick(masks_); }

  template <std::size_t n>
  LaneOp any_of(const LaneOp (&ops)[n]) {
    return ops[below(n)];
  }

  void instruction() {
    switch (below(8)) {
      case 0:
        of_bits();
        break;
      case 1:
        of_masks();
        break;
      case 2:
        masks_.push_back(program.add(any_of({LaneOp::kLess, LaneOp::kLessEqual, LaneOp::kEqual, LaneOp::kNotEqual,
                                             LaneOp::kMoreBits, LaneOp::kEqualBits}),
                                     a_number(), a_number()));
        break;
      case 3:
        numbers_.push_back(program.add(LaneOp::kSelect, a_mask(), a_number(), below(4) ? a_number() : zero()));
        break;
      case 4:
        numbers_.push_back(program.add(
            any_of({LaneOp::kSqrt, LaneOp::kRoundDown, LaneOp::kRoundUp, LaneOp::kRoundToEven}), a_number()));
        break;
      case 5:
        numbers_.push_back(program.add(LaneOp::kMultiplyAdd, a_number(), a_number(), a_number()));
        break;
      default:
        numbers_.push_back(
            program.add(any_of({LaneOp::kAdd, LaneOp::kSub, LaneOp::kMul, LaneOp::kDiv, LaneOp::kMax, LaneOp::kMin}),
                        a_number(), a_number()));
    }
  }

  Id zero() { return program.add(LaneOp::kConstant, 0, 0, 0, 0); }

  // Of many instructions that nothing else needs.
  Id long_side() {
    const std::size_t num_numbers = numbers_.size(), num_masks = masks_.size();
    for (std::size_t k = 8 + below(24); k > 0; --k) instruction();
    Id side = a_number();
    for (std::size_t k = num_numbers; k < numbers_.size(); ++k) side = program.add(LaneOp::kAdd, side, numbers_[k]);
    numbers_.resize(num_numbers);
    masks_.resize(num_masks);
    return side;
  }
  // Its condition holds for some lanes, for hardly any, or for nearly all.
  void select_with_long_sides() {
    const Id rare = program.add(LaneOp::kConstant, 0, 0, 0, bits(T(12345.5)));
    const std::size_t kind = below(3);
    const Id condition =
        kind == 0 ? a_mask() : program.add(kind == 1 ? LaneOp::kEqual : LaneOp::kNotEqual, a_number(), rare);
    const std::size_t sides = 1 + below(3);
    const Id yes = sides & 1 ? long_side() : a_number(), no = sides & 2 ? long_side() : a_number();
    numbers_.push_back(program.add(LaneOp::kSelect, condition, yes, no, vector_code::kSkips));
  }

  // Of some numbers, and a number again: any NaN that bits have come to be is left out.
  void of_bits() {
    Id made = a_number();
    for (std::size_t k = below(3); k <= 2; ++k) {
      if (below(5) == 0) {
        made = chosen_bits(made, a_number());
        continue;
      }
      const std::size_t by = 1 + below(8 * sizeof(T) - 1);
      const LaneOp op = any_of({LaneOp::kAnd, LaneOp::kOr, LaneOp::kXor, LaneOp::kAddBits, LaneOp::kSubBits,
                                LaneOp::kShiftLeft, LaneOp::kShiftRight});
      if (op == LaneOp::kShiftLeft || op == LaneOp::kShiftRight) {
        made = program.add(op, made, 0, 0, by);
      } else if (sizeof(T) == 4 && below(4) == 0) {
        made = program.add(LaneOp::kMulBits, made, a_number());
      } else if (below(2)) {
        made = program.add(op, made, a_number());
      } else {
        made = program.add(op, program.add(LaneOp::kConstant, 0, 0, 0, static_cast<Bits>(random_())), made);
      }
    }
    if (sizeof(T) == 4 && below(2)) {
      numbers_.push_back(program.add(LaneOp::kSignedValue, made));
    } else {
      numbers_.push_back(program.add(LaneOp::kSelect, program.add(LaneOp::kEqual, made, made), made, a_number()));
    }
  }

  Id chosen_bits(Id a, Id b) {
    const auto some = static_cast<Bits>(random_());
    return program.add(LaneOp::kOr, program.add(LaneOp::kAnd, a, program.add(LaneOp::kConstant, 0, 0, 0, some)),
                       program.add(LaneOp::kAnd, b, program.add(LaneOp::kConstant, 0, 0, 0, static_cast<Bits>(~some))));
  }

  void of_masks() {
    const std::size_t which = below(5);
    if (which == 0) {
      masks_.push_back(program.add(LaneOp::kSignBit, a_number()));
    } else if (which == 1) {
      masks_.push_back(program.add(LaneOp::kMaskNot, a_mask()));
    } else {
      masks_.push_back(program.add(any_of({LaneOp::kMaskAnd, LaneOp::kMaskOr, LaneOp::kMaskXor}), a_mask(), a_mask()));
    }
  }

  // That the first source of numbers is small, and maybe of the others too.
  void guard() {
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (places[at].is_mask) continue;
      const Id value = program.add(LaneOp::kSource, 0, 0, 0, at);
      program.add(LaneOp::kGuard,
                  program.add(LaneOp::kLess, value, program.add(LaneOp::kConstant, 0, 0, 0, bits(kGuarded))));
      if (below(2) != 0) break;
    }
  }

  // New places, and some that are read if they may be.
  void finish() {
    std::vector<vector_code::LaneProgram::Store> stores;
    const auto store = [&](Id value, bool is_mask) {
      std::uint64_t at = below(places.size());
      if (apart_ || places[at].is_stored || places[at].is_scalar || places[at].is_mask != is_mask) {
        at = places.size();
        places.push_back({is_mask});
      }
      places[at].is_stored = true;
      stores.push_back({value, at});
    };
    for (std::size_t k = 0; k < far_; ++k) store(a_number(), false);
    for (std::size_t k = 0; k < far_ / 8; ++k) store(a_mask(), true);
    store(numbers_.front(), false);
    store(numbers_[numbers_.size() / 2], false);
    store(masks_.front(), true);
    program.finish(stores);
  }

  std::mt19937_64 random_;
  std::size_t far_;
  bool apart_;
  std::size_t scalars_of_four_;  // sources
  std::vector<Id> numbers_, masks_;
};

}  // namespace tracefn::test
