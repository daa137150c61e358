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
                   .block = &unary_block<kFloor>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Ceil",
                   .python = "math.ceil(x)",
                   .attrs = {kFloats},
                   .doc = "The smallest integer not less than x, elementwise.",
                   .block = &unary_block<kCeil>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Round",
                   .attrs = {"T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"},
                   .doc = "x rounded to the nearest integer, ties to even, elementwise. Integer types are unchanged.",
                   .block = &unary_block<kRound>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "Rint",
                   .python = "math.rint(x)",
                   .attrs = {kFloats},
                   .doc = "x rounded to the nearest integer, ties to even, elementwise.",
                   .block = &unary_block<kRound>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsNan",
                   .python = "math.is_nan(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is NaN.",
                   .block = &unary_block<kIsNan, 3, BlockResult::kBool>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsInf",
                   .python = "math.is_inf(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is infinite.",
                   .block = &unary_block<kIsInf, 3, BlockResult::kBool>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "IsFinite",
                   .python = "math.is_finite(x)",
                   .outputs = {"y: bool"},
                   .attrs = {kFloats},
                   .doc = "True where x is neither infinite nor NaN.",
                   .block = &unary_block<kIsFinite, 3, BlockResult::kBool>,
                   .grad = not_differentiable,
               });
}

}  // namespace tracefn
