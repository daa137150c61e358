"""`tensorflow.python.ops.image_ops`: projective transforms as rows of eight numbers, and as matrices."""

from __future__ import annotations

from tracefn.ops._build import convert, name_scope, op

__all__ = ["flat_transforms_to_matrices", "matrices_to_flat_transforms"]


def flat_transforms_to_matrices(transforms):
    """The matrices of projective transforms.

    Args:
      transforms: float tensor [n, 8] or [8], the matrices without their last elements, which are 1.

    Returns:
      Tensor [n, 3, 3].

    Raises:
      ValueError: the rank is another one.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.image_ops.flat_transforms_to_matrices(tf.zeros([8])).numpy()[0, 2].tolist()
      [0.0, 0.0, 1.0]
    """
    with name_scope("flat_transforms_to_matrices"):
        transforms = convert(transforms, name="transforms")
        if transforms.shape.rank not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        rows = op("Reshape")(tensor=transforms, shape=[-1, 8])
        ones = op("OnesLike")(x=rows[:, :1])
        return op("Reshape")(tensor=op("ConcatV2")(values=[rows, ones], axis=1), shape=[-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices):
    """Projective transforms as rows of eight numbers: matrices, divided by their last elements, without them.

    Args:
      transform_matrices: float tensor [n, 3, 3] or [3, 3].

    Returns:
      Tensor [n, 8].

    Raises:
      ValueError: the rank is another one.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.image_ops.matrices_to_flat_transforms(2.0 * tf.eye(3)).numpy().tolist()
      [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]
    """
    with name_scope("matrices_to_flat_transforms"):
        matrices = convert(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows = op("Reshape")(tensor=matrices, shape=[-1, 9])
        return (rows / rows[:, 8:9])[:, :8]
