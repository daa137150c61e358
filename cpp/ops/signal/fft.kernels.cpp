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

// Vectors of complex numbers as memory has them, half as many as there are lanes, and the two of all columns taken
// apart into real and imaginary parts.
template <typename T>
struct Interleaved {
  using V = Vector<T>;
  static constexpr int kLanes = kVectorLanes<T>, kNumbers = kLanes / 2;
  using Places = std::make_integer_sequence<int, kLanes>;

  template <int... i>
  static ComplexLanes<T> apart(V first, V second, std::integer_sequence<int, i...>) {
    return {Lanes<T>(V{__builtin_shufflevector(first, second, (2 * i)...)}),
            Lanes<T>(V{__builtin_shufflevector(first, second, (2 * i + 1)...)})};
  }
  static ComplexLanes<T> apart(V first, V second) { return apart(first, second, Places()); }

  template <int... i>
  static void together(V re, V im, V& first, V& second, std::integer_sequence<int, i...>) {
    first = __builtin_shufflevector(re, im, (i / 2 + i % 2 * kLanes)...);
    second = __builtin_shufflevector(re, im, (kNumbers + i / 2 + i % 2 * kLanes)...);
  }
  static void together(const ComplexLanes<T>& z, V& first, V& second) {
    together(z.real().v, z.imag().v, first, second, Places());
  }

  // Exchanges the off-diagonal blocks of `step` numbers in two rows that are `step` rows apart.
  template <int step, int... i>
  static void exchange(V& a, V& b, std::integer_sequence<int, i...>) {
    const V upper = __builtin_shufflevector(a, b, ((i / 2 & step) == 0 ? i : kLanes + i - 2 * step)...);
    b = __builtin_shufflevector(a, b, ((i / 2 & step) == 0 ? i + 2 * step : kLanes + i)...);
    a = upper;
  }
  template <int step = kNumbers / 2>
  static void transpose(V (&rows)[kNumbers]) {
    if constexpr (step > 0) {
      for (int r = 0; r < kNumbers; ++r)
        if ((r & step) == 0) exchange<step>(rows[r], rows[r + step], Places());
      transpose<step / 2>(rows);
    }
  }
};

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
    load(c, a);
    if (m_ == n_) {
      inner_.run(a, b);
      finish(c, b);
      return store(c, b);
    }
    for (std::int64_t k = 0; k < n_; ++k) a[k] *= both(chirp_[static_cast<std::size_t>(k)]);
    for (std::int64_t k = n_; k < m_; ++k) a[k] = ComplexLanes<T>();
    inner_.run(a, b);
    // Back by the same transform, with real and imaginary parts exchanged.
    for (std::int64_t k = 0; k < m_; ++k) b[k] = swapped(b[k] * both(spectrum_[static_cast<std::size_t>(k)]));
    inner_.run(b, a);
    for (std::int64_t k = 0; k < n_; ++k) a[k] = swapped(a[k]) * both(chirp_[static_cast<std::size_t>(k)]);
    finish(c, a);
    store(c, a);
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

  using Numbers = Interleaved<T>;
  static constexpr int kNumbers = Numbers::kNumbers;

  static ComplexLanes<T> load_number(const T* from, std::int64_t distance, int count) {
    if (count == kLanes && distance == 2) return Numbers::apart(tracefn::load(from), tracefn::load(from + kLanes));
    alignas(64) T parts[2][kLanes] = {};
    for (int j = 0; j < count; ++j) parts[0][j] = from[j * distance], parts[1][j] = from[j * distance + 1];
    return {Lanes<T>(tracefn::load(parts[0])), Lanes<T>(tracefn::load(parts[1]))};
  }
  static void store_number(const ComplexLanes<T>& z, T* to, std::int64_t distance, int count) {
    if (count == kLanes && distance == 2) {
      Vector<T> first, second;
      Numbers::together(z, first, second);
      tracefn::store(to, first);
      return tracefn::store(to + kLanes, second);
    }
    alignas(64) T parts[2][kLanes];
    tracefn::store(parts[0], z.real().v);
    tracefn::store(parts[1], z.imag().v);
    for (int j = 0; j < count; ++j) to[j * distance] = parts[0][j], to[j * distance + 1] = parts[1][j];
  }

  // Columns that lie in memory one after the other go through squares of numbers.
  void load(const FftColumns& c, ComplexLanes<T>* z) const {
    const T* from = static_cast<const T*>(c.from);
    std::int64_t k = 0;
    if (c.count == kLanes && c.from_step == 1) {
      for (; k + kNumbers <= n_; k += kNumbers) {
        Vector<T> squares[2][kNumbers];
        for (int j = 0; j < kLanes; ++j)
          squares[j / kNumbers][j % kNumbers] = tracefn::load(from + 2 * (j * c.from_column + k));
        Numbers::transpose(squares[0]);
        Numbers::transpose(squares[1]);
        for (int i = 0; i < kNumbers; ++i) z[k + i] = Numbers::apart(squares[0][i], squares[1][i]);
      }
    }
    for (; k < n_; ++k) z[k] = load_number(from + 2 * k * c.from_step, 2 * c.from_column, c.count);
    if (c.swap_in)
      for (k = 0; k < n_; ++k) z[k] = swapped(z[k]);
  }
  void store(const FftColumns& c, const ComplexLanes<T>* z) const {
    T* to = static_cast<T*>(c.to);
    std::int64_t k = 0;
    if (c.count == kLanes && c.to_step == 1) {
      for (; k + kNumbers <= n_; k += kNumbers) {
        Vector<T> squares[2][kNumbers];
        for (int i = 0; i < kNumbers; ++i) Numbers::together(z[k + i], squares[0][i], squares[1][i]);
        Numbers::transpose(squares[0]);
        Numbers::transpose(squares[1]);
        for (int j = 0; j < kLanes; ++j)
          tracefn::store(to + 2 * (j * c.to_column + k), squares[j / kNumbers][j % kNumbers]);
      }
    }
    for (; k < n_; ++k) store_number(z[k], to + 2 * k * c.to_step, 2 * c.to_column, c.count);
  }
  // The results as they are stored.
  void finish(const FftColumns& c, ComplexLanes<T>* z) const {
    const T* w = static_cast<const T*>(c.twiddles);
    for (std::int64_t k = 0; w && k < n_; ++k) z[k] *= load_number(w + 2 * k * c.twiddle_step, 2, c.count);
    for (std::int64_t k = 0; c.scale != 1 && k < n_; ++k) z[k] *= Lanes<T>(c.scale);
    for (std::int64_t k = 0; c.swap_out && k < n_; ++k) z[k] = swapped(z[k]);
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
