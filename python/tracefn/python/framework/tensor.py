"""`tensorflow.python.framework.tensor`: tensors and their specs."""

from tracefn._bounded_tensor_spec import BoundedTensorSpec
from tracefn._core import Tensor
from tracefn.tensor_spec import DenseSpec, TensorSpec

__all__ = ["BoundedTensorSpec", "DenseSpec", "Tensor", "TensorSpec"]
