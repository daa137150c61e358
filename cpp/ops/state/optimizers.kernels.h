// The part of the kernel table for optimizers: one step of an update rule over the elements of a variable and of the
// variables beside it, all read and written once.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

enum Optimizer : int {
  kMomentum,
  kKerasMomentum,
  kAdam,
  kAdamWithAmsgrad,
  kAdaMax,
  kAdagrad,
  kAdagradV2,
  kAdadelta,
  kRMSProp,
  kCenteredRMSProp,
  kFtrl,         // V2 with a shrinkage of 0
  kFtrlByPower,  // for powers of the learning rate other than -0.5
  kAddSign,
  kPowerSign,
  kProximalGradientDescent,
  kProximalAdagrad,
  kOptimizers
};

inline constexpr int kMostStates = 4, kMostNumbers = 8;

// Updates n elements of `states`, the variable first, which may be the same memory. `numbers`: the op's scalars in the
// order of its inputs, then its flags, as floats for half and bfloat16.
using OptimizerStep = void (*)(void* const* states, const void* numbers, const void* gradient, std::int64_t n);

struct OptimizerKernels {
  OptimizerStep step[kOptimizers][kDTypeSlots];  // floating-point numbers
};

void fill_optimizers(OptimizerKernels& kernels);

}  // namespace tracefn
