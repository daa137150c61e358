// SymbolicShapes: what is known of a graph's shapes beyond numbers: which unknown dimensions are equal, and which
// vectors hold them. The ops' records define the rules. Follows a Rewriter, so it knows the nodes inserted so far.
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

  // Nothing if not even the rank is known. Valid until the next call.
  const Dims* shape(Value v);
  // The elements of an integer vector, or of a scalar; nothing if unknown. Valid as above.
  const Dims* contents(Value v);
  // The same for the first output of a node not yet in the graph.
  const Dims* contents_of_new(const Node& node);
  // Whether both certainly have the same shape.
  bool same_shape(Value a, Value b);

  static bool is_symbol(Dim d) { return d < kUnknownDim; }
  static bool same(const Dims& a, const Dims& b);
  // Whether a tensor of shape `a` certainly broadcasts to shape `b`.
  static bool repeats_to(const Dims& a, const Dims& b);

 private:
  struct Output {
    std::optional<Dims> shape, contents;
  };

  class Contents;
  class PartialInputs;

  const Output& output(Value v);
  void look_at(NodeId id);
  // The output shapes that the op's rule infers; unknown where it finds none.
  std::vector<Shape> inferred(const Node& node);
  Dim new_symbol() { return --last_symbol_; }

  Rewriter& rewriter_;
  std::vector<SmallVector<Output, 1>> outputs_;  // by id in the rewriter's graph
  std::optional<Dims> of_new_;
  Dim last_symbol_ = kUnknownDim;
};

}  // namespace tracefn
