// The random part of the kernel table: Philox streams and distributions.
#pragma once

#include "math/philox.h"
#include "ops/elementwise/block.h"

namespace tracefn {

// Fills elements [begin, end) of a distribution's stream; `out` points to element 0. `begin` is a multiple of
// kRandomGroup. The stream begins at `start`; `low` and `range` bound integers, for range != 0: low + word % range.
using RandomFill = void (*)(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t low,
                            std::uint64_t range);

// The shard granularity: a multiple of what one Philox block gives for any dtype.
inline constexpr std::int64_t kRandomGroup = 4;

enum RandomDistribution : int { kUniform, kStandardNormal, kTruncatedNormal, kRandomDistributions };

enum BoundedNormalStatus : int {
  kDrawn,
  kInvalidParameters,
  kNormalFailed,  // the sampler named here rejected a thousand numbers in a row
  kUniformFailed,
  kExponentialFailed
};
// Draws n > 0 normal numbers from a stream, which advances, and writes them to every `step`-th element of `out`.
// `parameters` are the mean, the standard deviation, and the bounds.
using BoundedNormals = BoundedNormalStatus (*)(Philox* stream, const void* parameters, std::int64_t n, void* out,
                                               std::int64_t step);

// Writes the first normal number and the first two uniform ones that each of n samples draws (sample_stream.h), from
// sample `first` on. A sample has `blocks_per_sample` blocks of the stream, which begins at `start`.
using FirstDraws = void (*)(const Philox* start, std::uint64_t first, std::int64_t n, std::uint64_t blocks_per_sample,
                            double* normals, double* uniforms);

struct RandomKernels {
  RandomFill fill[kRandomDistributions][kDTypeSlots];
  BoundedNormals bounded_normals[kDTypeSlots];
  FirstDraws first_draws;
};

void fill_random(RandomKernels& kernels);
// The rows of normal distributions.
void fill_normals(RandomKernels& kernels);
void fill_bounded_normals(RandomKernels& kernels);

}  // namespace tracefn
