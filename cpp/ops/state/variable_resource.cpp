// Reads and writes variables under their lock.
#include "ops/state/variable_resource.h"

#include "base/poll.h"

namespace tracefn {

// An update runs to its end, regardless of signals: a half-updated value is never visible, and a handler that reads the
// variable would deadlock on its own thread's lock.

// A replaced value is dropped after the lock is released: dropping may run a release function of the host language,
// which may wait for a lock of its own.

bool VariableResource::initialized() const {
  std::lock_guard lock(mutex_);
  return value_.defined();
}

Tensor VariableResource::peek() const {
  std::lock_guard lock(mutex_);
  return value_;
}

Tensor VariableResource::read() const {
  Tensor value = peek();
  if (!value.defined())
    fail(ErrorKind::kFailedPrecondition, "Could not find variable ", name_,
         ". This could mean that the variable has been deleted. In TF1, it can also mean the variable is "
         "uninitialized. Debug info: container=localhost, status error message=Resource localhost/",
         name_, "/N10tensorflow3VarE does not exist.");
  return value;
}

void VariableResource::require_value() const {
  if (!value_.defined())
    fail(ErrorKind::kNotFound, "Resource localhost/", name_, "/N10tensorflow3VarE does not exist.");
}

void VariableResource::assign(Tensor value, bool validate_shape) {
  if (value.dtype() != dtype_)
    invalid_argument("Trying to assign variable with wrong dtype. Expected ", runtime_name(dtype_), " got ",
                     runtime_name(value.dtype()));
  std::lock_guard lock(mutex_);
  if (validate_shape && value_.defined() && !(value_.shape() == value.shape()))
    invalid_argument("Trying to assign to variable with tensor with wrong shape. Expected ", value_.shape().text(),
                     " got ", value.shape().text());
  std::swap(value_, value);
  destroyed_ = false;
}

void VariableResource::update(const std::function<void(Tensor&)>& change) {
  Tensor old;
  WithoutPolls whole;
  std::lock_guard lock(mutex_);
  require_value();
  if (!value_.writable()) {
    old = value_;
    value_ = old.copy();
  }
  change(value_);
}

void VariableResource::replace(const std::function<void(const Tensor&, Tensor&)>& next) {
  Tensor result;
  WithoutPolls whole;
  std::lock_guard lock(mutex_);
  require_value();
  if (value_.writable()) {
    next(value_, value_);
    return;
  }
  result = Tensor(value_.dtype(), value_.shape());
  next(value_, result);
  std::swap(value_, result);
}

bool VariableResource::destroy() {
  Tensor old;
  std::lock_guard lock(mutex_);
  std::swap(value_, old);
  return !std::exchange(destroyed_, true);
}

VariableResource& variable_input(KernelContext& c, std::size_t i) {
  const Tensor& handle = c.input(i);
  auto* variable = handle.rank() == 0 ? dynamic_cast<VariableResource*>(handle.object().get()) : nullptr;
  if (!variable) invalid_argument(c.op().name(), ": the resource given is not a variable.");
  return *variable;
}

HandleInfo handle_info(const InferContext& c, std::size_t i) {
  const InferContext::Input& in = c.input(i);
  if (in.value && in.value->rank() == 0) {
    if (auto* variable = dynamic_cast<VariableResource*>(in.value->object().get()))
      return {variable->dtype(), variable->shape()};
  }
  if (in.info) return {in.info->handle_dtype, in.info->handle_shape};
  return {};
}

}  // namespace tracefn
