"""`BoundedTensorSpec`: the type of a tensor whose elements lie between bounds."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn.dtypes import as_dtype
from tracefn.ops.array_shape import broadcast_static_shape
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """The type of a tensor, with bounds of its elements, which the elements may reach.

    Args:
      shape: `tf.TensorShape` or a value that converts to one.
      dtype: `tf.DType` or a value that converts to one.
      minimum: number or array that broadcasts to `shape`: the lowest elements.
      maximum: the same of the highest ones.
      name: str or None.

    Raises:
      ValueError: a bound is None, or does not broadcast to `shape`.

    Example:
      >>> from tracefn._bounded_tensor_spec import BoundedTensorSpec
      >>> spec = BoundedTensorSpec([3, 5], tf.int32, 0, 2)
      >>> spec
      BoundedTensorSpec(shape=(3, 5), dtype=tf.int32, name=None, minimum=array(0, dtype=int32), maximum=array(2, dtype=int32))
      >>> spec.is_compatible_with(tf.zeros([3, 5], tf.int32))
      True
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(self, shape, dtype, minimum, maximum, name=None):
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, which: str, value):
        if value is None:
            raise ValueError(f"`{which}` can not be None.")
        try:
            broadcast_static_shape(TensorShape(np.shape(value)), self._shape)
        except ValueError as error:
            raise ValueError(f"`{which}` {value} is not compatible with shape {self._shape}.") from error
        bound = np.array(value, dtype=self._dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec, name=None) -> BoundedTensorSpec:
        """A BoundedTensorSpec with shape and dtype of `spec`, and its bounds if it has some: else those of the dtype."""
        dtype = as_dtype(spec.dtype)
        minimum, maximum = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self):
        """NumPy array that cannot be written: the lowest elements."""
        return self._minimum

    @property
    def maximum(self):
        """NumPy array that cannot be written: the highest elements."""
        return self._maximum

    def _serialize(self):
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __reduce__(self):
        return type(self), self._serialize()

    def __eq__(self, other):
        return (super().__eq__(other) and np.allclose(self._minimum, other._minimum)
                and np.allclose(self._maximum, other._maximum))

    def __hash__(self):
        return super().__hash__()

    def _without_tensor_names(self) -> BoundedTensorSpec:
        return self if self._name is None else BoundedTensorSpec(self._shape, self._dtype, self._minimum, self._maximum)

    def __repr__(self):
        return (f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
                f"minimum={self._minimum!r}, maximum={self._maximum!r})")
