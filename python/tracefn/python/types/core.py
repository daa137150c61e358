"""`tensorflow.python.types.core`: the base classes of tensors and functions."""

from tracefn.types.abstract_tensor import AbstractTensor as Tensor

__all__ = ["Tensor"]
Symbol = Value = Tensor
