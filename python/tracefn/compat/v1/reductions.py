"""The reductions of `tf.compat.v1`, whose arguments have two names each."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today

_WHAT = {
    "reduce_sum": "sum",
    "reduce_prod": "product",
    "reduce_max": "maximum",
    "reduce_min": "minimum",
    "reduce_mean": "mean",
    "reduce_all": "conjunction",
    "reduce_any": "disjunction",
    "reduce_logsumexp": "logarithm of the sum of exponentials",
}


def _add(public: str, what: str) -> None:
    def reduction(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = either("axis", axis, "reduction_indices", reduction_indices)
        keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
        return today(public)(input_tensor, axis, bool(keepdims), name)

    reduction.__name__ = reduction.__qualname__ = public
    reduction.__doc__ = f"""The {what} of elements over dimensions: `tf.{public}`.

    Args:
      input_tensor: tensor.
      axis, reduction_indices: one argument by two names: int or list of ints; None: all dimensions.
      keepdims, keep_dims: one argument by two names: whether reduced dimensions are kept with size 1.
      name: name of the node.

    Raises:
      ValueError: an argument is given by both names.
    """
    export(f"compat.v1.{public}")(reduction)


for _public, _what in _WHAT.items():
    _add(_public, _what)


@export("compat.v1.count_nonzero")
def count_nonzero(
    input_tensor=None,
    axis=None,
    keepdims=None,
    dtype="int64",
    name=None,
    reduction_indices=None,
    keep_dims=None,
    input=None,
):
    """`tf.math.count_nonzero`, with old names of arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.count_nonzero([[1, 0], [2, 3]], reduction_indices=1).numpy().tolist()
      [1, 2]
    """
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    x = either("input", input, "input_tensor", input_tensor)
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return today("math.count_nonzero")(x, axis, bool(keepdims), dtype, name)


@export("compat.v1.argmax")
def argmax(input, axis=None, name=None, dimension=None, output_type="int64"):
    """`tf.argmax`, whose `axis` was called `dimension`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.argmax([[1, 3], [4, 2]], dimension=1).numpy().tolist()
      [1, 0]
    """
    return today("argmax")(input, either("axis", axis, "dimension", dimension), output_type, name)


@export("compat.v1.argmin")
def argmin(input, axis=None, name=None, dimension=None, output_type="int64"):
    """`tf.argmin`, whose `axis` was called `dimension`."""
    return today("argmin")(input, either("axis", axis, "dimension", dimension), output_type, name)


@export("compat.v1.arg_max")
def arg_max(input, dimension, output_type="int64", name=None):
    """`tf.argmax` over a dimension that must be given."""
    return _core.raw_op("ArgMax")(input=input, dimension=dimension, output_type=output_type, name=name)


@export("compat.v1.arg_min")
def arg_min(input, dimension, output_type="int64", name=None):
    """`tf.argmin` over a dimension that must be given."""
    return _core.raw_op("ArgMin")(input=input, dimension=dimension, output_type=output_type, name=name)


@export("compat.v1.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None):
    """`tf.norm`, whose `keepdims` was called `keep_dims`."""
    return today("norm")(tensor, ord, axis, bool(either("keepdims", keepdims, "keep_dims", keep_dims)), name)


@export("compat.v1.bincount")
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32"):
    """`tf.math.bincount` of all elements."""
    return today("math.bincount")(arr, weights, minlength, maxlength, dtype)


@export("compat.v1.confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, dtype="int32", name=None, weights=None):
    """`tf.math.confusion_matrix`, with another order of arguments."""
    return today("math.confusion_matrix")(labels, predictions, num_classes, weights, dtype, name)
