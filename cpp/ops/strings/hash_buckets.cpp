// Strings to buckets by their hashes, and fingerprints of rows.
#include <vector>

#include "base/poll.h"
#include "ops/infer.h"
#include "ops/state/effect_records.h"
#include "ops/strings/hashes.h"

namespace tracefn {
namespace {

// hash(text) modulo the number of buckets, for each string.
template <typename Hash>
void to_buckets(KernelContext& c, Hash&& hash) {
  const auto buckets = static_cast<std::uint64_t>(c.attr("num_buckets").i());
  auto in = c.input(0).span<std::string>();
  auto* out = c.output(0).mutable_data<std::int64_t>();
  c.parallel_for(static_cast<std::int64_t>(in.size()), 30, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      out[i] = static_cast<std::int64_t>(hash(in[static_cast<std::size_t>(i)]) % buckets);
  });
}

void old_bucket(KernelContext& c) { to_buckets(c, hash64); }
void fast_bucket(KernelContext& c) { to_buckets(c, fingerprint64); }

void check_key(const KernelContext& c) {
  if (c.attr("key").ints().size() != 2) invalid_argument("Key must have 2 elements");
}

void strong_bucket(KernelContext& c) {
  const auto& key = c.attr("key").ints();
  const auto key0 = static_cast<std::uint64_t>(key[0]), key1 = static_cast<std::uint64_t>(key[1]);
  to_buckets(c, [&](std::string_view text) { return siphash(text, key0, key1); });
}

constexpr std::int64_t kFingerprintBytes = 8;

void infer_fingerprint(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank(1, 0);
  const Tensor* method = c.value(1);
  if (method && method->item<std::string>() != "farmhash64")
    invalid_argument("unsupported fingerprint algorithm: ", method->item<std::string>());
  c.set_output(0, Shape({dim_of(c.shape(0), 0), method ? kFingerprintBytes : kUnknownDim}));
}

void check_fingerprint(const KernelContext& c) {
  const Tensor& method = c.input(1);
  if (method.rank() != 0) invalid_argument("`method` should be a scalar string: ", method.shape().text());
  if (method.item<std::string>() != "farmhash64")
    invalid_argument("Unsupported fingerprint method: ", method.item<std::string>());
  if (c.input(0).rank() == 0)
    invalid_argument("`data` should have at least one dimension: ", c.input(0).shape().text());
}

// The bytes of each row; of a row of several strings, the fingerprints of the strings.
void fingerprint(KernelContext& c) {
  const Tensor& data = c.input(0);
  auto* out = c.output(0).mutable_data<std::uint8_t>();
  const std::int64_t rows = data.dim(0), width = rows ? data.num_elements() / rows : 0;
  std::vector<std::uint64_t> of_strings;
  PolledSteps polled;
  for (std::int64_t row = 0; row < rows; ++row) {
    polled.step();
    std::uint64_t print = 0;
    if (data.dtype() != DType::kString) {
      const std::size_t bytes = static_cast<std::size_t>(width) * size_of(data.dtype());
      print = fingerprint64({static_cast<const char*>(data.raw()) + static_cast<std::size_t>(row) * bytes, bytes});
    } else if (width == 1) {
      print = fingerprint64(data.data<std::string>()[row]);
    } else {
      of_strings.clear();
      for (std::int64_t i = row * width; i < (row + 1) * width; ++i, polled.step())
        of_strings.push_back(fingerprint64(data.data<std::string>()[i]));
      print = fingerprint64({reinterpret_cast<const char*>(of_strings.data()), of_strings.size() * sizeof print});
    }
    for (int i = 0; i < kFingerprintBytes; ++i)
      out[row * kFingerprintBytes + i] = static_cast<std::uint8_t>(print >> (8 * i));
  }
}

}  // namespace

void register_hash_buckets(Registry& r) {
  r.add({.name = "StringToHashBucket",
         .python = "strings.to_hash_bucket(input:string_tensor, num_buckets)",
         .inputs = {"string_tensor: string"},
         .outputs = {"output: int64"},
         .attrs = {"num_buckets: int >= 1"},
         .doc = "The bucket of each string: TensorFlow's first hash of it, modulo `num_buckets`.",
         .infer = infer::same_as_first,
         .kernel = old_bucket,
         .grad = not_differentiable});
  r.add({.name = "StringToHashBucketFast",
         .python = "strings.to_hash_bucket_fast(input, num_buckets)",
         .inputs = {"input: string"},
         .outputs = {"output: int64"},
         .attrs = {"num_buckets: int >= 1"},
         .doc = "The bucket of each string: its FarmHash fingerprint modulo `num_buckets`.\n\nWho chooses the strings "
                "can choose their buckets, too; to_hash_bucket_strong has a secret key.",
         .infer = infer::same_as_first,
         .kernel = fast_bucket,
         .grad = not_differentiable});
  r.add({.name = "StringToHashBucketStrong",
         .python = "strings.to_hash_bucket_strong(input, num_buckets, key)",
         .inputs = {"input: string"},
         .outputs = {"output: int64"},
         .attrs = {"num_buckets: int >= 1", "key: list(int)"},
         .doc = "The bucket of each string: its SipHash under `key`, two integers, modulo `num_buckets`.",
         .infer = infer::same_as_first,
         .check = check_key,
         .kernel = strong_bucket,
         .grad = not_differentiable});
  r.add({.name = "Fingerprint",
         .inputs = {"data: T", "method: string"},
         .outputs = {"fingerprint: uint8"},
         .attrs = {"T: type"},
         .doc = "The FarmHash fingerprint of each row, as eight bytes.",
         .infer = infer_fingerprint,
         .check = check_fingerprint,
         .kernel = fingerprint,
         .grad = not_differentiable});
}

}  // namespace tracefn
