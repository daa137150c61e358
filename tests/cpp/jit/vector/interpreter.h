// What a program computes, one element after another, in plain C++.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "jit/vector/program.h"

namespace tracefn::test {

template <typename T>
class Interpreter {
 public:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Signed = std::make_signed_t<Bits>;

  Interpreter(const vector_code::LaneProgram& program, std::uint64_t scalars)
      : program_(program), scalars_(scalars), values_(program.instructions().size()) {}

  // As VectorCode::run(), with vectors of so many bytes.
  std::int64_t run(void* const* places, std::int64_t n, std::size_t vector_bytes = 64) {
    const auto lanes = static_cast<std::int64_t>(vector_bytes / sizeof(T));
    for (std::int64_t begin = 0; begin < n; begin += lanes) {
      const std::int64_t end = std::min(n, begin + lanes);
      for (std::int64_t i = begin; i < end; ++i)
        if (!element(places, i, false)) return begin;
      for (std::int64_t i = begin; i < end; ++i) element(places, i, true);
    }
    return n;
  }

 private:
  using LaneOp = vector_code::LaneOp;
  static T number(Bits b) { return std::bit_cast<T>(b); }
  static Bits bits(T x) { return std::bit_cast<Bits>(x); }

  bool is_scalar(std::uint64_t place) const { return place < 64 && (scalars_ >> place & 1); }

  bool element(void* const* places, std::int64_t i, bool stores) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const vector_code::LaneInstruction& made = program_.instructions()[k];
      if (made.op == LaneOp::kGuard && !values_[made.in[0]]) return false;
      if (made.op == LaneOp::kStore && stores) static_cast<Bits*>(places[made.bits])[i] = values_[made.in[0]];
      if (made.op == LaneOp::kMaskStore && stores)
        static_cast<unsigned char*>(places[made.bits])[i] = values_[made.in[0]] != 0;
      if (is_effect(made.op)) continue;
      const std::int64_t at = is_scalar(made.bits) ? 0 : i;
      if (made.op == LaneOp::kSource) {
        values_[k] = static_cast<const Bits*>(places[made.bits])[at];
      } else if (made.op == LaneOp::kMaskSource) {
        values_[k] = static_cast<const unsigned char*>(places[made.bits])[at] != 0;
      } else {
        values_[k] = value(made);
      }
    }
    return true;
  }

  Bits value(const vector_code::LaneInstruction& made) const {
    const Bits a = values_[made.in[0]], b = values_[made.in[1]], c = values_[made.in[2]];
    const T x = number(a), y = number(b), z = number(c);
    switch (made.op) {
      case LaneOp::kConstant:
        return static_cast<Bits>(made.bits);
      case LaneOp::kMaskConstant:
        return made.bits != 0;
      case LaneOp::kAdd:
        return bits(x + y);
      case LaneOp::kSub:
        return bits(x - y);
      case LaneOp::kMul:
        return bits(x * y);
      case LaneOp::kDiv:
        return bits(x / y);
      case LaneOp::kMultiplyAdd:
        return bits(std::fma(x, y, z));
      case LaneOp::kSqrt:
        return bits(std::sqrt(x));
      case LaneOp::kMax:
        return x > y ? a : b;
      case LaneOp::kMin:
        return x < y ? a : b;
      case LaneOp::kRoundDown:
        return bits(std::floor(x));
      case LaneOp::kRoundUp:
        return bits(std::ceil(x));
      case LaneOp::kRoundToEven:
        return bits(std::nearbyint(x));
      case LaneOp::kAnd:
        return a & b;
      case LaneOp::kOr:
        return a | b;
      case LaneOp::kXor:
        return a ^ b;
      case LaneOp::kChooseBits:
        return (a & b) | (~a & c);
      case LaneOp::kAddBits:
        return a + b;
      case LaneOp::kSubBits:
        return a - b;
      case LaneOp::kMulBits:
        return a * b;
      case LaneOp::kShiftLeft:
        return a << made.bits;
      case LaneOp::kShiftRight:
        return a >> made.bits;
      case LaneOp::kSignedValue:
        return bits(static_cast<T>(static_cast<Signed>(a)));
      case LaneOp::kSelect:
        return a ? b : c;
      case LaneOp::kLess:
        return x < y;
      case LaneOp::kLessEqual:
        return x <= y;
      case LaneOp::kEqual:
        return x == y;
      case LaneOp::kNotEqual:
        return x != y;
      case LaneOp::kMoreBits:
        return static_cast<Signed>(a) > static_cast<Signed>(b);
      case LaneOp::kEqualBits:
        return a == b;
      case LaneOp::kSignBit:
        return std::signbit(x);
      case LaneOp::kMaskAnd:
        return a & b;
      case LaneOp::kMaskOr:
        return a | b;
      case LaneOp::kMaskXor:
        return a ^ b;
      case LaneOp::kMaskNot:
        return !a;
      default:
        return 0;  // effects make no value
    }
  }

  const vector_code::LaneProgram& program_;
  const std::uint64_t scalars_;
  std::vector<Bits> values_;
};

}  // namespace tracefn::test
