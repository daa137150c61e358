// Reduces arrays where they are.
#include "exec/nest/array_reduction.h"

#include "base/concat.h"
#include "exec/thread_pool.h"
#include "ops/op_def.h"

namespace tracefn {

std::unique_ptr<const ArrayReduction> ArrayReduction::compile(const Node& node, const Shape& shape,
                                                              const AxisMask& axes, Array from, Array to) {
  const std::optional<ReducedSizes> sizes = reduced_sizes(shape, axes);
  const ReduceKernel& kernel = kernel_table().array.reduce[*op_def(*node.op).facts.reduction][slot(from.dtype)];
  if (!sizes || !kernel.rows) return nullptr;
  return std::unique_ptr<const ArrayReduction>(new ArrayReduction(node, kernel, *sizes, from, to));
}

void ArrayReduction::run(scalar::ScalarList* arrays, LongRun& run) const {
  const auto bytes = static_cast<std::int64_t>(size_of(from_.dtype));
  const auto parallel_for = [](std::int64_t n, double cost, ShardRunner::Shard shard) {
    ThreadPool::get().parallel_for(n, cost, shard);
  };
  reduce_contiguous(parallel_for, kernel_, reinterpret_cast<const char*>(arrays[from_.number].data), bytes, sizes_,
                    reinterpret_cast<char*>(arrays[to_.number].data), static_cast<std::int64_t>(size_of(to_.dtype)));
  run.copied(sizes_.outer * sizes_.n * sizes_.inner * bytes);
}

double ArrayReduction::expected_time() const {
  constexpr double kCall = 25, kElement = 0.2;
  return kCall + kElement * static_cast<double>(sizes_.outer * sizes_.n * sizes_.inner);
}

std::string ArrayReduction::text(const ValueText&) const {
  return concat("a", to_.number, " = ", node_.op->name, "(a", from_.number, ")");
}

}  // namespace tracefn
