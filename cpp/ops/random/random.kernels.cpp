// Distributions over Philox words, with TensorFlow's bits: which words make an element, and how.
#include "ops/random/random.kernels.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "tensor/half.h"

namespace tracefn {
namespace {

// Eight blocks at once, one per lane.
constexpr int kLanes = 8;
using Words = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using Wide = std::uint64_t __attribute__((vector_size(8 * kLanes)));

inline void multiply(Words x, std::uint32_t factor, Words& high, Words& low) {
  Wide product = __builtin_convertvector(x, Wide) * factor;
  low = __builtin_convertvector(product, Words);
  high = __builtin_convertvector(product >> 32, Words);
}

// The words of blocks start, start + 1, ..., start + 7 in order.
inline void eight_blocks(const Philox& start, std::uint32_t* out) {
  Words c[4];
  Philox at = start;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < 4; ++i) c[i][lane] = at.counter[i];
    at.skip(1);
  }
  std::uint32_t k0 = start.key[0], k1 = start.key[1];
  for (int round = 0; round < 10; ++round) {
    Words a_high, a_low, b_high, b_low;
    multiply(c[0], 0xd2511f53, a_high, a_low);
    multiply(c[2], 0xcd9e8d57, b_high, b_low);
    c[0] = b_high ^ c[1] ^ k0;
    c[1] = b_low;
    c[2] = a_high ^ c[3] ^ k1;
    c[3] = a_low;
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) out[4 * lane + i] = c[i][lane];
}

// Calls each(words, n) for successive runs of n <= 8 blocks, [first, last).
template <typename Each>
inline void for_blocks(const Philox& start, std::int64_t first, std::int64_t last, const Each& each) {
  Philox at = start;
  at.skip(static_cast<std::uint64_t>(first));
  std::uint32_t words[4 * kLanes];
  while (first < last) {
    eight_blocks(at, words);
    std::int64_t n = last - first < kLanes ? last - first : kLanes;
    each(words, n);
    at.skip(kLanes);
    first += kLanes;
  }
}

inline float unit_float(std::uint32_t word) { return std::bit_cast<float>((word & 0x7fffffu) | 0x3f800000u) - 1.0f; }
inline double unit_double(std::uint32_t high, std::uint32_t low) {
  std::uint64_t bits = static_cast<std::uint64_t>(high & 0xfffffu) << 32 | low;
  return std::bit_cast<double>(bits | 0x3ff0000000000000ull) - 1.0;
}

// The number of words per element, and the element they make.
template <typename T>
struct Unit;
template <>
struct Unit<float> {
  static constexpr int kWords = 1;
  static float make(const std::uint32_t* w) { return unit_float(w[0]); }
};
template <>
struct Unit<double> {
  static constexpr int kWords = 2;
  static double make(const std::uint32_t* w) { return unit_double(w[0], w[1]); }
};
template <>
struct Unit<Half> {
  static constexpr int kWords = 1;
  static Half make(const std::uint32_t* w) {
    Half one_and_more;
    one_and_more.bits = static_cast<std::uint16_t>((w[0] & 0x3ffu) | 0x3c00u);
    return Half(static_cast<float>(one_and_more) - 1.0f);
  }
};
template <>
struct Unit<BFloat16> {
  static constexpr int kWords = 1;
  static BFloat16 make(const std::uint32_t* w) {
    BFloat16 one_and_more;
    one_and_more.bits = static_cast<std::uint16_t>((w[0] & 0x7fu) | 0x3f80u);
    return BFloat16(static_cast<float>(one_and_more) - 1.0f);
  }
};

template <typename T>
void fill_uniform(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t, std::uint64_t) {
  constexpr int kPerBlock = 4 / Unit<T>::kWords;
  T* to = static_cast<T*>(out) + begin;
  std::int64_t left = end - begin;
  for_blocks(*start, begin / kPerBlock, (end + kPerBlock - 1) / kPerBlock,
             [&](const std::uint32_t* words, std::int64_t blocks) {
               std::int64_t n = blocks * kPerBlock < left ? blocks * kPerBlock : left;
               for (std::int64_t i = 0; i < n; ++i) to[i] = Unit<T>::make(words + i * Unit<T>::kWords);
               to += n;
               left -= n;
             });
}

// Integers of 32 bits take a word, those of 64 bits two, the low one first.
template <typename U>
void fill_integers(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t low,
                   std::uint64_t range) {
  constexpr int kWords = sizeof(U) / 4, kPerBlock = 4 / kWords;
  U* to = static_cast<U*>(out) + begin;
  std::int64_t left = end - begin;
  for_blocks(*start, begin / kPerBlock, (end + kPerBlock - 1) / kPerBlock,
             [&](const std::uint32_t* words, std::int64_t blocks) {
               std::int64_t n = blocks * kPerBlock < left ? blocks * kPerBlock : left;
               for (std::int64_t i = 0; i < n; ++i) {
                 U bits = words[i * kWords];
                 if constexpr (kWords == 2) bits |= static_cast<U>(words[i * kWords + 1]) << 32;
                 to[i] = range ? static_cast<U>(static_cast<U>(low) + bits % static_cast<U>(range)) : bits;
               }
               to += n;
               left -= n;
             });
}

// The Box-Muller transform: two normal numbers from two uniform ones.
inline void box_muller(std::uint32_t w0, std::uint32_t w1, float* out) {
  float u = unit_float(w0);
  if (u < 1.0e-7f) u = 1.0e-7f;
  auto angle = static_cast<float>(2.0 * M_PI * static_cast<double>(unit_float(w1)));
  float radius = std::sqrt(-2.0f * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}
inline void box_muller(const std::uint32_t* w, double* out) {
  double u = unit_double(w[0], w[1]);
  if (u < 1.0e-7) u = 1.0e-7;
  double angle = 2.0 * M_PI * unit_double(w[2], w[3]);
  double radius = std::sqrt(-2.0 * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

// The normal numbers of one block: two doubles, or four of the others.
inline int block_normals(const std::uint32_t* w, double* out) {
  box_muller(w, out);
  return 2;
}
inline int block_normals(const std::uint32_t* w, float* out) {
  box_muller(w[0], w[1], out);
  box_muller(w[2], w[3], out + 2);
  return 4;
}

template <typename T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
void fill_normal(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t, std::uint64_t) {
  constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;
  T* to = static_cast<T*>(out) + begin;
  std::int64_t left = end - begin;
  for_blocks(*start, begin / kPerBlock, (end + kPerBlock - 1) / kPerBlock,
             [&](const std::uint32_t* words, std::int64_t blocks) {
               for (std::int64_t b = 0; b < blocks; ++b) {
                 Computed<T> values[4];
                 block_normals(words + 4 * b, values);
                 for (int i = 0; i < kPerBlock && left > 0; ++i, --left) *to++ = static_cast<T>(values[i]);
               }
             });
}

// Numbers beyond two standard deviations are redrawn, each group of elements from its own range of the stream: 256
// words per element.
template <typename T>
void fill_truncated(const Philox* start, std::int64_t begin, std::int64_t end, void* out, std::uint64_t,
                    std::uint64_t) {
  constexpr int kPerGroup = std::is_same_v<T, double> ? 2 : 4;
  T* to = static_cast<T*>(out);
  for (std::int64_t group = begin / kPerGroup; group * kPerGroup < end; ++group) {
    Philox stream = *start;
    stream.skip(static_cast<std::uint64_t>(group) * kPerGroup * 64);
    int found = 0;
    while (found < kPerGroup) {
      std::uint32_t words[4];
      stream.words(words);
      stream.skip(1);
      Computed<T> values[4];
      int n = block_normals(words, values);
      for (int i = 0; i < n && found < kPerGroup; ++i) {
        if (!(std::abs(values[i]) < Computed<T>(2))) continue;
        std::int64_t at = group * kPerGroup + found++;
        if (at < end) to[at] = static_cast<T>(values[i]);
      }
    }
  }
}

template <typename T>
void add_real(RandomKernels& kernels, DType dtype) {
  kernels.fill[kUniform][slot(dtype)] = fill_uniform<T>;
  kernels.fill[kStandardNormal][slot(dtype)] = fill_normal<T>;
  kernels.fill[kTruncatedNormal][slot(dtype)] = fill_truncated<T>;
}

}  // namespace

void fill_random(RandomKernels& kernels) {
  add_real<float>(kernels, DType::kFloat);
  add_real<double>(kernels, DType::kDouble);
  add_real<Half>(kernels, DType::kHalf);
  add_real<BFloat16>(kernels, DType::kBFloat16);
  for (DType dtype : {DType::kInt32, DType::kUInt32})
    kernels.fill[kUniform][slot(dtype)] = fill_integers<std::uint32_t>;
  for (DType dtype : {DType::kInt64, DType::kUInt64})
    kernels.fill[kUniform][slot(dtype)] = fill_integers<std::uint64_t>;
}

}  // namespace tracefn
