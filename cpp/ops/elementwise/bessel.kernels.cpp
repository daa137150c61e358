// Kernels of Bessel functions.
#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "ops/elementwise/loops.kernels.h"

namespace tracefn {
namespace functions {

double BesselI0::of(double x) { return Eigen::numext::bessel_i0(x); }
double BesselI1::of(double x) { return Eigen::numext::bessel_i1(x); }
double BesselJ0::of(double x) { return Eigen::numext::bessel_j0(x); }
double BesselJ1::of(double x) { return Eigen::numext::bessel_j1(x); }
double BesselK0::of(double x) { return Eigen::numext::bessel_k0(x); }
double BesselK0e::of(double x) { return Eigen::numext::bessel_k0e(x); }
double BesselK1::of(double x) { return Eigen::numext::bessel_k1(x); }
double BesselK1e::of(double x) { return Eigen::numext::bessel_k1e(x); }
double BesselY0::of(double x) { return Eigen::numext::bessel_y0(x); }
double BesselY1::of(double x) { return Eigen::numext::bessel_y1(x); }

}  // namespace functions

void fill_bessel(BlockRow* rows) { fill_rows(rows, functions::BesselFunctions{}); }

}  // namespace tracefn
