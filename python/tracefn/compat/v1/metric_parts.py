"""What the metrics of `tf.compat.v1.metrics` share: Variables, weights, counts at thresholds, collections."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.framework import default_graph, executing_eagerly
from tracefn.ops.statistics import of_one_rank

tf = root()

_KINDS = {"tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives", "fp": "false_positives"}


def eager_error(name: str) -> None:
    """Refuses to make a metric while ops run eagerly.

    Raises:
      RuntimeError: they do.
    """
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_variable(shape, dtype, name: str):
    """A local Variable of zeros."""
    return tf.compat.v1.Variable(
        lambda: tf.zeros(shape, dtype), trainable=False, collections=["local_variables", "metric_variables"], name=name
    )


def reported(value, update, metrics_collections, updates_collections):
    """(value, update), which are added to collections of the graph."""
    for collections, tensor in ((metrics_collections, value), (updates_collections, update)):
        if collections:
            default_graph().add_to_collections(collections, tensor)
    return value, update


def metric(function, values, updates, metrics_collections, updates_collections):
    """function of Variables, and of what their updates return, as a metric."""
    value = function(*(tf.convert_to_tensor(v) for v in values), "value")
    update = function(*(tf.convert_to_tensor(v) for v in updates), "update_op")
    return reported(value, update, metrics_collections, updates_collections)


def fitting(predictions, labels, weights) -> tuple:
    """Predictions, labels and weights of one rank, as far as a last dimension of size 1 makes the difference.

    Raises:
      ValueError: the shapes of labels and predictions differ.
    """
    predictions = tf.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = of_one_rank(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    ranks = weights.shape.rank, predictions.shape.rank
    if ranks[0] == 0:
        return predictions, labels, weights
    if None not in ranks:
        if ranks[0] - ranks[1] == 1:
            weights = tf.squeeze(weights, [-1])
        elif ranks[1] - ranks[0] == 1:
            weights = tf.expand_dims(weights, -1)
        return predictions, labels, weights
    more = tf.rank(weights) - tf.rank(predictions)
    given = weights

    def squeezed():
        # A last dimension that is known to be another one cannot go.
        may_go = ranks[0] is None or given.shape[-1] in (None, 1)
        return tf.squeeze(given, [-1]) if may_go else tf.identity(given)

    weights = tf.cond(
        tf.logical_or(tf.equal(tf.rank(given), 0), tf.equal(more, 0)),
        lambda: tf.identity(given),
        lambda: tf.cond(tf.equal(more, 1), squeezed, lambda: tf.expand_dims(given, -1)),
    )
    return predictions, labels, weights


def _sizes(tensor) -> str:
    return f"[{' '.join(str(size) for size in tensor.shape)}]"


def check_weights(weights, values) -> list:
    """Checks that weights broadcast to values: scalars, or of one rank with dimensions that are equal or 1.

    Returns:
      Assertions about what is not known yet.

    Raises:
      ValueError: they do not.
    """
    prefix = "weights can not be broadcast to values."
    ranks = weights.shape.rank, values.shape.rank
    if ranks[0] == 0:
        return []
    if None not in ranks and ranks[0] != ranks[1]:
        raise ValueError(
            f"{prefix} values.rank={ranks[1]}. weights.rank={ranks[0]}. values.shape={values.shape}. "
            f"weights.shape={weights.shape}. Received weights={weights}, values={values}"
        )
    if weights.shape.is_fully_defined() and values.shape.is_fully_defined():
        for i, (size, wanted) in enumerate(zip(weights.shape, values.shape, strict=True)):
            if size not in (1, wanted):
                raise ValueError(
                    f"{prefix} Mismatch at dim {i}. values.shape={_sizes(values)}, weights.shape={_sizes(weights)}. "
                    f"Received weights={weights}, values={values}"
                )
        return []

    def same():
        sizes, wanted = tf.shape(weights), tf.shape(values)
        return tf.reduce_all(tf.logical_or(tf.equal(sizes, 1), tf.equal(sizes, wanted)))

    is_scalar = tf.equal(tf.rank(weights), 0)
    same_rank = tf.equal(tf.rank(weights), tf.rank(values))
    fits = tf.logical_or(is_scalar, tf.cond(same_rank, same, lambda: tf.constant(False)))
    return [tf.debugging.Assert(fits, [prefix, "weights.shape=", tf.shape(weights), "values.shape=", tf.shape(values)])]


def broadcast_weights(weights, values):
    """Weights in the shape of values.

    Raises:
      ValueError: they do not broadcast to it.
    """
    shapes = weights.shape, values.shape
    if all(shape.is_fully_defined() for shape in shapes) and shapes[0] == shapes[1]:
        return weights
    with tf.control_dependencies(check_weights(weights, values)):
        return weights * tf.ones_like(values)


def at_thresholds(labels, predictions, thresholds, weights=None, kinds=("tp", "fn", "tn", "fp")) -> tuple[dict, dict]:
    """Counts of right and wrong predictions of labels, for each threshold above which a prediction counts as true.

    Args:
      labels: tensor, which is cast to bool.
      predictions: tensor of numbers between 0 and 1.
      thresholds: list of floats.
      weights: None, or a tensor that broadcasts to predictions.
      kinds: which counts: "tp" are true positives.

    Returns:
      Two dicts by kind: Variables, and what their updates return; vectors with an element for each threshold.
    """
    predictions = tf.convert_to_tensor(predictions)
    message = "predictions must be in [0, 1]"
    checks = [
        tf.debugging.assert_greater_equal(predictions, tf.cast(0.0, predictions.dtype), message=message),
        tf.debugging.assert_less_equal(predictions, tf.cast(1.0, predictions.dtype), message=message),
    ]
    with tf.control_dependencies([check for check in checks if check is not None]):
        predictions = tf.cast(tf.identity(predictions), "float32")
    predictions, labels, weights = fitting(predictions, tf.cast(labels, "bool"), weights)
    found = tf.greater(tf.reshape(predictions, [1, -1]), tf.reshape(tf.constant(thresholds, "float32"), [-1, 1]))
    wanted = tf.reshape(labels, [1, -1])
    if weights is not None:
        weights = tf.reshape(broadcast_weights(tf.cast(weights, "float32"), predictions), [1, -1])
    conditions = {
        "tp": lambda: tf.logical_and(wanted, found),
        "fn": lambda: tf.logical_and(wanted, tf.logical_not(found)),
        "tn": lambda: tf.logical_and(tf.logical_not(wanted), tf.logical_not(found)),
        "fp": lambda: tf.logical_and(tf.logical_not(wanted), found),
    }
    values, updates = {}, {}
    for kind in kinds:
        values[kind] = metric_variable([len(thresholds)], "float32", _KINDS[kind])
        counted = tf.cast(conditions[kind](), "float32")
        updates[kind] = values[kind].assign_add(tf.reduce_sum(counted if weights is None else counted * weights, 1))
    return values, updates
