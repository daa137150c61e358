// Matrix products of real numbers that read both operands in place. Copying them into panels first, as Eigen does, pays
// only if they have left the cache when they are read again; for smaller ones it takes a third of the time or more.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"  // the alignment of packets, which nothing here relies on
#endif

namespace tracefn {
namespace {

namespace packets = Eigen::internal;

template <typename P>
inline constexpr std::int64_t kLanes = packets::unpacket_traits<P>::size;
template <typename T>
using WidestPacket = typename packets::packet_traits<T>::type;
template <typename P>
using HalfPacket = typename packets::unpacket_traits<P>::half;

// The accumulators of a register tile: this many rows and two packets.
inline constexpr int kTileRows = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS >= 32 ? 8 : 6;

// a[i, p] is at a[i * row + p * step]; b and c are row-major, with row strides ldb and ldc.
template <typename T>
struct DirectOperands {
  const T* a;
  std::int64_t row, step;
  const T* b;
  std::int64_t ldb;
  T* c;
  std::int64_t ldc;
  std::int64_t k;
};

template <typename T, typename P, int kRows, int kPackets>
inline void direct_tile(const DirectOperands<T>& o, std::int64_t i, std::int64_t j) {
  P sums[kRows][kPackets];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kPackets; ++v) sums[r][v] = packets::pset1<P>(T(0));
  const T* a = o.a + i * o.row;
  const T* b = o.b + j;
  for (std::int64_t p = 0; p < o.k; ++p) {
    P columns[kPackets];
#pragma GCC unroll 2
    for (int v = 0; v < kPackets; ++v) columns[v] = packets::ploadu<P>(b + p * o.ldb + v * kLanes<P>);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const P x = packets::pset1<P>(a[r * o.row + p * o.step]);
#pragma GCC unroll 2
      for (int v = 0; v < kPackets; ++v) sums[r][v] = packets::pmadd(x, columns[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kPackets; ++v) packets::pstoreu(o.c + (i + r) * o.ldc + j + v * kLanes<P>, sums[r][v]);
}

template <typename T, typename P, int kPackets, int kRows = kTileRows>
inline void direct_rows(std::int64_t rows, const DirectOperands<T>& o, std::int64_t i, std::int64_t j) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return direct_rows<T, P, kPackets, kRows - 1>(rows, o, i, j);
  }
  direct_tile<T, P, kRows, kPackets>(o, i, j);
}

// Tiles of about equally many rows.
template <typename T, typename P, int kPackets>
void direct_panel(const DirectOperands<T>& o, std::int64_t m, std::int64_t j) {
  const std::int64_t tiles = (m + kTileRows - 1) / kTileRows;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t from = m * t / tiles, to = m * (t + 1) / tiles;
    direct_rows<T, P, kPackets>(to - from, o, from, j);
  }
}

template <typename T, typename P>
void direct_columns(const DirectOperands<T>& o, std::int64_t m, std::int64_t n) {
  std::int64_t j = 0;
  for (; j + 2 * kLanes<P> <= n; j += 2 * kLanes<P>) direct_panel<T, P, 2>(o, m, j);
  for (; j + kLanes<P> <= n; j += kLanes<P>) direct_panel<T, P, 1>(o, m, j);
  // The last columns; some are computed twice.
  if (j < n) direct_panel<T, P, 1>(o, m, n - kLanes<P>);
}

// In packets no wider than the result. False, with nothing done, if it is narrower than the shortest.
template <typename T, typename P = WidestPacket<T>>
bool direct_product(const DirectOperands<T>& o, std::int64_t m, std::int64_t n) {
  if (n >= kLanes<P>) {
    direct_columns<T, P>(o, m, n);
    return true;
  }
  if constexpr (kLanes<HalfPacket<P>> < kLanes<P>) {
    return direct_product<T, HalfPacket<P>>(o, m, n);
  } else {
    return false;
  }
}

// Both operands stay in the L2 cache, or one is read once or a few times.
template <typename T>
bool is_direct(std::int64_t m, std::int64_t k, std::int64_t n) {
  constexpr std::int64_t kCached = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t kShort = 32;
  return (k * n <= kCached || m <= kShort) && (m * k <= kCached || n <= kShort);
}

// sums[r] += row r of `a` times x.
template <typename T, typename P, int kRows>
inline void dot_rows(const T* a, std::int64_t lda, const T* x, std::int64_t k, T* sums) {
  std::int64_t p = 0;
  if (k >= kLanes<P>) {
    P parts[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) parts[r] = packets::pset1<P>(T(0));
    for (; p + kLanes<P> <= k; p += kLanes<P>) {
      const P y = packets::ploadu<P>(x + p);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) parts[r] = packets::pmadd(packets::ploadu<P>(a + r * lda + p), y, parts[r]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) sums[r] += packets::predux(parts[r]);
  }
  for (; p < k; ++p)
    for (int r = 0; r < kRows; ++r) sums[r] += a[r * lda + p] * x[p];
}

// y = a x, in packets of half the widest: a wide one across two cache lines costs two reads.
template <typename T>
void product_with_vector(const T* a, std::int64_t lda, const T* x, T* y, std::int64_t m, std::int64_t k) {
  constexpr int kRows = 4;
  using P = HalfPacket<WidestPacket<T>>;
  std::fill_n(y, m, T(0));
  std::int64_t i = 0;
  for (; i + kRows <= m; i += kRows) dot_rows<T, P, kRows>(a + i * lda, lda, x, k, y + i);
  for (; i < m; ++i) dot_rows<T, P, 1>(a + i * lda, lda, x, k, y + i);
}

// Whether the matrix's rows are unaligned to cache lines, come from the L2 cache, and would be read in packets as long
// as a line.
template <typename T>
bool rows_cross_lines(std::int64_t lda, std::int64_t m) {
  constexpr std::int64_t kLine = 64, kFirstLevel = 32 << 10;
  const std::int64_t bytes = lda * static_cast<std::int64_t>(sizeof(T));
  return sizeof(WidestPacket<T>) == kLine && bytes % kLine != 0 && m * bytes > kFirstLevel;
}

}  // namespace
}  // namespace tracefn

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
