// Variables: handles, reads and assignments. The sparse updates are in variable_scatter.cpp.
#include <algorithm>

#include "ops/elementwise/elementwise_kernel.h"
#include "ops/gradient.h"
#include "ops/no_kernel.h"
#include "ops/state/effect_records.h"
#include "ops/state/variable_resource.h"
#include "ops/type_sets.h"

namespace tracefn {
namespace {

void infer_handle(InferContext& c) {
  OutputInfo& out = c.output(0);
  out.shape = Shape();
  out.handle_dtype = c.attr("dtype").type();
  out.handle_shape = c.attr("shape").shape();
}

// One variable per node: it persists over the calls of a graph. An eager call creates a new one.
void make_handle(KernelContext& c) {
  Ref<RefCounted>& state = c.state();
  if (!state) {
    const std::string& shared_name = c.attr("shared_name").s();
    state = make_ref<VariableResource>(c.attr("dtype").type(), c.attr("shape").shape(),
                                       shared_name.empty() ? std::string(c.node_name_) : shared_name);
  }
  c.set_output(0, Tensor::handle(DType::kResource, state));
}

void is_initialized(KernelContext& c) { *c.output(0).mutable_data<bool>() = variable_input(c, 0).initialized(); }

void require_handle_dtype(const HandleInfo& handle, DType dtype) {
  if (handle.dtype != DType::kInvalid && handle.dtype != dtype)
    invalid_argument("Trying to read variable with wrong dtype. Expected ", runtime_name(handle.dtype), " got ",
                     runtime_name(dtype));
}

void infer_read(InferContext& c) {
  HandleInfo handle = handle_info(c, 0);
  require_handle_dtype(handle, c.attr("dtype").type());
  c.set_output(0, handle.shape);
}

void read(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  DType wanted = c.attr("dtype").type();
  if (variable.dtype() != wanted)
    invalid_argument("Trying to read variable with wrong dtype. Expected ", runtime_name(wanted), " got ",
                     runtime_name(variable.dtype()));
  c.set_output(0, variable.read());
}

// The gradient of a variable's value is what arrives at the handle.
void read_grad(GradContext& g) { g.to_input(0, g.raw_dy(0)); }

void infer_assign(InferContext& c) {
  HandleInfo handle = handle_info(c, 0);
  require_handle_dtype(handle, c.dtype(1));
  merge(handle.shape, c.shape(1));
}

void assign(KernelContext& c) { variable_input(c, 0).assign(c.take_input(1), c.attr("validate_shape").b()); }

template <typename F>
void assign_update(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  Tensor value = c.take_input(1);
  BinaryBlock block = elementwise_kernel<F>(value.dtype());
  if (!block) no_kernel();
  if (variable.dtype() != value.dtype()) invalid_argument("DType of variable handle and value does not match.");
  variable.replace([&](const Tensor& old, Tensor& result) {
    if (!(old.shape() == value.shape()))
      invalid_argument("Cannot update variable with shape ", old.shape().text(), " using a Tensor with shape ",
                       value.shape().text(), ", shapes must be equal.");
    std::size_t size = size_of(old.dtype());
    auto* a = static_cast<const char*>(old.raw());
    auto* b = static_cast<const char*>(value.raw());
    auto* y = static_cast<char*>(result.mutable_raw());
    c.parallel_for(old.num_elements(), 0.5, [&](std::int64_t begin, std::int64_t end) {
      std::size_t at = static_cast<std::size_t>(begin) * size;
      block(a + at, b + at, y + at, end - begin, 0);
    });
  });
}

// var - alpha * delta
void apply_gradient_descent(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  const Tensor& alpha = c.input(1);
  const Tensor& delta = c.input(2);
  DType dtype = delta.dtype();
  BinaryBlock multiply = elementwise_kernel<functions::Mul>(dtype);
  BinaryBlock subtract = elementwise_kernel<functions::Sub>(dtype);
  if (!multiply || !subtract) no_kernel();
  if (alpha.rank() != 0) invalid_argument("alpha is not a scalar: ", alpha.shape().text());
  if (variable.dtype() != dtype) invalid_argument("DType of variable handle and value does not match.");
  variable.replace([&](const Tensor& old, Tensor& result) {
    if (!(old.shape() == delta.shape()))
      invalid_argument("var and delta do not have the same shape", old.shape().text(), " ", delta.shape().text());
    std::size_t size = size_of(dtype);
    auto* x = static_cast<const char*>(old.raw());
    auto* d = static_cast<const char*>(delta.raw());
    auto* y = static_cast<char*>(result.mutable_raw());
    c.parallel_for(old.num_elements(), 0.7, [&](std::int64_t begin, std::int64_t end) {
      // The steps stay in the cache: memory is passed over once.
      constexpr std::int64_t kSteps = 512;
      alignas(64) char steps[kSteps * 16];
      for (std::int64_t i = begin; i < end; i += kSteps) {
        const std::int64_t n = std::min(kSteps, end - i);
        const std::size_t at = static_cast<std::size_t>(i) * size;
        multiply(alpha.raw(), d + at, steps, n, 1);
        subtract(x + at, steps, y + at, n, 0);
      }
    });
  });
}

void infer_apply(InferContext& c) {
  HandleInfo handle = handle_info(c, 0);
  c.require_rank(1, 0);
  merge(handle.shape, c.shape(2));
}

// Writes the previous number to `out`.
template <typename T>
void count_one(Tensor& value, std::int64_t limit, Tensor& out) {
  T before = value.item<T>();
  if (before >= limit) fail(ErrorKind::kOutOfRange, "Reached limit of ", limit);
  *value.mutable_data<T>() = static_cast<T>(static_cast<std::make_unsigned_t<T>>(before) + 1);
  *out.mutable_data<T>() = before;
}

void count_up_to(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  DType dtype = c.attr("T").type();
  std::int64_t limit = c.attr("limit").i();
  if (variable.dtype() != dtype) invalid_argument("DType of variable handle and T does not match.");
  variable.update([&](Tensor& value) {
    if (value.rank() != 0) invalid_argument("Input is not a scalar: ", value.shape().text());
    dtype == DType::kInt32 ? count_one<std::int32_t>(value, limit, c.output(0))
                           : count_one<std::int64_t>(value, limit, c.output(0));
  });
}

void destroy(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  if (!variable.free_value() && !c.attr("ignore_lookup_error").b())
    fail(ErrorKind::kNotFound, "Resource localhost/", variable.name(), "/<unknown> does not exist.");
}

void infer_variable_shape(InferContext& c) {
  HandleInfo handle = handle_info(c, 0);
  c.set_output(0, handle.shape.has_rank() ? Shape({handle.shape.rank()}) : Shape::of_rank(1));
}

void variable_shape(KernelContext& c) {
  VariableResource& variable = variable_input(c, 0);
  Tensor value = variable.peek();
  if (!value.defined())
    fail(ErrorKind::kNotFound, "Resource localhost/", variable.name(), "/N10tensorflow3VarE does not exist.");
  DType out_type = c.attr("out_type").type();
  Tensor& out = c.allocate_output(0, out_type, Shape({value.rank()}));
  for (int i = 0; i < value.rank(); ++i) {
    if (out_type == DType::kInt64) {
      out.mutable_data<std::int64_t>()[i] = value.dim(i);
      continue;
    }
    if (value.dim(i) > INT32_MAX)
      invalid_argument("Dimension ", i, " of size ", value.dim(i), " does not fit in 32 bits.");
    out.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(value.dim(i));
  }
}

}  // namespace

void register_variable(Registry& r) {
  r.add({
      .name = "VarHandleOp",
      .outputs = {"resource: resource"},
      .attrs = {"container: string = ''", "shared_name: string = ''", "debug_name: string = ''", "dtype: type",
                "shape: shape", "allowed_devices: list(string) = []"},
      .stateful = true,
      .doc = "Creates an uninitialized variable of `dtype` and `shape` and returns its handle.",
      .infer = infer_handle,
      .kernel = make_handle,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
  r.add({
      .name = "VarIsInitializedOp",
      .inputs = {"resource: resource"},
      .outputs = {"is_initialized: bool"},
      .stateful = true,
      .doc = "True if the variable is initialized.",
      .infer = infer::scalar,
      .kernel = is_initialized,
      .grad = not_differentiable,
  });
  r.add({
      .name = "ReadVariableOp",
      .inputs = {"resource: resource"},
      .outputs = {"value: dtype"},
      .attrs = {"dtype: type"},
      .stateful = true,
      .facts = {.reads_variable = true},
      .doc = "The current value of the variable.",
      .infer = infer_read,
      .kernel = read,
      .allocation = Allocation::kObjects,
      .grad = read_grad,
  });
  r.add({
      .name = "AssignVariableOp",
      .inputs = {"resource: resource", "value: dtype"},
      .attrs = {"dtype: type", "validate_shape: bool = false"},
      .stateful = true,
      .facts = {.update = VariableUpdate::kSet},
      .doc = "Assigns a new value to the variable. With `validate_shape` it must have the shape of the current value.",
      .infer = infer_assign,
      .kernel = assign,
      .grad = not_differentiable,
  });
  r.add({
      .name = "AssignAddVariableOp",
      .inputs = {"resource: resource", "value: dtype"},
      .attrs = {"dtype: type"},
      .stateful = true,
      .facts = {.update = VariableUpdate::kAdd},
      .doc = "Adds `value` to the variable. Their shapes must be equal.",
      .infer = infer_assign,
      .kernel = assign_update<functions::Add>,
      .grad = not_differentiable,
  });
  r.add({
      .name = "AssignSubVariableOp",
      .inputs = {"resource: resource", "value: dtype"},
      .attrs = {"dtype: type"},
      .stateful = true,
      .facts = {.update = VariableUpdate::kSubtract},
      .doc = "Subtracts `value` from the variable. Their shapes must be equal.",
      .infer = infer_assign,
      .kernel = assign_update<functions::Sub>,
      .grad = not_differentiable,
  });
  r.add({
      .name = "ResourceApplyGradientDescent",
      .inputs = {"var: resource", "alpha: T", "delta: T"},
      .attrs = {"T: " TRACEFN_NUMBERS, "use_locking: bool = false"},
      .stateful = true,
      .doc = "Subtracts alpha * delta from the variable.",
      .infer = infer_apply,
      .kernel = apply_gradient_descent,
      .grad = not_differentiable,
  });
  r.add({
      .name = "ResourceCountUpTo",
      .inputs = {"resource: resource"},
      .outputs = {"output: T"},
      .attrs = {"limit: int", "T: {int32, int64}"},
      .stateful = true,
      .doc =
          "Increments a scalar variable and returns the old value. Raises OutOfRangeError if that has reached `limit`.",
      .infer = infer::scalar,
      .kernel = count_up_to,
      .grad = not_differentiable,
  });
  r.add({
      .name = "DestroyResourceOp",
      .inputs = {"resource: resource"},
      .attrs = {"ignore_lookup_error: bool = true"},
      .stateful = true,
      .doc = "Frees the value of the variable. Its handles remain, but reading through them is an error.",
      .infer = infer::nothing,
      .kernel = destroy,
      .grad = not_differentiable,
  });
  r.add({
      .name = "VariableShape",
      .inputs = {"input: resource"},
      .outputs = {"output: out_type"},
      .attrs = {"out_type: {int32, int64} = DT_INT32"},
      .stateful = true,
      .doc = "The shape of the variable's current value.",
      .infer = infer_variable_shape,
      .kernel = variable_shape,
      .allocation = Allocation::kObjects,
      .grad = not_differentiable,
  });
}

}  // namespace tracefn
