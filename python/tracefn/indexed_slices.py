"""`tf.IndexedSlices`: a few slices of a larger tensor, such as the gradient of a gather; and its spec."""

from __future__ import annotations

import warnings

from tracefn import _core
from tracefn._caller import frames_of_package
from tracefn._static_value import known_value
from tracefn.composite import CompositeTensor
from tracefn.dtypes import DType, as_dtype, float32, int64
from tracefn.tensor_shape import TensorShape, as_shape, unknown_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


class IndexedSlices(CompositeTensor):
    """The slices `values[i]` of a tensor at `indices[i]` of its first dimension; the rest is zero.

    Args:
      values: tensor of any dtype, shape [n, d1, ..., dk].
      indices: integer tensor, shape [n]; slices with the same index are added.
      dense_shape: integer tensor, shape [k + 1], the shape of the larger tensor, or None.

    >>> slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    >>> slices.shape, slices.dtype
    (TensorShape([3, 2]), tf.float32)
    """

    is_tensor_like = True

    def __init__(self, values, indices, dense_shape=None):
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        """The slices, shape [n, d1, ..., dk]."""
        return self._values

    @property
    def indices(self):
        """The indices of the slices, shape [n]."""
        return self._indices

    @property
    def dense_shape(self):
        """The shape of the larger tensor, shape [k + 1], or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the larger tensor."""
        if self._dense_shape is None:
            return TensorShape(None)
        known = known_value(self._dense_shape)
        return unknown_shape(self._dense_shape.shape[0]) if known is None else TensorShape(known)

    @property
    def name(self) -> str:
        """The name of `values`.

        Raises:
          AttributeError: `values` is an eager tensor, which has no name.
        """
        return self._values.name

    @property
    def device(self) -> str:
        """The device that holds `values`."""
        return self._values.device

    @property
    def op(self):
        """The operation that computes `values`.

        Raises:
          AttributeError: `values` is an eager tensor.
        """
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The dtype of `values`."""
        return self._values.dtype

    @property
    def graph(self):
        """The graph of `values`.

        Raises:
          AttributeError: `values` is an eager tensor.
        """
        return self._values.graph

    def consumers(self) -> list:
        """The operations that use one of its tensors."""
        return self._consumers()

    def __tf_tensor__(self, dtype=None, name=None):
        return _to_dense(self, dtype, name)

    @property
    def _type_spec(self):
        indices_shape = self._indices.shape.with_rank(1)
        dense_shape_dtype = None if self._dense_shape is None else self._dense_shape.dtype
        # The slices may determine what the larger tensor's shape leaves open: all but the first size.
        shape = TensorShape([None]).concatenate(self._values.shape[1:])
        if self._dense_shape is not None:
            shape = shape.merge_with(self.shape)
        return IndexedSlicesSpec(shape, self.dtype, self._indices.dtype, dense_shape_dtype, indices_shape)

    def _shape_invariant_to_type_spec(self, shape):
        """The spec in a loop with the shape invariant `shape` for `values`."""
        indices_shape = shape[:1]
        dense_shape = TensorShape([None]).concatenate(shape[1:])
        dense_shape_dtype = None if self._dense_shape is None else self._dense_shape.dtype
        return IndexedSlicesSpec(dense_shape, self.dtype, self._indices.dtype, dense_shape_dtype, indices_shape)

    def _with_values(self, values) -> IndexedSlices:
        """Other slices at the same places."""
        return IndexedSlices(values, self._indices, self._dense_shape)

    def __neg__(self):
        return self._with_values(-self._values)

    def __str__(self):
        # By str, for the format of a tensor is that of its NumPy value.
        told = f"IndexedSlices(indices={self._indices!s}, values={self._values!s}"
        return f"{told})" if self._dense_shape is None else f"{told}, dense_shape={self._dense_shape!s})"


class IndexedSlicesSpec(TypeSpec):
    """The type of IndexedSlices.

    Args:
      shape: shape of the larger tensor.
      dtype: dtype of the values.
      indices_dtype: dtype of the indices.
      dense_shape_dtype: dtype of the tensor `dense_shape`, None if there is none.
      indices_shape: shape [n] of the indices, None for any n.

    Raises:
      TypeError: one of the dtypes is invalid.
      ValueError: the rank of `indices_shape` is not 1.

    >>> tf.IndexedSlicesSpec([3, 2], indices_dtype=tf.int32)
    IndexedSlicesSpec(TensorShape([3, 2]), tf.float32, tf.int32, None, TensorShape([None]))
    """

    __slots__ = ("__weakref__", "_dense_shape_dtype", "_indices_dtype", "_indices_shape", "_shape", "_values_dtype")

    def __init__(self, shape=None, dtype=float32, indices_dtype=int64, dense_shape_dtype=None, indices_shape=None):
        self._shape = as_shape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _serialize(self):
        return self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self):
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = (TensorSpec(values, self._values_dtype), TensorSpec(self._indices_shape, self._indices_dtype))
        if self._dense_shape_dtype is None:
            return specs
        return (*specs, TensorSpec([self._shape.rank], self._dense_shape_dtype))

    def _to_components(self, value):
        parts = value.values, value.indices
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components):
        return IndexedSlices(*components)


_LARGE = 100_000_000


def _to_dense(slices: IndexedSlices, dtype, name):
    """The larger tensor; slices with the same index are added.

    Raises:
      ValueError: its shape is not known, or another dtype is requested.
    """
    if not hasattr(slices.dense_shape, "shape") and slices.dense_shape is not None:  # given as a list
        values, indices = _core.convert_to_tensor(slices.values), _core.convert_to_tensor(slices.indices)
        slices = IndexedSlices(values, indices, _core.convert_to_tensor(slices.dense_shape))
    if dtype is not None and not as_dtype(dtype).is_compatible_with(slices.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {as_dtype(dtype).name} for IndexedSlices ({slices}) "
            f"with dtype {slices.dtype.name}"
        )
    if slices.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {slices}"
        )
    count = slices.shape.num_elements()
    if count is not None and count >= _LARGE:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with {count} elements. This may consume a large amount of "
            "memory.",
            stacklevel=frames_of_package()[0] + 1,
        )
    rows = _core.convert_to_tensor(slices.dense_shape)[0]
    return _core.raw_op("UnsortedSegmentSum")(
        data=slices.values, segment_ids=slices.indices, num_segments=rows, name=name
    )
