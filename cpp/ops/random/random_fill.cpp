// Fills a tensor from a position in a Philox stream.
#include "ops/random/random_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/consecutive.h"
#include "base/poll.h"
#include "ops/kernel_table.h"
#include "ops/state/effect_records.h"

namespace tracefn {

void fill_random(KernelContext& c, RandomDistribution distribution, const Philox& start, Tensor& out, std::uint64_t low,
                 std::uint64_t range) {
  RandomFill fill = kernel_table().random.fill[distribution][slot(out.dtype())];
  if (!fill) no_kernel(c, {"dtype"});
  static constexpr double cost[] = {0.5, 10.0, 25.0};
  static_assert(consecutive(kUniform, kStandardNormal, kTruncatedNormal, kRandomDistributions));
  static_assert(kUniform == 0 && std::size(cost) == kRandomDistributions);
  std::int64_t n = out.num_elements();
  c.parallel_for((n + kRandomGroup - 1) / kRandomGroup, kRandomGroup * cost[distribution],
                 [&](std::int64_t begin, std::int64_t end) {
                   fill(&start, begin * kRandomGroup, std::min(n, end * kRandomGroup), out.mutable_raw(), low, range);
                 });
}

void IntegerRange::check() const {
  bool ordered = is_signed ? static_cast<std::int64_t>(low) < static_cast<std::int64_t>(high) : low < high;
  if (ordered) return;
  if (is_signed)
    invalid_argument("Need minval < maxval, got ", static_cast<std::int64_t>(low),
                     " >= ", static_cast<std::int64_t>(high));
  invalid_argument("Need minval < maxval, got ", low, " >= ", high);
}

IntegerRange integer_range(const Tensor& minval, const Tensor& maxval) {
  if (minval.rank() != 0) invalid_argument("minval must be 0-D, got shape ", minval.shape().text());
  if (maxval.rank() != 0) invalid_argument("maxval must be 0-D, got shape ", maxval.shape().text());
  auto bits = [](const Tensor& t) -> std::uint64_t {
    switch (t.dtype()) {
      case DType::kInt32:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(t.item<std::int32_t>()));
      case DType::kUInt32:
        return t.item<std::uint32_t>();
      default:
        return t.item<std::uint64_t>();
    }
  };
  DType dtype = minval.dtype();
  return {bits(minval), bits(maxval), is_signed_integer(dtype), size_of(dtype) == 8};
}

namespace {

template <typename T>
std::vector<double> as_doubles(const Tensor& t) {
  std::vector<double> out;
  PolledSteps polled(4096);
  for (const T& x : t.span<T>()) {
    polled.step();
    if constexpr (std::is_arithmetic_v<T>) {
      out.push_back(static_cast<double>(x));
    } else {
      out.push_back(static_cast<float>(x));
    }
  }
  return out;
}

std::vector<double> logits_of(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return as_doubles<float>(t);
    case DType::kDouble:
      return as_doubles<double>(t);
    case DType::kHalf:
      return as_doubles<Half>(t);
    case DType::kBFloat16:
      return as_doubles<BFloat16>(t);
    case DType::kInt8:
      return as_doubles<std::int8_t>(t);
    case DType::kInt16:
      return as_doubles<std::int16_t>(t);
    case DType::kInt32:
      return as_doubles<std::int32_t>(t);
    case DType::kInt64:
      return as_doubles<std::int64_t>(t);
    case DType::kUInt8:
      return as_doubles<std::uint8_t>(t);
    case DType::kUInt16:
      return as_doubles<std::uint16_t>(t);
    case DType::kUInt32:
      return as_doubles<std::uint32_t>(t);
    default:
      return as_doubles<std::uint64_t>(t);
  }
}

// The cumulative sums of exp(logit - largest logit).
void cumulate(const double* logits, std::vector<double>& sums) {
  const auto n = static_cast<std::int64_t>(sums.size());
  double largest = -std::numeric_limits<double>::max();
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j)
      if (std::isfinite(logits[j])) largest = std::max(largest, logits[j]);
  });
  double total = 0;
  in_slices(n, 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      if (std::isfinite(logits[j])) total += std::exp(logits[j] - largest);
      sums[static_cast<std::size_t>(j)] = total;
    }
  });
}

}  // namespace

void check_multinomial(const KernelContext& c) {
  const Tensor& logits = c.input(0);
  if (logits.rank() != 2) invalid_argument("logits should be a matrix, got shape ", logits.shape().text());
  if (c.input(1).rank() != 0) invalid_argument("num_samples should be a scalar, got shape ", c.input(1).shape().text());
  if (c.input(1).int_at(0) < 0) invalid_argument("num_samples should be non-negative, got ", c.input(1).int_at(0));
  if (logits.dim(1) <= 0 && logits.dim(0) > 0) invalid_argument("num_classes should be positive, got ", logits.dim(1));
}

void fill_multinomial(KernelContext& c, const Philox& start) {
  const Tensor& logits = c.input(0);
  std::vector<double> values = logits_of(logits);
  auto classes = static_cast<std::size_t>(logits.dim(1));
  std::vector<double> sums(classes);
  PhiloxWords words(start);
  Tensor& out = c.output(0);
  std::int64_t samples = out.dim(1);
  PolledSteps polled;
  for (std::int64_t row = 0; row < out.dim(0); ++row) {
    cumulate(values.data() + static_cast<std::size_t>(row) * classes, sums);
    for (std::int64_t k = 0; k < samples; ++k) {
      polled.step();
      std::uint32_t high = words.next(), low = words.next();
      std::uint64_t bits = static_cast<std::uint64_t>(high & 0xfffffu) << 32 | low | 0x3ff0000000000000ull;
      double wanted = (std::bit_cast<double>(bits) - 1.0) * sums.back();
      std::int64_t found = std::upper_bound(sums.begin(), sums.end(), wanted) - sums.begin();
      if (out.dtype() == DType::kInt32) {
        out.mutable_data<std::int32_t>()[row * samples + k] = static_cast<std::int32_t>(found);
      } else {
        out.mutable_data<std::int64_t>()[row * samples + k] = found;
      }
    }
  }
}

}  // namespace tracefn
