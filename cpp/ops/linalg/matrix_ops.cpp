// Ops on batches of matrices for gradient rules.
#include "ops/linalg/matrix_ops.h"

#include "ops/build.h"

namespace tracefn::matrix {
namespace {

// The dimensions of x in order, the last two swapped.
Operand swapped_order(const Operand& x) {
  if (x.shape().has_rank()) {
    std::vector<std::int32_t> order;
    for (int i = 0; i < x.shape().rank(); ++i) order.push_back(i);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return build::ints(order);
  }
  auto number = [](std::int32_t value) { return build::scalar(DType::kInt32, value); };
  Operand rank = emit1("Rank", {x});
  Operand leading = emit1("Range", {number(0), rank - number(2), number(1)});
  Operand last = emit1("Sub", {rank, build::ints({1, 2})});
  return emit1("ConcatV2", {leading, last, number(0)});
}

Operand band(const Operand& x, int below, int above) {
  return emit1("MatrixBandPart", {x, build::scalar(DType::kInt64, below), build::scalar(DType::kInt64, above)});
}

// An ellipsis, then the range, then `rest` whole dimensions.
Operand range(const Operand& x, std::int32_t begin, std::int32_t end, int rest) {
  std::vector<std::int32_t> from{0, begin}, to{0, end}, steps{1, 1};
  int ends = end == 0 ? 2 : 0, begins = 0;
  for (int i = 0; i < rest; ++i) {
    begins |= 1 << from.size();
    ends |= 1 << from.size();
    from.push_back(0);
    to.push_back(0);
    steps.push_back(1);
  }
  return emit1("StridedSlice", {x, build::ints(from), build::ints(to), build::ints(steps)},
               {{"begin_mask", begins}, {"end_mask", ends}, {"ellipsis_mask", 1}});
}

}  // namespace

Operand product(const Operand& x, const Operand& y, bool adjoint_x, bool adjoint_y) {
  return emit1("BatchMatMulV2", {x, y}, {{"adj_x", adjoint_x}, {"adj_y", adjoint_y}});
}
Operand transpose(const Operand& x) { return emit1("Transpose", {x, swapped_order(x)}); }
Operand adjoint(const Operand& x) {
  return is_complex(x.dtype()) ? emit1("ConjugateTranspose", {x, swapped_order(x)}) : transpose(x);
}

Operand diagonal(const Operand& x) {
  return emit1("MatrixDiagPartV3", {x, build::scalar(DType::kInt32, 0), build::scalar(x.dtype(), 0)});
}
Operand from_diagonal(const Operand& x) {
  Operand any = build::scalar(DType::kInt32, -1);
  return emit1("MatrixDiagV3", {x, build::scalar(DType::kInt32, 0), any, any, build::scalar(x.dtype(), 0)});
}
Operand with_diagonal(const Operand& x, const Operand& diagonal) {
  return emit1("MatrixSetDiagV3", {x, diagonal, build::scalar(DType::kInt32, 0)});
}

Operand lower(const Operand& x) { return band(x, -1, 0); }
Operand upper(const Operand& x) { return band(x, 0, -1); }
Operand columns(const Operand& x, std::int32_t begin, std::int32_t end) { return range(x, begin, end, 0); }
Operand rows(const Operand& x, std::int32_t begin, std::int32_t end) { return range(x, begin, end, 1); }
Operand expanded(const Operand& x, std::int32_t axis) {
  return emit1("ExpandDims", {x, build::scalar(DType::kInt32, axis)});
}

Operand padded_rows(const Operand& x, std::int32_t before, std::int32_t after) {
  Operand last = build::reshape(build::ints({before, after, 0, 0}), build::ints({2, 2}));
  if (x.shape().has_rank() && x.shape().rank() == 2) return emit1("Pad", {x, last});
  auto number = [](std::int32_t value) { return build::scalar(DType::kInt32, value); };
  Operand leading = emit1("Pack", {emit1("Rank", {x}) - number(2), number(2)});
  return emit1("Pad", {x, emit1("ConcatV2", {emit1("Fill", {leading, number(0)}), last, number(0)})});
}

Operand identity_like(const Operand& x) { return with_diagonal(build::zeros_like(x), build::ones_like(diagonal(x))); }

Operand real_part(const Operand& x) {
  if (!is_complex(x.dtype())) return x;
  const DType real = x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  return build::cast(emit1("Real", {x}, {{"Tout", real}}), x.dtype());
}

}  // namespace tracefn::matrix
