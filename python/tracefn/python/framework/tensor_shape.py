"""`tensorflow.python.framework.tensor_shape`: shapes."""

from tracefn.tensor_shape import TensorShape, as_shape

__all__ = ["TensorShape", "as_shape"]
