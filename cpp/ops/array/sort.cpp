// The largest elements and their places: TopKV2.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/array/sort_keys.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/kernel_table.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_top_k(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 0);
  std::optional<std::int64_t> k = known_index(c, 1);
  if (k && *k < 0) invalid_argument("Dimension size, given by scalar input 1, must be non-negative but is ", *k);
  Shape out = c.shape(0);
  if (out.has_rank()) {
    std::int64_t last = out[out.rank() - 1];
    if (k && last >= 0 && last < *k) invalid_argument("input must have last dimension >= k = ", *k, " but is ", last);
    out[out.rank() - 1] = k.value_or(kUnknownDim);
  }
  c.set_output(0, out);
  c.set_output(1, std::move(out));
}

// Rows of one tensor whose first k elements are wanted.
template <typename T, typename Key>
struct SortJob {
  const KernelContext& c;
  const SortKernels& kernels;
  const T* x;
  std::int64_t rows, n, k;
  T* values;
  Places places;
  DType dtype;

  // The i-th of row r is the element at `place`.
  void put(std::int64_t r, std::int64_t i, std::int64_t place) const {
    values[r * k + i] = x[r * n + place];
    places.set(r * k + i, place);
  }
  Key key(std::int64_t r, std::int64_t i) const { return Key(descending_bits(x[r * n + i]), i); }

  // The largest of each row.
  void find_largest() const {
    const ArgKernel& largest = kernel_table().array.arg[1][slot(dtype)];
    c.parallel_for(rows, 0.2 * static_cast<double>(n) + 20, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) put(r, 0, largest.row(x + r * n, n));
    });
  }

  // Few of each row.
  void select() const {
    const double cost = 0.5 * static_cast<double>(n) + 30 * static_cast<double>(k) + 50;
    c.parallel_for(rows, cost, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Key> keys;
      for (std::int64_t r = begin; r < end; ++r) {
        first_keys(kernels, x + r * n, n, k, keys);
        for (std::int64_t i = 0; i < k; ++i) put(r, i, keys[static_cast<std::size_t>(i)].place());
      }
    });
  }

  // k < n of each row in the order in which TensorFlow's heap has them at last, which seeded samples depend on.
  void select_in_heap_order() const {
    const double cost = 2 * static_cast<double>(n) + 30 * static_cast<double>(k);
    c.parallel_for(rows, cost, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> found(static_cast<std::size_t>(k) + 1);
      const auto first = found.begin(), last = first + k;
      PolledSteps polled(16);
      for (std::int64_t r = begin; r < end; ++r, polled.step()) {
        const T* row = x + r * n;
        using Number = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
        auto precedes = [row](std::int64_t a, std::int64_t b) {
          const auto of_a = static_cast<Number>(row[a]), of_b = static_cast<Number>(row[b]);
          return of_b < of_a || (!(of_a < of_b) && a < b);
        };
        std::iota(first, found.end(), 0);
        std::make_heap(first, found.end(), precedes);
        std::pop_heap(first, found.end(), precedes);
        for (std::int64_t i = k + 1; i < n; ++i) {
          if (!precedes(i, *first)) continue;
          std::pop_heap(first, last, precedes);
          *(last - 1) = i;
          std::push_heap(first, last, precedes);
        }
        for (std::int64_t i = 0; i < k; ++i) put(r, i, found[static_cast<std::size_t>(i)]);
      }
    });
  }

  // Short rows, as many at once as a kernel has lanes.
  void sort_lanes() const {
    const std::int64_t groups = (rows + kSortLanes - 1) / kSortLanes;
    const std::int64_t padded = (n + kSortRows - 1) / kSortRows * kSortRows;
    c.parallel_for(groups, 30 * static_cast<double>(n) + 100, [&](std::int64_t begin, std::int64_t end) {
      KeyLanes<Key> lanes(padded * kSortLanes);
      PolledSteps polled(16);
      for (std::int64_t g = begin; g < end; ++g, polled.step()) {
        const std::int64_t first = g * kSortLanes, count = std::min(kSortLanes, rows - first);
        // Some elements of each lane at a time, so that the lanes' lines stay in the cache.
        for (std::int64_t begins = 0; begins < padded; begins += kSortRows)
          for (std::int64_t lane = 0; lane < kSortLanes; ++lane) {
            const std::int64_t ends = lane < count ? std::min(n, begins + kSortRows) : begins;
            if (ends - begins == kSortRows) {
              lanes.set_all(begins, lane, x + (first + lane) * n + begins);
              continue;
            }
            for (std::int64_t i = begins; i < ends; ++i) lanes.set(i * kSortLanes + lane, key(first + lane, i));
            for (std::int64_t i = std::max(begins, ends); i < begins + kSortRows; ++i)
              lanes.set_last(i * kSortLanes + lane);
          }
        lanes.sort_lanes(kernels, padded);
        places.visit([&]<typename I>(I* out) {
          for (std::int64_t begins = 0; begins < k; begins += kSortRows)
            for (std::int64_t lane = 0; lane < count; ++lane) {
              const std::int64_t to = (first + lane) * k;
              lanes.take(begins, std::min(k, begins + kSortRows), lane, x + (first + lane) * n, values + to, out + to);
            }
        });
      }
    });
  }

  // Other rows: one after the other if they are long, each by several threads.
  void sort_rows() const {
    constexpr std::int64_t kLong = 1 << 16;
    if (n > kLong) {
      Tensor room(DType::kUInt8, Shape({2 * n * static_cast<std::int64_t>(sizeof(Key))}));
      Key* keys = reinterpret_cast<Key*>(room.mutable_raw());
      for (std::int64_t r = 0; r < rows; ++r) {
        c.parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) keys[i] = key(r, i);
        });
        KeySorter::sort_long(c, kernels, keys, keys + n, n);
        c.parallel_for(k, 3, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) put(r, i, keys[i].place());
        });
      }
      return;
    }
    c.parallel_for(rows, 15 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      KeySorter sorter(kernels);
      std::vector<Key> keys(static_cast<std::size_t>(n)), room(keys.size());
      for (std::int64_t r = begin; r < end; ++r) {
        poll();
        for (std::int64_t i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = key(r, i);
        sorter.sort(keys.data(), room.data(), n, keys.data());
        for (std::int64_t i = 0; i < k; ++i) put(r, i, keys[static_cast<std::size_t>(i)].place());
      }
    });
  }

  // The same of keys that are numbers, by a kernel: `set(r, begin, end, keys)` makes those of elements of a row, and
  // `take(r, begin, end, keys)` gets the elements.
  template <typename Number, typename Set, typename Take>
  void sort_lines(const Set& set, const Take& take) const {
    constexpr double kNanoseconds = sizeof(Number) == 4 ? 6 : 12;
    const LineSortKernel& kernel = kernel_table().array.sort_line[slot(kKeyDType<Number>)];
    if (n > kLongLine) {
      // Keys of all results are where these go.
      const bool in_place = k == n && sizeof(Number) == sizeof(T);
      Tensor room(DType::kUInt8, Shape({in_place ? 0 : n * static_cast<std::int64_t>(sizeof(Number))}));
      for (std::int64_t r = 0; r < rows; ++r) {
        auto* keys = reinterpret_cast<Number*>(in_place ? static_cast<void*>(values + r * n) : room.mutable_raw());
        c.parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) { set(r, begin, end, keys); });
        sort_long_line<Number>(c, kernel, keys, n, kNanoseconds);
        c.parallel_for(k, 1, [&](std::int64_t begin, std::int64_t end) { take(r, begin, end, keys); });
      }
      return;
    }
    c.parallel_for(rows, kNanoseconds * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      std::vector<Number> keys(static_cast<std::size_t>(n));
      PolledSteps polled(16);
      for (std::int64_t r = begin; r < end; ++r, polled.step()) {
        set(r, 0, n, keys.data());
        kernel.sort(keys.data(), n);
        take(r, 0, k, keys.data());
      }
    });
  }
  static constexpr std::int64_t kLongLine = 1 << 16;

  void sort_lines_with_places() const {
    sort_lines<std::int64_t>(
        [&](std::int64_t r, std::int64_t begin, std::int64_t end, std::int64_t* keys) {
          for (std::int64_t i = begin; i < end; ++i) keys[i] = signed_key(key(r, i).bits);
        },
        [&](std::int64_t r, std::int64_t begin, std::int64_t end, const std::int64_t* keys) {
          for (std::int64_t i = begin; i < end; ++i)
            put(r, i, static_cast<std::int64_t>(unsigned_key(keys[i]) & 0xffffffff));
        });
  }

  void sort_lines_without_places() const {
    using Number = ValueKey<T>;
    std::atomic<bool> lost{false};
    auto set = [&](std::int64_t r, std::int64_t begin, std::int64_t end, Number* keys) {
      if (kernels.to_keys(x + r * n + begin, end - begin, keys + begin)) lost.store(true, std::memory_order_relaxed);
    };
    auto take = [&](std::int64_t r, std::int64_t begin, std::int64_t end, const Number* keys) {
      kernels.from_keys(keys + begin, end - begin, values + r * k + begin);
    };
    sort_lines<Number>(set, take);
    if (!lost.load(std::memory_order_relaxed)) return;
    c.parallel_for(rows, 0.2 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) kernels.restore(x + r * n, n, values + r * k, k);
    });
  }

  static constexpr std::int64_t kRowsAtOnce = sort_rows_at_once(sizeof(T));
  void sort_without_places() const {
    const double cost = 0.6 * static_cast<double>(n * kRowsAtOnce) + 100;
    c.parallel_for((rows + kRowsAtOnce - 1) / kRowsAtOnce, cost, [&](std::int64_t begin, std::int64_t end) {
      struct alignas(kSortKeyBytes) Keys {
        char bytes[kSortKeyBytes];
      };
      std::vector<Keys> keys(static_cast<std::size_t>((n + kSortRows - 1) / kSortRows * kSortRows));
      PolledSteps polled(16);
      for (std::int64_t first = begin * kRowsAtOnce; first < std::min(end * kRowsAtOnce, rows);
           first += kRowsAtOnce, polled.step())
        kernels.values(x + first * n, values + first * k, std::min(kRowsAtOnce, rows - first), n, k, keys.data());
    });
  }

  void run() const {
    constexpr std::int64_t kLongestInLanes = Key::kWide ? 512 : 1024, kShortValues = sizeof(T) > 4 ? 16 : 40;
    constexpr std::int64_t kShort = 1 << 20;  // a kernel does not poll
    if (k == 1 && n <= kShort) return find_largest();
    if (k < n && !c.attr("sorted").b()) return select_in_heap_order();
    if (k <= n / 8) return select();
    if (!c.reads_output(1)) {
      if (rows >= kRowsAtOnce / 2 && n <= kShortValues) return sort_without_places();
      return sort_lines_without_places();
    }
    if (rows >= kSortLanes / 2 && n <= kLongestInLanes) return sort_lanes();
    if constexpr (Key::kWide) {
      sort_rows();
    } else {
      sort_lines_with_places();
    }
  }
};

void check_top_k(const KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& count = c.input(1);
  if (count.rank() != 0) invalid_argument("k must be scalar, got shape ", count.shape().text());
  std::int64_t k = index_at(count, 0);
  if (k < 0) invalid_argument("Need k >= 0, got ", k);
  if (x.rank() < 1) invalid_argument("input must be >= 1-D, got shape ", x.shape().text());
  std::int64_t n = x.dim(x.rank() - 1);
  if (n < k) invalid_argument("input must have at least k columns. Had ", n, ", needed ", k);
}

void top_k(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& values = c.output(0);
  const std::int64_t n = x.dim(x.rank() - 1), k = values.dim(x.rank() - 1);
  if (values.num_elements() == 0) return;
  const std::int64_t rows = x.num_elements() / n;
  auto run = [&]<typename T, typename Key>(std::type_identity<T>, std::type_identity<Key>) {
    const SortKernels& kernels = kernel_table().array.sort[slot(x.dtype())];
    SortJob<T, Key>{c, kernels, x.data<T>(), rows, n, k, values.mutable_data<T>(), Places(c.output(1)), x.dtype()}
        .run();
  };
  with_number(x.dtype(), [&]<typename T>(std::type_identity<T> type) {
    if constexpr (sizeof(T) < 8) {
      if (n <= 0xffffffff) return run(type, std::type_identity<NarrowKey>());
    }
    run(type, std::type_identity<WideKey>());
  });
}

// Each value's gradient goes to its source position, counted over all elements.
void grad_top_k(GradContext& c) {
  const Operand& x = c.input(0);
  Operand shape = build::shape_of(x);
  const Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  const Operand minus_one = build::ints({-1});
  auto last_of = [](const Operand& dims) {
    return emit1("StridedSlice", {dims, build::ints({-1}), build::ints({0}), build::ints({1})},
                 {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  };
  // Flat index i is in row i / k. With k or the last dimension 0 there are none.
  Operand indices = build::reshape(build::cast(c.output(1), DType::kInt32), minus_one);
  Operand k = emit1("Maximum", {last_of(build::shape_of(c.output(1))), one});
  Operand row = emit1("FloorDiv", {emit1("Range", {zero, emit1("Size", {indices}), one}), k});
  Operand flat = build::reshape(indices + row * last_of(shape), build::ints({-1, 1}));
  Operand dy = build::reshape(c.dy(0), minus_one);
  Operand size = build::reshape(emit1("Size", {x}), build::ints({1}));
  c.to_input(0, build::reshape(emit1("ScatterNd", {flat, dy, size}), shape));
}

}  // namespace

void register_sort(Registry& r) {
  r.add({.name = "TopKV2",
         .inputs = {"input: T", "k: Tk"},
         .outputs = {"values: T", "indices: index_type"},
         .attrs = {"sorted: bool = true", "T: " TRACEFN_REAL_NUMBERS, "Tk: {int16, int32, int64} = DT_INT32",
                   "index_type: {int16, int32, int64} = DT_INT32"},
         .facts = {.serial = true},
         .doc = "The k largest elements along the last axis, in descending order, and their indices.\n\nEqual elements "
                "are ordered by index. NaN comes last.",
         .infer = infer_top_k,
         .check = check_top_k,
         .kernel = top_k,
         .grad = grad_top_k});
}

}  // namespace tracefn
