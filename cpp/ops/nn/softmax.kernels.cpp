// Rows of logits, in vector code.
#include "ops/elementwise/broad_vectors.kernels.h"
// first
#include <algorithm>

#include "math/vector_double.h"
#include "math/vector_math.h"
#include "ops/nn/softmax.kernels.h"

namespace tracefn {
namespace {

// A number of the row: the same for all elements, or one for each.
template <typename T, bool kOne>
struct Number {
  const T* x;
  explicit Number(const void* data) : x(static_cast<const T*>(data)) {}
  T operator[](std::int64_t i) const { return x[kOne ? 0 : i]; }
};

// f.operator()<bool>() for row.one
template <typename F>
void by_kind(const RowNumbers& row, const F& f) {
  row.one ? f.template operator()<true>() : f.template operator()<false>();
}

template <typename T>
void powers(const void* x, const RowNumbers& row, void* y, std::int64_t n) {
  by_kind(row, [&]<bool kOne>() {
    auto* from = static_cast<const T*>(x);
    auto* to = static_cast<T*>(y);
    const Number<T, kOne> most(row.most);
    const T first = most[0];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = vector_exp(from[i] - (kOne ? first : most[i]));
  });
}

// y[i] = f(i, row) for all elements, row by row. Vectors at the end of a row begin before the others do, and overlap
// with them: f may read y[i].
template <typename T, typename F>
[[gnu::always_inline]] inline void for_rows(std::int64_t rows, std::int64_t n, T* y, const F& f) {
  std::int64_t width = kLeastRow;
  asm("" : "+r"(width));  // loops whose length is known are unrolled into numbers instead of vectors
  auto compute = [&f](std::int64_t at, std::int64_t count, std::int64_t row, T * to) __attribute__((always_inline)) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) to[i] = f(at + i, row);
  };
  for (std::int64_t row = 0, begin = 0; row < rows; ++row, begin += n) {
    T rest[kLeastRow];
    const std::int64_t last = begin + n - kLeastRow;
    compute(last, width, row, rest);
    compute(begin, (n - 1) / kLeastRow * width, row, y + begin);
    std::copy_n(rest, kLeastRow, y + last);
  }
}

template <typename T>
void powers_of_rows(const void* x, const void* most, std::int64_t rows, std::int64_t n, void* y) {
  auto* from = static_cast<const T*>(x);
  auto* of_row = static_cast<const T*>(most);
  for_rows(
      rows, n, static_cast<T*>(y), [=](std::int64_t i, std::int64_t row) __attribute__((always_inline)) {
        return vector_exp(from[i] - of_row[row]);
      });
}

template <typename T>
void scale_rows(void* y, const void* factors, std::int64_t rows, std::int64_t n) {
  auto* of_row = static_cast<const T*>(factors);
  auto* to = static_cast<T*>(y);
  for_rows(
      rows, n,
      to, [=](std::int64_t i, std::int64_t row) __attribute__((always_inline)) { return to[i] * of_row[row]; });
}

template <typename T>
void logarithms(const void* x, const RowNumbers& row, void* y, std::int64_t n) {
  by_kind(row, [&]<bool kOne>() {
    auto* from = static_cast<const T*>(x);
    auto* to = static_cast<T*>(y);
    const Number<T, kOne> most(row.most), log_total(row.log_total);
    const T first = most[0], first_log = log_total[0];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] - (kOne ? first : most[i]) - (kOne ? first_log : log_total[i]);
  });
}

template <typename T>
void cross_entropy(const void* x, const void* labels, const RowNumbers& row, void* y, void* terms, std::int64_t n) {
  by_kind(row, [&]<bool kOne>() {
    auto* from = static_cast<const T*>(x);
    auto* p = static_cast<const T*>(labels);
    auto *to = static_cast<T*>(y), *sums = static_cast<T*>(terms);
    const Number<T, kOne> most(row.most), total(row.total), log_total(row.log_total);
    const T first = most[0], first_total = total[0], first_log = log_total[0];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
      const T below = from[i] - (kOne ? first : most[i]);
      const T term = p[i] * ((kOne ? first_log : log_total[i]) - below);
      sums[i] = p[i] == T(0) ? T(0) : term;  // however unlikely the class
      to[i] = to[i] / (kOne ? first_total : total[i]) - p[i];
    }
  });
}

template <typename T>
constexpr SoftmaxKernel kKernel{powers<T>, powers_of_rows<T>, scale_rows<T>, logarithms<T>, cross_entropy<T>};

}  // namespace

void fill_softmax(SoftmaxKernels& kernels) {
  kernels.of[slot(DType::kFloat)] = kKernel<float>;
  kernels.of[slot(DType::kDouble)] = kKernel<double>;
}

}  // namespace tracefn
