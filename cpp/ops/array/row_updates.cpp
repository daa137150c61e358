// Rows of a tensor updated by rows of another one, in order.
#include "ops/array/row_updates.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Longer rows are combined by block kernels, shorter ones element by element.
constexpr std::int64_t kShortRow = 8;

BinaryBlock kernel_of(RowUpdate how, DType dtype) {
  switch (how) {
    case RowUpdate::kAdd:
      return elementwise_kernel<functions::Add>(dtype);
    case RowUpdate::kSub:
      return elementwise_kernel<functions::Sub>(dtype);
    case RowUpdate::kMul:
      return elementwise_kernel<functions::Mul>(dtype);
    case RowUpdate::kMin:
      return elementwise_kernel<functions::Minimum>(dtype);
    case RowUpdate::kMax:
      return elementwise_kernel<functions::Maximum>(dtype);
    default:
      return nullptr;
  }
}

template <typename T>
concept Complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <RowUpdate how, typename T>
T combined(T old, T value) {
  if constexpr (how == RowUpdate::kAdd) {
    return functions::Add::of(old, value);
  } else if constexpr (how == RowUpdate::kSub) {
    return functions::Sub::of(old, value);
  } else if constexpr (how == RowUpdate::kMul) {
    return functions::Mul::of(old, value);
  } else if constexpr (how == RowUpdate::kMin) {
    return functions::Minimum::of(old, value);
  } else {
    return functions::Maximum::of(old, value);
  }
}

// A job: updates of rows in order. `order` lists the updates, null: all of them.
class RowUpdateJob {
 public:
  RowUpdateJob(RowUpdate how, Tensor& out, const Tensor& source, const RowUpdates& updates)
      : how_(how), to_(static_cast<char*>(out.mutable_raw())), source_(source), out_dtype_(out.dtype()), u_(updates) {}

  double cost() const {
    const auto length = static_cast<double>(u_.length);
    if (!is_plain(out_dtype_)) return 20 * length;
    return 3 + 0.2 * static_cast<double>(size_of(out_dtype_)) * length;
  }

  void run(std::int64_t begin, std::int64_t end, const std::int64_t* order) const {
    if (how_ == RowUpdate::kAssign) return assign(begin, end, order);
    if (u_.length > kShortRow) return by_blocks(begin, end, order);
    switch (how_) {
      case RowUpdate::kAdd:
        return by_elements<RowUpdate::kAdd>(begin, end, order);
      case RowUpdate::kSub:
        return by_elements<RowUpdate::kSub>(begin, end, order);
      case RowUpdate::kMul:
        return by_elements<RowUpdate::kMul>(begin, end, order);
      case RowUpdate::kMin:
        return by_elements<RowUpdate::kMin>(begin, end, order);
      default:
        return by_elements<RowUpdate::kMax>(begin, end, order);
    }
  }

 private:
  // Calls f(row of the result, row of the source) for updates [begin, end), in slices.
  template <typename F>
  void for_each(std::int64_t begin, std::int64_t end, const std::int64_t* order, F&& f) const {
    in_slices(begin, end, cost(), [&](std::int64_t from, std::int64_t last) {
      constexpr std::int64_t kAhead = 6;
      for (std::int64_t k = from; k < last; ++k) {
        if (order && k + kAhead < last) fetch(order[k + kAhead]);
        const std::int64_t i = order ? order[k] : k, to = u_.to[i];
        if (to >= 0) f(to, u_.from ? u_.from[i] : i);
      }
    });
  }

  // Reads ahead what update i takes: the processor does not foresee picked rows.
  void fetch(std::int64_t i) const {
    const auto bytes = std::min<std::int64_t>(512, u_.length * static_cast<std::int64_t>(size_of(source_.dtype())));
    const char* row = static_cast<const char*>(source_.raw()) +
                      (u_.from ? u_.from[i] : i) * u_.length * static_cast<std::int64_t>(size_of(source_.dtype()));
    for (std::int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(row + k);
  }

  void assign(std::int64_t begin, std::int64_t end, const std::int64_t* order) const {
    const std::int64_t length = u_.length;
    with_element(out_dtype_, [&]<typename T>(std::type_identity<T>) {
      const T* x = source_.data<T>();
      T* y = reinterpret_cast<T*>(to_);
      if (length == 1) return for_each(begin, end, order, [&](std::int64_t to, std::int64_t from) { y[to] = x[from]; });
      for_each(begin, end, order,
               [&](std::int64_t to, std::int64_t from) { std::copy_n(x + from * length, length, y + to * length); });
    });
  }

  void by_blocks(std::int64_t begin, std::int64_t end, const std::int64_t* order) const {
    const BinaryBlock block = kernel_of(how_, out_dtype_);
    const auto out_size = static_cast<std::int64_t>(size_of(out_dtype_)), length = u_.length;
    const auto size = static_cast<std::int64_t>(size_of(source_.dtype()));
    const char* x = static_cast<const char*>(source_.raw());
    if (source_.dtype() == out_dtype_) {
      return for_each(begin, end, order, [&](std::int64_t to, std::int64_t from) {
        char* row = to_ + to * length * out_size;
        block(row, x + from * length * size, row, length, 0);
      });
    }
    constexpr std::int64_t kPiece = 512;
    const auto widen = kernel_table().array.widen[slot(source_.dtype())];
    float wide[kPiece];
    for_each(begin, end, order, [&](std::int64_t to, std::int64_t from) {
      for (std::int64_t k = 0; k < length; k += kPiece) {
        const std::int64_t n = std::min(kPiece, length - k);
        char* row = to_ + (to * length + k) * out_size;
        widen(x + (from * length + k) * size, wide, n);
        block(row, wide, row, n, 0);
      }
    });
  }

  template <RowUpdate how>
  void by_elements(std::int64_t begin, std::int64_t end, const std::int64_t* order) const {
    auto run = [&]<typename T>(std::type_identity<T>) {
      if constexpr (!(Complex<T> && (how == RowUpdate::kMin || how == RowUpdate::kMax))) {
        if (source_.dtype() == out_dtype_) {
          rows<how, T, T>(begin, end, order);
        } else if constexpr (!std::is_same_v<T, decltype(compute_value(T()))>) {
          rows<how, T, float>(begin, end, order);
        }
      }
    };
    with_any_number(source_.dtype(), run);
  }

  template <RowUpdate how, typename T, typename Out>
  void rows(std::int64_t begin, std::int64_t end, const std::int64_t* order) const {
    using Number = decltype(compute_value(T()));
    const T* x = source_.data<T>();
    Out* y = reinterpret_cast<Out*>(to_);
    auto update = [](Out& element, T value) {
      element =
          static_cast<Out>(combined<how, Number>(static_cast<Number>(compute_value(element)), compute_value(value)));
    };
    const std::int64_t length = u_.length;
    if (length == 1)
      return for_each(begin, end, order, [&](std::int64_t to, std::int64_t from) { update(y[to], x[from]); });
    for_each(begin, end, order, [&](std::int64_t to, std::int64_t from) {
      for (std::int64_t k = 0; k < length; ++k) update(y[to * length + k], x[from * length + k]);
    });
  }

  const RowUpdate how_;
  char* const to_;
  const Tensor& source_;
  const DType out_dtype_;
  const RowUpdates& u_;
};

// The result's rows are shared out among threads in so many blocks.
constexpr std::int64_t kBlocks = 64;
// Updates with fewer bytes take less time than sharing them out.
constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
constexpr std::int64_t kLeastRowBytes = 64;

}  // namespace

void update_rows(const KernelContext& c, RowUpdate how, Tensor& out, const Tensor& source, const RowUpdates& updates) {
  const std::int64_t n = updates.n;
  if (n == 0 || updates.length == 0) return;
  if (how != RowUpdate::kAssign && !kernel_of(how, out.dtype())) no_kernel();
  const RowUpdateJob job(how, out, source, updates);
  const std::int64_t row_bytes = updates.length * static_cast<std::int64_t>(size_of(out.dtype()));
  if (row_bytes < kLeastRowBytes || n < kLeastBytes / row_bytes) return job.run(0, n, nullptr);
  // The updates of each block, in order: a stable distribution by counting.
  const std::int64_t rows = out.num_elements() / updates.length, width = (rows + kBlocks - 1) / kBlocks;
  auto block_of_row = [&](std::int64_t i) { return updates.to[i] < 0 ? 0 : updates.to[i] / width; };
  std::array<std::int64_t, kBlocks + 1> begins{};
  in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++begins[static_cast<std::size_t>(block_of_row(i))];
  });
  std::int64_t sum = 0;
  for (std::int64_t& begin : begins) sum += std::exchange(begin, sum);
  Tensor order(DType::kInt64, Shape({n}));
  auto* at = order.mutable_data<std::int64_t>();
  std::array<std::int64_t, kBlocks + 1> next = begins;
  in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) at[next[static_cast<std::size_t>(block_of_row(i))]++] = i;
  });
  c.parallel_for(kBlocks, job.cost() * static_cast<double>(n / kBlocks + 1),
                 [&](std::int64_t first, std::int64_t last) {
                   job.run(begins[static_cast<std::size_t>(first)], begins[static_cast<std::size_t>(last)], at);
                 });
}

}  // namespace tracefn
