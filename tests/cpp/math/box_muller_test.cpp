// The functions of the Box-Muller transform give the bits of the C library, as TensorFlow's numbers do. Compiled with
// fma (CMakeLists.txt), as most kernels are.
#include <cmath>

#include "math/vector_box_muller.h"

#if defined(__GLIBC__) && (defined(__FMA__) || defined(__aarch64__))

#include "check.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

// All uniform floats are multiples of this.
constexpr double kStep = 0x1p-23;
constexpr int kSteps = 1 << 23;

}  // namespace

TEST(box_muller_logarithms_of_all_uniform_floats) {
  if (!kernels_multiply_add()) return;
  int differ = 0;
  for (int i = 1; i < kSteps; ++i) {
    const double x = i * kStep;
    differ += bits_of(log_below_one(x)) != bits_of(std::log(static_cast<float>(x)));
  }
  CHECK_EQ(differ, 0);
  CHECK_EQ(bits_of(log_below_one(1.0e-7f)), bits_of(std::log(1.0e-7f)));
}

TEST(box_muller_circular_functions_of_all_uniform_angles) {
  if (!kernels_multiply_add()) return;
  int differ = 0;
  for (int i = 0; i < kSteps; ++i) {
    const auto angle = static_cast<float>(2.0 * M_PI * (i * kStep));
    auto [sine, cosine] = sine_and_cosine(angle);
    differ += bits_of(static_cast<float>(sine)) != bits_of(std::sin(angle));
    differ += bits_of(static_cast<float>(cosine)) != bits_of(std::cos(angle));
  }
  CHECK_EQ(differ, 0);
}

}  // namespace tracefn

#endif
