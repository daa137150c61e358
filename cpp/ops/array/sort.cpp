// The largest elements and their places: TopKV2.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/places.h"
#include "ops/array/sort_keys.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
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

bool sorts_by_digits(std::int64_t n, std::int64_t k) { return n > kRadixLength && k > n / 8; }

// The first k of a row's keys in order, written from `first` on. `room` has n keys, 2 n to sort by digits.
template <typename T, typename Key>
void top_k_row(const T* x, std::int64_t n, std::int64_t k, Key* room, T* values, const Places& indices,
               std::int64_t first) {
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) room[i] = Key(descending_bits(x[i]), i);
  });
  const Key* order = sorts_by_digits(n, k) ? radix_sorted(room, room + n, n) : room;
  if (order == room) sort_first(room, n, k);
  in_slices(k, 5, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t place = order[i].place();
      values[i] = x[place];
      indices.set(first + i, place);
    }
  });
}

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
  std::int64_t n = x.dim(x.rank() - 1), k = values.dim(x.rank() - 1);
  std::int64_t rows = n == 0 ? 0 : x.num_elements() / n;
  const Places places(c.output(1));
  auto run = [&]<typename T, typename Key>(std::type_identity<T>, std::type_identity<Key>) {
    c.parallel_for(rows, 10 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
      Tensor room(DType::kUInt8, Shape({n, (sorts_by_digits(n, k) ? 2 : 1) * static_cast<std::int64_t>(sizeof(Key))}));
      auto* keys = static_cast<Key*>(room.mutable_raw());
      for (std::int64_t r = begin; r < end; ++r)
        top_k_row(x.data<T>() + r * n, n, k, keys, values.mutable_data<T>() + r * k, places, r * k);
    });
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
         .doc = "The k largest elements along the last axis, in descending order, and their indices.\n\nEqual elements "
                "are ordered by index. NaN comes last.",
         .infer = infer_top_k,
         .check = check_top_k,
         .kernel = top_k,
         .grad = grad_top_k});
}

}  // namespace tracefn
