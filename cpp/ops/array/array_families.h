// The registration functions of the array families, one per source file, and their shared parts: the type sets of their
// records and the dispatch on element size.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "base/poll.h"
#include "ops/type_sets.h"
#include "tensor/tensor.h"

namespace tracefn {

class Registry;

void register_creation(Registry& r);
void register_identity(Registry& r);
void register_shape_query(Registry& r);
void register_reshape(Registry& r);
void register_transpose(Registry& r);
void register_reduce(Registry& r);
void register_matmul(Registry& r);
void register_join(Registry& r);
void register_split(Registry& r);
void register_repeat(Registry& r);
void register_pad(Registry& r);
void register_space_blocks(Registry& r);
void register_reorder(Registry& r);
void register_slice(Registry& r);
void register_gather(Registry& r);
void register_scatter(Registry& r);
void register_segment(Registry& r);
void register_sparse_segment(Registry& r);
void register_partition(Registry& r);
void register_counts(Registry& r);
void register_sort(Registry& r);
void register_arg(Registry& r);
void register_unique(Registry& r);
void register_search(Registry& r);
void register_nth_element(Registry& r);
void register_bucketize(Registry& r);
void register_scan(Registry& r);
void register_linalg(Registry& r);
void register_diagonal(Registry& r);
void register_unravel(Registry& r);
void register_parallel_concat(Registry& r);
void register_isotonic(Registry& r);
void register_ctc_loss(Registry& r);
void register_ctc_decoders(Registry& r);
void register_nn(Registry& r);
void register_batch_norm(Registry& r);
void register_local_response(Registry& r);
void register_softmax(Registry& r);
void register_fake_quant(Registry& r);
void register_quantize_and_dequantize(Registry& r);

// An element of 16 bytes, moved as a whole.
struct Bytes16 {
  std::uint64_t half[2];
};

// Nanoseconds to copy such an element.
template <typename T>
inline constexpr double copy_cost = std::is_trivially_copyable_v<T> ? 0.1 * sizeof(T) : 20;

// std::fill, by vectors: compilers that optimize for size, too, write one number at a time.
template <typename T>
void fill_run(T* to, std::int64_t n, const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    typedef T Vector __attribute__((vector_size(16)));
    constexpr std::int64_t kCount = 16 / sizeof(T);
    Vector all;
    for (std::int64_t i = 0; i < kCount; ++i) all[i] = value;
    for (; n >= kCount; n -= kCount, to += kCount) std::memcpy(to, &all, sizeof(all));
  }
  std::fill_n(to, n, value);
}
template <typename T>
void fill_polled(T* to, std::int64_t n, const T& value) {
  in_slices(n, copy_cost<T>, [&](std::int64_t begin, std::int64_t end) { fill_run(to + begin, end - begin, value); });
}

// Calls f(T()) with a type of the same size as the dtype's elements that copies them correctly: for kernels that only
// move.
template <typename F>
void with_element(DType dtype, F&& f) {
  if (dtype == DType::kString) return f(std::type_identity<std::string>());
  if (!is_plain(dtype)) return f(std::type_identity<Ref<RefCounted>>());
  switch (size_of(dtype)) {
    case 1:
      return f(std::type_identity<std::uint8_t>());
    case 2:
      return f(std::type_identity<std::uint16_t>());
    case 4:
      return f(std::type_identity<std::uint32_t>());
    case 8:
      return f(std::type_identity<std::uint64_t>());
    default:
      return f(std::type_identity<Bytes16>());
  }
}

}  // namespace tracefn
