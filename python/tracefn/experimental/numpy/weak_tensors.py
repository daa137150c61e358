"""Weak tensors: tensors whose dtype was inferred, and gives way to the dtype of what they are combined with."""

from __future__ import annotations

import numpy as np

from tracefn import _core, errors
from tracefn._namespaces import root
from tracefn.composite import GradientOfValues
from tracefn.extension_type import BatchableExtensionType
from tracefn.types.abstract_tensor import AbstractTensor

tf = root()

_ALLOWED = (tf.int32, tf.int64, tf.float32, tf.float64, tf.complex128)


class _GradientOfTensor(GradientOfValues):
    """The gradient of a weak tensor is weak."""

    def get_gradient_components(self, value):
        return value.tensor

    def replace_gradient_components(self, value, component_grads):
        return value._type_spec._from_components([component_grads])


class WeakTensor(BatchableExtensionType):
    """A tensor whose dtype gives way: weak float32 + float16 is float16.

    It has the attributes and operators of the tensor that it holds, `tensor`. Wherever a tensor is expected, it converts
    to that one.

    Raises:
      TypeError: the dtype is not int32, int64, float32, float64 or complex128.
    """

    __name__ = "tf.WeakTensor"
    tensor: _core.Tensor

    # NumPy's arrays leave operators to it.
    __array_priority__ = 100
    __composite_gradient__ = _GradientOfTensor()

    class Spec:
        """The type of weak tensors of a dtype and shape."""

        @property
        def dtype(self):
            """The dtype of the tensor."""
            return self.tensor.dtype  # type: ignore[attr-defined]

        @property
        def shape(self):
            """The shape of the tensor."""
            return self.tensor.shape  # type: ignore[attr-defined]

    def __validate__(self):
        if self.tensor.dtype not in _ALLOWED:
            raise TypeError(f"{self.tensor.dtype} not allowed as a weak type. The allowed types are {_ALLOWED}.")

    def __getattr__(self, name):
        if name.startswith("_tf_extension_type"):
            raise AttributeError(name)
        try:
            held = self.__dict__["tensor"]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None
        return getattr(held, name)

    def __repr__(self):
        return _marked(repr(self.tensor))

    def __str__(self):
        return _marked(str(self.tensor))

    def __iter__(self):
        if not tf.executing_eagerly():
            raise errors.OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.WeakTensor` is not allowed. Iterate over its `to_tensor()`, by AutoGraph."
            )
        return map(WeakTensor.from_tensor, iter(self.tensor))

    def __hash__(self):  # type: ignore[override]
        return hash(self.tensor)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __len__(self):
        return len(self.tensor)

    def __bool__(self):
        return bool(self.tensor)

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.tensor, dtype, name=name)

    @property
    def dtype(self):
        """The dtype of the tensor."""
        return self.tensor.dtype

    @property
    def shape(self):
        """The shape of the tensor."""
        return self.tensor.shape

    @property
    def is_tensor_like(self):
        """True, for `tf.is_tensor`."""
        return True

    def to_tensor(self):
        """The tensor, whose dtype is strong."""
        return self.tensor

    def _as_graph_element(self):
        return self.tensor

    @classmethod
    def from_tensor(cls, tensor):
        """A weak tensor of a tensor.

        Raises:
          InvalidArgumentError: `tensor` is no tensor.
          TypeError: its dtype cannot be weak.
        """
        if isinstance(tensor, _core.EagerTensor):
            return EagerWeakTensor(tensor)
        if isinstance(tensor, _core.SymbolicTensor):
            return GraphWeakTensor(tensor)
        raise errors.InvalidArgumentError(
            None, None, f"WeakTensor can only be constructed from tf.Tensor or tf.WeakTensor, but {type(tensor)} was given."
        )


class EagerWeakTensor(WeakTensor):
    """A weak tensor of values."""

    __name__ = "tf.EagerWeakTensor"

    def numpy(self):
        """The elements as a NumPy array.

        Raises:
          ValueError: it holds a symbolic tensor.
        """
        if not isinstance(self.tensor, _core.EagerTensor):
            raise ValueError("WeakTensor.numpy() is only supported in eager mode.")
        return self.tensor.numpy()

    def __complex__(self):
        return complex(self.tensor)

    def __int__(self):
        return int(self.tensor)

    def __float__(self):
        return float(self.tensor)

    def __index__(self):
        return self.tensor.__index__()

    def __format__(self, format_spec):
        return f"{format(self.tensor, format_spec)} weakly typed"

    def __array__(self, dtype=None, copy=None):
        return np.array(self.tensor.__array__(dtype))


class GraphWeakTensor(WeakTensor):
    """A weak tensor of a graph."""

    __name__ = "tf.GraphWeakTensor"


AbstractTensor.register(WeakTensor)


def _marked(text: str) -> str:
    """The text of a tensor, with "weak" before its last bracket."""
    return f"{text[:-1]}, weak=True{text[-1]}"


def plain(value):
    """The tensor of a weak tensor; any other value as it is."""
    return value.tensor if isinstance(value, WeakTensor) else value


def plain_all(values):
    """A nest with the tensors of the weak tensors in it."""
    return tf.nest.map_structure(plain, values)


def weak_all(values):
    """A nest of tensors, made weak."""
    return tf.nest.map_structure(lambda value: WeakTensor.from_tensor(plain(value)), values)
