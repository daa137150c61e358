"""The metrics of `tf.compat.v1.metrics` that look at the k best predictions."""

from __future__ import annotations

from tracefn._export import export
from tracefn._namespaces import root
from tracefn.compat.v1.metric_parts import broadcast_weights, check_weights, eager_error, metric_variable, reported

tf = root()


def _public_name(name: str, k=None, class_id=None) -> str:
    text = f"{name}_at_{'k' if k is None else int(k)}"
    return text if class_id is None else f"{text}_class{int(class_id)}"


def _expanded(labels, predictions):
    """Labels with as many dimensions as predictions: without a last one, there is one label for each row.

    Raises:
      ValueError: the ranks do not fit.
    """
    labels = tf.compat.v1.convert_to_tensor_or_sparse_tensor(labels)
    if isinstance(labels, tf.SparseTensor):
        one_each = tf.equal(tf.rank(predictions), tf.size(labels.dense_shape) + 1)
        return tf.cond(
            one_each,
            lambda: tf.sparse.reshape(labels, tf.concat([labels.dense_shape, tf.constant([1], "int64")], 0)),
            lambda: labels,
        )
    ranks = labels.shape.rank, predictions.shape.rank
    if None in ranks:
        one_each = tf.equal(tf.rank(predictions), tf.rank(labels) + 1)
        return tf.cond(one_each, lambda: tf.expand_dims(labels, -1), lambda: tf.identity(labels))
    if ranks[0] == ranks[1]:
        return labels
    if ranks[1] == ranks[0] + 1:
        return tf.expand_dims(labels, -1)
    raise ValueError(
        f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. Predictions rank should be the same "
        "rank as labels rank or labels rank plus one ."
    )


def _of_class(ids, class_id):
    """The ids that are of one class, as a SparseTensor."""
    if isinstance(ids, tf.SparseTensor):
        return tf.sparse.retain(ids, tf.equal(ids.values, tf.cast(class_id, ids.values.dtype)))
    shape = tf.shape(ids, out_type="int64")
    wanted = tf.fill(tf.concat([shape[:-1], [1]], 0), tf.cast(class_id, "int64"))
    common = tf.sets.intersection(wanted, tf.cast(ids, "int64"))
    return tf.SparseTensor(common.indices, common.values, shape)


def _size(labels, predictions, class_id, weights, function):
    """The size of a set function of predictions and labels in each row, with weights."""
    if class_id is not None:
        labels, predictions = _of_class(labels, class_id), _of_class(predictions, class_id)
    if not isinstance(labels, tf.SparseTensor):
        labels = tf.cast(labels, "int64")
    size = tf.cast(tf.sets.size(function(predictions, labels)), "float64")
    if weights is None:
        return size
    weights = tf.convert_to_tensor(weights)
    with tf.control_dependencies(check_weights(weights, size)):
        return size * tf.cast(weights, "float64")


_FUNCTIONS = {
    "true_positive": lambda predictions, labels: tf.sets.intersection(predictions, labels),
    "false_positive": lambda predictions, labels: tf.sets.difference(predictions, labels, aminusb=True),
    "false_negative": lambda predictions, labels: tf.sets.difference(predictions, labels, aminusb=False),
}


def _counted(kind: str, labels, predictions, k, class_id, weights):
    """(Variable, update) of the size of a set function over all batches."""
    with tf.name_scope(_public_name(kind, k, class_id)) as scope:
        total = tf.reduce_sum(_size(labels, predictions, class_id, weights, _FUNCTIONS[kind]))
        variable = metric_variable([], "float64", scope)
        return variable, variable.assign_add(total, name="update")


def _ratio(
    public: str, other: str, labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
):
    """True positives / (true positives + others) as a metric."""
    predictions = tf.convert_to_tensor(predictions)
    with tf.name_scope(name or _public_name(public, k, class_id)) as scope:
        labels = _expanded(labels, predictions)
        best = tf.cast(predictions, "int64")
        hits, hits_now = _counted("true_positive", labels, best, k, class_id, weights)
        misses, misses_now = _counted(other, labels, best, k, class_id, weights)
        value = tf.divide(tf.identity(hits), tf.add(hits, misses), name=scope)
        update = tf.divide(tf.identity(hits_now), tf.add(hits_now, misses_now), name="update")
        return reported(value, update, metrics_collections, updates_collections)


def _at_k(
    public: str, other: str, labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
):
    with tf.name_scope(name or _public_name(public, k, class_id)) as scope:
        best = tf.math.top_k(predictions, k).indices
        return _ratio(
            public, other, labels, best, k, class_id, weights, metrics_collections, updates_collections, scope
        )


@export("compat.v1.metrics.recall_at_k")
def recall_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """How much of the labels is among the k classes with the best predictions; see `tf.compat.v1.metrics.mean`.

    Args:
      labels: int64 tensor or SparseTensor [..., number of labels], or [...] for one label each: classes.
      predictions: float tensor [..., number of classes].
      k: int.
      class_id: int, the only class that is looked at, or None.
      weights: None, or a scalar or tensor that broadcasts to [...].
      metrics_collections, updates_collections, name: as in `mean`; a name scope.

    Returns:
      Pair of float64 scalars.
    """
    eager_error("recall_at_k")
    return _at_k(
        "recall", "false_negative", labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("compat.v1.metrics.recall_at_top_k")
def recall_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """`recall_at_k` of the classes [..., k] with the best predictions."""
    return _ratio(
        "recall", "false_negative", labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("compat.v1.metrics.precision_at_k")
def precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """How many of the k classes with the best predictions are labels; the arguments are those of `recall_at_k`."""
    eager_error("sparse_precision_at_k")
    return _at_k(
        "precision", "false_positive", labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name
    )


@export("compat.v1.metrics.sparse_precision_at_k")
def sparse_precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The old name of `precision_at_k`."""
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.precision_at_top_k")
def precision_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """`precision_at_k` of the classes [..., k] with the best predictions."""
    eager_error("precision_at_top_k")
    return _ratio(
        "precision", "false_positive", labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name
    )


def _per_place(labels, k: int):
    """Labels [..., n] as [..., k, n]."""
    if isinstance(labels, tf.SparseTensor):
        shape = labels.dense_shape
        rows = tf.sparse.reshape(labels, tf.concat([shape[:-1], [1], shape[-1:]], 0))
        return rows if k == 1 else tf.sparse.concat(-2, [rows] * k)
    return tf.repeat(tf.expand_dims(labels, -2), k, axis=-2)


def _average_precision(labels, predictions_idx):
    """The average precision of each row [...]: the mean of the precisions at the places of right predictions."""
    predictions_idx = tf.cast(predictions_idx, "int64")
    if predictions_idx.shape.rank == 0:
        raise ValueError("The rank of `predictions_idx` must be at least 1.")
    k = predictions_idx.shape[-1]
    if k is None:
        raise ValueError("The last dimension of predictions_idx must be set. Currently, it is None.")
    labels = _expanded(labels, predictions_idx)
    places = tf.expand_dims(predictions_idx, -1)
    right = _size(_per_place(labels, k), places, None, None, _FUNCTIONS["true_positive"])
    precisions = tf.cumsum(right, axis=-1) / tf.cumsum(tf.ones_like(right), axis=-1)
    if isinstance(labels, tf.SparseTensor):
        count = tf.sets.size(labels)
    else:
        count = tf.reduce_sum(tf.cast(tf.greater_equal(labels, 0), labels.dtype), axis=-1)
    relevant = tf.cast(tf.minimum(count, tf.cast(k, count.dtype)), "float64")
    return tf.divide(tf.reduce_sum(precisions * right, axis=-1), relevant)


def _without_others(labels, classes):
    """Labels of no class, which are not below the number of classes, as -1."""
    labels = tf.compat.v1.convert_to_tensor_or_sparse_tensor(labels)

    def known(values):
        others = tf.greater_equal(values, tf.cast(classes, values.dtype))
        return tf.cond(
            tf.greater_equal(tf.reduce_max(values), tf.cast(classes, values.dtype)),
            lambda: tf.where(others, -tf.ones_like(values), values),
            lambda: tf.identity(values),
        )

    if isinstance(labels, tf.SparseTensor):
        return tf.SparseTensor(labels.indices, known(labels.values), labels.dense_shape)
    return known(labels)


def _mean_average(labels, places, weights, metrics_collections, updates_collections, scope):
    """The mean of average precisions, in a name scope."""
    average = _average_precision(labels, places)
    if weights is None:
        count = tf.cast(tf.size(average), "float64")
    else:
        weights = broadcast_weights(tf.cast(weights, "float64"), average)
        average = average * weights
        count = tf.reduce_sum(weights)
    with tf.name_scope("max") as most:
        highest = metric_variable([], "float64", most)
        highest_now = highest.assign_add(count, name="update")
    with tf.name_scope("total") as sums:
        total = metric_variable([], "float64", sums)
        total_now = total.assign_add(tf.reduce_sum(average, name="batch_total"), name="update")
    value = tf.math.divide_no_nan(tf.identity(total), tf.identity(highest), name="mean")
    update = tf.math.divide_no_nan(tf.identity(total_now), tf.identity(highest_now), name=scope)
    return reported(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.average_precision_at_k")
def average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of the average precision of the k classes with the best predictions.

    The arguments are those of `recall_at_k`.

    Raises:
      ValueError: `k` is below 1.
    """
    eager_error("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    predictions = tf.convert_to_tensor(predictions)
    with tf.name_scope(name or _public_name("average_precision", k)) as scope:
        best = tf.math.top_k(predictions, k).indices
        labels = _without_others(labels, tf.shape(predictions)[-1])
        return _mean_average(labels, best, weights, metrics_collections, updates_collections, scope)


def mean_average_precision(labels, places, weights, metrics_collections, updates_collections, name: str):
    """The mean of the average precision of predicted classes [..., k], the best first, as a metric."""
    eager_error("average_precision_at_top_k")
    with tf.name_scope(name) as scope:
        return _mean_average(labels, places, weights, metrics_collections, updates_collections, scope)


@export("compat.v1.metrics.sparse_average_precision_at_k")
def sparse_average_precision_at_k(
    labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The old name of `average_precision_at_k`."""
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
