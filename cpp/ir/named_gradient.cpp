#include "ir/named_gradient.h"

namespace tracefn {
namespace {

MakeNamedGradient make_named_gradient = nullptr;

}  // namespace

Ref<RefCounted> gradient_of_name(const std::string& name) {
  return make_named_gradient ? make_named_gradient(name) : Ref<RefCounted>();
}

void set_named_gradients(MakeNamedGradient make) { make_named_gradient = make; }

}  // namespace tracefn
