// Reads and writes variables under their lock.
#include "ops/state/variable_resource.h"

#include <algorithm>

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

void VariableResource::update(FunctionRef<void(Tensor&)> change) {
  Tensor old;
  WithoutPolls whole;
  std::lock_guard lock(mutex_);
  require_value();
  make_writable(old);
  change(value_);
}

void VariableResource::make_writable(Tensor& old) {
  if (value_.writable()) return;
  old = value_;
  value_ = old.copy();
}

// The locks of several variables, each once. Every thread locks in the same order: that of addresses.
class VariableResource::Locked {
 public:
  explicit Locked(std::span<VariableResource* const> variables) {
    each_.reserve(variables.size());
    for (VariableResource* variable : variables) each_.push_back(variable);
    std::sort(each_.begin(), each_.end(), std::less<>());
    each_.resize(static_cast<std::size_t>(std::unique(each_.begin(), each_.end()) - each_.begin()));
    for (VariableResource* variable : each_) variable->mutex_.lock();
  }
  ~Locked() {
    for (VariableResource* variable : each_) variable->mutex_.unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  const SmallVector<VariableResource*, 4>& each() const { return each_; }

 private:
  SmallVector<VariableResource*, 4> each_;
};

bool VariableResource::exchange_together(std::span<VariableResource* const> variables,
                                         FunctionRef<bool(std::span<Tensor>)> change) {
  struct Back {
    std::span<VariableResource* const> variables;
    SmallVector<Tensor, 4> values;
    void swap() {
      for (std::size_t i = 0; i < variables.size(); ++i) std::swap(values[i], variables[i]->value_);
    }
    ~Back() { swap(); }
  };
  WithoutPolls whole;
  const Locked locked(variables);
  Back back{variables, SmallVector<Tensor, 4>(variables.size())};
  back.swap();
  return change({back.values.data(), back.values.size()});
}

void VariableResource::update_together(std::span<VariableResource* const> variables,
                                       FunctionRef<void(std::span<Tensor* const>)> change) {
  SmallVector<Tensor, 4> old(variables.size());
  WithoutPolls whole;
  const Locked locked(variables);
  for (VariableResource* variable : locked.each())
    if (!variable->value_.defined()) fail(ErrorKind::kInternal, "Invalid variable reference.");
  for (std::size_t i = 0; i < locked.each().size(); ++i) locked.each()[i]->make_writable(old[i]);
  SmallVector<Tensor*, 4> values;
  for (VariableResource* variable : variables) values.push_back(&variable->value_);
  change({values.data(), values.size()});
}

void VariableResource::replace(FunctionRef<void(const Tensor&, Tensor&)> next) {
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

bool VariableResource::free_value() {
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
