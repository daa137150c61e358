"""`tensorflow.python.framework.ops`: the classes of tensors, which have no public names."""

from tracefn._core import EagerTensor, SymbolicTensor

__all__ = ["EagerTensor", "SymbolicTensor"]
