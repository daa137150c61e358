// The part of the kernel table for Fourier transforms of some columns at once, one in each lane.
#pragma once

#include <cstdint>

namespace tracefn {

// One transform for each of up to `lanes` columns. Steps and distances count complex numbers.
struct FftColumns {
  const void* from;
  std::int64_t from_step, from_column;  // between the elements of a column; between columns
  void* to;
  std::int64_t to_step, to_column;
  int count;               // of columns
  bool swap_in, swap_out;  // exchanges real and imaginary parts: both make it the inverse transform, times the length
  double scale;            // of the results
  const void* twiddles;    // null, or: element k of column j is multiplied by twiddles[k * twiddle_step + j]
  std::int64_t twiddle_step;
};

// A plan may be used by several threads at once.
struct FftKernel {
  int lanes;
  // A plan for transforms of length n > 0; null if there is not enough memory.
  void* (*make)(std::int64_t n);
  void (*drop)(void* plan);
  std::int64_t (*plan_bytes)(const void* plan);
  std::int64_t (*scratch_bytes)(const void* plan);
  // `scratch` is aligned to 64 bytes. Source and result may be the same columns.
  void (*run)(const void* plan, const FftColumns& columns, void* scratch);
};

struct FftKernels {
  FftKernel single, twice;  // of complex64 and complex128
};

void fill_fft(FftKernels& kernels);

}  // namespace tracefn
