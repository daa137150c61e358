// SparseMatrixMatMul, SparseMatrixSparseMatMul: products with matrices in compressed sparse rows.
#include <algorithm>
#include <unordered_map>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/sparse/csr.h"
#include "ops/sparse/sparse.h"

namespace tracefn {
namespace {

std::string sizes_text(const CsrMatrix& m) { return dims_text(m.shape); }

// The strides by which op(B) of a dense matrix, or the result in its form, is walked.
struct DenseForm {
  std::int64_t rows, columns, row_step, column_step;
};
DenseForm dense_form(std::int64_t stored_rows, std::int64_t stored_columns, bool transposed) {
  if (transposed) return {stored_columns, stored_rows, 1, stored_columns};
  return {stored_rows, stored_columns, stored_columns, 1};
}

void csr_product(KernelContext& c) {
  const Tensor& b = c.input(1);
  const CsrForm of_a = csr_form(c, "transpose_a", "adjoint_a"), of_b = csr_form(c, "transpose_b", "adjoint_b");
  const bool transpose_output = c.attr("transpose_output").b(), conjugate_output = c.attr("conjugate_output").b();
  const CsrMatrix& given = csr_input(c, 0);
  if (given.dtype() != b.dtype())
    invalid_argument("Input types don't match. a.dtype == ", runtime_name(given.dtype()),
                     " vs. b.dtype == ", runtime_name(b.dtype()));
  if (static_cast<int>(given.shape.size()) != b.rank())
    invalid_argument("Ranks of a and b must match, saw: ", given.shape.size(), " vs. ", b.rank(), ".");
  const bool batched = b.rank() == 3;
  if (batched && given.batches() != b.dim(0))
    invalid_argument("Batch sizes of a and b must match, saw: ", given.batches(), " vs. ", b.dim(0), ".");
  const Ref<const CsrMatrix> a = csr_in_form(c, 0, of_a);
  const std::int64_t stored_rows = b.dim(b.rank() - 2), stored_columns = b.dim(b.rank() - 1);
  const DenseForm right = dense_form(stored_rows, stored_columns, of_b.transposed);
  if (a->num_columns() != right.rows)
    invalid_argument("Inner product dimensions of A and B do not agree. Shapes are: ", sizes_text(given), " vs. ",
                     b.shape().text());
  const std::int64_t rows = a->num_rows(), columns = right.columns;
  Shape shape = batched ? Shape({b.dim(0)}) : Shape();
  shape.push_back(transpose_output ? columns : rows);
  shape.push_back(transpose_output ? rows : columns);
  Tensor& out = c.allocate_output(0, b.dtype(), shape);
  const std::int64_t row_step = transpose_output ? 1 : columns, column_step = transpose_output ? rows : 1;
  with_csr_number(b.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T *values = a->values.data<T>(), *dense = b.data<T>();
    T* to = out.mutable_data<T>();
    const double cost = 10 + 2.0 * static_cast<double>(columns) * static_cast<double>(a->columns.size()) /
                                 static_cast<double>(std::max<std::int64_t>(1, rows * a->batches()));
    c.parallel_for(rows * a->batches(), cost, [&](std::int64_t first, std::int64_t last) {
      std::vector<T> sums(static_cast<std::size_t>(columns));
      PolledSteps polled(64);
      for (std::int64_t at = first; at < last; ++at, polled.step()) {
        const std::int64_t batch = at / rows, i = at % rows;
        std::fill(sums.begin(), sums.end(), T{});
        const auto [begin, end] = a->row(batch, i);
        for (std::int32_t k = begin; k < end; ++k) {
          const T factor = values[k];
          const T* from =
              dense + batch * stored_rows * stored_columns + a->columns[static_cast<std::size_t>(k)] * right.row_step;
          for (std::int64_t j = 0; j < columns; ++j) {
            const T x = from[j * right.column_step];
            sums[static_cast<std::size_t>(j)] += factor * (of_b.conjugated ? conjugate_of(x) : x);
          }
        }
        T* y = to + batch * rows * columns + i * row_step;
        for (std::int64_t j = 0; j < columns; ++j) {
          const T sum = sums[static_cast<std::size_t>(j)];
          y[j * column_step] = conjugate_output ? conjugate_of(sum) : sum;
        }
      }
    });
  });
}

void sparse_product(KernelContext& c) {
  const DType dtype = c.attr("type").type();
  const CsrMatrix &given_a = csr_input(c, 0, dtype), &given_b = csr_input(c, 1, dtype);
  const CsrForm of_a = csr_form(c, "transpose_a", "adjoint_a"), of_b = csr_form(c, "transpose_b", "adjoint_b");
  const Ref<const CsrMatrix> a = csr_in_form(c, 0, of_a), b = csr_in_form(c, 1, of_b);
  if (given_a.shape.size() != given_b.shape.size() || a->num_columns() != b->num_rows())
    invalid_argument("Inner product dimensions of A and B do not agree.  Shapes are: ", sizes_text(given_a), " vs. ",
                     sizes_text(given_b));
  if (a->batches() != b->batches())
    invalid_argument("Batch sizes of A and B do not agree.  Batch sizes are: ", a->batches(), " vs. ", b->batches());
  std::vector<std::int64_t> shape = a->shape;
  shape.back() = b->num_columns();
  with_csr_number(dtype, [&]<typename T>(std::type_identity<T>) {
    CsrBuilder<T> made(shape);
    std::unordered_map<std::int32_t, T> sums;
    PolledSteps polled(64);
    for (std::int64_t batch = 0; batch < a->batches(); ++batch) {
      for (std::int64_t i = 0; i < a->num_rows(); ++i, polled.step()) {
        sums.clear();
        const auto [begin, end] = a->row(batch, i);
        for (std::int32_t k = begin; k < end; ++k) {
          const T factor = a->values.data<T>()[k];
          const auto [from, to] = b->row(batch, a->columns[static_cast<std::size_t>(k)]);
          for (std::int32_t m = from; m < to; ++m)
            sums[b->columns[static_cast<std::size_t>(m)]] += factor * b->values.data<T>()[m];
          polled.step(1 + (to - from) / 16);
        }
        for (const auto& [column, sum] : sums) made.add(column, sum);
        made.end_row();
      }
      made.end_matrix();
    }
    set_csr_output(c, made.take());
  });
}

// A dense matrix with its last two axes exchanged.
Operand transposed(const Operand& x) {
  const Shape& shape = x.shape();
  if (!shape.has_rank())
    fail(ErrorKind::kUnimplemented, "The gradient of a product with a sparse matrix needs the rank of the dense one.");
  return emit1("Transpose", {x, shape.rank() == 2 ? build::ints({1, 0}) : build::ints({0, 2, 1})});
}

struct Form {
  bool transpose, adjoint;
};
Operand in_form(const Operand& x, Form form) {
  if (form.adjoint) return build::conj(transposed(x));
  return form.transpose ? transposed(x) : x;
}
Operand dense_product(const Operand& x, const Operand& y) { return emit1("BatchMatMulV2", {x, y}); }
Operand adjoint_of(const Operand& x) { return build::conj(transposed(x)); }

// Of a gradient with respect to op(A) that with respect to A, at the places of A.
Operand at_places(const Operand& gradient, Form form, const Operand& csr) {
  const Operand own = in_form(gradient, form);
  const Operand inputs[] = {csr};
  return emit1("DenseToCSRSparseMatrix",
               {own, emit_all("CSRSparseMatrixToSparseTensor", inputs, {{"type", own.dtype()}})[0]});
}

// C = op(A) op(B), transposed or conjugated: with the gradient G of op(A) op(B), that of op(A) is G op(B)^H, that of
// op(B) is op(A)^H G.
void grad_csr_product(GradContext& c) {
  const Form a{c.attr("transpose_a").b(), c.attr("adjoint_a").b()},
      b{c.attr("transpose_b").b(), c.attr("adjoint_b").b()};
  Operand g = c.dy(0);
  if (c.attr("conjugate_output").b()) g = build::conj(g);
  if (c.attr("transpose_output").b()) g = transposed(g);
  if (c.wanted(0)) c.to_input(0, at_places(dense_product(g, adjoint_of(in_form(c.input(1), b))), a, c.input(0)));
  if (!c.wanted(1)) return;
  // op(A)^H: A^H, A or conj(A).
  const bool conjugated = a.transpose;
  const Operand through = emit1("SparseMatrixMatMul", {c.input(0), conjugated ? build::conj(g) : g},
                                {{"adjoint_a", !a.transpose && !a.adjoint}});
  c.to_input(1, in_form(conjugated ? build::conj(through) : through, b));
}

void grad_sparse_product(GradContext& c) {
  const Form a{c.attr("transpose_a").b(), c.attr("adjoint_a").b()},
      b{c.attr("transpose_b").b(), c.attr("adjoint_b").b()};
  auto dense = [&](const Operand& csr) { return emit1("CSRSparseMatrixToDense", {csr}, {{"type", c.attr("type")}}); };
  auto known = [&](const Operand& x) {
    if (x.shape().has_rank()) return x;
    fail(ErrorKind::kUnimplemented, "The gradient of a product of sparse matrices is computed eagerly only.");
  };
  const Operand g = known(dense(c.dy(0)));
  if (c.wanted(0))
    c.to_input(0, at_places(dense_product(g, adjoint_of(in_form(known(dense(c.input(1))), b))), a, c.input(0)));
  if (c.wanted(1))
    c.to_input(1, at_places(dense_product(adjoint_of(in_form(known(dense(c.input(0))), a)), g), b, c.input(1)));
}

Shape infer_form(const InferContext& c, const Shape& shape, std::string_view transpose, std::string_view adjoint) {
  return c.attr(transpose).b() || c.attr(adjoint).b() ? with_sides_exchanged(shape) : shape;
}

// The shape of the product of matrices, or batches of them.
Shape product_shape(const InferContext& c, const Shape& stored_a, const Shape& stored_b) {
  const Shape a = infer_form(c, stored_a, "transpose_a", "adjoint_a");
  const Shape b = infer_form(c, stored_b, "transpose_b", "adjoint_b");
  if (!a.has_rank() && !b.has_rank()) return Shape::unknown();
  const int rank = a.has_rank() ? a.rank() : b.rank();
  if (!a.has_rank() || !b.has_rank()) return Shape::of_rank(rank);
  if (rank != b.rank()) invalid_argument("Shape must be rank ", rank, " but is rank ", b.rank());
  require_equal(a[rank - 1], b[rank - 2]);
  Shape out;
  if (rank == 3) out.push_back(merge_dims(a[0], b[0]));
  out.push_back(a[rank - 2]);
  out.push_back(b[rank - 1]);
  return out;
}

void infer_csr_product(InferContext& c) {
  const Shape& b = c.shape(1);
  if (b.has_rank() && b.rank() != 2 && b.rank() != 3)
    invalid_argument("Shape must be rank 2 or 3 but is rank ", b.rank());
  const Shape out = product_shape(c, csr_shape(c, 0), b);
  c.set_output(0, c.attr("transpose_output").b() ? with_sides_exchanged(out) : out);
}

void infer_sparse_product(InferContext& c) {
  set_csr_output(c, c.attr("type").type(), product_shape(c, csr_shape(c, 0), csr_shape(c, 1)));
}

}  // namespace

void register_csr_products(Registry& r) {
  r.add({.name = "SparseMatrixMatMul",
         .inputs = {"a: variant", "b: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "transpose_a: bool = false", "transpose_b: bool = false", "adjoint_a: bool = false",
                   "adjoint_b: bool = false", "transpose_output: bool = false", "conjugate_output: bool = false"},
         .facts = {.contracts = true},
         .doc = "The product of a matrix in compressed sparse rows and a dense one, each transposed or its adjoint, "
                "as the result may be.",
         .infer = infer_csr_product,
         .kernel = csr_product,
         .allocation = Allocation::kObjects,
         .grad = grad_csr_product});
  r.add({.name = "SparseMatrixSparseMatMul",
         .inputs = {"a: variant", "b: variant"},
         .outputs = {"c: variant"},
         .attrs = {"type: " TRACEFN_CSR_NUMBERS, "transpose_a: bool = false", "transpose_b: bool = false",
                   "adjoint_a: bool = false", "adjoint_b: bool = false"},
         .facts = {.contracts = true},
         .doc = "The product of two matrices in compressed sparse rows, each transposed or its adjoint.",
         .infer = infer_sparse_product,
         .kernel = sparse_product,
         .allocation = Allocation::kObjects,
         .grad = grad_sparse_product});
}

}  // namespace tracefn
