"""`tf.experimental.DynamicRaggedShape`: the shape of a tensor or RaggedTensor, with the lengths of its rows."""

from __future__ import annotations

from collections.abc import Iterable

from tracefn._export import export
from tracefn._static_value import get_static_value, sizes_in
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.framework import control_dependencies
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.by_path import public_function
from tracefn.ops.debugging import check_equal
from tracefn.ops.ragged.broadcast import broadcast
from tracefn.ops.ragged.dynamic_shape_spec import DynamicRaggedShapeSpec
from tracefn.ops.ragged.row_partition import RowPartition, after, cast
from tracefn.ops.ragged.tensor import RaggedTensor, is_ragged
from tracefn.tensor_shape import TensorShape
from tracefn.type_spec import TypeSpec


def _one_dtype(row_partitions, inner_shape, dtype):
    """The dtype of a shape: what is given, or that of its parts, or int64."""
    kinds = {partition.dtype for partition in row_partitions}
    own = getattr(inner_shape, "dtype", None)
    if own is not None and str(getattr(own, "name", own)) in ("int32", "int64"):
        kinds.add(as_dtype(own))
    if dtype is not None:
        return as_dtype(dtype)
    if len(kinds) > 1:
        raise ValueError("The row partitions and the inner shape have different dtypes: give one")
    return next(iter(kinds), int64)


def _static_shape(vector) -> TensorShape:
    """What is known of the elements of a vector."""
    return TensorShape(sizes_in(vector))


def _nvals_of(lengths) -> int:
    return sum(lengths)


class DynamicRaggedShape(CompositeTensor):
    """The shape of a tensor or RaggedTensor: row partitions, and the shape of the flat values.

    Args:
      row_partitions: list of RowPartitions, the outermost first.
      inner_shape: vector: the shape of the flat values.
      dtype: int32 or int64, the dtype of all parts; None: that of what is given.
      validate: whether to check at run time that the parts fit.
      static_inner_shape: TensorShape, what is known of `inner_shape`, or None.

    Raises:
      TypeError: `row_partitions` holds something else.
      ValueError: the parts are known not to fit.

    Example:
      >>> import tracefn as tf
      >>> tf.shape(tf.ragged.constant([[1, 2], [3]]))
      <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
    """

    Spec: type[TypeSpec]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, row_partitions, inner_shape, dtype=None, validate=False, static_inner_shape=None) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError(f"row_partitions should be a list of row partitions. Instead, got {row_partitions}")
        row_partitions = list(row_partitions)
        for partition in row_partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        kind = _one_dtype(row_partitions, inner_shape, dtype)
        self._row_partitions = tuple(partition.with_dtype(kind) for partition in row_partitions)
        self._inner_shape = cast(convert(inner_shape, dtype_hint=kind), kind)
        self._inner_shape.shape.assert_has_rank(1)
        self._static_inner_shape = _static_shape(self._inner_shape)
        if static_inner_shape is not None:
            self._static_inner_shape = self._static_inner_shape.merge_with(static_inner_shape)
        checks = self._checks(validate)
        if checks:
            self._inner_shape = after(checks, self._inner_shape)
            self._row_partitions = tuple(partition._with_dependencies(checks) for partition in self._row_partitions)

    def _checks(self, validate) -> list:
        """Checks at run time that rows are as many as the values around them; what is known is checked now."""
        inside = [(p.static_nrows, p.nrows) for p in self._row_partitions[1:]]
        if self._row_partitions:
            shape = self._static_inner_shape
            inside.append((shape[0] if shape.rank else None, lambda: self._inner_shape[0]))
        checks = []
        for axis, (outer, (known, count)) in enumerate(zip(self._row_partitions, inside, strict=True)):
            is_last = axis == len(self._row_partitions) - 1
            message = (
                "Last row partition does not match inner_shape."
                if is_last
                else f"RowPartitions in DynamicRaggedShape do not align between {axis} and {axis + 1}"
            )
            if outer.static_nvals is not None and known is not None:
                if outer.static_nvals != known:
                    raise ValueError(message)
            elif validate:
                checks.append(check_equal(outer.nvals(), count(), message=message))
        return [check for check in checks if check is not None]

    @classmethod
    def from_lengths(cls, lengths, num_row_partitions=None, dtype=int64) -> DynamicRaggedShape:
        """The shape of rows with known lengths.

        Args:
          lengths: list of ints, sizes of uniform dimensions, and of tuples of ints, lengths of the rows of ragged ones.
          num_row_partitions: int, the number of dimensions that are kept as row partitions; None: up to the last ragged one.
          dtype: int32 or int64.

        Raises:
          ValueError: the lengths do not fit.

        Example:
          >>> import tracefn as tf
          >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (3, 2), 4]).inner_shape.numpy().tolist()
          [5, 4]
        """
        if not isinstance(lengths, list):
            raise ValueError("lengths should be a list")
        for length in lengths:
            if not (isinstance(length, int) or (isinstance(length, tuple) and all(isinstance(x, int) for x in length))):
                raise ValueError(f"element of lengths should be int or tuple of ints: instead {length!r}")
        if num_row_partitions is None:
            num_row_partitions = max((i for i, length in enumerate(lengths) if not isinstance(length, int)), default=0)
            if not lengths or isinstance(lengths[num_row_partitions], int):
                num_row_partitions = 0
        if not isinstance(num_row_partitions, int):
            raise ValueError("num_row_partitions should be an int or None")
        if not lengths:
            if num_row_partitions > 0:
                raise ValueError("num_row_partitions==0 for a scalar shape")
            return cls([], [], dtype=dtype)
        if num_row_partitions >= len(lengths):
            raise ValueError("num_row_partitions should be less than `len(lengths)` if shape is not scalar.")
        if not all(isinstance(length, int) for length in (lengths[0], *lengths[num_row_partitions + 1 :])):
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
        nvals, partitions = lengths[0], []
        for length in lengths[1 : num_row_partitions + 1]:
            if isinstance(length, int):
                made = RowPartition.from_uniform_row_length(length, nvals * length, nvals, dtype_hint=as_dtype(dtype))
                nvals *= length
            else:
                if len(length) != nvals:
                    raise ValueError("Shape not consistent.")
                made = RowPartition.from_row_lengths(constant(list(length), dtype))
                nvals = _nvals_of(length)
            partitions.append(made)
        return cls(partitions, [nvals, *lengths[num_row_partitions + 1 :]], dtype=dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions, dtype=None) -> DynamicRaggedShape:
        """The shape whose flat values are a vector.

        Raises:
          ValueError: there is no row partition.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, op("Pack")(values=[row_partitions[-1].nvals()]), dtype=dtype)

    @classmethod
    def from_tensor(cls, t, dtype=None) -> DynamicRaggedShape:
        """The shape of a tensor or RaggedTensor."""
        if not is_ragged(t):
            return cls([], op("Shape")(input=t), dtype=dtype)
        kind = t.row_splits.dtype if dtype is None else as_dtype(dtype)
        inner = op("Shape")(input=t.flat_values, out_type=kind)
        return cls(t._nested_row_partitions, inner, kind, static_inner_shape=t.flat_values.shape)

    @property
    def row_partitions(self) -> tuple:
        """The row partitions, the outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._row_partitions)

    @property
    def inner_shape(self):
        """The shape of the flat values: a vector."""
        return self._inner_shape

    @property
    def dtype(self):
        """int32 or int64."""
        return self._inner_shape.dtype

    @property
    def inner_rank(self) -> int | None:
        """The number of dimensions of the flat values."""
        return self._static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of dimensions."""
        return None if self.inner_rank is None else self.num_row_partitions + self.inner_rank

    def static_lengths(self, ragged_lengths=True) -> list:
        """What is known of the lengths: an int for a uniform dimension, a tuple for a ragged one, None if unknown.

        Args:
          ragged_lengths: whether ragged dimensions have tuples, rather than None.

        Returns:
          List, which ends in `...` if the rank is unknown.
        """
        shape = self._static_inner_shape
        inner = [...] if shape.rank is None else shape.as_list()
        if not self._row_partitions:
            return inner
        lengths = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            known = get_static_value(partition.row_lengths()) if ragged_lengths and not partition.is_uniform() else None
            lengths.append(partition.static_uniform_row_length if known is None else tuple(known.tolist()))
        return lengths + (inner if shape.rank is None else inner[1:])

    def _to_tensor_shape(self) -> TensorShape:
        """The static shape."""
        lengths = self.static_lengths(ragged_lengths=False)
        return TensorShape(None if lengths[-1:] == [...] else lengths)

    def __repr__(self) -> str:
        parts = ("..." if length is ... else str(length) for length in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{', '.join(parts)}] num_row_partitions={self.num_row_partitions}>"

    def __eq__(self, other):
        """A scalar bool tensor; False for shapes of another kind."""
        if not isinstance(other, DynamicRaggedShape) or self._type_spec != other._type_spec:
            return False
        pairs = [(self._inner_shape, other._inner_shape)]
        pairs += [(a.row_splits(), b.row_splits()) for a, b in zip(self._row_partitions, other._row_partitions, strict=True)]
        equal = [op("All")(input=op("Equal")(x=a, y=b), reduction_indices=[0]) for a, b in pairs]
        return op("All")(input=op("Pack")(values=equal), reduction_indices=[0])

    def is_uniform(self, axis) -> bool:
        """Whether the rows of a dimension have one length.

        Raises:
          IndexError: there is no such axis.
          TypeError: `axis` is no int.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        inner = axis == 0 or axis > self.num_row_partitions
        return inner or self._row_partitions[axis - 1].is_uniform()

    def with_dtype(self, dtype) -> DynamicRaggedShape:
        """The same shape with parts of another dtype.

        Raises:
          ValueError: it is neither int32 nor int64.
        """
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError("dtype must be int32 or int64")
        return type(self)(
            self._row_partitions, cast(self._inner_shape, dtype), dtype, static_inner_shape=self._static_inner_shape
        )

    def __getitem__(self, index):
        """The size of a uniform dimension, or the shape of consecutive dimensions.

        Raises:
          IndexError: there is no such dimension.
          ValueError: a dimension is ragged.
        """
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        if index < 0:
            if self.rank is None:
                raise ValueError("Rank must be known to use __getitem__ with a negative index.")
            index += self.rank
        return self._size(index)

    def _size(self, axis: int):
        count = self.num_row_partitions
        if count == 0 or axis > count + 1:
            if self.rank is None:
                raise ValueError("Rank must be known to use __getitem__ on a large index.")
            if axis >= self.rank:
                raise IndexError(f"Index is too big: {axis}>={self.rank}")
        if axis < 0:
            raise IndexError(f"Index must be non-negative: {axis}")
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        if count and axis == 0:
            known = self._row_partitions[0].static_nrows
            return self._row_partitions[0].nrows() if known is None else constant(known, self.dtype)
        if count and axis <= count:
            return self._row_partitions[axis - 1].uniform_row_length()
        known = self._static_inner_shape[axis - count] if self.inner_rank is not None else None
        return self._inner_shape[axis - count] if known is None else constant(known, self.dtype)

    def _slice(self, index: slice) -> DynamicRaggedShape:
        if index.step not in (None, 1):
            raise IndexError("Cannot stride through a shape")
        rank = self.rank
        if rank is None:
            if index.stop is None or index.stop < 0 or (index.start or 0) != 0:
                raise ValueError("Rank must be known to use __getitem__ with such a slice.")
            start, stop = 0, index.stop
        else:
            start, stop, _ = index.indices(rank)
        if stop <= start:
            return type(self)([], [], dtype=self.dtype)
        if start > 0:
            return self._uniform_slice(start, stop)
        if rank is not None and stop >= rank:
            return self
        if stop == 1 and self._row_partitions:
            return type(self)([], op("Pack")(values=[self._row_partitions[0].nrows()]))
        if stop <= self.num_row_partitions:
            return self.from_row_partitions(self._row_partitions[: stop - 1])
        return type(self)(self._row_partitions, self._inner_shape[: stop - self.num_row_partitions])

    def _uniform_slice(self, start: int, stop: int) -> DynamicRaggedShape:
        if any(not partition.is_uniform() for partition in self._row_partitions[: max(stop - 1, 0)]):
            raise ValueError("All relevant dimensions must be uniform")
        return type(self)([], op("Pack")(values=[self._size(axis) for axis in range(start, stop)]))

    @property
    def _type_spec(self):
        return DynamicRaggedShapeSpec.from_value(self)

    def _wrapped(self, flat_values):
        """Flat values of the inner shape as a tensor of this shape."""
        made = flat_values
        for partition in reversed(self._row_partitions):
            made = RaggedTensor(made, partition, internal=True)
        return made


DynamicRaggedShape.Spec = DynamicRaggedShapeSpec
DynamicRaggedShapeSpec._of = DynamicRaggedShape
export("experimental.DynamicRaggedShape")(DynamicRaggedShape)


def shape(input, out_type=None, name=None) -> DynamicRaggedShape:
    """The shape of a ragged tensor; int32 by default."""
    del name
    return DynamicRaggedShape.from_tensor(input, "int32" if out_type is None else out_type)


def ones(shape, dtype="float32", name=None, layout=None):
    """Ones."""
    del layout
    return shape._wrapped(public_function("ones")(shape.inner_shape, dtype, name=name))


def zeros(shape, dtype="float32", name=None, layout=None):
    """Zeros."""
    del layout
    return shape._wrapped(public_function("zeros")(shape.inner_shape, dtype, name=name))


def fill(dims, value, name=None, layout=None):
    """One value everywhere."""
    del layout
    return dims._wrapped(public_function("fill")(dims.inner_shape, value, name=name))


def reshape(tensor, shape, name=None):
    """The values of a tensor or ragged tensor in another shape."""
    flat = tensor.flat_values if is_ragged(tensor) else tensor
    return shape._wrapped(public_function("reshape")(flat, shape.inner_shape, name=name))


def broadcast_to(input, shape, name=None):
    """A value in a larger shape."""
    with name_scope(name or "broadcast_to"):
        value = input if is_ragged(input) else convert(input)
        if is_ragged(value) and value.row_splits.dtype != shape.dtype:
            raise ValueError("Cannot coerce row_splits.dtype")
        made, target = broadcast([value, ones(shape, "bool")], inner=True)
        if not is_ragged(made):
            return op("BroadcastTo")(input=made, shape=shape.inner_shape)
        count = target.flat_values.shape[0]
        rows = shape.inner_shape[0] if count is None else convert(count, dtype=shape.dtype)
        check = check_equal(rows, shape.inner_shape[0], message="Cannot broadcast")
        with control_dependencies([] if check is None else [check]):
            flat = op("BroadcastTo")(input=made.flat_values, shape=shape.inner_shape)
        return shape._wrapped(flat)


def broadcast_dynamic_shape(shape_x, shape_y) -> DynamicRaggedShape:
    """The shape that values of two shapes broadcast to."""
    x, y = (s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape([], s) for s in (shape_x, shape_y))
    if not (x.num_row_partitions or y.num_row_partitions):
        return DynamicRaggedShape([], op("BroadcastArgs")(s0=x.inner_shape, s1=y.inner_shape))
    made = broadcast([ones(x, "bool"), ones(y, "bool")], inner=True)[0]
    return DynamicRaggedShape.from_tensor(made, x.dtype)
