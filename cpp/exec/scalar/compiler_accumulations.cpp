// Reductions, along the first axes, of what is computed on the way: its rows are merged into the result one after the
// other, so that no array of what is reduced is made. Of bools and integers, which have the same bits in any order.
#include <algorithm>
#include <limits>

#include "exec/scalar/compiler.h"
#include "ops/op_def.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

// Shorter rows cost more than the array. Of more elements, one thread takes longer than several with the array.
constexpr std::int64_t kShortestMerged = 32, kMostMerged = std::int64_t{1} << 20;

struct Merge {
  const char* op;
  Tensor initial;
  bool repeatable = true;  // merging an element twice changes nothing
};

template <typename T>
std::optional<Merge> integer_merge(ReduceFunction function) {
  switch (function) {
    case kReduceSum:
      return Merge{"AddV2", Tensor::scalar(T{0}), false};
    case kReduceMax:
      return Merge{"Maximum", Tensor::scalar(std::numeric_limits<T>::lowest())};
    case kReduceMin:
      return Merge{"Minimum", Tensor::scalar(std::numeric_limits<T>::max())};
    default:
      return std::nullopt;
  }
}

std::optional<Merge> merge_of(ReduceFunction function, DType dtype) {
  if (dtype == DType::kInt32) return integer_merge<std::int32_t>(function);
  if (dtype == DType::kInt64) return integer_merge<std::int64_t>(function);
  if (dtype != DType::kBool) return std::nullopt;
  if (function == kReduceAny) return Merge{"LogicalOr", Tensor::scalar(false)};
  if (function == kReduceAll) return Merge{"LogicalAnd", Tensor::scalar(true)};
  return std::nullopt;
}

bool has_pieces(const ArrayExpression& e) {
  return e.kind == ArrayExpression::kPieces ||
         std::ranges::any_of(e.operands, [](const ArrayExpressionPtr& operand) { return has_pieces(*operand); });
}

}  // namespace

std::optional<Places> ScalarCompiler::accumulated(const Node& n, const Places& inputs) {
  const Place& in = inputs[0];
  const std::optional<Reduction> how = reduction(n, inputs);
  const std::optional<Merge> merge = merge_of(*op_def(*n.op).facts.reduction, in.dtype);
  if (!how || !merge || in.kind != Place::kComputed || n.outputs[0].dtype != in.dtype) return std::nullopt;
  const int rank = in.shape.rank(), gone = static_cast<int>(how->axes.size());
  for (int axis = 0; axis < gone; ++axis)
    if (!how->gone[static_cast<std::size_t>(axis)]) return std::nullopt;
  if (gone == 0 || gone == rank || in.shape[rank - 1] < kShortestMerged || in.shape.num_elements() > kMostMerged)
    return std::nullopt;
  const ArrayExpressionPtr e = known_parts(in.expression);
  if (e->kind != ArrayExpression::kNode || e->uses > 1 || has_pieces(*e) || !is_current(*e)) return std::nullopt;

  auto initial = std::make_shared<ArrayExpression>();
  initial->kind = ArrayExpression::kScalar;
  initial->dtype = in.dtype;
  initial->slot = code_.constant(merge->initial.raw(), in.dtype);
  const Place result = new_array(in.dtype, how->result);
  code_.own(result.number, static_cast<std::uint32_t>(how->result[0]));
  const NestResult first{initial, result.number, {}};
  if (!compute({&first, 1}, how->result)) return std::nullopt;

  const std::optional<ArrayExpressionPtr> rows_before = expression_of(result);
  if (!rows_before) return std::nullopt;
  const NestResult merged{
      elementwise_expression(*Registry::get().find(merge->op), n, in.dtype, in.dtype, in.shape, {*rows_before, e}),
      result.number,
      {},
      gone,
      merge->repeatable};
  if (!compute({&merged, 1}, in.shape)) return std::nullopt;
  Place made = next_state(result, &n);
  unpack(made, how->result);
  return Places{std::move(made)};
}

}  // namespace tracefn
