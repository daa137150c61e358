// Fourier transforms along an axis: how an array is split into groups of columns.
#include "ops/signal/fourier.h"

#include <cmath>
#include <new>

#include "base/poll.h"
#include "math/number_arithmetic.h"

namespace tracefn {
namespace {

// Aligned memory that is not initialized.
class Scratch {
 public:
  explicit Scratch(std::int64_t bytes)
      : memory_(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{kAlignment})) {}
  ~Scratch() { ::operator delete (memory_, std::align_val_t{kAlignment}); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return memory_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  void* memory_;
};

// `count` columns, `lanes` at once: f(first column, their number, scratch).
template <typename T, typename Shards, typename F>
void for_groups(const Shards& shards, const ColumnsPlan<T>& plan, std::int64_t count, const F& f) {
  const std::int64_t lanes = fft_kernel<T>().lanes, groups = (count + lanes - 1) / lanes;
  const auto n = static_cast<double>(plan.length());
  const double cost = n * (4 + std::log2(n + 1)) * 2;  // nanoseconds
  shards(groups, cost, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(plan.scratch_bytes());
    PolledSteps polled(1 << 14);
    for (std::int64_t g = begin; g < end; ++g, polled.step(plan.length()))
      f(g * lanes, static_cast<int>(std::min(lanes, count - g * lanes)), scratch.get());
  });
}

// A column that is a matrix of smooth sizes, its elements `step` apart.
template <typename T, typename Shards>
void run_matrix(const Shards& shards, const MatrixPlan<T>& plan, std::complex<T>* data, std::int64_t step, bool inverse,
                double scale) {
  const std::int64_t rows = plan.rows->length(), columns = plan.columns->length();
  const Scratch between(rows * columns * static_cast<std::int64_t>(sizeof(std::complex<T>)));
  auto* half = static_cast<std::complex<T>*>(between.get());
  for_groups(shards, *plan.rows, columns, [&](std::int64_t j, int count, void* scratch) {
    plan.rows->run({.from = data + j * step,
                    .from_step = columns * step,
                    .from_column = step,
                    .to = half + j,
                    .to_step = columns,
                    .to_column = 1,
                    .count = count,
                    .swap_in = inverse,
                    .swap_out = false,
                    .scale = 1,
                    .twiddles = plan.twiddles.data() + j,
                    .twiddle_step = columns},
                   scratch);
  });
  for_groups(shards, *plan.columns, rows, [&](std::int64_t i, int count, void* scratch) {
    plan.columns->run({.from = half + i * columns,
                       .from_step = 1,
                       .from_column = columns,
                       .to = data + i * step,
                       .to_step = rows * step,
                       .to_column = step,
                       .count = count,
                       .swap_in = false,
                       .swap_out = inverse,
                       .scale = scale,
                       .twiddles = nullptr,
                       .twiddle_step = 0},
                      scratch);
  });
}

template <typename T>
std::complex<T> swapped(std::complex<T> z, bool swap) {
  return swap ? std::complex<T>(z.imag(), z.real()) : z;
}

template <typename T, typename Shards>
void run_chirp(const Shards& shards, const ChirpPlan<T>& plan, std::complex<T>* data, std::int64_t step, bool inverse,
               double scale) {
  const auto n = static_cast<std::int64_t>(plan.chirp.size()), m = plan.convolution->length();
  const Scratch scratch(m * static_cast<std::int64_t>(sizeof(std::complex<T>)));
  auto* z = static_cast<std::complex<T>*>(scratch.get());
  auto each = [&](std::int64_t count, const auto& f) {
    in_slices(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) f(k);
    });
  };
  const std::complex<T>*chirp = plan.chirp.data(), *spectrum = plan.spectrum.data();
  each(n, [&](std::int64_t k) { z[k] = product(swapped(data[k * step], inverse), chirp[k]); });
  each(m - n, [&](std::int64_t k) { z[n + k] = 0; });
  run_matrix(shards, *plan.convolution, z, 1, false, 1);
  each(m, [&](std::int64_t k) { z[k] = product(z[k], spectrum[k]); });
  run_matrix(shards, *plan.convolution, z, 1, true, 1);
  const auto factor = static_cast<T>(scale);
  each(n, [&](std::int64_t k) { data[k * step] = swapped(product(z[k], chirp[k]) * factor, inverse); });
}

}  // namespace

template <typename T>
void transform_axis(const KernelContext& c, std::complex<T>* data, std::int64_t outer, std::int64_t n,
                    std::int64_t inner, bool inverse, double scale) {
  if (outer * n * inner == 0 || (n == 1 && scale == 1)) return;
  auto shards = [&](std::int64_t count, double cost, const auto& f) { c.parallel_for(count, cost, f); };
  const auto plan = fft_plan<T>(n, outer * inner);
  if (!plan->columns) {
    for (std::int64_t i = 0; i < outer * inner; ++i) {
      std::complex<T>* column = data + i / inner * n * inner + i % inner;
      plan->matrix ? run_matrix(shards, *plan->matrix, column, inner, inverse, scale)
                   : run_chirp(shards, *plan->chirp, column, inner, inverse, scale);
    }
    return;
  }
  // Side by side are columns along the longer of the other two axes.
  const bool along_inner = inner >= std::min<std::int64_t>(outer, fft_kernel<T>().lanes);
  const std::int64_t lines = along_inner ? outer : inner, line = along_inner ? inner : outer;
  const std::int64_t next_line = along_inner ? n * inner : 1, next_column = along_inner ? 1 : n * inner;
  // Groups do not cross lines: a line is padded to whole groups.
  const std::int64_t lanes = fft_kernel<T>().lanes, padded = (line + lanes - 1) / lanes * lanes;
  for_groups(shards, *plan->columns, lines * padded, [&](std::int64_t at, int, void* scratch) {
    const std::int64_t first = at % padded;
    std::complex<T>* column = data + at / padded * next_line + first * next_column;
    plan->columns->run({.from = column,
                        .from_step = inner,
                        .from_column = next_column,
                        .to = column,
                        .to_step = inner,
                        .to_column = next_column,
                        .count = static_cast<int>(std::min(lanes, line - first)),
                        .swap_in = inverse,
                        .swap_out = inverse,
                        .scale = scale,
                        .twiddles = nullptr,
                        .twiddle_step = 0},
                       scratch);
  });
}

void transform_column(const MatrixPlan<double>& plan, std::complex<double>* data) {
  auto here = [](std::int64_t count, double, const auto& f) { f(0, count); };
  run_matrix(here, plan, data, 1, false, 1);
}

template void transform_axis(const KernelContext&, std::complex<float>*, std::int64_t, std::int64_t, std::int64_t, bool,
                             double);
template void transform_axis(const KernelContext&, std::complex<double>*, std::int64_t, std::int64_t, std::int64_t,
                             bool, double);

}  // namespace tracefn
