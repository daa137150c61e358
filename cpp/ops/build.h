// Short names for the ops that gradient rules use. Each emits on the current target.
#pragma once

#include <initializer_list>
#include <vector>

#include "ops/emit.h"

namespace tracefn::build {

Operand constant(Tensor value);
// A scalar of the given dtype; `value` is rounded to it.
Tensor scalar_tensor(DType dtype, double value);
// The same, as a constant of the current target.
Operand scalar(DType dtype, double value);
Operand ints(std::initializer_list<std::int32_t> values);
Operand ints(const std::vector<std::int32_t>& values);

Operand add(const Operand& a, const Operand& b);
Operand sub(const Operand& a, const Operand& b);
Operand mul(const Operand& a, const Operand& b);
Operand div(const Operand& a, const Operand& b);
Operand neg(const Operand& x);
Operand conj(const Operand& x);  // x itself for real dtypes
Operand cast(const Operand& x, DType dtype);
Operand select(const Operand& condition, const Operand& x, const Operand& y);
Operand zeros_like(const Operand& x);
Operand ones_like(const Operand& x);
Operand shape_of(const Operand& x);
Operand reshape(const Operand& x, const Operand& shape);
Operand sum(const Operand& x, const Operand& axes, bool keep_dims = false);
// Sum-to-shape: `gradient` summed over the axes along which x was broadcast, and reshaped to x's shape (which may be
// unknown until run time: BroadcastGradientArgs decides then).
Operand unbroadcast(const Operand& gradient, const Operand& x, const Operand& other);

// x multiplied by a number of x's dtype.
Operand scale(const Operand& x, double factor);

}  // namespace tracefn::build

namespace tracefn {
inline Operand operator+(const Operand& a, const Operand& b) { return build::add(a, b); }
inline Operand operator-(const Operand& a, const Operand& b) { return build::sub(a, b); }
inline Operand operator*(const Operand& a, const Operand& b) { return build::mul(a, b); }
inline Operand operator/(const Operand& a, const Operand& b) { return build::div(a, b); }
inline Operand operator-(const Operand& x) { return build::neg(x); }
}  // namespace tracefn
