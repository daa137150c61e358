"""`tf.make_tensor_proto`: the message of a tensor, from Python and NumPy values."""

from __future__ import annotations

import math
import numbers

from tracefn import _core, nest
from tracefn import _numpy as np
from tracefn._attr_value import tensor_proto
from tracefn._export import export
from tracefn._messages import message_class
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.ops._build import convert

# The field that holds the elements of a dtype, one by one.
_FIELDS = {
    "bfloat16": "half_val",
    "bool": "bool_val",
    "complex128": "dcomplex_val",
    "complex64": "scomplex_val",
    "float16": "half_val",
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "string": "string_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
}
_NOT_AS_BYTES = {"bool", "complex128", "complex64", "int2", "int4", "string", "uint16", "uint2", "uint4"}
_SMALL_INTEGERS = {"int2", "int4", "uint2", "uint4"}


@export("make_tensor_proto")
def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A TensorProto, as in the nodes of a GraphDef; `tf.make_ndarray` gives its value.

    Args:
      values: number, nested list, array or eager tensor; or a TensorProto, which is returned.
      dtype: dtype, or None for that of the values. Numbers that do not fit wrap around.
      shape: shape into which the values are put, the last one as often as there is room; None for their own.
      verify_shape: whether the values must have that shape.
      allow_broadcast: whether a single value may be repeated to fill that shape; others must be as many as it holds.

    Raises:
      TypeError: with `verify_shape`, the shape differs; or the values are no elements of a tensor, or of that dtype.
      ValueError: there are more values than the shape holds, lists have different lengths, `values` is None, or both
        `verify_shape` and `allow_broadcast` are set.

    Example:
      >>> import tracefn as tf
      >>> tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()
      [1, 2]
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    message = message_class("TensorProto")
    if isinstance(values, message):
        return values
    kind = as_dtype(dtype) if dtype else None
    try:
        if _is_array_like(values):
            values = np.asarray(values)
        array = _array(values, kind, shape)
    except ImportError:  # NumPy has the dtype from ml_dtypes, which not every program has
        if shape is not None:
            raise
        with _core.TargetContext(None):
            return tensor_proto(convert(values, dtype=kind))
    found = kind if kind is not None and kind.is_quantized else as_dtype(array.dtype)
    if kind is not None and kind.base_dtype != found.base_dtype:
        raise TypeError(f"`dtype` {kind} is not compatible with {values} of dtype {array.dtype}.")
    sizes = list(array.shape) if shape is None else _checked_sizes(array, shape, verify_shape, allow_broadcast)
    made = message(dtype=found.as_datatype_enum)
    made.tensor_shape.SetInParent()
    for size in sizes:
        made.tensor_shape.dim.add(size=size)
    if array.size == math.prod(sizes) > 1 and found.name not in _NOT_AS_BYTES:
        made.tensor_content = array.tobytes()
    else:
        _add_elements(made, found.name, array, values)
    return made


def _is_array_like(value) -> bool:
    if isinstance(value, _core.Tensor) and not isinstance(value, _core.EagerTensor):
        return False
    if callable(getattr(value, "__array__", None)) or isinstance(getattr(value, "__array_interface__", None), dict):
        return True
    if isinstance(value, bytes):
        return False
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _array(values, kind, shape):
    """The values as an array of the dtype, or of the one that Python values have by default."""
    own = _numpy_dtype(kind)
    if np.is_array_or_scalar(values):
        return np.asarray(values) if own is None else np.asarray(values.astype(own))
    if values is None:
        raise ValueError("None values not supported.")
    if shape is not None and math.prod(shape) == 0:
        array = np.empty(shape, own)
    else:
        _check(values, kind)
        array = _converted(values, own)
        depths = _sizes_of_lists(values)
        if list(array.shape) != depths and not (kind is not None and kind.is_quantized):
            raise ValueError(f"Expected values {values} to be a dense tensor with shape {depths}, but got shape "
                             f"{list(array.shape)}.")
    if kind is not None:
        return array
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    return array


def _numpy_dtype(kind):
    """The NumPy type of a dtype; None if it has none."""
    if kind is None or kind.name in ("resource", "variant"):
        return None
    return kind.as_numpy_dtype


def _converted(values, own):
    # Numbers out of range wrap around, also where NumPy 2 refuses them.
    if own is not None and np.issubdtype(own, np.number):
        return np.array(values).astype(own)
    return np.array(values, dtype=own)


def _sizes_of_lists(values) -> list[int]:
    if not isinstance(values, (list, tuple)):
        return []
    return [len(values), *(_sizes_of_lists(values[0]) if values else ())]


def _check(values, kind) -> None:
    """Refuses values that are no elements of a dtype.

    Raises:
      TypeError: there is one.
    """
    if kind is None:
        if any(isinstance(value, _core.Tensor) for value in nest.flatten(values)):
            raise TypeError("Expected any non-tensor type, but got a tensor instead.")
        return
    wrong = list(_not_quantized(values)) if kind.is_quantized else [v for v in nest.flatten(values) if not _fits(v, kind)]
    if wrong:
        raise TypeError(f"Expected {kind.name}, but got {wrong[0]} of type '{type(wrong[0]).__name__}'.")


def _not_quantized(values):
    """What is neither a list nor, in tuples, an integer: a tuple is an element."""
    if isinstance(values, tuple):
        yield from (value for value in nest.flatten(values) if not isinstance(value, _classes_of_integers()))
    elif isinstance(values, list):
        for value in values:
            yield from _not_quantized(value)
    else:
        yield values


def _classes_of_integers() -> tuple:
    return (numbers.Integral, np.integer, Dimension)


def _fits(value, kind) -> bool:
    if kind.name == "string":
        classes: tuple = (str, bytes)
    elif kind.name == "bool":
        classes = (bool,)
    elif kind.is_integer:
        classes = _classes_of_integers()
    elif kind.is_floating:
        classes = (numbers.Real, np.integer, np.floating)
    elif kind.is_complex:
        classes = (numbers.Complex, np.number)
    else:
        return not isinstance(value, _core.Tensor)
    return isinstance(value, classes) or (np.is_array(value) and issubclass(value.dtype.type, classes))


def _checked_sizes(array, shape, verify_shape: bool, allow_broadcast: bool) -> list[int]:
    sizes = [int(size) for size in shape]
    count = math.prod(sizes)
    if allow_broadcast:
        fits = array.shape in ((), (1,)) or array.size == count
    else:
        fits = not verify_shape or list(array.shape) == sizes
    if not fits:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if array.size > count and not allow_broadcast:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    return sizes


def _add_elements(made, name: str, array, values) -> None:
    if name == "string" and not np.is_array(values):
        try:
            made.string_val.extend([_as_bytes(value) for value in _leaves(values)])
        except TypeError:
            raise TypeError(
                f"Failed to convert elements of {values} to Tensor. Consider casting elements to a supported type. See "
                "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
            ) from None
        return
    flat = array.ravel()
    if name == "string":
        made.string_val.extend([_as_bytes(value) for value in flat])
    elif name.startswith("float8") or name == "float4_e2m1fn":
        made.float8_val = flat.view(np.uint8).tobytes()
    elif name in ("bfloat16", "float16"):
        made.half_val.extend(flat.view(np.uint16).tolist())
    elif name in ("complex64", "complex128"):
        getattr(made, _FIELDS[name]).extend([part for x in flat.tolist() for part in (x.real, x.imag)])
    elif flat.dtype.names:  # quantized numbers are structures of one
        made.int_val.extend(flat[flat.dtype.names[0]].tolist())
    else:
        flat = flat.astype(np.int8) if name in _SMALL_INTEGERS else flat
        getattr(made, _FIELDS.get(name, "int_val")).extend(flat.tolist())


def _leaves(values):
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _as_bytes(value) -> bytes:
    if isinstance(value, (str, bytes, bytearray)):
        return value.encode() if isinstance(value, str) else bytes(value)
    raise TypeError(f"Expected binary or unicode string, got {value!r}")
