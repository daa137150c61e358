// Lane<T>: a recorded number. Arithmetic on it appends instructions to the program being recorded, so that the
// functions of ops/elementwise/*.functions.h, called with lanes, record themselves.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "jit/vector/program.h"
#include "math/lanes.h"

namespace tracefn::vector_code {

// While it lives, lanes on this thread append to its program. One at a time.
class Recording {
 public:
  explicit Recording(LaneProgram& program);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  static LaneProgram& current();
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// A mask without any lane.
struct NoLane {};

struct LaneMask {
  Id id;
  explicit LaneMask(Id made) : id(made) {}
  friend LaneMask operator&&(LaneMask a, LaneMask b) { return make(LaneOp::kMaskAnd, a.id, b.id); }
  friend LaneMask operator||(LaneMask a, LaneMask b) { return make(LaneOp::kMaskOr, a.id, b.id); }
  friend LaneMask operator||(LaneMask a, NoLane) { return a; }
  friend LaneMask operator^(LaneMask a, LaneMask b) { return make(LaneOp::kMaskXor, a.id, b.id); }
  friend LaneMask operator!(LaneMask a) { return make(LaneOp::kMaskNot, a.id); }
  friend LaneMask operator==(LaneMask a, LaneMask b) { return !(a ^ b); }
  friend LaneMask operator!=(LaneMask a, LaneMask b) { return a ^ b; }
  friend LaneMask choose(LaneMask condition, LaneMask yes, LaneMask no) {
    return (condition && yes) || (!condition && no);
  }
  friend LaneMask choose_needed(LaneMask condition, LaneMask yes, LaneMask no) { return choose(condition, yes, no); }
  static LaneMask make(LaneOp op, Id a, Id b = 0) { return LaneMask(Recording::current().add(op, a, b)); }
};

template <typename T>
struct LaneBits {
  Id id;
  LaneBits(BitsOf<T> value)  // NOLINT(google-explicit-constructor)
      : id(Recording::current().add(LaneOp::kConstant, 0, 0, 0, value)) {}
  struct Made {
    Id id;
  };
  explicit LaneBits(Made made) : id(made.id) {}
  static LaneBits make(LaneOp op, Id a, Id b, std::uint64_t bits = 0) {
    return LaneBits(Made{Recording::current().add(op, a, b, 0, bits)});
  }
  friend LaneBits operator+(LaneBits a, LaneBits b) { return make(LaneOp::kAddBits, a.id, b.id); }
  friend LaneBits operator-(LaneBits a, LaneBits b) { return make(LaneOp::kSubBits, a.id, b.id); }
  friend LaneBits operator&(LaneBits a, LaneBits b) { return make(LaneOp::kAnd, a.id, b.id); }
  friend LaneBits operator|(LaneBits a, LaneBits b) { return make(LaneOp::kOr, a.id, b.id); }
  friend LaneBits operator^(LaneBits a, LaneBits b) { return make(LaneOp::kXor, a.id, b.id); }
  friend LaneBits operator<<(LaneBits a, int by) {
    return make(LaneOp::kShiftLeft, a.id, 0, static_cast<unsigned>(by));
  }
  friend LaneBits operator>>(LaneBits a, int by) {
    return make(LaneOp::kShiftRight, a.id, 0, static_cast<unsigned>(by));
  }
};

template <typename T>
struct Lane {
  Id id;
  template <typename Number>
  requires std::is_arithmetic_v<Number> Lane(Number value)  // NOLINT(google-explicit-constructor)
      : id(Recording::current().add(LaneOp::kConstant, 0, 0, 0, std::bit_cast<BitsOf<T>>(static_cast<T>(value)))) {}
  struct Made {
    Id id;
  };
  explicit Lane(Made made) : id(made.id) {}
  static Lane make(LaneOp op, Id a, Id b = 0, Id c = 0) { return Lane(Made{Recording::current().add(op, a, b, c)}); }
  friend Lane operator+(Lane a, Lane b) { return make(LaneOp::kAdd, a.id, b.id); }
  friend Lane operator-(Lane a, Lane b) { return make(LaneOp::kSub, a.id, b.id); }
  friend Lane operator*(Lane a, Lane b) { return make(LaneOp::kMul, a.id, b.id); }
  friend Lane operator/(Lane a, Lane b) { return make(LaneOp::kDiv, a.id, b.id); }
  friend Lane operator-(Lane a) { return number_of(bits_of(a) ^ LaneBits<T>(kSign)); }
  friend LaneMask operator<(Lane a, Lane b) { return LaneMask::make(LaneOp::kLess, a.id, b.id); }
  friend LaneMask operator<=(Lane a, Lane b) { return LaneMask::make(LaneOp::kLessEqual, a.id, b.id); }
  friend LaneMask operator>(Lane a, Lane b) { return b < a; }
  friend LaneMask operator>=(Lane a, Lane b) { return b <= a; }
  friend LaneMask operator==(Lane a, Lane b) { return LaneMask::make(LaneOp::kEqual, a.id, b.id); }
  friend LaneMask operator!=(Lane a, Lane b) { return LaneMask::make(LaneOp::kNotEqual, a.id, b.id); }

  friend Lane choose(LaneMask condition, Lane yes, Lane no) {
    return make(LaneOp::kSelect, condition.id, yes.id, no.id);
  }
  friend Lane choose_needed(LaneMask condition, Lane yes, Lane no) {
    return Lane(Made{Recording::current().add(LaneOp::kSelect, condition.id, yes.id, no.id, kSkips)});
  }
  friend Lane madd(Lane a, Lane b, Lane c) { return make(LaneOp::kMultiplyAdd, a.id, b.id, c.id); }
  friend Lane square_root(Lane x) { return make(LaneOp::kSqrt, x.id); }
  friend Lane round_down(Lane x) { return make(LaneOp::kRoundDown, x.id); }
  friend Lane round_up(Lane x) { return make(LaneOp::kRoundUp, x.id); }
  friend Lane round_towards_zero(Lane x) { return with_sign(round_down(magnitude(x)), x); }
  friend Lane round_to_even(Lane x) { return make(LaneOp::kRoundToEven, x.id); }
  friend LaneBits<T> bits_of(Lane x) { return LaneBits<T>(typename LaneBits<T>::Made{x.id}); }
  friend Lane magnitude(Lane x) { return number_of(bits_of(x) & LaneBits<T>(~kSign)); }
  friend Lane with_sign(Lane x, Lane sign) {
    return number_of((bits_of(x) & LaneBits<T>(~kSign)) | (bits_of(sign) & LaneBits<T>(kSign)));
  }
  friend LaneMask is_nan(Lane x) { return LaneMask::make(LaneOp::kNotEqual, x.id, x.id); }
  friend LaneMask has_sign(Lane x) { return LaneMask::make(LaneOp::kSignBit, x.id); }

  static constexpr BitsOf<T> kSign = BitsOf<T>{1} << (8 * sizeof(T) - 1);
};

// A recorded signed integer.
template <typename T>
struct IntegerLane {
  Id id;
  template <typename Number>
  requires std::is_arithmetic_v<Number> IntegerLane(Number value)  // NOLINT(google-explicit-constructor)
      : id(Recording::current().add(LaneOp::kConstant, 0, 0, 0, static_cast<BitsOf<T>>(static_cast<T>(value)))) {}
  struct Made {
    Id id;
  };
  explicit IntegerLane(Made made) : id(made.id) {}
  static IntegerLane make(LaneOp op, Id a, Id b = 0, Id c = 0) {
    return IntegerLane(Made{Recording::current().add(op, a, b, c)});
  }
  friend IntegerLane operator+(IntegerLane a, IntegerLane b) { return make(LaneOp::kAddBits, a.id, b.id); }
  friend IntegerLane operator-(IntegerLane a, IntegerLane b) { return make(LaneOp::kSubBits, a.id, b.id); }
  friend IntegerLane operator*(IntegerLane a, IntegerLane b) { return make(LaneOp::kMulBits, a.id, b.id); }
  friend IntegerLane operator-(IntegerLane a) { return IntegerLane(0) - a; }
  friend IntegerLane operator&(IntegerLane a, IntegerLane b) { return make(LaneOp::kAnd, a.id, b.id); }
  friend IntegerLane operator|(IntegerLane a, IntegerLane b) { return make(LaneOp::kOr, a.id, b.id); }
  friend IntegerLane operator^(IntegerLane a, IntegerLane b) { return make(LaneOp::kXor, a.id, b.id); }
  friend IntegerLane operator~(IntegerLane a) { return a ^ IntegerLane(-1); }
  friend LaneMask operator>(IntegerLane a, IntegerLane b) { return LaneMask::make(LaneOp::kMoreBits, a.id, b.id); }
  friend LaneMask operator<(IntegerLane a, IntegerLane b) { return b > a; }
  friend LaneMask operator<=(IntegerLane a, IntegerLane b) { return !(a > b); }
  friend LaneMask operator>=(IntegerLane a, IntegerLane b) { return !(b > a); }
  friend LaneMask operator==(IntegerLane a, IntegerLane b) { return LaneMask::make(LaneOp::kEqualBits, a.id, b.id); }
  friend LaneMask operator!=(IntegerLane a, IntegerLane b) { return !(a == b); }
  friend IntegerLane choose(LaneMask condition, IntegerLane yes, IntegerLane no) {
    return make(LaneOp::kSelect, condition.id, yes.id, no.id);
  }
  friend IntegerLane choose_needed(LaneMask condition, IntegerLane yes, IntegerLane no) {
    return choose(condition, yes, no);
  }
  friend IntegerLane magnitude(IntegerLane x) { return choose(x < IntegerLane(0), -x, x); }
  friend IntegerLane conjugate(IntegerLane x) { return x; }
  friend NoLane is_nan(IntegerLane) { return {}; }
};

template <typename T>
Lane<T> number_of(LaneBits<T> bits) {
  return Lane<T>(typename Lane<T>::Made{bits.id});
}
inline Lane<float> signed_value(IntegerLane<std::int32_t> x) { return Lane<float>::make(LaneOp::kSignedValue, x.id); }
inline Lane<float> signed_value(LaneBits<float> bits) { return Lane<float>::make(LaneOp::kSignedValue, bits.id); }

}  // namespace tracefn::vector_code

template <typename T>
struct tracefn::NumberOf<tracefn::vector_code::Lane<T>> {
  using type = T;
};
