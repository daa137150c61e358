"""`tf.experimental.DynamicRaggedShape.Spec`: what is known of such a shape while tracing."""

from __future__ import annotations

from typing import Any

from tracefn._type_spec_registry import register
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.ops._build import convert
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.row_partition import RowPartitionSpec
from tracefn.ops.ragged.spec import RaggedTensorSpec
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


@register("tf.DynamicRaggedShape.Spec")
class DynamicRaggedShapeSpec(TypeSpec):
    """The type of a DynamicRaggedShape.

    Args:
      row_partitions: iterable of RowPartitionSpecs.
      static_inner_shape: TensorShape, what is known of the inner shape.
      dtype: int32 or int64, also that of the row partitions.

    Raises:
      TypeError: `row_partitions` holds something else.
      ValueError: another dtype, or numbers that do not fit.
    """

    __slots__ = ("__weakref__", "_dtype", "_row_partitions", "_static_inner_shape")
    _of: Any = None  # DynamicRaggedShape, whose module sets it
    value_type = property(lambda self: self._of)

    def __init__(self, row_partitions, static_inner_shape, dtype=int64) -> None:
        if not hasattr(row_partitions, "__iter__"):
            raise TypeError("row_partitions should be an Iterable")
        partitions = tuple(row_partitions)
        shape = TensorShape(static_inner_shape)
        self._dtype = as_dtype(dtype)
        if not all(isinstance(partition, RowPartitionSpec) for partition in partitions):
            raise TypeError("row_partitions should be an Iterable of RowPartitionSpecs")
        if self._dtype not in (int32, int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        for partition in partitions:
            if partition.dtype != self._dtype:
                raise ValueError(f"dtype of {partition!r} is {partition.dtype!r}: expected {self._dtype!r}")
        if partitions and shape.rank == 0:
            raise ValueError("If row_partitions are provided, must have inner_rank > 0")
        self._row_partitions, self._static_inner_shape = _completed(partitions, shape)

    dtype = property(lambda self: self._dtype, doc="int32 or int64.")
    inner_rank = property(lambda self: self._static_inner_shape.rank, doc="The rank of the flat values, or None.")
    num_row_partitions = property(lambda self: len(self._row_partitions), doc="The number of row partitions.")

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self.inner_rank is None else self.num_row_partitions + self.inner_rank

    @classmethod
    def from_value(cls, value):
        """The spec of a DynamicRaggedShape."""
        if not isinstance(value, cls._of):
            raise TypeError("Expected `value` to be a `DynamicRaggedShape`")
        partitions = [RowPartitionSpec.from_value(partition) for partition in value.row_partitions]
        return cls(partitions, value._static_inner_shape, value.dtype)

    @classmethod
    def _from_tensor_shape(cls, shape, num_row_partitions: int, dtype) -> DynamicRaggedShapeSpec:
        """The spec of the shapes of tensors with a static shape; dimensions in row partitions are uniform.

        Raises:
          ValueError: there are too many row partitions for the rank.
        """
        shape = TensorShape(shape)
        if shape.rank is None:
            return cls([RowPartitionSpec(dtype=dtype)] * num_row_partitions, shape, dtype)
        if shape.rank <= 1 and num_row_partitions:
            raise ValueError("num_row_partitions should be zero if shape is a scalar or vector.")
        if 1 < shape.rank <= num_row_partitions:
            raise ValueError("num_row_partitions must be less than rank")
        if not num_row_partitions:
            return cls([], shape, dtype)
        sizes = shape.as_list()
        partitions = [RowPartitionSpec(uniform_row_length=size, dtype=dtype) for size in sizes[1 : num_row_partitions + 1]]
        partitions[0] = RowPartitionSpec(nrows=sizes[0], uniform_row_length=sizes[1], dtype=dtype)
        return cls(partitions, [None, *sizes[num_row_partitions + 1 :]], dtype)

    @classmethod
    def _from_spec(cls, spec, dtype=int64) -> DynamicRaggedShapeSpec | None:
        """The spec of the shapes of values with a spec; None if those have no such shape."""
        if isinstance(spec, DynamicRaggedShapeSpec):
            return spec
        if isinstance(spec, RaggedTensorSpec):
            return cls._from_tensor_shape(spec.shape, spec.ragged_rank, spec.row_splits_dtype)
        if isinstance(spec, TensorSpec):
            return cls._from_tensor_shape(spec.shape, 0, dtype)
        return None

    def _to_tensor_shape(self) -> TensorShape:
        """The static shape."""
        shape = self._static_inner_shape
        if not self._row_partitions or shape.rank is None:
            return shape
        lengths = [partition.uniform_row_length for partition in self._row_partitions]
        return TensorShape([self._row_partitions[0].nrows, *lengths]).concatenate(shape[1:])

    def with_dtype(self, dtype) -> DynamicRaggedShapeSpec:
        """The same spec with another dtype."""
        return type(self)([_with_dtype(partition, dtype) for partition in self._row_partitions],
                          self._static_inner_shape, dtype)

    def _with_num_row_partitions(self, count: int) -> DynamicRaggedShapeSpec:
        """The spec of the same shapes with at least as many row partitions; the further dimensions are uniform.

        Raises:
          ValueError: the rank is unknown, or there are not so many dimensions.
        """
        if self.rank is None:
            raise ValueError("Changing num_row_partitions with unknown rank unsupported")
        if count > max(self.rank - 1, 0):
            raise ValueError("Number of row partitions too large")
        more = count - self.num_row_partitions
        if more <= 0:
            return self
        tail = self._from_tensor_shape(self._static_inner_shape, more, self._dtype)
        return type(self)((*self._row_partitions, *tail._row_partitions), tail._static_inner_shape, self._dtype)

    def _merge_with(self, other: DynamicRaggedShapeSpec) -> DynamicRaggedShapeSpec:
        """What is known from two specs of the same shapes.

        Raises:
          ValueError: they do not fit.
        """
        count = max(self.num_row_partitions, other.num_row_partitions)
        dtype = other.dtype if self._dtype == int32 else int64
        mine, theirs = (s._with_num_row_partitions(count).with_dtype(dtype) for s in (self, other))
        pairs = zip(mine._row_partitions, theirs._row_partitions, strict=True)
        partitions = [_merged(a, b) for a, b in pairs]
        return type(self)(partitions, mine._static_inner_shape.merge_with(theirs._static_inner_shape), dtype)

    def _truncate(self, rank: int) -> DynamicRaggedShapeSpec:
        """The spec of the first `rank` dimensions.

        Raises:
          ValueError: there are fewer.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Rank is {self.rank}, expected at least {rank}.")
        if rank <= 1:
            shape = self._to_tensor_shape()
            return self._from_tensor_shape([None] * rank if shape.rank is None else shape[:rank], 0, self._dtype)
        partitions = self._row_partitions[: rank - 1]
        inner = rank - len(partitions)
        shape = self._static_inner_shape
        static = [None] * inner if shape.rank is None else shape[:inner]
        if len(partitions) < self.num_row_partitions:
            static = [partitions[-1].nvals]
        return type(self)(partitions, static, self._dtype)

    def _serialize(self):
        # In TensorFlow's files it is an extension type with these fields.
        inner = TensorSpec([self.inner_rank], self._dtype)
        shape = self._static_inner_shape
        return ("_row_partitions", self._row_partitions), ("_inner_shape", inner), ("_static_inner_shape", shape)

    @classmethod
    def _deserialize(cls, serialization):
        fields = dict(serialization)
        return cls(fields["_row_partitions"], fields["_static_inner_shape"], fields["_inner_shape"].dtype)

    def __reduce__(self):
        return DynamicRaggedShapeSpec, (self._row_partitions, self._static_inner_shape, self._dtype)

    @property
    def _component_specs(self):
        return (*self._row_partitions, TensorSpec([self.inner_rank], self._dtype))

    def _to_components(self, value):
        return (*value.row_partitions, value.inner_shape)

    def _from_components(self, components):
        *partitions, inner = components
        return self._of(partitions, inner, self._dtype, static_inner_shape=self._static_inner_shape)

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )

    # In datasets a shape is a tensor of that shape, as a variant, so that shapes can be stacked and taken apart.

    def _batch(self, batch_size) -> DynamicRaggedShapeSpec:
        shape = self._static_inner_shape
        if not self._row_partitions:
            if shape.rank != 0 and (shape.rank is None or shape[0] is None):  # the stacked shapes may differ
                head = RowPartitionSpec(nrows=batch_size, dtype=self._dtype)
                return type(self)([head], None if shape.rank is None else [None, *shape[1:]], self._dtype)
            return self._from_tensor_shape(TensorShape([batch_size]).concatenate(shape), 0, self._dtype)
        rows = self._row_partitions[0].nrows
        partitions = [RowPartitionSpec(batch_size, _times(rows, batch_size), rows, self._dtype)]
        for p in self._row_partitions:
            counts = _times(p.nrows, batch_size), _times(p.nvals, batch_size)
            partitions.append(RowPartitionSpec(*counts, p.uniform_row_length, self._dtype))
        if shape.rank is not None:
            shape = TensorShape([_times(shape[0], batch_size), *shape[1:]])
        return type(self)(partitions, shape, self._dtype)

    def _unbatch(self) -> DynamicRaggedShapeSpec:
        if not self._row_partitions:
            return type(self)([], self._static_inner_shape[1:], self._dtype)
        # Of rows that are not uniform, one row may have any numbers.
        count = self._row_partitions[0].nrows if self._row_partitions[0].uniform_row_length is not None else None
        partitions = []
        for partition in self._row_partitions[1:]:
            nrows = _part(partition.nrows, count)
            if partition.uniform_row_length is None:
                count = None
            partitions.append(RowPartitionSpec(nrows, _part(partition.nvals, count), partition.uniform_row_length, self._dtype))
        shape = self._static_inner_shape
        if shape.rank is not None:
            shape = TensorShape([_part(shape[0], count), *shape[1:]])
        return type(self)(partitions, shape, self._dtype)

    _row_encoding = TensorSpec([], "variant")  # what stands in an array for one shape

    @property
    def _flat_tensor_specs(self) -> list:
        return [TensorSpec(None, "variant")]

    def _to_tensor_list(self, value) -> list:
        if self.rank == 0:
            # The op takes no scalar, so the variant is a row of a vector.
            return [part[0] for part in self._of_ones([1])._to_batched_tensor_list(public_function("ones")([1], "bool"))]
        return self._of_ones(self._to_tensor_shape())._to_tensor_list(public_function("ones")(value, "bool"))

    def _to_batched_tensor_list(self, value) -> list:
        return self._of_ones(self._to_tensor_shape())._to_batched_tensor_list(public_function("ones")(value, "bool"))

    def _from_compatible_tensor_list(self, tensor_list: list):
        if self.rank == 0:
            return self._of([], [], self._dtype)
        ones = self._of_ones(self._to_tensor_shape())._from_compatible_tensor_list([convert(t) for t in tensor_list])
        return self._of.from_tensor(ones, self._dtype)

    def _of_ones(self, shape) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, "bool", self.num_row_partitions, self._dtype)


def _completed(partitions: tuple, shape: TensorShape):
    """Row partitions and an inner shape with what follows for each from the others.

    Raises:
      ValueError: the numbers do not fit.
    """
    if not partitions:
        return partitions, shape
    # How many rows there are in each dimension; the last number is that of the flat values.
    counts = [Dimension(partitions[0].nrows)]
    for i, partition in enumerate(partitions):
        values = (counts[i] * partition.uniform_row_length).merge_with(partition.nvals)
        if i + 1 < len(partitions):
            values = values.merge_with(partitions[i + 1].nrows)
        elif shape.rank is not None:
            values = values.merge_with(shape[0])
        counts.append(values)
    for i in reversed(range(len(partitions))):
        if partitions[i].uniform_row_length:
            counts[i] = counts[i].merge_with(counts[i + 1] // partitions[i].uniform_row_length)
    sizes = [count.value for count in counts]
    if shape.rank is not None:
        shape = TensorShape([sizes[-1], *shape[1:]])
    ends = zip(sizes, sizes[1:], partitions, strict=False)
    made = [RowPartitionSpec(nrows, nvals, p.uniform_row_length, p.dtype) for nrows, nvals, p in ends]
    return tuple(made), shape


def _with_dtype(spec: RowPartitionSpec, dtype) -> RowPartitionSpec:
    return RowPartitionSpec(spec.nrows, spec.nvals, spec.uniform_row_length, dtype)


def _merged(a: RowPartitionSpec, b: RowPartitionSpec) -> RowPartitionSpec:
    pairs = ((a.nrows, b.nrows), (a.nvals, b.nvals), (a.uniform_row_length, b.uniform_row_length))
    nrows, nvals, length = (Dimension(x).merge_with(y).value for x, y in pairs)
    return RowPartitionSpec(nrows, nvals, length, a.dtype)


def _times(size: int | None, count: int | None) -> int | None:
    return None if size is None or count is None else size * count


def _part(size: int | None, count: int | None) -> int | None:
    return None if size is None or not count else size // count
