"""Assertions of `tf.debugging` on dtypes and shapes; they are decided while tracing if possible."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.framework import converts_to_tensor, executing_eagerly, get_static_value, is_tensor
from tracefn.ops._build import name_scope
from tracefn.ops.debugging import assert_, describe

_no_op = _core.raw_op("NoOp")
_equal = _core.raw_op("Equal")  # `==` of tensors compares objects in a tf.Graph
_rank = _core.raw_op("Rank")
_shape = _core.raw_op("Shape")


def _settled(name: str):
    """The result of an assertion that certainly holds."""
    return None if executing_eagerly() else _no_op(name=name)


def _label(x, role: str = "x") -> str:
    """The name of a tensor in a graph, which captures an eager one under `role`; "" for other values, and eagerly."""
    if isinstance(x, CompositeTensor) or executing_eagerly():
        return ""
    return describe(x, role)


def prefix(message) -> str:
    """The prefix of the text of an assertion."""
    return f"{message}.  " if message else ""


def _check_rank(x, ranks, words: str, holds, combine, message, default_name: str, name):
    """Checks that `holds(rank, wanted)` for one of `ranks`, while tracing if both are known."""
    with name_scope(name or default_name):
        x = _core.convert_to_tensor(x, name="x") if not converts_to_tensor(x) else x.value() if not isinstance(x, _core.Tensor) else x
        ranks = [_core.convert_to_tensor(r, dtype="int32", name="rank") for r in ranks]
        known = [get_static_value(r) for r in ranks]
        for r in ranks:
            if r.shape.rank not in (0, None):
                raise ValueError("Rank must be a scalar.")
        shown = known[0] if len(known) == 1 else f"({', '.join(str(k) for k in known)})"
        if x.shape.rank is not None and all(k is not None for k in known):
            if not any(holds(x.shape.rank, int(k)) for k in known):
                raise ValueError(
                    f"{prefix(message)}Tensor {_label(x)} must have rank{words} {shown}.  Received rank {x.shape.rank}, "
                    f"shape {x.shape}"
                )
            return _settled("static_checks_determined_all_ok")
        actual = _rank(input=x)
        condition = combine(actual, ranks)
        data = [prefix(message), f"Tensor {_label(x)} must have rank{words}", *ranks, "Received shape: ", _shape(input=x)]
        return assert_(condition, data)


@export("debugging.assert_rank", "assert_rank")
def assert_rank(x, rank, message=None, name=None):
    """Raises an error unless `x` has the given rank.

    Args:
      x: tensor.
      rank: scalar int.

    Raises:
      ValueError: the rank is known to differ. InvalidArgumentError: it differs at run time.
    """
    return _check_rank(x, [rank], "", lambda a, b: a == b, lambda a, r: _equal(x=a, y=r[0]), message, "assert_rank", name)


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises an error unless `x` has at least the given rank; see `assert_rank`."""
    return _check_rank(x, [rank], " at least", lambda a, b: a >= b, lambda a, r: a >= r[0], message,
                       "assert_rank_at_least", name)


@export("debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raises an error unless `x` has one of the given ranks; see `assert_rank`."""

    def any_of(actual, wanted):
        found = _equal(x=actual, y=wanted[0])
        for r in wanted[1:]:
            found = found | _equal(x=actual, y=r)
        return found

    return _check_rank(x, ranks, " in", lambda a, b: a == b, any_of, message, "assert_rank_in", name)


@export("debugging.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    """Raises TypeError unless the tensor has the given dtype."""
    tf_type = as_dtype(tf_type)
    with name_scope(name or "assert_type"):
        if not isinstance(tensor, CompositeTensor):
            tensor = _core.convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            label = _label(tensor, "tensor") or "tensor"
            raise TypeError(f"{prefix(message)}{label} must be of type {tf_type!r}; got {tensor.dtype!r}")


@export("debugging.assert_integer")
def assert_integer(x, message=None, name=None):
    """Raises TypeError unless the tensor has an integer dtype."""
    with name_scope(name or "assert_integer"):
        x = _core.convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            label = _label(x) or "tensor"
            raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  Found: {label} of dtype {x.dtype!s}')


@export("debugging.assert_scalar")
def assert_scalar(tensor, message=None, name=None):
    """Raises ValueError unless the tensor is known to be a scalar."""
    with name_scope(name or "assert_scalar") as scope:
        tensor = _core.convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            captured = f"{scope.removesuffix('/')}:0"
            label = "" if executing_eagerly() else f" for {captured if isinstance(tensor, _core.EagerTensor) else tensor.name}"
            raise ValueError(f"{prefix(message)}Expected scalar shape{label}, saw shape: {tensor.shape}.")


@export("debugging.assert_proper_iterable")
def assert_proper_iterable(values) -> None:
    """Raises TypeError for values that are iterable but rarely meant to be: tensors, strings, arrays."""
    if is_tensor(values) or isinstance(values, (bytes, str)) or np.is_array(values):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The common floating dtype of all tensors.

    Raises:
      ValueError: the dtypes differ, or are not floating.
    """
    first = None
    for tensor in tensors or ():
        if dtype is None:
            dtype, first = tensor.dtype, tensor
        elif tensor.dtype != as_dtype(dtype):
            suffix = f" as {first!s}" if first is not None else ""
            raise ValueError(f"{tensor!s}, type={tensor.dtype!s}, must be of the same type ({as_dtype(dtype)!s}){suffix}.")
    dtype = as_dtype(dtype or "float32")
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype!s}.")
    return dtype


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor) -> bool:
    """Whether `tensor` is a tensor of numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.is_numeric_tensor(tf.constant("a"))
      False
    """
    return converts_to_tensor(tensor) and (tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_complex)
