// The switches of passes, as tf.config.optimizer sets them.
#pragma once

#include "bind/py_ref.h"

namespace tracefn::bind {

void init_passes(PyObject* module);

}  // namespace tracefn::bind
