"""`tf.compat.v1.losses`: losses with weights, which graphs collect."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today
from tracefn.compat.v1.metric_parts import check_weights
from tracefn.framework import default_graph, executing_eagerly

_BY_WEIGHTS = "weighted_sum_by_nonzero_weights"
_LOSSES = "losses"


@export("compat.v1.losses.Reduction")
class Reduction:
    """How a loss of many elements becomes one number.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.losses.Reduction.SUM
      'weighted_sum'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = _BY_WEIGHTS
    SUM_OVER_NONZERO_WEIGHTS = _BY_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All ways."""
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def validate(cls, key) -> None:
        """Raises an error unless `key` is one of them.

        Raises:
          ValueError: it is not.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def _float(x):
    return today("cast")(x, "float32")


def _given(**values) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _present(losses, weights, per_batch: bool = False):
    """The number of elements whose weight is not zero."""
    if executing_eagerly() and weights.shape.rank == 0 and float(weights) != 0.0:
        return _float(today("size")(losses))
    counted = _float(today("not_equal")(weights, 0.0)) * today("ones_like")(losses)
    if not per_batch:
        return today("reduce_sum")(counted)
    return today("reduce_sum")(counted, today("range")(1, today("rank")(counted)), keepdims=True)


@export("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS):
    """A loss of many elements with weights, as one number.

    Args:
      losses: tensor of numbers.
      weights: scalar, or tensor of the same rank whose dimensions are of the same size or 1.
      scope: name of the ops.
      loss_collection: the graph's collection that the result is added to, or None.
      reduction: one of `Reduction`.

    Returns:
      Scalar of the dtype of `losses`; without reduction, a tensor of its shape.

    Raises:
      ValueError: the weights do not fit, or there is no such reduction.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.losses.compute_weighted_loss([1.0, 5.0, 3.0], [1.0, 0.0, 1.0]))
      2.0
    """
    Reduction.validate(reduction)
    with _core.OpScope(scope or "weighted_loss"):
        losses = _core.convert_to_tensor(losses)
        weights = _float(weights)
        with today("control_dependencies")(check_weights(weights, losses)):
            values = _float(losses)
            loss = today("math.multiply")(values, weights)
            if reduction != Reduction.NONE:
                loss = today("reduce_sum")(loss)
            if reduction == Reduction.MEAN:
                loss = today("math.divide_no_nan")(loss, today("reduce_sum")(today("ones_like")(values) * weights), name="value")
            elif reduction == _BY_WEIGHTS:
                loss = today("math.divide_no_nan")(loss, _present(values, weights), name="value")
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = today("math.divide_no_nan")(loss, _float(today("size")(values)), name="value")
            loss = today("cast")(loss, losses.dtype)
        add_loss(loss, loss_collection)
        return loss


def _same_shapes(labels, predictions):
    """Labels and predictions as float32; their shapes must fit."""
    labels, predictions = _float(labels), _float(predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def _elementwise(public: str, scope_name: str, what: str, formula) -> None:
    """Exports a loss of labels and predictions, whose elements are given by a formula."""

    def loss(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS):
        _given(labels=labels, predictions=predictions)
        with _core.OpScope(scope or scope_name) as scope:
            elements = formula(*_same_shapes(labels, predictions))
            return compute_weighted_loss(elements, weights, scope, loss_collection, reduction)

    loss.__name__ = loss.__qualname__ = public
    loss.__doc__ = f"""{what} of labels and predictions, with weights.

    Args:
      labels, predictions: tensors of one shape; converted to float32.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: labels or predictions are missing, or shapes differ.
    """
    export(f"compat.v1.losses.{public}")(loss)


_elementwise("absolute_difference", "absolute_difference", "The absolute difference", lambda y, p: today("abs")(p - y))
_elementwise("mean_squared_error", "mean_squared_error", "The squared difference", lambda y, p: today("math.squared_difference")(p, y))


@export("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels,
    predictions,
    axis=None,
    weights=1.0,
    scope=None,
    loss_collection=_LOSSES,
    reduction=_BY_WEIGHTS,
    dim=None,
):
    """1 minus the product of unit vectors along an axis, with weights.

    Args:
      labels, predictions: tensors of one shape.
      axis, dim: one argument by two names: the axis of the vectors.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    _given(labels=labels, predictions=predictions)
    with _core.OpScope(scope or "cosine_distance_loss") as scope:
        labels, predictions = _same_shapes(labels, predictions)
        losses = 1 - today("reduce_sum")(predictions * labels, axis, keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.hinge_loss")
def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS):
    """relu(1 - label * logit), of labels that are 0 or 1 and count as -1 and 1, with weights.

    Args:
      labels, logits: tensors of one shape.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    _given(labels=labels, logits=logits)
    with _core.OpScope(scope or "hinge_loss") as scope:
        labels, logits = _same_shapes(labels, logits)
        losses = today("nn.relu")(1 - (2 * labels - 1) * logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.huber_loss")
def huber_loss(
    labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS
):
    """Half the squared difference where it is at most `delta`, and beyond a line with the same slope, with weights.

    Args:
      labels, predictions: tensors of one shape.
      delta: number.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.losses.huber_loss([0.0], [3.0]))
      2.5
    """
    _given(labels=labels, predictions=predictions)
    with _core.OpScope(scope or "huber_loss") as scope:
        labels, predictions = _same_shapes(labels, predictions)
        distance = today("abs")(predictions - labels)
        inner = today("minimum")(distance, delta)
        losses = 0.5 * inner * inner + delta * (distance - inner)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.log_loss")
def log_loss(
    labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS
):
    """The cross entropy of labels and probabilities, with weights.

    Args:
      labels, predictions: tensors of one shape.
      epsilon: small number that is added to probabilities.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    _given(labels=labels, predictions=predictions)
    with _core.OpScope(scope or "log_loss") as scope:
        labels, predictions = _same_shapes(labels, predictions)
        log = today("math.log")
        losses = -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES):
    """The mean squared difference of differences between pairs of elements, for each element of the batch, with weights.

    Args:
      labels, predictions: tensors of one shape, of rank 1 at least.
      weights, scope, loss_collection: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    _given(labels=labels, predictions=predictions)
    with _core.OpScope(scope or "mean_pairwise_squared_error") as scope:
        weights = _float(weights)
        labels, predictions = _same_shapes(labels, predictions)
        with today("control_dependencies")(check_weights(weights, labels)):
            errors = predictions - labels
            axes = today("range")(1, today("rank")(errors))
            count = _present(errors, weights, per_batch=True)
            divide, total = today("math.divide_no_nan"), today("reduce_sum")
            squares = divide(total(errors * errors, axes, keepdims=True), today("maximum")(count - 1, 0.0), name="value")
            sums = divide(total(errors, axes, keepdims=True) ** 2, today("maximum")(count * (count - 1), 0.0), name="value")
            loss = total((2.0 * squares - 2.0 * sums) * weights)
            loss = today("where")(total(count) > 0, loss, today("zeros_like")(loss), name="value")
        add_loss(loss, loss_collection)
        return loss


@export("compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=_LOSSES,
    reduction=_BY_WEIGHTS,
):
    """The cross entropy of labels and sigmoid(logits), with weights.

    Args:
      multi_class_labels, logits: tensors of one shape.
      label_smoothing: number in [0, 1]: how far labels are moved towards a half.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with _core.OpScope(scope or "sigmoid_cross_entropy_loss") as scope:
        logits = _core.convert_to_tensor(logits)
        labels = today("cast")(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = today("nn.sigmoid_cross_entropy_with_logits")(labels, logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=_LOSSES,
    reduction=_BY_WEIGHTS,
):
    """The cross entropy of labels and softmax(logits) along the last axis, with weights; labels have no gradient.

    Args:
      onehot_labels, logits: tensors of one shape.
      label_smoothing: number in [0, 1]: how far labels are moved towards equal ones.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.
    """
    _given(onehot_labels=onehot_labels, logits=logits)
    with _core.OpScope(scope or "softmax_cross_entropy_loss") as scope:
        logits = _core.convert_to_tensor(logits)
        labels = today("cast")(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = today("cast")(today("shape")(labels)[-1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        losses = today("nn.softmax_cross_entropy_with_logits")(today("stop_gradient")(labels), logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES, reduction=_BY_WEIGHTS
):
    """The cross entropy of classes and softmax(logits) along the last axis, with weights.

    Args:
      labels: integer tensor of the shape of `logits` without the last dimension; one more of size 1 is dropped.
      logits: floating tensor.
      weights, scope, loss_collection, reduction: as for `compute_weighted_loss`.

    Raises:
      ValueError: an argument is missing, or shapes differ.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.compat.v1.losses.sparse_softmax_cross_entropy([[1]], [[0.0, 0.0]])), 4)
      0.6931
    """
    _given(labels=labels, logits=logits)
    with _core.OpScope(scope or "sparse_softmax_cross_entropy_loss") as scope:
        labels, logits = _core.convert_to_tensor(labels), _core.convert_to_tensor(logits)
        weights = _core.convert_to_tensor(weights)
        if labels.shape.rank is not None and labels.shape.rank == logits.shape.rank and labels.shape[-1] == 1:
            labels = today("squeeze")(labels, [-1])
        if weights.shape.rank and labels.shape.rank is not None and weights.shape.rank == labels.shape.rank + 1:
            weights = today("squeeze")(weights, [-1])
        losses = today("nn.sparse_softmax_cross_entropy_with_logits")(labels, logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("compat.v1.losses.add_loss")
def add_loss(loss, loss_collection=_LOSSES) -> None:
    """Adds a loss to a collection of the graph, unless that is None or ops run eagerly."""
    if loss_collection and not executing_eagerly():
        default_graph().add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses")
def get_losses(scope=None, loss_collection=_LOSSES) -> list:
    """The losses of the graph whose names begin with `scope`, or all."""
    return default_graph().get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope=None) -> list:
    """The regularization losses of the graph whose names begin with `scope`, or all."""
    return default_graph().get_collection("regularization_losses", scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """The sum of the regularization losses of the graph; 0 if there are none."""
    losses = get_regularization_losses(scope)
    return today("add_n")(losses, name=name) if losses else today("constant")(0.0)


@export("compat.v1.losses.get_total_loss")
def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """The sum of the losses of the graph.

    Args:
      add_regularization_losses: whether those count, too.
      name: name of the op.
      scope: regular expression for the beginning of names, or None.

    Raises:
      ValueError: there are none.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     _ = tf.compat.v1.losses.mean_squared_error([1.0], [3.0])
      ...     print(float(tf.compat.v1.Session().run(tf.compat.v1.losses.get_total_loss())))
      4.0
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return today("add_n")(losses, name=name)
