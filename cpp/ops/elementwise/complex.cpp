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
  add_part(r, "Real", "The real part of a complex tensor, elementwise.", &block_of<functions::Real, 3>,
           [](GradContext& g) { g.to_input(0, as_complex(g.dy(0))); });
  add_part(r, "Imag", "The imaginary part of a complex tensor, elementwise.", &block_of<functions::Imag, 3>,
           [](GradContext& g) { g.to_input(0, complex(build::scalar(g.dy(0).dtype(), 0), g.dy(0))); });
  add_part(r, "Angle", "The argument of a complex tensor, elementwise, in radians in [-pi, pi].",
           &block_of<functions::Angle, 150>, [](GradContext& g) {
             // With x = a + bi the gradient is i x / |x|^2, which is -1 / (b + ia).
             Operand turned = complex(imag(g.input(0)), real(g.input(0)));
             g.to_input(0, -(as_complex(g.dy(0)) * emit1("Reciprocal", {turned})));
           });
  add_unary(r, {
                   .name = "ComplexAbs",
                   .outputs = {"y: Tout"},
                   .attrs = {kComplexT, kRealTout},
                   .doc = "The absolute value of a complex tensor, elementwise, as a real tensor.",
                   .block = &block_of<functions::ComplexAbs, 50>,
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
                   .block = &block_of<functions::Conj>,
                   .without_kernel = DTypes::of(DType::kVariant),
                   .grad = [](GradContext& g) { g.to_input(0, build::conj(g.dy(0))); },
               });
  add_binary(r, {
                    .name = "Complex",
                    .inputs = {"real: T", "imag: T"},
                    .outputs = {"out: Tout"},
                    .attrs = {"T: {float, double} = DT_FLOAT", "Tout: {complex64, complex128} = DT_COMPLEX64"},
                    .doc = "The complex number real + i * imag, elementwise.\n\nreal and imag are broadcast together.",
                    .block = &block_of<functions::Complex, 3>,
                    .grad =
                        [](GradContext& g) {
                          to_operand(g, 0, real(g.dy(0)));
                          to_operand(g, 1, imag(g.dy(0)));
                        },
                });
}

}  // namespace tracefn
