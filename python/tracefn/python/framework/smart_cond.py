"""`tensorflow.python.framework.smart_cond`: conditionals that are decided where they are traced, if possible."""

from __future__ import annotations

from tracefn._internal import smart_cond
from tracefn._namespaces import root
from tracefn._static_value import get_static_value
from tracefn.framework import is_tensor

__all__ = ["smart_case", "smart_cond", "smart_constant_value"]


def smart_constant_value(pred):
    """The value of a condition as far as it is known: a bool, or None.

    Raises:
      TypeError: it is neither a bool, 0, 1 nor a tensor.

    Example:
      >>> from tracefn.python.framework.smart_cond import smart_constant_value
      >>> smart_constant_value(1)
      True
    """
    if is_tensor(pred):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if pred in {0, 1}:
        return bool(pred)
    raise TypeError(f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of type {type(pred).__name__}")


def smart_case(pred_fn_pairs, default=None, exclusive=False, name="smart_case"):
    """`tf.case`, or just the function of the first condition that is known to be true, if those before it are known.

    Example:
      >>> from tracefn.python.framework.smart_cond import smart_case
      >>> smart_case([(False, lambda: 1), (True, lambda: 2)])
      2
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    known = [smart_constant_value(pred) for pred, _ in pairs]
    if None in known:
        return root().case(pairs, default=default, exclusive=exclusive, name=name)
    function = next((function for value, (_, function) in zip(known, pairs, strict=True) if value), default)
    if function is None:
        return root().case(pairs, default=default, exclusive=exclusive, name=name)
    return function()
