// Ops without a kernel for the dtypes that they are given. A kernel finds that out, but only who runs it knows the node
// and how it was called, which TensorFlow's error depends on. Thread-safe: values only.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "ir/signature.h"

namespace tracefn {

class NoKernel : public Error {
 public:
  explicit NoKernel(std::string hint) : Error(ErrorKind::kInvalidArgument, std::move(hint)) {}

  // The error of an op that was called eagerly: kNotFound, or kInvalidArgument if it was given a resource, which says
  // where the op runs.
  Error eager(const OpSignature& op, const AttrList& attrs, bool takes_resource) const;
  // The error of a node of a graph.
  Error in_graph(const OpSignature& op, const AttrList& attrs, std::string_view node_name) const;
};

// Throws NoKernel. `hint` is the last line of its message.
[[noreturn]] void no_kernel(std::string hint = "No kernel takes these dtypes.");

}  // namespace tracefn
