// What stateful ops keep between eager calls: one state per op and attributes, as TensorFlow reuses its kernels. So
// tf.random.uniform([2], seed=1) called twice gives the first and then the second numbers of one stream.
#pragma once

#include <memory>

#include "ops/kernel.h"

namespace tracefn {

// The slot of an op with these attributes. Thread-safe; the table forgets when the random states are reset, and at
// times when it has grown large, which ends the streams of seeds that are long gone.
std::shared_ptr<StateSlot> eager_state(const OpDef& op, const AttrList& attrs);

}  // namespace tracefn
