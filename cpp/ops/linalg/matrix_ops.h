// Short names for what gradient rules do with batches of matrices. Each emits on the current target; ranks may be
// unknown.
#pragma once

#include "ops/emit.h"

namespace tracefn::matrix {

Operand product(const Operand& x, const Operand& y, bool adjoint_x = false, bool adjoint_y = false);
// The last two dimensions swapped, and conjugated for the adjoint.
Operand transpose(const Operand& x);
Operand adjoint(const Operand& x);
// The main diagonal; diagonal matrices; x with another main diagonal.
Operand diagonal(const Operand& x);
Operand from_diagonal(const Operand& x);
Operand with_diagonal(const Operand& x, const Operand& diagonal);
// x without the triangle above or below the main diagonal.
Operand lower(const Operand& x);
Operand upper(const Operand& x);
// x[..., begin:end] and x[..., begin:end, :]; an end of 0 is that of the dimension.
Operand columns(const Operand& x, std::int32_t begin, std::int32_t end);
Operand rows(const Operand& x, std::int32_t begin, std::int32_t end);
// x with a dimension of size 1 at `axis`.
Operand expanded(const Operand& x, std::int32_t axis);
// Zeros, `before` and `after` x along its dimension before the last (of two).
Operand padded_rows(const Operand& x, std::int32_t before, std::int32_t after);
// Identity matrices like x's, which are square.
Operand identity_like(const Operand& x);
// The real part, of x's type.
Operand real_part(const Operand& x);

}  // namespace tracefn::matrix
