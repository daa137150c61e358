// Unique and UniqueWithCounts, along an axis too.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/hash.h"
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/array/rows.h"
#include "ops/array/transpose.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_unique(InferContext& c) {
  c.require_rank(0, 1);
  c.set_output(0, Shape({kUnknownDim}));
  c.set_output(1, c.shape(0));
  if (c.num_outputs() > 2) c.set_output(2, Shape({kUnknownDim}));
}

// Equal values have equal hashes; a NaN equals nothing, so each one is distinct.
struct HashValue {
  template <typename T>
  std::size_t operator()(const T& v) const {
    return std::hash<T>()(v);
  }
  template <typename T>
  std::size_t operator()(const std::complex<T>& v) const {
    return hash_add(std::hash<T>()(v.real()), v.imag());
  }
};

// The hash of a number may be the number itself.
std::size_t mixed(std::size_t hash) {
  hash *= 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// Rows of `width` elements, `n` of them.
template <typename T>
struct Rows {
  const T* x;
  std::int64_t n, width;

  decltype(auto) value(std::int64_t i) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return (x[i]);
    } else {
      return compute_value(x[i]);
    }
  }
  std::size_t hash(std::int64_t i) const {
    std::size_t all = 0;
    for (std::int64_t k = 0; k < width; ++k) all = hash_add(all, HashValue()(value(i * width + k)));
    return mixed(all);
  }
  bool equal(std::int64_t i, std::int64_t j) const {
    for (std::int64_t k = 0; k < width; ++k)
      if (!(value(i * width + k) == value(j * width + k))) return false;
    return true;
  }
};

// Distinct rows are numbered in order of first occurrence. Each way to do it writes the number of each row to `places`
// and returns the first row with each number.
using FirstRows = std::vector<std::int64_t>;

// By a hash table with open addressing, of numbers.
template <typename T, typename Index>
FirstRows number_rows(const Rows<T>& rows, Index* places) {
  constexpr std::int64_t kFree = -1;
  FirstRows first;
  std::vector<std::int64_t> slots(64, kFree);
  auto slot_of = [&](std::int64_t i) -> std::int64_t& {
    for (std::size_t at = rows.hash(i);; ++at) {
      std::int64_t& slot = slots[at & (slots.size() - 1)];
      if (slot == kFree || rows.equal(first[static_cast<std::size_t>(slot)], i)) return slot;
    }
  };
  in_slices(rows.n, 20 * static_cast<double>(rows.width) + 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t& slot = slot_of(i);
      const bool added = slot == kFree;
      if (added) slot = static_cast<std::int64_t>(first.size());
      places[i] = static_cast<Index>(slot);
      if (!added) continue;
      first.push_back(i);
      if (2 * first.size() <= slots.size()) continue;
      slots.assign(4 * slots.size(), kFree);
      PolledSteps polled;
      for (std::size_t number = 0; number < first.size(); ++number, polled.step()) {
        std::size_t at = rows.hash(first[number]);
        while (slots[at & (slots.size() - 1)] != kFree) ++at;
        slots[at & (slots.size() - 1)] = static_cast<std::int64_t>(number);
      }
    }
  });
  return first;
}

// The same for numbers, which the table holds itself: one miss of the cache for an element instead of two.
template <typename T, typename Index>
FirstRows number_values(const T* x, std::int64_t n, Index* places) {
  struct Slot {
    T value;
    std::int32_t number;
  };
  constexpr std::int32_t kFree = -1;
  FirstRows first;
  std::vector<Slot> slots(1024, Slot{T(), kFree});
  auto slot_of = [&](T value) -> Slot& {
    for (std::size_t at = mixed(HashValue()(value));; ++at) {
      Slot& slot = slots[at & (slots.size() - 1)];
      if (slot.number == kFree || slot.value == value) return slot;
    }
  };
  in_slices(n, 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Slot& slot = slot_of(x[i]);
      const bool added = slot.number == kFree;
      if (added) slot = {x[i], static_cast<std::int32_t>(first.size())};
      places[i] = static_cast<Index>(slot.number);
      if (!added) continue;
      first.push_back(i);
      if (2 * first.size() <= slots.size()) continue;
      const std::vector<Slot> old = std::move(slots);
      slots.assign(4 * old.size(), Slot{T(), kFree});
      PolledSteps polled;
      for (const Slot& moved : old) {
        polled.step();
        if (moved.number == kFree) continue;
        // All are distinct; a NaN would not be found anyway.
        std::size_t at = mixed(HashValue()(moved.value));
        while (slots[at & (slots.size() - 1)].number != kFree) ++at;
        slots[at & (slots.size() - 1)] = moved;
      }
    }
  });
  return first;
}

// By a table of all integers in [low, low + size).
template <typename T, typename Index>
FirstRows number_integers(const T* x, std::int64_t n, T low, std::size_t size, Index* places) {
  constexpr std::int32_t kFree = -1;
  FirstRows first;
  std::vector<std::int32_t> numbers(size, kFree);
  in_slices(n, 3, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int32_t& number = numbers[static_cast<std::size_t>(x[i]) - static_cast<std::size_t>(low)];
      if (number == kFree) {
        number = static_cast<std::int32_t>(first.size());
        first.push_back(i);
      }
      places[i] = static_cast<Index>(number);
    }
  });
  return first;
}

template <typename T, typename Index>
FirstRows number(const Rows<T>& rows, Index* places) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (rows.width == 1 && rows.n <= INT32_MAX) {
      if constexpr (std::is_integral_v<T>) {
        T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();
        in_slices(rows.n, 0.3, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            low = std::min(low, rows.x[i]);
            high = std::max(high, rows.x[i]);
          }
        });
        const auto range = static_cast<std::size_t>(high) - static_cast<std::size_t>(low);
        if (rows.n > 0 && range < 4 * static_cast<std::size_t>(rows.n) + 256)
          return number_integers(rows.x, rows.n, low, range + 1, places);
      }
      return number_values(rows.x, rows.n, places);
    }
  }
  return number_rows(rows, places);
}

// Calls f(T()) for every dtype with comparable elements.
template <typename F>
void with_comparable(DType dtype, F&& f) {
  if (dtype == DType::kString) return f(std::type_identity<std::string>());
  if (dtype == DType::kBool) return f(std::type_identity<bool>());
  with_any_number(dtype, f);
}

// The distinct slices along an axis in order of first occurrence; for each slice the number of its value; how often
// each occurs.
void unique_slices(KernelContext& c, int axis) {
  const Tensor& x = c.input(0);
  const DType index_type = c.attr("out_idx").type();
  const std::int64_t n = x.dim(axis);
  // The axis first, so that slices are rows; and back.
  SmallVector<int, 8> perm, inverse(static_cast<std::size_t>(x.rank()));
  perm.push_back(axis);
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) perm.push_back(i);
  for (std::size_t i = 0; i < perm.size(); ++i) inverse[static_cast<std::size_t>(perm[i])] = static_cast<int>(i);
  const Tensor rows = axis == 0 ? x : transposed(c, x, std::span<const int>(perm.data(), perm.size()));
  const std::int64_t width = tail(rows.shape(), 1).num_elements();
  Tensor& places = c.allocate_output(1, index_type, Shape({n}));
  FirstRows first;
  auto with_places = [&](auto&& f) {
    if (index_type == DType::kInt32) return f(places.mutable_data<std::int32_t>());
    f(places.mutable_data<std::int64_t>());
  };
  with_comparable(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    with_places([&](auto* place) { first = number(Rows<T>{rows.data<T>(), n, width}, place); });
    const auto size = static_cast<std::int64_t>(first.size());
    Tensor values(x.dtype(), with_first(size, tail(rows.shape(), 1)));
    in_slices(size, 10 + copy_cost<T> * static_cast<double>(width), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::copy_n(rows.data<T>() + first[static_cast<std::size_t>(i)] * width, width,
                    values.mutable_data<T>() + i * width);
    });
    c.set_output(
        0, axis == 0 ? std::move(values) : transposed(c, values, std::span<const int>(inverse.data(), inverse.size())));
  });
  if (c.num_outputs() < 3) return;
  Tensor& counts = c.allocate_output(2, index_type, Shape({static_cast<std::int64_t>(first.size())}));
  counts.fill_zeros();
  with_places([&]<typename Index>(Index* place) {
    Index* count = counts.mutable_data<Index>();
    in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++count[place[i]];
    });
  });
}

void unique(KernelContext& c) {
  if (c.input(0).rank() != 1) invalid_argument("unique expects a 1D vector.");
  unique_slices(c, 0);
}

// As unique() if the vector of axes is empty.
void infer_unique_along(InferContext& c) {
  const Shape& x = c.shape(0);
  c.set_output(0, x.has_rank() ? Shape::of_rank(x.rank()) : Shape::unknown());
  c.set_output(1, Shape({kUnknownDim}));
  if (c.num_outputs() > 2) c.set_output(2, Shape({kUnknownDim}));
  const Tensor* axis = c.value(1);
  if (!axis || !x.has_rank()) return;
  if (axis->rank() != 1) invalid_argument("axis expects a 1D vector.");
  if (axis->num_elements() > 1) invalid_argument("axis does not support input tensors larger than 1 elements.");
  if (axis->num_elements() == 0) {
    if (x.rank() != 1) invalid_argument("x expects a 1D vector.");
    return c.set_output(1, x);
  }
  const std::int64_t at = axis->int_at(0);
  if (at < -x.rank() || at >= x.rank())
    invalid_argument("axis expects to be in the range [", -x.rank(), ", ", x.rank(), ")");
  c.set_output(1, Shape({x[static_cast<int>(at < 0 ? at + x.rank() : at)]}));
}

void unique_along(KernelContext& c) {
  const Tensor& axes = c.input(1);
  if (axes.rank() != 1) invalid_argument("axis expects a 1D vector.");
  if (axes.num_elements() > 1) invalid_argument("axis does not support input tensors larger than 1 elements");
  if (axes.num_elements() == 0) return unique(c);
  const std::int64_t rank = c.input(0).rank(), axis = axes.int_at(0);
  const std::int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) invalid_argument("axis has to be between [0, ", rank, ")");
  unique_slices(c, static_cast<int>(at));
}

}  // namespace

void register_unique(Registry& r) {
  r.add(
      {.name = "Unique",
       .inputs = {"x: T"},
       .outputs = {"y: T", "idx: out_idx"},
       .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
       .facts = {.serial = true},
       .doc =
           "The distinct elements of a vector, in order of first occurrence, and the index of each element among them.",
       .infer = infer_unique,
       .kernel = unique,
       .allocation = Allocation::kByValues,
       .grad = without_gradient});
  r.add({.name = "UniqueWithCounts",
         .inputs = {"x: T"},
         .outputs = {"y: T", "idx: out_idx", "count: out_idx"},
         .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
         .facts = {.serial = true},
         .doc = "The distinct elements of a vector, in order of first occurrence, the index of each element among "
                "them, and how often each occurs.",
         .infer = infer_unique,
         .kernel = unique,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  OpRecord along{.name = "UniqueV2",
                 .inputs = {"x: T", "axis: Taxis"},
                 .outputs = {"y: T", "idx: out_idx"},
                 .attrs = {"T: type", "Taxis: {int32, int64} = DT_INT64", "out_idx: {int32, int64} = DT_INT32"},
                 .facts = {.serial = true},
                 .doc =
                     "The distinct slices of a tensor along an axis, in order of first occurrence, and the index of "
                     "each slice among them. Without an axis, those of a vector.",
                 .infer = infer_unique_along,
                 .kernel = unique_along,
                 .allocation = Allocation::kByValues,
                 .grad = without_gradient};
  r.add(along);
  along.name = "UniqueWithCountsV2";
  along.outputs.push_back("count: out_idx");
  along.doc = "The results of UniqueV2, and how often each slice occurs.";
  r.add(along);
}

}  // namespace tracefn
