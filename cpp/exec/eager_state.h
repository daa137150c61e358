// The state that stateful ops keep between eager calls: one per op and attributes, as TensorFlow reuses its kernels. So
// tf.random.uniform([2], seed=1) called twice gives the first and then the second numbers of one stream.
#pragma once

#include <memory>

#include "ops/kernel.h"

namespace tracefn {

// The state slot of an op with these attributes. Thread-safe. The table is cleared when the random states are reset,
// and when it has grown large, which ends the streams of seeds long unused.
std::shared_ptr<StateSlot> eager_state(const OpDef& op, const AttrList& attrs);

}  // namespace tracefn
