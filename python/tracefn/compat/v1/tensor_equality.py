"""Whether `==` compares the values of tensors, as in TensorFlow 2, or asks whether they are the same object."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.ops.ragged.tensor import RaggedTensor
from tracefn.variable import Variable


def _is(self, other) -> bool:
    return self is other


def _is_not(self, other) -> bool:
    return self is not other


def _hash(self) -> int:
    if isinstance(self, _core.EagerTensor):  # as in TensorFlow, in either case
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
    return id(self)


_BY_IDENTITY = {"__eq__": _is, "__ne__": _is_not, "__hash__": _hash}
# (class, name, what the class itself had there), while values are not compared.
_replaced: list = []


@export("compat.v1.disable_tensor_equality")
def disable_tensor_equality() -> None:
    """Makes `==` and `!=` of tensors and Variables ask whether they are the same object; Variables and symbolic tensors become
    keys of dicts.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.disable_tensor_equality()
      >>> tf.constant(1) == tf.constant(1)
      False
      >>> tf.compat.v1.enable_tensor_equality()
    """
    if _replaced:
        return
    for cls in (_core.Tensor, Variable, RaggedTensor):
        for name, method in _BY_IDENTITY.items():
            _replaced.append((cls, name, vars(cls).get(name)))
            setattr(cls, name, method)


@export("compat.v1.enable_tensor_equality")
def enable_tensor_equality() -> None:
    """Makes `==` and `!=` compare the values of tensors and Variables, as they do if nothing else is asked for.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.enable_tensor_equality()
      >>> bool(tf.constant(1) == tf.constant(1))
      True
    """
    while _replaced:
        cls, name, method = _replaced.pop()
        if method is None:
            delattr(cls, name)
        else:
            setattr(cls, name, method)
