// The driver of elementwise ops.
#include "ops/elementwise/elementwise.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/check.h"
#include "base/poll.h"
#include "ops/broadcast_plan.h"
#include "ops/kernel_table.h"
#include "ops/no_kernel.h"

namespace tracefn {
namespace {

constexpr int kMaxOperands = BroadcastPlan::kMaxOperands;
// Below this many nanoseconds of work, threads do not pay off.
constexpr double kInlineWork = 20'000;
// In shorter runs the call overhead dominates; their operands are expanded into scratch memory first.
constexpr std::int64_t kShortRun = 32;
constexpr std::int64_t kScratchElements = 512;
constexpr std::size_t kWidestElement = 16;

using Pointers = std::array<const char*, kMaxOperands>;

// One block call per row.
int run_rows(const Block& block, const BroadcastPlan& plan, const Pointers& in, char* out, std::int64_t out_size,
             std::int64_t begin, std::int64_t end) {
  const std::int64_t inner = plan.dims.back();
  int scalars = 0;
  for (int i = 0; i < plan.operands; ++i)
    if (plan.strides[i].back() == 0) scalars |= 1 << i;
  int status = kBlockOk;
  RowWalk walk(plan, begin / inner);
  std::int64_t column = begin % inner;
  for (std::int64_t at = begin; at < end;) {
    std::int64_t n = std::min(inner - column, end - at);
    const void* operands[kMaxOperands];
    for (int i = 0; i < plan.operands; ++i)
      operands[i] = in[i] + (walk.offset(i) + column * plan.strides[i].back()) * plan.element_size[i];
    status |= block.run(operands, out + at * out_size, n, scalars);
    at += n;
    column = 0;
    walk.next();
  }
  return status;
}

// Block calls over many short rows at once, with expanded operands.
int run_expanded(const Block& block, const BroadcastPlan& plan, const std::array<bool, kMaxOperands>& dense,
                 const Pointers& in, char* out, std::int64_t out_size, std::int64_t begin, std::int64_t end) {
  alignas(64) char scratch[kMaxOperands][kScratchElements * kWidestElement];
  int scalars = 0;
  for (int i = 0; i < plan.operands; ++i)
    if (plan.is_scalar(i)) scalars |= 1 << i;
  int status = kBlockOk;
  for (std::int64_t at = begin; at < end; at += kScratchElements) {
    std::int64_t n = std::min(kScratchElements, end - at);
    const void* operands[kMaxOperands];
    for (int i = 0; i < plan.operands; ++i) {
      if (scalars >> i & 1) {
        operands[i] = in[i];
      } else if (dense[i]) {
        operands[i] = in[i] + at * plan.element_size[i];
      } else {
        expand(plan, i, in[i], scratch[i], at, n);
        operands[i] = scratch[i];
      }
    }
    status |= block.run(operands, out + at * out_size, n, scalars);
  }
  return status;
}

// Runs the shard on this thread, or on the pool if the work is worth it.
template <typename Shard>
int run_sharded(KernelContext& c, std::int64_t n, double cost, const Shard& shard) {
  if (static_cast<double>(n) * cost < kInlineWork) return shard(0, n);
  std::atomic<int> status{kBlockOk};
  c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
    int s = shard(begin, end);
    if (s != kBlockOk) status.store(s, std::memory_order_relaxed);
  });
  return status.load(std::memory_order_relaxed);
}

// The output's memory: a dying operand's if dtype and shape fit. Moves from that operand.
void make_output(DType result, const Shape& shape, std::span<TensorRef> operands, Tensor& out) {
  for (TensorRef& operand : operands) {
    Tensor& t = *operand.tensor;
    if (operand.last_use && t.dtype() == result && t.shape() == shape && t.writable()) {
      out = std::move(t);
      return;
    }
  }
  out = Tensor(result, shape);
}

// All operands have one shape: the common case and the only one on the fast path.
void run_alike(KernelContext& c, const Block& block, double cost, DType result, std::span<TensorRef> operands,
               Tensor& out) {
  Pointers in{};
  std::array<std::int64_t, kMaxOperands> size{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    in[i] = operands[i].tensor->data<char>();
    size[i] = static_cast<std::int64_t>(size_of(operands[i].tensor->dtype()));
  }
  make_output(result, operands[0].tensor->shape(), operands, out);
  std::int64_t n = out.num_elements();
  char* to = out.mutable_data<char>();
  std::int64_t out_size = static_cast<std::int64_t>(size_of(result));
  auto shard = [&](std::int64_t begin, std::int64_t end) {
    const void* at[kMaxOperands];
    for (std::size_t i = 0; i < operands.size(); ++i) at[i] = in[i] + begin * size[i];
    return block.run(at, to + begin * out_size, end - begin, 0);
  };
  if (n > 0) check_status(run_sharded(c, n, cost, shard));
}

void run_broadcast(KernelContext& c, const Block& block, double cost, DType result, std::span<TensorRef> operands,
                   const Shape& shape, Tensor& out) {
  SmallVector<const Tensor*, kMaxOperands> tensors;
  for (const TensorRef& operand : operands) tensors.push_back(operand.tensor);
  BroadcastPlan plan = make_broadcast_plan(shape, std::span<const Tensor* const>(tensors.data(), tensors.size()));
  Pointers in{};
  std::array<bool, kMaxOperands> dense{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    in[i] = operands[i].tensor->data<char>();
    dense[i] = operands[i].tensor->num_elements() == shape.num_elements();
  }
  make_output(result, shape, operands, out);
  std::int64_t n = out.num_elements();
  if (n == 0) return;
  char* to = out.mutable_data<char>();
  std::int64_t out_size = static_cast<std::int64_t>(size_of(result));
  if (plan.rank == 0) {  // one element, written with different ranks
    check_status(block.run(reinterpret_cast<const void* const*>(in.data()), to, 1, 0));
    return;
  }
  bool short_runs = plan.dims.back() < kShortRun && plan.rank > 1;
  auto shard = [&](std::int64_t begin, std::int64_t end) {
    return short_runs ? run_expanded(block, plan, dense, in, to, out_size, begin, end)
                      : run_rows(block, plan, in, to, out_size, begin, end);
  };
  check_status(run_sharded(c, n, cost, shard));
}

bool fit_together(std::span<TensorRef> operands) {
  Shape shape = operands[0].tensor->shape();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (!can_broadcast(shape, operands[i].tensor->shape())) return false;
    shape = broadcast(shape, operands[i].tensor->shape());
  }
  return true;
}

bool all_alike(std::span<TensorRef> operands) {
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (!(operands[i].tensor->shape() == operands[0].tensor->shape())) return false;
  return true;
}

}  // namespace

namespace {

// Ops between complex numbers and their parts have their result's dtype as a separate attribute, with only one valid
// value.
DType checked_tout(DType expected, DType operand, const OpSignature& op, const AttrList& attrs) {
  DType tout = attrs[static_cast<std::size_t>(op.attr_index("Tout"))].type();
  if (tout != expected)
    invalid_argument("Signature mismatch, have: ", runtime_name(operand), "->", runtime_name(tout),
                     " expected: ", runtime_name(operand), "->", runtime_name(expected));
  return expected;
}

}  // namespace

DType block_result(const BlockSpec& spec, DType operand, const OpSignature& op, const AttrList& attrs) {
  switch (spec.result) {
    case BlockResult::kSame:
      return operand;
    case BlockResult::kBool:
      return DType::kBool;
    case BlockResult::kReal:
      return checked_tout(real_dtype(operand), operand, op, attrs);
    case BlockResult::kComplex:
      return checked_tout(operand == DType::kDouble ? DType::kComplex128 : DType::kComplex64, operand, op, attrs);
    case BlockResult::kUInt8:
      return DType::kUInt8;
    case BlockResult::kDstT:
      return attrs[static_cast<std::size_t>(op.attr_index("DstT"))].type();
  }
  return operand;
}

Block find_block(const BlockSpec& spec, DType operand, DType result) {
  const ElementwiseKernels& table = kernel_table().elementwise;
  std::size_t function = static_cast<std::size_t>(spec.function);
  std::size_t at = static_cast<std::size_t>(slot(operand));
  Block block;
  block.arity = spec.arity;
  if (spec.arity == BlockArity::kCast) {
    block.kernel.unary = table.cast[at][static_cast<std::size_t>(slot(result))];
  } else {
    block.kernel = table.functions[function][at];
  }
  return block;
}

void check_status(int status) {
  if (status == kBlockOk) return;
  if (status & kBlockDivisionByZero) invalid_argument("Integer division by zero");
  invalid_argument("Integers to negative integer powers are not allowed");
}

namespace {

// Names the dtypes that the block has kernels for.
[[noreturn]] void no_block(const BlockSpec& spec) {
  std::string known;
  for (int i = 1; spec.arity != BlockArity::kCast && i < kDTypeSlots; ++i)
    if (is_dtype(i) && find_block(spec, static_cast<DType>(i), DType::kInvalid))
      known += concat(known.empty() ? "Kernels exist for: " : ", ", name(static_cast<DType>(i)));
  no_kernel(std::move(known));
}

void run_block(KernelContext& c, const Block& block, double cost, DType result, std::span<TensorRef> operands,
               Tensor& out) {
  if (all_alike(operands)) return run_alike(c, block, cost, result, operands, out);
  Shape shape = operands[0].tensor->shape();
  for (std::size_t i = 1; i < operands.size(); ++i) shape = broadcast(shape, operands[i].tensor->shape());
  run_broadcast(c, block, cost, result, operands, shape, out);
}

}  // namespace

void run_spec(KernelContext& c, const BlockSpec& spec, std::span<TensorRef> operands, Tensor& out, DType result) {
  DType dtype = operands.back().tensor->dtype();
  if (result == DType::kInvalid) result = dtype;
  Block block = find_block(spec, dtype, result);
  if (!block) no_block(spec);
  run_block(c, block, spec.cost, result, operands, out);
}

void run_elementwise(KernelContext& c) {
  const OpDef& op = c.op();
  std::span<TensorRef> operands = c.operands();
  DType dtype = operands.back().tensor->dtype();
  DType result = block_result(*op.block, dtype, op.signature, c.attrs());
  Block block = find_block(*op.block, dtype, result);
  if (!block) {
    if (op.kernel) return op.kernel(c);
    no_block(*op.block);
  }
  if (op.kernel && !all_alike(operands) && !fit_together(operands)) return op.kernel(c);
  run_block(c, block, op.block->cost, result, operands, c.output(0));
}

std::vector<std::int64_t> broadcast_indices(const Shape& in, const Shape& out) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(out.num_elements()), 0);
  std::int64_t step = 1, below = 1;  // elements of one step along the axis, in `in` and in `out`
  for (int axis = out.rank() - 1; axis >= 0; --axis) {
    int own = axis - (out.rank() - in.rank());
    if (own >= 0 && in[own] != 1) {
      in_slices(out.num_elements(), 10, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) indices[static_cast<std::size_t>(i)] += i / below % out[axis] * step;
      });
      step *= in[own];
    }
    below *= out[axis];
  }
  return indices;
}

}  // namespace tracefn
