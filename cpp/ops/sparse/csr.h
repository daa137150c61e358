// Matrices in compressed sparse rows (CSR), or batches of them, in variants.
#pragma once

#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/typed.h"
#include "ops/variant_object.h"

namespace tracefn {

class Registry;

void register_csr(Registry& r);
void register_csr_products(Registry& r);
void register_csr_cholesky(Registry& r);

#define TRACEFN_CSR_NUMBERS "{float, double, complex64, complex128}"

// Immutable. The columns of each row are in ascending order.
class CsrMatrix final : public VariantObject {
 public:
  // Starts of the batch's matrices in columns and values, and of the rows of each matrix.
  CsrMatrix(std::vector<std::int64_t> sizes, std::vector<std::int32_t> batch_starts,
            std::vector<std::int32_t> row_starts, std::vector<std::int32_t> of_values, Tensor numbers)
      : shape(std::move(sizes)),
        starts(std::move(batch_starts)),
        rows(std::move(row_starts)),
        columns(std::move(of_values)),
        values(std::move(numbers)) {}

  std::string type_name() const override { return "CSRSparseMatrix"; }
  Ref<VariantObject> zeros_like() const override;
  Ref<VariantObject> add(const VariantObject& other) const override;

  DType dtype() const { return values.dtype(); }
  std::int64_t batches() const { return shape.size() == 3 ? shape[0] : 1; }
  std::int64_t num_rows() const { return shape[shape.size() - 2]; }
  std::int64_t num_columns() const { return shape[shape.size() - 1]; }
  // Where the values of a row are: from the first to before the second.
  std::pair<std::int32_t, std::int32_t> row(std::int64_t batch, std::int64_t i) const {
    const auto at = static_cast<std::size_t>(batch * (num_rows() + 1) + i);
    const std::int32_t start = starts[static_cast<std::size_t>(batch)];
    return {start + rows[at], start + rows[at + 1]};
  }

  const std::vector<std::int64_t> shape;   // [rows, columns] or [batch, rows, columns]
  const std::vector<std::int32_t> starts;  // batch + 1
  const std::vector<std::int32_t> rows;    // batch * (rows + 1)
  const std::vector<std::int32_t> columns;
  const Tensor values;
};

// Collects the values of a matrix row by row, with columns in any order; equal ones are summed.
template <typename T>
class CsrBuilder {
 public:
  explicit CsrBuilder(std::vector<std::int64_t> shape) : shape_(std::move(shape)) {}
  void add(std::int64_t column, T value) { row_.emplace_back(column, value); }
  void end_row();
  void end_matrix();
  Ref<CsrMatrix> take();

 private:
  std::vector<std::int64_t> shape_;
  std::vector<std::pair<std::int64_t, T>> row_;
  std::vector<std::int32_t> starts_{0}, rows_{0}, columns_;
  std::vector<T> values_;
};

// Error(kInvalidArgument) unless numbers of rows, columns and matrices fit in 32 bits.
void require_csr_sizes(const std::vector<std::int64_t>& shape);
void require_csr_count(std::size_t values);

// The matrix in input i; with `dtype`, which must be its own.
const CsrMatrix& csr_input(const KernelContext& c, std::size_t i);
const CsrMatrix& csr_input(const KernelContext& c, std::size_t i, DType dtype);
void set_csr_output(KernelContext& c, Ref<CsrMatrix> matrix);

// A shape rule's static information on the matrix in input i, and what it says of an output.
Shape csr_shape(const InferContext& c, std::size_t i);
void set_csr_output(InferContext& c, DType dtype, Shape shape);
// The shape with its last two dimensions exchanged.
Shape with_sides_exchanged(Shape shape);

// Calls f with the type of the numbers.
template <typename F>
void with_csr_number(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat:
      return f(std::type_identity<float>());
    case DType::kDouble:
      return f(std::type_identity<double>());
    case DType::kComplex64:
      return f(std::type_identity<std::complex<float>>());
    case DType::kComplex128:
      return f(std::type_identity<std::complex<double>>());
    default:
      no_kernel();
  }
}

template <typename T>
T conjugate_of(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

// What op(A) is of a matrix A.
struct CsrForm {
  bool transposed = false, conjugated = false;
};
// The form that attributes such as transpose_a and adjoint_a ask for. Error(kInvalidArgument) if both are true.
CsrForm csr_form(const KernelContext& c, std::string_view transpose, std::string_view adjoint);
// The matrix in that form.
Ref<const CsrMatrix> csr_in_form(const KernelContext& c, std::size_t i, const CsrForm& form);

template <typename T>
void CsrBuilder<T>::end_row() {
  std::stable_sort(row_.begin(), row_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto first = static_cast<std::size_t>(columns_.size());
  for (const auto& [column, value] : row_) {
    if (columns_.size() > first && columns_.back() == column) {
      values_.back() += value;
    } else {
      columns_.push_back(static_cast<std::int32_t>(column));
      values_.push_back(value);
    }
  }
  row_.clear();
  require_csr_count(columns_.size());
  rows_.push_back(static_cast<std::int32_t>(columns_.size()) - starts_.back());
}

template <typename T>
void CsrBuilder<T>::end_matrix() {
  starts_.push_back(static_cast<std::int32_t>(columns_.size()));
  rows_.push_back(0);
}

template <typename T>
Ref<CsrMatrix> CsrBuilder<T>::take() {
  rows_.pop_back();  // the start of a matrix that does not come
  return make_ref<CsrMatrix>(std::move(shape_), std::move(starts_), std::move(rows_), std::move(columns_),
                             Tensor::vector(std::span<const T>(values_)));
}

}  // namespace tracefn
