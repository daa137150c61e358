"""Assertions of `tf.debugging` on dtypes and shapes; they are decided while tracing if possible."""

from __future__ import annotations

import operator
from functools import reduce

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.framework import converts_to_tensor, executing_eagerly, get_static_value, is_tensor
from tracefn.ops._build import name_scope
from tracefn.ops.debugging import assert_, describe, prefix

_no_op = _core.raw_op("NoOp")
_equal = _core.raw_op("Equal")  # `==` of tensors compares objects in a tf.Graph
_or = _core.raw_op("LogicalOr")
_rank = _core.raw_op("Rank")
_shape = _core.raw_op("Shape")
_size = _core.raw_op("Size")
_cast = _core.raw_op("Cast")


def _settled(name: str):
    """The result of an assertion that certainly holds."""
    return None if executing_eagerly() else _no_op(name=name)


def _label(x, role: str = "x") -> str:
    """The name of a tensor in a graph, which captures an eager one under `role`; "" for other values, and eagerly."""
    if isinstance(x, CompositeTensor) or executing_eagerly():
        return ""
    return describe(x, role)


def is_sparse(x) -> bool:
    """Whether a value is a SparseTensor."""
    if not isinstance(x, CompositeTensor):
        return False
    from tracefn.ops.sparse import tensor  # start-up time: few programs need it

    return tensor.is_sparse(x)


def shape_of(x):
    """The shape at run time of a tensor or SparseTensor, as an int32 vector."""
    return _cast(x=x.dense_shape, DstT="int32") if is_sparse(x) else _shape(input=x)


def _rank_of(x):
    return _size(input=x.dense_shape) if is_sparse(x) else _rank(input=x)


# The checks of ranks by name: what errors say in front of the wanted rank, and the comparison of ranks.
_RANKS: dict[str, tuple] = {
    "assert_rank": ("", operator.eq, _equal),
    "assert_rank_at_least": (" at least", operator.ge, _core.raw_op("GreaterEqual")),
    "assert_rank_in": (" in", operator.eq, _equal),
}


def check_rank(check: str, x, ranks: list, data=None, summarize: int | None = None, message: str | None = None, name=None):
    """Raises an error unless the rank of a tensor fits.

    Args:
      check: "assert_rank", "assert_rank_at_least" or "assert_rank_in".
      x: tensor; for "assert_rank" and "assert_rank_in" also a SparseTensor.
      ranks: list of int32 scalars, one of which must fit; more than one for "assert_rank_in" alone.
      data: list of texts and tensors that an error at run time shows; None for ranks and shape.
      summarize: number of elements to show of each; 3 by default.
      message: str in front of the error text.
      name: name of the scope.

    Returns:
      None; in a graph the Operation.

    Raises:
      ValueError: the rank is known not to fit, or a wanted rank is no scalar.
      TypeError: a wanted rank is not an int32.
      InvalidArgumentError: the rank does not fit, at run time.
    """
    words, fits, compared = _RANKS[check]
    with name_scope(name or check):
        if check == "assert_rank_at_least" or not is_sparse(x):
            x = _core.convert_to_tensor(x, name="x")
        ranks = [_core.convert_to_tensor(rank, name="rank") for rank in ranks]
        for rank in ranks:
            check_type(rank, "int32")
            if rank.shape.rank not in (0, None):
                raise ValueError("Rank must be a scalar.")
        known = [get_static_value(rank) for rank in ranks]
        if x.shape.rank is not None and all(rank is not None for rank in known):
            wanted = [int(rank) for rank in known]
            if not any(fits(x.shape.rank, rank) for rank in wanted):
                shown = tuple(wanted) if check == "assert_rank_in" else wanted[0]
                raise ValueError(
                    f"{prefix(message)}Tensor {_label(x)} must have rank{words} {shown}.  Received rank {x.shape.rank}, "
                    f"shape {x.shape}"
                )
            return _settled("static_checks_determined_all_ok")
        actual = _rank_of(x)
        condition = reduce(lambda a, b: _or(x=a, y=b), [compared(x=actual, y=rank) for rank in ranks])
        if data is None:
            data = [prefix(message), f"Tensor {_label(x)} must have rank{words}", *ranks, "Received shape: ", shape_of(x)]
        return assert_(condition, data, summarize)


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x, rank, message=None, name=None):
    """Raises an error unless a tensor has the given rank.

    Args:
      x: tensor.
      rank: int32 scalar.
      message: str in front of the error text.
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      ValueError: the rank is known to be another.
      InvalidArgumentError: it is another at run time.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_rank([[1, 2]], 2)
    """
    return check_rank("assert_rank", x, [rank], None, None, message, name)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises an error unless a tensor has at least the given rank.

    Args, Returns, Raises:
      As for `tf.debugging.assert_rank`.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    return check_rank("assert_rank_at_least", x, [rank], None, None, message, name)


@export("debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raises an error unless a tensor has one of the given ranks.

    Args:
      x: tensor.
      ranks: sequence of int32 scalars.
      message: str in front of the error text.
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      ValueError: the rank is known to be another.
      InvalidArgumentError: it is another at run time.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_rank_in([[1, 2]], (2, 3))
    """
    return check_rank("assert_rank_in", x, ranks, None, None, message, name)


def check_type(tensor, tf_type, message: str | None = None, name: str | None = None):
    """`assert_type`, which returns an Operation in graphs."""
    tf_type = as_dtype(tf_type)
    with name_scope(name or "assert_type"):
        if not isinstance(tensor, CompositeTensor):
            tensor = _core.convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            label = _label(tensor, "tensor") or "tensor"
            raise TypeError(f"{prefix(message)}{label} must be of type {tf_type!r}; got {tensor.dtype!r}")
        return _settled("statically_determined_correct_type")


@export("debugging.assert_type")
def assert_type(tensor, tf_type, message=None, name=None) -> None:
    """Raises an error unless a tensor has the given dtype.

    Args:
      tensor: tensor, SparseTensor or RaggedTensor.
      tf_type: dtype.
      message: str in front of the error text.
      name: name of the op.

    Raises:
      TypeError: the dtype is another.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_type([1.0], tf.float32)
    """
    check_type(tensor, tf_type, message, name)


def check_integer(x, message: str | None = None, name: str | None = None):
    """`assert_integer`, which returns an Operation in graphs."""
    with name_scope(name or "assert_integer"):
        x = _core.convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            label = _label(x) or "tensor"
            raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  Found: {label} of dtype {x.dtype!s}')
        return _settled("statically_determined_was_integer")


@export("debugging.assert_integer")
def assert_integer(x, message=None, name=None) -> None:
    """Raises an error unless a tensor has an integer dtype.

    Args:
      x: tensor.
      message: str in front of the error text.
      name: name of the op.

    Raises:
      TypeError: it has another one.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_integer([1, 2])
    """
    check_integer(x, message, name)


def check_scalar(tensor, message: str | None = None, name: str | None = None):
    """`assert_scalar`, which returns the tensor."""
    with name_scope(name or "assert_scalar") as scope:
        tensor = _core.convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            captured = f"{scope.removesuffix('/')}:0"
            label = "" if executing_eagerly() else f" for {captured if isinstance(tensor, _core.EagerTensor) else tensor.name}"
            raise ValueError(f"{prefix(message)}Expected scalar shape{label}, saw shape: {tensor.shape}.")
        return tensor


@export("debugging.assert_scalar")
def assert_scalar(tensor, message=None, name=None) -> None:
    """Raises an error unless a tensor is known to be a scalar.

    Args:
      tensor: tensor.
      message: str in front of the error text.
      name: name of the op.

    Raises:
      ValueError: it has another rank, or its rank is unknown while tracing.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_scalar(3)
    """
    check_scalar(tensor, message, name)


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values) -> None:
    """Raises an error for values that are iterable but rarely meant to be.

    Args:
      values: any value.

    Raises:
      TypeError: it is a tensor, a string or an array, or is not iterable.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_proper_iterable([tf.constant(1)])
    """
    if is_tensor(values) or isinstance(values, (bytes, str)) or np.is_array(values):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The common floating dtype of all tensors.

    Args:
      tensors: list of tensors, or None; an element that is None has any dtype.
      dtype: the dtype that is expected, or None.

    Returns:
      DType: `dtype`, or that of the tensors; float32 if there is neither.

    Raises:
      ValueError: the dtypes differ, or are not floating.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0, tf.float64)])
      tf.float64
    """
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            dtype, first = tensor.dtype, tensor
        elif tensor.dtype != as_dtype(dtype):
            suffix = f" as {_name_or_text(first)}" if first is not None else ""
            raise ValueError(
                f"{_name_or_text(tensor)}, type={tensor.dtype!s}, must be of the same type ({as_dtype(dtype)!s}){suffix}."
            )
    dtype = as_dtype(dtype or "float32")
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype!s}.")
    return dtype


def _name_or_text(tensor) -> str:
    return tensor.name if hasattr(tensor, "name") else str(tensor)


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor) -> bool:
    """Whether `tensor` is a tensor of numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.is_numeric_tensor(tf.constant("a"))
      False
    """
    return converts_to_tensor(tensor) and tensor.dtype.is_numeric
