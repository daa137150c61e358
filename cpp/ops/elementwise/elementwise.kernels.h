// The elementwise part of the kernel table: one block kernel per function and dtype, null if the op does not support
// it.
#pragma once

#include "ops/elementwise/block.h"

namespace tracefn {

enum UnaryFunction : int {
  kAbs,
  kNeg,
  kSign,
  kSquare,
  kReciprocal,
  kFloor,
  kCeil,
  kRound,  // half to even
  kIsNan,
  kIsInf,
  kIsFinite,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSigmoid,
  kRelu,
  kRelu6,
  kElu,
  kSelu,
  kSoftplus,
  kSoftsign,
  kErf,
  kErfc,
  kErfinv,
  kNdtri,
  kLgamma,
  kDigamma,
  kInvert,
  kPopulationCount,
  kLogicalNot,
  kReal,
  kImag,
  kConj,
  kAngle,
  kComplexAbs,
  kUnaryFunctions,
};

enum BinaryFunction : int {
  kAdd,
  kSub,
  kMul,
  kSquaredDifference,
  kMaximum,
  kMinimum,
  kDiv,  // integers: truncates toward zero
  kDivNoNan,
  kMulNoNan,
  kFloorDiv,
  kFloorMod,
  kTruncateDiv,
  kTruncateMod,
  kPow,
  kXlogy,
  kXlog1py,
  kXdivy,
  kAtan2,
  kNextAfter,
  kPolygamma,
  kZeta,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kLeftShift,
  kRightShift,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLogicalAnd,
  kLogicalOr,
  kComplex,
  // Gradients that are ops of their own in TensorFlow, with the operands in its order: (y, dy) ...
  kSigmoidGrad,
  kTanhGrad,
  kReciprocalGrad,
  kSqrtGrad,
  kRsqrtGrad,
  // ... or (gradients, features or outputs).
  kReluGrad,
  kRelu6Grad,
  kEluGrad,
  kSeluGrad,
  kSoftplusGrad,
  kSoftsignGrad,
  kLeakyRelu,  // (features, alpha)
  kBinaryFunctions,
};

enum TernaryFunction : int {
  kSelect,            // (condition, t, e)
  kClipByValue,       // (t, lowest, highest)
  kLeakyReluGrad,     // (gradients, features, alpha)
  kApproximateEqual,  // (x, y, tolerance)
  kTernaryFunctions,
};

struct ElementwiseKernels {
  // Indexed by function and slot(dtype) of the operands (for kSelect: of the last two).
  UnaryBlock unary[kUnaryFunctions][kDTypeSlots];
  BinaryBlock binary[kBinaryFunctions][kDTypeSlots];
  TernaryBlock ternary[kTernaryFunctions][kDTypeSlots];
  // Indexed by the slots of source and target.
  UnaryBlock cast[kDTypeSlots][kDTypeSlots];
};

// Compiled once per instruction set.
void fill_elementwise(ElementwiseKernels& kernels);

}  // namespace tracefn
