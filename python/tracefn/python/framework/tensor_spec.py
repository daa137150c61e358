"""`tensorflow.python.framework.tensor_spec`: the types of tensors."""

from tracefn.tensor_spec import DenseSpec, TensorSpec

__all__ = ["DenseSpec", "TensorSpec"]
