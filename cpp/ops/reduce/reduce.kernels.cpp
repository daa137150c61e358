// Reductions of contiguous rows and of columns. The accumulator is a fixed number of lanes on every instruction set, so
// that every library gives the same bits.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "ops/array/array.kernels.h"
#include "ops/reduce/lanes.kernels.h"
#include "ops/reduce/reductions.kernels.h"

namespace tracefn {
namespace {

template <typename Op>
typename Op::Acc prepared(typename Op::In x) {
  return Op::prepare(static_cast<typename Op::Acc>(x));
}

// Below this many elements a row is summed sequentially, lane by lane: each lane adds 32 numbers at most. Longer rows
// are halved at multiples of it; fused groups do the same (exec/fusion/fusion_group_walk.cpp).
template <typename Acc>
constexpr std::int64_t kRowBlock = 64 * Lanes<Acc>::kCount;
// So many blocks are summed before their sums are added: a mispredicted branch at the end of each would keep the
// processor from reading ahead.
constexpr std::int64_t kMostParts = 16;

// Below this many rows, columns are summed sequentially.
constexpr std::int64_t kColumnBlock = 64;

template <typename Op>
using LanesOf = typename Lanes<typename Op::Acc>::Vector;

template <typename Op>
[[gnu::always_inline]] inline LanesOf<Op> merged(const LanesOf<Op>& a, const LanesOf<Op>& b) {
  LanesOf<Op> v;
  for_registers([&](auto i) { v.r[i] = Op::merge(a.r[i], b.r[i]); });
  return v;
}

template <typename Op>
[[gnu::always_inline]] inline LanesOf<Op> loaded(const typename Op::In* x) {
  auto v = load<typename Op::Acc>(x);
  for_registers([&](auto i) { v.r[i] = Op::prepare(v.r[i]); });
  return v;
}

// Halves are merged until one number is left, in registers down to 16 bytes.
template <typename Op, std::size_t kBytes = 64>
[[gnu::always_inline]] inline typename Op::Acc fold(const typename Op::Acc* v) {
  using Acc = typename Op::Acc;
  constexpr std::size_t half = kBytes / 2, count = half / sizeof(Acc);
  if constexpr (count == 0) {
    return v[0];
  } else {
    Acc folded[count];
    if constexpr (half >= 16) {
      constexpr std::size_t width = half < kRegisterBytes ? half : kRegisterBytes;
      typedef Acc Part __attribute__((vector_size(width)));
      for (std::size_t i = 0; i < count; i += width / sizeof(Acc)) {
        Part a, b;
        std::memcpy(&a, v + i, width);
        std::memcpy(&b, v + count + i, width);
        a = Op::merge(a, b);
        std::memcpy(folded + i, &a, width);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) folded[i] = Op::merge(v[i], v[count + i]);
    }
    return fold<Op, half>(folded);
  }
}

// A row's source: numbers in memory, prepared.
template <typename Op>
struct Elements {
  const typename Op::In* x;
  LanesOf<Op> lanes(std::int64_t i) const { return loaded<Op>(x + i); }
  typename Op::Acc one(std::int64_t i) const { return prepared<Op>(x[i]); }
};

// Elements [begin, begin + n) of the source, of at most one block.
template <typename Op, typename Source>
[[gnu::noinline]] typename Op::Acc reduce_block(const Source& x, std::int64_t begin, std::int64_t n) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t lanes = Lanes<Acc>::kCount;
  Acc result = Op::kInitial;
  std::int64_t i = begin, end = begin + n;
  if (n >= 2 * lanes) {
    auto a = x.lanes(i), b = x.lanes(i + lanes);
    for (i += 2 * lanes; i + 2 * lanes <= end; i += 2 * lanes) {
      a = merged<Op>(a, x.lanes(i));
      b = merged<Op>(b, x.lanes(i + lanes));
    }
    a = merged<Op>(a, b);
    Acc numbers[lanes];
    std::memcpy(numbers, &a, sizeof(a));
    result = fold<Op>(numbers);
  }
  for (; i < end; ++i) result = Op::merge(result, x.one(i));
  return result;
}

// The parts of n elements, a block each, halved.
template <typename Op>
typename Op::Acc merge_blocks(const typename Op::Acc* parts, std::int64_t n) {
  constexpr std::int64_t block = kRowBlock<typename Op::Acc>;
  if (n <= block) return *parts;
  const std::int64_t half = (n / 2 + block - 1) / block * block;
  return Op::merge(merge_blocks<Op>(parts, half), merge_blocks<Op>(parts + half / block, n - half));
}

// Elements [begin, begin + n) of the source.
template <typename Op, typename Source>
typename Op::Acc reduce_row(const Source& x, std::int64_t begin, std::int64_t n) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t block = kRowBlock<Acc>;
  if constexpr (Ends<Op>) {
    // Most that end do so at once.
    if (n > 0 && reduce_block<Op>(x, begin, std::min<std::int64_t>(n, 128)) == Op::kFinal) return Op::kFinal;
    for (std::int64_t i = 0; i < n; i += block)
      if (reduce_block<Op>(x, begin + i, std::min(block, n - i)) == Op::kFinal) return Op::kFinal;
    return !Op::kFinal;
  }
  if (n <= block) return reduce_block<Op>(x, begin, n);
  if (n > kMostParts * block) {
    std::int64_t half = (n / 2 + block - 1) / block * block;
    return Op::merge(reduce_row<Op>(x, begin, half), reduce_row<Op>(x, begin + half, n - half));
  }
  Acc parts[kMostParts];
  for (std::int64_t i = 0; i < n; i += block) parts[i / block] = reduce_block<Op>(x, begin + i, std::min(block, n - i));
  return merge_blocks<Op>(parts, n);
}

// Rows too short for vectors, as many at once as an accumulator has lanes: each lane merges its row in order, as
// reduce_block does. Returns how many.
template <typename Op>
std::int64_t reduce_short_rows(const typename Op::In* x, std::int64_t count, std::int64_t n, typename Op::Acc* acc) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t lanes = Lanes<Acc>::kCount;
  Acc columns[2 * lanes][lanes];
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t r = 0; r < lanes; ++r)
      for (std::int64_t k = 0; k < n; ++k) columns[k][r] = prepared<Op>(x[(i + r) * n + k]);
    LanesOf<Op> v;
    for_registers([&](auto r) { v.r[r] = Op::kInitial - typename Lanes<Acc>::Register{}; });
    for (std::int64_t k = 0; k < n; ++k) v = merged<Op>(v, load<Acc>(columns[k]));
    store<Acc>(v, acc + i);
  }
  return i;
}

template <typename Op>
void rows(const void* x, std::int64_t count, std::int64_t n, void* acc) {
  Elements<Op> all{static_cast<const typename Op::In*>(x)};
  auto* out = static_cast<typename Op::Acc*>(acc);
  const bool is_short = n > 1 && n < 2 * Lanes<typename Op::Acc>::kCount;
  for (std::int64_t i = is_short ? reduce_short_rows<Op>(all.x, count, n, out) : 0; i < count; ++i)
    out[i] = reduce_row<Op>(all, i * n, n);
}

struct Product {
  template <typename V>
  static V of(V a, V b) {
    return a * b;
  }
};
struct SquaredDifference {
  template <typename V>
  static V of(V a, V b) {
    V d = a - b;
    return d * d;
  }
};

// Numbers computed from two operands; a scalar one is at `a` or `b` itself.
template <typename F, typename T, int scalars>
struct PairElements {
  const T* a;
  const T* b;

  template <bool scalar>
  static typename Lanes<T>::Register at(const T* x, std::int64_t i) {
    if constexpr (scalar) {
      return *x - typename Lanes<T>::Register{};
    } else {
      typename Lanes<T>::Register v;
      std::memcpy(&v, x + i, sizeof(v));
      return v;
    }
  }
  typename Lanes<T>::Vector lanes(std::int64_t i) const {
    typename Lanes<T>::Vector v;
    for_registers([&](auto r) {
      const auto from = i + static_cast<std::int64_t>(r * kRegisterBytes / sizeof(T));
      v.r[r] = F::of(at<(scalars & 1) != 0>(a, from), at<(scalars & 2) != 0>(b, from));
    });
    return v;
  }
  T one(std::int64_t i) const { return F::of(a[scalars & 1 ? 0 : i], b[scalars & 2 ? 0 : i]); }
};

template <typename F, typename T>
void pair_sum(const void* a, const void* b, std::int64_t rows, std::int64_t n, int scalars, void* acc) {
  auto all = [&]<int kScalars>(std::integral_constant<int, kScalars>) {
    PairElements<F, T, kScalars> elements{static_cast<const T*>(a), static_cast<const T*>(b)};
    for (std::int64_t i = 0; i < rows; ++i) static_cast<T*>(acc)[i] = reduce_row<Sum<T>>(elements, i * n, n);
  };
  if (scalars == 0) {
    all(std::integral_constant<int, 0>{});
  } else if (scalars == 1) {
    all(std::integral_constant<int, 1>{});
  } else {
    all(std::integral_constant<int, 2>{});
  }
}

// So many columns at once: their accumulators stay in the first-level cache, and each row is read in one piece.
constexpr std::int64_t kPanel = 1024;

// acc[j] = acc[j] merged with rows [0, kRows) of column j. Here and in first_row, k is a multiple of the lanes.
template <typename Op, int kRows>
[[gnu::always_inline]] inline void add_rows(const typename Op::In* x, std::int64_t stride, std::int64_t k,
                                            typename Op::Acc* acc) {
  constexpr std::int64_t lanes = Lanes<typename Op::Acc>::kCount;
  for (std::int64_t j = 0; j < k; j += lanes) {
    LanesOf<Op> v = load<typename Op::Acc>(acc + j);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) v = merged<Op>(v, loaded<Op>(x + r * stride + j));
    store<typename Op::Acc>(v, acc + j);
  }
}

// acc[j] = row x. By lanes, as what follows: compilers must assume that bytes overlap.
template <typename Op>
void first_row(const typename Op::In* x, std::int64_t k, typename Op::Acc* acc) {
  constexpr std::int64_t lanes = Lanes<typename Op::Acc>::kCount;
  for (std::int64_t j = 0; j < k; j += lanes) store<typename Op::Acc>(loaded<Op>(x + j), acc + j);
}

// acc[j] = acc[j] merged with others[j].
template <typename Op>
void merge_row(const typename Op::Acc* others, std::int64_t k, typename Op::Acc* acc) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t lanes = Lanes<Acc>::kCount;
  std::int64_t j = 0;
  for (; j + lanes <= k; j += lanes) {
    const LanesOf<Op> a = load<Acc>(acc + j), b = load<Acc>(others + j);
    store<Acc>(merged<Op>(a, b), acc + j);
  }
  for (; j < k; ++j) acc[j] = Op::merge(acc[j], others[j]);
}

// acc[j] = column j of n > 0 rows, where there are fewer columns than lanes. A row is read with the numbers behind it
// as far as `readable` numbers, from x on, go: what comes of those is not used.
template <typename Op>
void reduce_narrow(const typename Op::In* x, std::int64_t n, std::int64_t stride, std::int64_t k, std::int64_t readable,
                   typename Op::Acc* acc) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t lanes = Lanes<Acc>::kCount;
  const std::int64_t whole = readable < lanes ? 0 : std::min(n, (readable - lanes) / stride + 1);
  Acc columns[lanes];
  std::int64_t i = whole;
  if (whole > 0) {
    LanesOf<Op> v = loaded<Op>(x);
    for (std::int64_t r = 1; r < whole; ++r) v = merged<Op>(v, loaded<Op>(x + r * stride));
    store<Acc>(v, columns);
  } else {
    for (std::int64_t j = 0; j < k; ++j) columns[j] = prepared<Op>(x[j]);
    i = 1;
  }
  for (; i < n; ++i)
    for (std::int64_t j = 0; j < k; ++j) columns[j] = Op::merge(columns[j], prepared<Op>(x[i * stride + j]));
  std::copy_n(columns, k, acc);
}

// At most kPanel columns of n > 0 rows: blocks of rows one after the other, then pairwise.
template <typename Op>
void reduce_panel(const typename Op::In* x, std::int64_t n, std::int64_t stride, std::int64_t k, std::int64_t readable,
                  typename Op::Acc* acc) {
  if (n > kColumnBlock) {
    std::int64_t half = (n / 2 + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
    typename Op::Acc second[kPanel];
    reduce_panel<Op>(x, half, stride, k, readable, acc);
    reduce_panel<Op>(x + half * stride, n - half, stride, k, readable - half * stride, second);
    return merge_row<Op>(second, k, acc);
  }
  const std::int64_t rest = k % Lanes<typename Op::Acc>::kCount, filled = k - rest;
  if (filled > 0) {
    first_row<Op>(x, filled, acc);
    std::int64_t i = 1;
    for (; i + 8 <= n; i += 8) add_rows<Op, 8>(x + i * stride, stride, filled, acc);
    for (; i < n; ++i) add_rows<Op, 1>(x + i * stride, stride, filled, acc);
  }
  if (rest > 0) reduce_narrow<Op>(x + filled, n, stride, rest, readable - filled, acc + filled);
}

// Not inlined: the code is large, and it is called through a pointer.
template <typename Op>
[[gnu::noinline]] void columns(const void* x, std::int64_t n, std::int64_t stride, std::int64_t k, void* acc) {
  using Acc = typename Op::Acc;
  constexpr std::int64_t lanes = Lanes<Acc>::kCount;
  auto* in = static_cast<const typename Op::In*>(x);
  auto* out = static_cast<Acc*>(acc);
  if (n == 0) {
    std::fill_n(out, k, Op::kInitial);
    return;
  }
  // Narrow rows that lie one after the other are read as rows of `lanes` times the width.
  if (stride == k && k % lanes != 0 && k * lanes <= kPanel && n >= 2 * lanes) {
    Acc wide[kPanel];
    const std::int64_t whole = n / lanes;
    reduce_panel<Op>(in, whole, k * lanes, k * lanes, n * k, wide);
    for (std::int64_t j = 0; j < k; ++j) {
      Acc v = wide[j];
      for (std::int64_t i = 1; i < lanes; ++i) v = Op::merge(v, wide[i * k + j]);
      for (std::int64_t i = whole * lanes; i < n; ++i) v = Op::merge(v, prepared<Op>(in[i * k + j]));
      out[j] = v;
    }
    return;
  }
  for (std::int64_t j = 0; j < k; j += kPanel)
    reduce_panel<Op>(in + j, n, stride, std::min(kPanel, k - j), (n - 1) * stride + k - j, out + j);
}

// A row of complex numbers is summed as columns of their parts: eight numbers in parallel, then folded.
template <typename Real>
void complex_rows(const void* x, std::int64_t count, std::int64_t n, void* acc) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Real* row = static_cast<const Real*>(x) + 2 * i * n;
    Real* out = static_cast<Real*>(acc) + 2 * i;
    Real part[16];
    columns<Sum<Real>>(row, n / 8, 16, 16, part);
    for (int width = 8; width >= 2; width /= 2)
      for (int j = 0; j < width; ++j) part[j] += part[j + width];
    for (std::int64_t j = n / 8 * 8; j < n; ++j) {
      part[0] += row[2 * j];
      part[1] += row[2 * j + 1];
    }
    out[0] = part[0];
    out[1] = part[1];
  }
}
template <typename Real>
void complex_columns(const void* x, std::int64_t n, std::int64_t stride, std::int64_t k, void* acc) {
  columns<Sum<Real>>(x, n, 2 * stride, 2 * k, acc);
}

// Products and norms of complex numbers, one by one.
template <typename C, bool Squares>
struct PlainComplex {
  static C start() { return Squares ? C(0) : C(1); }
  static C step(C acc, C x) { return Squares ? acc + C(std::norm(x)) : acc * x; }
  static void rows(const void* x, std::int64_t count, std::int64_t n, void* acc) {
    for (std::int64_t i = 0; i < count; ++i) {
      C v = start();
      for (std::int64_t j = 0; j < n; ++j) v = step(v, static_cast<const C*>(x)[i * n + j]);
      static_cast<C*>(acc)[i] = v;
    }
  }
  static void columns(const void* x, std::int64_t n, std::int64_t stride, std::int64_t k, void* acc) {
    for (std::int64_t j = 0; j < k; ++j) {
      C v = start();
      for (std::int64_t i = 0; i < n; ++i) v = step(v, static_cast<const C*>(x)[i * stride + j]);
      static_cast<C*>(acc)[j] = v;
    }
  }
};

template <typename Acc, typename Out>
void finish(const void* acc, std::int64_t k, std::int64_t, void* y) {
  for (std::int64_t j = 0; j < k; ++j) static_cast<Out*>(y)[j] = static_cast<Out>(static_cast<const Acc*>(acc)[j]);
}
template <typename Acc, typename Out>
void finish_mean(const void* acc, std::int64_t k, std::int64_t count, void* y) {
  for (std::int64_t j = 0; j < k; ++j) {
    Acc sum = static_cast<const Acc*>(acc)[j];
    if constexpr (std::is_integral_v<Acc>) {
      static_cast<Out*>(y)[j] = static_cast<Out>(count ? sum / static_cast<Acc>(count) : 0);
    } else {
      static_cast<Out*>(y)[j] = static_cast<Out>(sum / static_cast<Acc>(count));
    }
  }
}
template <typename Acc, typename Out>
void finish_complex_mean(const void* acc, std::int64_t k, std::int64_t count, void* y) {
  for (std::int64_t j = 0; j < k; ++j)
    static_cast<Out*>(y)[j] =
        count ? static_cast<const Out*>(acc)[j] / static_cast<typename Out::value_type>(count) : Out(0);
}
template <typename Acc, typename Out>
void finish_norm(const void* acc, std::int64_t k, std::int64_t, void* y) {
  for (std::int64_t j = 0; j < k; ++j) {
    Acc sum = static_cast<const Acc*>(acc)[j];
    if constexpr (std::is_integral_v<Acc>) {
      // The sum of squares wraps around on overflow; a negative one has no root.
      Out squares = static_cast<Out>(sum);
      static_cast<Out*>(y)[j] = squares > Out(0) ? static_cast<Out>(std::sqrt(static_cast<double>(squares))) : Out(0);
    } else {
      static_cast<Out*>(y)[j] = static_cast<Out>(std::sqrt(sum));
    }
  }
}

template <typename Acc, typename Out>
void finish_half(const void* acc, std::int64_t k, std::int64_t, void* y) {
  for (std::int64_t j = 0; j < k; ++j)
    static_cast<Out*>(y)[j] = static_cast<Out>(static_cast<const Acc*>(acc)[j] * Acc(0.5));
}

template <typename Op, typename Merge = Op>
ReduceKernel kernel(void (*finish)(const void*, std::int64_t, std::int64_t, void*)) {
  return {sizeof(typename Op::Acc), rows<Op>, columns<Op>, columns<Merge>, finish};
}

// Sums and products of signed integers wrap around as unsigned ones do.
template <typename T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <typename T>
void fill_numbers(ReduceKernel (&k)[kReduceFunctions][kDTypeSlots], DType dtype) {
  using W = Wrapping<T>;
  int s = slot(dtype);
  k[kReduceSum][s] = kernel<Sum<W>>(finish<W, W>);
  k[kReduceProd][s] = kernel<Prod<W>>(finish<W, W>);
  k[kReduceMax][s] = kernel<Max<T>>(finish<W, W>);
  k[kReduceMin][s] = kernel<Min<T>>(finish<W, W>);
  k[kReduceNorm][s] = kernel<SumOfSquares<W>, Sum<W>>(finish_norm<W, T>);
  if constexpr (!std::is_integral_v<T>) {
    k[kReduceMean][s] = kernel<Sum<T>>(finish_mean<T, T>);
    k[kReduceHalfSquares][s] = kernel<SumOfSquares<T>, Sum<T>>(finish_half<T, T>);
  } else if constexpr (sizeof(T) == 8) {
    k[kReduceMean][s] = kernel<Sum<W>>(finish_mean<T, T>);
  } else {
    k[kReduceMean][s] = kernel<Sum<T, std::int64_t>, Sum<std::int64_t>>(finish_mean<std::int64_t, T>);
  }
}

// The 16-bit floats are widened on loading.
template <typename T>
void fill_narrow(ReduceKernel (&k)[kReduceFunctions][kDTypeSlots], DType dtype) {
  int s = slot(dtype);
  k[kReduceSum][s] = kernel<Sum<T, float>, Sum<float>>(finish<float, T>);
  k[kReduceProd][s] = kernel<Prod<T, float>, Prod<float>>(finish<float, T>);
  k[kReduceMax][s] = kernel<Max<T, float>, Max<float>>(finish<float, T>);
  k[kReduceMin][s] = kernel<Min<T, float>, Min<float>>(finish<float, T>);
  k[kReduceNorm][s] = kernel<SumOfSquares<T, float>, Sum<float>>(finish_norm<float, T>);
  k[kReduceMean][s] = kernel<Sum<T, float>, Sum<float>>(finish_mean<float, T>);
  k[kReduceHalfSquares][s] = kernel<SumOfSquares<T, float>, Sum<float>>(finish_half<float, T>);
}

template <typename Real>
void fill_complex(ReduceKernel (&k)[kReduceFunctions][kDTypeSlots], DType dtype) {
  using C = std::complex<Real>;
  using Products = PlainComplex<C, false>;
  using Squares = PlainComplex<C, true>;
  int s = slot(dtype), bytes = sizeof(C);
  k[kReduceSum][s] = {bytes, complex_rows<Real>, complex_columns<Real>, complex_columns<Real>, finish<C, C>};
  k[kReduceMean][s] = {bytes, complex_rows<Real>, complex_columns<Real>, complex_columns<Real>,
                       finish_complex_mean<C, C>};
  k[kReduceProd][s] = {bytes, Products::rows, Products::columns, Products::columns, finish<C, C>};
  k[kReduceNorm][s] = {bytes, Squares::rows, Squares::columns, complex_columns<Real>, finish_norm<C, C>};
}

template <typename T>
void widen(const void* x, float* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) widen_lanes(static_cast<const T*>(x) + i, y + i);
  for (; i < n; ++i) y[i] = static_cast<float>(static_cast<const T*>(x)[i]);
}
template <typename T>
void narrow(const float* x, void* y, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, Eigen::half>)
    for (; i + 8 <= n; i += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(static_cast<T*>(y) + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; ++i) static_cast<T*>(y)[i] = static_cast<T>(x[i]);
}

}  // namespace

void fill_reduce(ArrayKernels& kernels) {
  auto& k = kernels.reduce;
  fill_numbers<float>(k, DType::kFloat);
  fill_numbers<double>(k, DType::kDouble);
  fill_numbers<std::int8_t>(k, DType::kInt8);
  fill_numbers<std::int16_t>(k, DType::kInt16);
  fill_numbers<std::int32_t>(k, DType::kInt32);
  fill_numbers<std::int64_t>(k, DType::kInt64);
  fill_numbers<std::uint8_t>(k, DType::kUInt8);
  fill_numbers<std::uint16_t>(k, DType::kUInt16);
  fill_numbers<std::uint32_t>(k, DType::kUInt32);
  fill_numbers<std::uint64_t>(k, DType::kUInt64);
  fill_narrow<Eigen::half>(k, DType::kHalf);
  fill_narrow<Eigen::bfloat16>(k, DType::kBFloat16);
  fill_complex<float>(k, DType::kComplex64);
  fill_complex<double>(k, DType::kComplex128);
  auto fill_pairs = [&]<typename T>(T, DType dtype) {
    kernels.pair_sum[kPairProduct][slot(dtype)] = pair_sum<Product, T>;
    kernels.pair_sum[kPairSquaredDifference][slot(dtype)] = pair_sum<SquaredDifference, T>;
  };
  fill_pairs(0.0f, DType::kFloat);
  fill_pairs(0.0, DType::kDouble);
  int b = slot(DType::kBool);
  k[kReduceAll][b] = kernel<All>(finish<std::uint8_t, std::uint8_t>);
  k[kReduceAny][b] = kernel<Any>(finish<std::uint8_t, std::uint8_t>);
  int h = slot(DType::kHalf), f = slot(DType::kBFloat16);
  kernels.widen[h] = widen<Eigen::half>;
  kernels.widen[f] = widen<Eigen::bfloat16>;
  kernels.narrow[h] = narrow<Eigen::half>;
  kernels.narrow[f] = narrow<Eigen::bfloat16>;
}

}  // namespace tracefn
