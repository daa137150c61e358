// Shared by the records of elementwise ops: type lists in the notation of op_def.h, and the common parts of unary and
// binary ops.
#pragma once

#include "ops/elementwise/block.h"
#include "ops/elementwise/functions.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/type_sets.h"

namespace tracefn {

inline constexpr std::string_view kFloats = "T: {bfloat16, half, float, double}";
inline constexpr std::string_view kFloatsAndComplex = "T: {bfloat16, half, float, double, complex64, complex128}";
// The order in which TensorFlow lists the types of its xlogy-like ops and of its activation functions.
inline constexpr std::string_view kHalfFirst = "T: {half, bfloat16, float, double}";
inline constexpr std::string_view kHalfFirstAndComplex = "T: {half, bfloat16, float, double, complex64, complex128}";
inline constexpr std::string_view kIntegers = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
inline constexpr std::string_view kOrdered = "T: " TRACEFN_REAL_NUMBERS;

// Add `record` with defaults filled in: "x: T" to "y: T" of the same shape, or "x: T", "y: T" to "z: T" broadcast
// together.
void add_unary(Registry& r, OpRecord record);
void add_binary(Registry& r, OpRecord record);
// The same for functions of TensorFlow's nn ops: "features: T" to "activations: T", and their gradients from
// "gradients: T" and a second operand to "backprops: T".
void add_activation(Registry& r, OpRecord record);
void add_activation_grad(Registry& r, std::string_view second_input, OpRecord record);

// Sets the gradient of input i of a binary op to `gradient`, with sum-to-shape.
inline void to_operand(GradContext& g, std::size_t i, const Operand& gradient) {
  g.to_input(i, build::unbroadcast(gradient, g.input(i), g.input(1 - i)));
}

// The families, called by name in elementwise_families.cpp.
void register_arithmetic(Registry& r);
void register_division(Registry& r);
void register_rounding(Registry& r);
void register_math(Registry& r);
void register_trigonometry(Registry& r);
void register_power(Registry& r);
void register_special(Registry& r);
void register_bessel(Registry& r);
void register_integrals(Registry& r);
void register_activation(Registry& r);
void register_bitwise(Registry& r);
void register_complex(Registry& r);
void register_compare(Registry& r);
void register_select(Registry& r);
void register_cast(Registry& r);
void register_add_n(Registry& r);

}  // namespace tracefn
