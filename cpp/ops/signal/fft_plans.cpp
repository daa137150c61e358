// Which plan a length gets, and the plans that are kept.
#include "ops/signal/fft_plans.h"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "ops/signal/fourier.h"
#include "ops/signal/smooth.h"

namespace tracefn {

std::complex<double> root_of_unity(std::int64_t k, std::int64_t n) {
  // By the octant, so that the angle is small and its rounding, too.
  const std::int64_t eighth = 8 * k / n;
  const std::int64_t quarter = (eighth + 1) / 2;  // the nearest multiple of a quarter turn
  const double angle = 2 * std::numbers::pi * (static_cast<double>(4 * k - quarter * n) / (4 * static_cast<double>(n)));
  const double x = std::cos(angle), y = std::sin(angle);
  switch (quarter % 4) {
    case 0:
      return {x, -y};
    case 1:
      return {-y, -x};
    case 2:
      return {-x, y};
    default:
      return {y, x};
  }
}

template <typename T>
ColumnsPlan<T>::ColumnsPlan(std::int64_t n) : n_(n), plan_(fft_kernel<T>().make(n)) {
  if (!plan_) fail(ErrorKind::kResourceExhausted, "OOM when planning a Fourier transform of length ", n);
}

namespace {

// Longer columns are too large for the cache, in all lanes.
constexpr std::int64_t kLongestColumn = 4096;
// Shorter ones are not worth a matrix.
constexpr std::int64_t kShortestMatrix = 64;

// The largest divisor of n up to its square root.
std::int64_t middle_divisor(std::int64_t n) {
  auto d = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % d != 0) --d;
  return d;
}

template <typename T>
std::shared_ptr<const MatrixPlan<T>> make_matrix(std::int64_t n) {
  auto plan = std::make_shared<MatrixPlan<T>>();
  const std::int64_t columns = middle_divisor(n), rows = n / columns;
  plan->rows = std::make_shared<ColumnsPlan<T>>(rows);
  plan->columns = rows == columns ? plan->rows : std::make_shared<ColumnsPlan<T>>(columns);
  plan->twiddles.resize(static_cast<std::size_t>(n));
  PolledSteps polled(1 << 14);
  for (std::int64_t k = 0; k < rows; ++k, polled.step(columns))
    for (std::int64_t j = 0; j < columns; ++j)
      plan->twiddles[static_cast<std::size_t>(k * columns + j)] = std::complex<T>(root_of_unity(k * j, n));
  return plan;
}

template <typename T>
std::shared_ptr<const ChirpPlan<T>> make_chirp(std::int64_t n) {
  const std::int64_t m = smooth_from(2 * n - 1);
  auto plan = std::make_shared<ChirpPlan<T>>();
  plan->chirp.resize(static_cast<std::size_t>(n));
  std::vector<std::complex<double>> wave(static_cast<std::size_t>(m));
  PolledSteps polled(1 << 14);
  std::int64_t square = 0;  // of k, modulo 2 n
  for (std::int64_t k = 0; k < n; ++k, polled.step()) {
    const std::complex<double> z = root_of_unity(square, 2 * n);
    plan->chirp[static_cast<std::size_t>(k)] = std::complex<T>(z);
    wave[static_cast<std::size_t>(k)] = std::conj(z) / static_cast<double>(m);
    if (k) wave[static_cast<std::size_t>(m - k)] = wave[static_cast<std::size_t>(k)];
    square = (square + 2 * k + 1) % (2 * n);
  }
  transform_column(*make_matrix<double>(m), wave.data());
  plan->spectrum.assign(wave.begin(), wave.end());
  plan->convolution = make_matrix<T>(m);
  return plan;
}

template <typename T>
std::shared_ptr<const FftPlan<T>> make_plan(std::int64_t n, bool side_by_side) {
  auto plan = std::make_shared<FftPlan<T>>();
  constexpr auto kNumber = static_cast<std::int64_t>(sizeof(std::complex<T>));
  if (side_by_side) {
    plan->columns = std::make_shared<ColumnsPlan<T>>(n);
    plan->bytes = plan->columns->bytes();
  } else if (is_smooth(n)) {
    plan->matrix = make_matrix<T>(n);
    plan->bytes = n * kNumber;
  } else {
    plan->chirp = make_chirp<T>(n);
    plan->bytes = 3 * static_cast<std::int64_t>(plan->chirp->spectrum.size()) * kNumber;
  }
  return plan;
}

// The plans used last, up to a number of bytes. Thread-safe.
template <typename T>
class PlanCache {
 public:
  std::shared_ptr<const FftPlan<T>> get(std::int64_t n, bool side_by_side) {
    const std::pair key(n, side_by_side);
    {
      std::lock_guard lock(mutex_);
      if (auto found = plans_.find(key); found != plans_.end()) {
        found->second.used = ++uses_;
        return found->second.plan;
      }
    }
    auto plan = make_plan<T>(n, side_by_side);
    std::lock_guard lock(mutex_);
    if (plan->bytes > kMostBytes / 2) return plan;
    auto [place, added] = plans_.try_emplace(key, Kept{plan, ++uses_});
    if (added) bytes_ += plan->bytes;
    while (bytes_ > kMostBytes) drop_oldest();
    return plan;
  }

 private:
  struct Kept {
    std::shared_ptr<const FftPlan<T>> plan;
    std::uint64_t used;
  };
  static constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

  void drop_oldest() {
    auto oldest = plans_.begin();
    for (auto i = plans_.begin(); i != plans_.end(); ++i)
      if (i->second.used < oldest->second.used) oldest = i;
    bytes_ -= oldest->second.plan->bytes;
    plans_.erase(oldest);
  }

  std::mutex mutex_;
  std::map<std::pair<std::int64_t, bool>, Kept> plans_;
  std::uint64_t uses_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

template <typename T>
std::shared_ptr<const FftPlan<T>> fft_plan(std::int64_t n, std::int64_t columns) {
  const std::int64_t longest = is_smooth(n) ? n : 2 * n;
  const bool fills_lanes = 2 * columns > fft_kernel<T>().lanes;
  static auto& cache = *new PlanCache<T>;
  return cache.get(n, n < kShortestMatrix || (fills_lanes && longest <= kLongestColumn));
}

template <typename T>
std::shared_ptr<const std::vector<std::complex<T>>> half_roots(std::int64_t n) {
  using Roots = std::vector<std::complex<T>>;
  constexpr std::size_t kMostKept = 1 << 20;  // numbers
  static std::mutex mutex;
  static auto& kept = *new std::map<std::int64_t, std::shared_ptr<const Roots>>;
  static std::size_t size = 0;
  {
    std::lock_guard lock(mutex);
    if (auto found = kept.find(n); found != kept.end()) return found->second;
  }
  auto roots = std::make_shared<Roots>(static_cast<std::size_t>(n / 2 + 1));
  PolledSteps polled(1 << 14);
  for (std::int64_t k = 0; k <= n / 2; ++k, polled.step())
    (*roots)[static_cast<std::size_t>(k)] = std::complex<T>(root_of_unity(k, n));
  std::lock_guard lock(mutex);
  if (size + roots->size() > kMostKept) {
    kept.clear();
    size = 0;
  }
  if (roots->size() <= kMostKept && kept.try_emplace(n, roots).second) size += roots->size();
  return roots;
}

template std::shared_ptr<const std::vector<std::complex<float>>> half_roots(std::int64_t);
template std::shared_ptr<const std::vector<std::complex<double>>> half_roots(std::int64_t);
template class ColumnsPlan<float>;
template class ColumnsPlan<double>;
template std::shared_ptr<const FftPlan<float>> fft_plan(std::int64_t, std::int64_t);
template std::shared_ptr<const FftPlan<double>> fft_plan(std::int64_t, std::int64_t);

}  // namespace tracefn
