"""`tensorflow.python.ops.confusion_matrix`: labels and predictions of one rank."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.ops.statistics import of_one_rank

__all__ = ["remove_squeezable_dimensions"]


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """Labels and predictions, the one whose rank is higher by one than expected without a last dimension of size 1.

    Args:
      labels, predictions: tensors.
      expected_rank_diff: int, the rank of predictions less that of labels, as it should be.
      name: name of the scope, or None.

    Example:
      >>> import tracefn as tf
      >>> [t.shape for t in tf.python.ops.confusion_matrix.remove_squeezable_dimensions([1, 2], [[3], [4]])]
      [TensorShape([2]), TensorShape([2])]
    """
    with root().name_scope(name or "remove_squeezable_dimensions"):
        return of_one_rank(labels, predictions, expected_rank_diff)
