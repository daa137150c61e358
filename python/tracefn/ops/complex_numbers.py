"""Functions on complex numbers; most of them also take real numbers."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export

_convert = _core.convert_to_tensor
_op = _core.raw_op


@export("complex", "dtypes.complex")
def complex(real, imag, name=None):
    """The complex number real + i * imag, elementwise.

    Args:
      real: float32 or float64 tensor.
      imag: tensor of the same dtype; the two are broadcast together.
      name: name of the node.

    Returns:
      complex64 or complex128 tensor.

    Raises:
      TypeError: the parts are neither both float32 nor both float64.

    Example:
      >>> import tracefn as tf
      >>> tf.complex(1.0, 2.0).numpy().item()
      (1+2j)
    """
    real = _convert(real, name="real")
    imag = _convert(imag, name="imag")
    tout = {("float32", "float32"): "complex64", ("float64", "float64"): "complex128"}.get(
        (real.dtype.name, imag.dtype.name)
    )
    if tout is None:
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be "
            "consistent, and one of [tf.float32, tf.float64]"
        )
    return _op("Complex")(real=real, imag=imag, Tout=tout, name=name)


@export("math.real")
def real(input, name=None):
    """The real part.

    Args:
      input: tensor of numbers.
      name: name of the node.

    Returns:
      float32 or float64 tensor for complex numbers, `input` itself for others.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.real(1 + 2j))
      1.0
    """
    input = _convert(input, name="input")
    if not input.dtype.is_numeric:
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")
    if not input.dtype.is_complex:
        return input
    return _op("Real")(input=input, Tout=input.dtype.real_dtype, name=name)


@export("math.imag")
def imag(input, name=None):
    """The imaginary part; zeros for real numbers.

    Args:
      input: tensor of numbers.
      name: name of the node.

    Returns:
      float32 or float64 tensor for complex numbers, of input's dtype for others.

    Example:
      >>> import tracefn as tf
      >>> float(tf.math.imag(1 + 2j))
      2.0
    """
    input = _convert(input, name="input")
    if not input.dtype.is_complex:
        return _op("ZerosLike")(x=input)
    return _op("Imag")(input=input, Tout=input.dtype.real_dtype, name=name)


@export("math.angle")
def angle(input, name=None):
    """The argument, in radians in [-pi, pi]; for real numbers, pi where they are negative, else zero.

    Args:
      input: floating or complex tensor.
      name: name of the node.

    Returns:
      Floating tensor of input's shape.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.math.angle(1j)), 6)
      1.570796
    """
    input = _convert(input, name="input")
    if input.dtype.is_complex:
        return _op("Angle")(input=input, Tout=input.dtype.real_dtype, name=name)
    negative = input < 0
    pi = _convert(3.141592653589793, dtype=input.dtype)
    return _op("SelectV2")(condition=negative, t=pi, e=_op("ZerosLike")(x=input))


@export("math.conj")
def conj(x, name=None):
    """The complex conjugate; real numbers are returned unchanged.

    Args:
      x: tensor of numbers.
      name: name of the node.

    Returns:
      Tensor of x's dtype and shape.

    Raises:
      TypeError: x does not hold numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.math.conj(1 + 2j).numpy().item()
      (1-2j)
    """
    x = _convert(x, name="x")
    if x.dtype.is_complex or x.dtype == "variant":
        return _op("Conj")(input=x, name=name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
