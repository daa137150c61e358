// Terms are added in the order of the kernels (gemm/*.kernels.h), so that the bits are theirs.
#include "ops/linalg/product_elements.h"

#include <cstring>

#include "ops/kernel_table.h"

namespace tracefn {
namespace {

using Element = ElementsContext::Element;
using Elements = ElementsContext::Elements;

constexpr std::int64_t kMostTerms = 512;

// Lanes of the library's vectors.
std::size_t lanes_of(DType dtype) {
  const char* isa = kernel_isa();
  const std::size_t bytes = std::strcmp(isa, "v4") == 0 ? 64 : std::strcmp(isa, "v3") == 0 ? 32 : 16;
  return bytes / size_of(dtype);
}

class Sum {
 public:
  Sum(ElementsContext& c, DType dtype) : c_(c), dtype_(dtype), zero_(c.constant(dtype, 0)) {}

  // One after the other.
  Element in_order(const Elements& a, const Elements& b) {
    Element sum = zero_;
    for (std::size_t p = 0; p < a.size(); ++p) sum = c_.multiply_add(dtype_, a[p], b[p], sum);
    return sum;
  }
  // A row by a row: a lane has every lanes-th term; then halves of the lanes are added.
  Element in_lanes(const Elements& a, const Elements& b) {
    const std::size_t lanes = lanes_of(dtype_);
    SmallVector<std::optional<Element>, 16> sums(lanes);
    for (std::size_t p = 0; p < a.size(); ++p) {
      std::optional<Element>& sum = sums[p % lanes];
      sum = c_.multiply_add(dtype_, a[p], b[p], sum.value_or(zero_));
    }
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i)
        if (sums[i + half]) sums[i] = c_.apply<functions::Add>(dtype_, {*sums[i], *sums[i + half]});
    return *sums[0];
  }
  // A vector by the rows of a matrix: eight terms after each other, which are added to those before.
  Element in_blocks(const Elements& a, const Elements& b) {
    constexpr std::size_t kSteps = 8;
    std::optional<Element> result;
    for (std::size_t p = 0; p < a.size();) {
      const std::size_t end = p + kSteps <= a.size() ? p + kSteps : p + 1;
      Element sum = c_.apply<functions::Mul>(dtype_, {a[p], b[p]});
      for (++p; p < end; ++p) sum = c_.multiply_add(dtype_, a[p], b[p], sum);
      result = result ? c_.apply<functions::Add>(dtype_, {*result, sum}) : sum;
    }
    return *result;
  }
  // Of integers, which wrap around.
  Element of_integers(const Elements& a, const Elements& b) {
    Element sum = zero_;
    for (std::size_t p = 0; p < a.size(); ++p)
      sum = c_.apply<functions::Add>(dtype_, {sum, c_.apply<functions::Mul>(dtype_, {a[p], b[p]})});
    return sum;
  }

 private:
  ElementsContext& c_;
  DType dtype_;
  Element zero_;
};

}  // namespace

bool product_elements(ElementsContext& c, bool transpose_a, bool transpose_b) {
  const Shape &a_shape = c.shape(0), &b_shape = c.shape(1);
  const DType dtype = c.dtype(0);
  const bool floating = dtype == DType::kFloat || dtype == DType::kDouble;
  if (a_shape.rank() != 2 || b_shape.rank() != 2 || (!floating && !is_integer(dtype))) return false;
  const std::int64_t m = a_shape[transpose_a ? 1 : 0], k = a_shape[transpose_a ? 0 : 1];
  const std::int64_t n = b_shape[transpose_b ? 0 : 1];
  if (b_shape[transpose_b ? 1 : 0] != k || m < 1 || n < 1 || k < 1 || m * n * k > kMostTerms) return false;
  const std::optional<Elements> a = c.elements(0), b = c.elements(1);
  if (!a || !b) return false;
  Sum sum(c, dtype);
  // Whether the terms of an element of the product lie side by side in the operand.
  const bool a_adjacent = !transpose_a || m == 1, b_adjacent = transpose_b || n == 1;
  const bool one = m == 1 || n == 1;
  const bool rows = one && ((a_adjacent && b_adjacent) || k == 1);
  const bool vector = (m == 1 && a_adjacent) || (n == 1 && b_adjacent);
  Elements out;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      Elements x, y;
      for (std::int64_t p = 0; p < k; ++p) {
        x.push_back((*a)[static_cast<std::size_t>(transpose_a ? p * m + i : i * k + p)]);
        y.push_back((*b)[static_cast<std::size_t>(transpose_b ? j * k + p : p * n + j)]);
      }
      out.push_back(!floating ? sum.of_integers(x, y)
                    : rows    ? sum.in_lanes(x, y)
                    : vector  ? sum.in_blocks(x, y)
                              : sum.in_order(x, y));
    }
  c.set_output(0, dtype, Shape({m, n}), std::move(out));
  return true;
}

}  // namespace tracefn
