// Shapes and checks of ops on batches of matrices.
#include "ops/linalg/matrix_shapes.h"

#include "base/poll.h"
#include "ops/array/array.kernels.h"
#include "ops/build.h"

namespace tracefn {

Shape vectors(Shape batch, std::int64_t size) {
  batch.push_back(size);
  return batch;
}

Shape matrices(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

std::int64_t smaller_dim(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? kUnknownDim : std::min(a, b);
}

std::optional<SquareShape> square_shape(InferContext& c, std::size_t i) {
  c.require_rank_at_least(i, 2);
  const Shape& a = c.shape(i);
  if (!a.has_rank()) return std::nullopt;
  return SquareShape{batch_of(a), merge_dims(rows_of(a), columns_of(a))};
}

void infer_square(InferContext& c) {
  auto a = square_shape(c, 0);
  c.set_output(0, a ? matrices(a->batch, a->n, a->n) : Shape::unknown());
}

void require_matrix(const KernelContext& c, std::size_t i) {
  if (c.input(i).rank() < 2) invalid_argument("Input tensor ", i, " must have rank >= 2, got ", c.input(i).rank());
}

void require_equal_batches(const KernelContext& c, std::size_t count) {
  require_matrix(c, 0);
  for (std::size_t i = 1; i < count; ++i) {
    if (c.input(i).rank() != c.input(0).rank()) invalid_argument("All input tensors must have the same rank.");
    if (!(batch_of(c.input(i).shape()) == batch_of(c.input(0).shape())))
      invalid_argument("All input tensors must have the same outer dimensions.");
  }
}

void check_square(const KernelContext& c) {
  require_matrix(c, 0);
  const Shape& shape = c.input(0).shape();
  if (columns_of(shape) != rows_of(shape)) invalid_argument("Input matrix must be square.");
}

bool is_done(KernelEnd end) {
  if (end == KernelEnd::kStopped) std::rethrow_exception(take_stop());
  return end == KernelEnd::kDone;
}

void fill_identities(Tensor& x) {
  x.fill_zeros();
  const Tensor one = build::scalar_tensor(x.dtype(), 1);
  const std::int64_t rows = rows_of(x.shape()), columns = columns_of(x.shape());
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t count = batch_of(x.shape()).num_elements();
  PolledSteps polled;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < std::min(rows, columns); ++j, polled.step())
      copy_elements(x.dtype(), one.raw(),
                    static_cast<char*>(matrix_at(x, i, rows * columns)) + j * (columns + 1) * size, 1);
}

}  // namespace tracefn
