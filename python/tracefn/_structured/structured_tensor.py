"""The class `tf.experimental.StructuredTensor`: a tensor of structures, which holds a tensor for each of their fields."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Union

from tracefn import _core, nest
from tracefn._structured import nested_lists, shapes
from tracefn._structured.from_python import from_python
from tracefn._structured.updates import with_updates
from tracefn.extension_type import BatchableExtensionType, ExtensionType
from tracefn.ops._build import name_scope
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.dynamic_shape import DynamicRaggedShape
from tracefn.ops.ragged.dynamic_shape_forms import as_row_partitions, merge_axes, with_row_partitions
from tracefn.ops.ragged.dynamic_shape_spec import DynamicRaggedShapeSpec
from tracefn.ops.ragged.row_partition import RowPartition
from tracefn.ops.ragged.tensor import RaggedTensor, is_ragged, merge_dims, positive_axis
from tracefn.tensor_shape import as_shape
from tracefn.type_spec import TypeSpec

_NAME = re.compile("^[a-zA-Z][a-zA-Z0-9_]*$")


class StructuredTensor(BatchableExtensionType):
    """A tensor of structures with the same fields. It is immutable; made by `from_pyval`, `from_fields` and the like.

    Each field is one tensor, RaggedTensor, StructuredTensor or other ExtensionType, whose first dimensions are those of the
    StructuredTensor. A path to a field of a field is a tuple of names.

    >>> people = tf.experimental.StructuredTensor.from_pyval([
    ...     {"age": 12, "names": ["Josephine"]}, {"age": 82, "names": ["Bob", "Bobby"]}])
    >>> people.shape, people.field_names()
    (TensorShape([2]), ('age', 'names'))
    >>> people[1]["names"].numpy().tolist(), people[:, "age"].numpy().tolist()
    ([b'Bob', b'Bobby'], [12, 82])
    """

    _fields: Mapping[str, Union[_core.Tensor, RaggedTensor, StructuredTensor, ExtensionType]]  # noqa: UP007 - fields take no other
    _ragged_shape: DynamicRaggedShape

    __name__ = "tf.StructuredTensor"  # the name by which files know its spec

    def __init__(self, fields, ragged_shape: DynamicRaggedShape):
        self._fields = fields
        self._ragged_shape = ragged_shape

    class Spec:
        """The type of a StructuredTensor: the specs of the fields, and of the shape."""

        _ragged_shape: Any

        @classmethod
        def _from_fields_and_rank(cls, fields, rank: int):
            """The spec with these fields, which share their first `rank` dimensions.

            Raises:
              ValueError: their shapes do not fit.
            """
            return _spec(fields, _merged_spec(None, fields, rank))

        @classmethod
        def _from_shape(cls, shape):
            """The spec without fields."""
            return _spec({}, shape)

        @property
        def shape(self):
            """The static shape."""
            return self._ragged_shape._to_tensor_shape()

        @property
        def rank(self):
            """The number of dimensions."""
            return self._ragged_shape.rank

        _shape = shape

        @property
        def _field_specs(self):
            return self._fields

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """The StructuredTensor of that shape without fields."""
        return StructuredTensor({}, ragged_shape)

    @classmethod
    def from_fields(cls, fields, shape=(), nrows=None, row_partitions=None, validate=False) -> StructuredTensor:
        """The StructuredTensor with these fields.

        Args:
          fields: dict from names to values, all with the dimensions of `shape` first.
          shape: TensorShape of known rank; sizes that are unknown are those of the fields.
          nrows: int scalar, the number of rows; needed for rank 1 if neither fields nor `shape` tell it.
          row_partitions: list of rank - 1 RowPartitions; needed for higher ranks if neither fields nor `shape` tell them.
          validate: kept for programs that give it; shapes are always checked.

        Raises:
          TypeError: `fields` is no dict, or something in it is no field.
          ValueError: the shapes do not fit.

        >>> tf.experimental.StructuredTensor.from_fields({"x": [1, 2], "y": [[3], [4]]}, shape=[2]).to_pyval()
        [{'x': 1, 'y': [3]}, {'x': 2, 'y': [4]}]
        """
        del validate
        shape = as_shape(shape)
        if shape.rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        if not isinstance(fields, dict):
            raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
        row_partitions = _checked_partitions(shape.rank, nrows, row_partitions)
        with name_scope("StructuredTensor"):
            found = shapes.find_shape(fields, shape, nrows, row_partitions)
            if shape.rank > 1:
                found = with_row_partitions(found, shape.rank - 1)
            for name in fields:
                if not isinstance(name, str):
                    raise TypeError(f"Unexpected type for key in `fields`: {name}")
                if not _NAME.match(name):
                    raise ValueError(f"Field name {name!r} is not currently allowed.")
            made = {name: _outer_replaced(_field(value), row_partitions or ()) for name, value in fields.items()}
            return cls(made, found)

    @classmethod
    def from_fields_and_rank(cls, fields, rank: int, validate=False, dtype=None) -> StructuredTensor:
        """The StructuredTensor with these fields, which share their first `rank` dimensions.

        Args:
          fields: dict from names to values; at least one.
          rank: int, at least 0.
          validate: see `from_fields`.
          dtype: int32 or int64, of the shape; None: that of the fields.

        Raises:
          ValueError: another rank, no field, or shapes that do not fit.

        >>> tf.experimental.StructuredTensor.from_fields_and_rank({"x": [[1, 2]]}, 2).shape
        TensorShape([1, 2])
        """
        del validate
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        made = {name: _field(value) for name, value in fields.items()}
        dtype = shapes.shape_dtype(made) if dtype is None else dtype
        made = shapes.with_shape_dtype(made, dtype)
        found = shapes.shape_of_fields(made, rank, dtype)
        assert found is not None  # there are fields
        if rank > 1:
            found = with_row_partitions(found, rank - 1)
        return StructuredTensor({k: _outer_replaced(v, found.row_partitions) for k, v in made.items()}, found)

    @classmethod
    def from_pyval(cls, pyval, typespec=None):
        """The value that nested dicts, lists and plain values stand for.

        Args:
          pyval: a dict is a structure, a list of dicts a tensor of them, another list a tensor or, if lists are nested in
            it, a RaggedTensor.
          typespec: its spec, or None.

        Returns:
          StructuredTensor; for a value without dicts what a field with that value holds.

        Raises:
          ValueError: it cannot be converted, or does not fit the spec.
          KeyError: a dict in a list lacks a field that others have.

        >>> tf.experimental.StructuredTensor.from_pyval([[{"x": 1}, {"x": 2}], [{"x": 3}]]).shape
        TensorShape([2, None])
        """
        return from_python(cls, pyval, typespec, ())

    def with_updates(self, updates, validate=False) -> StructuredTensor:
        """This StructuredTensor with fields set, changed or removed.

        Args:
          updates: dict from names or paths of fields to values, to functions of their values, or to None, which removes them.
          validate: see `from_fields`.

        Raises:
          ValueError: a path leads nowhere, two paths overlap, or a value has another shape.

        >>> s = tf.experimental.StructuredTensor.from_pyval([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
        >>> s.with_updates({"x": lambda x: x * 10, "y": None}).to_pyval()
        [{'x': 10}, {'x': 30}]
        """
        return with_updates(self, updates, validate)

    def promote(self, source_path, new_name: str) -> StructuredTensor:
        """This StructuredTensor with a copy of a field one structure higher; the dimensions between are merged.

        Args:
          source_path: list or tuple of at least two names.
          new_name: name of the new field.

        Raises:
          ValueError: another path or name, or the rank of the field is unknown.

        >>> s = tf.experimental.StructuredTensor.from_pyval([{"docs": [{"words": [1, 2]}, {"words": [3]}]}])
        >>> s.promote(("docs", "words"), "all_words")[0, "all_words"].numpy().tolist()
        [1, 2, 3]
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, (list, tuple)):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        source = tuple(source_path)
        field = self.field_value(source)
        outer, inner = self.field_value(source[:-2]).rank, self.field_value(source[:-1]).rank
        if outer != inner:
            rank = field.shape.rank
            if rank is None:
                raise ValueError("Cannot determine if dimensions should be merged.")
            field = _merged(field, outer, max(outer, min(inner, rank - 1)))
        return self.with_updates({(*source[:-2], new_name): field})

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self._ragged_shape.rank  # type: ignore[return-value]

    @property
    def shape(self):
        """The static shape; its rank is known."""
        return self._ragged_shape._to_tensor_shape()

    @property
    def row_partitions(self) -> tuple:
        """The RowPartitions of all dimensions but the first."""
        return () if self.rank < 2 else as_row_partitions(self._ragged_shape)

    _row_partitions = row_partitions

    def nrows(self):
        """The size of the first dimension: int scalar; None for rank 0."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def with_shape_dtype(self, dtype) -> StructuredTensor:
        """This StructuredTensor with row partitions of another dtype, int32 or int64."""
        if dtype == self._ragged_shape.dtype:
            return self
        return StructuredTensor(shapes.with_shape_dtype(self._fields, dtype), self._ragged_shape.with_dtype(dtype))

    def field_names(self) -> tuple:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name):
        """The value of a field: its shape is that of the StructuredTensor, followed by that of the field in one structure.

        Args:
          field_name: str, or list or tuple of them, a path.

        Raises:
          KeyError: there is no such field.
        """
        if not isinstance(field_name, (list, tuple)):
            return self._fields[field_name]
        value = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    def __getitem__(self, key):
        """A part: of a structure its field; of others the elements, and then fields of these.

        Args:
          key: int, scalar int tensor, slice, name of a field, or a tuple of these, of which the name stands after the
            subscripts of all dimensions.

        Raises:
          ValueError: something else.
          KeyError: there is no such field.
        """
        key = tuple(key) if isinstance(key, (list, tuple)) else (key,)
        if not key:
            return self
        if self.rank == 0:
            if key[0] == slice(None) and isinstance(key[0], slice):
                return StructuredTensor.from_fields({k: v[key[1:]] for k, v in self._fields.items()}, self.shape)
            if not isinstance(key[0], (str, bytes)):
                raise ValueError("Key for indexing a StructuredTensor must be a string or a full slice (':')")
            return self._fields[key[0]][key[1:]]
        if len(key) <= self.rank:
            parts = {name: value[key] for name, value in self._fields.items()}
            return StructuredTensor.from_fields(parts, _shape_of_part(self.shape.as_list(), key))
        name = key[self.rank]
        if not isinstance(name, (str, bytes)):
            raise ValueError("Key for indexing a StructuredTensor must be a string")
        return self._fields[name][key[: self.rank] + key[self.rank + 1 :]]

    def __repr__(self):
        shown = ((name, str(value).replace("\n", "\n            ")) for name, value in sorted(self._fields.items()))
        fields = ",\n        ".join(f'"{name}": {text}' for name, text in shown)
        return f"<StructuredTensor(\n    fields={{\n        {fields}}},\n    shape={self.shape})>"

    def to_pyval(self):
        """The structures as dicts, in nested lists.

        Raises:
          ValueError: it is called while tracing.

        >>> tf.experimental.StructuredTensor.from_fields({"a": [1, 2, 3]}, [3]).to_pyval()
        [{'a': 1}, {'a': 2}, {'a': 3}]
        """
        if not all(isinstance(t, _core.EagerTensor) for t in nest.flatten(self, expand_composites=True)):
            raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
        fields = {name: _as_python(value) for name, value in self._fields.items()}
        if not fields and self.rank > 0:
            return nested_lists.empty_dicts(self.row_partitions, int(self.nrows()))
        return nested_lists.dicts_of_fields(fields, self.rank)

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """This StructuredTensor with its first dimension divided into rows.

        Args:
          row_partition: RowPartition of the first dimension.

        Raises:
          TypeError: it is something else.
          ValueError: this is a scalar.

        >>> s = tf.experimental.StructuredTensor.from_pyval([{"x": 12}, {"x": 33}, {"x": 99}])
        >>> s.partition_outer_dimension(tf.experimental.RowPartition.from_row_lengths([2, 0, 1])).to_pyval()
        [[{'x': 12}, {'x': 33}], [], [{'x': 99}]]
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError(f"Shape {self.shape} must have rank at least 1")
        made = {name: _partitioned(value, row_partition) for name, value in self._fields.items()}
        return StructuredTensor(made, _partitioned_shape(made, self, row_partition))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """This StructuredTensor with the dimensions from `outer_axis` to `inner_axis` as one.

        Raises:
          ValueError: there are no such dimensions, or `outer_axis` is behind `inner_axis`.

        >>> s = tf.experimental.StructuredTensor.from_pyval([[{"x": 12}, {"x": 33}], [], [{"x": 99}]])
        >>> s.merge_dims(0, 1).to_pyval()
        [{'x': 12}, {'x': 33}, {'x': 99}]
        """
        outer = positive_axis(outer_axis, self.rank, "outer_axis", "rank(self)")
        inner = positive_axis(inner_axis, self.rank, "inner_axis", "rank(self)")
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})")
        made = {name: _merged(value, outer, inner) for name, value in self._fields.items()}
        return StructuredTensor(made, merge_axes(self._ragged_shape, outer, inner))


# In the class it would be a field.
StructuredTensor.FieldName = Union[str, typing.Sequence[str]]  # type: ignore[attr-defined]  # noqa: UP007


def structured_tensor_spec(shape, field_specs) -> TypeSpec:
    """The spec with that static shape and these specs of fields; an older form of `StructuredTensor.Spec`.

    Raises:
      TypeError: the rank is unknown, or `field_specs` is no dict of specs by name.
      ValueError: the shapes do not fit.
    """
    if not isinstance(field_specs, dict):
        raise TypeError("field_specs must be a dictionary.")
    if not all(isinstance(name, str) for name in field_specs):
        raise TypeError("field_specs must be a dictionary with string keys.")
    if not all(isinstance(spec, TypeSpec) for spec in field_specs.values()):
        raise TypeError("field_specs must be a dictionary with TypeSpec values.")
    given = DynamicRaggedShapeSpec._from_tensor_shape(shape, 0, "int32")
    if given.rank is None:
        raise TypeError("StructuredTensor's shape must have known rank.")
    return _spec(field_specs, _merged_spec(given, field_specs, given.rank))


def _spec(fields, shape) -> TypeSpec:
    made: Any = StructuredTensor.Spec  # its constructor takes the fields of the class
    return made(_fields=fields, _ragged_shape=shape)


def _merged_spec(known, fields, rank: int):
    """What is known of a shape, with what the specs of fields tell of it."""
    for name, spec in fields.items():
        found = getattr(spec, "_ragged_shape", None) or DynamicRaggedShapeSpec._from_spec(spec)
        if found is None:
            raise ValueError(f"Cannot convert spec of {name}.")
        if found.rank is not None and found.rank < rank:
            raise ValueError(f"Rank of field {name} is {found.rank}, but must be at least {rank}.")
        found = found._truncate(rank)
        known = found if known is None else known._merge_with(found)
    return known


def _checked_partitions(rank: int, nrows, row_partitions):
    if rank < 2 and row_partitions:
        raise ValueError("row_partitions must be None or [] if shape.rank<2")
    if rank == 0 and nrows is not None:
        raise ValueError("nrows must be None if shape.rank==0")
    if row_partitions is None:
        return () if rank < 2 else None
    if len(row_partitions) != max(0, rank - 1):
        raise ValueError("len(row_partitions) must be shape.rank-1")
    return tuple(row_partitions)


def _field(value):
    """A value as a field holds it."""
    if isinstance(value, (_core.Tensor, ExtensionType)) or is_ragged(value):
        return value
    try:
        return _core.convert_to_tensor(value)
    except (ValueError, TypeError) as error:
        raise TypeError(f"Unexpected type for value in `fields`: {value!r}") from error


def _outer_replaced(value, partitions: Sequence[RowPartition]):
    """The value with these RowPartitions, which are equal to its own, so that fields share them."""
    if isinstance(value, _core.Tensor) or not partitions:
        return value
    if isinstance(value, RaggedTensor):
        return RaggedTensor._from_row_partition(_outer_replaced(value.values, partitions[1:]), partitions[0])
    fields = {name: _outer_replaced(field, partitions) for name, field in value._fields.items()}
    own = value.row_partitions[len(partitions) :]
    return StructuredTensor.from_fields(fields, value.shape, value.nrows(), (*partitions, *own))


def _shape_of_part(sizes: list, key: Sequence) -> list:
    """The static shape of elements, and the check of their subscripts."""
    kept = []
    for size, part in zip(sizes, key, strict=False):
        if isinstance(part, slice):
            kept.append(size if part == slice(None) else None)
        elif part is None:
            raise ValueError("Slicing not supported for tf.newaxis")
        elif not isinstance(part, (int, _core.Tensor)):
            raise ValueError(f"Slicing not supported for {part!r}")
    return kept + sizes[len(key) :]


def _as_python(value):
    if isinstance(value, StructuredTensor):
        return value.to_pyval()
    if isinstance(value, RaggedTensor):
        return value.to_list()
    if isinstance(value, _core.Tensor):
        value = value.numpy()
        return value.tolist() if getattr(value, "ndim", 0) else value
    return value


def _partitioned(value, partition: RowPartition):
    if isinstance(value, StructuredTensor):
        return value.partition_outer_dimension(partition)
    length = partition.uniform_row_length()
    if length is None or not isinstance(value, _core.Tensor):
        return RaggedTensor._from_row_partition(value, partition)
    inner = public_function("shape")(value, out_type=partition.dtype)[1:]
    return public_function("reshape")(value, public_function("concat")([[partition.nrows(), length], inner], axis=0))


def _partitioned_shape(fields: dict, value: StructuredTensor, partition: RowPartition) -> DynamicRaggedShape:
    sizes = [partition.static_nrows, partition.static_uniform_row_length, *value.shape]
    del sizes[2]  # the dimension that is divided
    return shapes.find_shape(fields, as_shape(sizes), partition.nrows(), (partition, *value.row_partitions))


def _merged(value, outer: int, inner: int):
    return value.merge_dims(outer, inner) if isinstance(value, StructuredTensor) else merge_dims(value, outer, inner)
