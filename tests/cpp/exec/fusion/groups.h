// What the tests of fused groups share.
#pragma once

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "check.h"
#include "exec/executor.h"
#include "exec/fusion/fusion_group.h"
#include "exec/graphs.h"
#include "passes/pass.h"

namespace tracefn::test {

inline Tensor numbers(DType dtype, Shape shape, double first, double step) {
  Tensor x(DType::kDouble, shape);
  for (std::int64_t i = 0; i < x.num_elements(); ++i)
    x.mutable_data<double>()[i] = first + step * static_cast<double>((i * 7919) % 101);
  TargetScope eagerly(eager_target());
  return build::cast(Operand(x), dtype).tensor;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

inline std::size_t calls(const Graph& graph) {
  std::size_t n = 0;
  for (NodeId id : graph.order()) n += graph.node(id).op->name == "PartitionedCall";
  return n;
}

// Groups made while it lives translate their parts after so much work.
class TranslateAfter {
 public:
  explicit TranslateAfter(std::int64_t nanoseconds) { FusionGroup::translate_after(nanoseconds); }
  ~TranslateAfter() { FusionGroup::translate_after(std::nullopt); }
};
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace tracefn::test
