"""Iterables of staged for loops: rows of a tensor, a range, a dataset, and enumerate, zip and reversed of these."""

from __future__ import annotations

import itertools

from tracefn import _core
from tracefn._control_flow.conditional import cond
from tracefn.autograph.runtime.conditions import is_variable
from tracefn.autograph.runtime.lists import StagedList
from tracefn.composite import has_rows
from tracefn.dtypes import int32
from tracefn.framework import name_scope
from tracefn.ops.by_path import public_function


def _op(name: str, **inputs):
    return _core.raw_op(name)(**inputs)


def length_of(tensor):
    """The first dimension as a scalar int32: a constant if it is known, else a Shape node.

    Raises:
      ValueError: the tensor is a scalar.
    """
    rank = tensor.shape.rank
    if rank == 0:
        shape = _op("Shape", input=tensor)
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape}")
    if rank is not None and tensor.shape[0] is not None:
        return _core.convert_to_tensor(int(tensor.shape[0]), dtype="int32")
    return public_function("shape")(tensor)[0]


class Rows:
    """The rows of a tensor, first to last."""

    initial_from_start = False

    def __init__(self, tensor) -> None:
        self._tensor = tensor
        self._length = length_of(tensor)
        with name_scope("TensorArrayUnstack"):
            shape = tensor.shape
            self._row_shape = None if shape.rank is None else shape[1:]
            self._list = _op("TensorListFromTensor", tensor=tensor, element_shape=self._element_shape())
        self.start = [_core.convert_to_tensor(0, dtype="int32")]

    def _element_shape(self):
        if self._row_shape is None:
            return _core.convert_to_tensor(-1, dtype="int32")
        sizes = [-1 if size is None else size for size in self._row_shape.as_list()]
        return _core.convert_to_tensor(sizes, dtype="int32", name="Const")

    def length(self):
        return self._length

    def test(self, state):
        return _op("Less", x=state[0], y=self._length)

    def element(self, state):
        with name_scope("TensorArrayV2Read"):
            return _op(
                "TensorListGetItem",
                input_handle=self._list,
                index=state[0],
                element_shape=self._element_shape(),
                element_dtype=self._tensor.dtype,
            )

    def advance(self, state):
        return [state[0] + 1]


class RowsByIndex:
    """The rows of a composite value that has an index for them, such as a RaggedTensor."""

    initial_from_start = False

    def __init__(self, value) -> None:
        self._value = value
        known = value.shape[0]
        if known is not None:
            self._length = _core.convert_to_tensor(int(known), dtype="int32")
        else:
            self._length = _op("Cast", x=value.nrows(), DstT=int32)
        self.start = [_core.convert_to_tensor(0, dtype="int32")]

    def length(self):
        return self._length

    def test(self, state):
        return _op("Less", x=state[0], y=self._length)

    def element(self, state):
        return self._value[state[0]]

    def advance(self, state):
        return [state[0] + 1]


class Range:
    """The numbers of a Range node, without its tensor."""

    initial_from_start = True

    def __init__(self, tensor) -> None:
        self._tensor = tensor
        first, self._limit, self._delta = tensor.op.inputs
        self.start = [first]

    def length(self):
        return length_of(self._tensor)

    def test(self, state):
        step = _core.constant_value(self._delta)
        if step is not None:
            return _op("Less" if step._python_value() > 0 else "Greater", x=state[0], y=self._limit)
        zero = _op("ZerosLike", x=self._delta)
        up = _op("LogicalAnd", x=_op("GreaterEqual", x=self._delta, y=zero), y=_op("Less", x=state[0], y=self._limit))
        down = _op("LogicalAnd", x=_op("Less", x=self._delta, y=zero), y=_op("Greater", x=state[0], y=self._limit))
        return _op("LogicalOr", x=up, y=down)

    def element(self, state):
        return state[0]

    def advance(self, state):
        return [state[0] + self._delta]


class Elements:
    """The elements of an iterator over a dataset. The state is an optional, which holds the next one.

    Args:
      iterator: the iterator.
      is_own: whether the loop is over a dataset: it has the iterator for itself.

    Attributes:
      is_own: the same.
    """

    initial_from_start = False

    def __init__(self, iterator, is_own: bool) -> None:
        self._iterator = iterator
        self.is_own = self.relaxes_shapes = is_own
        optional = iterator.get_next_as_optional()
        self._spec = optional._type_spec
        self.start = self._spec.to_tensors(optional)

    def test(self, state):
        return _op("OptionalHasValue", optional=state[0])

    def element(self, state):
        return self._spec.from_tensors(iter(state)).get_value()

    def advance(self, state, ends=False):
        """The next state; one that ends the loop takes no further element from the iterator."""
        if ends is True:
            return state
        if ends is False:
            return self._spec.to_tensors(self._iterator.get_next_as_optional())
        return [cond(ends, lambda: state[0], lambda: self.advance(state)[0])]


class StagedIterable:
    """enumerate, zip or reversed over tensors: `source()` makes the source of a staged loop.

    As with tensors, Python can iterate over it only if the first dimension is known.
    """

    def source(self):
        raise NotImplementedError

    def __iter__(self):
        return iter(self.unrolled())


class Enumerated(StagedIterable):
    """enumerate(iterable, start)."""

    def __init__(self, iterable, start=0) -> None:
        self._iterable = iterable
        self._start = start

    def source(self):
        return _EnumeratedSource(source_of(self._iterable), _core.convert_to_tensor(self._start, dtype="int32"))

    def unrolled(self):
        return enumerate(unrolled(self._iterable), self._start)


class _EnumeratedSource:
    initial_from_start = False

    def __init__(self, inner, start) -> None:
        self._inner = inner
        self.start = [start, *inner.start]

    def length(self):
        return self._inner.length()

    def test(self, state):
        return self._inner.test(state[1:])

    def element(self, state):
        return state[0], self._inner.element(state[1:])

    def advance(self, state):
        return [state[0] + 1, *self._inner.advance(state[1:])]


class Zipped(StagedIterable):
    """zip(*iterables, strict=strict)."""

    def __init__(self, iterables, strict: bool = False) -> None:
        self._iterables = iterables
        self._strict = strict

    def source(self):
        sources = self._sources()
        if self._strict:
            _assert_equal_lengths([s.length() for s in sources])
        return _ZippedSource(sources)

    def _sources(self) -> list:
        """Python sequences zipped with tensors become constants; of an iterator, as many elements as the tensors have."""
        staged = {i: source_of(item) for i, item in enumerate(self._iterables) if is_staged_iterable(item)}
        found = []
        for i, item in enumerate(self._iterables):
            if i not in staged and not hasattr(item, "__len__"):
                item = itertools.islice(item, self._rows(staged))
            found.append(staged[i] if i in staged else source_of(_core.convert_to_tensor(list(item))))
        return found

    def _rows(self, staged) -> int:
        """The number of rows of the shortest tensor, plus one if the lengths must be equal.

        Raises:
          OperatorNotAllowedInGraphError: no length is known: the iterator, which may have no end, cannot become a constant.
        """
        known = [int(n) for n in (_core.constant_value(source.length()) for source in staged.values()) if n is not None]
        if not known:
            iter(next(item for item in self._iterables if is_staged_iterable(item)))
        return min(known) + self._strict

    def unrolled(self):
        return zip(*(unrolled(item) for item in self._iterables), strict=self._strict)


def _assert_equal_lengths(lengths) -> None:
    first, *rest = lengths
    for i, other in enumerate(rest, 2):
        known = _core.constant_value(first), _core.constant_value(other)
        text = f"zip() argument {i} has a length that differs from that of argument 1"
        if None not in known and int(known[0]) != int(known[1]):
            condition = _core.convert_to_tensor(False)
        else:
            condition = _op("Equal", x=first, y=other)
        _op("Assert", condition=condition, data=[_core.convert_to_tensor(text)])


class _ZippedSource:
    initial_from_start = False

    def __init__(self, sources) -> None:
        self._sources = sources
        self.start = [tensor for source in sources for tensor in source.start]

    def _each(self, state):
        at = 0
        for source in self._sources:
            size = len(source.start)
            yield source, state[at : at + size]
            at += size

    def length(self):
        shortest, *rest = (source.length() for source in self._sources)
        for other in rest:
            shortest = _op("Minimum", x=shortest, y=other)
        return shortest

    def test(self, state):
        first, *rest = (source.test(part) for source, part in self._each(state))
        for other in rest:
            first = _op("LogicalAnd", x=first, y=other)
        return first

    def element(self, state):
        return tuple(source.element(part) for source, part in self._each(state))

    def advance(self, state):
        return [tensor for source, part in self._each(state) for tensor in source.advance(part)]


class Reversed(StagedIterable):
    """reversed(tensor)."""

    def __init__(self, tensor) -> None:
        self.tensor = tensor

    def source(self):
        return Rows(self._turned())

    def unrolled(self):
        return iter(unrolled(self._turned()))

    def _turned(self):
        length_of(self.tensor)
        return self.tensor[::-1]


def is_dataset(value) -> bool:
    """Whether a value is a dataset, whose class need not be imported to know it."""
    return getattr(type(value), "_iterates_as_dataset", False)


def is_dataset_iterator(value) -> bool:
    """Whether a value is an iterator over a dataset."""
    return getattr(type(value), "iterates_as_iterator", False)


def is_staged_iterable(value) -> bool:
    """Whether a for loop over this value is staged while tracing."""
    return (isinstance(value, (_core.Tensor, StagedIterable, StagedList)) or is_variable(value) or has_rows(value)
            or is_dataset(value) or is_dataset_iterator(value))


def source_of(value):
    """The source of a staged loop over `value`."""
    if isinstance(value, StagedIterable):
        return value.source()
    if isinstance(value, StagedList):
        return Rows(value.stack())
    if has_rows(value):
        return RowsByIndex(value)
    if is_dataset(value):
        return Elements(iter(value), is_own=True)
    if is_dataset_iterator(value):
        return Elements(value, is_own=False)
    tensor = _core.convert_to_tensor(value)
    if type(tensor) is _core.SymbolicTensor and tensor.op.type == "Range":
        return Range(tensor)
    return Rows(tensor)


def unrolled(value):
    """The elements of a tensor of known length, one by one; anything else unchanged."""
    if type(value) is _core.SymbolicTensor:
        shape = value.shape
        if shape.rank and shape[0] is not None:
            return [value[i] for i in range(int(shape[0]))]
    return value
