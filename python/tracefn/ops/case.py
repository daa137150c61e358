"""`tf.case`."""

from __future__ import annotations

from functools import partial

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.framework import control_dependencies, executing_eagerly, is_tensor, name_scope
from tracefn.ops.array_shape import stack
from tracefn.ops.debugging import assert_
from tracefn.ops.math import add_n


@export("case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Runs the function of the first pair whose predicate is true, else `default`.

    Args:
      pred_fn_pairs: list of (scalar bool tensor, callable).
      default: callable; None: one of the predicates must be true.
      exclusive: whether to assert that at most one predicate is true.
      strict: accepted, without effect.
      name: str, scope of the nodes.

    Returns:
      The result of the selected function.

    Raises:
      TypeError: `pred_fn_pairs` is not a list of such pairs (AttributeError where its text would name an
        eager tensor).
      ValueError: it is a dict.
      InvalidArgumentError: no predicate is true and there is no default, or several are true and `exclusive` is set.

    Example:
      >>> import tracefn as tf
      >>> x = tf.constant(1)
      >>> int(tf.case([(x > 5, lambda: tf.constant(1)), (x > 0, lambda: tf.constant(2))]))
      2
    """
    del strict
    return chosen(cond, pred_fn_pairs, default, exclusive, name)


def chosen(choose, pred_fn_pairs, default, exclusive, name):
    """`tf.case`, where `choose(predicate, callable, callable)` calls one of two functions."""
    if isinstance(pred_fn_pairs, dict) and not exclusive and executing_eagerly():
        raise ValueError(
            "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and eager mode is enabled."
        )
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred = pair[0]
        if not isinstance(pred, _core.Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred.dtype != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pred.name}")
        if not callable(pair[1]):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    if not pairs and default is None:
        raise ValueError("Must provide at least one item in 'pred_fn_pairs'.")
    with name_scope(name or "case"):
        predicates = [pred for pred, _ in pairs]
        if default is None:
            *pairs, (last_pred, last_fn) = pairs

            def default():
                with _asserted(last_pred, "None of conditions evaluated as True:", predicates):
                    return last_fn()

        call = default
        for pred, fn in reversed(pairs):
            call = partial(choose, pred, fn, call)
        if exclusive and len(pairs) > 1:
            with _asserted_exclusive([pred for pred, _ in pairs]):
                return call()
        return call()


def _asserted(condition, what: str, predicates):
    """A context in which ops run after the assertion of `condition`."""
    assertion = assert_(condition, ["Input error: " + what, stack(predicates)], summarize=len(predicates))
    return control_dependencies([] if assertion is None else [assertion])


def _asserted_exclusive(predicates):
    """`_asserted` that at most one of the predicates is true; without a default, the last one of the `case` is not among them."""
    named = [is_tensor(p) and not isinstance(p, _core.EagerTensor) for p in predicates]
    names = ", ".join(p.name if has_name else "?" for p, has_name in zip(predicates, named, strict=True))
    held = add_n([_core.raw_op("Cast")(x=_core.convert_to_tensor(p), DstT="int32") for p in predicates])
    what = f"exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    return _asserted(held < 2, what, predicates)
