// KernelTable: the functions that depend on the instruction set, filled by one kernel library. Each family declares its
// part in name.kernels.h and fills it in name.kernels.cpp, which is compiled once per instruction set. Only plain
// pointers and numbers cross the boundary: no exceptions, no std or Eigen types.
#pragma once

#include "ops/array/array.kernels.h"
#include "ops/array/search.kernels.h"
#include "ops/array/strided_copies.kernels.h"
#include "ops/conv/depthwise.kernels.h"
#include "ops/elementwise/elementwise.kernels.h"
#include "ops/image/image.kernels.h"
#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/gemm/gemm.kernels.h"
#include "ops/nn/normalization.kernels.h"
#include "ops/nn/softmax.kernels.h"
#include "ops/pool/pool.kernels.h"
#include "ops/random/random.kernels.h"
#include "ops/signal/fft.kernels.h"
#include "ops/state/optimizers.kernels.h"

namespace tracefn {

struct KernelTable {
  ElementwiseKernels elementwise;
  ArrayKernels array;
  GemmKernels gemm;
  DecompositionTable decompositions;
  DepthwiseKernels depthwise;
  PoolKernels pool;
  NormalizationKernels normalization;
  SoftmaxKernels softmax;
  RandomKernels random;
  OptimizerKernels optimizers;
  ImageKernels image;
  FftKernels fft;
  CopyKernels copies;
  SearchKernels search;
};

// The table in use; loads the library on first call, from the folder that TRACEFN_KERNEL_DIR names or beside this
// library. Thread-safe.
const KernelTable& kernel_table();
// "v2", "v3", "v4" or "neon".
const char* kernel_isa();
// Whether they use fma where the source says so (math/lanes.h): all but v2's.
bool kernels_multiply_add();

extern "C" {
// Exported by each kernel library; false if `bytes` is not the size of the table it was built with.
using FillKernels = bool (*)(KernelTable* table, unsigned long bytes);
}

}  // namespace tracefn
