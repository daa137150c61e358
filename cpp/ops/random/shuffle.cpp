// Random orders of rows, and of indices.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel_table.h"
#include "ops/random/random_state.h"
#include "ops/random/seeds.h"
#include "ops/random/shuffled_index.h"
#include "ops/state/effect_records.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

// Swaps element i with one of those from i on, for i = 0, 1, ...: the shuffle of Fisher and Yates. Any generator gives
// the same order for elements of any type.
template <typename T>
void shuffle_elements(const Philox& start, T* elements, std::int64_t n) {
  RandomFill fill = kernel_table().random.fill[kUniform][slot(DType::kUInt32)];
  constexpr std::int64_t kWords = 4096;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(kWords));
  Philox at = start;
  for (std::int64_t first = 0; first < n - 1; first += kWords) {
    const std::int64_t last = std::min(n - 1, first + kWords);
    fill(&at, 0, last - first, words.data(), 0, 0);
    at.skip(kWords / 4);
    for (std::int64_t i = first; i < last; ++i)
      std::swap(elements[i],
                elements[i + words[static_cast<std::size_t>(i - first)] % static_cast<std::uint32_t>(n - i)]);
    poll();
  }
}

template <typename T>
Tensor shuffled_elements(const Philox& start, const Tensor& in) {
  Tensor out(in.dtype(), in.shape());
  const std::int64_t n = in.dim(0);
  in_slices(n, 0.5, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<T*>(out.mutable_raw()) + begin, static_cast<const T*>(in.raw()) + begin,
                static_cast<std::size_t>(end - begin) * sizeof(T));
  });
  shuffle_elements(start, static_cast<T*>(out.mutable_raw()), n);
  return out;
}

Tensor shuffled_rows(const Philox& start, const Tensor& in) {
  const std::int64_t n = in.dim(0), row = in.num_elements() / n;
  Tensor places(DType::kInt64, Shape({n}));
  std::int64_t* order = places.mutable_data<std::int64_t>();
  in_slices(n, 1, [&](std::int64_t begin, std::int64_t end) { std::iota(order + begin, order + end, begin); });
  shuffle_elements(start, order, n);
  Tensor out(in.dtype(), in.shape());
  const std::int64_t bytes = row * static_cast<std::int64_t>(size_of(in.dtype()));
  in_slices(n, 20 + 0.1 * static_cast<double>(bytes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      copy_elements(in.dtype(), static_cast<const char*>(in.raw()) + order[i] * bytes,
                    static_cast<char*>(out.mutable_raw()) + i * bytes, row);
  });
  return out;
}

Tensor shuffled(const Philox& start, const Tensor& in) {
  if (in.num_elements() == in.dim(0) && is_plain(in.dtype())) {
    switch (size_of(in.dtype())) {
      case 1:
        return shuffled_elements<std::uint8_t>(start, in);
      case 2:
        return shuffled_elements<std::uint16_t>(start, in);
      case 4:
        return shuffled_elements<std::uint32_t>(start, in);
      case 8:
        return shuffled_elements<std::uint64_t>(start, in);
      default:
        break;
    }
  }
  return shuffled_rows(start, in);
}

// Whether there is more than one order.
bool has_orders(const Tensor& in) { return in.rank() > 0 && in.dim(0) > 1 && in.num_elements() > 0; }

void shuffle(KernelContext& c) {
  Tensor in = c.take_input(0);
  if (in.rank() > 0 && in.dim(0) > 1) {
    Philox start = random_state(c).reserve(static_cast<std::uint64_t>(in.dim(0) - 1 + 3) / 4);
    if (has_orders(in)) return c.set_output(0, shuffled(start, in));
  }
  c.set_output(0, std::move(in));
}

void stateless_shuffle(KernelContext& c) {
  const std::int32_t algorithm = c.input(3).rank() == 0 ? c.input(3).item<std::int32_t>() : kPhiloxAlgorithm;
  Philox start = from_key(c, 1);
  // Here TensorFlow asks for it before it looks at the value.
  if (algorithm != kPhiloxAlgorithm && algorithm != kAutoSelect)
    invalid_argument("Unsupported algorithm id: ", algorithm);
  Tensor in = c.take_input(0);
  c.set_output(0, has_orders(in) ? shuffled(start, in) : std::move(in));
}

// A permutation of the numbers of 2 kBits bits: the block cipher Simon (Beaulieu and others, "The Simon and Speck
// families of lightweight block ciphers", 2013) with words of any size and few rounds.
class IndexCipher {
 public:
  IndexCipher(int bits, const std::uint32_t (&key)[3], std::int64_t rounds)
      : bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {
    for (std::uint32_t part : key) keys_.push_back(part & mask_);
    std::uint64_t sequence = 0x7369f885192c0ef5 & mask_;
    for (std::size_t i = 3; i < static_cast<std::size_t>(rounds); ++i) {
      keys_.push_back((0xfffffffc & mask_) ^ (sequence & 1) ^ keys_[i - 3] ^ rotated(keys_[i - 1], bits_ - 3) ^
                      rotated(keys_[i - 1], bits_ - 4));
      sequence >>= 1;
    }
    keys_.resize(static_cast<std::size_t>(rounds));
  }

  std::uint64_t operator()(std::uint64_t x) const {
    std::uint64_t left = x >> bits_ & mask_, right = x & mask_;
    for (std::size_t i = 0; i + 1 < keys_.size(); i += 2) {
      left ^= mixed(right) ^ keys_[i];
      right ^= mixed(left) ^ keys_[i + 1];
    }
    return left << bits_ | right;
  }

 private:
  std::uint64_t rotated(std::uint64_t x, int places) const { return (x << places | x >> (bits_ - places)) & mask_; }
  std::uint64_t mixed(std::uint64_t x) const { return (rotated(x, 1) & rotated(x, 8)) ^ rotated(x, 2); }

  const int bits_;
  const std::uint64_t mask_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace

// The place of `index` in a random order of 0, ..., most: the cipher is applied until it gives a number that small
// (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
std::uint64_t shuffled_index(std::uint64_t index, const std::uint32_t (&key)[3], std::uint64_t most,
                             std::int64_t rounds) {
  if (most == 0) return 0;
  // As many as TensorFlow takes: the logarithm of `most`, rounded up, and then to an even number.
  const int bits = std::has_single_bit(most) ? std::bit_width(most) - 1 : std::bit_width(most);
  const IndexCipher cipher(std::clamp((bits + 1) / 2, 8, 32), key, rounds);
  PolledSteps polled(4096);
  do {
    polled.step();
    index = cipher(index);
  } while (index > most);
  return index;
}

namespace {

std::uint64_t bits_at(const Tensor& t, std::int64_t i) {
  if (t.dtype() == DType::kUInt64) return t.data<std::uint64_t>()[i];
  if (t.dtype() == DType::kUInt32) return t.data<std::uint32_t>()[i];
  return static_cast<std::uint64_t>(t.int_at(i));
}

std::int64_t index_count(const KernelContext& c) {
  return std::max({c.input(0).num_elements(), c.input(2).num_elements(), c.input(1).num_elements() / 3});
}

bool is_scalar_or_of(const Shape& shape, std::int64_t n) {
  return shape.rank() == 0 || (shape.rank() == 1 && shape[0] == n);
}

void check_index_shuffle(const KernelContext& c) {
  const Shape &index = c.input(0).shape(), &seed = c.input(1).shape(), &most = c.input(2).shape();
  const std::int64_t n = index_count(c), rounds = c.attr("rounds").i();
  if (!is_scalar_or_of(index, n)) invalid_argument("Index bust be a scalar or vector.");
  if (!(seed.rank() == 1 && seed[0] == 3) && !(seed.rank() == 2 && seed[0] == n && seed[1] == 3))
    invalid_argument("Seed must be a vector of size [3] or a matrix of size [", n, ", 3] but got ", seed.text(), ".");
  if (!is_scalar_or_of(most, n))
    invalid_argument("Maxval must be a scalar or a vector of the same size as index but got ", most.text());
  if (rounds < 4 || rounds % 2 != 0 || rounds > 1024)
    invalid_argument("rounds must be an even number from 4 to 1024, not ", rounds);
}

void infer_index_shuffle(InferContext& c) {
  const Shape &index = c.shape(0), &seed = c.shape(1), &most = c.shape(2);
  if (seed.has_rank() &&
      (seed.rank() < 1 || seed.rank() > 2 || (seed[seed.rank() - 1] >= 0 && seed[seed.rank() - 1] != 3)))
    invalid_argument("Seed must have shape [3] or [n, 3] but got ", seed.text(), ".");
  if (!index.has_rank() || !seed.has_rank() || !most.has_rank()) return c.set_output(0, Shape::unknown());
  if (index.rank() == 0 && seed.rank() == 1 && most.rank() == 0) return c.set_output(0, Shape());
  const std::int64_t n = index.rank() > 0  ? index[0]
                         : most.rank() > 0 ? most[0]
                         : seed.rank() > 1 ? seed[0]
                                           : kUnknownDim;
  c.set_output(0, Shape({n}));
}

void index_shuffle(KernelContext& c) {
  const Tensor &index = c.input(0), &seed = c.input(1), &most = c.input(2);
  const bool is_signed = is_signed_integer(index.dtype());
  const std::int64_t rounds = c.attr("rounds").i();
  Tensor& out = c.output(0);
  PolledSteps polled;
  for (std::int64_t i = 0; i < out.num_elements(); ++i) {
    polled.step();
    const std::uint64_t at = bits_at(index, index.rank() ? i : 0), bound = bits_at(most, most.rank() ? i : 0);
    const auto signed_at = static_cast<std::int64_t>(at), signed_bound = static_cast<std::int64_t>(bound);
    if (is_signed && signed_at < 0) invalid_argument("index must be >= 0 but was ", signed_at);
    if (is_signed && signed_bound < 0) invalid_argument("max_index must be >= 0 but was ", signed_bound);
    if (at > bound) invalid_argument("max_index must be >= index, but ", bound, " < ", at);
    std::uint32_t key[3];
    for (std::int64_t j = 0; j < 3; ++j)
      key[j] = static_cast<std::uint32_t>(bits_at(seed, (seed.rank() == 2 ? 3 * i : 0) + j));
    const std::uint64_t place = shuffled_index(at, key, bound, rounds);
    if (size_of(out.dtype()) == 4) {
      static_cast<std::uint32_t*>(out.mutable_raw())[i] = static_cast<std::uint32_t>(place);
    } else {
      static_cast<std::uint64_t*>(out.mutable_raw())[i] = place;
    }
  }
}

}  // namespace

void register_shuffle(Registry& r) {
  r.add({
      .name = "RandomShuffle",
      .inputs = {"value: T"},
      .outputs = {"output: T"},
      .attrs = {"seed: int = 0", "seed2: int = 0", "T: type"},
      .stateful = true,
      .doc = "The rows of `value` in random order.",
      .infer = infer::same_as_first,
      .kernel = shuffle,
      .allocation = Allocation::kShared,
      .grad = not_differentiable,
      .keeps_state = true,
  });
  r.add({
      .name = "StatelessShuffle",
      .inputs = {"value: T", "key: uint64", "counter: uint64", "alg: int32"},
      .outputs = {"output: T"},
      .attrs = {"T: type"},
      .doc = "The rows of `value` in an order determined by a key and a counter.",
      .infer = infer::same_as_first,
      .kernel = stateless_shuffle,
      .allocation = Allocation::kShared,
      .grad = without_gradient,
  });
  r.add({
      .name = "RandomIndexShuffle",
      .python = "random_index_shuffle(index, seed, max_index, rounds)",
      .inputs = {"index: dtype", "seed: Tseed", "max_index: dtype"},
      .outputs = {"output: dtype"},
      .attrs = {"rounds: int = 4", "dtype: {int32, uint32, int64, uint64}", "Tseed: {int32, uint32, int64, uint64}"},
      .doc =
          "The place of each `index` in an order of 0, ..., `max_index` that the seed determines.\n\n`index`, "
          "`max_index`: integer scalar or vector. `seed`: three integers, or a row of them for each index. `rounds`: "
          "even, at least 4.",
      .infer = infer_index_shuffle,
      .check = check_index_shuffle,
      .kernel = index_shuffle,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
