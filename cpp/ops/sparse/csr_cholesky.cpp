// SparseMatrixOrderingAMD, SparseMatrixSparseCholesky: an order with few new values, and the triangle L with
// L L^H = A in that order.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/sparse/csr.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void require_square(const CsrMatrix& m) {
  if (m.num_rows() != m.num_columns())
    invalid_argument("sparse matrix must be square; got: ", m.num_rows(), " != ", m.num_columns());
}

// Minimum degree: the row with the fewest neighbors is next, and its neighbors become each other's (A. George and
// J. W. H. Liu, "The evolution of the minimum degree ordering algorithm", 1989). TensorFlow approximates the degrees,
// so that its order may differ.
void order(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0);
  require_square(m);
  const std::int64_t n = m.num_rows();
  Tensor& out = c.allocate_output(0, DType::kInt32, m.shape.size() == 3 ? Shape({m.batches(), n}) : Shape({n}));
  auto* to = out.mutable_data<std::int32_t>();
  PolledSteps polled(64);
  for (std::int64_t b = 0; b < m.batches(); ++b) {
    std::vector<std::set<std::int32_t>> neighbors(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [begin, end] = m.row(b, i);
      for (std::int32_t k = begin; k < end; ++k) {
        const std::int32_t j = m.columns[static_cast<std::size_t>(k)];
        if (j == i) continue;
        neighbors[static_cast<std::size_t>(i)].insert(j);
        neighbors[static_cast<std::size_t>(j)].insert(static_cast<std::int32_t>(i));
      }
    }
    std::set<std::pair<std::size_t, std::int32_t>> waiting;
    for (std::int32_t i = 0; i < n; ++i) waiting.emplace(neighbors[static_cast<std::size_t>(i)].size(), i);
    while (!waiting.empty()) {
      const std::int32_t i = waiting.begin()->second;
      waiting.erase(waiting.begin());
      *to++ = i;
      const std::set<std::int32_t> around = std::move(neighbors[static_cast<std::size_t>(i)]);
      for (std::int32_t j : around) {
        auto& own = neighbors[static_cast<std::size_t>(j)];
        waiting.erase({own.size(), j});
        own.erase(i);
        for (std::int32_t k : around)
          if (k != j) own.insert(k);
        waiting.emplace(own.size(), j);
        polled.step(1 + static_cast<std::int64_t>(around.size()) / 8);
      }
      polled.step();
    }
  }
}

template <typename T>
auto real_part(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return x.real();
  }
}

// Row i of L from the lower triangle of the ordered matrix: value after value, each of which changes those below it in
// its column.
template <typename T>
void decompose(const CsrMatrix& m, std::int64_t b, std::span<const std::int32_t> places, CsrBuilder<T>& made) {
  const std::int64_t n = m.num_rows();
  std::vector<std::int32_t> row_of(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < places.size(); ++i)
    row_of[static_cast<std::size_t>(places[i])] = static_cast<std::int32_t>(i);
  // Entries of the ordered lower triangle by rows.
  std::vector<std::vector<std::pair<std::int32_t, T>>> lower(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [begin, end] = m.row(b, i);
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t j = m.columns[static_cast<std::size_t>(k)];
      if (j > i) continue;
      const T value = m.values.data<T>()[k];
      std::int32_t p = row_of[static_cast<std::size_t>(i)], q = row_of[static_cast<std::size_t>(j)];
      if (p >= q) {
        lower[static_cast<std::size_t>(p)].emplace_back(q, value);
      } else {
        lower[static_cast<std::size_t>(q)].emplace_back(p, conjugate_of(value));
      }
    }
  }
  std::vector<std::vector<std::pair<std::int32_t, T>>> columns(
      static_cast<std::size_t>(n));  // of L, below the diagonal
  std::vector<T> diagonal(static_cast<std::size_t>(n)), row(static_cast<std::size_t>(n));
  PolledSteps polled(256);
  for (std::int32_t i = 0; i < n; ++i) {
    std::set<std::int32_t> reached;
    for (const auto& [j, value] : lower[static_cast<std::size_t>(i)]) {
      row[static_cast<std::size_t>(j)] = value;
      reached.insert(j);
    }
    reached.insert(i);
    for (auto at = reached.begin(); *at != i; ++at) {
      const std::int32_t j = *at;
      const T value = row[static_cast<std::size_t>(j)] / diagonal[static_cast<std::size_t>(j)];
      row[static_cast<std::size_t>(j)] = T{};
      for (const auto& [k, other] : columns[static_cast<std::size_t>(j)]) {
        row[static_cast<std::size_t>(k)] -= value * conjugate_of(other);
        reached.insert(k);
        polled.step();
      }
      row[static_cast<std::size_t>(i)] -= value * conjugate_of(value);
      made.add(j, value);
      columns[static_cast<std::size_t>(j)].emplace_back(i, value);
    }
    const auto square = real_part(row[static_cast<std::size_t>(i)]);
    row[static_cast<std::size_t>(i)] = T{};
    if (!(square > 0))
      invalid_argument("Sparse Cholesky factorization failed for batch index ", b, ". The input might not be valid.");
    diagonal[static_cast<std::size_t>(i)] = static_cast<T>(std::sqrt(square));
    made.add(i, diagonal[static_cast<std::size_t>(i)]);
    made.end_row();
  }
}

void cholesky(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0, c.attr("type").type());
  require_square(m);
  const Tensor& permutation = c.input(1);
  const std::int64_t n = m.num_rows();
  const Shape expected = m.shape.size() == 3 ? Shape({m.batches(), n}) : Shape({n});
  if (!(permutation.shape() == expected))
    invalid_argument("permutation must have shape ", expected.text(), ", got ", permutation.shape().text());
  for (std::int64_t b = 0; b < m.batches(); ++b) {
    std::vector<bool> seen(static_cast<std::size_t>(n));
    for (std::int32_t i :
         permutation.span<std::int32_t>().subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n))) {
      if (i < 0 || i >= n || seen[static_cast<std::size_t>(i)])
        invalid_argument("permutation must hold each number below ", n, " once, but has ", i);
      seen[static_cast<std::size_t>(i)] = true;
    }
  }
  with_csr_number(m.dtype(), [&]<typename T>(std::type_identity<T>) {
    CsrBuilder<T> made(m.shape);
    for (std::int64_t b = 0; b < m.batches(); ++b) {
      decompose(m, b,
                permutation.span<std::int32_t>().subspan(static_cast<std::size_t>(b * n), static_cast<std::size_t>(n)),
                made);
      made.end_matrix();
    }
    set_csr_output(c, made.take());
  });
}

}  // namespace

void register_csr_cholesky(Registry& r) {
  r.add({.name = "SparseMatrixOrderingAMD",
         .inputs = {"input: variant"},
         .outputs = {"output: int32"},
         .doc = "An order of the rows of a square matrix, or of each one of a batch, for which "
                "`SparseMatrixSparseCholesky` has few values: minimum degree.",
         .infer =
             [](InferContext& c) {
               const Shape shape = csr_shape(c, 0);
               if (!shape.has_rank()) return c.set_output(0, Shape::unknown());
               c.set_output(0, shape.rank() == 3 ? Shape({shape[0], shape[1]}) : Shape({shape[0]}));
             },
         .kernel = order,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "SparseMatrixSparseCholesky",
         .inputs = {"input: variant", "permutation: int32"},
         .outputs = {"output: variant"},
         .attrs = {"type: " TRACEFN_CSR_NUMBERS},
         .doc =
             "The lower triangle L with L L^H = P A P^H, where row i of P A is row permutation[i] of A.\n\nThe lower "
             "triangle of A is read. Raises InvalidArgumentError if A is not positive definite.",
         .infer = [](InferContext& c) { set_csr_output(c, c.attr("type").type(), csr_shape(c, 0)); },
         .kernel = cholesky,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
}

}  // namespace tracefn
