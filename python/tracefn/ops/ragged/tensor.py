"""`tf.RaggedTensor`: a tensor with rows of different lengths. Values in one tensor, and the division into rows."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn.composite import CompositeTensor, GradientOfValues
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.debugging import check_equal
from tracefn.ops.debugging_static import assert_rank_at_least
from tracefn.ops.ragged.row_partition import RowPartition, cast, encoding, size_of
from tracefn.tensor_shape import TensorShape, as_shape

_VALUE_CLASSES: list[type] = [_core.Tensor]  # and RaggedTensor


def is_ragged(value) -> bool:
    """Whether the value is a RaggedTensor."""
    return isinstance(value, RaggedTensor)


def convert_values(value, name="values", dtype=None):
    """A ragged tensor as it is, anything else as a tensor.

    Raises:
      ValueError: a tensor, ragged or not, has another dtype.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(f"Tensor conversion requested dtype {as_dtype(dtype).name} for RaggedTensor with dtype "
                             f"{value.dtype.name}: {value}.")
        return value
    if isinstance(value, tuple(_VALUE_CLASSES)) and not isinstance(value, _core.Tensor):
        return value
    return convert(value, dtype=dtype, name=name)


def require_bool(validate) -> None:
    """Refuses an argument `validate` that is no bool."""
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _partition_dtype(values):
    return values._row_partition.dtype if isinstance(values, RaggedTensor) else None


def number_of_rows(values, dtype=int32):
    """The size of the first dimension."""
    if isinstance(values, RaggedTensor):
        return values.nrows(out_type=dtype)
    return op("Shape")(input=values, out_type=dtype)[0]


def positive_axis(axis, rank, axis_name="axis", ndims_name="ndims"):
    """The axis counted from the front.

    Raises:
      TypeError: it is not an int.
      ValueError: it is out of range, or negative and the rank is not known.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if rank is not None:
        if 0 <= axis < rank:
            return axis
        if -rank <= axis < 0:
            return axis + rank
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-rank}<={axis_name}<{rank}")
    if axis < 0:
        raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
    return axis


class RaggedTensor(CompositeTensor):
    """A tensor some of whose dimensions hold rows of different lengths; made by one of the `from_` methods,
    `tf.ragged.constant` or ops.

    >>> rt = tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5, 9], [0, 4, 4, 6])
    >>> rt
    <tf.RaggedTensor [[3, 1, 4, 1], [], [5, 9]]>
    >>> rt.shape, rt[0].numpy().tolist(), (rt + 1).to_list()
    (TensorShape([3, None]), [3, 1, 4, 1], [[4, 2, 5, 2], [], [6, 10]])
    """

    __composite_gradient__ = GradientOfValues()
    is_tensor_like = True
    iterates_by_rows = True  # a for loop over it is staged while tracing
    _type_spec: Any = None  # a property of spec.py

    def __init__(self, values, row_partition, internal=False):
        if not internal:
            raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                             "RaggedTensor.from_row_lengths())")
        if not isinstance(values, (RaggedTensor, *_VALUE_CLASSES)):
            names = ", ".join(cls.__name__ for cls in [*_VALUE_CLASSES, RaggedTensor])
            raise TypeError(f"type(values) must be one of: {names}, got {values}.")
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {row_partition}.")
        values.shape.with_rank_at_least(1)
        self._values = values
        self._row_partition = row_partition

    @classmethod
    def _from_row_partition(cls, values, row_partition, validate=True):
        """The tensor with these values in the rows of a RowPartition."""
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"Argument `row_partition` must be a RowPartition. Received {row_partition}.")
        require_bool(validate)
        if isinstance(values, RaggedTensor):
            if values._row_partition.dtype != row_partition.dtype:
                raise ValueError("Argument `row_partition` of RaggedTensor with name: partition must have same dtype as "
                                 f"Argument `values`. ({row_partition.dtype} vs. {values._row_partition.dtype}).")
        else:
            values = convert_values(values)
        if row_partition._has_precomputed_value_rowids():
            values.shape[:1].assert_is_compatible_with(row_partition.value_rowids().shape)
        if validate:
            checks = [check_equal(row_partition.nvals(), number_of_rows(values, row_partition.dtype),
                                  message="Arguments to _from_row_partition do not form a valid RaggedTensor")]
            if isinstance(values, _core.Tensor):
                checks.append(assert_rank_at_least(values, 1))
            row_partition = row_partition._with_dependencies(checks)
        return cls(values, row_partition, internal=True)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """The tensor in which value i belongs to row value_rowids[i].

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          value_rowids: int vector [nvals], sorted.
          nrows: int scalar; by default the last row with a value is the last one.
          name: name of the ops.
          validate: whether the arguments are checked when the program runs.

        Returns:
          RaggedTensor.

        Raises:
          ValueError, InvalidArgumentError: the arguments do not fit.

        >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2], nrows=4)
        <tf.RaggedTensor [[3, 1], [], [4], []]>
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromValueRowIds"):
            partition = RowPartition.from_value_rowids(value_rowids, nrows, validate, dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """The tensor in which row i holds values[row_splits[i]:row_splits[i + 1]].

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          row_splits: int vector [nrows + 1], sorted, which starts with 0 and ends with nvals.
          name, validate: see `from_value_rowids`.

        Returns:
          RaggedTensor.
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromRowSplits"):
            partition = RowPartition.from_row_splits(row_splits, validate, dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """The tensor with rows of these lengths.

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          row_lengths: int vector [nrows], whose sum is nvals.
          name, validate: see `from_value_rowids`.

        Returns:
          RaggedTensor.
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromRowLengths"):
            partition = RowPartition.from_row_lengths(row_lengths, validate, dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """The tensor whose rows start at these values.

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          row_starts: int vector [nrows], sorted, which starts with 0.
          name, validate: see `from_value_rowids`.

        Returns:
          RaggedTensor.
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromRowStarts"):
            values = convert_values(values)
            partition = RowPartition.from_row_starts(row_starts, number_of_rows(values), validate,
                                                     dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """The tensor whose rows end before these values.

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          row_limits: int vector [nrows], sorted, which ends with nvals.
          name, validate: see `from_value_rowids`.

        Returns:
          RaggedTensor.
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromRowLimits"):
            values = convert_values(values)
            partition = RowPartition.from_row_limits(row_limits, validate, dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """The tensor with rows of one length; the dimension counts as a ragged one all the same.

        Args:
          values: tensor or RaggedTensor, shape [nvals, ...].
          uniform_row_length: int scalar.
          nrows: int scalar; required if the length may be 0.
          validate, name: see `from_value_rowids`.

        Returns:
          RaggedTensor.
        """
        require_bool(validate)
        with name_scope(name or "RaggedFromUniformRowLength"):
            values = convert_values(values)
            length = encoding(uniform_row_length, "UniformRowLength", dtype_hint=_partition_dtype(values))
            known = size_of(values.shape, 0)
            nvals = constant(known, length.dtype) if known is not None else number_of_rows(values, length.dtype)
            partition = RowPartition.from_uniform_row_length(length, nvals, nrows, validate,
                                                             dtype_hint=_partition_dtype(values))
            return cls._from_row_partition(values, partition, validate)

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape: None for ragged and unknown sizes."""
        partition = self._row_partition
        first = TensorShape([partition.static_nrows, partition.static_uniform_row_length])
        return first.concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The property `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """How many dimensions the row partitions divide."""
        return len(self._nested_row_partitions)

    @property
    def values(self):
        """All rows, one after the other: a tensor, or a RaggedTensor with one ragged dimension less."""
        return self._values

    @property
    def flat_values(self):
        """The values without any row partition."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    def _as_graph_element(self):
        return self.flat_values

    @property
    def _nested_row_partitions(self) -> tuple:
        found, value = [], self
        while isinstance(value, RaggedTensor):
            found.append(value._row_partition)
            value = value._values
        return tuple(found)

    @property
    def row_splits(self):
        """int vector [nrows + 1]: where each row starts in `values`, and the end."""
        return self._row_partition.row_splits()

    @property
    def uniform_row_length(self):
        """int scalar, the length of all rows; None if they may differ."""
        return self._row_partition.uniform_row_length()

    @property
    def nested_row_splits(self) -> tuple:
        """The row splits of all ragged dimensions, the outermost first."""
        return tuple(partition.row_splits() for partition in self._nested_row_partitions)

    def value_rowids(self, name=None):
        """int vector [nvals]: the row of each value."""
        with name_scope(name or "RaggedValueRowIds"):
            return self._row_partition.value_rowids()

    def nested_value_rowids(self, name=None) -> tuple:
        """`value_rowids` of all ragged dimensions, the outermost first."""
        with name_scope(name or "RaggedNestedValueRowIds"):
            return tuple(partition.value_rowids() for partition in self._nested_row_partitions)

    def nrows(self, out_type=None, name=None):
        """int scalar, the number of rows."""
        with name_scope(name or "RaggedNRows"):
            rows = self._row_partition.nrows()
            return rows if out_type is None else cast(rows, out_type)

    def row_starts(self, name=None):
        """int vector [nrows]: where each row starts in `values`."""
        with name_scope(name or "RaggedRowStarts"):
            return self._row_partition.row_starts()

    def row_limits(self, name=None):
        """int vector [nrows]: where each row ends in `values`."""
        with name_scope(name or "RaggedRowLimits"):
            return self._row_partition.row_limits()

    def row_lengths(self, axis=1, name=None):
        """The lengths of the rows of a dimension.

        Args:
          axis: int.
          name: name of the ops.

        Returns:
          int tensor or RaggedTensor with `axis` dimensions.

        >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy().tolist()
        [2, 0, 1]
        """
        if axis == 0:
            return self._row_partition.nrows()
        if axis == 1:
            return self._row_partition.row_lengths()
        with name_scope(name or "RaggedRowLengths"):
            axis = positive_axis(axis, self.shape.rank, ndims_name="rank(self)")
            if axis <= 1:
                return self.row_lengths(axis)
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            shape = op("Shape")(input=self._values, out_type=self._row_partition.dtype)
            return self.with_values(op("Fill")(dims=shape[: axis - 1], value=shape[axis - 1]))

    def nested_row_lengths(self, name=None) -> tuple:
        """The row lengths of all ragged dimensions, the outermost first."""
        with name_scope(name or "RaggedNestedRowLengths"):
            return tuple(partition.row_lengths() for partition in self._nested_row_partitions)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest tensor that this one fits in.

        Args:
          axis: int or int tensor: only the sizes of these dimensions; None: all.
          name: name of the ops.
          out_type: int32 or int64; by default that of the row partitions.

        Returns:
          int vector [rank]; for an axis, what gathering it gives.

        >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy().tolist()
        [3, 2]
        """
        out_type = self._row_partition.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name or "RaggedBoundingBox"):
            if isinstance(axis, int) and not isinstance(axis, bool) and axis == 0:
                return op("Shape")(input=self.row_splits, out_type=out_type)[0] - 1
            if isinstance(axis, int) and axis == 1:
                return cast(_longest(self.row_lengths()), out_type)
            sizes = [op("Shape")(input=self.row_splits, out_type=out_type)[0] - 1]
            sizes += [cast(_longest(splits[1:] - splits[:-1]), out_type) for splits in self.nested_row_splits]
            inner = op("Shape")(input=self.flat_values, out_type=out_type)[1:]
            box = op("ConcatV2")(values=[op("Pack")(values=sizes), inner], axis=0)
            return box if axis is None else op("GatherV2")(params=box, indices=axis, axis=0)

    def with_values(self, new_values) -> RaggedTensor:
        """The tensor with the same rows of other values.

        Args:
          new_values: tensor or RaggedTensor whose first size is that of `values`.

        Returns:
          RaggedTensor.
        """
        new_values = convert_values(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and self._row_partition.dtype != new_values.row_splits.dtype:
            raise ValueError("self and new_values have mismatched row_splits dtypes; use "
                             "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes.")
        return RaggedTensor(new_values, self._row_partition, internal=True)

    def with_flat_values(self, new_values) -> RaggedTensor:
        """The tensor with the same ragged dimensions around other flat values.

        Args:
          new_values: tensor or RaggedTensor whose first size is that of `flat_values`.

        Returns:
          RaggedTensor.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype) -> RaggedTensor:
        """The same tensor with row partitions of dtype int32 or int64."""
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        if self._row_partition.dtype == dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(values, self._row_partition.with_dtype(dtype), internal=True)

    def merge_dims(self, outer_axis, inner_axis):
        """The dimensions from `outer_axis` to `inner_axis` as one.

        Args:
          outer_axis, inner_axis: ints, the first and the last of these dimensions.

        Returns:
          RaggedTensor, or a tensor if no ragged dimension is left.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(0, 1)
        <tf.RaggedTensor [[1, 2], [3], [4]]>
        """
        rank = self.shape.rank
        outer_axis = positive_axis(outer_axis, rank, "outer_axis", "rank(self)")
        inner_axis = positive_axis(inner_axis, rank, "inner_axis", "rank(self)")
        if outer_axis > inner_axis:
            raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis}).")
        return merge_dims(self, outer_axis, inner_axis)

    def _set_shape(self, shape) -> None:
        """Adds what a static shape tells."""
        shape = as_shape(shape)
        if shape.rank is None:
            return
        sizes = shape.as_list()
        splits = self._row_partition._row_splits
        if sizes[0] is not None:
            splits.set_shape([sizes[0] + 1])
        kind = self._row_partition.dtype
        partitions = self._nested_row_partitions
        for axis, partition in enumerate(partitions, 1):
            size = sizes[axis]
            if size is None:
                continue
            known = partition.static_uniform_row_length
            if known is not None:
                if size != known:
                    raise ValueError(f"Inconsistent size for axis {axis}: {known} vs. {size}.")
                continue
            partition._uniform_row_length = convert(size, dtype=kind)
            if partition._nrows is None:
                partition._nrows = op("Size")(input=partition._row_splits, out_type=kind) - 1
        flat = self.flat_values
        if hasattr(flat, "set_shape"):
            flat.set_shape([None, *sizes[len(partitions) + 1 :]])

    def _is_eager(self) -> bool:
        parts = [*self.nested_row_splits, self.flat_values]
        return all(isinstance(part, _core.EagerTensor) for part in parts)

    def numpy(self):
        """The rows as a NumPy array: of objects, if their lengths differ.

        Raises:
          ValueError: the tensor is symbolic.
        """
        if not self._is_eager():
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        values, splits = self._values.numpy(), self.row_splits.numpy()
        rows = [values[start:end] for start, end in zip(splits[:-1], splits[1:], strict=True)]
        if not rows:
            return np.zeros((0, 0, *values.shape[1:]), dtype=values.dtype)
        ragged = any(len(row) != len(rows[0]) for row in rows)
        return np.array(rows, dtype=object if ragged else None)

    def to_list(self) -> list:
        """The rows as nested lists.

        Raises:
          ValueError: the tensor is symbolic.

        >>> tf.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        if not isinstance(self.row_splits, _core.EagerTensor):
            raise ValueError("to_list can only be used in eager mode.")
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.to_list()
        elif hasattr(values, "numpy"):
            values = values.numpy().tolist()
        elif hasattr(values, "to_list"):
            values = values.to_list()
        else:
            raise ValueError("values must be convertible to a list")
        splits = self.row_splits.numpy().tolist()
        return [values[start:end] for start, end in zip(splits[:-1], splits[1:], strict=True)]

    def __repr__(self):
        if not self._is_eager():
            return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"
        with np.printoptions(formatter={"all": _formatted}):
            return f"<tf.RaggedTensor {_formatted(self.numpy())}>"

    def __hash__(self):
        row_splits = self.row_splits
        if isinstance(row_splits, _core.EagerTensor) or row_splits.graph.building_function:
            raise TypeError("RaggedTensor is unhashable.")
        return id(self)  # in a tf.Graph, where it may be the key of a feed_dict

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    __nonzero__ = __bool__

    def consumers(self) -> list:
        """The operations that use one of its tensors."""
        return self._consumers()


def _longest(lengths):
    zero = convert(0, dtype=lengths.dtype)
    return op("Maximum")(x=op("Max")(input=lengths, reduction_indices=0), y=zero)


def _formatted(x) -> str:
    if not np.is_array(x):
        return str(x)
    return np.array2string(x, separator=", ") if x.size else repr(x.tolist())


def merge_dims(value, outer_axis: int, inner_axis: int):
    """The dimensions of a tensor or RaggedTensor from `outer_axis` to `inner_axis` as one; both count from the front."""
    if outer_axis == inner_axis:
        return value
    while outer_axis == 0 and isinstance(value, RaggedTensor):
        value = value.values
        inner_axis -= 1
        if inner_axis == 0:
            return value
    if not isinstance(value, RaggedTensor):
        return _flattened(value, outer_axis, inner_axis)
    if outer_axis > 1:
        return value.with_values(merge_dims(value.values, outer_axis - 1, inner_axis - 1))
    values, splits = value.values, value.row_splits
    for axis in range(outer_axis, inner_axis):
        if not isinstance(values, RaggedTensor):
            last = inner_axis - axis
            known = values.shape[1 : last + 1].num_elements() if values.shape.rank is not None else None
            if known is None:
                sizes = op("Shape")(input=values, out_type=splits.dtype)[1 : last + 1]
                known = op("Prod")(input=sizes, reduction_indices=0)
            values = _flattened(values, 0, last)
            splits = splits * known
            break
        splits = op("GatherV2")(params=values.row_splits, indices=splits, axis=0)
        values = values.values
    return RaggedTensor.from_row_splits(values, splits)


def _flattened(x, outer_axis: int, inner_axis: int):
    if x.shape.is_fully_defined():
        sizes = x.shape.as_list()
        return op("Reshape")(tensor=x, shape=[*sizes[:outer_axis], -1, *sizes[inner_axis + 1 :]])
    sizes = op("Shape")(input=x)
    shape = op("ConcatV2")(values=[sizes[:outer_axis], [-1], sizes[inner_axis + 1 :]], axis=0)
    return op("Reshape")(tensor=x, shape=shape)
