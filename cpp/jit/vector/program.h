// LaneProgram: the per-element computation of a group of elementwise ops, as SSA instructions over numbers of one width
// and masks (conditions). Recorded by lane.h, translated by vector_code.h.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/consecutive.h"

namespace tracefn::vector_code {

// The width of all numbers and bits of a program: float and uint32, or double and uint64. A program of bools alone has
// width 8: add() makes their masks numbers 0 and 1.
enum class LaneWidth : std::uint8_t { k8, k32, k64 };

enum class LaneOp : std::uint8_t {
  // Numbers. Sources and constants first.
  kSource,    // of the width; `bits` is the place
  kConstant,  // `bits`, the low ones of a narrow program
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // in[0] in[1] + in[2], an fma
  kSqrt,
  kMax,  // in[0] > in[1] ? in[0] : in[1]
  kMin,  // in[0] < in[1] ? in[0] : in[1]
  kRoundDown,
  kRoundUp,
  kRoundToEven,
  // Bitwise, on numbers.
  kAnd,
  kOr,
  kXor,
  kChooseBits,  // bitwise in[0] ? in[1] : in[2]; those two differ
  kAddBits,
  kSubBits,
  kMulBits,      // 32 bits only
  kMinBits,      // the lesser unsigned integer; 8 bits only
  kShiftLeft,    // by `bits`
  kShiftRight,   // logical, by `bits`
  kSignedValue,  // signed integers converted to numbers; 32 bits only
  kSelect,       // in[0], a mask, ? in[1] : in[2]; with `bits` kSkips, code may skip a side that no lane takes
  // Masks.
  kMaskSource,  // a bool place, one byte per element: nonzero
  kMaskConstant,
  kLess,  // on numbers: false for NaN
  kLessEqual,
  kEqual,
  kNotEqual,  // true for NaN
  kMoreBits,  // in[0] > in[1], as signed integers
  kEqualBits,
  kSignBit,
  kMaskAnd,
  kMaskOr,
  kMaskXor,
  kMaskNot,
  // Jumps, which only code has: to the kSkipEnd that follows.
  kSkipIfNone,  // if in[0], a mask, holds for no lane
  kSkipIfAll,   // if it holds for all lanes
  kSkipEnd,
  // Side effects.
  kGuard,      // in[0], a mask, must hold for all current elements: else none of them is stored, and the run ends
  kStore,      // in[0] to a place, `bits`
  kMaskStore,  // the same for a mask, as bytes 0 and 1
};
// Masks and effects are recognized by their place.
static_assert(consecutive(LaneOp::kSelect, LaneOp::kMaskSource, LaneOp::kMaskConstant, LaneOp::kLess,
                          LaneOp::kLessEqual, LaneOp::kEqual, LaneOp::kNotEqual, LaneOp::kMoreBits, LaneOp::kEqualBits,
                          LaneOp::kSignBit, LaneOp::kMaskAnd, LaneOp::kMaskOr, LaneOp::kMaskXor, LaneOp::kMaskNot,
                          LaneOp::kSkipIfNone, LaneOp::kSkipIfAll, LaneOp::kSkipEnd, LaneOp::kGuard, LaneOp::kStore,
                          LaneOp::kMaskStore));

bool is_mask(LaneOp op);    // whether its result is a mask
bool is_effect(LaneOp op);  // has no result
bool is_jump(LaneOp op);    // or a jump's end
int num_inputs(LaneOp op);

inline constexpr std::uint64_t kSkips = 1;

using Id = std::uint32_t;  // of an instruction and its result

struct LaneInstruction {
  LaneOp op;
  Id in[3] = {};
  std::uint64_t bits = 0;
};

class LaneProgram {
 public:
  explicit LaneProgram(LaneWidth width) : width_(width) {}

  LaneWidth width() const { return width_; }
  // Operands precede their uses; guards and then stores are at the end.
  const std::vector<LaneInstruction>& instructions() const { return instructions_; }

  // Value numbering; also recognizes min, max and bitwise selects.
  Id add(LaneOp op, Id a = 0, Id b = 0, Id c = 0, std::uint64_t bits = 0);
  // Adds all stores, last, and the guards before them; then DCE.
  struct Store {
    Id value;
    std::uint64_t place;
  };
  void finish(const std::vector<Store>& stores);

 private:
  struct Hash {
    std::size_t operator()(const LaneInstruction& i) const;
  };
  struct Same {
    bool operator()(const LaneInstruction& a, const LaneInstruction& b) const;
  };
  bool are_complements(Id a, Id b) const;
  std::optional<double> constant(Id id) const;
  // choose(condition, x, y), if that is a maximum or minimum where NaN wins.
  std::optional<Id> add_extreme(const LaneInstruction& condition, Id x, Id y);
  // The number of width 8 that a mask's operation gives.
  Id add_bool(LaneOp op, Id a, Id b, std::uint64_t bits);

  LaneWidth width_;
  std::vector<LaneInstruction> instructions_;
  std::vector<Id> guards_;  // masks
  std::unordered_map<LaneInstruction, Id, Hash, Same> made_;
};

}  // namespace tracefn::vector_code
