"""Functions of `tf.math` that are more than an alias of one op: they convert operands, or select or combine ops."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype, string
from tracefn.framework import is_tensor
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops._build import both_eager, convert, name_scope
from tracefn.ops.casting import cast
from tracefn.tensor_shape import TensorShape

_convert = _core.convert_to_tensor
_op = _core.raw_op


def _hint(x):
    """The dtype that an operand suggests for the other one."""
    return x.dtype if is_tensor(x) else None


@export("math.add", "add")
def add(x, y, name=None):
    """x + y, elementwise; strings are concatenated.

    Args:
      x: tensor of numbers or strings.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype. Integers wrap around on overflow.

    Raises:
      InvalidArgumentError: dtypes differ or shapes do not broadcast (TypeError, ValueError while tracing).

    Example:
      >>> import tracefn as tf
      >>> tf.add([1, 2], 10)
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([11, 12], dtype=int32)>
    """
    if _core.current_graph() is None:
        return _add(x, y, name)
    with name_scope(name or "Add") as scope:
        return _add(x, y, scope)


def _add(x, y, name):
    x = _convert(x, name="x")
    y = _convert(y, dtype_hint=x.dtype, name="y")
    return _op("Add" if x.dtype is string else "AddV2")(x=x, y=y, name=name)


@export("math.divide", "divide")
def divide(x, y, name=None):
    """x / y, elementwise, as in Python: integers give floating-point results.

    Args:
      x: tensor of numbers.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype; float64 for integers (float32 for those of 8 and 16 bits).

    Raises:
      TypeError: x and y have different dtypes.

    Example:
      >>> import tracefn as tf
      >>> float(tf.divide(3, 2))
      1.5
    """
    if name is not None:
        return truediv(x, y, name)
    if not is_tensor(x):
        x = _convert(x, dtype=_hint(y))
    return x / y


_SMALL_INTEGERS = ("int8", "uint8", "int16", "uint16")


_DIVISIBLE = (
    "uint8 int8 uint16 int16 uint32 int32 uint64 int64 bfloat16 float16 float32 float64 complex64 complex128".split()
)


def _check_divisible(x, where: str) -> None:
    if x.dtype.name not in _DIVISIBLE:
        known = ", ".join(f"tf.{name}" for name in _DIVISIBLE)
        raise TypeError(f"Invalid dtype tf.{x.dtype.name} in {where}. Expected one of {{{known}}}.")


@export("math.truediv", "truediv")
def truediv(x, y, name=None):
    """x / y, elementwise, as in Python: integers give floating-point results.

    Args:
      x: tensor of numbers.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype; float64 for integers (float32 for those of 8 and 16 bits).

    Raises:
      TypeError: x and y have different dtypes.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.truediv(3, 2))
      1.5
    """
    if name is None and both_eager(x, y) and x.dtype.is_floating and x.dtype is y.dtype:
        return x / y
    with name_scope(name or "truediv") as scope:
        x = _convert(x, name="x")
        y = _convert(y, dtype_hint=x.dtype, name="y")
        if x.dtype != y.dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
        _check_divisible(x, "__truediv__")
        if x.dtype.is_integer:
            wider = "float32" if x.dtype.name in _SMALL_INTEGERS else "float64"
            x, y = cast(x, wider), cast(y, wider)
        return _op("RealDiv")(x=x, y=y, name=scope)


@export("math.floordiv")
def floordiv(x, y, name=None):
    """x / y rounded toward negative infinity, elementwise.

    Args:
      x: tensor of real numbers.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype.

    Raises:
      InvalidArgumentError: an integer is divided by zero.

    Example:
      >>> import tracefn as tf
      >>> int(tf.math.floordiv(-7, 2))
      -4
    """
    with name_scope(name or "floordiv") as scope:
        return _op("FloorDiv")(x=x, y=y, name=scope)


@export("math.divide_no_nan")
def divide_no_nan(x, y, name=None):
    """x / y, or 0 where y is zero.

    Args:
      x: tensor of numbers; integers are converted to floating point as in `truediv`.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype after conversion.

    Raises:
      TypeError: x and y have different dtypes.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.divide_no_nan(3.0, 0.0))
      0.0
    """
    with name_scope(name or "div_no_nan") as scope:
        if is_tensor(y) and not is_tensor(x):
            y = _convert(y, name="y")
            x = _convert(x, dtype=y.dtype, name="x")
        else:
            x = _convert(x, name="x")
            y = _convert(y, dtype_hint=x.dtype, name="y")
        if x.dtype != y.dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
        _check_divisible(x, "tf.math.divide_no_nan")
        if x.dtype.is_integer:
            wider = "float32" if x.dtype.name in _SMALL_INTEGERS else "float64"
            x, y = cast(x, wider), cast(y, wider)
        return _op("DivNoNan")(x=x, y=y, name=scope)


@export("math.multiply_no_nan")
def multiply_no_nan(x, y, name=None):
    """x * y, or 0 where y is zero, even if x is infinite or NaN.

    Args:
      x: floating or complex tensor.
      y: tensor of x's dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      Tensor of x's dtype.

    Raises:
      ValueError: y is a tensor of another dtype.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.multiply_no_nan(float("inf"), 0.0))
      0.0
    """
    with name_scope(name or "multiply_no_nan") as scope:
        x = _convert(x, name="x")
        y = _convert(y, dtype=x.dtype, name="y")
        return _op("MulNoNan")(x=x, y=y, name=scope)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x, name=None):
    """1 / x, or 0 where x is zero.

    Args:
      x: floating or complex tensor.
      name: name of the node.

    Returns:
      Tensor of x's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> tf.math.reciprocal_no_nan([2.0, 0.0])
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0. ], dtype=float32)>
    """
    with name_scope(name or "reciprocal_no_nan") as scope:
        x = _convert(x, name="x")
        return _op("DivNoNan")(x=_convert(1, dtype=x.dtype, name="one"), y=x, name=scope)


@export("math.scalar_mul", "scalar_mul")
def scalar_mul(scalar, x, name=None):
    """x times a scalar.

    Args:
      scalar: scalar of x's dtype, or a Python number.
      x: tensor or IndexedSlices.
      name: name of the node.

    Returns:
      Tensor or IndexedSlices of x's dtype and shape.

    Raises:
      ValueError: `scalar` is not 0-D.

    Example:
      >>> import tracefn as tf
      >>> float(tf.scalar_mul(2, tf.constant(1.5)))
      3.0
    """
    if not isinstance(x, IndexedSlices):
        x = _convert(x)
    scalar = _convert(scalar, dtype=x.dtype, name="scalar")
    if scalar.shape.rank != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return x._with_values(_op("Mul")(x=scalar, y=x.values, name=name or "scalar_mul"))
    return _op("Mul")(x=scalar, y=x, name=name or "scalar_mul")


@export("math.abs", "abs")
def abs(x, name=None):
    """|x|, elementwise; also for complex numbers.

    Args:
      x: tensor of signed or complex numbers.
      name: name of the node.

    Returns:
      Tensor of x's shape and dtype; float32 or float64 for complex numbers.

    Example:
      >>> import tracefn as tf
      >>> float(tf.abs(3 + 4j))
      5.0
    """
    x = _convert(x)
    if x.dtype.is_complex:
        return _op("ComplexAbs")(x=x, Tout=x.dtype.real_dtype, name=name or "Abs")
    return _op("Abs")(x=x, name=name)


@export("math.round", "round")
def round(x, name=None):
    """x rounded to the nearest integer, ties to even.

    Args:
      x: tensor of real numbers; integers are returned unchanged.
      name: name of the node.

    Returns:
      Tensor of x's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> tf.round([0.5, 1.5, -2.5])
      <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 0.,  2., -2.], dtype=float32)>
    """
    x = _convert(x)
    return x if x.dtype.is_integer else _op("Round")(x=x, name=name)


@export("math.logical_xor")
def logical_xor(x, y, name="LogicalXor"):
    """True where exactly one of x and y is true.

    Args:
      x: bool tensor.
      y: bool tensor; the two are broadcast together.
      name: name of the node.

    Returns:
      Bool tensor.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.math.logical_xor(True, False))
      True
    """
    either, both = _op("LogicalOr")(x=x, y=y), _op("LogicalAnd")(x=x, y=y)
    return _op("LogicalAnd")(x=either, y=_op("LogicalNot")(x=both), name=name)


@export("math.add_n", "add_n")
def add_n(inputs, name=None):
    """The sum of tensors of the same shape and dtype.

    Args:
      inputs: iterable of tensors and IndexedSlices, at least one.
      name: name of the node.

    Returns:
      Tensor of their shape and dtype.

    Raises:
      TypeError: `inputs` cannot be iterated over.
      ValueError: `inputs` is empty or contains None, or shapes differ.

    Example:
      >>> import tracefn as tf
      >>> float(tf.add_n([1.0, 2.0, 3.0]))
      6.0
    """
    given = list(inputs)
    if not given or any(value is None for value in given):
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    tensors = [_convert(t) for t in given]
    if len(tensors) == 1:
        return _op("Identity")(input=tensors[0], name=name) if name else tensors[0]
    return _op("AddN")(inputs=tensors, name=name)


@export("math.accumulate_n")
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of tensors of one shape and dtype, as `tf.math.add_n`.

    Args:
      inputs: list or tuple of tensors, at least one.
      shape: their expected shape, or None.
      tensor_dtype: their expected dtype, or None.
      name: name of the node.

    Returns:
      Tensor of their shape and dtype.

    Raises:
      ValueError: `inputs` is empty or not a list or tuple, or dtypes or shapes differ.
      TypeError: the tensors do not have the dtype `tensor_dtype`.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.accumulate_n([1.0, 2.0]))
      3.0
    """
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    tensors = [convert(value) for value in inputs]
    (dtype, *others) = {tensor.dtype for tensor in tensors}
    if others:
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    common = TensorShape(shape)
    for tensor in tensors:
        common = common.merge_with(tensor.shape)
    if tensor_dtype is not None and as_dtype(tensor_dtype) != dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)}, but `input` is of type {dtype}. These must be equal. "
            "Try casting the input to the desired type."
        )
    return add_n(tensors, name=name)


@export("math.erfcinv")
def erfcinv(x, name=None):
    """The inverse of the complementary error function at x.

    Args:
      x: floating tensor with elements in [0, 2]; NaN for others.
      name: name of the node's scope.

    Returns:
      Tensor of x's dtype and shape.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.erfcinv(1.0))
      -0.0
    """
    with name_scope(name or "erfcinv"):
        x = _convert(x, name="start")
        return -_op("Ndtri")(x=0.5 * x) * _convert(0.5**0.5, dtype=x.dtype)


@export("math.polyval")
def polyval(coeffs, x, name=None):
    """The polynomial with the given coefficients at x, by Horner's rule.

    Args:
      coeffs: list of tensors, the coefficient of the highest power first; an empty list is the zero polynomial.
      x: tensor of their dtype.
      name: name of the node's scope.

    Returns:
      Tensor of the coefficients and x broadcast together.

    Raises:
      ValueError: `coeffs` is not a list.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.polyval([2.0, 0.0, 1.0], 3.0))
      19.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name or "polyval"):
        x = _convert(x, name="x")
        if not coeffs:
            return _op("ZerosLike")(x=x)
        coeffs = [_convert(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        value = coeffs[0]
        for c in coeffs[1:]:
            value = c + value * x
        return value
