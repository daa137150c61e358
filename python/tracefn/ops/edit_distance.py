"""`tf.edit_distance`."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import op
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorValue, parts, require_sparse


@export("edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """Levenshtein's distances of the sequences along the last dimension of two SparseTensors.

    Args:
      hypothesis, truth: SparseTensors of equal rank and dtype; all dimensions but the last are equal.
      normalize: whether a distance is divided by the length of the true sequence.
      name: name of the node.

    Returns:
      float32 tensor of the shape without the last dimension; infinite where only the hypothesis has a sequence and
      distances are normalized.

    Raises:
      TypeError: an argument is not a SparseTensor.
      InvalidArgumentError: the ranks differ.

    Example:
      >>> import tracefn as tf
      >>> a = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
      >>> b = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3]], ["a", "c", "b", "d"], [1, 4])
      >>> tf.edit_distance(a, b).numpy().tolist()
      [0.5]
    """
    hypothesis, truth = _sparse(hypothesis, "Hypothesis"), _sparse(truth, "Truth")
    return op("EditDistance")(
        **parts("hypothesis_", hypothesis), **parts("truth_", truth), normalize=normalize, name=name
    )


def _sparse(value, what: str):
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"{what} must be a SparseTensor.")
    return require_sparse(value)
