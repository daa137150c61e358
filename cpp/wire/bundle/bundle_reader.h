// BundleReader: the tensors of a checkpoint in TensorFlow's format, tensor bundles: "prefix.index", a sorted table of
// entries, and the files "prefix.data-00000-of-00001" with the elements. Bytes are not trusted: lengths and counts are
// checked before use, and memory is allocated only for what the files hold. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tensor/tensor.h"
#include "wire/bundle/tensor_slice.h"

namespace tracefn {

// What the index says about a tensor, or about a slice of one.
struct BundleEntry {
  std::uint64_t dtype = 0;  // the number of the enum DataType, which may be one that is not supported
  Shape shape;
  std::int64_t shard = 0;
  std::uint64_t offset = 0, size = 0;  // bytes in the shard's file
  std::uint32_t checksum = 0;
  std::vector<TensorSlice> slices;  // if not empty, these hold the elements
};

// The index, as it is in the file.
struct BundleIndex {
  std::int64_t shards = 0;
  std::map<std::string, BundleEntry, std::less<>> entries;  // those of slices begin with a zero byte
};

std::string bundle_index_path(const std::string& prefix);
std::string bundle_data_path(const std::string& prefix, std::int64_t shard, std::int64_t shards);
// Whether an error of this kind, while bytes are read, says that they are damaged.
bool is_of_damage(ErrorKind kind);
// Error(kNotFound) if there is none, Error(kDataLoss) if it is damaged.
BundleIndex read_bundle_index(const std::string& prefix);

// An element of a variant tensor from VariantTensorDataProto.
using VariantDecoder = Ref<RefCounted> (*)(std::string_view proto);

class BundleReader {
 public:
  // Without `decode`, tensors of variants are Error(kUnimplemented).
  explicit BundleReader(const std::string& prefix, VariantDecoder decode = nullptr);

  const BundleIndex& index() const { return index_; }
  // Error(kNotFound) if there is no tensor of this name.
  const BundleEntry& entry(std::string_view name) const;
  // The whole tensor. Error(kDataLoss) if it is damaged, Error(kInvalidArgument) if a slice of it is missing.
  Tensor read(std::string_view name);
  // A slice of it, which is within its shape.
  Tensor read_slice(std::string_view name, const TensorSlice& slice);

 private:
  Tensor read_stored(const BundleEntry& entry);
  void read_plain(const BundleEntry& entry, const RandomFile& file, Tensor& t) const;
  void read_strings(const BundleEntry& entry, const RandomFile& file, Tensor& t) const;
  void read_variants(const BundleEntry& entry, const RandomFile& file, Tensor& t) const;
  void check_sum(const BundleEntry& entry, std::uint32_t found) const;
  const RandomFile& shard(std::int64_t number);

  std::string prefix_;
  VariantDecoder decode_;
  BundleIndex index_;
  std::map<std::int64_t, std::unique_ptr<RandomFile>> files_;
};

// A tensor, or a slice of it, from slices with its elements. Error(kInvalidArgument) if one is missing.
Tensor assemble(std::string_view name, const BundleEntry& whole,
                const std::vector<std::pair<TensorSlice, Tensor>>& pieces, const TensorSlice& slice);

}  // namespace tracefn
