"""`tensorflow.python.ops.structured.structured_ops`: lets public functions take StructuredTensors."""

from tracefn.python.ops.structured import structured_array_ops

__all__ = ["structured_array_ops"]
