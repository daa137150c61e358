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

Splits valid_splits(const Tensor& splits, std::int64_t values) {
  constexpr std::string_view kBad = "Invalid ragged splits: ";
  if (splits.rank() != 1) invalid_argument(kBad, "ragged splits must be rank 1 but is rank ", splits.rank());
  if (splits.num_elements() < 1) invalid_argument(kBad, "ragged splits must have at least one splits, but is empty");
  Splits read = read_splits(splits);
  if (read[0] != 0) invalid_argument(kBad, "first element of ragged splits  must be 0 but is ", read[0]);
  for (std::size_t i = 1; i < read.size(); ++i)
    if (read[i] < read[i - 1])
      invalid_argument(kBad, "ragged splits must be monotonically increasing, but ragged_splits[", i, "]=", read[i],
                       " is smaller than row_splits[", i - 1, "]=", read[i - 1]);
  if (read.back() != values)
    invalid_argument(kBad, "last element of ragged splits must be the number of ragged values(", values, ") but is ",
                     read.back());
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
