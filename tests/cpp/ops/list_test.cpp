// TensorLists: elements set and not set, copies on write, and the errors of wrong use.
#include "check.h"
#include "ops/emit.h"
#include "ops/list/tensor_list.h"
#include "ops/registry.h"
#include "ops/vectors.h"

namespace tracefn {
namespace {

Tensor number(std::int32_t value) { return Tensor::scalar(value); }
Operand reserve(Tensor shape, std::int32_t n) {
  return emit1("TensorListReserve", {shape, number(n)}, {{"element_dtype", DType::kFloat}});
}
Operand set(const Operand& list, std::int32_t i, Tensor item) {
  return emit1("TensorListSetItem", {list, number(i), item});
}
Tensor get(const Operand& list, std::int32_t i, Tensor shape) {
  return emit1("TensorListGetItem", {list, number(i), shape}, {{"element_dtype", DType::kFloat}}).tensor;
}
Tensor stack(const Operand& list, Tensor shape) {
  return emit1("TensorListStack", {list, shape}, {{"element_dtype", DType::kFloat}}).tensor;
}

}  // namespace

TEST(list_unset_elements_read_as_zeros) {
  Operand list = set(reserve(number(-1), 2), 1, floats({5, 6}));
  CHECK(identical(stack(list, number(-1)), floats({0, 0, 5, 6}).reshaped(Shape({2, 2}))));
  CHECK(identical(get(list, 0, number(-1)), floats({0, 0})));
  CHECK_THROWS(get(reserve(number(-1), 3), 1, number(-1)), kInvalidArgument,
               "element_shape is not fully defined: <unknown> and no list element is set.");
  CHECK_THROWS(get(list, 2, number(-1)), kInvalidArgument, "Trying to access element 2 in a list with 2 elements.");
}

TEST(list_is_copied_when_held_elsewhere) {
  Operand first = reserve(ints({1}), 1);
  Operand second = set(first, 0, floats({7}));
  CHECK(identical(stack(first, ints({1})), floats({0}).reshaped(Shape({1, 1}))));
  CHECK(identical(stack(second, ints({1})), floats({7}).reshaped(Shape({1, 1}))));
}

TEST(list_is_updated_in_place_when_it_dies) {
  const OpDef& op = Registry::get().at("TensorListPushBack");
  Tensor handle = reserve(ints({}), 0).tensor, item = Tensor::scalar(1.0f), result;
  const RefCounted* object = handle.object().get();
  TensorRef inputs[] = {{&handle, true}, {&item, true}};
  AttrList attrs{DType::kFloat};
  KernelContext c(op, attrs, inputs, std::span(&result, 1));
  op.kernel(c);
  CHECK(result.object().get() == object);
  CHECK_EQ(static_cast<const TensorList*>(object)->size(), 1);
}

TEST(list_push_and_pop) {
  Operand list = emit1("EmptyTensorList", {ints({}), number(2)}, {{"element_dtype", DType::kFloat}});
  for (float x : {1.0f, 2.0f}) list = emit1("TensorListPushBack", {list, Tensor::scalar(x)});
  CHECK_THROWS(emit1("TensorListPushBack", {list, Tensor::scalar(3.0f)}), kInvalidArgument,
               "Tried to push item into a full list list size: 2 max_num_elements: 2");
  Operand args[] = {list, ints({})};
  Operands popped = emit_all("TensorListPopBack", args, {{"element_dtype", DType::kFloat}});
  CHECK_EQ(popped[1].tensor.item<float>(), 2.0f);
  CHECK_EQ(emit1("TensorListLength", {popped[0]}).tensor.item<std::int32_t>(), 1);
  CHECK_EQ(emit1("TensorListLength", {list}).tensor.item<std::int32_t>(), 2);
}

TEST(list_scatter_gather_concat_split) {
  Operand list = emit1("TensorListScatterV2", {floats({1, 2}), ints({0, 3}), ints({}), number(-1)});
  CHECK(identical(stack(list, ints({})), floats({1, 0, 0, 2})));
  Operand picked = emit1("TensorListGather", {list, ints({3, 0, 1}), ints({})}, {{"element_dtype", DType::kFloat}});
  CHECK(identical(picked.tensor, floats({2, 1, 0})));
  std::int64_t sizes[] = {1, 2};
  Tensor lengths = Tensor::vector(std::span<const std::int64_t>(sizes));
  Operand pieces = emit1("TensorListSplit", {floats({1, 2, 3}), ints({-1}), lengths});
  Operand args[] = {pieces, ints({-1}), Tensor::vector(std::span<const std::int64_t>())};
  Operands joined = emit_all("TensorListConcatV2", args, {{"element_dtype", DType::kFloat}});
  CHECK(identical(joined[0].tensor, floats({1, 2, 3})));
  CHECK(identical(joined[1].tensor, lengths));
  CHECK_THROWS(emit1("TensorListSplit", {floats({1, 2}), ints({-1}), lengths}), kInvalidArgument,
               "Attempting to slice [1, 3] from tensor with length 2");
}

TEST(list_zeros_like) {
  Operand list = set(reserve(number(-1), 2), 1, floats({5, 6}));
  Tensor zeros = variant_zeros_like(list.tensor);
  CHECK(identical(get(zeros, 1, number(-1)), floats({0, 0})));
  Tensor sum = variant_add(list.tensor, reserve(number(-1), 2).tensor);
  CHECK(identical(get(sum, 1, number(-1)), floats({5, 6})));
}

}  // namespace tracefn
