// How often numbers occur: Bincount, DenseBincount, and HistogramFixedWidth.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Nanoseconds per element.
constexpr double kCountCost = 2;

template <typename F>
void with_count(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kInt32:
      return f(std::type_identity<std::int32_t>());
    case DType::kInt64:
      return f(std::type_identity<std::int64_t>());
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    default:
      no_kernel();
  }
}

// The parts in which n elements are counted, each in a table of its own: only if the tables are small beside them. A
// float counts exactly to 2^24.
std::int64_t parts_of(std::int64_t n, std::int64_t size) {
  constexpr std::int64_t kPart = 1 << 16, kMostParts = 8, kExact = 1 << 24;
  const std::int64_t parts = size <= n / (4 * kMostParts) ? std::clamp<std::int64_t>(n / kPart, 1, kMostParts) : 1;
  return std::max(parts, (n + kExact - 1) / kExact);
}

// Calls add(begin, end, table) for pieces of n elements, which adds to a table of `size` zeros, and writes the sums of
// the tables. The parts depend only on the sizes.
template <typename T, typename Add>
void count_parts(const KernelContext& c, std::int64_t n, std::int64_t size, T* sums, const Add& add) {
  std::fill_n(sums, size, T(0));
  const std::int64_t parts = parts_of(n, size), part = (n + parts - 1) / std::max<std::int64_t>(parts, 1);
  auto count = [&](std::int64_t p, T* table) {
    in_slices(p * part, std::min(n, (p + 1) * part), kCountCost,
              [&](std::int64_t begin, std::int64_t end) { add(begin, end, table); });
  };
  if (parts <= 1) return n > 0 ? count(0, sums) : void();
  Tensor room(DType::kUInt8, Shape({parts * size * static_cast<std::int64_t>(sizeof(T))}));
  T* tables = reinterpret_cast<T*>(room.mutable_raw());
  c.parallel_for(parts, kCountCost * static_cast<double>(part), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      std::fill_n(tables + p * size, size, T(0));
      count(p, tables + p * size);
    }
  });
  for (std::int64_t p = 0; p < parts; ++p)
    for (std::int64_t i = 0; i < size; ++i) sums[i] = add_elements(sums[i], tables[p * size + i]);
}

// Adds elements [begin, end) of x to a table: their weights, or 1; binary: sets 1. False if one is negative.
template <typename I, typename T>
bool add_counts(const I* x, const T* weights, bool binary, std::int64_t begin, std::int64_t end, std::int64_t size,
                T* table) {
  I signs = 0;
  const auto limit = static_cast<std::uint64_t>(size);
  auto each = [&](const auto& update) {
    for (std::int64_t i = begin; i < end; ++i) {
      signs = static_cast<I>(signs | x[i]);
      const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(x[i]));
      if (at < limit) update(table[at], i);
    }
  };
  if (binary) {
    each([](T& count, std::int64_t) { count = 1; });
  } else if (weights) {
    each([&](T& count, std::int64_t i) { count = add_elements(count, weights[i]); });
  } else {
    each([](T& count, std::int64_t) { count = static_cast<T>(count + T(1)); });
  }
  return signs >= 0;
}

template <typename T>
void settle_binary(T* counts, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) counts[i] = static_cast<T>(counts[i] != T(0));
}

constexpr std::string_view kNegative = "Input arr must be non-negative!";

// All elements of x into one row of counts.
template <typename I, typename T>
void count_all(const KernelContext& c, const Tensor& x, const Tensor& weights, bool binary, Tensor& out) {
  const I* elements = x.data<I>();
  const T* of = weights.num_elements() > 0 ? weights.data<T>() : nullptr;
  T* counts = out.mutable_data<T>();
  const std::int64_t size = out.num_elements();
  std::atomic<bool> negative = false;
  count_parts(c, x.num_elements(), size, counts, [&](std::int64_t begin, std::int64_t end, T* table) {
    if (!add_counts(elements, of, binary, begin, end, size, table)) negative.store(true, std::memory_order_relaxed);
  });
  if (negative.load(std::memory_order_relaxed)) invalid_argument(kNegative);
  if (binary) settle_binary(counts, size);
}

void check_size(const KernelContext& c) {
  const Tensor& size = c.input(1);
  if (size.rank() != 0) return;  // the shape rule's error
  if (size.int_at(0) < 0) invalid_argument("size (", size.int_at(0), ") must be non-negative");
}

void infer_bincount(InferContext& c) {
  c.require_rank(1, 0);
  c.set_output(0, Shape({c.dim_value(1)}));
}

void check_bincount(const KernelContext& c) {
  check_size(c);
  if (c.input(2).num_elements() > 0 && c.input(2).num_elements() != c.input(0).num_elements())
    invalid_argument("Input indices and weights must have the same size.");
}

void bincount(KernelContext& c) {
  with_count(c.input(2).dtype(), [&]<typename T>(std::type_identity<T>) {
    count_all<std::int32_t, T>(c, c.input(0), c.input(2), false, c.output(0));
  });
}

void infer_dense_bincount(InferContext& c) {
  const Shape& x = c.shape(0);
  if (x.has_rank() && x.rank() > 2) invalid_argument("Shape must be at most rank 2 but is rank ", x.rank());
  c.require_rank(1, 0);
  const std::int64_t size = c.dim_value(1);
  if (!x.has_rank()) return c.set_output(0, Shape::unknown());
  c.set_output(0, x.rank() < 2 ? Shape({size}) : Shape({x[0], size}));
}

void check_dense_bincount(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& weights = c.input(2);
  if (x.rank() > 2) return;  // the shape rule's error
  check_size(c);
  if (weights.num_elements() > 0 && !(weights.shape() == x.shape()))
    invalid_argument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal "
        "to 1. Received ",
        weights.shape().text());
}

template <typename I, typename T>
void count_each_row(const KernelContext& c, const Tensor& x, const Tensor& weights, bool binary, Tensor& out) {
  const std::int64_t rows = x.dim(0), n = x.dim(1), size = out.dim(1);
  const T* of = weights.num_elements() > 0 ? weights.data<T>() : nullptr;
  c.parallel_for(rows, kCountCost * static_cast<double>(n) + 0.2 * static_cast<double>(size) + 5,
                 [&](std::int64_t first, std::int64_t last) {
                   for (std::int64_t r = first; r < last; ++r) {
                     const I* row = x.data<I>() + r * n;
                     T* counts = out.mutable_data<T>() + r * size;
                     fill_polled(counts, size, T(0));
                     in_slices(n, kCountCost, [&](std::int64_t begin, std::int64_t end) {
                       if (add_counts(row, of ? of + r * n : nullptr, binary, begin, end, size, counts)) return;
                       const I* found = std::find_if(row + begin, row + end, [](I v) { return v < 0; });
                       invalid_argument("Input 'in' must be non-negative! Negative input value found: ", *found);
                     });
                   }
                 });
}

void dense_bincount(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& weights = c.input(2);
  const bool binary = c.attr("binary_output").b();
  auto run = [&]<typename I, typename T>(std::type_identity<I>, std::type_identity<T>) {
    (x.rank() < 2 ? count_all<I, T> : count_each_row<I, T>)(c, x, weights, binary, c.output(0));
  };
  with_count(weights.dtype(), [&]<typename T>(std::type_identity<T> count) {
    if (x.dtype() == DType::kInt32) return run(std::type_identity<std::int32_t>(), count);
    run(std::type_identity<std::int64_t>(), count);
  });
}

void infer_histogram(InferContext& c) {
  c.require_rank(1, 1);
  c.require_rank(2, 0);
  if (c.shape(1).has_rank() && c.shape(1)[0] >= 0 && c.shape(1)[0] != 2 && !c.running())
    invalid_argument("Dimension must be 2 but is ", c.shape(1)[0]);
  const std::optional<std::int64_t> bins = known_index(c, 2);
  if (bins && *bins <= 0 && !c.running()) invalid_argument("Requires nbins > 0: ", *bins);
  c.set_output(0, Shape({c.dim_value(2)}));
}

void check_histogram(const KernelContext& c) {
  const Tensor& range = c.input(1);
  const Tensor& bins = c.input(2);
  if (range.rank() != 1) invalid_argument("value_range should be a vector.");
  if (range.num_elements() != 2) invalid_argument("value_range should be a vector of 2 elements.");
  if (bins.rank() != 0) invalid_argument("nbins should be a scalar.");
  with_count(range.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* ends = range.data<T>();
    if (!(ends[0] < ends[1]))
      invalid_argument("value_range should satisfy value_range[0] < value_range[1], but got '[", ends[0], ", ", ends[1],
                       "]'");
  });
  if (bins.int_at(0) <= 0) invalid_argument("nbins should be a positive number, but got '", bins.int_at(0), "'");
}

// Values below the range count in the first bin, values above it in the last.
template <typename V, typename T>
void count_bins(const KernelContext& c, const Tensor& values, const Tensor& range, Tensor& out) {
  const V* x = values.data<V>();
  // Differences as in TensorFlow: floats subtract as floats.
  using D = std::conditional_t<std::is_integral_v<V>, double, V>;
  const D low = static_cast<D>(range.data<V>()[0]), high = static_cast<D>(range.data<V>()[1]);
  const std::int64_t bins = out.num_elements();
  const double step = static_cast<double>(high - low) / static_cast<double>(bins), last = static_cast<double>(bins - 1);
  std::atomic<bool> has_nan = false;
  count_parts(c, values.num_elements(), bins, out.mutable_data<T>(),
              [&](std::int64_t begin, std::int64_t end, T* table) {
                // A constant length makes vector code of the loop.
                constexpr std::int64_t kPiece = 256;
                D piece[kPiece];
                std::int32_t places[kPiece];
                int nan = 0;
                for (; begin < end; begin += kPiece) {
                  const std::int64_t n = std::min(kPiece, end - begin);
                  for (std::int64_t i = 0; i < n; ++i) piece[i] = static_cast<D>(x[begin + i]);
                  std::fill(piece + n, piece + kPiece, low);
                  for (std::int64_t i = 0; i < kPiece; ++i) {
                    const D v = piece[i];
                    nan |= v != v;
                    const double at = static_cast<double>((v > low ? v : low) - low) / step;
                    places[i] = static_cast<std::int32_t>(at < last ? at : last);
                  }
                  for (std::int64_t i = 0; i < n; ++i) ++table[places[i]];
                }
                if (nan) has_nan.store(true, std::memory_order_relaxed);
              });
  if (has_nan.load(std::memory_order_relaxed)) invalid_argument("Histogram values must not contain NaN");
}

void histogram(KernelContext& c) {
  Tensor& out = c.output(0);
  with_count(c.input(0).dtype(), [&]<typename V>(std::type_identity<V>) {
    (out.dtype() == DType::kInt32 ? count_bins<V, std::int32_t> : count_bins<V, std::int64_t>)(c, c.input(0),
                                                                                               c.input(1), out);
  });
}

constexpr std::string_view kCounts = "T: {int32, int64, float, double}";

}  // namespace

void register_counts(Registry& r) {
  r.add({.name = "Bincount",
         .inputs = {"arr: int32", "size: int32", "weights: T"},
         .outputs = {"bins: T"},
         .attrs = {kCounts},
         .doc = "How often each of the integers 0, 1, ..., size - 1 occurs in `arr`; or the sums of the weights of its "
                "occurrences, if there are weights.\n\nRaises InvalidArgumentError if an element is negative.",
         .infer = infer_bincount,
         .check = check_bincount,
         .kernel = bincount,
         .grad = without_gradient});
  r.add({.name = "DenseBincount",
         .inputs = {"input: Tidx", "size: Tidx", "weights: T"},
         .outputs = {"output: T"},
         .attrs = {"Tidx: {int32, int64}", kCounts, "binary_output: bool = false"},
         .doc = "How often each of the integers 0, 1, ..., size - 1 occurs in a vector, or in each row of a matrix; or "
                "the sums of the weights of its occurrences, if there are weights. With binary_output just 1 for those "
                "that occur.\n\nRaises InvalidArgumentError if an element is negative.",
         .infer = infer_dense_bincount,
         .check = check_dense_bincount,
         .kernel = dense_bincount,
         .grad = without_gradient});
  r.add({.name = "HistogramFixedWidth",
         .python = "histogram_fixed_width(values, value_range, nbins=100, dtype)",
         .inputs = {"values: T", "value_range: T", "nbins: int32"},
         .outputs = {"out: dtype"},
         .attrs = {kCounts, "dtype: {int32, int64} = DT_INT32"},
         .doc = "How many values fall into each of `nbins` bins of equal width between value_range[0] and "
                "value_range[1]. The first and the last bin count the values outside the range, too.\n\nRaises "
                "InvalidArgumentError if the range is empty or a value is NaN.",
         .infer = infer_histogram,
         .check = check_histogram,
         .kernel = histogram,
         .grad = without_gradient});
}

}  // namespace tracefn
