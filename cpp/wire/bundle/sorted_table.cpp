#include "wire/bundle/sorted_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/poll.h"
#include "wire/bundle/snappy.h"
#include "wire/wire_reader.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

constexpr std::uint64_t kMagic = 0xdb4775248b80fb57;
constexpr std::size_t kPlacesSize = 40;  // of the two places in the footer
constexpr std::size_t kFooterSize = kPlacesSize + sizeof kMagic;
constexpr std::size_t kTrailerSize = 5;  // how the block is compressed, and a checksum
enum Compression : char { kNone = 0, kSnappy = 1 };

[[noreturn]] void damaged(std::string_view what) { fail(ErrorKind::kDataLoss, what); }

template <typename T>
T fixed(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint64_t take_number(std::string_view& bytes, std::string_view what) {
  std::uint64_t value = 0;
  if (!take_varint(bytes, value)) damaged(what);
  return value;
}

struct Place {
  std::uint64_t offset, size;
};
Place take_place(std::string_view& bytes) {
  constexpr std::string_view kWhat = "bad block handle";
  const std::uint64_t offset = take_number(bytes, kWhat);
  return {offset, take_number(bytes, kWhat)};
}

// The bytes of a block, checked; `decompressed` keeps them if they are not those of the file.
std::string_view block_at(std::string_view file, Place place, std::string& decompressed) {
  if (place.offset > file.size() || place.size > file.size() - place.offset ||
      file.size() - place.offset - place.size < kTrailerSize)
    damaged("truncated block read");
  const std::string_view block = file.substr(place.offset, place.size);
  const std::string_view checked = file.substr(place.offset, place.size + 1);
  if (fixed<std::uint32_t>(file.substr(place.offset + place.size + 1)) != masked_crc32c(checked))
    damaged("block checksum mismatch");
  if (checked.back() == kSnappy) return decompressed = decompress_snappy(block);
  if (checked.back() != kNone) damaged("bad block type");
  return block;
}

template <typename Entry>
void each_entry(std::string_view block, Entry entry) {
  constexpr std::string_view kBad = "bad block contents", kBadEntry = "bad entry in block";
  if (block.size() < 4) damaged(kBad);
  const std::uint64_t restarts = fixed<std::uint32_t>(block.substr(block.size() - 4));
  if (restarts > (block.size() - 4) / 4) damaged(kBad);
  block.remove_suffix(4 * (restarts + 1));
  std::string key;
  while (!block.empty()) {
    const std::uint64_t shared = take_number(block, kBadEntry);
    const std::uint64_t own = take_number(block, kBadEntry);
    const std::uint64_t length = take_number(block, kBadEntry);
    if (shared > key.size() || own > block.size() || length > block.size() - own) damaged(kBadEntry);
    key.resize(shared);
    key += block.substr(0, own);
    entry(std::string_view(key), block.substr(own, length));
    block.remove_prefix(own + length);
  }
}

// A short key that is not before `key` and before `limit`.
std::string separator(std::string_view key, std::string_view limit) {
  const std::size_t most = std::min(key.size(), limit.size());
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(most), limit.begin()).first - key.begin());
  std::string found(key);
  if (same == most) return found;
  const auto byte = static_cast<unsigned char>(key[same]);
  if (byte == 0xff || byte + 1 >= static_cast<unsigned char>(limit[same])) return found;
  found.resize(same + 1);
  found[same] = static_cast<char>(byte + 1);
  return found;
}

// A short key that is not before `key`.
std::string successor(std::string_view key) {
  std::string found(key);
  const std::size_t at = key.find_first_not_of('\xff');
  if (at == std::string_view::npos) return found;
  found.resize(at + 1);
  found[at] = static_cast<char>(static_cast<unsigned char>(found[at]) + 1);
  return found;
}

}  // namespace

void read_sorted_table(std::string_view file,
                       const std::function<void(std::string_view key, std::string_view value)>& entry) {
  if (file.size() < kFooterSize) damaged("file is too short to be an sstable");
  std::string_view footer = file.substr(file.size() - kFooterSize);
  if (fixed<std::uint64_t>(footer.substr(kPlacesSize)) != kMagic) damaged("not an sstable (bad magic number)");
  footer.remove_suffix(sizeof kMagic);
  take_place(footer);  // of filters, which are not used
  const Place index = take_place(footer);
  // A key is stored whole at least once in 16 in what TensorFlow writes: more than this is made to fill the memory.
  constexpr std::size_t kMostPerByte = 64;
  const std::size_t most = kMostPerByte * file.size();
  std::size_t expanded = 0;
  std::string last, of_index, of_block;
  bool any = false;
  each_entry(block_at(file, index, of_index), [&](std::string_view, std::string_view place) {
    poll();
    each_entry(block_at(file, take_place(place), of_block), [&](std::string_view key, std::string_view value) {
      if (any && key <= last) damaged("keys in a block are not sorted");
      expanded += key.size();
      if (expanded > most) damaged("keys in a block share too much");
      any = true;
      last = key;
      entry(key, value);
    });
  });
}

void SortedTableWriter::Block::add(std::string_view key, std::string_view value) {
  std::size_t shared = 0;
  if (since_restart_ == interval_) {
    put_fixed(restarts_, static_cast<std::uint32_t>(bytes_.size()));
    since_restart_ = 0;
  } else {
    const std::size_t most = std::min(key.size(), last_key_.size());
    while (shared < most && key[shared] == last_key_[shared]) ++shared;
  }
  put_varint(bytes_, shared);
  put_varint(bytes_, key.size() - shared);
  put_varint(bytes_, value.size());
  bytes_ += key.substr(shared);
  bytes_ += value;
  last_key_ = key;
  ++since_restart_;
}

std::string SortedTableWriter::Block::take() {
  put_fixed(restarts_, static_cast<std::uint32_t>(restarts_.size() / 4));
  std::string block = std::move(bytes_) + restarts_;
  *this = Block(interval_);
  return block;
}

std::string SortedTableWriter::put(Block& block) {
  std::string bytes = block.take();
  std::string place;
  put_varint(place, file_.size());
  put_varint(place, bytes.size());
  bytes += kNone;
  put_fixed(bytes, masked_crc32c(bytes));
  file_ += bytes;
  return place;
}

void SortedTableWriter::add(std::string_view key, std::string_view value) {
  TRACEFN_CHECK(file_.empty() && data_.empty() ? true : last_key_ < key);
  if (!waiting_.empty()) {
    index_.add(separator(last_key_, key), waiting_);
    waiting_.clear();
  }
  last_key_ = key;
  data_.add(key, value);
  if (data_.size() >= kBlockSize) waiting_ = put(data_);
}

std::string SortedTableWriter::finish() {
  if (!data_.empty()) waiting_ = put(data_);
  Block filters(16);
  std::string footer = put(filters);
  if (!waiting_.empty()) index_.add(successor(last_key_), waiting_);
  footer += put(index_);
  footer.resize(kPlacesSize);
  put_fixed(footer, kMagic);
  return std::move(file_) + footer;
}

}  // namespace tracefn
