// Checks and orders of the parts of sparse tensors, and the list of the sparse families.
#include "ops/sparse/sparse.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/families.h"
#include "ops/sparse/csr.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

std::string joined(std::span<const std::int64_t> numbers, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) text += concat(i == 0 ? "" : between, numbers[i]);
  return text;
}

std::span<const std::int64_t> row(const Tensor& places, std::int64_t i) {
  const std::int64_t rank = places.dim(1);
  return {places.data<std::int64_t>() + i * rank, static_cast<std::size_t>(rank)};
}

void require_rank_of(const Tensor& t, int rank, std::string_view part) {
  if (t.rank() != rank) invalid_argument("Sparse ", part, " must be rank ", rank, " but is rank ", t.rank());
}

bool inside(std::span<const std::int64_t> place, std::span<const std::int64_t> sizes) {
  for (std::size_t d = 0; d < place.size(); ++d)
    if (place[d] < 0 || place[d] >= sizes[d]) return false;
  return true;
}

// A place as one number in row-major order.
struct Keyed {
  std::uint64_t key;
  std::int64_t i;
};

// The places as numbers, counted in the smallest box that holds them; nothing if the box is too large.
std::optional<std::vector<Keyed>> keyed_places(const Tensor& places) {
  const std::int64_t rank = places.dim(1), n = places.dim(0);
  std::vector<std::int64_t> low(static_cast<std::size_t>(rank), std::numeric_limits<std::int64_t>::max());
  std::vector<std::int64_t> high(static_cast<std::size_t>(rank), std::numeric_limits<std::int64_t>::min());
  in_slices(n, static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::size_t d = 0; d < low.size(); ++d) {
        low[d] = std::min(low[d], row(places, i)[d]);
        high[d] = std::max(high[d], row(places, i)[d]);
      }
  });
  std::int64_t box = 1;
  for (std::size_t d = 0; d < low.size(); ++d) {
    std::int64_t size = 0;
    if (__builtin_sub_overflow(high[d], low[d], &size) || __builtin_add_overflow(size, 1, &size) ||
        __builtin_mul_overflow(box, size, &box))
      return std::nullopt;
  }
  std::vector<Keyed> keyed(static_cast<std::size_t>(n));
  in_slices(n, 2 * static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t key = 0;
      for (std::size_t d = 0; d < low.size(); ++d)
        key = key * static_cast<std::uint64_t>(high[d] - low[d] + 1) +
              static_cast<std::uint64_t>(row(places, i)[d] - low[d]);
      keyed[static_cast<std::size_t>(i)] = {key, i};
    }
  });
  return keyed;
}

}  // namespace

std::string spaced(std::span<const std::int64_t> numbers) { return joined(numbers, " "); }
std::string listed(std::span<const std::int64_t> numbers) { return concat("[", joined(numbers, ", "), "]"); }
std::string dims_text(std::span<const std::int64_t> sizes) { return concat("[", joined(sizes, ","), "]"); }

void require_sparse(const SparseParts& s) {
  require_rank_of(s.indices, 2, "indices");
  require_rank_of(s.values, 1, "values");
  require_rank_of(s.shape, 1, "shape");
  if (s.size() != s.values.dim(0))
    invalid_argument("Number of elements in indices (", s.size(), ") and values (", s.values.dim(0), ") do not match");
  if (s.rank() != s.shape.dim(0))
    invalid_argument("Index rank (", s.rank(), ") and shape rank (", s.shape.dim(0), ") do not match");
}

void require_places_inside(const SparseParts& s) {
  in_slices(s.size(), kPlaceCost * static_cast<double>(s.rank()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (!inside(row(s.indices, i), s.sizes()))
        invalid_argument("Sparse index tuple indices[", i, ", :] = ", listed(row(s.indices, i)), " is out of bounds");
  });
}

void require_sizes(std::span<const std::int64_t> sizes) {
  check_rank(sizes.size());
  std::int64_t all = 1;
  for (std::int64_t size : sizes) {
    if (size < 0) invalid_argument("Expected shape dimensions to be non-negative, got ", size);
    std::int64_t next = 0;
    if (__builtin_mul_overflow(all, size, &next))
      invalid_argument("Encountered overflow when multiplying ", all, " with ", size, ", result: -1");
    all = next;
  }
}

void require_sparse_object(const SparseParts& s) {
  if (s.indices.rank() != 2) invalid_argument("indices must be a matrix, but got: ", s.indices.shape().text());
  if (s.values.rank() != 1) invalid_argument("vals must be a vec, but got: ", s.values.shape().text());
  if (s.size() != s.values.dim(0))
    invalid_argument("indices and values rows (indexing dimension) must match. (indices = ", s.size(),
                     ", values = ", s.values.dim(0), ")");
  if (s.shape.num_elements() != s.rank()) invalid_argument("Order length must be SparseTensor rank.");
}

void require_ordered_places(const Tensor& places, std::span<const std::int64_t> sizes) {
  const std::int64_t rank = places.dim(1);
  in_slices(places.dim(0), kPlaceCost * static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto place = row(places, i);
      if (!inside(place, sizes))
        invalid_argument("indices[", i, "] = ", dims_text(place), " is out of bounds: need 0 <= index < ",
                         dims_text(sizes));
      const int order = i == 0 ? -1 : compare_places(row(places, i - 1).data(), place.data(), rank);
      if (order > 0)
        invalid_argument("indices[", i, "] = ", dims_text(place),
                         " is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
                         "create a correctly ordered copy.\n\n");
      if (order == 0) invalid_argument("indices[", i, "] = ", dims_text(place), " is repeated");
    }
  });
}

bool is_row_major(const Tensor& places) {
  const std::int64_t rank = places.dim(1), n = places.dim(0);
  const auto* at = places.data<std::int64_t>();
  std::int64_t in_order = 1;
  while (in_order < n && compare_places(at + (in_order - 1) * rank, at + in_order * rank, rank) <= 0) ++in_order;
  return in_order >= n;
}

std::vector<std::int64_t> row_major_order(const Tensor& places) {
  const std::int64_t rank = places.dim(1), n = places.dim(0);
  const auto* at = places.data<std::int64_t>();
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (is_row_major(places)) return order;
  PolledSteps polled(256);
  if (auto keyed = keyed_places(places)) {
    std::ranges::sort(*keyed, [&](const Keyed& a, const Keyed& b) {
      polled.step();
      return a.key != b.key ? a.key < b.key : a.i < b.i;
    });
    for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = (*keyed)[static_cast<std::size_t>(i)].i;
  } else {
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      polled.step();
      return compare_places(at + a * rank, at + b * rank, rank) < 0;
    });
  }
  return order;
}

void pick_values(const Tensor& values, std::span<const std::int64_t> which, Tensor& out) {
  with_element(values.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = values.data<T>();
    T* to = out.mutable_data<T>();
    in_slices(out.num_elements(), copy_cost<T>, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = from[which[static_cast<std::size_t>(i)]];
    });
  });
}

void pick_places(const Tensor& places, std::span<const std::int64_t> which, Tensor& out) {
  const std::int64_t rank = places.dim(1);
  const auto* from = places.data<std::int64_t>();
  auto* to = out.mutable_data<std::int64_t>();
  in_slices(out.dim(0), static_cast<double>(rank), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(from + which[static_cast<std::size_t>(i)] * rank, rank, to + i * rank);
  });
}

Tensor picked_values(const Tensor& values, std::span<const std::int64_t> which) {
  Tensor out(values.dtype(), Shape({static_cast<std::int64_t>(which.size())}));
  pick_values(values, which, out);
  return out;
}

Tensor picked_places(const Tensor& places, std::span<const std::int64_t> which) {
  Tensor out(DType::kInt64, Shape({static_cast<std::int64_t>(which.size()), places.dim(1)}));
  pick_places(places, which, out);
  return out;
}

std::vector<std::int64_t> row_major_steps(std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> steps(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) steps[d - 1] = steps[d] * sizes[d];
  return steps;
}

void require_sparse_ranks(const InferContext& c, std::size_t first) {
  c.require_rank(first, 2);
  c.require_rank(first + 1, 1);
  c.require_rank(first + 2, 1);
}

void set_sparse_outputs(InferContext& c, std::size_t first, std::int64_t n, std::int64_t rank) {
  c.set_output(first, Shape({n, rank}));
  c.set_output(first + 1, Shape({n}));
  c.set_output(first + 2, Shape({rank}));
}

void register_sparse_families(Registry& r) {
  register_sparse_to_dense(r);
  register_sparse_reorder(r);
  register_sparse_merge(r);
  register_sparse_dense_add(r);
  register_sparse_cwise(r);
  register_sparse_join(r);
  register_sparse_slice(r);
  register_sparse_fill_rows(r);
  register_sparse_reduce(r);
  register_sparse_reshape(r);
  register_sparse_softmax(r);
  register_sparse_matmul(r);
  register_dense_product(r);
  register_sparse_counts(r);
  register_sparse_cross(r);
  register_sets(r);
  register_serialized_sparse(r);
  register_sparse_tensors_map(r);
  register_csr(r);
  register_csr_products(r);
  register_csr_cholesky(r);
}

}  // namespace tracefn
