"""`tf.RaggedTensorSpec`: the type of a RaggedTensor, in functions, loops and datasets."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn.dtypes import as_dtype, int64
from tracefn.ops._build import convert, op
from tracefn.ops.ragged.row_partition import RowPartition, size_of
from tracefn.ops.ragged.tensor import RaggedTensor
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value


class RaggedTensorSpec(TypeSpec):
    """The type of a RaggedTensor.

    Args:
      shape: static shape; None for ragged sizes.
      dtype: dtype of the values.
      ragged_rank: int, the number of ragged dimensions; by default all but the first.
      row_splits_dtype: int32 or int64.
      flat_values_spec: spec of the flat values, if they are not a tensor.

    Raises:
      ValueError: neither the rank of the shape nor `ragged_rank` is known, or they do not fit.
      TypeError: `ragged_rank` is not an int.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    __slots__ = ("__weakref__", "_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(self, shape=None, dtype="float32", ragged_rank=None, row_splits_dtype=int64, flat_values_spec=None):
        self._shape = as_shape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif as_dtype(dtype) != flat_values_spec.dtype:
                raise ValueError("dtype must be the same as flat_values_spec.dtype")
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")

    dtype = property(lambda self: self._dtype, doc="The dtype of the values.")
    shape = property(lambda self: self._shape, doc="The static shape.")
    ragged_rank = property(lambda self: self._ragged_rank, doc="The number of ragged dimensions.")
    row_splits_dtype = property(lambda self: self._row_splits_dtype, doc="The dtype of the row partitions.")
    flat_values_spec = property(lambda self: self._flat_values_spec, doc="The spec of the flat values, or None.")

    @property
    def value_type(self) -> type:
        """`tf.RaggedTensor`; `tf.Tensor` if the ragged rank is 0."""
        return RaggedTensor if self._ragged_rank > 0 else _core.Tensor

    @classmethod
    def from_value(cls, value):
        """The spec of a RaggedTensor."""
        flat = value.flat_values
        spec = None
        if not isinstance(flat, _core.Tensor):
            spec = type_spec_from_value(flat)._unbatch()._batch(None)
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype, spec)

    def is_compatible_with(self, spec_or_value) -> bool:
        """Whether `spec_or_value` is a compatible spec, or a value with such a spec; a tensor for ragged rank 0."""
        if self._ragged_rank == 0:
            if self._flat_values_spec is None:
                if isinstance(spec_or_value, (_core.Tensor, TensorSpec)):
                    return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
            elif not isinstance(spec_or_value, (RaggedTensor, RaggedTensorSpec)):
                return self._flat_values_spec.is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self):
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat_values_spec is None else (*parts, self._flat_values_spec)

    @property
    def _component_specs(self):
        flat = self._flat_values_spec
        if self._ragged_rank <= 0:
            return [TensorSpec(self._shape, self._dtype) if flat is None else flat]
        if flat is None:
            flat = TensorSpec(TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :]), self._dtype)
        rows = size_of(self._shape, 0)
        kind = self._row_splits_dtype
        outer = TensorSpec([None if rows is None else rows + 1], kind)
        return [flat, outer, *[TensorSpec([None], kind)] * (self._ragged_rank - 1)]

    def _to_components(self, value):
        return [value.flat_values, *value.nested_row_splits] if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components):
        values, *nested = components
        if np.is_array(values):
            values, *nested = [convert(part) for part in components]
        for splits in reversed(nested):
            values = RaggedTensor(values, RowPartition.from_row_splits(splits, validate=False), internal=True)
        if self._shape.rank is not None:
            if isinstance(values, RaggedTensor):
                values._set_shape(self._shape)
                if self._flat_values_spec is not None and hasattr(values.flat_values, "set_shape"):
                    values.flat_values.set_shape(self._flat_values_spec.shape)
            elif isinstance(values, _core.Tensor):
                values.set_shape(self._shape)
        return values

    def _to_legacy_output_shapes(self):
        return self._shape

    def _to_legacy_output_types(self):
        return self._dtype

    def _to_legacy_output_classes(self):
        return self

    def _batch(self, batch_size):
        if self._flat_values_spec is not None:
            raise ValueError("Customized value_type is not supported.")
        return RaggedTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype, self._ragged_rank + 1,
                                self._row_splits_dtype)

    def _unbatch(self):
        if self._flat_values_spec is not None:
            raise ValueError("Customized value_type is not supported.")
        return RaggedTensorSpec(self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    # A RaggedTensor as one tensor, a variant; map_fn keeps its rows so.

    @property
    def _flat_tensor_specs(self):
        return [TensorSpec(None, "variant")]

    # What stands in an array for one value.
    _row_encoding = TensorSpec([], "variant")

    def _to_tensor_list(self, value):
        return [self._encoded(value, batched=False)]

    def _to_batched_tensor_list(self, value):
        return [self._encoded(value, batched=True)]

    def _encoded(self, value, batched: bool):
        if self._flat_values_spec is not None:
            raise ValueError("Customized value_type is not supported.")
        if isinstance(value, RaggedTensor):
            if value.ragged_rank != self._ragged_rank:
                raise ValueError(f"Ragged rank of value {value.ragged_rank} does not match ragged rank of type "
                                 f"{self._ragged_rank}.")
            return value._to_variant(batched_input=batched)  # type: ignore[attr-defined]
        if self._ragged_rank > 0:
            raise ValueError(f"Expected a RaggedTensor if ragged rank={self._ragged_rank} but got {type(value).__name__}.")
        return op("RaggedTensorToVariant")(rt_nested_splits=[], rt_dense_values=value, batched_input=batched,
                                           Tsplits=self._row_splits_dtype)

    def _from_compatible_tensor_list(self, tensor_list):
        value = RaggedTensor._from_variant(  # type: ignore[attr-defined]
            tensor_list[0], dtype=self._dtype, row_splits_dtype=self._row_splits_dtype,
            output_ragged_rank=self._ragged_rank)
        if self._shape.rank is not None:
            if isinstance(value, RaggedTensor):
                value._set_shape(self._shape)
            else:
                value.set_shape(self._shape)
        return value


def _spec_of(self):
    return RaggedTensorSpec.from_value(self)


def _shape_invariant_to_type_spec(self, shape):
    return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)


METHODS = {"_type_spec": property(_spec_of), "_shape_invariant_to_type_spec": _shape_invariant_to_type_spec}
