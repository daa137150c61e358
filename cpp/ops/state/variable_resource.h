// VariableResource: the storage of a tf.Variable. Owned by the handles that refer to it (Tensors of dtype resource); it
// dies with the last of them. Any thread may call every member.
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "base/function_ref.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

class VariableResource : public RefCounted {
 public:
  // `shape` may be partly known: values assigned through tf.Variable must be compatible with it.
  VariableResource(DType dtype, Shape shape, std::string name)
      : dtype_(dtype), shape_(std::move(shape)), name_(std::move(name)) {}

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const std::string& name() const { return name_; }

  // Whether tapes watch it automatically.
  bool trainable() const { return trainable_.load(std::memory_order_relaxed); }
  void set_trainable(bool trainable) { trainable_.store(trainable, std::memory_order_relaxed); }

  bool initialized() const;
  // Shares the buffer: later updates do not show in it. Error(kFailedPrecondition) if there is no value.
  Tensor read() const;
  // The value, or an undefined tensor if there is none.
  Tensor peek() const;
  // What `look` returns for the value, with exclusive access; false if there is none. It must not throw or block.
  template <typename Look>
  bool look(const Look& look) const {
    std::lock_guard lock(mutex_);
    return value_.defined() && look(std::as_const(value_));
  }
  // The same of a value that it may change, as its buffer is the variable's own; false if a reader holds it.
  template <typename Change>
  bool change_own(const Change& change) {
    std::lock_guard lock(mutex_);
    return value_.defined() && value_.writable() && change(value_);
  }
  // Error(kInvalidArgument) if dtypes differ, or with `validate_shape` if the current value has another shape.
  void assign(Tensor value, bool validate_shape = false);
  // Runs `change` on the value with exclusive access; the value's buffer is its own then (copied first if a reader
  // holds it). `change` must check its arguments before it writes, and must not call into the host language.
  // Error(kNotFound) if there is no value.
  void update(FunctionRef<void(Tensor&)> change);
  // Computes a new value from the old: `next(old, result)`, where `result` has old's dtype and shape and is old itself
  // if its buffer has no other owner.
  void replace(FunctionRef<void(const Tensor& old, Tensor& result)> next);
  // The same for several variables, which may be the same ones, with exclusive access to all; `change` gets their
  // values in order. Error(kInternal) if one has no value.
  static void update_together(std::span<VariableResource* const> variables,
                              FunctionRef<void(std::span<Tensor* const>)> change);
  // The same with the values moved out of the variables, undefined ones too; what `change` leaves in their places is
  // stored, also if it throws. Returns what it returns. Precondition: they are different variables.
  static bool exchange_together(std::span<VariableResource* const> variables,
                                FunctionRef<bool(std::span<Tensor>)> change);
  // Frees the value. False if it was freed before.
  bool free_value();

 private:
  class Locked;

  void require_value() const;
  // Precondition: locked. What a reader holds is copied, and then left in `old`.
  void make_writable(Tensor& old);

  const DType dtype_;
  const Shape shape_;
  const std::string name_;
  std::atomic<bool> trainable_{false};
  mutable std::mutex mutex_;
  Tensor value_;
  bool destroyed_ = false;
};

// The variable that input i of a running kernel refers to; Error(kInvalidArgument) if it is another kind of resource.
VariableResource& variable_input(KernelContext& c, std::size_t i);

// Static information on the variable behind input i: while tracing what the graph recorded, later the variable's own.
struct HandleInfo {
  DType dtype = DType::kInvalid;  // kInvalid: not known
  Shape shape = Shape::unknown();
};
HandleInfo handle_info(const InferContext& c, std::size_t i);

}  // namespace tracefn
