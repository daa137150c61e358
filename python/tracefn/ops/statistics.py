"""Counts: bincount, confusion matrices, histograms; and tests for increasing values."""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, convert, ints, name_scope, op
from tracefn.ops.casting import cast
from tracefn.ops.debugging import assert_, check_less, check_non_negative
from tracefn.ops.reduction import reduce_max


def _flat(tensor):
    return op("Reshape")(tensor=tensor, shape=ints([-1]))


@export("math.bincount")
def bincount(
    arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None, binary_output=False
):
    """The number of occurrences of each integer 0, 1, 2, ….

    Args:
      arr: tensor of non-negative integers.
      weights: tensor of arr's shape: the weight of each occurrence; None: 1.
      minlength: int, the minimum length of the result.
      maxlength: int, the maximum length of the result; larger numbers are ignored.
      dtype: dtype of the result if there are no weights.
      name: name of the ops.
      axis: None or 0; or -1 to count in each row of a matrix separately.
      binary_output: whether the result is just 1 for numbers that occur.

    Returns:
      Vector; a matrix with a row for each row if `axis` is -1.

    Raises:
      ValueError: `axis` is neither None, 0 nor -1; or both `weights` and `binary_output` are given.
      InvalidArgumentError: a number is negative.

    Example:
      >>> import tracefn as tf
      >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
      [0, 2, 0, 1]
    """
    with name_scope(name or "bincount"):
        arr = convert(arr, name="arr")
        if weights is not None:
            weights = convert(weights, name="weights")
            if binary_output:
                raise ValueError(
                    "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
                )
        arr = arr if arr.dtype.is_integer else cast(arr, "int32")
        if axis not in (None, 0, -1):
            raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
        length = _length(arr, minlength, maxlength)
        if axis != -1:
            weights = None if weights is None else _flat(weights)
            arr = _flat(arr)
        if weights is None:
            weights = constant([], dtype=arr.dtype if dtype is None else dtype)
        return op("DenseBincount")(input=arr, size=length, weights=weights, binary_output=binary_output)


def _length(arr, minlength, maxlength):
    """One more than the largest number, 0 if there is none, clamped to the given bounds."""
    length = cast(op("Size")(input=arr) > 0, arr.dtype) * (reduce_max(arr) + 1)
    if minlength is not None:
        length = op("Maximum")(x=convert(minlength, dtype=arr.dtype, name="minlength"), y=length)
    if maxlength is not None:
        length = op("Minimum")(x=convert(maxlength, dtype=arr.dtype, name="maxlength"), y=length)
    return length


def of_one_rank(labels, predictions, difference: int = 0) -> tuple:
    """Labels and predictions; the one whose rank is higher than expected without a last dimension of size 1.

    Args:
      labels, predictions: tensors.
      difference: the rank of predictions less that of labels, as it should be.
    """
    labels, predictions = convert(labels, name="labels"), convert(predictions, name="predictions")
    ranks = labels.shape.rank, predictions.shape.rank
    if None not in ranks:
        more = ranks[1] - ranks[0] - difference
        if more == 1 and predictions.shape[-1] in (None, 1):
            return labels, op("Squeeze")(input=predictions, squeeze_dims=[-1])
        if more == -1 and labels.shape[-1] in (None, 1):
            return op("Squeeze")(input=labels, squeeze_dims=[-1]), predictions
        return labels, predictions
    more = op("Rank")(input=predictions) - op("Rank")(input=labels)

    def squeezed(x, needed):
        return cond(needed, lambda: op("Squeeze")(input=x, squeeze_dims=[-1]), lambda: op("Identity")(input=x))

    if ranks[1] is None or predictions.shape[-1] in (None, 1):
        predictions = squeezed(predictions, op("Equal")(x=more, y=constant(1 + difference)))
    if ranks[0] is None or labels.shape[-1] in (None, 1):
        labels = squeezed(labels, op("Equal")(x=more, y=constant(difference - 1)))
    return labels, predictions


@export("math.confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype="int32", name=None):
    """The number of predictions of each class for each true class.

    Args:
      labels, predictions: integer vectors of equal length with class indices; one may have a further dimension of size 1.
      num_classes: int; None: one more than the largest number.
      weights: vector with the weight of each pair; None: 1.
      dtype: dtype of the result.
      name: name of the ops.

    Returns:
      Matrix [num_classes, num_classes]: rows are labels, columns predictions.

    Raises:
      ValueError: the shapes of predictions and weights differ.
      InvalidArgumentError: a number is negative or not less than `num_classes`.

    Example:
      >>> import tracefn as tf
      >>> tf.math.confusion_matrix([1, 0, 1], [1, 1, 1]).numpy().tolist()
      [[0, 1], [0, 2]]
    """
    with name_scope(name or "confusion_matrix"):
        pair = [cast(t, "int64") for t in of_one_rank(labels, predictions)]
        checks = [
            check_non_negative(pair[0], message="`labels` contains negative values"),
            check_non_negative(pair[1], message="`predictions` contains negative values"),
        ]
        if num_classes is None:
            size = op("Maximum")(x=reduce_max(pair[0]), y=reduce_max(pair[1])) + 1
        else:
            size = cast(convert(num_classes), "int64")
            checks += [
                check_less(pair[0], size, message="`labels` out of bound"),
                check_less(pair[1], size, message="`predictions` out of bound"),
            ]
        with control_dependencies([check for check in checks if check is not None]):
            indices = op("Pack")(values=pair, axis=1, name="stack")
        dtype = as_dtype(dtype)
        if weights is None:
            counts = op("OnesLike")(x=cast(pair[0], dtype))
        else:
            weights = convert(weights, name="weights")
            pair[1].shape.assert_is_compatible_with(weights.shape)
            counts = cast(weights, dtype)
        return op("ScatterNd")(indices=indices, updates=counts, shape=convert([size, size]))


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype="int32", name=None):
    """The bin of each value, of `nbins` equal bins over value_range; values outside of it are in the end bins.

    Args:
      values: tensor of numbers.
      value_range: two increasing numbers of values' dtype.
      nbins: int.
      dtype: int32 or int64.
      name: name of the ops.

    Returns:
      Integer tensor of values' shape.

    Raises:
      InvalidArgumentError: nbins is not positive.

    Example:
      >>> import tracefn as tf
      >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy().tolist()
      [0, 0, 1, 4]
    """
    with name_scope(name or "histogram_fixed_width_bins"):
        values = convert(values, name="values")
        bounds = convert(value_range, dtype=values.dtype, name="value_range")
        nbins = convert(nbins, dtype="int32", name="nbins")
        checked = assert_(nbins > 0, [f"nbins {nbins!s} must > 0"])
        with control_dependencies([] if checked is None else [checked]):
            bins = cast(nbins, "float64")
        share = op("RealDiv")(x=cast(values - bounds[0], "float64"), y=cast(bounds[1] - bounds[0], "float64"))
        place = op("Floor")(x=share * bins)
        top = bins - 1.0
        zero = _core.convert_to_tensor(0.0, dtype="float64")
        return cast(op("Minimum")(x=op("Maximum")(x=place, y=zero), y=top), dtype)


def _rising(x, compare: str, name):
    with name_scope(name):
        flat = _flat(convert(x))
        if not flat.dtype.is_numeric:
            raise TypeError(f"Expected x to be numeric, instead found: {flat!s}")
        return op("All")(input=op(compare)(x=flat[1:], y=flat[:-1]), reduction_indices=[0])


@export("math.is_non_decreasing")
def is_non_decreasing(x, name=None):
    """Whether no element is smaller than the one before it, in row-major order.

    Args:
      x: tensor of numbers.
      name: name of the ops.

    Returns:
      Scalar bool tensor.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.math.is_non_decreasing([1, 1, 2]))
      True
    """
    return _rising(x, "GreaterEqual", name or "is_non_decreasing")


@export("math.is_strictly_increasing")
def is_strictly_increasing(x, name=None):
    """Whether each element is larger than the one before it, in row-major order.

    Args:
      x: tensor of numbers.
      name: name of the ops.

    Returns:
      Scalar bool tensor.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.math.is_strictly_increasing([1, 1, 2]))
      False
    """
    return _rising(x, "Greater", name or "is_strictly_increasing")
