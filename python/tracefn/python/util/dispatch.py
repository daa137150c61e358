"""`tensorflow.python.util.dispatch`: what functions do with other values than tensors."""

from tracefn._for_libraries.dispatching import (
    GlobalOpDispatcher,
    OpDispatcher,
    add_dispatch_support,
    dispatch,
    dispatch_for_types,
)
from tracefn.ops.dispatch_targets import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)

__all__ = [
    "GlobalOpDispatcher",
    "OpDispatcher",
    "add_dispatch_support",
    "dispatch",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_types",
    "dispatch_for_unary_elementwise_apis",
    "unregister_dispatch_for",
]
