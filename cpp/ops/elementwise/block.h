// Block kernels: the interface of an elementwise op to the driver and to fusion. A block kernel computes n contiguous
// elements (or one scalar repeated) and knows nothing of shapes, threads or allocation. This header crosses the
// boundary to the kernel libraries: plain C++ types only.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace tracefn {

// The status of a block kernel; the driver turns it into the op's error.
enum BlockStatus : int { kBlockOk = 0, kBlockDivisionByZero = 1, kBlockNegativePower = 2 };

// Whether a long-running kernel must return at once; its output is not used then. Polled every few milliseconds.
using StopCheck = bool (*)();

// y[i] = f(x[i])
using UnaryBlock = int (*)(const void* x, void* y, std::int64_t n);
// y[i] = f(a[i], b[i]); bit 0 of `scalars` says that a is one element repeated, bit 1 that b is (never both).
using BinaryBlock = int (*)(const void* a, const void* b, void* y, std::int64_t n, int scalars);
// y[i] = f(c[i], a[i], b[i]); bits 0, 1, 2 of `scalars` say that c, a, b are one element repeated (never all).
using TernaryBlock = int (*)(const void* c, const void* a, const void* b, void* y, std::int64_t n, int scalars);

union BlockKernel {
  UnaryBlock unary = nullptr;
  BinaryBlock binary;
  TernaryBlock ternary;

  constexpr BlockKernel() = default;
  constexpr BlockKernel(UnaryBlock kernel) : unary(kernel) {}      // NOLINT(google-explicit-constructor)
  constexpr BlockKernel(BinaryBlock kernel) : binary(kernel) {}    // NOLINT(google-explicit-constructor)
  constexpr BlockKernel(TernaryBlock kernel) : ternary(kernel) {}  // NOLINT(google-explicit-constructor)
};

// In-place use (y equal to an input of the same dtype) is allowed for every block kernel.

// The number of operands; casts have a table of their own.
enum class BlockArity : std::uint8_t { kUnary = 1, kBinary = 2, kTernary = 3, kCast = 4 };

// The dtype of the result, given that of the operands.
enum class BlockResult : std::uint8_t {
  kSame,     // theirs
  kBool,     // comparisons, tests
  kReal,     // float for complex64, double for complex128
  kComplex,  // complex64 for float, complex128 for double
  kUInt8,    // counts of bits
  kDstT,     // the attribute DstT (Cast)
};

// The kernels of function number `function` (id_of in functions.h) are in row `function` of
// kernel_table().elementwise.functions. For kCast the table is `cast`, indexed by both dtypes, and `function` is
// unused.
struct BlockSpec {
  BlockArity arity;
  int function;
  double cost = 1.0;  // nanoseconds per element, roughly: decides the shards
  BlockResult result = BlockResult::kSame;
};

}  // namespace tracefn
