// HostCall: a callable of the host language that a node runs (tf.py_function, tf.numpy_function). Implemented by
// cpp/bind.
//
// A node names its callable by the string attribute `token`, as in TensorFlow's OpDef. The attribute made by
// host_call_token() also holds a reference, shared by every copy of the attribute: the callable lives exactly as long
// as a node, or an instruction compiled from it, that names it. A token read from a file holds none: it names a
// callable of this process if that is alive, by the finder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/attr.h"

namespace tracefn {

class HostCall : public HostObject {
 public:
  // Runs the callable on the calling thread, taking the host language's lock if it has one. An exception becomes an
  // Error with its cause set. `outputs` is initially empty.
  virtual void run(std::span<const Tensor> inputs, std::vector<Tensor>& outputs) = 0;
  // Computes the gradients of the inputs from the inputs and the gradients of the outputs; null if not differentiable.
  virtual Ref<HostCall> gradient() { return nullptr; }
  // "pyfunc_3"
  std::string text() const override { return token_; }

 protected:
  explicit HostCall(std::string token) : token_(std::move(token)) {}

 private:
  std::string token_;
};

// Returns the living callable of a token, or null. Any thread may call it. Set once, at startup.
using HostCallFinder = Ref<HostCall> (*)(const std::string& token);
void set_host_call_finder(HostCallFinder finder);

// "pyfunc_" and a number, a new one at each call. The numbers of a process begin anywhere, so that a token in a file of
// another process names none of its callables.
std::string next_host_call_token();
// The value of a node's `token`.
Attr host_call_token(Ref<HostCall> call);

}  // namespace tracefn
