// Rounding, and tests for special values.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {

void register_rounding(Registry& r) {
  add_unary(r, {
                   .name = "Floor",
                   .python = "math.floor(x)",
                   .aliases = {"floor"},
                   .attrs = {kFloats},
                   .doc = "The largest integer not greater than x, elementwise.",
                   .block = &block_of<functions::Floor>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Ceil",
                   .python = "math.ceil(x)",
                   .attrs = {kFloats},
                   .doc = "The smallest integer not less than x, elementwise.",
                   .block = &block_of<functions::Ceil>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Round",
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"},
                   .doc = "x rounded to the nearest integer, ties to even, elementwise. Integer types are unchanged.",
                   .block = &block_of<functions::Round>,
                   .without_kernel = functions::kComplexes,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Rint",
                   .python = "math.rint(x)",
                   .attrs = {kFloats},
                   .doc = "x rounded to the nearest integer, ties to even, elementwise.",
                   .block = &block_of<functions::Round>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsNan",
                   .python = "math.is_nan(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is NaN.",
                   .block = &block_of<functions::IsNan, 3>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsInf",
                   .python = "math.is_inf(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is infinite.",
                   .block = &block_of<functions::IsInf, 3>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsFinite",
                   .python = "math.is_finite(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is neither infinite nor NaN.",
                   .block = &block_of<functions::IsFinite, 3>,
                   .grad = not_differentiable,
               });
}

}  // namespace tracefn
