// Program: what is computed for each element of a chain of elementwise ops, as instructions over numbers of one width
// and masks (conditions), every value made once. Written by lane.h, translated by vector_code.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tracefn::vector_code {

// Of all numbers and bits of a program: float and uint32, or double and uint64.
enum class Width : std::uint8_t { k32, k64 };

enum class Op : std::uint8_t {
  // Numbers. Sources and constants first.
  kSource,    // of the width; `bits` says which of the places
  kConstant,  // `bits`, the low ones of a narrow program
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // in[0] in[1] + in[2], rounded once
  kSqrt,
  kMax,  // in[0] > in[1] ? in[0] : in[1]
  kMin,  // in[0] < in[1] ? in[0] : in[1]
  kRoundDown,
  kRoundUp,
  kRoundToEven,
  // Bits of numbers.
  kAnd,
  kOr,
  kXor,
  kChooseBits,  // where in[0] has a bit, that of in[1], else of in[2]
  kAddBits,
  kSubBits,
  kShiftLeft,    // by `bits`
  kShiftRight,   // by `bits`, zeros shifted in
  kSignedValue,  // signed integers as numbers; of 32 bits only
  kSelect,       // in[0], a mask, ? in[1] : in[2]
  // Masks.
  kMaskSource,  // a place of bool, one byte an element: whether it is not zero
  kMaskConstant,
  kLess,  // of numbers: false for NaN
  kLessEqual,
  kEqual,
  kNotEqual,  // true for NaN
  kSignBit,
  kMaskAnd,
  kMaskOr,
  kMaskXor,
  kMaskNot,
  // Effects.
  kGuard,      // in[0], a mask, has to hold for all elements at hand: else none of them is stored, and the run ends
  kStore,      // in[0] to a place, `bits`
  kMaskStore,  // the same of a mask, as bytes 0 and 1
};

bool is_mask(Op op);    // whether what it makes is a mask
bool is_effect(Op op);  // makes no value
int num_inputs(Op op);

using Id = std::uint32_t;  // of an instruction, and of what it makes

struct Instruction {
  Op op;
  Id in[3] = {};
  std::uint64_t bits = 0;
};

class Program {
 public:
  explicit Program(Width width) : width_(width) {}

  Width width() const { return width_; }
  // Operands come before their readers; guards and then stores are at the end.
  const std::vector<Instruction>& instructions() const { return instructions_; }

  // A value that is there already is not made again; minima and maxima among selections are found,
  // and choices of bits.
  Id add(Op op, Id a = 0, Id b = 0, Id c = 0, std::uint64_t bits = 0);
  // All stores at once, last; leaves out what nothing needs then. Guards go before them.
  struct Store {
    Id value;
    std::uint64_t place;
  };
  void finish(const std::vector<Store>& stores);

 private:
  struct Hash {
    std::size_t operator()(const Instruction& i) const;
  };
  struct Same {
    bool operator()(const Instruction& a, const Instruction& b) const;
  };
  bool are_complements(Id a, Id b) const;

  Width width_;
  std::vector<Instruction> instructions_;
  std::vector<Id> guards_;  // masks
  std::unordered_map<Instruction, Id, Hash, Same> made_;
};

}  // namespace tracefn::vector_code
