// Terms are added in the order of the kernels (gemm/*.kernels.h), so that the bits are theirs.
#include "ops/linalg/product_elements.h"

#include <cstring>
#include <utility>
#include <vector>

#include "ops/kernel_table.h"
#include "ops/linalg/gemm/steps_of_sum.h"

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

// The elements of one row of a product, whose terms are x[j][p] * y[j][p]. Except in lanes, each term is computed for
// all of them before the next: neighbours may become one instruction.
class Row {
 public:
  Row(ElementsContext& c, DType dtype, std::vector<Elements> x, std::vector<Elements> y)
      : c_(c), dtype_(dtype), zero_(c.constant(dtype, 0)), x_(std::move(x)), y_(std::move(y)), terms_(x_[0].size()) {}

  // One after the other: a kernel's sum of one part.
  Elements in_order() {
    static_assert(ElementsContext::kMost <= kStepsOfSum);
    Elements sums = zeros();
    for (std::size_t p = 0; p < terms_; ++p) add_products(p, sums);
    return sums;
  }
  // A row by a row: a lane has every lanes-th term; then halves of the lanes are added.
  Elements in_lanes() {
    Elements out;
    for (std::size_t j = 0; j < x_.size(); ++j) out.push_back(sum_in_lanes(x_[j], y_[j]));
    return out;
  }
  // A vector by the rows of a matrix: eight terms after each other, which are added to those before.
  Elements in_blocks() {
    constexpr std::size_t kSteps = 8;
    Elements result;
    for (std::size_t p = 0; p < terms_;) {
      const std::size_t end = p + kSteps <= terms_ ? p + kSteps : p + 1;
      Elements sums = products(p);
      for (++p; p < end; ++p) add_products(p, sums);
      result = result.empty() ? sums : added(result, sums);
    }
    return result;
  }
  // Of integers, which wrap around.
  Elements of_integers() {
    Elements sums = zeros();
    for (std::size_t p = 0; p < terms_; ++p) sums = added(sums, products(p));
    return sums;
  }

 private:
  Elements zeros() const {
    Elements sums;
    for (std::size_t j = 0; j < x_.size(); ++j) sums.push_back(zero_);
    return sums;
  }
  Elements products(std::size_t p) {
    Elements out;
    for (std::size_t j = 0; j < x_.size(); ++j) out.push_back(c_.apply<functions::Mul>(dtype_, {x_[j][p], y_[j][p]}));
    return out;
  }
  void add_products(std::size_t p, Elements& sums) {
    for (std::size_t j = 0; j < x_.size(); ++j) sums[j] = c_.multiply_add(dtype_, x_[j][p], y_[j][p], sums[j]);
  }
  Elements added(const Elements& a, const Elements& b) {
    Elements out;
    for (std::size_t j = 0; j < a.size(); ++j) out.push_back(c_.apply<functions::Add>(dtype_, {a[j], b[j]}));
    return out;
  }
  Element sum_in_lanes(const Elements& a, const Elements& b) {
    const std::size_t lanes = lanes_of(dtype_);
    SmallVector<std::optional<Element>, 16> sums(lanes);
    for (std::size_t p = 0; p < terms_; ++p) {
      std::optional<Element>& sum = sums[p % lanes];
      sum = c_.multiply_add(dtype_, a[p], b[p], sum.value_or(zero_));
    }
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i)
        if (sums[i + half]) sums[i] = c_.apply<functions::Add>(dtype_, {*sums[i], *sums[i + half]});
    return *sums[0];
  }

  ElementsContext& c_;
  DType dtype_;
  Element zero_;
  const std::vector<Elements> x_, y_;
  const std::size_t terms_;
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
  // Whether the terms of an element of the product lie side by side in the operand.
  const bool a_adjacent = !transpose_a || m == 1, b_adjacent = transpose_b || n == 1;
  const bool one = m == 1 || n == 1;
  const bool rows = one && ((a_adjacent && b_adjacent) || k == 1);
  const bool vector = (m == 1 && a_adjacent) || (n == 1 && b_adjacent);
  Elements out;
  for (std::int64_t i = 0; i < m; ++i) {
    std::vector<Elements> x(static_cast<std::size_t>(n)), y(x.size());
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t p = 0; p < k; ++p) {
        const auto at = static_cast<std::size_t>(j);
        x[at].push_back((*a)[static_cast<std::size_t>(transpose_a ? p * m + i : i * k + p)]);
        y[at].push_back((*b)[static_cast<std::size_t>(transpose_b ? j * k + p : p * n + j)]);
      }
    Row row(c, dtype, std::move(x), std::move(y));
    const Elements products = !floating ? row.of_integers()
                              : rows    ? row.in_lanes()
                              : vector  ? row.in_blocks()
                                        : row.in_order();
    for (const Element e : products) out.push_back(e);
  }
  c.set_output(0, dtype, Shape({m, n}), std::move(out));
  return true;
}

}  // namespace tracefn
