// Normal numbers between bounds, with TensorFlow's bits: every step is rounded to the numbers' type. Rejection sampling
// from the normal distribution, a uniform or an exponential one (Robert, "Simulation of truncated normal variables",
// 1995).
#include <cmath>
#include <numbers>

#include "ops/elementwise/half.kernels.h"
#include "ops/random/philox.kernels.h"
#include "ops/random/random.kernels.h"

namespace tracefn {
namespace {

constexpr int kMostRejections = 1000;

// The numbers of one block.
template <typename T>
struct Block {
  static constexpr int kSize = std::is_same_v<T, double> ? 2 : 4;
  T values[kSize];
};

struct Words {
  std::uint32_t w[4];
  explicit Words(Philox& stream) {
    stream.words(w);
    stream.skip(1);
  }
};

float unit_float(std::uint32_t word) { return std::bit_cast<float>((word & 0x7fffff) | 0x3f800000) - 1.0f; }

template <typename T>
Block<T> uniform(Philox& stream) {
  const Words words(stream);
  Block<T> block;
  for (int i = 0; i < Block<T>::kSize; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      block.values[i] = unit_double(words.w[2 * i], words.w[2 * i + 1]);
    } else if constexpr (std::is_same_v<T, float>) {
      block.values[i] = unit_float(words.w[i]);
    } else {
      block.values[i] = T(static_cast<float>(words.w[i] & 0x3ff) * 0x1p-10f);
    }
  }
  return block;
}

// The transform of Box and Muller.
template <typename T, typename C>
void box_muller(C u, C angle, T* out) {
  const C least = static_cast<C>(1.0e-7);
  const C radius = std::sqrt(C(-2) * std::log(u < least ? least : u));
  out[0] = T(std::sin(angle) * radius);
  out[1] = T(std::cos(angle) * radius);
}

template <typename T>
Block<T> normal(Philox& stream) {
  const Words words(stream);
  Block<T> block;
  if constexpr (std::is_same_v<T, double>) {
    box_muller(unit_double(words.w[0], words.w[1]), 2.0 * std::numbers::pi * unit_double(words.w[2], words.w[3]),
               block.values);
  } else {
    for (int i = 0; i < 4; i += 2)
      box_muller(unit_float(words.w[i]),
                 static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(unit_float(words.w[i + 1]))),
                 block.values + i);
  }
  return block;
}

template <typename T>
T exponential(T x) {
  return T(std::exp(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x)));
}
template <typename T>
T logarithm(T x) {
  return T(std::log(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x)));
}
template <typename T>
T root(T x) {
  return T(std::sqrt(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x)));
}
template <typename T>
bool is_infinite(T x) {
  return std::isinf(static_cast<double>(x));
}
template <typename T>
bool is_finite(T x) {
  return std::isfinite(static_cast<double>(x));
}

template <typename T>
class BoundedNormal {
 public:
  // The bounds in standard deviations.
  BoundedNormal(T low, T high) : low_(low), high_(high) {}

  // Calls take(x) for accepted numbers until it answers false.
  template <typename Take>
  BoundedNormalStatus draw(Philox& stream, const Take& take) const {
    const T root_of_low = root(low_ * low_ + T(4));
    const T cutoff = T(2) * exponential(T(0.5) + (low_ * (low_ - root_of_low)) / T(4)) / (low_ + root_of_low);
    const T enough(1.3);  // deviations within the bounds
    if ((low_ < -enough && high_ >= T(0)) || (high_ > enough && low_ <= T(0))) return from_normal(stream, take);
    return high_ - low_ < cutoff ? from_uniform(stream, take) : from_exponential(stream, take);
  }

 private:
  template <typename Take>
  BoundedNormalStatus from_normal(Philox& stream, const Take& take) const {
    for (int rejected = 0;;) {
      for (T x : normal<T>(stream).values) {
        if (x >= low_ && x <= high_) {
          if (!take(x)) return kDrawn;
          rejected = 0;
        } else if (++rejected > kMostRejections) {
          return kNormalFailed;
        }
      }
    }
  }

  template <typename Take>
  BoundedNormalStatus from_uniform(Philox& stream, const Take& take) const {
    const T range = high_ - low_, plus = low_ < T(0) ? T(0) : T(low_ * low_);
    for (int rejected = 0;;) {
      const Block<T> first = uniform<T>(stream), second = uniform<T>(stream);
      for (int i = 0; i < Block<T>::kSize; ++i) {
        const T x = first.values[i] * range + low_;
        if (second.values[i] <= exponential(T((plus - x * x) / T(2)))) {
          if (!take(x)) return kDrawn;
          rejected = 0;
        } else if (++rejected >= kMostRejections) {
          return kUniformFailed;
        }
      }
    }
  }

  template <typename Take>
  BoundedNormalStatus from_exponential(Philox& stream, const Take& take) const {
    const T alpha = (low_ + root(low_ * low_ + T(4))) / T(2);
    for (int rejected = 0;;) {
      const Block<T> drawn = uniform<T>(stream);
      for (int i = 0; i < Block<T>::kSize; i += 2) {
        const T x = -logarithm(drawn.values[i]) / alpha + low_;
        const T away = low_ < alpha ? T(alpha - x) : T(low_ - alpha);
        if (drawn.values[i + 1] <= exponential(T(-away * away / T(2))) && x < high_) {
          if (!take(x)) return kDrawn;
          rejected = 0;
        } else if (++rejected >= kMostRejections) {
          return kExponentialFailed;
        }
      }
    }
  }

  T low_, high_;
};

template <typename T>
BoundedNormalStatus bounded_normals(Philox* stream, const void* parameters, std::int64_t n, void* out,
                                    std::int64_t step) {
  const T* given = static_cast<const T*>(parameters);
  const T mean = given[0];
  T deviation = given[1], low = given[2], high = given[3];
  if (!(deviation > T(0) && low < high && (is_finite(low) || is_finite(high)))) return kInvalidParameters;
  // The other way round if the upper bound is nearer to the mean.
  if ((is_infinite(low) && low < T(0)) || high < mean) {
    std::swap(low, high);
    deviation = -deviation;
  }
  T* to = static_cast<T*>(out);
  return BoundedNormal<T>((low - mean) / deviation, (high - mean) / deviation).draw(*stream, [&](T x) {
    *to = x * deviation + mean;
    to += step;
    return --n > 0;
  });
}

}  // namespace

void fill_bounded_normals(RandomKernels& kernels) {
  kernels.bounded_normals[slot(DType::kFloat)] = bounded_normals<float>;
  kernels.bounded_normals[slot(DType::kDouble)] = bounded_normals<double>;
  kernels.bounded_normals[slot(DType::kHalf)] = bounded_normals<Eigen::half>;
}

}  // namespace tracefn
