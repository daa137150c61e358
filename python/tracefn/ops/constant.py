"""`tf.constant`."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._value_text import shortened, value_str
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.errors import OperatorNotAllowedInGraphError
from tracefn.ops._build import eager_value
from tracefn.tensor_shape import TensorShape

_fill = _core.raw_op("Fill")
_reshape = _core.raw_op("Reshape")
_const = _core.raw_op("Const")


@export("constant")
def constant(value, dtype=None, shape=None, name="Const"):
    """A tensor with the given value.

    Args:
      value: number, string, array, or nested list of them; not a symbolic tensor.
      dtype: dtype of the result; None: int32 for ints, float32 for floats, an array's own.
      shape: list of ints, or None for the shape of the value; a scalar value is repeated.
      name: str, the node's name.

    Returns:
      Tensor.

    Raises:
      TypeError: the value does not fit the dtype or the shape, or it is or holds a symbolic tensor.
      ValueError: the value is a ragged list.

    Example:
      >>> import tracefn as tf
      >>> tf.constant([1, 2])
      <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
      >>> tf.constant(0.5, shape=[2])
      <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    if _core.current_graph() is None:
        return _eager(value, dtype, shape)
    _refuse_symbolic(value, dtype)
    tensor = _known(value, dtype)
    if shape is not None:
        with _core.TargetContext(None):
            tensor = _with_shape(tensor, TensorShape(shape), value, in_graph=True)
    return _const(value=tensor, dtype=tensor.dtype, name=name)


def _eager(value, dtype, shape):
    if isinstance(value, _core.EagerTensor) and dtype is not None and value.dtype != as_dtype(dtype):
        raise TypeError(f"Expected tensor {value} with dtype {dtype!r}, but got dtype {value.dtype!r}.")
    held = value if dtype is None else _plain(value)
    tensor = _core.convert_to_tensor(held, dtype=dtype)
    return tensor if shape is None else _with_shape(tensor, TensorShape(shape), value)


def _plain(value):
    """The array or numbers in place of an object that converts to one dtype only: arrays and numbers are cast."""
    if isinstance(value, (TensorShape, Dimension)):
        return value.as_list() if isinstance(value, TensorShape) else value.value
    is_plain = isinstance(value, (_core.Tensor, list, tuple, str, bytes, int, float)) or np.is_array_or_scalar(value)
    return value if is_plain or not callable(getattr(value, "__array__", None)) else np.asarray(value)


def _known(value, dtype):
    """The value of a constant of a graph.

    Raises:
      TypeError, ValueError: it does not convert; as a graph has it, which says other things than eager execution.
    """
    if isinstance(value, _core.EagerTensor) and dtype is not None and value.dtype != as_dtype(dtype):
        value = value.numpy()  # arrays are cast
    if isinstance(value, (bytearray, memoryview)):
        value = np.array(value)
    try:
        tensor = eager_value(value, dtype)
        if tensor is not None:
            return tensor
    except (TypeError, ValueError) as error:
        if "non-rectangular" in str(error):  # plainer than NumPy's text, which a graph has
            raise
    scratch = _core.Graph()
    with _core.TargetContext(scratch):
        tensor = _core.convert_to_tensor(value, dtype=dtype)
    return _core.constant_value(tensor)


def _refuse_symbolic(value, dtype) -> None:
    """Rejects a value that is or holds a symbolic tensor: a constant must be known while tracing."""
    found = _core.find_symbolic(value)
    if found is None:
        return
    wanted = "any non-tensor type, but got a tensor instead" if dtype is None else (
        f"{as_dtype(dtype).name}, but got {value_str(found)} of type 'SymbolicTensor'"
    )
    if found is value:
        raise TypeError(f"Expected {wanted}. Received value={value_str(value)}.")
    told = (
        f"Expected {wanted}. The values of tf.constant are known while tracing: use tf.stack or tf.convert_to_tensor to make "
        "one tensor of several."
    )
    if _is_iterated(value):
        raise OperatorNotAllowedInGraphError(f"Iterating over a symbolic `tf.Tensor` is not allowed. {told}")
    raise TypeError(told)


def _is_iterated(value) -> bool:
    """True for a list of as many elements of one tensor as it has, as `[element for element in tensor]` makes it.

    TensorFlow refuses that as an iteration over a tensor.
    """
    if not isinstance(value, list) or not all(isinstance(v, _core.SymbolicTensor) and v.op.type == "StridedSlice" for v in value):
        return False
    tensors = {v.op.inputs[0].ref() for v in value}
    return len(tensors) == 1 and value[0].op.inputs[0].shape[:1] == [len(value)]


def _with_shape(tensor, shape: TensorShape, value, in_graph: bool = False):
    if tensor.shape == shape:
        return tensor
    wanted = shape.num_elements()
    have = tensor.shape.num_elements()
    if have == wanted:
        return _reshape(tensor=tensor, shape=shape.as_list())
    if have == 1:
        return _fill(
            dims=shape.as_list() or _core.convert_to_tensor([], dtype="int32"),
            value=_reshape(tensor=tensor, shape=_core.convert_to_tensor([], dtype="int32")),
        )
    if in_graph:
        raise TypeError(f"Expected Tensor's shape: {shape}, but got {tensor.shape}.")
    told = shortened(str(tensor.numpy())) if isinstance(tensor, _core.EagerTensor) else value_str(tensor)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {told} (converted from "
        f"{value_str(value)}) has {have} elements, but got `shape` {shape} with {wanted} elements)."
    )
