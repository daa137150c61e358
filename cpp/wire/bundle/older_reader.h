// Checkpoints in the format that came before tensor bundles (V1): sorted tables, whose first entry describes the
// tensors, and whose others are their slices as messages. They are read only. Bytes are not trusted. Any thread may
// call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/bundle/bundle_reader.h"

namespace tracefn {

// The tensors of a checkpoint, whose files are those that match a pattern. The entries have a dtype, a shape and
// slices. Error(kNotFound) if there is no file, Error(kDataLoss) if one is damaged.
std::map<std::string, BundleEntry, std::less<>> older_entries(const std::string& pattern);

// A tensor, or a part of one.
struct OlderRequest {
  std::string name;
  TensorSlice slice;  // without extents: the whole
};
// Error(kNotFound) if one is not there.
std::vector<Tensor> read_older(const std::string& pattern, const std::vector<OlderRequest>& requests);

}  // namespace tracefn
