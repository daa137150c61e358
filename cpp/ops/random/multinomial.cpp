#include "ops/random/multinomial.h"

#include <cmath>
#include <limits>
#include <vector>

#include "base/poll.h"
#include "ops/kernel_table.h"
#include "ops/no_kernel.h"
#include "tensor/half.h"

namespace tracefn {
namespace {

double number_at(const Tensor& t, std::int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat:
      return t.data<float>()[i];
    case DType::kDouble:
      return t.data<double>()[i];
    case DType::kHalf:
      return static_cast<float>(t.data<Half>()[i]);
    default:
      return static_cast<float>(t.data<BFloat16>()[i]);
  }
}

// The cumulative sums of exp(logit - largest logit).
void cumulate(const Tensor& logits, std::int64_t row, std::vector<double>& sums) {
  const auto n = static_cast<std::int64_t>(sums.size());
  double largest = -std::numeric_limits<double>::max();
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      const double x = sums[static_cast<std::size_t>(j)] = number_at(logits, row * n + j);
      if (std::isfinite(x)) largest = std::max(largest, x);
    }
  });
  double total = 0;
  in_slices(n, 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double& sum = sums[static_cast<std::size_t>(j)];
      if (std::isfinite(sum)) total += std::exp(sum - largest);
      sum = total;
    }
  });
}

// The first place whose sum is above x; without branches, which no processor could predict.
std::int64_t place_of(const std::vector<double>& sums, double x) {
  const double* at = sums.data();
  for (std::size_t n = sums.size(); n > 1;) {
    const std::size_t half = n / 2;
    at += x < at[half - 1] ? 0 : half;
    n -= half;
  }
  return at - sums.data() + (x < *at ? 0 : 1);
}

void store(Tensor& out, std::int64_t i, std::int64_t place) {
  if (out.dtype() == DType::kInt32) {
    out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(place);
  } else {
    out.mutable_data<std::int64_t>()[i] = place;
  }
}

// Elements [begin, end) of the output, all of a row with these sums.
void draw_categories(const Philox& start, const std::vector<double>& sums, std::int64_t begin, std::int64_t end,
                     Tensor& out) {
  RandomFill fill = kernel_table().random.fill[kUniform][slot(DType::kDouble)];
  constexpr std::int64_t kNumbers = 512;
  double numbers[kNumbers];
  for (std::int64_t i = begin; i < end;) {
    // Numbers come in groups.
    const std::int64_t first = i / kRandomGroup * kRandomGroup, last = std::min(end, first + kNumbers);
    Philox at = start;
    at.skip(static_cast<std::uint64_t>(first) / 2);
    fill(&at, 0, last - first, numbers, 0, 0);
    for (; i < last; ++i) store(out, i, place_of(sums, numbers[i - first] * sums.back()));
  }
}

}  // namespace

void infer_multinomial(InferContext& c) {
  c.require_rank(0, 2);
  c.require_rank(1, 0);
  c.set_output(0, Shape({c.shape(0).has_rank() ? c.shape(0)[0] : kUnknownDim, c.dim_value(1)}));
}

void check_multinomial(const KernelContext& c) {
  const Tensor& logits = c.input(0);
  const DType dtype = logits.dtype();
  if (dtype != DType::kFloat && dtype != DType::kDouble && dtype != DType::kHalf && dtype != DType::kBFloat16)
    no_kernel();
  if (logits.rank() != 2) invalid_argument("logits should be a matrix, got shape ", logits.shape().text());
  if (c.input(1).rank() != 0) invalid_argument("num_samples should be a scalar, got shape ", c.input(1).shape().text());
  if (c.input(1).int_at(0) < 0) invalid_argument("num_samples should be non-negative, got ", c.input(1).int_at(0));
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (logits.dim(0) > kMost) invalid_argument("batch_size cannot exceed max int");
  if (logits.dim(1) > kMost) invalid_argument("num_classes cannot exceed max int");
  if (logits.dim(1) <= 0) invalid_argument("num_classes should be positive, got ", logits.dim(1));
}

void fill_multinomial(KernelContext& c, const Philox& start) {
  const Tensor& logits = c.input(0);
  Tensor& out = c.output(0);
  const std::int64_t samples = out.dim(1), classes = logits.dim(1);
  const double search = 4 + 3 * std::log2(static_cast<double>(classes));
  auto draw_rows = [&](std::int64_t begin, std::int64_t end, const auto& each) {
    std::vector<double> sums(static_cast<std::size_t>(classes));
    for (std::int64_t row = begin; row < end; ++row) {
      cumulate(logits, row, sums);
      each(row * samples, sums);
    }
  };
  if (out.num_elements() == 0) return;
  // Long rows are split themselves.
  if (search * static_cast<double>(samples) > 1e5) {
    draw_rows(0, out.dim(0), [&](std::int64_t first, const std::vector<double>& sums) {
      c.parallel_for(samples, search, [&](std::int64_t begin, std::int64_t end) {
        draw_categories(start, sums, first + begin, first + end, out);
      });
    });
  } else {
    const double cost = search * static_cast<double>(samples) + 10 * static_cast<double>(classes);
    c.parallel_for(out.dim(0), cost, [&](std::int64_t begin, std::int64_t end) {
      draw_rows(begin, end, [&](std::int64_t first, const std::vector<double>& sums) {
        draw_categories(start, sums, first, first + samples, out);
      });
    });
  }
}

}  // namespace tracefn
