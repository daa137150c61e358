// SoftmaxRows: the steps of softmax and the cross entropies over rows of logits that stay in the cache from one step to
// the next. Short rows are taken many at a time. The sums have the bits of the reduction Sum, so fused groups, which
// run such rows as reductions and elementwise ops, give the same results.
#pragma once

#include <algorithm>

#include "base/poll.h"
#include "ops/broadcast_plan.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/kernel.h"

namespace tracefn {

// Used by one thread, on its stack. T: float or double.
template <typename T>
class SoftmaxRows {
 public:
  // So many elements at once, unless one row has more.
  static constexpr std::int64_t kElements = 1024;
  static constexpr std::int64_t rows_at_once(std::int64_t n) { return std::max<std::int64_t>(kElements / n, 1); }

  // Takes `rows` rows of n elements, at most rows_at_once(n); `powers`: where their exponentials go, unless null.
  void take(const T* x, std::int64_t rows, std::int64_t n, T* powers) {
    x_ = x;
    rows_ = rows;
    n_ = n;
    reduction(kReduceMax).rows(x, rows, n, most_);
    if (n <= kLeaf) {
      T* to = powers ? powers : scratch_;
      if (n >= kLeastRow) {
        kernel().powers_of_rows(x, most_, rows, n, to);
      } else {
        spread(most_, spread_most_);
        for_elements(0, rows * n, [&](std::int64_t begin, std::int64_t count) {
          kernel().powers(x + begin, numbers(begin), to + begin, count);
        });
      }
      reduction(kReduceSum).rows(to, rows, n, total_);
    } else {
      total_[0] = halve(0, n, powers);
    }
  }
  // After take():
  std::int64_t rows() const { return rows_; }
  T most(std::int64_t row) const { return most_[row]; }
  T log_total(std::int64_t row) const { return log_total_[row]; }

  // y, the powers, become y / total as `reciprocal` says: by a product, as TensorFlow's softmax does, or a division.
  void divide(T* y, bool reciprocal) {
    if (reciprocal) elementwise_kernel<functions::Reciprocal>(kDType)(total_, total_, rows_);
    if (reciprocal && n_ >= kLeastRow && n_ <= kLeaf) return kernel().scale_rows(y, total_, rows_, n_);
    spread(total_, spread_total_);
    const BinaryBlock block =
        reciprocal ? elementwise_kernel<functions::Mul>(kDType) : elementwise_kernel<functions::Div>(kDType);
    for_elements(0, rows_ * n_, [&](std::int64_t begin, std::int64_t count) {
      const RowNumbers row = numbers(begin);
      block(y + begin, row.total, y + begin, count, row.one ? 2 : 0);
    });
  }
  void find_log_totals() { elementwise_kernel<functions::Log>(kDType)(total_, log_total_, rows_); }
  // y = x - most - log_total
  void logarithms(T* y) {
    spread(most_, spread_most_);
    spread(log_total_, spread_log_);
    for_elements(0, rows_ * n_, [&](std::int64_t begin, std::int64_t count) {
      kernel().logarithms(x_ + begin, numbers(begin), y + begin, count);
    });
  }
  // y, the powers, become y / total - labels; losses: one for each row.
  void cross_entropy(const T* labels, T* y, T* losses) {
    spread(most_, spread_most_);
    spread(total_, spread_total_);
    spread(log_total_, spread_log_);
    if (n_ <= kLeaf) {
      for_elements(0, rows_ * n_, [&](std::int64_t begin, std::int64_t count) {
        kernel().cross_entropy(x_ + begin, labels + begin, numbers(begin), y + begin, scratch_ + begin, count);
      });
      reduction(kReduceSum).rows(scratch_, rows_, n_, losses);
    } else {
      *losses = halve_losses(0, n_, labels, y);
    }
  }

 private:
  static constexpr DType kDType = DTypeOf<T>::value;
  // A sum's rows are halved down to so many elements.
  static constexpr std::int64_t kLeaf = 64 * 64 / static_cast<std::int64_t>(sizeof(T));
  static_assert(kLeaf <= kElements);

  static const SoftmaxKernel& kernel() { return kernel_table().softmax.of[slot(kDType)]; }
  static const ReduceKernel& reduction(ReduceFunction f) { return kernel_table().array.reduce[f][slot(kDType)]; }

  bool one() const { return rows_ == 1; }
  RowNumbers numbers(std::int64_t begin) const {
    if (one()) return {most_, total_, log_total_, true};
    return {spread_most_ + begin, spread_total_ + begin, spread_log_ + begin, false};
  }
  void spread(const T* numbers, T* to) const {
    if (!one()) repeat_each(numbers, to, rows_, n_, sizeof(T));
  }
  template <typename F>
  void for_elements(std::int64_t from, std::int64_t to, const F& f) const {
    in_slices(from, to, 1, [&](std::int64_t begin, std::int64_t end) { f(begin, end - begin); });
  }
  // f(begin, count) for leaves of the row's elements [begin, begin + n): the sum of what f gives, added as Sum adds.
  template <typename F>
  T sum_of_leaves(std::int64_t begin, std::int64_t n, const F& f) {
    if (n <= kLeaf) {
      polled_.step();
      return f(begin, n);
    }
    const std::int64_t half = (n / 2 + kLeaf - 1) / kLeaf * kLeaf;
    T both[2];
    both[0] = sum_of_leaves(begin, half, f);
    both[1] = sum_of_leaves(begin + half, n - half, f);
    T sum;
    reduction(kReduceSum).merge(both, 2, 1, 1, &sum);
    return sum;
  }
  static T sum(const T* x, std::int64_t n) {
    T result;
    reduction(kReduceSum).rows(x, 1, n, &result);
    return result;
  }
  T halve(std::int64_t begin, std::int64_t n, T* powers) {
    return sum_of_leaves(begin, n, [&](std::int64_t at, std::int64_t count) {
      T* to = powers ? powers + at : scratch_;
      kernel().powers(x_ + at, numbers(at), to, count);
      return sum(to, count);
    });
  }
  T halve_losses(std::int64_t begin, std::int64_t n, const T* labels, T* y) {
    return sum_of_leaves(begin, n, [&](std::int64_t at, std::int64_t count) {
      kernel().cross_entropy(x_ + at, labels + at, numbers(at), y + at, scratch_, count);
      return sum(scratch_, count);
    });
  }

  const T* x_ = nullptr;
  std::int64_t rows_ = 0, n_ = 0;
  PolledSteps polled_;
  T most_[kElements], total_[kElements], log_total_[kElements];
  T spread_most_[kElements], spread_total_[kElements], spread_log_[kElements];
  T scratch_[kElements];
};

}  // namespace tracefn
