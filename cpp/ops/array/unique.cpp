// Lookup ops: Unique, UniqueWithCounts, and LowerBound and UpperBound in sorted rows.
#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "base/poll.h"
#include "ops/array/array_families.h"
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

// Numbers the values in order of first occurrence: a hash table with open addressing.
template <typename T>
class Numbers {
 public:
  explicit Numbers(const T* x) : x_(x), slots_(kLeastSlots, kFree) {}

  // The number of element i's value, and whether it is new.
  std::pair<std::int64_t, bool> find_or_add(std::int64_t i) {
    std::int64_t& slot = slot_of(i);
    if (slot != kFree) return {slot, false};
    slot = static_cast<std::int64_t>(first_.size());
    first_.push_back(i);
    const std::int64_t number = slot;
    if (2 * first_.size() > slots_.size()) grow();
    return {number, true};
  }
  // By number, the first element with that value.
  const std::vector<std::int64_t>& first() const { return first_; }

 private:
  static constexpr std::size_t kLeastSlots = 64;
  static constexpr std::int64_t kFree = -1;

  decltype(auto) value(std::int64_t i) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return (x_[i]);
    } else {
      return compute_value(x_[i]);
    }
  }
  // The first probe for a value. The hash of a number may be the number itself.
  std::size_t start_of(std::int64_t i) const {
    const std::size_t mixed = HashValue()(value(i)) * 0x9e3779b97f4a7c15ull;
    return mixed ^ mixed >> 32;
  }
  std::int64_t& slot_of(std::int64_t i) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = start_of(i);; ++at) {
      std::int64_t& slot = slots_[at & mask];
      if (slot == kFree || value(first_[static_cast<std::size_t>(slot)]) == value(i)) return slot;
    }
  }
  void grow() {
    slots_.assign(4 * slots_.size(), kFree);
    PolledSteps polled;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t number = 0; number < first_.size(); ++number, polled.step()) {
      std::size_t at = start_of(first_[number]);
      while (slots_[at & mask] != kFree) ++at;
      slots_[at & mask] = static_cast<std::int64_t>(number);
    }
  }

  const T* x_;
  std::vector<std::int64_t> slots_, first_;
};

// Calls f(T()) for every dtype with comparable elements.
template <typename F>
void with_comparable(DType dtype, F&& f) {
  if (dtype == DType::kString) return f(std::type_identity<std::string>());
  if (dtype == DType::kBool) return f(std::type_identity<bool>());
  with_any_number(dtype, f);
}

// The distinct elements in order of first occurrence; for each element the number of its value.
void unique(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) invalid_argument("unique expects a 1D vector.");
  std::int64_t n = x.num_elements();
  DType index_type = c.attr("out_idx").type();
  Tensor places(DType::kInt64, Shape({n}));
  std::int64_t* place = places.mutable_data<std::int64_t>();
  std::vector<std::int64_t> counts;
  with_comparable(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    Numbers<T> numbers(x.data<T>());
    PolledSteps polled;
    for (std::int64_t i = 0; i < n; ++i, polled.step()) {
      auto [number, added] = numbers.find_or_add(i);
      if (added) counts.push_back(0);
      ++counts[static_cast<std::size_t>(number)];
      place[i] = number;
    }
    const auto size = static_cast<std::int64_t>(counts.size());
    Tensor& values = c.allocate_output(0, x.dtype(), Shape({size}));
    in_slices(size, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        values.mutable_data<T>()[i] = x.data<T>()[numbers.first()[static_cast<std::size_t>(i)]];
    });
  });
  auto write = [&](std::size_t output, const std::int64_t* from, std::int64_t size) {
    Tensor& out = c.allocate_output(output, index_type, Shape({size}));
    if (index_type == DType::kInt64) return copy_elements(index_type, from, out.mutable_raw(), size);
    in_slices(size, 1, [&](std::int64_t begin, std::int64_t end) {
      std::transform(from + begin, from + end, out.mutable_data<std::int32_t>() + begin,
                     [](std::int64_t v) { return static_cast<std::int32_t>(v); });
    });
  };
  write(1, place, n);
  if (c.num_outputs() > 2) write(2, counts.data(), static_cast<std::int64_t>(counts.size()));
}

void infer_bound(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  std::int64_t sorted = c.shape(0).has_rank() ? c.shape(0)[0] : kUnknownDim;
  std::int64_t values = c.shape(1).has_rank() ? c.shape(1)[0] : kUnknownDim;
  if (sorted >= 0 && values >= 0 && sorted != values)
    invalid_argument("Dimensions must be equal, but are ", sorted, " and ", values);
  c.set_output(0, c.shape(1));
}

void check_bound(const KernelContext& c) {
  const Tensor& sorted = c.input(0);
  const Tensor& values = c.input(1);
  if (sorted.rank() != 2) invalid_argument("sorted input argument must be a matrix");
  if (values.rank() != 2) invalid_argument("values argument must be a matrix");
  if (sorted.dim(0) != values.dim(0))
    invalid_argument("Leading dim_size of both tensors must match. Got ", sorted.dim(0), " and ", values.dim(0));
}

// For each value of a row its insertion point in the same row of sorted inputs, before equals or after them.
template <bool upper>
void bound(KernelContext& c) {
  const Tensor& sorted = c.input(0);
  const Tensor& values = c.input(1);
  std::int64_t n = sorted.dim(1), count = values.dim(1);
  Tensor& out = c.output(0);
  with_number(sorted.dtype(), [&]<typename T>(std::type_identity<T>) {
    auto less = [](const T& a, const T& b) { return compute_value(a) < compute_value(b); };
    PolledSteps polled;
    for (std::int64_t i = 0; i < values.num_elements(); ++i, polled.step()) {
      const T* row = sorted.data<T>() + i / count * n;
      const T& value = values.data<T>()[i];
      std::int64_t at =
          (upper ? std::upper_bound(row, row + n, value, less) : std::lower_bound(row, row + n, value, less)) - row;
      if (out.dtype() == DType::kInt64) {
        out.mutable_data<std::int64_t>()[i] = at;
      } else {
        out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(at);
      }
    }
  });
}

}  // namespace

void register_unique(Registry& r) {
  r.add(
      {.name = "Unique",
       .inputs = {"x: T"},
       .outputs = {"y: T", "idx: out_idx"},
       .attrs = {"T: type", "out_idx: {int32, int64} = DT_INT32"},
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
         .doc = "The distinct elements of a vector, in order of first occurrence, the index of each element among "
                "them, and how often each occurs.",
         .infer = infer_unique,
         .kernel = unique,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
  r.add(
      {.name = "LowerBound",
       .inputs = {"sorted_inputs: T", "values: T"},
       .outputs = {"output: out_type"},
       .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
       .doc =
           "For each value, the index of the first element in the same row of sorted_inputs that is not less than it.",
       .infer = infer_bound,
       .check = check_bound,
       .kernel = bound<false>,
       .grad = not_differentiable});
  r.add({.name = "UpperBound",
         .inputs = {"sorted_inputs: T", "values: T"},
         .outputs = {"output: out_type"},
         .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
         .doc =
             "For each value, the index of the first element in the same row of sorted_inputs that is greater than it.",
         .infer = infer_bound,
         .check = check_bound,
         .kernel = bound<true>,
         .grad = not_differentiable});
}

}  // namespace tracefn
