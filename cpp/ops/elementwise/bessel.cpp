// Bessel functions of orders 0 and 1.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

// F0(x) - F1(x) / x for the function F1 of order 1 that is differentiated, and TensorFlow's number at zero.
Operand slope_of_order_1(const GradContext& c, std::string_view order_0, double at_zero) {
  const Operand& x = c.input(0);
  Operand is_zero = emit1("Equal", {x, build::scalar(x.dtype(), 0)});
  return build::select(is_zero, build::scalar(x.dtype(), at_zero), emit1(order_0, {x}) - c.output(0) / x);
}

void add_bessel(Registry& r, OpRecord record) {
  record.attrs = {kFloats};
  record.without_kernel = DTypes::of(DType::kBFloat16);
  add_unary(r, std::move(record));
}

}  // namespace

void register_bessel(Registry& r) {
  add_bessel(r, {.name = "BesselI0",
                 .python = "math.bessel_i0(x)",
                 .aliases = {"math.special.bessel_i0"},
                 .doc = "The modified Bessel function of the first kind and order 0, elementwise.",
                 .block = &block_of<functions::BesselI0, 300>,
                 .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * emit1("BesselI1", {c.input(0)})); }});
  add_bessel(r, {.name = "BesselI1",
                 .python = "math.bessel_i1(x)",
                 .aliases = {"math.special.bessel_i1"},
                 .doc = "The modified Bessel function of the first kind and order 1, elementwise.",
                 .block = &block_of<functions::BesselI1, 300>,
                 .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * slope_of_order_1(c, "BesselI0", 1)); }});
  add_bessel(r, {.name = "BesselJ0",
                 .python = "math.special.bessel_j0(x)",
                 .doc = "The Bessel function of the first kind and order 0, elementwise.",
                 .block = &block_of<functions::BesselJ0, 300>,
                 .grad = [](GradContext& c) { c.to_input(0, -(c.dy(0) * emit1("BesselJ1", {c.input(0)}))); }});
  add_bessel(r, {.name = "BesselJ1",
                 .python = "math.special.bessel_j1(x)",
                 .doc = "The Bessel function of the first kind and order 1, elementwise.",
                 .block = &block_of<functions::BesselJ1, 300>,
                 .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * slope_of_order_1(c, "BesselJ0", 0.5)); }});
  add_bessel(r,
             {.name = "BesselK0",
              .python = "math.special.bessel_k0(x)",
              .doc = "The modified Bessel function of the second kind and order 0, elementwise; infinite for x <= 0.",
              .block = &block_of<functions::BesselK0, 300>,
              .grad = [](GradContext& c) { c.to_input(0, -(c.dy(0) * emit1("BesselK1", {c.input(0)}))); }});
  add_bessel(
      r, {.name = "BesselK0e",
          .python = "math.special.bessel_k0e(x)",
          .doc = "exp(x) times the modified Bessel function of the second kind and order 0, elementwise; infinite for "
                 "x <= 0.",
          .block = &block_of<functions::BesselK0e, 300>,
          .grad = [](GradContext& c) { c.to_input(0, c.dy(0) * (c.output(0) - emit1("BesselK1e", {c.input(0)}))); }});
  add_bessel(r,
             {.name = "BesselK1",
              .python = "math.special.bessel_k1(x)",
              .doc = "The modified Bessel function of the second kind and order 1, elementwise; infinite for x <= 0.",
              .block = &block_of<functions::BesselK1, 300>,
              .grad = [](GradContext& c) {
                c.to_input(0, -(c.dy(0) * (emit1("BesselK0", {c.input(0)}) + c.output(0) / c.input(0))));
              }});
  add_bessel(r, {.name = "BesselK1e",
                 .python = "math.special.bessel_k1e(x)",
                 .doc = "exp(x) times the modified Bessel function of the second kind and order 1, elementwise; "
                        "infinite for x <= 0.",
                 .block = &block_of<functions::BesselK1e, 300>,
                 .grad = [](GradContext& c) {
                   c.to_input(0, c.dy(0) * (c.output(0) - c.output(0) / c.input(0) - emit1("BesselK0e", {c.input(0)})));
                 }});
  add_bessel(r, {.name = "BesselY0",
                 .python = "math.special.bessel_y0(x)",
                 .doc = "The Bessel function of the second kind and order 0, elementwise; -infinity for x <= 0.",
                 .block = &block_of<functions::BesselY0, 300>,
                 .grad = [](GradContext& c) { c.to_input(0, -(c.dy(0) * emit1("BesselY1", {c.input(0)}))); }});
  add_bessel(r, {.name = "BesselY1",
                 .python = "math.special.bessel_y1(x)",
                 .doc = "The Bessel function of the second kind and order 1, elementwise; -infinity for x <= 0.",
                 .block = &block_of<functions::BesselY1, 300>,
                 .grad = [](GradContext& c) {
                   c.to_input(0, c.dy(0) * (emit1("BesselY0", {c.input(0)}) - c.output(0) / c.input(0)));
                 }});
}

}  // namespace tracefn
