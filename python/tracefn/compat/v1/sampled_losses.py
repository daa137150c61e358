"""`tf.compat.v1.nn`: losses of sampled classes, whose weights may be spread over pieces in a way of their own."""

from __future__ import annotations

import functools

from tracefn._export import export
from tracefn.compat.v1.neural import embedding_lookup
from tracefn.compat.v1.partitioned import PartitionedVariable
from tracefn.ops.candidates import contrastive_losses, sampled_logits, softmax_losses


@export("compat.v1.nn.nce_loss")
def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy="mod", name="nce_loss"):  # fmt: skip
    """`tf.nn.nce_loss`, with a choice of how the rows of the weights are spread over their pieces.

    Args:
      partition_strategy: "mod": row i is in piece i % n; "div": the pieces are consecutive.
      other arguments: as there.

    Raises:
      ValueError: there is no such strategy.

    Example:
      >>> import tracefn as tf
      >>> pieces = [tf.ones([3, 2]), tf.ones([2, 2])]
      >>> tf.compat.v1.nn.nce_loss(pieces, tf.zeros([5]), [[1], [2]], tf.ones([2, 2]), 3, 5).shape
      TensorShape([2])
    """
    return contrastive_losses(*logits_by_strategy(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, f"{name}/compute_sampled_logits",
    ))  # fmt: skip


@export("compat.v1.nn.sampled_softmax_loss")
def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss",
                         seed=None):  # fmt: skip
    """`tf.nn.sampled_softmax_loss`, with a choice of how the rows of the weights are spread over their pieces.

    Args:
      partition_strategy: "mod": row i is in piece i % n; "div": the pieces are consecutive.
      other arguments: as there.

    Raises:
      ValueError: there is no such strategy.
    """
    return softmax_losses(*logits_by_strategy(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, f"{name}/compute_sampled_logits", seed,
    ))  # fmt: skip


def logits_by_strategy(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_hits,
                       partition_strategy, name, seed=None, subtract_log_q=True) -> tuple:  # fmt: skip
    """`sampled_logits` of weights in pieces, or of a variable in parts."""
    return sampled_logits(
        list(weights) if isinstance(weights, PartitionedVariable) else weights, biases, labels, inputs, num_sampled,
        num_classes, num_true, sampled_values, remove_hits, seed, name, subtract_log_q,
        functools.partial(embedding_lookup, partition_strategy=partition_strategy),
    )  # fmt: skip
