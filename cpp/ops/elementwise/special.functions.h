// The error function.
#pragma once

#include "math/vector_special.h"

namespace tracefn::functions {

struct Erf {
  template <typename T>
  [[gnu::always_inline]] static T of(T x) {
    return vector_erf(x);
  }
};

}  // namespace tracefn::functions
