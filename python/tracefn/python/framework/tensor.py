"""`tensorflow.python.framework.tensor`: tensors and their specs."""

from tracefn._core import Tensor
from tracefn.tensor_spec import DenseSpec, TensorSpec

__all__ = ["DenseSpec", "Tensor", "TensorSpec"]
