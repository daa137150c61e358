// RaggedFillEmptyRows: a default value in each row without values; and its gradient.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_fill(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  c.require_rank(2, 0);
  c.require_rank(3, 0);
  const std::int64_t values = merge_dims(dim_of(c.shape(0), 0), dim_of(c.shape(1), 0));
  c.set_output(0, Shape({kUnknownDim}));
  c.set_output(1, Shape({kUnknownDim}));
  c.set_output(2, Shape({c.dim_value(2)}));
  c.set_output(3, Shape({values}));
}

void check_inputs(const KernelContext& c) {
  const Tensor& rows = c.input(0);
  const Tensor& values = c.input(1);
  const Tensor& count = c.input(2);
  if (rows.rank() != 1) invalid_argument("value_rowids must be a vector, saw: ", rows.shape().text());
  if (values.rank() != 1) invalid_argument("values must be a vector, saw: ", values.shape().text());
  if (count.rank() != 0) invalid_argument("nrows must be a scalar, saw: ", count.shape().text());
  if (c.input(3).rank() != 0) invalid_argument("default_value must be a scalar, saw: ", c.input(3).shape().text());
  if (values.dim(0) != rows.dim(0))
    invalid_argument("The length of `values` (", values.dim(0), ") must match the first dimension of `value_rowids` (",
                     rows.dim(0), ").");
  if (count.int_at(0) < 0) invalid_argument("Expected shape dimensions to be non-negative, got ", count.int_at(0));
  if (count.int_at(0) == 0 && rows.dim(0) != 0)
    invalid_argument("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ", rows.dim(0));
}

void fill(KernelContext& c) {
  check_inputs(c);
  const Tensor& values = c.input(1);
  const std::int64_t n = values.dim(0), rows = c.input(2).int_at(0);
  const auto* row_of = c.input(0).data<std::int64_t>();
  // How many values each row has, then where the next one of it goes.
  Tensor place_room(DType::kInt64, Shape({rows}));
  auto* places = place_room.mutable_data<std::int64_t>();
  fill_polled(places, rows, std::int64_t(0));
  PolledSteps polled(4096);
  for (std::int64_t i = 0; i < n; ++i, polled.step()) {
    if (row_of[i] < 0 || row_of[i] >= rows)
      invalid_argument("indices(", i, ", 0) is invalid: ", row_of[i], " >= ", rows);
    ++places[row_of[i]];
  }
  auto* empty = c.allocate_output(2, DType::kBool, Shape({rows})).mutable_data<bool>();
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < rows; ++row, polled.step()) {
    empty[row] = places[row] == 0;
    const std::int64_t count = std::max<std::int64_t>(places[row], 1);
    places[row] = total;
    total += count;
  }
  auto* to_rows = c.allocate_output(0, DType::kInt64, Shape({total})).mutable_data<std::int64_t>();
  auto* moved = c.allocate_output(3, DType::kInt64, Shape({n})).mutable_data<std::int64_t>();
  Tensor& out = c.allocate_output(1, values.dtype(), Shape({total}));
  const auto size = static_cast<std::int64_t>(size_of(values.dtype()));
  auto* to = static_cast<char*>(out.mutable_raw());
  auto put = [&](const Tensor& from, std::int64_t i, std::int64_t at, std::int64_t row) {
    copy_elements(values.dtype(), static_cast<const char*>(from.raw()) + i * size, to + at * size, 1);
    to_rows[at] = row;
    polled.step();
  };
  for (std::int64_t row = 0; row < rows; ++row)
    if (empty[row]) put(c.input(3), 0, places[row], row);
  for (std::int64_t i = 0; i < n; ++i) {
    moved[i] = places[row_of[i]]++;
    put(values, i, moved[i], row_of[i]);
  }
}

void grad_fill(GradContext& c) {
  Operand args[] = {c.output(3), c.dy(1)};
  const Operands made = emit_all("RaggedFillEmptyRowsGrad", args);
  c.to_input(1, made[0]);
  c.to_input(3, made[1]);
}

void infer_fill_gradient(InferContext& c) {
  c.require_rank(0, 1);
  c.require_rank(1, 1);
  c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape({kUnknownDim}));
  c.set_output(1, Shape());
}

void check_gradient(const KernelContext& c) {
  if (c.input(0).rank() != 1) invalid_argument("reverse_index_map must be a vector, saw: ", c.input(0).shape().text());
  if (c.input(1).rank() != 1) invalid_argument("grad_values must be a vector, saw: ", c.input(1).shape().text());
}

void fill_gradient(KernelContext& c) {
  const std::int64_t n = c.input(0).dim(0), total = c.input(1).dim(0);
  const auto* moved = c.input(0).data<std::int64_t>();
  Tensor visited_room(DType::kBool, Shape({total}));
  auto* visited = visited_room.mutable_data<bool>();
  fill_polled(visited, total, false);
  with_any_number(c.input(1).dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = c.input(1).data<T>();
    T* values = c.output(0).mutable_data<T>();
    PolledSteps polled(4096);
    for (std::int64_t i = 0; i < n; ++i, polled.step()) {
      if (moved[i] < 0 || moved[i] >= total)
        invalid_argument("Elements in reverse index must be in [0, ", total, ") but got ", moved[i]);
      values[i] = from[moved[i]];
      visited[moved[i]] = true;
    }
    T sum(0);
    for (std::int64_t i = 0; i < total; ++i, polled.step())
      if (!visited[i]) sum = add_elements(sum, from[i]);
    *c.output(1).mutable_data<T>() = sum;
  });
}

}  // namespace

void register_ragged_fill_empty_rows(Registry& r) {
  r.add({.name = "RaggedFillEmptyRows",
         .python = "ragged_fill_empty_rows(value_rowids, values, nrows, default_value)",
         .inputs = {"value_rowids: int64", "values: T", "nrows: int64", "default_value: T"},
         .outputs = {"output_value_rowids: int64", "output_values: T", "empty_row_indicator: bool",
                     "reverse_index_map: int64"},
         .attrs = {"T: type"},
         .doc =
             "Ragged rows with a default value in each row that has none.\n\nReturns the row of each value, the values "
             "row by row, which rows were empty, and where each given value is now. Raises InvalidArgumentError if "
             "a row is out of range.",
         .infer = infer_fill,
         .kernel = fill,
         .allocation = Allocation::kByValues,
         .grad = grad_fill});
  r.add({.name = "RaggedFillEmptyRowsGrad",
         .python = "ragged_fill_empty_rows_grad(reverse_index_map, grad_values)",
         .inputs = {"reverse_index_map: int64", "grad_values: T"},
         .outputs = {"d_values: T", "d_default_value: T"},
         .attrs = {"T: type"},
         .doc =
             "The gradient of ragged_fill_empty_rows: that of the values, and the sum over the filled rows.\n\nRaises "
             "InvalidArgumentError if an index is out of range.",
         .infer = infer_fill_gradient,
         .check = check_gradient,
         .kernel = fill_gradient,
         .grad = without_gradient});
}

}  // namespace tracefn
