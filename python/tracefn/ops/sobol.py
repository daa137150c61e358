"""`tf.math.sobol_sample`: points that fill a cube evenly."""

from __future__ import annotations

from tracefn._export import export
from tracefn.dtypes import float32
from tracefn.ops._build import name_scope, op


@export("math.sobol_sample")
def sobol_sample(dim, num_results, skip=0, dtype=float32, name=None):
    """Points of Sobol's sequence, which fill the unit cube evenly.

    Args:
      dim: int scalar, at most 1111: the dimensions of a point. (TensorFlow: 21200.)
      num_results: int scalar, the number of points.
      skip: int scalar, how many of the first points are left out.
      dtype: float32 or float64.
      name: name of the node.

    Returns:
      Tensor [num_results, dim] of numbers in [0, 1).

    Raises:
      InvalidArgumentError: a number is too small or too large.

    Example:
      >>> import tracefn as tf
      >>> tf.math.sobol_sample(dim=2, num_results=3).numpy().tolist()
      [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]

    Source: I. M. Sobol, 1967; direction numbers of S. Joe and F. Y. Kuo, 2008.
    """
    with name_scope(name or "sobol"):
        return op("SobolSample")(dim=dim, num_results=num_results, skip=skip, dtype=dtype, name=name)
