// The row of an elementwise function: a struct F in a *.functions.h file with `static Y of(X...)` and these facts.
// Kernels are loops of `of` over numbers, which the compiler vectorizes if `of` is plain arithmetic; scalar code calls
// those kernels; vector code calls `of` with lanes (jit/vector/lane.h). A function of one operand may have
// `fits(x)`, which says whether `of` is right there, and `beyond(x)` for the other arguments.
#pragma once

#include "ops/elementwise/block.h"

namespace tracefn {

// A set of dtypes.
struct DTypes {
  std::uint32_t bits = 0;

  template <typename... Ds>
  static constexpr DTypes of(Ds... dtypes) {
    return {(0u | ... | (1u << slot(dtypes)))};
  }
  constexpr bool has(DType d) const { return (bits >> slot(d) & 1) != 0; }
  constexpr bool empty() const { return bits == 0; }
  friend constexpr DTypes operator|(DTypes a, DTypes b) { return {a.bits | b.bits}; }
  friend constexpr DTypes operator&(DTypes a, DTypes b) { return {a.bits & b.bits}; }
  friend constexpr bool operator==(DTypes a, DTypes b) { return a.bits == b.bits; }
};
static_assert(kDTypeSlots <= 32);

namespace functions {

inline constexpr DTypes kNone{};
inline constexpr DTypes kFloatAndDouble = DTypes::of(DType::kFloat, DType::kDouble);
inline constexpr DTypes kHalves = DTypes::of(DType::kHalf, DType::kBFloat16);
inline constexpr DTypes kReals = kFloatAndDouble | kHalves;
inline constexpr DTypes kComplexes = DTypes::of(DType::kComplex64, DType::kComplex128);
inline constexpr DTypes kSignedIntegers = DTypes::of(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
inline constexpr DTypes kUnsignedIntegers = DTypes::of(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
inline constexpr DTypes kIntegers = kSignedIntegers | kUnsignedIntegers;
inline constexpr DTypes kBoolean = DTypes::of(DType::kBool);

template <BlockArity arity, DTypes dtypes, BlockResult result>
struct Row {
  static constexpr BlockArity kArity = arity;
  static constexpr DTypes kDTypes = dtypes;  // that it has kernels for
  static constexpr BlockResult kResult = result;
  // Those whose kernels are loops of `of`. The family's *.kernels.cpp fills in the others.
  static constexpr DTypes kLoops = dtypes;
  // Those that vector code takes.
  static constexpr DTypes kRecorded = dtypes & (kFloatAndDouble | kBoolean);
  // Signed integers have the kernels of unsigned ones.
  static constexpr bool kSignless = false;
  // Much slower than a load, or not vectorized: one loop serves repeated operands too.
  static constexpr bool kOneLoop = false;
  // Some record has it as its block; otherwise an op's own kernel prepares its operands.
  static constexpr bool kIsOp = true;
};
template <DTypes dtypes, BlockResult result = BlockResult::kSame>
using Unary = Row<BlockArity::kUnary, dtypes, result>;
template <DTypes dtypes, BlockResult result = BlockResult::kSame>
using Binary = Row<BlockArity::kBinary, dtypes, result>;
template <DTypes dtypes, BlockResult result = BlockResult::kSame>
using Ternary = Row<BlockArity::kTernary, dtypes, result>;

// A list of functions: each family's file ends with one.
template <typename... Fs>
struct Functions {};

}  // namespace functions
}  // namespace tracefn
