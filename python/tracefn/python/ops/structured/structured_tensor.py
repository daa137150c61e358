"""`tensorflow.python.ops.structured.structured_tensor`: the class, and an older form of its spec."""

from tracefn._structured.structured_tensor import StructuredTensor
from tracefn._structured.structured_tensor import structured_tensor_spec as StructuredTensorSpec

__all__ = ["StructuredTensor", "StructuredTensorSpec"]
