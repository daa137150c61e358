"""Arguments as tensors, and choices that are made while tracing if they can be."""

from __future__ import annotations

from tracefn._namespaces import root
from tracefn.experimental.numpy.dtype_rules import dtype_of, inferred_float, result_type, result_type_of_pair

tf = root()


def _converted(value, dtype):
    """A tensor of a value that is none. `dtype` guides the conversion, which may need a cast: [1.5] to int64."""
    if dtype is None:
        dtype = dtype_of(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        value = tf.convert_to_tensor(value, tf.uint64)
    elif dtype.is_complex and isinstance(value, (list, tuple)):
        # By its first element, [1, 2j] would be an array of integers.
        parts = tf.nest.map_structure(lambda x: complex(x) if isinstance(x, (int, float)) else x, value)
        value = tf.convert_to_tensor(parts, dtype)
    else:
        value = tf.convert_to_tensor(value, dtype_hint=dtype)
    return value if value.dtype == dtype else tf.cast(value, dtype)


def tensor(value, dtype=None):
    """The value as a tensor, of NumPy's dtype for it or of `dtype`, a `tf.DType`."""
    if not isinstance(value, tf.Tensor):
        return _converted(value, dtype)
    return value if dtype is None or value.dtype == dtype else tf.cast(value, dtype)


def promoted(*values) -> list:
    """The values as tensors of their common dtype."""
    dtype = result_type(*values)
    return [tensor(value, dtype) for value in values]


def promoted_pair(x, y) -> list:
    """The two arguments of a function, as tensors of their common dtype."""
    dtype = result_type_of_pair(x, y)
    return [tensor(x, dtype), tensor(y, dtype)]


def floating(value):
    """The value as a tensor, of the default float if its elements are integers, booleans or bfloat16."""
    value = tensor(value)
    return value if is_inexact(value) else tf.cast(value, inferred_float())


def fractional(value):
    """The value as a tensor, of the default float if its elements are integers or booleans; bfloat16 stays."""
    value = tensor(value)
    return value if value.dtype == tf.bfloat16 else floating(value)


def is_inexact(value) -> bool:
    """Whether a tensor has a floating or complex dtype that NumPy knows as such: bfloat16 is none."""
    return (value.dtype.is_floating and value.dtype != tf.bfloat16) or value.dtype.is_complex


def rank_of(value):
    """The rank, an int; a scalar tensor if it is unknown."""
    rank = value.shape.rank
    return tf.rank(value) if rank is None else rank


def sizes_of(value, dtype=None):
    """The shape, a list of ints; a vector if some size is unknown."""
    if value.shape.is_fully_defined():
        return value.shape.as_list()
    return tf.shape(value, out_type=dtype or tf.int32)


def size_of(value, axis: int):
    """One size, an int; a scalar tensor if it is unknown."""
    if value.shape.rank is not None:
        size = value.shape[axis]
        if size is not None:
            return size
    return tf.shape(value)[axis]


def choose(condition, yes, no):
    """`yes()` or `no()`: while tracing if the condition is a Python bool, else by `tf.cond`."""
    if isinstance(condition, tf.Tensor):
        known = tf.get_static_value(condition)
        if known is None:
            return tf.cond(condition, yes, no)
        condition = bool(known)
    return yes() if condition else no()


def positive_axis(axis, rank):
    """An axis counted from the front; the rank may be a tensor."""
    if isinstance(axis, tf.Tensor):
        return tf.where(axis < 0, axis + rank, axis)
    return axis + rank if axis < 0 else axis


def broadcast(*values) -> list:
    """The tensors, with their common shape."""
    if len(values) < 2:
        return list(values)
    shape = tf.shape(values[0])
    for value in values[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(value))
    return [tf.broadcast_to(value, shape) for value in values]
