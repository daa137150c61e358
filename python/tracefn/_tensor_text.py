"""`repr`, `str` and `format` of eager tensors, which use NumPy's printing. The native core calls these functions."""

from __future__ import annotations

from tracefn import _numpy as _np


def eager_repr(tensor) -> str:
    """`<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>`."""
    head = f"<tf.Tensor: shape={tensor._shape_tuple()}, dtype={tensor.dtype.name}, "
    if not tensor.dtype.is_numpy_compatible:
        return f"{head}value={tensor._summarize_value()}>"
    if tensor.ndim == 0:
        return f"{head}numpy={tensor._python_value()!r}>"
    return f"{head}numpy={_below(_array_repr(tensor))}>"


def eager_str(tensor) -> str:
    """`tf.Tensor([1 2], shape=(2,), dtype=int32)`."""
    return f"tf.Tensor({_below(_value_str(tensor))}, shape={tensor._shape_tuple()}, dtype={tensor.dtype.name})"


def eager_format(tensor, spec: str) -> str:
    """`format(tensor, spec)`: formats the value only.

    Raises:
      TypeError: the spec is not empty and the tensor is not a scalar.
    """
    if tensor.ndim or not tensor.dtype.is_numpy_compatible:
        text = _value_str(tensor)
        if spec and tensor.ndim:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return format(text, spec)
    return format(tensor._python_value(), spec)


def _below(text: str) -> str:
    """The text of an array; a text of several lines begins on a line of its own."""
    return "\n" + text if "\n" in text else text


def _value_str(tensor) -> str:
    if not tensor.dtype.is_numpy_compatible:
        return tensor._summarize_value()
    if tensor.dtype.name not in _FROM_ML_DTYPES:
        return str(tensor.numpy())
    return _short(tensor._python_value()) if tensor.ndim == 0 else _np.array2string(_objects(tensor), **_SHORT)


def _array_repr(tensor) -> str:
    if tensor.dtype.name not in _FROM_ML_DTYPES:
        return repr(tensor.numpy())
    # Without ml_dtypes: an array of objects, printed as ml_dtypes prints its numbers.
    objects = _objects(tensor)
    values = "[]" if objects.size == 0 else _np.array2string(
        objects, separator=", ", prefix="array(", suffix=")", **_SHORT)
    extras = []
    if objects.size == 0 and objects.shape != (0,) or objects.size > _np.get_printoptions()["threshold"]:
        extras.append(f"shape={objects.shape}")
    extras.append(f"dtype={_FROM_ML_DTYPES[tensor.dtype.name]})")
    tail = ", ".join(extras)
    last_line = len("array(" + values) - (("array(" + values).rfind("\n") + 1) + 1
    gap = "\n      " if last_line + len(tail) + 1 > _np.get_printoptions()["linewidth"] else " "
    return f"array({values},{gap}{tail}"


# The types that NumPy has from ml_dtypes, and how it writes them.
_FROM_ML_DTYPES = {"bfloat16": "bfloat16", "int4": "int4", "uint4": "uint4", "float8_e4m3fn": "'float8_e4m3fn'",
                   "float8_e5m2": "'float8_e5m2'"}  # fmt: skip


def _objects(tensor):
    return _np.array(tensor._python_value(), dtype=object).reshape(tensor._shape_tuple())


def _short(value: float) -> str:
    return f"{value:g}"


_SHORT: dict = {"formatter": {"object": _short}}
