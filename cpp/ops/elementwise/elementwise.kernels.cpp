// Fills the elementwise part of the kernel table, family by family.
#include "ops/elementwise/elementwise.kernels.h"

#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

void fill_elementwise(ElementwiseKernels& kernels) {
  static BlockRow rows[kFunctions];
  fill_arithmetic(rows);
  fill_division(rows);
  fill_rounding(rows);
  fill_math(rows);
  fill_trigonometry(rows);
  fill_power(rows);
  fill_special(rows);
  fill_bessel(rows);
  fill_integrals(rows);
  fill_activation(rows);
  fill_bitwise(rows);
  fill_complex(rows);
  fill_compare(rows);
  fill_select(rows);
  fill_cast(kernels);
  kernels.functions = rows;
  kernels.fingerprint = functions::fingerprint();
}

}  // namespace tracefn
