// Kernels of the comparisons. Greater and GreaterEqual are Less and LessEqual with the operands swapped.
#include "ops/elementwise/compare.functions.h"
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

template <typename F, typename... Ts>
void fill_exchanged(BinaryRow& row, Types<Ts...>) {
  auto one = [&]<typename T>(T*) {
    row[SlotOf<T>::value] = [](const void* a, const void* b, void* y, std::int64_t n, int scalars) {
      int exchanged = (scalars & 1) << 1 | (scalars >> 1 & 1);
      if constexpr (is_small_float<T>) {
        return binary_widened<T, binary_loop<F, float, bool>, bool>(b, a, y, n, exchanged);
      } else {
        return binary_loop<F, T, bool>(b, a, y, n, exchanged);
      }
    };
  };
  (one(static_cast<Ts*>(nullptr)), ...);
}

template <typename F>
void fill_equality(BinaryRow& row) {
  fill_loops<F, bool>(row, Reals{});
  fill_loops<F, bool>(row, Complexes{});
  fill_loops<F, bool>(row, UnsignedIntegers{});
  fill_loops<F, bool>(row, Types<bool>{});
  share_with_signed(row);
}

template <typename F>
void fill_order(BinaryRow& row, BinaryRow& exchanged) {
  fill_loops<F, bool>(row, Reals{});
  fill_loops<F, bool>(row, SignedIntegers{});
  fill_loops<F, bool>(row, UnsignedIntegers{});
  fill_exchanged<F>(exchanged, Reals{});
  fill_exchanged<F>(exchanged, SignedIntegers{});
  fill_exchanged<F>(exchanged, UnsignedIntegers{});
}

}  // namespace

void fill_compare(ElementwiseKernels& kernels) {
  fill_equality<Equal>(kernels.binary[kEqual]);
  fill_equality<NotEqual>(kernels.binary[kNotEqual]);
  fill_order<Less>(kernels.binary[kLess], kernels.binary[kGreater]);
  fill_order<LessEqual>(kernels.binary[kLessEqual], kernels.binary[kGreaterEqual]);
}

}  // namespace tracefn
