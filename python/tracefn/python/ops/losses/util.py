"""`tensorflow.python.ops.losses.util`: predictions, labels and weights of one rank."""

from __future__ import annotations

import contextlib

from tracefn._namespaces import root
from tracefn.framework import control_dependencies
from tracefn.ops.casting import cast
from tracefn.ops.statistics import of_one_rank

__all__ = ["check_per_example_loss_rank", "scale_losses_by_sample_weight", "squeeze_or_expand_dimensions"]


def _one_rank(y_true, y_pred) -> tuple:
    """Labels and predictions without a last dimension of size 1 that only one of them has; classes keep theirs."""
    ranks = y_pred.shape.rank, y_true.shape.rank
    if None not in ranks:
        are_classes = ranks[0] - ranks[1] == 1 and y_pred.shape[-1] != 1
        return (y_true, y_pred) if are_classes else of_one_rank(y_true, y_pred)
    tf = root()
    are_classes = (tf.rank(y_pred) - tf.rank(y_true) == 1) & (tf.shape(y_pred)[-1] != 1)
    return tf.cond(are_classes, lambda: (y_true, y_pred), lambda: of_one_rank(y_true, y_pred))


def _weight_of_rank(sample_weight, known_rank: int | None, y_pred):
    """A weight with the rank of predictions, if one dimension of size 1 makes it so; scalars stay."""
    tf, rank = root(), sample_weight.shape.rank
    if rank == 0:
        return sample_weight

    def shorter():
        return tf.squeeze(sample_weight, [-1])

    def longer():
        return tf.expand_dims(sample_weight, [-1])

    if rank is not None and known_rank is not None:
        more = rank - known_rank
        return shorter() if more == 1 else longer() if more == -1 else sample_weight
    run_time_rank = tf.rank(sample_weight)
    more = run_time_rank - tf.rank(y_pred)
    as_it_is = (run_time_rank == 0) | (tf.abs(more) != 1)
    return tf.cond(as_it_is, lambda: sample_weight, lambda: tf.cond(more == 1, shorter, longer))


def squeeze_or_expand_dimensions(y_pred, y_true=None, sample_weight=None) -> tuple:
    """Predictions, labels and weights of one rank, if a last dimension of size 1 is all that differs.

    Args:
      y_pred, y_true: tensors; labels may be None. If they are class numbers, predictions have one dimension more.
      sample_weight: tensor, which stays a scalar if it is one; or None.

    Returns:
      (predictions, labels), and the weights as a third element if there are some: with the rank that predictions had, if
      it is known.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.losses.util import squeeze_or_expand_dimensions
      >>> [x.shape for x in squeeze_or_expand_dimensions(tf.ones([4, 1]), tf.ones([4]), tf.ones([4, 1]))]
      [TensorShape([4]), TensorShape([4]), TensorShape([4, 1])]
    """
    known_rank = y_pred.shape.rank
    if y_true is not None:
        y_true, y_pred = _one_rank(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true
    return y_pred, y_true, _weight_of_rank(sample_weight, known_rank, y_pred)


def scale_losses_by_sample_weight(losses, sample_weight):
    """The float32 product of losses and their weights, tensors whose ranks may differ by a last dimension of size 1."""
    losses, sample_weight = cast(losses, "float32"), cast(sample_weight, "float32")
    losses, _, sample_weight = squeeze_or_expand_dimensions(losses, None, sample_weight)
    return losses * sample_weight


@contextlib.contextmanager
def check_per_example_loss_rank(per_example_loss):
    """A context whose ops run after a check that a tensor of losses is no scalar.

    Raises:
      ValueError: the rank is known to be 0.
    """
    text = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1."
    rank = per_example_loss.shape.rank
    if rank == 0:
        raise ValueError(f"{text} Received per_example_loss={per_example_loss} with rank {rank}")
    tf = root()
    checks = [] if rank is not None else [tf.compat.v1.assert_greater_equal(tf.rank(per_example_loss), 1, message=text)]
    with control_dependencies(checks):
        yield
