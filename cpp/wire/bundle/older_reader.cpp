#include "wire/bundle/older_reader.h"

#include <set>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "wire/bundle/sorted_table.h"
#include "wire/tensor_proto.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

using Entries = std::map<std::string, BundleEntry, std::less<>>;
using Pieces = std::map<std::string, std::vector<std::pair<TensorSlice, Tensor>>, std::less<>>;

std::vector<std::string> files_of(const std::string& pattern) {
  std::vector<std::string> files = matching_local_files(pattern);
  if (files.empty())
    fail(ErrorKind::kNotFound, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
         pattern);
  return files;
}

// SavedSliceMeta.
void read_description(WireReader proto, Entries& entries) {
  std::string name;
  BundleEntry entry;
  while (proto.next()) {
    if (proto.key() == delimited_field(1)) name = std::string(proto.bytes());
    if (proto.key() == delimited_field(2)) entry.shape = read_shape(proto.message());
    if (proto.key() == varint_field(3)) entry.dtype = proto.number();
    if (proto.key() == delimited_field(4)) entry.slices.push_back(TensorSlice::read(proto.message()));
  }
  if (!entry.shape.is_fully_known()) fail(ErrorKind::kDataLoss, "a tensor has an unknown shape");
  // Each file describes its own slices of a tensor.
  const auto [at, is_new] = entries.try_emplace(name, entry);
  if (is_new) return;
  if (at->second.dtype != entry.dtype || !(at->second.shape == entry.shape))
    fail(ErrorKind::kDataLoss, "tensor ", name, " has two dtypes or shapes");
  at->second.slices.insert(at->second.slices.end(), entry.slices.begin(), entry.slices.end());
}

// SavedSlice: its tensor has neither a dtype nor a shape, which the description says.
void read_slice(WireReader proto, const Entries& entries, const std::set<std::string, std::less<>>& wanted,
                Pieces& pieces) {
  std::string name;
  TensorSlice slice;
  std::string_view data;
  while (proto.next()) {
    if (proto.key() == delimited_field(1)) name = std::string(proto.bytes());
    if (proto.key() == delimited_field(2)) slice = TensorSlice::read(proto.message());
    if (proto.key() == delimited_field(3)) data = proto.bytes();
  }
  if (!wanted.contains(name)) return;
  const auto found = entries.find(name);
  if (found == entries.end()) fail(ErrorKind::kDataLoss, "a slice of ", name, ", which is not described");
  const Shape part = slice.shape_in(found->second.shape);
  std::string described, shape;
  for (std::int64_t size : part.dims()) {
    std::string dim;
    put_key(dim, 1, kVarint);
    put_varint(dim, static_cast<std::uint64_t>(size));
    put_delimited(shape, 2, dim);
  }
  put_key(described, 1, kVarint);
  put_varint(described, found->second.dtype);
  put_delimited(described, 2, shape);
  described += data;
  std::size_t repeated_left = 0;
  pieces[name].emplace_back(std::move(slice), read_tensor(WireReader(described), repeated_left));
}

// Reads the descriptions of all files, and the slices of the wanted tensors.
void read_files(const std::string& pattern, const std::set<std::string, std::less<>>& wanted, Entries& entries,
                Pieces& pieces) {
  const std::vector<std::string> files = files_of(pattern);
  for (const bool slices : {false, true}) {
    if (slices && wanted.empty()) return;
    for (const std::string& path : files) {
      const std::string file = read_local_file(path);
      try {
        read_sorted_table(file, [&](std::string_view key, std::string_view value) {
          for (WireReader field(value); field.next();) {
            if (!slices && key.empty() && field.key() == delimited_field(1)) {
              for (WireReader meta = field.message(); meta.next();)
                if (meta.key() == delimited_field(1)) read_description(meta.message(), entries);
            } else if (slices && !key.empty() && field.key() == delimited_field(2)) {
              read_slice(field.message(), entries, wanted, pieces);
            }
          }
          poll();
        });
      } catch (const Error& e) {
        if (!is_of_damage(e.kind())) throw;
        fail(ErrorKind::kDataLoss, "Unable to open table file ", path, ": ", e.message(),
             ": perhaps your file is in a different file format and you need to use a different restore operator?");
      }
    }
  }
}

}  // namespace

std::map<std::string, BundleEntry, std::less<>> older_entries(const std::string& pattern) {
  Entries entries;
  Pieces pieces;
  read_files(pattern, {}, entries, pieces);
  return entries;
}

std::vector<Tensor> read_older(const std::string& pattern, const std::vector<OlderRequest>& requests) {
  std::set<std::string, std::less<>> wanted;
  for (const OlderRequest& request : requests) wanted.insert(request.name);
  Entries entries;
  Pieces pieces;
  read_files(pattern, wanted, entries, pieces);
  std::vector<Tensor> found;
  for (const OlderRequest& request : requests) {
    const auto entry = entries.find(request.name);
    if (entry == entries.end())
      fail(ErrorKind::kNotFound, "Tensor name \"", request.name, "\" not found in checkpoint files ", pattern);
    found.push_back(assemble(request.name, entry->second, pieces[request.name], request.slice));
  }
  return found;
}

}  // namespace tracefn
