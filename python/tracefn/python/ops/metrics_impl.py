"""`tensorflow.python.ops.metrics_impl`: what metrics of TensorFlow 1 are made of."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.compat.v1 import metric_parts, metrics_at_k

__all__ = ["metric_variable"]

tf = root()
_remove_squeezable_dimensions = metric_parts.fitting


def metric_variable(shape, dtype, validate_shape=True, name=None):
    """A Variable of zeros in the collections of local Variables and of Variables of metrics.

    Args:
      shape: list of ints.
      dtype: DType.
      validate_shape: has no effect.
      name: name of the Variable, or None.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     total = tf.python.ops.metrics_impl.metric_variable([], tf.float32, name="total")
      ...     tf.compat.v1.local_variables() == [total]
      True
    """
    del validate_shape
    return metric_parts.metric_variable(shape, dtype, name)


def _safe_scalar_div(numerator, denominator, name):
    """The quotient of two scalars or vectors; 0 where the denominator is 0."""
    numerator.shape.with_rank_at_most(1)
    denominator.shape.with_rank_at_most(1)
    return tf.math.divide_no_nan(numerator, denominator, name=name)


def _aggregate_variable(v, collections):
    """The value of a Variable of a metric, which is added to collections of the graph."""
    value = tf.convert_to_tensor(v)
    if collections:
        tf.compat.v1.add_to_collections(collections, value)
    return value


def _confusion_matrix_at_thresholds(labels, predictions, thresholds, weights=None, includes=None):
    """Counts of right and wrong predictions for each threshold: two dicts, of Variables and of their updates.

    Raises:
      ValueError: `includes` has another key than "tp", "fn", "tn" and "fp".
    """
    kinds = ("tp", "fn", "tn", "fp")
    for key in includes or ():
        if key not in kinds:
            raise ValueError(f"Invalid key: {key}.")
    return metric_parts.at_thresholds(labels, predictions, thresholds, weights, tuple(includes or kinds))


def _streaming_sparse_average_precision_at_top_k(
    labels, predictions_idx, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of the average precision of predicted classes [..., k], the best first."""
    return metrics_at_k.mean_average_precision(
        labels, predictions_idx, weights, metrics_collections, updates_collections, name or "average_precision_at_top_k"
    )
