"""`tf.compat.v1.metrics`: means and counts over many batches, in local Variables of a graph."""

from __future__ import annotations

from tracefn import _logging
from tracefn._export import export
from tracefn._namespaces import root
from tracefn.compat.v1.metric_parts import (
    at_thresholds,
    broadcast_weights,
    eager_error,
    fitting,
    metric,
    metric_variable,
    reported,
)
from tracefn.compat.v1.variable_scopes import variable_scope

tf = root()

_EPSILON = 1e-7


@export("compat.v1.metrics.mean")
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of all values of all batches.

    Each metric has local Variables, which `tf.compat.v1.local_variables_initializer()` sets to zero. All metrics have these
    arguments:

    Args:
      values: tensor of numbers.
      weights: None, or a tensor that broadcasts to `values`: of its rank, with dimensions of the same size or 1.
      metrics_collections, updates_collections: lists of the graph's collections for the results, or None.
      name: str, the variable scope.

    Returns:
      Pair of scalars: the mean of the batches so far, and that after an update by this batch.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     value, update = tf.compat.v1.metrics.mean([1.0, 2.0, 6.0])
      ...     with tf.compat.v1.Session() as session:
      ...         session.run(tf.compat.v1.local_variables_initializer())
      ...         print(session.run(value), session.run(update), session.run(value))
      0.0 3.0 3.0
    """
    eager_error("mean")
    with variable_scope(name, "mean", (values, weights)):
        values = tf.cast(values, "float32")
        total, count = metric_variable([], "float32", "total"), metric_variable([], "float32", "count")
        if weights is None:
            number = tf.cast(tf.size(values), "float32")
        else:
            values, _, weights = fitting(values, None, weights)
            weights = broadcast_weights(tf.cast(weights, "float32"), values)
            values = values * weights
            number = tf.reduce_sum(weights)
        return _mean(total, count, tf.reduce_sum(values), number, values, metrics_collections, updates_collections)


def _mean(total, count, more, number, values, metrics_collections, updates_collections):
    """A mean as a metric, of a sum and a number of values in Variables, and those of a batch."""
    total_now = total.assign_add(more)
    with tf.control_dependencies([values]):
        count_now = count.assign_add(number)

    def quotient(total, count, name):
        return tf.math.divide_no_nan(total, tf.maximum(count, 0.0), name=name)

    return metric(quotient, (total, count), (total_now, count_now), metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_tensor")
def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of each element over the batches; see `mean`."""
    eager_error("mean_tensor")
    with variable_scope(name, "mean", (values, weights)):
        values = tf.cast(values, "float32")
        total = metric_variable(values.shape, "float32", "total_tensor")
        count = metric_variable(values.shape, "float32", "count_tensor")
        number = tf.ones_like(values)
        if weights is not None:
            values, _, weights = fitting(values, None, weights)
            weights = broadcast_weights(tf.cast(weights, "float32"), values)
            values, number = values * weights, number * weights
        return _mean(total, count, values, number, values, metrics_collections, updates_collections)


@export("compat.v1.metrics.accuracy")
def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often predictions equal the labels; see `mean`.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     _, update = tf.compat.v1.metrics.accuracy([1, 2, 3, 4], [0, 2, 3, 4])
      ...     with tf.compat.v1.Session() as session:
      ...         session.run(tf.compat.v1.local_variables_initializer())
      ...         print(session.run(update))
      0.75
    """
    eager_error("accuracy")
    predictions, labels, weights = fitting(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = tf.cast(predictions, labels.dtype)
    correct = tf.cast(tf.equal(predictions, labels), "float32")
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


@export("compat.v1.metrics.mean_absolute_error")
def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of |predictions - labels|; see `mean`."""
    eager_error("mean_absolute_error")
    predictions, labels, weights = fitting(predictions, labels, weights)
    errors = tf.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@export("compat.v1.metrics.mean_squared_error")
def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of (predictions - labels)**2; see `mean`."""
    eager_error("mean_squared_error")
    predictions, labels, weights = fitting(predictions, labels, weights)
    errors = tf.math.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@export("compat.v1.metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The root of `mean_squared_error`."""
    eager_error("root_mean_squared_error")
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return reported(tf.sqrt(value), tf.sqrt(update), metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_relative_error")
def mean_relative_error(
    labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of |labels - predictions| / normalizer, or 0 where that is zero; see `mean`."""
    eager_error("mean_relative_error")
    predictions, labels, weights = fitting(predictions, labels, weights)
    normalizer, predictions, _ = fitting(normalizer, predictions, None)
    errors = tf.where(tf.equal(normalizer, 0.0), tf.zeros_like(labels), tf.abs(labels - predictions) / normalizer)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@export("compat.v1.metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """One minus the mean of the inner products of unit vectors along dimension `dim`; see `mean`."""
    eager_error("mean_cosine_distance")
    predictions, labels, weights = fitting(predictions, labels, weights)
    products = tf.reduce_sum(predictions * labels, axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return reported(tf.subtract(1.0, value), tf.subtract(1.0, update), metrics_collections, updates_collections)


@export("compat.v1.metrics.percentage_below")
def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often values are below a threshold, from 0 to 1; see `mean`."""
    eager_error("percentage_below")
    below = tf.cast(tf.less(values, threshold), "float32")
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


def _flat(x):
    return x if x.shape.rank is not None and x.shape.rank <= 1 else tf.reshape(x, [-1])


@export("compat.v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean over the classes of how often predictions of a class are right; see `mean`.

    Args:
      labels, predictions: tensors of classes below `num_classes`.
      num_classes: int.
    """
    eager_error("mean_per_class_accuracy")
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = _flat(tf.cast(labels, "int64"))
        predictions = _flat(tf.convert_to_tensor(predictions))
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], "float32", "total")
        count = metric_variable([num_classes], "float32", "count")
        seen = tf.ones_like(labels, dtype="float32")
        correct = tf.cast(tf.equal(tf.cast(predictions, labels.dtype), labels), "float32")
        if weights is not None:
            weights = tf.cast(_flat(tf.convert_to_tensor(weights)), "float32")
            correct, seen = correct * weights, seen * weights
        total_now = total.scatter_add(tf.IndexedSlices(seen, labels))
        count_now = count.scatter_add(tf.IndexedSlices(correct, labels))
        value = tf.reduce_mean(tf.math.divide_no_nan(count, tf.maximum(total, 0.0)), name="mean_accuracy")
        update = tf.math.divide_no_nan(count_now, tf.maximum(total_now, 0.0), name="update_op")
        return reported(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_iou")
def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean over the classes of right predictions / (labels or predictions of the class); see `mean`.

    Args:
      labels, predictions: tensors of classes below `num_classes`.
      num_classes: int.

    Returns:
      Pair of the mean and an update, which returns the confusion matrix.
    """
    eager_error("mean_iou")
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        labels, predictions = tf.convert_to_tensor(labels), tf.convert_to_tensor(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        matrix = metric_variable([num_classes, num_classes], "float64", "total_confusion_matrix")
        more = tf.math.confusion_matrix(
            _flat(tf.cast(labels, "int64")),
            _flat(tf.cast(predictions, "int64")),
            num_classes,
            None if weights is None else _flat(tf.convert_to_tensor(weights)),
            "float64",
        )
        update = matrix.assign_add(more)
        rows, columns = (tf.cast(tf.reduce_sum(matrix, axis), "float32") for axis in (0, 1))
        right = tf.cast(tf.linalg.diag_part(matrix), "float32")
        either = rows + columns - right
        seen = tf.reduce_sum(tf.cast(tf.not_equal(either, 0.0), "float32"))
        ratios = right / tf.where(tf.greater(either, 0.0), either, tf.ones_like(either))
        value = tf.where(tf.greater(seen, 0.0), tf.reduce_sum(ratios, name="mean_iou") / seen, 0.0)
        return reported(value, update, metrics_collections, updates_collections)


def _count(condition, weights, metrics_collections, updates_collections):
    """How often a condition holds, as a metric."""
    count = metric_variable([], "float32", "count")
    values = tf.cast(condition, "float32")
    if weights is not None:
        with tf.control_dependencies([tf.debugging.assert_rank_in(weights, (0, tf.rank(values)))]):
            values = values * tf.cast(weights, "float32")
    value = tf.identity(count)
    return reported(value, count.assign_add(tf.reduce_sum(values)), metrics_collections, updates_collections)


def _counter(public: str, label: bool, prediction: bool, what: str) -> None:
    """Exports a count of the pairs of a label and a prediction, and the same at thresholds."""
    kind = {(True, True): "tp", (True, False): "fn", (False, False): "tn", (False, True): "fp"}[label, prediction]

    def count(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        eager_error(public)
        with variable_scope(name, public, (predictions, labels, weights)):
            found, wanted, weights = fitting(tf.cast(predictions, "bool"), tf.cast(labels, "bool"), weights)
            condition = tf.logical_and(tf.equal(wanted, label), tf.equal(found, prediction))
            return _count(condition, weights, metrics_collections, updates_collections)

    def count_at_thresholds(
        labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
    ):
        eager_error(f"{public}_at_thresholds")
        with variable_scope(name, public, (predictions, labels, weights)):
            values, updates = at_thresholds(labels, predictions, thresholds, weights, [kind])
            return reported(tf.identity(values[kind]), updates[kind], metrics_collections, updates_collections)

    for function, path in ((count, public), (count_at_thresholds, f"{public}_at_thresholds")):
        function.__name__ = function.__qualname__ = path
        function.__doc__ = f"The number of {what}{'' if function is count else ', at each of some thresholds'}; see `mean`."
        export(f"compat.v1.metrics.{path}")(function)


_counter("true_positives", True, True, "true labels that were predicted")
_counter("true_negatives", False, False, "false labels that were predicted")
_counter("false_positives", False, True, "false labels for which true ones were predicted")
_counter("false_negatives", True, False, "true labels for which false ones were predicted")


def _ratio(public: str, other: str, kinds: tuple[str, str], what: str) -> None:
    """Exports true positives / (true positives + others), and the same at thresholds."""

    def ratio(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        eager_error(public)
        with variable_scope(name, public, (predictions, labels, weights)):
            found, wanted, weights = fitting(tf.cast(predictions, "bool"), tf.cast(labels, "bool"), weights)
            hits, hits_now = tf.compat.v1.metrics.true_positives(wanted, found, weights)
            misses, misses_now = getattr(tf.compat.v1.metrics, other)(wanted, found, weights)

            def quotient(hits, misses, name):
                all_ = hits + misses
                return tf.where(tf.greater(all_, 0.0), tf.math.divide(hits, all_), 0.0, name=name)

            return metric(quotient, (hits, misses), (hits_now, misses_now), metrics_collections, updates_collections)

    def ratio_at_thresholds(
        labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
    ):
        eager_error(f"{public}_at_thresholds")
        with variable_scope(name, f"{public}_at_thresholds", (predictions, labels, weights)):
            values, updates = at_thresholds(labels, predictions, thresholds, weights, kinds)

            def quotient(hits, misses, name):
                return tf.divide(hits, _EPSILON + hits + misses, name=f"{public}_{name}")

            return metric(
                quotient,
                [values[kind] for kind in kinds],
                [updates[kind] for kind in kinds],
                metrics_collections,
                updates_collections,
            )

    for function, path in ((ratio, public), (ratio_at_thresholds, f"{public}_at_thresholds")):
        function.__name__ = function.__qualname__ = path
        function.__doc__ = f"{what}{'' if function is ratio else ', at each of some thresholds'}; see `mean`."
        export(f"compat.v1.metrics.{path}")(function)


_ratio("precision", "false_positives", ("tp", "fp"), "How much of what was predicted is true")
_ratio("recall", "false_negatives", ("tp", "fn"), "How much of what is true was predicted")


def _even_thresholds(count: int, last: float = 1.0 + _EPSILON) -> list[float]:
    return [-_EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), last]


@export("compat.v1.metrics.auc")
def auc(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
    summation_method="trapezoidal",
    thresholds=None,
):
    """The area under a curve of two ratios, approximated by thresholds; see `mean`.

    Args:
      labels: bool tensor.
      predictions: tensor of probabilities.
      num_thresholds: int, the number of thresholds.
      curve: "ROC" (recall over false positive rate) or "PR" (precision over recall).
      summation_method: "trapezoidal", "careful_interpolation" (for PR), "minoring" or "majoring".
      thresholds: None, or list of thresholds between 0 and 1.

    Raises:
      ValueError: there is no such curve or method.
    """
    eager_error("auc")
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if thresholds is None:
            thresholds = _even_thresholds(num_thresholds)
        else:
            thresholds = [-_EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        values, updates = at_thresholds(labels, predictions, thresholds, weights)

        def area(tp, fn, tn, fp, name):
            return _area(tp, fn, tn, fp, curve, summation_method, name)

        return _of_all(area, values, updates, metrics_collections, updates_collections)


def _area(tp, fn, tn, fp, curve: str, method: str, name: str):
    if curve == "PR" and method == "trapezoidal":
        _logging.warn(
            'Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "careful_interpolation" instead.'
        )
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(tf.convert_to_tensor(tp), tf.convert_to_tensor(fp), tf.convert_to_tensor(fn))
    epsilon = 1e-6
    recall = (tp + epsilon) / (tp + fn + epsilon)
    if curve == "ROC":
        x, y = fp / (fp + tn + epsilon), recall
    else:
        x, y = recall, (tp + epsilon) / (tp + fp + epsilon)
    heights = {
        "trapezoidal": lambda: (y[:-1] + y[1:]) / 2.0,
        "careful_interpolation": lambda: (y[:-1] + y[1:]) / 2.0,
        "minoring": lambda: tf.minimum(y[:-1], y[1:]),
        "majoring": lambda: tf.maximum(y[:-1], y[1:]),
    }
    if method not in heights:
        raise ValueError(
            f"Invalid summation_method: {method} summation_method should be 'trapezoidal', 'careful_interpolation', "
            "'minoring', or 'majoring'."
        )
    return tf.reduce_sum((x[:-1] - x[1:]) * heights[method](), name=name)


def _interpolated_area(tp, fp, fn):
    """The area under precision over recall, with true positives interpolated linearly between thresholds.

    Source: J. Davis, M. Goadrich, "The Relationship Between Precision-Recall and ROC Curves", ICML 2006.
    """
    no_nan = tf.math.divide_no_nan
    more = tp[:-1] - tp[1:]
    predicted = tp + fp
    slope = no_nan(more, tf.maximum(predicted[:-1] - predicted[1:], 0.0), name="prec_slope")
    intercept = tp[1:] - slope * predicted[1:]
    both = tf.logical_and(predicted[:-1] > 0.0, predicted[1:] > 0.0)
    ratio = tf.where(both, no_nan(predicted[:-1], tf.maximum(predicted[1:], 0.0)), tf.ones_like(predicted[1:]))
    steps = no_nan(slope * (more + intercept * tf.math.log(ratio)), tf.maximum(tp[1:] + fn[1:], 0.0), name="pr_auc_increment")
    return tf.reduce_sum(steps, name="interpolate_pr_auc")


@export("compat.v1.metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels,
    predictions,
    specificity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The recall at the threshold whose true negative rate is nearest to `specificity`; see `mean`.

    Raises:
      ValueError: `specificity` is not between 0 and 1.
    """
    eager_error("sensitivity_at_specificity")
    if not 0 <= specificity <= 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        values, updates = at_thresholds(labels, predictions, _even_thresholds(num_thresholds), weights)

        def sensitivity(tp, fn, tn, fp, name):
            rates = tn / (tn + fp + _EPSILON)
            place = tf.cast(tf.argmin(tf.abs(rates - specificity), 0), "int32")
            return tf.divide(tp[place], tp[place] + fn[place] + _EPSILON, name)

        return _of_all(sensitivity, values, updates, metrics_collections, updates_collections)


@export("compat.v1.metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels,
    predictions,
    sensitivity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The true negative rate at the last threshold whose recall is nearest to `sensitivity`; see `mean`.

    Raises:
      ValueError: `sensitivity` is not between 0 and 1.
    """
    eager_error("specificity_at_sensitivity")
    if not 0 <= sensitivity <= 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        thresholds = _even_thresholds(num_thresholds, 1.0 - _EPSILON)
        values, updates = at_thresholds(labels, predictions, thresholds, weights)

        def specificity(tp, fn, tn, fp, name):
            away = tf.abs(tp / (tp + fn + _EPSILON) - sensitivity)
            nearest = tf.cast(tf.equal(away, tf.reduce_min(away)), "int64")
            place = tf.cast(tf.argmax(tf.cumsum(nearest), 0), "int32")
            return tf.divide(tn[place], tn[place] + fp[place] + _EPSILON, name)

        return _of_all(specificity, values, updates, metrics_collections, updates_collections)


def _of_all(function, values, updates, metrics_collections, updates_collections):
    kinds = ("tp", "fn", "tn", "fp")
    parts = ([table[kind] for kind in kinds] for table in (values, updates))
    return metric(function, *parts, metrics_collections, updates_collections)
