"""`tensorflow.python.ops.control_flow_case`: the function below `tf.case`."""

from __future__ import annotations

from tracefn.ops.case import case, chosen

__all__ = ["case"]


def _case_helper(cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False, **cond_kwargs):
    """`tf.case` with another function in the place of `tf.cond`.

    Args:
      cond_fn: callable that takes (predicate, callable, callable).
      pred_fn_pairs, default, exclusive, name: as in `tf.case`.
      allow_python_preds: whether predicates may be Python bools.
      **cond_kwargs: passed on to `cond_fn`.
    """
    del allow_python_preds  # tf.case takes them too
    return chosen(lambda pred, yes, no: cond_fn(pred, yes, no, **cond_kwargs), pred_fn_pairs, default, exclusive, name)
