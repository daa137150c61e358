// Reading and writing row splits.
#include "base/poll.h"
#include "ops/ragged/ragged.h"

namespace tracefn {

Splits read_splits(const Tensor& splits) {
  Splits read(static_cast<std::size_t>(splits.num_elements()));
  in_slices(splits.num_elements(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) read[static_cast<std::size_t>(i)] = splits.int_at(i);
  });
  return read;
}

void write_numbers(std::span<const std::int64_t> numbers, Tensor& to) {
  const auto n = static_cast<std::int64_t>(numbers.size());
  auto write = [&]<typename T>(T* out) {
    in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(numbers[static_cast<std::size_t>(i)]);
    });
  };
  if (to.dtype() == DType::kInt32) {
    write(to.mutable_data<std::int32_t>());
  } else {
    write(to.mutable_data<std::int64_t>());
  }
}

}  // namespace tracefn
