#include "wire/bundle/bundle_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/poll.h"
#include "wire/bundle/sorted_table.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

void put_number(std::string& out, int field, std::uint64_t value) {
  if (value == 0) return;
  put_key(out, field, kVarint);
  put_varint(out, value);
}

std::string header(std::int64_t shards) {
  std::string out, version;
  put_number(out, 1, static_cast<std::uint64_t>(shards));
  put_number(version, 1, 1);
  put_delimited(out, 3, version);
  return out;
}

std::string entry_bytes(const BundleEntry& entry) {
  std::string out, shape;
  for (std::int64_t size : entry.shape.dims()) {
    std::string dim;
    put_number(dim, 1, static_cast<std::uint64_t>(size));
    put_delimited(shape, 2, dim);
  }
  put_number(out, 1, entry.dtype);
  put_delimited(out, 2, shape);
  put_number(out, 3, static_cast<std::uint64_t>(entry.shard));
  put_number(out, 4, entry.offset);
  put_number(out, 5, entry.size);
  if (entry.checksum != 0) {
    put_key(out, 6, kFixed32);
    put_fixed(out, entry.checksum);
  }
  for (const TensorSlice& slice : entry.slices) put_delimited(out, 7, slice.binary());
  return out;
}

// Makes the directory of the files, but not those above it, as TensorFlow does.
const std::string& with_directory(const std::string& prefix) {
  if (const std::size_t slash = prefix.rfind('/'); slash != std::string::npos && slash > 0)
    make_local_directory(prefix.substr(0, slash));
  return prefix;
}

}  // namespace

void write_bundle_index(const std::string& prefix, const BundleIndex& index) {
  SortedTableWriter table;
  table.add("", header(index.shards));
  for (const auto& [key, entry] : index.entries) table.add(key, entry_bytes(entry));
  write_local_file(bundle_index_path(prefix), table.finish());
}

BundleWriter::BundleWriter(const std::string& prefix, VariantEncoder encode)
    : prefix_(with_directory(prefix)), encode_(encode), data_(bundle_data_path(prefix, 0, 1)) {
  index_.shards = 1;
}

void BundleWriter::put(std::string_view bytes, std::uint32_t& crc) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
    const std::string_view piece = bytes.substr(0, kPiece);
    crc = extend_crc32c(crc, piece);
    data_.append(piece);
    size_ += piece.size();
  }
}

void BundleWriter::put_strings(const Tensor& tensor, std::uint32_t& crc) {
  std::string lengths, buffer;
  for (const std::string& element : tensor.span<std::string>()) {
    put_varint(lengths, element.size());
    std::string number;
    if (element.size() <= UINT32_MAX) {
      put_fixed(number, static_cast<std::uint32_t>(element.size()));
    } else {
      put_fixed(number, std::uint64_t{element.size()});
    }
    crc = extend_crc32c(crc, number);
  }
  std::uint32_t unused = 0;
  put(lengths, unused);
  std::string sum;
  put_fixed(sum, masked(crc));
  put(sum, crc);
  constexpr std::size_t kEnough = std::size_t{1} << 16;
  for (const std::string& element : tensor.span<std::string>()) {
    buffer += element;
    if (buffer.size() < kEnough) continue;
    put(buffer, crc);
    buffer.clear();
  }
  put(buffer, crc);
}

void BundleWriter::put_variants(const Tensor& tensor, std::uint32_t& crc) {
  if (!encode_) fail(ErrorKind::kUnimplemented, "Variants cannot be saved here.");
  for (const Ref<RefCounted>& element : tensor.span<Ref<RefCounted>>()) {
    if (!element) invalid_argument("A variant that holds nothing cannot be saved.");
    const std::string proto = encode_(*element);
    std::string number, length, sum;
    put_fixed(number, std::uint64_t{proto.size()});
    crc = extend_crc32c(crc, number);
    put_varint(length, proto.size());
    std::uint32_t unused = 0;
    put(length, unused);
    put(proto, crc);
    put_fixed(sum, masked(crc));
    put(sum, crc);
  }
}

void BundleWriter::add_stored(const std::string& key, const Tensor& tensor) {
  if (tensor.dtype() == DType::kResource)
    fail(ErrorKind::kUnimplemented, "A resource cannot be saved (tensor ", key, ").");
  if (index_.entries.contains(key)) invalid_argument("Adding duplicate key: ", key);
  BundleEntry entry;
  entry.dtype = static_cast<std::uint64_t>(tensor.dtype());
  entry.shape = tensor.shape();
  entry.offset = size_;
  std::uint32_t crc = 0;
  if (tensor.dtype() == DType::kString) {
    put_strings(tensor, crc);
  } else if (tensor.dtype() == DType::kVariant) {
    put_variants(tensor, crc);
  } else {
    put({static_cast<const char*>(tensor.raw()), tensor.bytes()}, crc);
  }
  entry.size = size_ - entry.offset;
  entry.checksum = masked(crc);
  index_.entries.emplace(key, std::move(entry));
}

void BundleWriter::add(const std::string& name, const Tensor& tensor) {
  if (name.empty()) invalid_argument("A tensor of a checkpoint needs a name.");
  add_stored(name, tensor);
}

void BundleWriter::add_slice(const std::string& name, const Shape& whole, const TensorSlice& slice,
                             const Tensor& tensor) {
  if (std::all_of(slice.extents.begin(), slice.extents.end(),
                  [](const TensorSlice::Extent& extent) { return extent.length == TensorSlice::kFull; }))
    return add(name, tensor);
  BundleEntry& entry = index_.entries[name];
  const auto dtype = static_cast<std::uint64_t>(tensor.dtype());
  if (entry.dtype == 0) {
    entry.dtype = dtype;
    entry.shape = whole;
  } else if (entry.slices.empty()) {
    invalid_argument("Adding duplicate key: ", name);
  } else if (entry.dtype != dtype || !(entry.shape == whole)) {
    invalid_argument("Slices of ", name, " differ in dtype or shape.");
  }
  entry.slices.push_back(slice);
  add_stored(slice_key(name, slice), tensor);
}

void BundleWriter::finish() {
  data_.commit();
  write_bundle_index(prefix_, index_);
}

void merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination, bool allow_missing) {
  std::vector<std::pair<std::string, BundleIndex>> parts;
  BundleIndex merged;
  for (const std::string& prefix : prefixes) {
    if (::access(local_path(bundle_index_path(prefix)).c_str(), F_OK) != 0) {
      if (allow_missing) continue;
      invalid_argument("allow_missing_files was set to false and ", prefix, " did not exist.NOT_FOUND: ", prefix,
                       " not found");
    }
    BundleIndex index = read_bundle_index(prefix);
    for (const auto& [key, entry] : index.entries) {
      BundleEntry moved = entry;
      moved.shard += merged.shards;
      const auto [at, is_new] = merged.entries.try_emplace(key, moved);
      if (is_new) continue;
      BundleEntry& existing = at->second;
      if (existing.slices.empty() || entry.slices.empty())
        invalid_argument("Duplicate tensor keyed by ", key, " encountered, when merging prefix: ", prefix);
      if (existing.dtype != entry.dtype || !(existing.shape == entry.shape))
        invalid_argument("Tensors keyed by ", key, " have different dtypes or shapes, when merging prefix: ", prefix);
      existing.slices.insert(existing.slices.end(), entry.slices.begin(), entry.slices.end());
    }
    merged.shards += index.shards;
    parts.emplace_back(prefix, std::move(index));
  }
  if (parts.empty()) invalid_argument("At least one prefix checkpoint file must exist, but none existed.");
  with_directory(destination);
  std::int64_t shard = 0;
  for (const auto& [prefix, index] : parts)
    for (std::int64_t i = 0; i < index.shards; ++i)
      rename_local_file(bundle_data_path(prefix, i, index.shards),
                        bundle_data_path(destination, shard++, merged.shards));
  write_bundle_index(destination, merged);
  for (const auto& [prefix, index] : parts)
    if (prefix != destination) ::unlink(local_path(bundle_index_path(prefix)).c_str());
}

}  // namespace tracefn
