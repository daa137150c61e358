"""Reductions under their public names, and statistics computed from them."""

from __future__ import annotations

from tracefn._export import export
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, convert, ints, name_scope, op

_ARGUMENTS = """
    Args:
      input_tensor: {types}.
      axis: int, or list of ints: the dimensions to reduce, counted from the end if negative; None: all.
      keepdims: whether the reduced dimensions are kept with size 1.
      name: name of the node.

    Returns:
      Tensor of {result}.

    Raises:
      InvalidArgumentError: an axis is out of range or named twice (ValueError while tracing).
"""


def _all_axes(x, axis):
    if axis is not None:
        return axis if not (isinstance(axis, (list, tuple)) and not axis) else ints([])
    if x.shape.rank is not None:
        return ints(range(x.shape.rank))
    return op("Range")(start=0, limit=op("Rank")(input=x), delta=1)


def _reduce(kind, input_tensor, axis, keepdims, name, **conversion):
    as_it_is = is_tensor(input_tensor) or (axis is not None and not conversion)  # else its rank is asked for
    x = input_tensor if as_it_is else convert(input_tensor, **conversion)
    y = op(kind)(input=x, reduction_indices=_all_axes(x, axis), keep_dims=bool(keepdims), name=name)
    if axis is None and not keepdims and x.shape.rank is None:
        y.set_shape([])  # all the axes, however many
    return y


def _reduction(short: str, kind: str, what: str, types: str, result: str, example: str, **conversion):
    """Creates the public function of one reduction op, called `short`."""

    def reduction(input_tensor, axis=None, keepdims=False, name=None):
        return _reduce(kind, input_tensor, axis, keepdims, name, **conversion)

    reduction.__name__ = reduction.__qualname__ = short
    arguments = _ARGUMENTS.format(types=types, result=result)
    reduction.__doc__ = f"{what}\n{arguments}\n    Example:\n      >>> import tracefn as tf\n{example}    "
    return reduction


reduce_sum = export("math.reduce_sum", "reduce_sum")(_reduction(
    "reduce_sum",
    "Sum",
    "The sum of elements over dimensions.",
    "tensor of numbers",
    "input's dtype; integers wrap around on overflow",
    "      >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy().tolist()\n      [4, 6]\n",
))
reduce_prod = export("math.reduce_prod", "reduce_prod")(_reduction(
    "reduce_prod",
    "Prod",
    "The product of elements over dimensions.",
    "tensor of numbers",
    "input's dtype; integers wrap around on overflow",
    "      >>> int(tf.reduce_prod([1, 2, 3, 4]))\n      24\n",
))
reduce_max = export("math.reduce_max", "reduce_max")(_reduction(
    "reduce_max",
    "Max",
    "The maximum of elements over dimensions. NaN if any element is NaN.",
    "tensor of real numbers",
    "input's dtype",
    "      >>> int(tf.reduce_max([1, 4, 3]))\n      4\n",
))
reduce_min = export("math.reduce_min", "reduce_min")(_reduction(
    "reduce_min",
    "Min",
    "The minimum of elements over dimensions. NaN if any element is NaN.",
    "tensor of real numbers",
    "input's dtype",
    "      >>> int(tf.reduce_min([4, 1, 3]))\n      1\n",
))
reduce_mean = export("math.reduce_mean", "reduce_mean")(_reduction(
    "reduce_mean",
    "Mean",
    "The mean of elements over dimensions.",
    "tensor of numbers",
    "input's dtype; for integers, truncated toward zero",
    "      >>> float(tf.reduce_mean([1.0, 2.0]))\n      1.5\n",
))
reduce_euclidean_norm = export("math.reduce_euclidean_norm")(_reduction(
    "reduce_euclidean_norm",
    "EuclideanNorm",
    "The Euclidean norm of elements over dimensions: the square root of the sum of squares.",
    "tensor of numbers",
    "input's dtype",
    "      >>> float(tf.math.reduce_euclidean_norm([3.0, 4.0]))\n      5.0\n",
))
reduce_all = export("math.reduce_all", "reduce_all")(_reduction(
    "reduce_all",
    "All",
    "The logical AND of elements over dimensions.",
    "bool tensor",
    "bools",
    "      >>> bool(tf.reduce_all([True, False]))\n      False\n",
    dtype="bool",
))
reduce_any = export("math.reduce_any", "reduce_any")(_reduction(
    "reduce_any",
    "Any",
    "The logical OR of elements over dimensions.",
    "bool tensor",
    "bools",
    "      >>> bool(tf.reduce_any([True, False]))\n      True\n",
    dtype="bool",
))


@export("math.reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """The variance over dimensions: the mean squared distance from the mean.

    Args:
      input_tensor: floating or complex tensor.
      axis: int, or list of ints: the dimensions to reduce; None: all.
      keepdims: whether the reduced dimensions are kept with size 1.
      name: name of the scope.

    Returns:
      Tensor of input's dtype; for complex numbers, of the dtype of the real part.

    Raises:
      TypeError: the tensor holds integers.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.reduce_variance([1.0, 3.0]))
      1.0
    """
    with name_scope(name or "reduce_variance"):
        x = convert(input_tensor)
        mean = reduce_mean(x, axis, True)  # checks the axis first
        if x.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype}.")
        distance = op("Sub")(x=x, y=mean)
        if x.dtype.is_complex:
            product = op("Mul")(x=distance, y=op("Conj")(input=distance))
            squares = op("Real")(input=product, Tout="float32" if x.dtype == "complex64" else "float64")
        else:
            squares = op("Square")(x=distance)
        return reduce_mean(squares, axis, keepdims)


@export("math.reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The standard deviation over dimensions.

    Args:
      input_tensor: floating or complex tensor.
      axis: int, or list of ints: the dimensions to reduce; None: all.
      keepdims: whether the reduced dimensions are kept with size 1.
      name: name of the scope.

    Returns:
      Tensor of input's dtype; for complex numbers, of the dtype of the real part.

    Raises:
      TypeError: the tensor holds integers.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.reduce_std([1.0, 3.0]))
      1.0
    """
    with name_scope(name or "reduce_std"):
        return op("Sqrt")(x=reduce_variance(input_tensor, axis, keepdims))


@export("math.reduce_logsumexp", "reduce_logsumexp")
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """log(sum(exp(x))) over dimensions, computed without overflow.

    Args:
      input_tensor: floating tensor.
      axis: int, or list of ints: the dimensions to reduce; None: all.
      keepdims: whether the reduced dimensions are kept with size 1.
      name: name of the scope.

    Returns:
      Tensor of input's dtype.

    Raises:
      InvalidArgumentError: an axis is out of range (ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> float(tf.reduce_logsumexp([1000.0, float("-inf")]))
      1000.0
    """
    with name_scope(name or "ReduceLogSumExp") as scope:
        x = convert(input_tensor)
        largest = reduce_max(x, axis, True)
        finite = op("IsFinite")(x=largest)
        shift = op("StopGradient")(input=op("SelectV2")(condition=finite, t=largest, e=op("ZerosLike")(x=largest)))
        total = reduce_sum(op("Exp")(x=op("Sub")(x=x, y=shift)), axis, keepdims)
        if not keepdims:
            shift = op("Reshape")(tensor=shift, shape=op("Shape")(input=total))
        return op("AddV2")(x=op("Log")(x=total), y=shift, name=scope)


@export("math.count_nonzero")
def count_nonzero(input, axis=None, keepdims=None, dtype="int64", name=None):
    """The number of nonzero elements over dimensions.

    Args:
      input: tensor of numbers, bools or strings (nonempty ones count).
      axis: int, or list of ints: the dimensions to reduce; None: all.
      keepdims: whether the reduced dimensions are kept with size 1.
      dtype: dtype of the result.
      name: name of the scope.

    Returns:
      Tensor of the given dtype.

    Example:
      >>> import tracefn as tf
      >>> int(tf.math.count_nonzero([1, 0, 2]))
      2
    """
    with name_scope(name or "count_nonzero"):
        x = convert(input)
        nonzero = x if x.dtype == "bool" else op("NotEqual")(x=x, y=constant("" if x.dtype == "string" else 0, x.dtype))
        counts = reduce_sum(op("Cast")(x=nonzero, DstT="int64"), axis, bool(keepdims))
        return counts if counts.dtype == dtype else op("Cast")(x=counts, DstT=dtype)


__all__ = [
    "count_nonzero",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
]
