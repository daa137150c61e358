// Variables: values before and after assignment, sharing of buffers, and the errors of wrong use.
#include "check.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/emit.h"
#include "ops/state/variable_resource.h"
#include "ops/vectors.h"

namespace tracefn {
namespace {

Operand make(DType dtype, Shape shape) {
  return emit1("VarHandleOp", {}, {{"dtype", dtype}, {"shape", shape}, {"shared_name", "v"}});
}
void run(std::string_view op, std::initializer_list<Operand> inputs) {
  emit_all(op, std::span(inputs.begin(), inputs.size()));
}
Tensor read(const Operand& handle) { return emit1("ReadVariableOp", {handle}, {{"dtype", DType::kFloat}}).tensor; }
bool has_add() { return elementwise_kernel<functions::Add>(DType::kFloat) != nullptr; }

}  // namespace

TEST(variable_read_after_assign) {
  Operand v = make(DType::kFloat, Shape({-1}));
  CHECK(!emit1("VarIsInitializedOp", {v}).tensor.item<bool>());
  CHECK_THROWS(read(v), kFailedPrecondition, "Could not find variable v. This could mean");
  run("AssignVariableOp", {v, floats({1, 2, 3})});
  Tensor before = read(v);
  CHECK(identical(before, floats({1, 2, 3})));
  CHECK(identical(emit1("VariableShape", {v}).tensor, ints({3})));
  run("AssignVariableOp", {v, floats({4})});
  CHECK(identical(read(v), floats({4})));
  CHECK(identical(before, floats({1, 2, 3})));
  CHECK_THROWS(run("AssignVariableOp", {v, ints({4})}), kInvalidArgument,
               "Trying to assign variable with wrong dtype. Expected float got int32");
}

TEST(variable_destroyed) {
  Operand v = make(DType::kFloat, Shape({1}));
  run("AssignVariableOp", {v, floats({4})});
  run("DestroyResourceOp", {v});
  CHECK(!emit1("VarIsInitializedOp", {v}).tensor.item<bool>());
  CHECK_THROWS(emit_all("DestroyResourceOp", std::span<const Operand>(&v, 1), {{"ignore_lookup_error", false}}),
               kNotFound, "Resource localhost/v/");
}

TEST(variable_updates_in_place_when_nobody_reads) {
  if (!has_add()) return;
  Operand v = make(DType::kFloat, Shape({2}));
  run("AssignVariableOp", {v, floats({1, 2})});
  const void* address = read(v).raw();
  run("AssignAddVariableOp", {v, floats({1, 1})});
  CHECK_EQ(read(v).raw(), address);
  Tensor held = read(v);
  run("AssignSubVariableOp", {v, floats({5, 5})});
  CHECK(identical(held, floats({2, 3})));
  CHECK(identical(read(v), floats({-3, -2})));
  CHECK_THROWS(run("AssignAddVariableOp", {v, floats({1, 1, 1})}), kInvalidArgument,
               "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must be equal.");
  run("ResourceApplyGradientDescent", {v, Tensor::scalar(0.5f), floats({2, 4})});
  CHECK(identical(read(v), floats({-4, -4})));
}

TEST(variable_scatter_rows) {
  Operand v = make(DType::kFloat, Shape({3}));
  run("AssignVariableOp", {v, floats({1, 2, 3})});
  Tensor held = read(v);
  run("ResourceScatterUpdate", {v, ints({2, 0}), floats({7, 8})});
  CHECK(identical(read(v), floats({8, 2, 7})));
  CHECK(identical(held, floats({1, 2, 3})));
  CHECK_THROWS(run("ResourceScatterUpdate", {v, ints({0, 3}), floats({0, 0})}), kInvalidArgument,
               "indices[1] = 3 is not in [0, 3)");
  CHECK(identical(read(v), floats({8, 2, 7})));
  CHECK_THROWS(run("ResourceScatterUpdate", {v, ints({0}), floats({0, 0})}), kInvalidArgument,
               "The shape of indices ([1]) must be a prefix of the shape of updates ([2])");
  if (!has_add()) return;
  run("ResourceScatterAdd", {v, ints({1, 1}), Tensor::scalar(0.5f)});
  CHECK(identical(read(v), floats({8, 3, 7})));
}

TEST(variable_scatter_slices) {
  Operand v = make(DType::kFloat, Shape({2, 2}));
  run("AssignVariableOp", {v, floats({1, 2, 3, 4}).reshaped(Shape({2, 2}))});
  run("ResourceScatterNdUpdate", {v, ints({1, 0}).reshaped(Shape({1, 2})), floats({9})});
  run("ResourceScatterNdUpdate", {v, ints({0}).reshaped(Shape({1, 1})), floats({7, 8}).reshaped(Shape({1, 2}))});
  CHECK(identical(read(v), floats({7, 8, 9, 4}).reshaped(Shape({2, 2}))));
  CHECK_THROWS(run("ResourceScatterNdUpdate", {v, ints({0, 5}).reshaped(Shape({1, 2})), floats({9})}), kInvalidArgument,
               "indices[0] = [0, 5] does not index into shape [2,2]");
}

TEST(variable_gather) {
  Operand v = make(DType::kFloat, Shape({2, 2}));
  run("AssignVariableOp", {v, floats({1, 2, 3, 4}).reshaped(Shape({2, 2}))});
  Operand rows[] = {v, ints({1, 1, 0})};
  Tensor out = emit_all("ResourceGather", rows, {{"dtype", DType::kFloat}})[0].tensor;
  CHECK(identical(out, floats({3, 4, 3, 4, 1, 2}).reshaped(Shape({3, 2}))));
  Operand batched[] = {v, ints({1, 0}).reshaped(Shape({2, 1}))};
  out = emit_all("ResourceGather", batched, {{"dtype", DType::kFloat}, {"batch_dims", 1}})[0].tensor;
  CHECK(identical(out, floats({2, 3}).reshaped(Shape({2, 1}))));
  Operand slices[] = {v, ints({1, 0, 0, 1}).reshaped(Shape({2, 2}))};
  out = emit_all("ResourceGatherNd", slices, {{"dtype", DType::kFloat}})[0].tensor;
  CHECK(identical(out, floats({3, 2})));
}

TEST(variable_slice_assignment) {
  Operand v = make(DType::kFloat, Shape({4}));
  run("AssignVariableOp", {v, floats({1, 2, 3, 4})});
  Tensor held = read(v);
  run("ResourceStridedSliceAssign", {v, ints({0}), ints({4}), ints({2}), floats({7, 8})});
  CHECK(identical(read(v), floats({7, 2, 8, 4})));
  CHECK(identical(held, floats({1, 2, 3, 4})));
  CHECK_THROWS(run("ResourceStridedSliceAssign", {v, ints({0}), ints({1}), ints({1}), floats({7, 8})}),
               kInvalidArgument, "Cannot broadcast input shape [2] into final shape [1]");
  CHECK(identical(read(v), floats({7, 2, 8, 4})));
}

}  // namespace tracefn
