// Matrices in compressed sparse rows: made of sparse and dense tensors and back; their parts; transposition.
#include "ops/sparse/csr.h"

#include <algorithm>
#include <limits>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Calls f(batch, row, column, number of the value) for every value, in order.
template <typename F>
void for_values(const CsrMatrix& m, F&& f) {
  PolledSteps polled(1024);
  for (std::int64_t b = 0; b < m.batches(); ++b)
    for (std::int64_t i = 0; i < m.num_rows(); ++i, polled.step()) {
      const auto [begin, end] = m.row(b, i);
      for (std::int32_t k = begin; k < end; ++k) f(b, i, m.columns[static_cast<std::size_t>(k)], k);
    }
}

// A matrix of values whose places are in row-major order.
template <typename T>
Ref<CsrMatrix> of_places(const Tensor& places, const T* values, std::vector<std::int64_t> shape) {
  require_csr_sizes(shape);
  const std::size_t lead = shape.size() - 2;
  const std::int64_t batches = lead ? shape[0] : 1, n = shape[lead], rank = places.dim(1), count = places.dim(0);
  const auto* place = places.data<std::int64_t>();
  CsrBuilder<T> made(std::move(shape));
  std::int64_t at = 0;
  PolledSteps polled(1024);
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t i = 0; i < n; ++i, polled.step()) {
      for (; at < count && (lead == 0 || place[at * rank] == b) &&
             place[at * rank + static_cast<std::int64_t>(lead)] == i;
           ++at)
        made.add(place[at * rank + static_cast<std::int64_t>(lead) + 1], values[at]);
      made.end_row();
    }
    made.end_matrix();
  }
  return made.take();
}

void from_sparse(KernelContext& c) {
  const SparseParts s(c, 0);
  require_sparse(s);
  const std::int64_t rank = s.rank();
  if (rank != 2 && rank != 3) invalid_argument("SparseTensor must have rank 2 or 3; but indices has rank: ", rank);
  require_sizes(s.sizes());
  require_places_inside(s);
  const std::vector<std::int64_t> shape(s.sizes().begin(), s.sizes().end());
  const bool ordered = is_row_major(s.indices);
  const std::vector<std::int64_t> order = ordered ? std::vector<std::int64_t>() : row_major_order(s.indices);
  const Tensor places = ordered ? s.indices : picked_places(s.indices, order);
  const Tensor values = ordered ? s.values : picked_values(s.values, order);
  with_csr_number(values.dtype(), [&]<typename T>(std::type_identity<T>) {
    set_csr_output(c, of_places(places, values.data<T>(), shape));
  });
}

void from_dense(KernelContext& c) {
  const Tensor &dense = c.input(0), &indices = c.input(1);
  const int rank = dense.rank();
  if (rank != 2 && rank != 3)
    invalid_argument("params must have rank == 2 or 3; but saw shape: ", dense.shape().text());
  if (indices.rank() != 2) invalid_argument("indices must be a matrix, but saw shape: ", indices.shape().text());
  if (indices.dim(1) != rank)
    invalid_argument("indices.shape[1] must be equal to the rank of params, but saw: ", indices.dim(1), " vs. ", rank);
  const bool ordered = is_row_major(indices);
  const Tensor places = ordered ? indices : picked_places(indices, row_major_order(indices));
  with_csr_number(dense.dtype(), [&]<typename T>(std::type_identity<T>) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < places.dim(0); ++i) {
      const auto* place = places.data<std::int64_t>() + i * rank;
      std::int64_t at = 0;
      for (int d = 0; d < rank; ++d) {
        if (place[d] < 0 || place[d] >= dense.dim(d))
          invalid_argument("indices[", i, "] = ", listed({place, static_cast<std::size_t>(rank)}),
                           " does not index into param shape ", dense.shape().text(),
                           ", node name: ", c.node_name_.empty() ? c.op().name() : c.node_name_);
        at = at * dense.dim(d) + place[d];
      }
      values.push_back(dense.data<T>()[at]);
    }
    set_csr_output(c, of_places(places, values.data(), {dense.shape().dims().begin(), dense.shape().dims().end()}));
  });
}

void to_dense(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0, c.attr("type").type());
  Tensor& out = c.allocate_output(0, m.dtype(), Shape(Dims(m.shape.begin(), m.shape.end())));
  out.fill_zeros();
  with_csr_number(m.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* values = m.values.data<T>();
    T* to = out.mutable_data<T>();
    for_values(m, [&](std::int64_t b, std::int64_t i, std::int64_t j, std::int32_t k) {
      to[(b * m.num_rows() + i) * m.num_columns() + j] = values[k];
    });
  });
}

void to_sparse(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0, c.attr("type").type());
  const auto rank = static_cast<std::int64_t>(m.shape.size());
  Tensor& places = c.allocate_output(0, DType::kInt64, Shape({static_cast<std::int64_t>(m.columns.size()), rank}));
  auto* to = places.mutable_data<std::int64_t>();
  for_values(m, [&](std::int64_t b, std::int64_t i, std::int64_t j, std::int32_t) {
    if (rank == 3) *to++ = b;
    *to++ = i;
    *to++ = j;
  });
  c.set_output(1, m.values);
  c.set_output(2, numbers_tensor(m.shape));
}

Tensor ints_of(std::span<const std::int32_t> numbers) { return Tensor::vector(numbers); }

void components(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0, c.attr("type").type());
  const Tensor& index = c.input(1);
  if (index.rank() != 0) invalid_argument("index should be a scalar, but saw: ", index.shape().text());
  const std::int64_t b = index.item<std::int32_t>();
  if (b < 0 || b >= m.batches()) invalid_argument("index (", b, ") not in [0, ", m.batches(), ")");
  const auto rows = static_cast<std::size_t>(m.num_rows() + 1), at = static_cast<std::size_t>(b);
  const auto begin = static_cast<std::size_t>(m.starts[at]), end = static_cast<std::size_t>(m.starts[at + 1]);
  c.set_output(0, ints_of(std::span(m.rows).subspan(at * rows, rows)));
  c.set_output(1, ints_of(std::span(m.columns).subspan(begin, end - begin)));
  c.set_output(2, m.values.rows(m.starts[at], m.starts[at + 1]));
}

void count(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0);
  const bool batched = m.shape.size() == 3;
  Tensor& out = c.allocate_output(0, DType::kInt32, batched ? Shape({m.batches()}) : Shape());
  for (std::size_t b = 0; b < static_cast<std::size_t>(m.batches()); ++b)
    out.mutable_data<std::int32_t>()[b] = m.starts[b + 1] - m.starts[b];
}

// A with rows and columns exchanged, or conjugated numbers, or both.
template <typename T>
Ref<CsrMatrix> in_form(const CsrMatrix& m, const CsrForm& form) {
  const T* values = m.values.data<T>();
  auto number = [&](std::int32_t k) { return form.conjugated ? conjugate_of(values[k]) : values[k]; };
  std::vector<std::int64_t> shape = m.shape;
  if (!form.transposed) {
    std::vector<T> changed(m.columns.size());
    for (std::size_t k = 0; k < changed.size(); ++k) changed[k] = number(static_cast<std::int32_t>(k));
    return make_ref<CsrMatrix>(std::move(shape), m.starts, m.rows, m.columns,
                               Tensor::vector(std::span<const T>(changed)));
  }
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  CsrBuilder<T> made(shape);
  for (std::int64_t b = 0; b < m.batches(); ++b) {
    std::vector<std::vector<std::pair<std::int64_t, T>>> columns(static_cast<std::size_t>(m.num_columns()));
    for (std::int64_t i = 0; i < m.num_rows(); ++i) {
      const auto [begin, end] = m.row(b, i);
      for (std::int32_t k = begin; k < end; ++k)
        columns[static_cast<std::size_t>(m.columns[static_cast<std::size_t>(k)])].emplace_back(i, number(k));
    }
    for (const auto& column : columns) {
      for (const auto& [i, value] : column) made.add(i, value);
      made.end_row();
    }
    made.end_matrix();
    poll();
  }
  return made.take();
}

void transpose(KernelContext& c) {
  const CsrMatrix& m = csr_input(c, 0);
  const DType dtype = c.attr("type").type();
  if (m.dtype() != dtype)
    invalid_argument("dtype of input is not equal to 'type': ", runtime_name(m.dtype()), " vs. ", runtime_name(dtype));
  with_csr_number(dtype, [&]<typename T>(std::type_identity<T>) {
    set_csr_output(c, in_form<T>(m, {true, c.attr("conjugate").b()}));
  });
}

Operand to_coordinates(const Operand& csr, DType dtype, std::size_t part) {
  const Operand inputs[] = {csr};
  return emit_all("CSRSparseMatrixToSparseTensor", inputs, {{"type", dtype}})[part];
}

}  // namespace

Ref<VariantObject> CsrMatrix::zeros_like() const {
  return make_ref<CsrMatrix>(shape, std::vector<std::int32_t>(starts.size(), 0),
                             std::vector<std::int32_t>(rows.size(), 0), std::vector<std::int32_t>(),
                             Tensor(values.dtype(), Shape({0})));
}

Ref<VariantObject> CsrMatrix::add(const VariantObject& other) const {
  auto* that = dynamic_cast<const CsrMatrix*>(&other);
  if (!that || that->shape != shape || that->dtype() != dtype())
    invalid_argument("Only sparse matrices of one dtype and shape have a sum.");
  Ref<CsrMatrix> sum;
  with_csr_number(dtype(), [&]<typename T>(std::type_identity<T>) {
    CsrBuilder<T> made(shape);
    for (std::int64_t b = 0; b < batches(); ++b) {
      for (std::int64_t i = 0; i < num_rows(); ++i) {
        for (const CsrMatrix* part : {this, that}) {
          const auto [begin, end] = part->row(b, i);
          for (std::int32_t k = begin; k < end; ++k)
            made.add(part->columns[static_cast<std::size_t>(k)], part->values.data<T>()[k]);
        }
        made.end_row();
      }
      made.end_matrix();
    }
    sum = made.take();
  });
  return sum;
}

void require_csr_sizes(const std::vector<std::int64_t>& shape) {
  const std::int64_t batches = shape.size() == 3 ? shape[0] : 1, rows = shape[shape.size() - 2];
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::int64_t size : shape)
    if (size > most) invalid_argument("A sparse matrix in rows has sizes below 2^31, got ", dims_text(shape));
  if (batches > 0 && rows + 1 > most / batches)
    invalid_argument("A sparse matrix in rows has fewer than 2^31 rows in all, got ", dims_text(shape));
}

void require_csr_count(std::size_t values) {
  if (values > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    invalid_argument("A sparse matrix in rows has fewer than 2^31 values.");
}

const CsrMatrix& csr_input(const KernelContext& c, std::size_t i) {
  const Tensor& handle = c.input(i);
  auto* m = handle.rank() == 0 ? dynamic_cast<const CsrMatrix*>(handle.object().get()) : nullptr;
  if (!m) invalid_argument("Could not retrieve Variant input ", i);
  return *m;
}

const CsrMatrix& csr_input(const KernelContext& c, std::size_t i, DType dtype) {
  const CsrMatrix& m = csr_input(c, i);
  if (m.dtype() != dtype)
    invalid_argument("Asked for a CSRSparseMatrix of type ", runtime_name(dtype),
                     " but saw dtype: ", runtime_name(m.dtype()));
  return m;
}

void set_csr_output(KernelContext& c, Ref<CsrMatrix> matrix) {
  c.set_output(0, Tensor::handle(DType::kVariant, std::move(matrix)));
}

Shape csr_shape(const InferContext& c, std::size_t i) {
  c.require_rank(i, 0);
  const OutputInfo* info = c.input(i).info;
  return info && info->handle_dtype != DType::kInvalid ? info->handle_shape : Shape::unknown();
}

void set_csr_output(InferContext& c, DType dtype, Shape shape) {
  if (!c.running() && shape.has_rank() && shape.rank() != 2 && shape.rank() != 3)
    invalid_argument("Invalid rank: ", shape.rank(), ".  Expected a known rank of either 2 or 3.");
  c.set_output(0, Shape());
  c.output(0).handle_dtype = dtype;
  c.output(0).handle_shape = std::move(shape);
}

Shape with_sides_exchanged(Shape shape) {
  if (shape.has_rank() && shape.rank() >= 2) {
    const std::int64_t rows = shape[shape.rank() - 2];
    shape[shape.rank() - 2] = shape[shape.rank() - 1];
    shape[shape.rank() - 1] = rows;
  }
  return shape;
}

CsrForm csr_form(const KernelContext& c, std::string_view transpose_attr, std::string_view adjoint) {
  const bool t = c.attr(transpose_attr).b(), h = c.attr(adjoint).b();
  if (t && h) invalid_argument("Only one of ", adjoint, " and ", transpose_attr, " may be true.");
  return {t || h, h};
}

Ref<const CsrMatrix> csr_in_form(const KernelContext& c, std::size_t i, const CsrForm& form) {
  const CsrMatrix& m = csr_input(c, i);
  if (!form.transposed && !form.conjugated) return Ref<const CsrMatrix>(&m);
  Ref<const CsrMatrix> made;
  with_csr_number(m.dtype(), [&]<typename T>(std::type_identity<T>) { made = in_form<T>(m, form); });
  return made;
}

void register_csr(Registry& r) {
  constexpr std::string_view type = "type: " TRACEFN_CSR_NUMBERS, t = "T: " TRACEFN_CSR_NUMBERS;
  r.add({.name = "SparseTensorToCSRSparseMatrix",
         .inputs = {"indices: int64", "values: T", "dense_shape: int64"},
         .outputs = {"sparse_matrix: variant"},
         .attrs = {t},
         .doc = "A sparse tensor of rank 2, or 3 with a batch, as a matrix in compressed sparse rows.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               set_csr_output(c, c.dtype(1), c.shape_value(2));
             },
         .kernel = from_sparse,
         .allocation = Allocation::kObjects,
         .grad = [](GradContext& c) { c.to_input(1, to_coordinates(c.dy(0), c.input(1).dtype(), 1)); }});
  r.add({.name = "DenseToCSRSparseMatrix",
         .inputs = {"dense_input: T", "indices: int64"},
         .outputs = {"sparse_output: variant"},
         .attrs = {t},
         .doc = "The elements of a dense matrix, or batch of them, at `indices` as a matrix in compressed sparse rows.",
         .infer = [](InferContext& c) { set_csr_output(c, c.dtype(0), c.shape(0)); },
         .kernel = from_dense,
         .allocation = Allocation::kObjects,
         .grad =
             [](GradContext& c) {
               c.to_input(0, emit1("CSRSparseMatrixToDense", {c.dy(0)}, {{"type", c.input(0).dtype()}}));
             }});
  r.add({.name = "CSRSparseMatrixToDense",
         .inputs = {"sparse_input: variant"},
         .outputs = {"dense_output: type"},
         .attrs = {type},
         .doc = "A matrix in compressed sparse rows as a dense one.",
         .infer = [](InferContext& c) { c.set_output(0, csr_shape(c, 0)); },
         .kernel = to_dense,
         .allocation = Allocation::kObjects,
         .grad =
             [](GradContext& c) {
               const Operand places = to_coordinates(c.input(0), c.dy(0).dtype(), 0);
               c.to_input(
                   0, emit1("SparseTensorToCSRSparseMatrix", {places, emit1("GatherNd", {c.dy(0), places}),
                                                              build::cast(build::shape_of(c.dy(0)), DType::kInt64)}));
             }});
  r.add({.name = "CSRSparseMatrixToSparseTensor",
         .inputs = {"sparse_matrix: variant"},
         .outputs = {"indices: int64", "values: type", "dense_shape: int64"},
         .attrs = {type},
         .doc = "A matrix in compressed sparse rows as a sparse tensor.",
         .infer =
             [](InferContext& c) {
               const Shape shape = csr_shape(c, 0);
               set_sparse_outputs(c, 0, kUnknownDim, shape.has_rank() ? shape.rank() : kUnknownDim);
             },
         .kernel = to_sparse,
         .allocation = Allocation::kObjects,
         .grad =
             [](GradContext& c) {
               c.to_input(0, emit1("SparseTensorToCSRSparseMatrix", {c.output(0), c.dy(1), c.output(2)}));
             }});
  r.add({.name = "CSRSparseMatrixComponents",
         .inputs = {"csr_sparse_matrix: variant", "index: int32"},
         .outputs = {"row_ptrs: int32", "col_inds: int32", "values: type"},
         .attrs = {type},
         .doc = "The starts of the rows, the columns and the values of one matrix of a batch.",
         .infer =
             [](InferContext& c) {
               const Shape shape = csr_shape(c, 0);
               c.require_rank(1, 0);
               const std::int64_t rows = shape.has_rank() ? shape[shape.rank() - 2] : kUnknownDim;
               c.set_output(0, Shape({rows < 0 ? kUnknownDim : rows + 1}));
               for (std::size_t j = 1; j < 3; ++j) c.set_output(j, Shape({kUnknownDim}));
             },
         .kernel = components,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "SparseMatrixNNZ",
         .inputs = {"sparse_matrix: variant"},
         .outputs = {"nnz: int32"},
         .doc = "How many values a matrix in compressed sparse rows has, or each one of a batch.",
         .infer =
             [](InferContext& c) {
               const Shape shape = csr_shape(c, 0);
               c.set_output(0, !shape.has_rank() ? Shape::unknown() : shape.rank() == 3 ? Shape({shape[0]}) : Shape());
             },
         .kernel = count,
         .allocation = Allocation::kObjects,
         .grad = not_differentiable});
  r.add({.name = "SparseMatrixTranspose",
         .inputs = {"input: variant"},
         .outputs = {"output: variant"},
         .attrs = {"conjugate: bool = false", type},
         .doc = "The transposed matrix, with conjugated numbers if `conjugate`.",
         .infer =
             [](InferContext& c) { set_csr_output(c, c.attr("type").type(), with_sides_exchanged(csr_shape(c, 0))); },
         .kernel = transpose,
         .allocation = Allocation::kObjects,
         .grad =
             [](GradContext& c) {
               c.to_input(0, emit1("SparseMatrixTranspose", {c.dy(0)},
                                   {{"conjugate", c.attr("conjugate")}, {"type", c.attr("type")}}));
             }});
}

}  // namespace tracefn
