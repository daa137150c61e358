// Gradient rules of nodes by name: TensorFlow's attribute _gradient_op_type. The host language makes them.
#pragma once

#include <string>

#include "base/ref.h"

namespace tracefn {

inline constexpr const char* kGradientName = "_gradient_op_type";

// What a rule of Node::gradient also is if it has a name. Any thread may call.
class NamedGradient {
 public:
  virtual ~NamedGradient() = default;
  // Empty for a rule that is not to be named.
  virtual const std::string& name() const = 0;
};

// The rule for Node::gradient that calls the function that is registered under a name when the node is differentiated;
// the name may be registered later. Null without a host language. Any thread may call.
Ref<RefCounted> gradient_of_name(const std::string& name);

// Who makes these rules. Once, before any graph is made.
using MakeNamedGradient = Ref<RefCounted> (*)(const std::string& name);
void set_named_gradients(MakeNamedGradient make);

}  // namespace tracefn
