// Ops that read and write whole files, and find them.
#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "base/poll.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_read(InferContext& c) {
  c.require_rank(0, 0);
  c.set_output(0, Shape());
}
void infer_write(InferContext& c) {
  c.require_rank(0, 0);
  c.require_rank(1, 0);
}

void check_filename(const KernelContext& c) {
  if (c.input(0).rank() != 0)
    invalid_argument("Input filename tensor must be scalar, but had shape: ", c.input(0).shape().text());
}
void check_write(const KernelContext& c) {
  check_filename(c);
  if (c.input(1).rank() != 0)
    invalid_argument("Contents tensor must be scalar, but had shape: ", c.input(1).shape().text());
}

void read(KernelContext& c) {
  *c.output(0).mutable_data<std::string>() = read_local_file(c.input(0).item<std::string>());
}

void write(KernelContext& c) {
  check_write(c);  // here, since without outputs nothing is allocated by the shape rule
  const std::string& path = c.input(0).item<std::string>();
  if (const std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0)
    make_local_directories(path.substr(0, slash));
  write_local_file(path, c.input(1).item<std::string>());
}

void infer_matching(InferContext& c) { c.set_output(0, Shape::of_rank(1)); }

void matching(KernelContext& c) {
  const Tensor& patterns = c.input(0);
  if (patterns.rank() > 1)
    invalid_argument("Input patterns tensor must be scalar or vector, but had shape: ", patterns.shape().text());
  std::vector<std::string> found;
  for (const std::string& pattern : patterns.span<std::string>()) {
    std::vector<std::string> more = matching_local_files(pattern);
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  std::sort(found.begin(), found.end());
  c.set_output(0, Tensor::vector<std::string>(found));
}

}  // namespace

void register_whole_files(Registry& r) {
  r.add({.name = "ReadFile",
         .python = "io.read_file(filename)",
         .aliases = {"compat.v1.read_file"},
         .inputs = {"filename: string"},
         .outputs = {"contents: string"},
         .doc = "The contents of a file.\n\n`filename` is a scalar string; the result is one, too. Raises "
                "NotFoundError if there is no such file.",
         .infer = infer_read,
         .check = check_filename,
         .kernel = read,
         .grad = without_gradient});
  r.add({.name = "WriteFile",
         .python = "io.write_file(filename, contents)",
         .aliases = {"compat.v1.write_file"},
         .inputs = {"filename: string", "contents: string"},
         .stateful = true,
         .doc = "Writes a file, and makes the directories above it.\n\nBoth arguments are scalar strings. The file "
                "appears whole, or stays as it was if writing fails.",
         .infer = infer_write,
         .kernel = write,
         .grad = without_gradient});
  r.add({.name = "MatchingFiles",
         .python = "io.matching_files(pattern)",
         .aliases = {"compat.v1.matching_files"},
         .inputs = {"pattern: string"},
         .outputs = {"filenames: string"},
         .doc =
             "The paths that match patterns, sorted.\n\n`pattern` is a scalar or vector of strings; in each part of a "
             "path `*`, `?` and `[abc]` match, and `*` also what starts with a dot. The result is a vector.",
         .infer = infer_matching,
         .kernel = matching,
         .allocation = Allocation::kByValues,
         .grad = without_gradient});
}

}  // namespace tracefn
