#include "wire/bundle/bundle_reader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/poll.h"
#include "wire/bundle/sorted_table.h"
#include "wire/tensor_proto.h"

namespace tracefn {
namespace {

constexpr std::int64_t kVersion = 1;
// The names of shards have five digits, but more are allowed. Each shard that is read is an open file.
constexpr std::int64_t kMostShards = std::int64_t{1} << 20;

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  fail(ErrorKind::kDataLoss, "Unable to read file (", path,
       "). Perhaps the file is corrupt or was produced by a newer version of TensorFlow with format changes (", what,
       ")");
}

std::int64_t read_header(std::string_view bytes) {
  std::int64_t shards = 0, version = 0, least_reader = 0;
  for (WireReader field(bytes); field.next();) {
    if (field.key() == varint_field(1)) shards = field.integer();
    if (field.key() == varint_field(2) && field.number() != 0)
      fail(ErrorKind::kUnimplemented, "it was written by a big-endian machine, which is not supported");
    if (field.key() == delimited_field(3)) {
      for (WireReader inner = field.message(); inner.next();) {
        if (inner.key() == varint_field(1)) version = inner.integer();
        if (inner.key() == varint_field(2)) least_reader = inner.integer();
      }
    }
  }
  if (least_reader > kVersion)
    invalid_argument("Checkpoint min consumer version ", least_reader, " above current version ", kVersion,
                     " for TensorFlow. The checkpoint of version ", version, " needs a newer reader.");
  if (shards < 0 || shards > kMostShards) fail(ErrorKind::kDataLoss, "it has ", shards, " shards");
  return shards;
}

BundleEntry read_entry(std::string_view bytes) {
  BundleEntry entry;
  for (WireReader field(bytes); field.next();) {
    if (field.key() == varint_field(1)) entry.dtype = field.number();
    if (field.key() == delimited_field(2)) entry.shape = read_shape(field.message());
    if (field.key() == varint_field(3)) entry.shard = field.integer();
    if (field.key() == varint_field(4)) entry.offset = field.number();
    if (field.key() == varint_field(5)) entry.size = field.number();
    if (field.key() == fixed32_field(6)) entry.checksum = static_cast<std::uint32_t>(field.plain_number());
    if (field.key() == delimited_field(7)) entry.slices.push_back(TensorSlice::read(field.message()));
  }
  return entry;
}

// Counts that fit in so many bytes: each takes one at least.
void check_counts(const BundleEntry& entry, const std::string& prefix, std::uint64_t bytes_each) {
  const auto count = static_cast<std::uint64_t>(entry.shape.num_elements());
  if (count > entry.size / bytes_each)
    fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix, ": ", count, " elements cannot be in ", entry.size,
         " bytes");
}

std::uint64_t take_length(std::string_view& bytes) {
  std::uint64_t value = 0;
  if (!take_varint(bytes, value)) fail(ErrorKind::kDataLoss, "a length in a checkpoint is cut off");
  return value;
}

template <typename T>
std::uint32_t extend_by_number(std::uint32_t crc, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  return extend_crc32c(crc, {bytes, sizeof value});
}

std::uint32_t take_checksum(std::string_view& bytes) {
  if (bytes.size() < 4) fail(ErrorKind::kDataLoss, "a checksum in a checkpoint is cut off");
  std::uint32_t sum = 0;
  std::memcpy(&sum, bytes.data(), sizeof sum);
  bytes.remove_prefix(sizeof sum);
  return sum;
}

std::uint32_t extend_polling(std::uint32_t crc, std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    poll();
    crc = extend_crc32c(crc, bytes.substr(0, kPiece));
  }
  return crc;
}

std::string read_bytes(const BundleEntry& entry, const RandomFile& file) {
  std::string bytes(entry.size, '\0');
  file.read(entry.offset, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace

std::string bundle_index_path(const std::string& prefix) { return prefix + ".index"; }

std::string bundle_data_path(const std::string& prefix, std::int64_t shard, std::int64_t shards) {
  char digits[64];
  std::snprintf(digits, sizeof digits, ".data-%05lld-of-%05lld", static_cast<long long>(shard),
                static_cast<long long>(shards));
  return prefix + digits;
}

bool is_of_damage(ErrorKind kind) {
  return kind == ErrorKind::kValue || kind == ErrorKind::kDataLoss || kind == ErrorKind::kInvalidArgument ||
         kind == ErrorKind::kInternal;
}

BundleIndex read_bundle_index(const std::string& prefix) {
  const std::string path = bundle_index_path(prefix);
  const std::string file = read_local_file(path);
  BundleIndex index;
  bool any = false;
  try {
    read_sorted_table(file, [&](std::string_view key, std::string_view value) {
      if (!any) {
        if (!key.empty()) fail(ErrorKind::kDataLoss, "failed to seek to header entry");
        index.shards = read_header(value);
        any = true;
        return;
      }
      BundleEntry entry = read_entry(value);
      if (!entry.shape.is_fully_known()) fail(ErrorKind::kDataLoss, "a tensor has an unknown shape");
      if (entry.shard < 0 || entry.shard >= index.shards) fail(ErrorKind::kDataLoss, "a tensor is in no shard");
      index.entries.emplace_hint(index.entries.end(), key, std::move(entry));
    });
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kUnimplemented) fail(e.kind(), "Unable to read file (", path, "): ", e.message());
    if (!is_of_damage(e.kind())) throw;
    damaged(path, e.message());
  }
  if (!any) damaged(path, "failed to seek to header entry");
  return index;
}

BundleReader::BundleReader(const std::string& prefix, VariantDecoder decode)
    : prefix_(prefix), decode_(decode), index_(read_bundle_index(prefix)) {}

const BundleEntry& BundleReader::entry(std::string_view name) const {
  const auto found = index_.entries.find(name);
  if (found == index_.entries.end()) fail(ErrorKind::kNotFound, "Key ", name, " not found in checkpoint");
  return found->second;
}

const RandomFile& BundleReader::shard(std::int64_t number) {
  std::unique_ptr<RandomFile>& file = files_[number];
  if (!file) file = std::make_unique<RandomFile>(bundle_data_path(prefix_, number, index_.shards));
  return *file;
}

Tensor BundleReader::read(std::string_view name) {
  const BundleEntry& whole = entry(name);
  if (whole.slices.empty()) return read_stored(whole);
  return read_slice(name, {std::vector<TensorSlice::Extent>(whole.shape.dims().size())});
}

Tensor BundleReader::read_slice(std::string_view name, const TensorSlice& slice) {
  const BundleEntry& whole = entry(name);
  if (whole.slices.empty()) {
    const Tensor stored = read_stored(whole);
    if (slice.shape_in(whole.shape) == whole.shape) return stored;
    return assemble(name, whole, {{TensorSlice{std::vector<TensorSlice::Extent>(whole.shape.dims().size())}, stored}},
                    slice);
  }
  check_disjoint(whole.slices, whole.shape);
  std::vector<std::pair<TensorSlice, Tensor>> pieces;
  for (const TensorSlice& stored : whole.slices) {
    const auto found = index_.entries.find(slice_key(name, stored));
    if (found == index_.entries.end()) continue;
    const BundleEntry& at = found->second;
    if (at.dtype != whole.dtype || !(at.shape == stored.shape_in(whole.shape)))
      fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, ": slice ", stored.text(), " of ", name,
           " has another dtype or shape");
    pieces.emplace_back(stored, read_stored(at));
  }
  return assemble(name, whole, pieces, slice);
}

Tensor assemble(std::string_view name, const BundleEntry& whole,
                const std::vector<std::pair<TensorSlice, Tensor>>& pieces, const TensorSlice& slice) {
  const TensorSlice all{std::vector<TensorSlice::Extent>(whole.shape.dims().size())};
  const TensorSlice& asked = slice.extents.empty() ? all : slice;
  const Shape part = asked.shape_in(whole.shape);
  const TensorSlice wanted = asked.within(whole.shape);
  std::vector<TensorSlice> slices;
  std::int64_t held = 0;  // does not overflow: the elements exist
  for (const auto& [stored, piece] : pieces) {
    slices.push_back(stored);
    held += piece.num_elements();
  }
  // Every element is in one slice, so that the part is no larger than what the files hold, and is filled.
  check_disjoint(slices, whole.shape);
  const auto insufficient = [&] {
    invalid_argument("Does not have sufficient slices for partitioned tensor ", name,
                     " to restore in slice_spec: ", asked.text());
  };
  if (held < part.num_elements()) insufficient();
  Tensor t(read_dtype(whole.dtype), part);
  std::int64_t filled = 0;
  for (const auto& [stored, piece] : pieces) filled += copy_overlap(piece, stored.within(whole.shape), t, wanted);
  if (filled != part.num_elements()) insufficient();
  return t;
}

Tensor BundleReader::read_stored(const BundleEntry& entry) {
  const DType dtype = read_dtype(entry.dtype);
  const RandomFile& file = shard(entry.shard);
  if (entry.offset > file.size() || entry.size > file.size() - entry.offset)
    fail(ErrorKind::kOutOfRange, "Read less bytes than requested: ", file.path(), " has ", file.size(),
         " bytes, and a tensor lies from ", entry.offset, " on with ", entry.size);
  if (is_plain(dtype)) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(entry.shape.num_elements(), static_cast<std::int64_t>(size_of(dtype)), &bytes) ||
        static_cast<std::uint64_t>(bytes) != entry.size)
      fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, " shard ", entry.shard,
           ": Invalid size in bundle entry: stored size ", entry.size, "; expected size ", bytes);
  } else {
    check_counts(entry, prefix_, 1);
  }
  if (dtype == DType::kResource)
    fail(ErrorKind::kUnimplemented, "TensorBundle at ", prefix_, ": resources are not supported");
  if (dtype == DType::kVariant && !decode_)
    fail(ErrorKind::kUnimplemented, "TensorBundle at ", prefix_, ": variants are not supported here");
  Tensor t(dtype, entry.shape);
  if (is_plain(dtype)) {
    read_plain(entry, file, t);
  } else if (dtype == DType::kString) {
    read_strings(entry, file, t);
  } else {
    read_variants(entry, file, t);
  }
  return t;
}

void BundleReader::check_sum(const BundleEntry& entry, std::uint32_t found) const {
  if (masked(found) != entry.checksum)
    fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, " shard ", entry.shard, " (", entry.size,
         " bytes): Checksum does not match: stored ", entry.checksum, " vs. calculated on the restored bytes ",
         masked(found));
}

void BundleReader::read_plain(const BundleEntry& entry, const RandomFile& file, Tensor& t) const {
  auto* to = static_cast<char*>(t.mutable_raw());
  file.read(entry.offset, to, entry.size);
  check_sum(entry, extend_polling(0, {to, entry.size}));
  if (t.dtype() == DType::kBool && std::any_of(to, to + entry.size, [](unsigned char c) { return c > 1; }))
    fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, " holds a byte that is no bool");
}

// The lengths of all strings, a checksum of them, the strings.
void BundleReader::read_strings(const BundleEntry& entry, const RandomFile& file, Tensor& t) const {
  const std::string bytes = read_bytes(entry, file);
  std::string_view rest = bytes;
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(t.num_elements()));
  std::uint32_t crc = 0;
  for (std::uint64_t& length : lengths) {
    length = take_length(rest);
    crc = length <= UINT32_MAX ? extend_by_number(crc, static_cast<std::uint32_t>(length))
                               : extend_by_number(crc, length);
  }
  const std::uint32_t stored = take_checksum(rest);
  if (masked(crc) != stored)
    fail(ErrorKind::kDataLoss, "The length checksum does not match: expected ", stored, " but actual is ", masked(crc));
  crc = extend_by_number(crc, stored);
  auto* to = t.mutable_data<std::string>();
  PolledSteps polled(64);
  for (std::uint64_t length : lengths) {
    if (length > rest.size()) fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, ": a string is cut off");
    const std::string_view element = rest.substr(0, length);
    crc = extend_crc32c(crc, element);
    *to++ = element;
    rest.remove_prefix(length);
    polled.step();
  }
  check_sum(entry, crc);
}

// Each with its length before and a checksum of everything up to there behind it.
void BundleReader::read_variants(const BundleEntry& entry, const RandomFile& file, Tensor& t) const {
  const std::string bytes = read_bytes(entry, file);
  std::string_view rest = bytes;
  std::uint32_t crc = 0;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    const std::uint64_t length = take_length(rest);
    if (length > rest.size()) fail(ErrorKind::kDataLoss, "TensorBundle at ", prefix_, ": a variant is cut off");
    const std::string_view proto = rest.substr(0, length);
    crc = extend_crc32c(extend_by_number(crc, length), proto);
    rest.remove_prefix(length);
    const std::uint32_t stored = take_checksum(rest);
    if (masked(crc) != stored)
      fail(ErrorKind::kDataLoss, "Checksum after Variant ", i, " does not match. Expected: ", stored,
           " Actual: ", masked(crc));
    crc = extend_by_number(crc, stored);
    t.mutable_data<Ref<RefCounted>>()[i] = decode_(proto);
    poll();
  }
  check_sum(entry, crc);
}

}  // namespace tracefn
