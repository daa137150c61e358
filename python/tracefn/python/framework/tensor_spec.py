"""`tensorflow.python.framework.tensor_spec`: the types of tensors."""

from tracefn._bounded_tensor_spec import BoundedTensorSpec
from tracefn.tensor_spec import DenseSpec, TensorSpec

__all__ = ["BoundedTensorSpec", "DenseSpec", "TensorSpec"]
