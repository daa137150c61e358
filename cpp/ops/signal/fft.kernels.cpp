// Fourier transforms of columns side by side: Eigen's kissfft, whose numbers are vectors here. Lengths with prime
// factors above 5 go by Bluestein's algorithm, as a convolution of a smooth length (L. Bluestein, A linear filtering
// approach to the computation of discrete Fourier transform, 1970).
#include "ops/signal/fft.kernels.h"

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <map>
#include <new>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "ops/signal/smooth.h"
#include "ops/vectors.kernels.h"

namespace tracefn {
namespace {

// A number for each column, with the arithmetic that kissfft and std::complex ask for.
template <typename T>
struct Lanes {
  Vector<T> v;

  Lanes() : v{} {}
  Lanes(double x) : v(repeated(static_cast<T>(x))) {}  // NOLINT(google-explicit-constructor)
  explicit Lanes(const Vector<T>& x) : v(x) {}
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
  friend Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
  Lanes& operator+=(const Lanes& b) {
    v += b.v;
    return *this;
  }
  Lanes& operator-=(const Lanes& b) {
    v -= b.v;
    return *this;
  }
  Lanes& operator*=(const Lanes& b) {
    v *= b.v;
    return *this;
  }
};

template <typename T>
using ComplexLanes = std::complex<Lanes<T>>;

template <typename T>
ComplexLanes<T> swapped(const ComplexLanes<T>& z) {
  return {z.imag(), z.real()};
}
template <typename T>
ComplexLanes<T> both(const std::complex<T>& z) {
  return {Lanes<T>(repeated(z.real())), Lanes<T>(repeated(z.imag()))};
}

// A transform of smooth length. Its radices are 2, 3, 4 and 5, whose butterflies do not write to the plan.
template <typename T>
class SmoothPlan {
 public:
  explicit SmoothPlan(std::int64_t n) : n_(n) {
    if (n == 1) return;
    kiss_.make_twiddles(static_cast<int>(n), false);
    kiss_.factorize(static_cast<int>(n));
  }
  void run(const ComplexLanes<T>* from, ComplexLanes<T>* to) const {
    if (n_ == 1) {
      *to = *from;
    } else {
      const_cast<Kiss&>(kiss_).work(0, to, from, 1, 1);
    }
  }
  std::int64_t bytes() const { return n_ * static_cast<std::int64_t>(sizeof(ComplexLanes<T>)); }

 private:
  using Kiss = Eigen::internal::kiss_cpx_fft<Lanes<T>>;
  std::int64_t n_;
  Kiss kiss_;
};

// exp(-pi i k^2 / n): the square modulo the period 2 n, exactly.
std::complex<double> chirp(std::int64_t k, std::int64_t n) {
  const auto square = static_cast<double>(static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) %
                                          static_cast<unsigned __int128>(2 * n));
  const double angle = std::numbers::pi * square / static_cast<double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

template <typename T>
class ColumnPlan {
 public:
  explicit ColumnPlan(std::int64_t n) : n_(n), m_(is_smooth(n) ? n : smooth_from(2 * n - 1)), inner_(m_) {
    if (m_ != n_) make_chirp();
  }
  std::int64_t plan_bytes() const {
    return inner_.bytes() + static_cast<std::int64_t>((chirp_.size() + spectrum_.size()) * sizeof(std::complex<T>));
  }
  std::int64_t scratch_bytes() const { return 2 * inner_.bytes(); }

  void run(const FftColumns& c, void* scratch) const {
    auto *a = static_cast<ComplexLanes<T>*>(scratch), *b = a + m_;
    for (std::int64_t k = 0; k < n_; ++k) {
      const ComplexLanes<T> z = load(c, k);
      a[k] = m_ == n_ ? z : z * both(chirp_[static_cast<std::size_t>(k)]);
    }
    if (m_ == n_) {
      inner_.run(a, b);
      for (std::int64_t k = 0; k < n_; ++k) store(c, k, b[k]);
      return;
    }
    for (std::int64_t k = n_; k < m_; ++k) a[k] = ComplexLanes<T>();
    inner_.run(a, b);
    // Back by the same transform, with real and imaginary parts exchanged.
    for (std::int64_t k = 0; k < m_; ++k) b[k] = swapped(b[k] * both(spectrum_[static_cast<std::size_t>(k)]));
    inner_.run(b, a);
    for (std::int64_t k = 0; k < n_; ++k) store(c, k, swapped(a[k]) * both(chirp_[static_cast<std::size_t>(k)]));
  }

 private:
  static constexpr int kLanes = kVectorLanes<T>;

  // What the products of Bluestein's algorithm need: the chirp, and the transform of its conjugate over m.
  void make_chirp() {
    const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
    std::vector<std::complex<double>> wave(m);
    chirp_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::complex<double> z = chirp(static_cast<std::int64_t>(k), n_);
      chirp_[k] = std::complex<T>(z);
      wave[k] = std::conj(z) / static_cast<double>(m_);
      if (k) wave[m - k] = wave[k];
    }
    Eigen::internal::kiss_cpx_fft<double> exact;
    std::vector<std::complex<double>> spectrum(m);
    exact.make_twiddles(static_cast<int>(m_), false);
    exact.factorize(static_cast<int>(m_));
    exact.work(0, spectrum.data(), wave.data(), 1, 1);
    spectrum_.assign(spectrum.begin(), spectrum.end());
  }

  static ComplexLanes<T> load(const FftColumns& c, std::int64_t k) {
    const T* from = static_cast<const T*>(c.from) + 2 * k * c.from_step;
    const std::int64_t distance = 2 * c.from_column;
    alignas(64) T parts[2][kLanes] = {};
    if (c.count == kLanes && distance == 2) {
      for (int j = 0; j < kLanes; ++j) parts[0][j] = from[2 * j], parts[1][j] = from[2 * j + 1];
    } else if (c.count == kLanes) {
      for (int j = 0; j < kLanes; ++j) parts[0][j] = from[j * distance], parts[1][j] = from[j * distance + 1];
    } else {
      for (int j = 0; j < c.count; ++j) parts[0][j] = from[j * distance], parts[1][j] = from[j * distance + 1];
    }
    return {Lanes<T>(tracefn::load(parts[c.swap_in])), Lanes<T>(tracefn::load(parts[!c.swap_in]))};
  }

  static void store(const FftColumns& c, std::int64_t k, ComplexLanes<T> z) {
    if (c.twiddles) {
      const T* w = static_cast<const T*>(c.twiddles) + 2 * k * c.twiddle_step;
      alignas(64) T parts[2][kLanes] = {};
      for (int j = 0; j < c.count; ++j) parts[0][j] = w[2 * j], parts[1][j] = w[2 * j + 1];
      z *= ComplexLanes<T>(Lanes<T>(tracefn::load(parts[0])), Lanes<T>(tracefn::load(parts[1])));
    }
    if (c.scale != 1) z *= Lanes<T>(c.scale);
    alignas(64) T parts[2][kLanes];
    tracefn::store(parts[c.swap_out], z.real().v);
    tracefn::store(parts[!c.swap_out], z.imag().v);
    T* to = static_cast<T*>(c.to) + 2 * k * c.to_step;
    const std::int64_t distance = 2 * c.to_column;
    if (c.count == kLanes && distance == 2) {
      for (int j = 0; j < kLanes; ++j) to[2 * j] = parts[0][j], to[2 * j + 1] = parts[1][j];
    } else {
      for (int j = 0; j < c.count; ++j) to[j * distance] = parts[0][j], to[j * distance + 1] = parts[1][j];
    }
  }

  std::int64_t n_, m_;
  SmoothPlan<T> inner_;  // of length m
  std::vector<std::complex<T>> chirp_, spectrum_;
};

template <typename T>
FftKernel kernel() {
  using Plan = ColumnPlan<T>;
  return {.lanes = kVectorLanes<T>,
          .make = [](std::int64_t n) -> void* {
            try {
              return new Plan(n);
            } catch (const std::bad_alloc&) {
              return nullptr;
            }
          },
          .drop = [](void* plan) { delete static_cast<Plan*>(plan); },
          .plan_bytes = [](const void* plan) { return static_cast<const Plan*>(plan)->plan_bytes(); },
          .scratch_bytes = [](const void* plan) { return static_cast<const Plan*>(plan)->scratch_bytes(); },
          .run = [](const void* plan, const FftColumns& columns,
                    void* scratch) { static_cast<const Plan*>(plan)->run(columns, scratch); }};
}

}  // namespace

void fill_fft(FftKernels& kernels) {
  kernels.single = kernel<float>();
  kernels.twice = kernel<double>();
}

}  // namespace tracefn
