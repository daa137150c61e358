// Applies rotations in vector code.
#include "ops/linalg/rotations.kernels.h"

#include <algorithm>
#include <cmath>

#include "ops/vectors.kernels.h"

namespace tracefn {
namespace {

// Rotations that are kept before they are applied: they share the cache with the rows.
constexpr std::size_t kMostKept = 4096;

}  // namespace

Turn turn(double x, double y) {
  constexpr double kSmall = 0x1p-500, kUp = 0x1p600;
  const double larger = std::max(std::abs(x), std::abs(y));
  if (larger == 0) return {1, 0, 0};
  const double scale = larger < kSmall ? kUp : 1;  // the squares must not vanish
  x *= scale;
  y *= scale;
  const double length = std::sqrt(x * x + y * y);
  return {x / length, y / length, length / scale};
}

void Rotations::start(std::int64_t first, std::int64_t step) {
  if (!columns_) return;
  if (all_.size() > kMostKept) apply();
  sweeps_.push_back({first, step, all_.size()});
}

template <typename F>
void Rotations::for_sweeps(std::int64_t row, const F& f) const {
  for (std::size_t i = 0; i < sweeps_.size(); ++i) {
    const Sweep& sweep = sweeps_[i];
    const std::size_t end = i + 1 < sweeps_.size() ? sweeps_[i + 1].begin : all_.size();
    f(columns_ + sweep.first * rows_ + row, sweep.step * rows_, all_.data() + sweep.begin, end - sweep.begin);
  }
}

template <int kVectors>
void Rotations::rotate(std::int64_t row) const {
  constexpr int kLanes = kVectorLanes<double>;
  for_sweeps(row, [](double* x, std::int64_t step, const One* rotations, std::size_t count) {
    Vector<double> a[kVectors];
    for (int v = 0; v < kVectors; ++v) a[v] = load(x + v * kLanes);
    for (std::size_t i = 0; i < count; ++i, x += step) {
      const Vector<double> c = repeated(rotations[i].c), s = repeated(rotations[i].s);
      for (int v = 0; v < kVectors; ++v) {
        const Vector<double> b = load(x + step + v * kLanes);
        store(x + v * kLanes, multiply_add(c, a[v], s * b));
        a[v] = multiply_add(c, b, -(s * a[v]));
      }
    }
    for (int v = 0; v < kVectors; ++v) store(x + v * kLanes, a[v]);
  });
}

// Fewer rows than a vector has lanes.
void Rotations::rotate_rest(std::int64_t row) const {
  const auto rest = static_cast<int>(rows_ - row);
  for_sweeps(row, [rest](double* x, std::int64_t step, const One* rotations, std::size_t count) {
#if defined(__AVX512F__)
    Vector<double> a = load_first(x, rest);
    for (std::size_t i = 0; i < count; ++i, x += step) {
      const Vector<double> c = repeated(rotations[i].c), s = repeated(rotations[i].s), b = load_first(x + step, rest);
      store_first(x, multiply_add(c, a, s * b), rest);
      a = multiply_add(c, b, -(s * a));
    }
    store_first(x, a, rest);
#else
    for (std::size_t i = 0; i < count; ++i, x += step) {
      const double c = rotations[i].c, s = rotations[i].s;
      for (int k = 0; k < rest; ++k) {
        const double a = x[k], b = x[step + k];
        x[k] = c * a + s * b;
        x[step + k] = c * b - s * a;
      }
    }
#endif
  });
}

void Rotations::apply() {
  constexpr std::int64_t kLanes = kVectorLanes<double>;
  std::int64_t row = 0;
  if (!all_.empty()) {
    for (; row + 4 * kLanes <= rows_; row += 4 * kLanes) rotate<4>(row);
    for (; row + kLanes <= rows_; row += kLanes) rotate<1>(row);
    if (row < rows_) rotate_rest(row);
  }
  all_.clear();
  sweeps_.clear();
}

}  // namespace tracefn
