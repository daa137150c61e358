// The functions of the Box-Muller transform give the bits of the C library, as TensorFlow's numbers do. Compiled with
// fma (CMakeLists.txt), as most kernels are.
#include <algorithm>
#include <cmath>
#include <random>

#include "math/vector_box_muller.h"
#include "math/vector_box_muller_double.h"

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

TEST(box_muller_functions_of_doubles) {
  if (!kernels_multiply_add()) return;
  std::mt19937_64 random(3);
  int differ = 0;
  const auto compare = [&](double uniform, double angle) {
    const auto [sine, cosine] = double_sine_and_cosine(angle);
    differ += bits_of(double_log_below_one(uniform)) != bits_of(std::log(uniform));
    differ += bits_of(sine) != bits_of(std::sin(angle));
    differ += bits_of(cosine) != bits_of(std::cos(angle));
  };
  for (int i = 0; i < 4'000'000; ++i) {
    const double uniform = static_cast<double>(random() >> 12) * 0x1p-52;
    compare(std::max(uniform, 1.0e-7), 2.0 * M_PI * uniform);
  }
  // Where a formula gives way to another one.
  for (const double bound : {0x1.ep-1, 0x1.020c49ba5e354p-3, 0x1.b6p-1, 0x1.368fdp+1, M_PI / 4, M_PI / 2, M_PI, 6.2})
    for (double at : {std::nextafter(bound, 0.0), bound, std::nextafter(bound, 7.0)})
      compare(std::min(at, 0x1.fp-1), at);
  compare(1.0e-7, 0.0);
  compare(1 - 0x1p-52, 2.0 * M_PI * (1 - 0x1p-52));
  CHECK_EQ(differ, 0);
}

}  // namespace tracefn

#endif
