// Plans of Fourier transforms, kept between calls. A plan says how one length is computed; the kernels of a plan take
// several columns at once.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/kernel_table.h"

namespace tracefn {

template <typename T>
const FftKernel& fft_kernel() {
  const FftKernels& kernels = kernel_table().fft;
  return std::is_same_v<T, float> ? kernels.single : kernels.twice;
}

// Columns of one length side by side.
template <typename T>
class ColumnsPlan {
 public:
  explicit ColumnsPlan(std::int64_t n);
  ~ColumnsPlan() { fft_kernel<T>().drop(plan_); }
  ColumnsPlan(const ColumnsPlan&) = delete;
  ColumnsPlan& operator=(const ColumnsPlan&) = delete;

  std::int64_t length() const { return n_; }
  std::int64_t bytes() const { return fft_kernel<T>().plan_bytes(plan_); }
  std::int64_t scratch_bytes() const { return fft_kernel<T>().scratch_bytes(plan_); }
  void run(const FftColumns& columns, void* scratch) const { fft_kernel<T>().run(plan_, columns, scratch); }

 private:
  std::int64_t n_;
  void* plan_;
};

// One long column of smooth length as a matrix: transforms of its columns, then of its rows (D. Bailey, FFTs in
// external or hierarchical memory, 1990).
template <typename T>
struct MatrixPlan {
  std::shared_ptr<const ColumnsPlan<T>> rows, columns;  // transforms of length `rows` and `columns` of the matrix
  std::vector<std::complex<T>> twiddles;                // between them, in the form of the matrix

  std::int64_t length() const { return rows->length() * columns->length(); }
};

// One long column of any other length, as a convolution of a smooth length.
template <typename T>
struct ChirpPlan {
  std::shared_ptr<const MatrixPlan<T>> convolution;
  std::vector<std::complex<T>> chirp, spectrum;
};

// Exactly one of these is set.
template <typename T>
struct FftPlan {
  std::shared_ptr<const ColumnsPlan<T>> columns;
  std::shared_ptr<const MatrixPlan<T>> matrix;
  std::shared_ptr<const ChirpPlan<T>> chirp;
  std::int64_t bytes = 0;
};

// The plan for `columns` transforms of length n > 1.
template <typename T>
std::shared_ptr<const FftPlan<T>> fft_plan(std::int64_t n, std::int64_t columns);

// exp(-2 pi i k / n) for 0 <= k < n.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t n);

// root_of_unity(k, n) for 0 <= k <= n / 2.
template <typename T>
std::shared_ptr<const std::vector<std::complex<T>>> half_roots(std::int64_t n);

}  // namespace tracefn
