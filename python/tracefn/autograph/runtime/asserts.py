"""assert on a tensor: an Assert node with the statement's message."""

from __future__ import annotations

from tracefn import _core
from tracefn.autograph.runtime.conditions import is_staged


def assert_fails(condition, message) -> bool:
    """Whether a Python assertion fails; on a tensor the assertion becomes part of the graph."""
    if not is_staged(condition):
        return not condition
    tensor = _core.convert_to_tensor(condition)
    if tensor.dtype.name != "bool":
        tensor = _core.raw_op("Cast")(x=tensor, DstT="bool")
    text = message()
    data = [_core.convert_to_tensor(text if isinstance(text, (str, bytes, _core.Tensor)) else str(text))]
    _core.raw_op("Assert")(condition=tensor, data=data)
    return False
