"""Moments, and normalization by moments or by a norm."""

from __future__ import annotations

from math import prod

from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_creation import zeros
from tracefn.ops.array_shape import squeeze
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import complex, imag, real
from tracefn.ops.linear_algebra import norm
from tracefn.ops.reduction import reduce_mean, reduce_sum


def _squeeze(tensor, axes, keepdims):
    if keepdims:
        return tensor
    return squeeze(tensor, axes)


@export("nn.moments")
def moments(x, axes, shift=None, keepdims=False, name=None):
    """Mean and variance along axes.

    Args:
      x: floating tensor of any shape.
      axes: int or list of ints, the axes to reduce; negative ones count from the last.
      shift: accepted, without effect.
      keepdims: whether these axes are kept with size 1.
      name: name of the ops.

    Returns:
      (mean, variance), of x's dtype, and of its shape without the axes; 16-bit floats are computed as float32.

    Raises:
      InvalidArgumentError: x has no such axis; a ValueError in a graph.

    Example:
      >>> import tracefn as tf
      >>> [float(t) for t in tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])]
      [2.0, 1.0]
    """
    del shift
    with name_scope(name or "moments"):
        given = convert(x, name="x")
        narrow = given.dtype.name in ("float16", "bfloat16")
        x = cast(given, "float32") if narrow else given
        mean = reduce_mean(x, axes, keepdims=True, name="mean")
        difference = op("SquaredDifference")(x=x, y=op("StopGradient")(input=mean))
        variance = reduce_mean(difference, axes, keepdims=True, name="variance")
        results = [_squeeze(t, axes, keepdims) for t in (mean, variance)]
        return tuple(cast(t, given.dtype) for t in results) if narrow else tuple(results)


@export("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """Weighted mean and variance along axes.

    Args:
      x: floating tensor of any shape.
      axes: int or list of ints, the axes to reduce; negative ones count from the last.
      frequency_weights: tensor of numbers whose shape broadcasts with x's.
      keepdims: whether these axes are kept with size 1.
      name: name of the ops.

    Returns:
      (mean, variance), of x's dtype, and of the broadcast shape without the axes; 16-bit floats are computed as float32.

    Raises:
      InvalidArgumentError: shapes do not broadcast, or there is no such axis; a ValueError in a graph.

    Example:
      >>> import tracefn as tf
      >>> [float(t) for t in tf.nn.weighted_moments(tf.constant([1.0, 5.0]), [0], tf.constant([3.0, 1.0]))]
      [2.0, 3.0]
    """
    with name_scope(name or "weighted_moments"):
        given = convert(x, name="x")
        narrow = given.dtype.name in ("float16", "bfloat16")
        x = cast(given, "float32") if narrow else given
        weights = cast(convert(frequency_weights, name="frequency_weights"), x.dtype)
        total = reduce_sum(weights + op("ZerosLike")(x=x), axes, keepdims=True)
        mean = reduce_sum(weights * x, axes, keepdims=True) / total
        square = reduce_sum(
            weights * op("SquaredDifference")(x=x, y=op("StopGradient")(input=mean)), axes, keepdims=True
        )
        results = [_squeeze(t, axes, keepdims) for t in (mean, square / total)]
        return tuple(cast(t, given.dtype) for t in results) if narrow else tuple(results)


@export("nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """What moments along axes follow from: the number of elements, their sum, and the sum of their squares.

    Args:
      x: tensor of numbers, of any shape.
      axes: list of ints, the axes to reduce; negative ones count from the last.
      shift: number or tensor that is subtracted from the elements first, near their mean; None for nothing.
      keepdims: whether these axes are kept with size 1.
      name: name of the ops.

    Returns:
      (count, sum, sum of squares, shift): the count is a scalar of x's dtype, the sums have x's dtype and its shape
      without the axes; shift is a tensor or None.

    Raises:
      IndexError: x has no such axis.
      InvalidArgumentError: shift does not broadcast with x; a ValueError in a graph.

    Example:
      >>> import tracefn as tf
      >>> count, total, squares, _ = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])
      >>> float(count), float(total), float(squares)
      (2.0, 4.0, 10.0)
    """
    axes = list(set(axes))
    with name_scope(name or "sufficient_statistics"):
        x = convert(x, name="x")
        dims = [x.shape[a] for a in axes] if x.shape.rank is not None else [None]
        if None not in dims:
            counts = convert(prod(dims), dtype=x.dtype)
        else:
            rank = op("Rank")(input=x)
            positive = [a + rank if a < 0 else a for a in axes]
            sizes = cast(op("Shape")(input=x), x.dtype)
            counts = op("Prod")(input=op("GatherV2")(params=sizes, indices=positive, axis=0), axis=[0], name="count")
        if shift is not None:
            shift = convert(shift, name="shift")
            mean_ss = op("Sub")(x=x, y=shift)
            variance_ss = op("SquaredDifference")(x=x, y=shift)
        else:
            mean_ss, variance_ss = x, op("Square")(x=x)
        mean_ss = reduce_sum(mean_ss, axes, keepdims=keepdims, name="mean_ss")
        variance_ss = reduce_sum(variance_ss, axes, keepdims=keepdims, name="var_ss")
    return counts, mean_ss, variance_ss, shift


@export("nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Mean and variance from what `sufficient_statistics` returns.

    Args:
      counts: number of elements, a floating scalar.
      mean_ss, variance_ss: sums of the elements and of their squares: tensors of one shape and of counts' dtype.
      shift: what was subtracted from the elements, a tensor that broadcasts with the sums, or None.
      name: name of the ops.

    Returns:
      (mean, variance), of the dtype and shape of the sums.

    Raises:
      InvalidArgumentError: shapes do not broadcast, or dtypes differ; in a graph a ValueError or TypeError.

    Example:
      >>> import tracefn as tf
      >>> [float(t) for t in tf.nn.normalize_moments(2.0, 4.0, 10.0, None)]
      [2.0, 1.0]
    """
    with name_scope(name or "normalize"):
        divisor = op("Reciprocal")(x=counts, name="divisor")
        shifted = op("Mul")(x=mean_ss, y=divisor, name="mean" if shift is None else "shifted_mean")
        mean = shifted if shift is None else op("Add")(x=shifted, y=shift, name="mean")
        squares = op("Mul")(x=variance_ss, y=divisor)
        return mean, op("Sub")(x=squares, y=op("Square")(x=shifted), name="variance")


@export("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    Args:
      x: tensor of any shape.
      mean, variance: tensors of one dtype that broadcast with x.
      offset, scale: tensors of that dtype that broadcast with x, or None for 0 and 1.
      variance_epsilon: small number added to the variance, which avoids division by zero.
      name: name of the ops.

    Returns:
      Tensor of x's dtype, and of its shape unless the others broadcast it.

    Raises:
      InvalidArgumentError: shapes do not broadcast, or the dtypes of statistics differ; a ValueError or TypeError in a graph.

    Source: Ioffe and Szegedy, "Batch normalization", 2015.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.batch_normalization(tf.constant([1.0, 3.0]), 2.0, 1.0, 0.5, 2.0, 0.0).numpy().tolist()
      [-1.5, 2.5]
    """
    with name_scope(name or "batchnorm"):
        x = convert(x)
        factor = op("Rsqrt")(x=convert(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        moved = mean * factor
        return x * cast(factor, x.dtype) + cast(offset - moved if offset is not None else -moved, x.dtype)


@export("math.l2_normalize", "linalg.l2_normalize", "nn.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x divided by its Euclidean norm along axes.

    Args:
      x: floating or complex tensor of any shape.
      axis: int, list of ints, or None for all axes; negative ones count from the last.
      epsilon: lower bound of the squared norm.
      name: name of the ops.
      dim: an old name of `axis`.

    Returns:
      Tensor of x's shape and dtype.

    Raises:
      ValueError: `axis` and `dim` are both given.
      InvalidArgumentError: x has no such axis; a ValueError in a graph.

    Example:
      >>> import tracefn as tf
      >>> tf.math.l2_normalize([0.0, 4.0]).numpy().tolist()
      [0.0, 1.0]
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'dim' and 'axis'.")
        axis = dim
    with name_scope(name or "l2_normalize") as scope:
        x = convert(x, name="x")
        if x.dtype.is_complex:
            first, second = real(x), imag(x)
            squares = op("Square")(x=first) + op("Square")(x=second)
            inverse = op("Rsqrt")(x=_at_least(reduce_sum(squares, axis, keepdims=True), epsilon))
            return complex(first * inverse, second * inverse, name=scope)
        inverse = op("Rsqrt")(x=_at_least(reduce_sum(op("Square")(x=x), axis, keepdims=True), epsilon))
        return op("Mul")(x=x, y=inverse, name=scope)


def _at_least(x, epsilon):
    return op("Maximum")(x=x, y=convert(epsilon, dtype=x.dtype))


@export("linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """(tensor / norm, norm), with the norm as in `tf.norm` with keepdims.

    Args:
      tensor: floating or complex tensor of any shape.
      ord, axis: as in `tf.norm`.
      name: name of the ops.

    Returns:
      (Tensor of tensor's shape and dtype, the norm, of its dtype and with size 1 along the axes).

    Raises:
      ValueError: `ord` or `axis` is none that `tf.norm` takes.
      InvalidArgumentError: there is no such axis; a ValueError in a graph.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.linalg.normalize([0.0, 4.0])]
      [[0.0, 1.0], [4.0]]
    """
    with name_scope(name or "normalize"):
        tensor = convert(tensor)
        length = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / length, length


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value, name=None):
    """The fraction of elements that are zero.

    Args:
      value: tensor of any shape and dtype; False and "" count as zero.
      name: name of the ops.

    Returns:
      Scalar float32 tensor; NaN if there are no elements.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.zero_fraction([0, 1, 0, 2]))
      0.5
    """
    with name_scope(name or "zero_fraction"):
        value = convert(value, name="value")
        zero = zeros([], value.dtype)
        return reduce_mean(cast(op("Equal")(x=value, y=zero), "float32"), name="fraction")
