"""`tensorflow.python.ops.nn_impl`: functions that have no public name."""

from __future__ import annotations

from tracefn.compat.v1.sampled_losses import logits_by_strategy
from tracefn.ops._build import convert, op

__all__: list[str] = []


def _compute_sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                            subtract_log_q=True, remove_accidental_hits=False, partition_strategy="mod", name=None,
                            seed=None) -> tuple:  # fmt: skip
    """The logits of true and sampled classes, and their labels, from which `tf.nn.nce_loss` computes losses."""
    return logits_by_strategy(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, name or "compute_sampled_logits", seed, subtract_log_q,
    )  # fmt: skip


def _sum_rows(x):
    """The sum of each row of a matrix."""
    return op("Sum")(input=convert(x), reduction_indices=[1])
