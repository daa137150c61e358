"""`tf.experimental.RowPartition`: how values are divided into rows; and its spec."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype, int32, int64
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.debugging import check_equal, check_greater_equal, check_less, check_less_equal, check_non_negative
from tracefn.ops.debugging_static import assert_rank
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

_KEY = object()  # the constructor is for this module alone
_ENCODINGS = ("row_lengths", "value_rowids", "nrows", "uniform_row_length", "nvals")


def size_of(shape, axis: int):
    """The static size of a dimension, None if it is unknown."""
    return None if shape.rank is None else shape.as_list()[axis]


def cast(x, dtype):
    """The tensor with that dtype; itself if it has it."""
    return x if x.dtype == dtype else op("Cast")(x=x, DstT=as_dtype(dtype))


def after(checks, tensor):
    """The tensor, computed after the checks, which are None when they have run."""
    checks = [check for check in checks if check is not None]
    if not checks:
        return tensor
    with control_dependencies(checks):
        return op("Identity")(input=tensor)


def _monotonic(x, message):
    return check_non_negative(x[1:] - x[:-1], message=message)


def _zero(x, message):
    return check_equal(x, convert(0, dtype=x.dtype), message=message)


def _require_bool(validate) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def encoding(value, name, dtype=None, dtype_hint=None):
    """An encoding of a partition as a tensor: int64 unless it says otherwise."""
    if dtype is None and np.is_array(value) and value.dtype == np.int32:
        value = convert(value, name=name)
    else:
        value = convert(value, dtype=None if dtype is None else as_dtype(dtype), dtype_hint=dtype_hint or int64, name=name)
    if value.dtype not in (int32, int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    return value


def _splits_of(lengths):
    """Row splits of row lengths."""
    first = convert([0], dtype=lengths.dtype)
    return op("ConcatV2")(values=[first, op("Cumsum")(x=lengths, axis=0)], axis=0, name="concat")


@export("experimental.RowPartition")
class RowPartition(CompositeTensor):
    """The division of values into rows, made by one of the `from_` methods.

    >>> partition = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> partition.row_splits().numpy().tolist(), partition.value_rowids().numpy().tolist()
    ([0, 2, 2, 3], [0, 0, 2])
    """

    def __init__(self, row_splits, row_lengths=None, value_rowids=None, nrows=None, uniform_row_length=None, nvals=None,
                 internal=False):
        if internal is not _KEY:
            raise ValueError("RowPartition constructor is private; please use one of the factory methods instead (e.g., "
                             "RowPartition.from_row_lengths())")
        if not isinstance(row_splits, (_core.Tensor, TensorSpec)):
            raise TypeError(f"Row-partitioning argument must be a Tensor, got {row_splits!r}")
        if row_splits.dtype not in (int32, int64):
            raise ValueError("Row-partitioning argument must be int32 or int64")
        row_splits.shape.assert_has_rank(1)
        if row_splits.shape.rank is None:
            row_splits.set_shape([None])
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals
        for cached in (row_lengths, value_rowids, nrows, uniform_row_length, nvals):
            if cached is None:
                continue
            if not isinstance(cached, _core.Tensor):
                raise TypeError("Cached value must be a Tensor or None.")
            if cached.dtype != row_splits.dtype:
                raise ValueError(f"Inconsistent dtype for encoding tensors: {cached} vs {row_splits}")

    @classmethod
    def from_value_rowids(cls, value_rowids, nrows=None, validate=True, dtype=None, dtype_hint=None):
        """The partition with the row of each value.

        Args:
          value_rowids: int vector [nvals], sorted.
          nrows: int scalar; by default the last row with a value is the last one.
          validate: whether the arguments are checked when the program runs.
          dtype, dtype_hint: int32 or int64, of the encodings.

        Returns:
          RowPartition.

        Raises:
          ValueError, InvalidArgumentError: the arguments do not fit.
        """
        _require_bool(validate)
        with name_scope("RowPartitionFromValueRowIds"):
            rowids = encoding(value_rowids, "value_rowids", dtype, dtype_hint)
            rowids.shape.assert_has_rank(1)
            known, known_rows = get_static_value(rowids), None
            if nrows is None:
                if known is None:
                    last = op("ConcatV2")(values=[rowids[-1:], convert([-1], dtype=rowids.dtype)], axis=0)[0]
                    nrows = last + 1
                else:
                    known_rows = int(known[-1]) + 1 if known.size else 0
                    nrows = convert(known_rows, dtype=rowids.dtype, name="nrows")
            else:
                nrows = convert(nrows, dtype=rowids.dtype, name="nrows")
                known_rows = get_static_value(nrows)
                if known_rows is not None:
                    known_rows = int(known_rows)
                    if known_rows < 0:
                        raise ValueError(f"Expected nrows >= 0; got {known_rows}")
                    if known is not None and known.size and known_rows < known[-1] + 1:
                        raise ValueError(f"Expected nrows >= value_rowids[-1] + 1; got nrows={known_rows}, "
                                         f"value_rowids[-1]={known[-1]}")
            nrows.shape.assert_has_rank(0)
            if validate:
                message = "Arguments to from_value_rowids do not form a valid RowPartition"
                rowids = after([assert_rank(rowids, 1, message=message), assert_rank(nrows, 0, message=message),
                                check_non_negative(rowids[:1], message=message), _monotonic(rowids, message),
                                check_less(rowids[-1:], nrows, message=message)], rowids)
            one = op("OnesLike")(x=rowids)
            lengths = op("UnsortedSegmentSum")(data=one, segment_ids=rowids, num_segments=nrows)
            splits = _splits_of(lengths)
            if known_rows is not None:
                lengths.set_shape([known_rows])
                splits.set_shape([known_rows + 1])
            return cls(splits, row_lengths=lengths, value_rowids=rowids, nrows=nrows, internal=_KEY)

    @classmethod
    def from_row_splits(cls, row_splits, validate=True, dtype=None, dtype_hint=None):
        """The partition in which row i has the values [row_splits[i], row_splits[i + 1]).

        Args:
          row_splits: int vector [nrows + 1], sorted, which starts with 0.
          validate, dtype, dtype_hint: see `from_value_rowids`.

        Returns:
          RowPartition.
        """
        _require_bool(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        if isinstance(row_splits, TensorSpec):
            return cls(row_splits, internal=_KEY)
        with name_scope("RowPartitionFromRowSplits"):
            splits = encoding(row_splits, "row_splits", dtype, dtype_hint)
            splits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_splits do not form a valid RaggedTensor:"
                splits = after([assert_rank(splits, 1, message=message + "rank"), _zero(splits[0], message + "zero"),
                                _monotonic(splits, message + "monotonic")], splits)
            return cls(splits, internal=_KEY)

    @classmethod
    def from_row_lengths(cls, row_lengths, validate=True, dtype=None, dtype_hint=None):
        """The partition into rows of these lengths.

        Args:
          row_lengths: int vector [nrows].
          validate, dtype, dtype_hint: see `from_value_rowids`.

        Returns:
          RowPartition.
        """
        _require_bool(validate)
        with name_scope("RowPartitionFromRowLengths"):
            lengths = encoding(row_lengths, "row_lengths", dtype, dtype_hint)
            lengths.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_lengths do not form a valid RowPartition"
                lengths = after([assert_rank(lengths, 1, message=message),
                                 check_non_negative(lengths, message=message)], lengths)
            return cls(_splits_of(lengths), row_lengths=lengths, internal=_KEY)

    @classmethod
    def from_row_starts(cls, row_starts, nvals, validate=True, dtype=None, dtype_hint=None):
        """The partition into rows that start at these values.

        Args:
          row_starts: int vector [nrows], sorted, which starts with 0.
          nvals: int scalar, the number of values.
          validate, dtype, dtype_hint: see `from_value_rowids`.

        Returns:
          RowPartition.
        """
        _require_bool(validate)
        with name_scope("RowPartitionFromRowStarts"):
            starts = encoding(row_starts, "row_starts", dtype, dtype_hint)
            starts.shape.assert_has_rank(1)
            nvals = cast(convert(nvals), starts.dtype)
            if validate:
                message = "Arguments to from_row_starts do not form a valid RaggedTensor"
                starts = after([assert_rank(starts, 1, message=message), _zero(starts[:1], message),
                                _monotonic(starts, message), check_less_equal(starts[-1:], nvals, message=message)], starts)
            splits = op("ConcatV2")(values=[starts, op("Pack")(values=[nvals])], axis=0)
            return cls(splits, nvals=nvals, internal=_KEY)

    @classmethod
    def from_row_limits(cls, row_limits, validate=True, dtype=None, dtype_hint=None):
        """The partition into rows that end before these values.

        Args:
          row_limits: int vector [nrows], sorted.
          validate, dtype, dtype_hint: see `from_value_rowids`.

        Returns:
          RowPartition.
        """
        _require_bool(validate)
        with name_scope("RowPartitionFromRowLimits"):
            limits = encoding(row_limits, "row_limits", dtype, dtype_hint)
            limits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_limits do not form a valid RaggedTensor"
                limits = after([assert_rank(limits, 1, message=message),
                                check_non_negative(limits[:1], message=message), _monotonic(limits, message)], limits)
            splits = op("ConcatV2")(values=[convert([0], dtype=limits.dtype), limits], axis=0)
            return cls(splits, internal=_KEY)

    @classmethod
    def from_uniform_row_length(cls, uniform_row_length, nvals=None, nrows=None, validate=True, dtype=None,
                                dtype_hint=None):
        """The partition into rows of one length.

        Args:
          uniform_row_length: int scalar.
          nvals, nrows: int scalars, the numbers of values and of rows; one of them may be None.
          validate, dtype, dtype_hint: see `from_value_rowids`.

        Returns:
          RowPartition.

        Raises:
          ValueError: both `nvals` and `nrows` are None, or the numbers do not fit.
        """
        _require_bool(validate)
        if nrows is None and nvals is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        with name_scope("RowPartitionFromUniformRowLength"):
            length, nvals, nrows = _same_dtype(
                [(uniform_row_length, "uniform_row_length"), (nvals, "nvals"), (nrows, "nrows")], dtype, dtype_hint)
            length.shape.assert_has_rank(0)
            return cls._uniform(length, nvals, nrows, validate)

    @classmethod
    def _uniform(cls, length, nvals, nrows, validate):
        kind = length.dtype
        known_length = _known(length)
        if validate and known_length is not None and known_length < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        if nrows is None:
            if known_length is None:
                nrows = nvals // op("Maximum")(x=length, y=convert(1, dtype=kind))
            elif known_length == 0:
                nrows = constant(0, kind)
            else:
                nrows = nvals // known_length
        known_rows, known_values = _known(nrows), _known(nvals)
        checks = []
        if known_values is None and known_rows is not None and known_length is not None:
            known_values = known_rows * known_length
            if nvals is not None and validate:
                checks.append(check_equal(nvals, convert(known_values, dtype=kind)))
            nvals = constant(known_values, kind)
        if nvals is None:
            nvals = nrows * length
        if known_rows is not None and known_length is not None and not executing_eagerly():
            splits = constant([row * known_length for row in range(known_rows + 1)], kind)
        else:
            splits = op("Range")(start=constant(0, kind), limit=nrows + 1, delta=constant(1, kind)) * length
        if validate:
            if known_rows is None or known_length is None or known_values is None:
                text = "uniform_row_length times nrows must equal nvals"
                checks.append(check_equal(nrows * length, nvals, message=text))
            elif known_rows * known_length != known_values:
                raise ValueError(f"uniform_row_length={known_length} times nrows={known_rows} must equal "
                                 f"nvals={known_values}")
            if length.shape.rank is None:
                checks.append(assert_rank(length, 0, message="uniform_row_length must be a scalar."))
            if known_length is None:
                checks.append(check_greater_equal(length, constant(0, kind), message="uniform_row_length must be >= 0."))
            splits = after(checks, splits)
        return cls(splits, uniform_row_length=length, nrows=nrows, nvals=nvals, internal=_KEY)

    def _with(self, **changes) -> RowPartition:
        """This partition with other encodings."""
        held = {name: getattr(self, "_" + name) for name in ("row_splits", *_ENCODINGS)}
        return RowPartition(**{**held, **changes}, internal=_KEY)

    def _with_dependencies(self, checks) -> RowPartition:
        splits = after(checks, self._row_splits)
        return self if splits is self._row_splits else self._with(row_splits=splits)

    @property
    def dtype(self):
        """The dtype of the encodings."""
        return self._row_splits.dtype

    def row_splits(self):
        """int vector [nrows + 1]: where each row starts, and the end."""
        return self._row_splits

    def value_rowids(self):
        """int vector [nvals]: the row of each value."""
        if self._value_rowids is not None:
            return self._value_rowids
        return rowids_of_splits(self._row_splits)

    def nvals(self):
        """int scalar, the number of values."""
        return self._row_splits[-1]

    def nrows(self):
        """int scalar, the number of rows."""
        if self._nrows is not None:
            return self._nrows
        known = size_of(self._row_splits.shape, 0)
        if known is not None:
            return constant(known - 1, self.dtype)
        return op("Shape")(input=self._row_splits, out_type=self.dtype)[0] - 1

    def uniform_row_length(self):
        """int scalar, the length of all rows; None if they may differ."""
        return self._uniform_row_length

    def row_starts(self):
        """int vector [nrows]: where each row starts."""
        return self._row_splits[:-1]

    def row_limits(self):
        """int vector [nrows]: where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self):
        """int vector [nrows]: the number of values in each row."""
        if self._row_lengths is not None:
            return self._row_lengths
        return self._row_splits[1:] - self._row_splits[:-1]

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known while tracing."""
        known = size_of(self._row_splits.shape, 0)
        if known is not None:
            return known - 1
        if self._row_lengths is not None:
            known = size_of(self._row_lengths.shape, 0)
        return known if known is not None else _known(self._nrows)

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it is known while tracing."""
        known = _known(self._nvals)
        if known is None and self._value_rowids is not None:
            known = size_of(self._value_rowids.shape, 0)
        return known

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, if it is known while tracing."""
        return _known(self._uniform_row_length)

    def offsets_in_rows(self):
        """int vector [nvals]: the place of each value in its row."""
        return op("RaggedRange")(starts=constant(0, self.dtype), limits=self.row_lengths(),
                                 deltas=constant(1, self.dtype))[1]

    def is_uniform(self) -> bool:
        """Whether all rows are known to have one length."""
        return self._uniform_row_length is not None

    def with_dtype(self, dtype) -> RowPartition:
        """This partition with encodings of another dtype, int32 or int64."""
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError("dtype must be int32 or int64")
        if self.dtype == dtype:
            return self
        held = {name: getattr(self, "_" + name) for name in ("row_splits", *_ENCODINGS) if name != "nvals"}
        return self._with(nvals=None, **{name: None if x is None else cast(x, dtype) for name, x in held.items()})

    def _has_precomputed_value_rowids(self) -> bool:
        return self._value_rowids is not None

    @property
    def _type_spec(self):
        return RowPartitionSpec.from_value(self)

    def __repr__(self):
        if self._uniform_row_length is not None:
            return f"tf.RowPartition(nrows={self._nrows}, uniform_row_length={self._uniform_row_length})"
        return f"tf.RowPartition(row_splits={self._row_splits})"


def _known(x) -> int | None:
    value = None if x is None else get_static_value(x)
    return None if value is None else int(value)


def rowids_of_splits(splits, first=0):
    """The row of each value from the `first` one on: the number of rows that end at or before it."""
    kind = splits.dtype
    values = op("Range")(start=convert(first, dtype=kind), limit=splits[-1], delta=constant(1, kind))
    rows = op("UpperBound")(sorted_inputs=op("ExpandDims")(input=splits[1:], dim=0),
                            values=op("ExpandDims")(input=values, dim=0), out_type=kind)
    return op("Reshape")(tensor=rows, shape=[-1])


def _same_dtype(values, dtype, dtype_hint):
    """Tensors of one dtype: that given, that of the tensors among them, or int64."""
    given = [(None if x is None else encoding(x, name, dtype, dtype_hint)) for x, name in values]
    kinds = {x.dtype for (v, _), x in zip(values, given, strict=True) if x is not None and hasattr(v, "dtype")}
    if len(kinds) > 1:
        return [None if x is None else cast(x, int64) for x in given]
    kind = next(iter(kinds), None) or next(x.dtype for x in given if x is not None)
    return [None if x is None else cast(x, kind) for x in given]


class RowPartitionSpec(TypeSpec):
    """The type of a RowPartition.

    Args:
      nrows, nvals, uniform_row_length: ints, or None if unknown.
      dtype: int32 or int64.

    Raises:
      ValueError: the numbers do not fit.
    """

    __slots__ = ("__weakref__", "_dtype", "_nrows", "_nvals", "_uniform_row_length")

    def __init__(self, nrows=None, nvals=None, uniform_row_length=None, dtype=int64):
        self._dtype = as_dtype(dtype)
        length = uniform_row_length
        if isinstance(length, TensorShape):
            length = length.with_rank(1).as_list()[0]
        if self._dtype not in (int32, int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        if nrows == 0 or length == 0:
            if nvals not in (None, 0):
                what = f"nrows={nrows}" if nrows == 0 else f"uniform_row_length={length}"
                raise ValueError(f"nvals={nvals} is not compatible with {what}")
            nvals = 0
        if length and nvals is not None:
            if nvals % length:
                raise ValueError(f"nvals={nvals} is not compatible with uniform_row_length={length} (doesn't divide evenly)")
            if nrows is not None and nvals != length * nrows:
                raise ValueError(f"nvals={nvals} is not compatible with nrows={nrows} and uniform_row_length={length}")
            nrows = nvals // length
        if length is not None and nrows is not None and nvals is None:
            nvals = length * nrows
        self._nrows, self._nvals = TensorShape([nrows]), TensorShape([nvals])
        self._uniform_row_length = TensorShape([length])

    value_type = property(lambda self: RowPartition)
    nrows = property(lambda self: self._nrows.as_list()[0], doc="The number of rows, or None.")
    nvals = property(lambda self: self._nvals.as_list()[0], doc="The number of values, or None.")
    uniform_row_length = property(lambda self: self._uniform_row_length.as_list()[0], doc="The length of rows, or None.")
    dtype = property(lambda self: self._dtype, doc="int32 or int64.")

    @classmethod
    def from_value(cls, value):
        """The spec of a RowPartition."""
        if not isinstance(value, RowPartition):
            raise TypeError("Expected `value` to be a `RowPartition`")
        return cls(value.static_nrows, value.static_nvals, value.static_uniform_row_length, value.dtype)

    def _serialize(self):
        return self._nrows, self._nvals, self._uniform_row_length, self._dtype

    @classmethod
    def _deserialize(cls, serialization):
        nrows, nvals, length, dtype = serialization
        return cls(nrows.as_list()[0], nvals.as_list()[0], length, dtype)

    def __reduce__(self):
        return RowPartitionSpec, (self.nrows, self.nvals, self.uniform_row_length, self._dtype)

    @property
    def _component_specs(self):
        return TensorSpec([None if self.nrows is None else self.nrows + 1], self._dtype)

    def _to_components(self, value):
        return value.row_splits()

    def _from_components(self, tensor):
        return RowPartition.from_row_splits(tensor, validate=False)

    def __repr__(self):
        return (f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
                f"uniform_row_length={self.uniform_row_length}, dtype={self._dtype!r})")
