// BundleWriter: writes the tensors of a checkpoint as TensorFlow does, byte for byte. Both files appear whole: they are
// written beside their places, flushed and renamed, the index last. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "wire/bundle/bundle_reader.h"

namespace tracefn {

// VariantTensorDataProto of an element of a variant tensor. Error(kUnimplemented) if it cannot be written.
using VariantEncoder = std::string (*)(const RefCounted& element);

class BundleWriter {
 public:
  // Makes the files' directory if it is missing. Without `encode`, tensors of variants are Error(kUnimplemented).
  explicit BundleWriter(const std::string& prefix, VariantEncoder encode = nullptr);

  // Error(kInvalidArgument) for a name that is there, Error(kUnimplemented) for resources.
  void add(const std::string& name, const Tensor& tensor);
  // A slice of a tensor of shape `whole`; `tensor` has the slice's shape.
  void add_slice(const std::string& name, const Shape& whole, const TensorSlice& slice, const Tensor& tensor);
  void finish();

 private:
  void add_stored(const std::string& key, const Tensor& tensor);
  void put(std::string_view bytes, std::uint32_t& crc);
  void put_strings(const Tensor& tensor, std::uint32_t& crc);
  void put_variants(const Tensor& tensor, std::uint32_t& crc);

  std::string prefix_;
  VariantEncoder encode_;
  ReplacingFile data_;
  std::uint64_t size_ = 0;
  BundleIndex index_;
};

void write_bundle_index(const std::string& prefix, const BundleIndex& index);

// Makes one checkpoint of several with different tensors, or different slices of the same: renames their data files and
// writes an index of them all. Prefixes without a checkpoint are left out if `allow_missing`, else
// Error(kInvalidArgument).
void merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination, bool allow_missing);

}  // namespace tracefn
