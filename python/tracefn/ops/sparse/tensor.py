"""`tf.SparseTensor`: the places and values of few elements of a large tensor; and its spec."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn import _core
from tracefn import _numpy as np
from tracefn._default_session import session_for
from tracefn._export import export
from tracefn._static_value import known_value, sizes_in
from tracefn.composite import CompositeTensor, GradientOfValues
from tracefn.dtypes import as_dtype, int64
from tracefn.ops._build import convert, name_scope, op
from tracefn.tensor_shape import TensorShape, as_shape, unknown_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


def static_shape(sizes) -> TensorShape:
    """What is known of the shape that a tensor of sizes holds."""
    if _core.current_graph() is not None:
        sizes.shape.assert_has_rank(1)
    known = known_value(sizes)
    if known is not None:
        # TensorShape refuses all negative sizes but -1.
        return TensorShape([None if size == -1 else int(size) for size in known])
    return TensorShape(sizes_in(sizes))


@export("SparseTensor", "sparse.SparseTensor")
class SparseTensor(CompositeTensor):
    """A tensor of which only some elements are given; the others are zero, or missing.

    Args:
      indices: int64 matrix [n, rank], the places of the elements; most ops need them in row-major order
        (`tf.sparse.reorder`).
      values: tensor [n] of any dtype.
      dense_shape: int64 vector [rank].

    >>> st = tf.SparseTensor([[0, 1], [1, 0]], [5.0, 7.0], [2, 3])
    >>> st.values.numpy().tolist(), st.shape
    ([5.0, 7.0], TensorShape([2, 3]))
    """

    __composite_gradient__ = GradientOfValues()
    is_tensor_like = True

    def __init__(self, indices, values, dense_shape):
        with name_scope("SparseTensor"):
            self._indices = convert(indices, dtype=int64, name="indices")
            self._values = convert(values, name="values")
            self._dense_shape = convert(dense_shape, dtype=int64, name="dense_shape")
        self._shape = static_shape(self._dense_shape)
        rows, columns = self._indices.shape.with_rank(2).dims
        rows.assert_is_compatible_with(self._values.shape.with_rank(1)[0])
        columns.assert_is_compatible_with(self._dense_shape.shape.with_rank(1)[0])

    @classmethod
    def from_value(cls, sparse_tensor_value) -> SparseTensor:
        """A SparseTensor with the parts of another one."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor "
                            "SparseTensorValue.")
        value = sparse_tensor_value
        return SparseTensor(value.indices, value.values, value.dense_shape)

    @property
    def indices(self):
        """int64 matrix [n, rank]: the places of the elements."""
        return self._indices

    @property
    def values(self):
        """Tensor [n]: the elements."""
        return self._values

    @property
    def dense_shape(self):
        """int64 vector [rank]: the shape as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The property `shape`."""
        return self._shape

    def set_shape(self, shape) -> None:
        """Adds what another static shape tells."""
        self._shape = self._shape.merge_with(as_shape(shape))

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._values.dtype

    def eval(self, feed_dict=None, session=None):
        """The value of this symbolic SparseTensor, as a session computes it: a `tf.compat.v1.SparseTensorValue`.

        Args:
          feed_dict: dict from tensors to values that take their place, or None.
          session: `tf.compat.v1.Session`; None: the default one.

        Raises:
          ValueError: there is no session.
          AttributeError: the parts are eager tensors.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default(), tf.compat.v1.Session().as_default():
          ...     tf.SparseTensor([[1]], [2.0], [3]).eval().values.tolist()
          [2.0]
        """
        if self._is_eager():
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return session_for(session, "Cannot evaluate tensor using `eval()`").run(self, feed_dict)

    @property
    def op(self):
        """The operation that computes `values`.

        Raises:
          AttributeError: `values` is an eager tensor.
        """
        return self._values.op

    @property
    def graph(self):
        """The graph of the parts.

        Raises:
          AttributeError: they are eager tensors.
        """
        return self._indices.graph

    def with_values(self, new_values) -> SparseTensor:
        """The SparseTensor with other values at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list:
        """The operations that use one of its tensors."""
        return self._consumers()

    def _numpy(self):
        if not self._is_eager():
            raise ValueError("SparseTensor.numpy() is only supported in eager mode.")
        array = np.zeros(self._dense_shape.numpy(), dtype=self.dtype.as_numpy_dtype())
        array[tuple(self._indices.numpy().T)] = self._values.numpy()
        return array

    def _is_eager(self) -> bool:
        return all(isinstance(part, _core.EagerTensor) for part in (self._indices, self._values, self._dense_shape))

    @property
    def _type_spec(self):
        return SparseTensorSpec(self.shape, self.dtype)

    def _shape_invariant_to_type_spec(self, shape):
        """The spec in a loop; `shape` is that of `dense_shape`."""
        if shape.rank is not None and shape.rank != 1:
            raise ValueError(f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.rank} dimensions.")
        rank = None if shape.rank is None else shape.as_list()[0]
        return SparseTensorSpec(TensorShape(None) if rank is None else unknown_shape(rank), self.dtype)

    def __repr__(self):
        # By str: an eager tensor's format is that of its NumPy value.
        parts = f"indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s}"
        return f"SparseTensor({parts})"


@export("compat.v1.SparseTensorValue")
class SparseTensorValue(NamedTuple):
    """The NumPy values of the parts of a SparseTensor.

    >>> tf.compat.v1.SparseTensorValue([[0, 1]], [5.0], [2, 3]).dense_shape
    [2, 3]
    """

    indices: Any
    values: Any
    dense_shape: Any


def is_sparse(value) -> bool:
    """Whether the value is a SparseTensor."""
    return isinstance(value, SparseTensor)


def require_sparse(value) -> SparseTensor:
    """The value, a SparseTensor or a SparseTensorValue, as a SparseTensor.

    Raises:
      TypeError: it is neither.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not is_sparse(value):
        raise TypeError("Input must be a SparseTensor.")
    return value


def parts(prefix: str, value: SparseTensor, shape: str = "shape") -> dict:
    """The arguments of a raw op that takes a SparseTensor in three tensors: `prefix` + "indices" and so on."""
    return {prefix + "indices": value.indices, prefix + "values": value.values, prefix + shape: value.dense_shape}


@export("SparseTensorSpec")
class SparseTensorSpec(TypeSpec):
    """The type of a SparseTensor.

    Args:
      shape: static shape.
      dtype: dtype of the values.

    >>> tf.SparseTensorSpec([2, None], tf.int32)
    SparseTensorSpec(TensorShape([2, None]), tf.int32)
    """

    __slots__ = ("__weakref__", "_dtype", "_shape")

    def __init__(self, shape=None, dtype="float32"):
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    value_type = property(lambda self: SparseTensor, doc="`tf.SparseTensor`.")
    dtype = property(lambda self: self._dtype, doc="The dtype of the values.")
    shape = property(lambda self: self._shape, doc="The static shape.")

    @classmethod
    def from_value(cls, value):
        """The spec of a SparseTensor."""
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, SparseTensorValue):
            return cls(list(value.dense_shape), np.asarray(value.values).dtype)
        raise TypeError(f"Expected SparseTensor or SparseTensorValue. Received: {value} of type {type(value).__name__}.")

    def _serialize(self):
        return self._shape, self._dtype

    @property
    def _component_specs(self):
        rank = self._shape.rank
        return [TensorSpec([None, rank], int64), TensorSpec([None], self._dtype), TensorSpec([rank], int64)]

    def _to_components(self, value):
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components):
        made = SparseTensor(*components)
        made.set_shape(self._shape)
        return made

    def cast(self, value, casting_context):
        """`value`, if its tensors fit: its rank must be the spec's. Other sizes are taken, as in TensorFlow.

        Raises:
          TypeError: the rank or the dtype is another one.
        """
        pairs = zip(self._component_specs, self._to_components(value), strict=True)
        return SparseTensor(*[spec.cast(part, casting_context) for spec, part in pairs])

    # What stands in an array for one value.
    _row_encoding = TensorSpec([3], "variant")

    def _batch(self, batch_size):
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self):
        if self._shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return SparseTensorSpec(self._shape[1:], self._dtype)

    # A SparseTensor as one tensor: a vector of three variants; a batch of them as a matrix, a row for each one.

    @property
    def _flat_tensor_specs(self):
        return [TensorSpec(None, "variant")]

    def _to_tensor_list(self, value):
        return [op("SerializeSparse")(**parts("sparse_", SparseTensor.from_value(value)), out_type="variant")]

    def _to_batched_tensor_list(self, value):
        value = SparseTensor.from_value(value)
        if value.shape.rank == 0:
            raise ValueError("Unbatching a sparse tensor is only supported for rank >= 1")
        return [op("SerializeManySparse")(**parts("sparse_", value), out_type="variant")]

    def _from_compatible_tensor_list(self, tensor_list):
        indices, values, shape = op("DeserializeSparse")(serialized_sparse=tensor_list[0], dtype=self._dtype)
        rank = self._shape.rank
        indices.set_shape([None, rank])
        shape.set_shape([rank])
        made = self._from_components([indices, values, self._with_known_sizes(shape)])
        made.set_shape(self._shape)
        return made

    def _with_known_sizes(self, shape):
        """A tensor of sizes in which those that the spec knows are constants, so that results have them in their shapes."""
        known = None if self._shape.rank is None else self._shape.as_list()
        if _core.current_graph() is None or not known or known.count(None) == len(known):
            return shape
        if None not in known:
            return convert(known, dtype=int64, name="shape")
        sizes = [shape[i] if size is None else convert(size, dtype=int64) for i, size in enumerate(known)]
        return op("Pack")(values=sizes, axis=0)
