// Uniform numbers of all types over Philox words, with TensorFlow's bits: which words make an element, and how.
#include "ops/random/random.kernels.h"

#include <bit>

#include "math/vector_bits.h"
#include "ops/elementwise/half.kernels.h"
#include "ops/random/philox.kernels.h"

namespace tracefn {
namespace {

// Calls each(words, n) for the words of successive runs of n elements, [begin, end), each of kWords.
template <int kWords, typename Each>
inline void for_elements(const Philox& start, std::int64_t begin, std::int64_t end, const Each& each) {
  constexpr std::int64_t kPerBlock = 4 / kWords;
  std::int64_t left = end - begin;
  for_batches(start, begin / kPerBlock, (end + kPerBlock - 1) / kPerBlock,
              [&](const std::uint32_t* words, std::int64_t blocks) {
                const std::int64_t n = std::min(blocks * kPerBlock, left);
                each(words, n);
                left -= n;
              });
}

void uniform_floats(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t,
                    std::uint64_t) {
  float* to = static_cast<float*>(out) + begin;
  for_elements<1>(*start, begin, end, [&](const std::uint32_t* words, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = std::bit_cast<float>((words[i] & 0x7fffff) | 0x3f800000) - 1.0f;
    to += n;
  });
}

void uniform_doubles(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t,
                     std::uint64_t) {
  double* to = static_cast<double*>(out) + begin;
  for_elements<2>(*start, begin, end, [&](const std::uint32_t* words, std::int64_t n) {
    const WordPair* pairs = pairs_of(words);
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = unit_double_of(pairs[i]);
    to += n;
  });
}

// T has kBits bits of fraction.
template <typename T, int kBits>
void uniform_halves(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t,
                    std::uint64_t) {
  T* to = static_cast<T*>(out) + begin;
  for_elements<1>(*start, begin, end, [&](const std::uint32_t* words, std::int64_t n) {
    constexpr std::uint32_t kRange = 1u << kBits;
    float values[4 * kBatch];
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) values[i] = signed_value(words[i] & (kRange - 1)) * (1.0f / kRange);
    narrow(values, to, n);
    to += n;
  });
}

void whole_words(const Philox* start, std::int64_t begin, std::int64_t end, std::uint32_t* out) {
  std::uint32_t* to = out + begin;
  for_elements<1>(*start, begin, end,
                  [&](const std::uint32_t* words, std::int64_t n) { to = std::copy_n(words, n, to); });
}
// The first word of a pair is the lower half.
void whole_words(const Philox* start, std::int64_t begin, std::int64_t end, std::uint64_t* out) {
  std::uint64_t* to = out + begin;
  for_elements<2>(*start, begin, end,
                  [&](const std::uint32_t* words, std::int64_t n) { to = std::copy_n(pairs_of(words), n, to); });
}

// x modulo range. The quotient of doubles is the integer's, or off by one.
[[gnu::always_inline]] inline std::uint32_t remainder(std::uint32_t x, double range, double inverse) {
  double wide = number_of(std::uint64_t{x} | 0x4330000000000000) - 0x1p52;
  double rest = wide - round_down(wide * inverse) * range;  // exact
  rest = rest + choose(rest < 0.0, range, 0.0);
  rest = rest - choose(rest >= range, range, 0.0);
  return static_cast<std::uint32_t>(bits_of(rest + 0x1p52));
}

void integers(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t low,
              std::uint64_t range) {
  auto* elements = static_cast<std::uint32_t*>(out);
  if (range == 0) return whole_words(start, begin, end, elements);
  const double wide_range = static_cast<double>(range), inverse = 1.0 / wide_range;
  const auto least = static_cast<std::uint32_t>(low);
  std::uint32_t* to = elements + begin;
  for_elements<1>(*start, begin, end, [&](const std::uint32_t* words, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) to[i] = least + remainder(words[i], wide_range, inverse);
    to += n;
  });
}

void wide_integers(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t low,
                   std::uint64_t range) {
  auto* elements = static_cast<std::uint64_t*>(out);
  if (range == 0) return whole_words(start, begin, end, elements);
  const std::uint64_t inverse = ~std::uint64_t{0} / range;
  std::uint64_t* to = elements + begin;
  for_elements<2>(*start, begin, end, [&](const std::uint32_t* words, std::int64_t n) {
    const WordPair* pairs = pairs_of(words);
    for (std::int64_t i = 0; i < n; ++i) {
      // 2^64 / range - inverse <= 1, so the quotient is right or too small by one.
      const auto quotient = static_cast<std::uint64_t>(static_cast<unsigned __int128>(pairs[i]) * inverse >> 64);
      const std::uint64_t rest = pairs[i] - quotient * range;
      to[i] = low + (rest >= range ? rest - range : rest);
    }
    to += n;
  });
}

}  // namespace

void fill_random(RandomKernels& kernels) {
  auto& uniform = kernels.fill[kUniform];
  uniform[slot(DType::kFloat)] = uniform_floats;
  uniform[slot(DType::kDouble)] = uniform_doubles;
  uniform[slot(DType::kHalf)] = uniform_halves<Eigen::half, 10>;
  uniform[slot(DType::kBFloat16)] = uniform_halves<Eigen::bfloat16, 7>;
  for (DType dtype : {DType::kInt32, DType::kUInt32}) uniform[slot(dtype)] = integers;
  for (DType dtype : {DType::kInt64, DType::kUInt64}) uniform[slot(dtype)] = wide_integers;
  fill_normals(kernels);
  fill_bounded_normals(kernels);
}

}  // namespace tracefn
