// SymbolicShapes: what is known of the shapes in a graph beyond numbers: which unknown dimensions are the same one, and
// which vectors hold them. What ops do to them stands in their records. Goes along with a Rewriter, so that it knows the nodes that were put in so far.
#pragma once

#include <optional>
#include <vector>

#include "passes/rewrite.h"

namespace tracefn {

class SymbolicShapes {
 public:
  // A dimension: a number or a symbol (tensor/shape.h). Elements of vectors that are neither are kUnknownDim.
  using Dim = std::int64_t;

  explicit SymbolicShapes(Rewriter& rewriter) : rewriter_(rewriter) {}

  // Nothing when not even the rank is known. Valid until the next call.
  const Dims* shape(Value v);
  // The elements of an integer vector, or the one of a scalar; nothing when they are unknown. Valid as above.
  const Dims* contents(Value v);
  // The same of the first output of a node that is not in the graph yet.
  const Dims* contents_of_new(const Node& node);
  // Whether both have the same shape for certain.
  bool same_shape(Value a, Value b);

  static bool is_symbol(Dim d) { return d < kUnknownDim; }
  static bool same(const Dims& a, const Dims& b);
  // Whether a tensor of shape `a` repeats to one of shape `b` for certain, so that together they make `b`.
  static bool repeats_to(const Dims& a, const Dims& b);

 private:
  struct Output {
    std::optional<Dims> shape, contents;
  };

  class Contents;
  class PartialInputs;

  const Output& output(Value v);
  void look_at(NodeId id);
  // The shapes that the op's rule finds for the outputs; unknown where it finds none.
  std::vector<Shape> inferred(const Node& node);
  Dim new_symbol() { return --last_symbol_; }

  Rewriter& rewriter_;
  std::vector<SmallVector<Output, 1>> outputs_;  // by id in the rewriter's graph
  std::optional<Dims> of_new_;
  Dim last_symbol_ = kUnknownDim;
};

}  // namespace tracefn
