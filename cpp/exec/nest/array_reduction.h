// ArrayReduction: an array reduced along known axes by the op's kernels, as an instruction of bytecode: the sizes are
// found when it is compiled. Any number of threads may run it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "jit/scalar/array_work.h"
#include "ops/reduce/reduce.h"

namespace tracefn {

// The node must outlive it.
class ArrayReduction final : public scalar::ArrayWork {
 public:
  struct Array {
    std::uint32_t number = 0;
    DType dtype = DType::kInvalid;
  };

  // Of a tensor of this shape in `from`, along `axes`. Null if it would have to be transposed first, or its dtype has
  // no kernel. Precondition: the node is a reduction.
  static std::unique_ptr<const ArrayReduction> compile(const Node& node, const Shape& shape, const AxisMask& axes,
                                                       Array from, Array to);

  void run(scalar::ScalarList* arrays, LongRun& run) const override;
  double expected_time() const override;
  std::vector<std::uint32_t> arrays() const override { return {from_.number, to_.number}; }
  std::string text(const ValueText&) const override;

 private:
  ArrayReduction(const Node& node, const ReduceKernel& kernel, const ReducedSizes& sizes, Array from, Array to)
      : node_(node), kernel_(kernel), sizes_(sizes), from_(from), to_(to) {}

  const Node& node_;
  const ReduceKernel& kernel_;
  const ReducedSizes sizes_;
  const Array from_, to_;
};

}  // namespace tracefn
