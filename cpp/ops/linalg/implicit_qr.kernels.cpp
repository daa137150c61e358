// The iterations for eigenvalues and singular values of small bands.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/linalg/rotations.kernels.h"

namespace tracefn {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Sweeps per value; two or three are usual.
constexpr std::int64_t kMostSweeps = 30;

// Calls sweep(lo, hi) for the last block of order n whose elements beside the diagonal count, until there is none.
template <typename F>
bool until_diagonal(const double* d, double* e, std::int64_t n, const F& sweep) {
  std::int64_t sweeps = kMostSweeps * n;
  for (std::int64_t hi = n - 1; hi > 0;) {
    std::int64_t lo = hi;
    for (; lo > 0; --lo) {
      const double beside = std::abs(e[lo - 1]);
      if (!(beside > kEpsilon * (std::abs(d[lo - 1]) + std::abs(d[lo]))) ||
          beside < std::numeric_limits<double>::min()) {
        e[lo - 1] = 0;
        break;
      }
    }
    if (lo == hi) {
      --hi;
    } else {
      if (--sweeps < 0) return false;
      sweep(lo, hi);
    }
  }
  return true;
}

// The smaller singular value of (f, g; 0, h).
double smaller_value(double f, double g, double h) {
  const double least = std::min(std::abs(f), std::abs(h)), most = std::max(std::abs(f), std::abs(h));
  if (least == 0) return 0;
  const double sum = 1 + least / most, difference = (most - least) / most;
  g = std::abs(g);
  if (g < most) {
    const double square = (g / most) * (g / most);
    return 2 * least / (std::sqrt(sum * sum + square) + std::sqrt(difference * difference + square));
  }
  const double part = most / g;
  if (part == 0) return least * most / g;
  const double a = sum * part, b = difference * part;
  return 2 * (least / (std::sqrt(1 + a * a) + std::sqrt(1 + b * b))) * part;
}

// A block of a bidiagonal matrix, from its first row on, or by its mirror image from its last one on: elements are
// `step` apart.
struct Block {
  double *diagonal, *above;
  std::int64_t step, last;
  double& d(std::int64_t i) const { return diagonal[i * step]; }
  double& e(std::int64_t i) const { return above[i * step]; }
};

double shift_of(const Block& b) {
  double least = std::abs(b.d(0)), most = least;
  for (std::int64_t i = 1; i <= b.last; ++i) {
    least = std::min(least, std::abs(b.d(i)));
    most = std::max(most, std::abs(b.d(i)));
  }
  if (least <= kEpsilon * most) return 0;
  const double shift = smaller_value(b.d(b.last - 1), b.e(b.last - 1), b.d(b.last));
  const double part = shift / std::abs(b.d(0));
  return part * part < kEpsilon ? 0 : shift;
}

void sweep_shifted(const Block& b, double shift, Rotations& left, Rotations& right) {
  double x = (std::abs(b.d(0)) - shift) * (std::copysign(1.0, b.d(0)) + shift / b.d(0)), y = b.e(0);
  for (std::int64_t i = 0; i < b.last; ++i) {
    const Turn r = turn(x, y);
    if (i > 0) b.e(i - 1) = r.length;
    right.add(r.cosine, r.sine);
    x = r.cosine * b.d(i) + r.sine * b.e(i);
    b.e(i) = r.cosine * b.e(i) - r.sine * b.d(i);
    y = r.sine * b.d(i + 1);
    b.d(i + 1) *= r.cosine;
    const Turn l = turn(x, y);
    left.add(l.cosine, l.sine);
    b.d(i) = l.length;
    x = l.cosine * b.e(i) + l.sine * b.d(i + 1);
    b.d(i + 1) = l.cosine * b.d(i + 1) - l.sine * b.e(i);
    if (i + 1 < b.last) {
      y = l.sine * b.e(i + 1);
      b.e(i + 1) *= l.cosine;
    }
  }
  b.e(b.last - 1) = x;
}

void sweep_unshifted(const Block& b, Rotations& left, Rotations& right) {
  Turn r{1, 0, 0}, l{1, 0, 0};
  for (std::int64_t i = 0; i < b.last; ++i) {
    r = turn(b.d(i) * r.cosine, b.e(i));
    if (i > 0) b.e(i - 1) = l.sine * r.length;
    right.add(r.cosine, r.sine);
    l = turn(l.cosine * r.length, b.d(i + 1) * r.sine);
    left.add(l.cosine, l.sine);
    b.d(i) = l.length;
  }
  const double rest = b.d(b.last) * r.cosine;
  b.d(b.last) = rest * l.cosine;
  b.e(b.last - 1) = rest * l.sine;
}

}  // namespace

bool bidiagonal_values(double* d, double* e, std::int64_t n, Rotations& left, Rotations& right) {
  const bool converged = until_diagonal(d, e, n, [&](std::int64_t lo, std::int64_t hi) {
    // From the larger end. The mirror image is transposed, which exchanges left and right.
    const bool down = std::abs(d[lo]) >= std::abs(d[hi]);
    const Block block = down ? Block{d + lo, e + lo, 1, hi - lo} : Block{d + hi, e + hi - 1, -1, hi - lo};
    Rotations &of_left = down ? left : right, &of_right = down ? right : left;
    for (Rotations* rotations : {&left, &right}) rotations->start(down ? lo : hi, block.step);
    const double shift = shift_of(block);
    shift == 0 ? sweep_unshifted(block, of_left, of_right) : sweep_shifted(block, shift, of_left, of_right);
  });
  left.apply();
  right.apply();
  return converged;
}

bool tridiagonal_values(double* d, double* e, std::int64_t n, Rotations& vectors) {
  const bool converged = until_diagonal(d, e, n, [&](std::int64_t lo, std::int64_t hi) {
    const double half = (d[hi - 1] - d[hi]) / 2, beside = e[hi - 1];
    // The eigenvalue of the last two rows that is closer to the last element.
    const double root = std::hypot(half, beside);
    const double shift = d[hi] - beside * (beside / (half + std::copysign(root, half)));
    vectors.start(lo, 1);
    double x = d[lo] - shift, y = e[lo];
    for (std::int64_t k = lo; k < hi; ++k) {
      const Turn t = turn(x, y);
      const double c = t.cosine, s = t.sine;
      if (k > lo) e[k - 1] = t.length;
      vectors.add(c, s);
      const double first = c * d[k] + s * e[k], second = c * e[k] + s * d[k + 1];
      const double third = c * e[k] - s * d[k], fourth = c * d[k + 1] - s * e[k];
      d[k] = c * first + s * second;
      d[k + 1] = c * fourth - s * third;
      e[k] = c * second - s * first;
      x = e[k];
      if (k + 1 < hi) {
        y = s * e[k + 1];
        e[k + 1] *= c;
      }
    }
  });
  vectors.apply();
  return converged;
}

}  // namespace tracefn
