"""`tensorflow.python.framework.smart_cond`: conditionals that are decided where they are traced, if possible."""

from __future__ import annotations

from tracefn._internal import smart_cond, smart_constant_value
from tracefn._namespaces import root

__all__ = ["smart_case", "smart_cond", "smart_constant_value"]


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
