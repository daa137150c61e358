// Normal and truncated normal numbers over Philox words, with TensorFlow's bits, by the transform of Box and Muller ("A
// note on the generation of random normal deviates", 1958).
#include <bit>
#include <cmath>
#include <numeric>

#include "math/vector_box_muller.h"
#include "math/vector_box_muller_double.h"
#include "ops/elementwise/half.kernels.h"
#include "ops/random/philox.kernels.h"
#include "ops/random/random.kernels.h"

namespace tracefn {
namespace {

template <typename T>
inline constexpr T kLeastUniform = T(1.0e-7);  // its logarithm is finite

// Two normal numbers for each pair of words. One loop for each step: gathers and clamps in one loop do not vectorize.
void box_muller(const std::uint32_t* words, std::int64_t blocks, float* out) {
  const std::int64_t n = 2 * blocks;
  const WordPair* pairs = pairs_of(words);
  alignas(64) double uniform[2 * kBatch], angle[2 * kBatch];
  alignas(64) float radius[2 * kBatch];
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    double u = number_of((pairs[i] & 0x7fffff) << 29 | kOne) - 1.0;
    double v = number_of((pairs[i] >> 32 & 0x7fffff) << 29 | kOne) - 1.0;
    uniform[i] = choose(u < kLeastUniform<float>, static_cast<double>(kLeastUniform<float>), u);
    angle[i] = static_cast<float>(2.0 * M_PI * v);
  }
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) radius[i] = square_root(-2.0f * log_below_one(uniform[i]));
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    auto [sine, cosine] = sine_and_cosine(angle[i]);
    out[2 * i] = static_cast<float>(sine) * radius[i];
    out[2 * i + 1] = static_cast<float>(cosine) * radius[i];
  }
}

// Two normal numbers for each pair of a uniform number and an angle, n <= kBatch of them. The uniform numbers become
// radii.
void box_muller(double* uniforms, const double* angles, std::int64_t n, double* out) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) uniforms[i] = square_root(-2.0 * double_log_below_one(uniforms[i]));
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) {
    auto [sine, cosine] = double_sine_and_cosine(angles[i]);
    out[2 * i] = sine * uniforms[i];
    out[2 * i + 1] = cosine * uniforms[i];
  }
}

// What the transform takes of two pairs of words.
[[gnu::always_inline]] inline double uniform_of(WordPair pair) {
  double u = unit_double_of(pair);
  return choose(u < kLeastUniform<double>, kLeastUniform<double>, u);
}
[[gnu::always_inline]] inline double angle_of(WordPair pair) { return 2.0 * M_PI * unit_double_of(pair); }

// Two normal numbers for each four words.
void box_muller(const std::uint32_t* words, std::int64_t blocks, double* out) {
  const WordPair* pairs = pairs_of(words);
  alignas(64) double uniforms[kBatch], angles[kBatch];
#pragma omp simd
  for (std::int64_t i = 0; i < blocks; ++i) {
    uniforms[i] = uniform_of(pairs[2 * i]);
    angles[i] = angle_of(pairs[2 * i + 1]);
  }
  box_muller(uniforms, angles, blocks, out);
}

// Each sample begins with a block for normal numbers and one for uniform ones; of both, the second number comes first.
void first_draws(const Philox* start, std::uint64_t first, std::int64_t n, std::uint64_t blocks_per_sample,
                 double* normals, double* uniforms) {
  constexpr std::int64_t kSamples = kBatch / 2;
  for (std::int64_t from = 0; from < n; from += kSamples) {
    const std::int64_t count = std::min(kSamples, n - from);
    std::uint64_t offsets[kBatch];
    for (std::int64_t i = 0; i < count; ++i) {
      offsets[2 * i] = (first + static_cast<std::uint64_t>(from + i)) * blocks_per_sample;
      offsets[2 * i + 1] = offsets[2 * i] + 1;
    }
    alignas(64) std::uint32_t words[4 * kBatch];
    philox_words(*start, offsets, 2 * count, words);
    const WordPair* pairs = pairs_of(words);
    alignas(64) double radii[kSamples], angles[kSamples], both[2 * kSamples];
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      radii[i] = uniform_of(pairs[4 * i]);
      angles[i] = angle_of(pairs[4 * i + 1]);
      uniforms[2 * (from + i)] = unit_double_of(pairs[4 * i + 3]);
      uniforms[2 * (from + i) + 1] = unit_double_of(pairs[4 * i + 2]);
    }
    box_muller(radii, angles, count, both);
    for (std::int64_t i = 0; i < count; ++i) normals[from + i] = both[2 * i + 1];
  }
}

void store(const float* values, std::int64_t n, float* to) { std::copy_n(values, n, to); }
void store(const double* values, std::int64_t n, double* to) { std::copy_n(values, n, to); }
void store(const float* values, std::int64_t n, Eigen::half* to) { narrow(values, to, n); }
void store(const float* values, std::int64_t n, Eigen::bfloat16* to) { narrow(values, to, n); }

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
// The normal numbers that a block makes.
template <typename T>
inline constexpr std::int64_t kPerBlock = std::is_same_v<T, double> ? 2 : 4;

template <typename T>
void normals(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t, std::uint64_t) {
  T* to = static_cast<T*>(out) + begin;
  std::int64_t left = end - begin;
  for_batches(*start, begin / kPerBlock<T>, (end + kPerBlock<T> - 1) / kPerBlock<T>,
              [&](const std::uint32_t* words, std::int64_t blocks) {
                Computed<T> values[kPerBlock<T> * kBatch];
                box_muller(words, blocks, values);
                const std::int64_t n = std::min(blocks * kPerBlock<T>, left);
                store(values, n, to);
                to += n;
                left -= n;
              });
}

// Groups of elements, each with a range of the stream for itself: 64 blocks an element. A group takes the numbers below
// two standard deviations in the order of its stream. Each pass computes one more block for the groups that lack
// numbers.
template <typename T>
class TruncatedGroups {
 public:
  // The groups that start at `stream`.
  void fill(const Philox& stream, std::int64_t groups) {
    std::iota(open_, open_ + groups, std::uint64_t{0});
    std::fill_n(found_, groups, 0);
    for (std::uint64_t pass = 0; groups > 0; ++pass) {
      for (std::int64_t i = 0; i < groups; ++i) offsets_[i] = open_[i] * kSize * 64 + pass;
      philox_words(stream, offsets_, groups, words_);
      box_muller(words_, groups, values_);
      std::int64_t still_open = 0;
      for (std::int64_t i = 0; i < groups; ++i) {
        const std::uint64_t group = open_[i];
        open_[still_open] = group;
        still_open += take(group, values_ + i * kSize) ? 0 : 1;
      }
      groups = still_open;
    }
  }
  const Computed<T>* elements() const { return elements_; }

  static constexpr std::int64_t kSize = kPerBlock<T>;

 private:
  // True if the group has all its numbers.
  bool take(std::uint64_t group, const Computed<T>* values) {
    std::int64_t found = found_[group];
    Computed<T>* to = elements_ + static_cast<std::int64_t>(group) * kSize;
    for (int i = 0; i < kSize; ++i)
      if (std::abs(values[i]) < Computed<T>(2) && found < kSize) to[found++] = values[i];
    found_[group] = found;
    return found == kSize;
  }

  alignas(64) std::uint32_t words_[4 * kBatch];
  std::uint64_t open_[kBatch], offsets_[kBatch];
  std::int64_t found_[kBatch];
  Computed<T> values_[kSize * kBatch], elements_[kSize * kBatch];
};

template <typename T>
void truncated_normals(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t,
                       std::uint64_t) {
  using Groups = TruncatedGroups<T>;
  Groups groups;
  T* to = static_cast<T*>(out);
  for (std::int64_t at = begin; at < end; at += Groups::kSize * kBatch) {
    const std::int64_t n = std::min(end - at, Groups::kSize * kBatch);
    Philox stream = *start;
    stream.skip(static_cast<std::uint64_t>(at) * 64);
    groups.fill(stream, (n + Groups::kSize - 1) / Groups::kSize);
    store(groups.elements(), n, to + at);
  }
}

template <typename T>
void add(RandomKernels& kernels, DType dtype) {
  kernels.fill[kStandardNormal][slot(dtype)] = normals<T>;
  kernels.fill[kTruncatedNormal][slot(dtype)] = truncated_normals<T>;
}

}  // namespace

void fill_normals(RandomKernels& kernels) {
  add<float>(kernels, DType::kFloat);
  add<double>(kernels, DType::kDouble);
  add<Eigen::half>(kernels, DType::kHalf);
  add<Eigen::bfloat16>(kernels, DType::kBFloat16);
  kernels.first_draws = first_draws;
}

}  // namespace tracefn
