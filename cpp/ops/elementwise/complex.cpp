// Complex numbers and their parts.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

constexpr std::string_view kComplexT = "T: {complex64, complex128} = DT_COMPLEX64";
constexpr std::string_view kRealTout = "Tout: {float, double} = DT_FLOAT";

Operand complex(const Operand& re, const Operand& im) {
  DType tout = re.dtype() == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
  return emit1("Complex", {re, im}, {{"Tout", tout}});
}
Operand real(const Operand& x) { return emit1("Real", {x}, {{"Tout", real_dtype(x.dtype())}}); }
Operand imag(const Operand& x) { return emit1("Imag", {x}, {{"Tout", real_dtype(x.dtype())}}); }
Operand as_complex(const Operand& re) { return complex(re, build::scalar(re.dtype(), 0)); }

void add_part(Registry& r, std::string_view name, std::string_view doc, const BlockSpec* block, GradFn grad) {
  add_unary(r, {.name = name,
                .inputs = {"input: T"},
                .outputs = {"output: Tout"},
                .attrs = {kComplexT, kRealTout},
                .doc = doc,
                .block = block,
                .grad = grad});
}

}  // namespace

void register_complex(Registry& r) {
  add_part(r, "Real", "The real part of a complex tensor, elementwise.", &unary_block<kReal, 3, BlockResult::kReal>,
           [](GradContext& g) { g.to_input(0, as_complex(g.dy(0))); });
  add_part(r, "Imag", "The imaginary part of a complex tensor, elementwise.",
           &unary_block<kImag, 3, BlockResult::kReal>,
           [](GradContext& g) { g.to_input(0, complex(build::scalar(g.dy(0).dtype(), 0), g.dy(0))); });
  add_part(r, "Angle", "The argument of a complex tensor, elementwise, in radians in [-pi, pi].",
           &unary_block<kAngle, 150, BlockResult::kReal>, [](GradContext& g) {
             // With x = a + bi the gradient is i x / |x|^2, which is -1 / (b + ia).
             Operand turned = complex(imag(g.input(0)), real(g.input(0)));
             g.to_input(0, -(as_complex(g.dy(0)) * emit1("Reciprocal", {turned})));
           });
  add_unary(r, {
                   .name = "ComplexAbs",
                   .outputs = {"y: Tout"},
                   .attrs = {kComplexT, kRealTout},
                   .doc = "The absolute value of a complex tensor, elementwise, as a real tensor.",
                   .block = &unary_block<kComplexAbs, 50, BlockResult::kReal>,
                   .grad =
                       [](GradContext& g) {
                         Operand size = as_complex(g.output(0));
                         g.to_input(0, emit1("DivNoNan", {as_complex(g.dy(0)) * g.input(0), size}));
                       },
               });
  add_unary(r, {
                   .name = "Conj",
                   .inputs = {"input: T"},
                   .outputs = {"output: T"},
                   .attrs = {"T: {complex64, complex128, variant} = DT_COMPLEX64"},
                   .doc = "The complex conjugate, elementwise.",
                   .block = &unary_block<kConj>,
                   .grad = [](GradContext& g) { g.to_input(0, build::conj(g.dy(0))); },
               });
  add_binary(r, {
                    .name = "Complex",
                    .inputs = {"real: T", "imag: T"},
                    .outputs = {"out: Tout"},
                    .attrs = {"T: {float, double} = DT_FLOAT", "Tout: {complex64, complex128} = DT_COMPLEX64"},
                    .doc = "The complex number real + i * imag, elementwise.\n\nreal and imag are broadcast together.",
                    .block = &binary_block<kComplex, 3, BlockResult::kComplex>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, real(g.dy(0)));
                          to_operand(g, 1, imag(g.dy(0)));
                        },
                });
}

}  // namespace tracefn
