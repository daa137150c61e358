"""`tf.TensorShape`: a shape whose sizes or rank may be unknown."""

from __future__ import annotations

import math

from tracefn._value_text import value_text
from tracefn.dimension import Dimension, dimension_value


class TensorShape:
    """The shape of a tensor, as far as it is known.

    Args:
      dims: an iterable of sizes (int, or None for an unknown one), one size, another TensorShape, a TensorShapeProto, or
        None for unknown rank.

    Raises:
      TypeError: `dims` or an element has another type.
      ValueError: a size is negative.

    >>> tf.TensorShape([2, None])
    TensorShape([2, None])
    >>> print(tf.TensorShape([2, None]), tf.TensorShape(None))
    (2, None) <unknown>
    """

    __slots__ = ("__weakref__", "_dims")

    def __init__(self, dims):
        self._dims = _dims_of(dims)

    @classmethod
    def _from_dims(cls, dims: tuple | None) -> TensorShape:
        """Wraps a tuple of sizes (int or None), or None, that is known to be valid; the native core calls this."""
        self = cls.__new__(cls)
        self._dims = dims
        return self

    @property
    def rank(self) -> int | None:
        """Number of dimensions, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None for unknown rank; `as_list` returns plain numbers."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list:
        """The sizes as a list, unknown ones as None.

        Raises:
          ValueError: the rank is unknown.

        >>> tf.TensorShape([2, None]).as_list()
        [2, None]
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self):
        """The shape as a TensorShapeProto, TensorFlow's message.

        >>> print(tf.TensorShape([2, None]).as_proto())
        dim {
          size: 2
        }
        dim {
          size: -1
        }
        <BLANKLINE>
        """
        from tracefn._messages import shape_proto  # start-up time: only programs that store types need messages

        return shape_proto(self)

    def experimental_as_proto(self):
        """The shape as a TensorShapeProto, as `as_proto`."""
        return self.as_proto()

    @classmethod
    def experimental_from_proto(cls, proto) -> TensorShape:
        """The shape of a TensorShapeProto."""
        from tracefn._messages import dimensions  # start-up time: only programs that store types need messages

        return cls(dimensions(proto))

    @classmethod
    def experimental_type_proto(cls) -> type:
        """The class of the result of `experimental_as_proto`."""
        from tracefn._proto import message_class  # start-up time: only programs that store types need messages

        return message_class("TensorShapeProto")

    def num_elements(self) -> int | None:
        """Number of elements of a tensor of this shape, or None if not fully known.

        >>> tf.TensorShape([2, 3]).num_elements()
        6
        """
        return math.prod(self._dims) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Whether the rank and all sizes are known.

        >>> tf.TensorShape([2, None]).is_fully_defined()
        False
        """
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Does nothing for a fully known shape.

        Raises:
          ValueError: the rank or a size is unknown.
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other) -> bool:
        """Whether a tensor could have both shapes.

        Args:
          other: a shape, or a value that converts to one.

        >>> tf.TensorShape([2, None]).is_compatible_with([2, 3])
        True
        >>> tf.TensorShape([2, None]).is_compatible_with([2])
        False
        """
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None:
            return True
        if len(mine) != len(theirs):
            return False
        return all(a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True))

    def assert_is_compatible_with(self, other) -> None:
        """Does nothing if the shapes are compatible.

        Raises:
          ValueError: no tensor can have both shapes.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other) -> TensorShape:
        """The combined information of two shapes of the same tensor.

        Raises:
          ValueError: no tensor can have both shapes.

        >>> tf.TensorShape([2, None]).merge_with([None, 3])
        TensorShape([2, 3])
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return self._from_dims(tuple(b if a is None else a for a, b in zip(self._dims, other._dims, strict=True)))

    def concatenate(self, other) -> TensorShape:
        """The sizes of this shape followed by those of `other`; `+` does the same.

        >>> tf.TensorShape([2]).concatenate([None, 3])
        TensorShape([2, None, 3])
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return self._from_dims(None)
        return self._from_dims(self._dims + other._dims)

    def with_rank(self, rank: int | None) -> TensorShape:
        """This shape, known to have `rank` dimensions.

        Raises:
          ValueError: it has another rank.

        >>> tf.TensorShape(None).with_rank(2)
        TensorShape([None, None])
        """
        if rank is None:
            return self
        if self._dims is None:
            return unknown_shape(rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: it has fewer than `rank` dimensions.

        >>> tf.TensorShape([2, 3]).with_rank_at_least(1)
        TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: it has more than `rank` dimensions.

        >>> tf.TensorShape([2, 3]).with_rank_at_most(2)
        TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Does nothing if the rank is `rank` or unknown.

        Raises:
          ValueError: it has another rank.
        """
        if rank is not None and self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other) -> None:
        """Does nothing if the ranks are equal or one is unknown.

        Raises:
          ValueError: the ranks differ.
        """
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def is_subtype_of(self, other) -> bool:
        """Whether every tensor of this shape has the shape `other` as well.

        >>> tf.TensorShape([2]).is_subtype_of(tf.TensorShape([None]))
        True
        """
        if not isinstance(other, TensorShape):
            return False
        mine, theirs = self._dims, other._dims
        if theirs is None or mine is theirs:
            return True
        if mine is None or len(mine) != len(theirs):
            return False
        return all(b is None or a == b for a, b in zip(mine, theirs, strict=True))

    def most_specific_common_supertype(self, others) -> TensorShape | None:
        """The most specific shape that this and all `others` are subtypes of; None if one of them is not a TensorShape.

        >>> tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2, 5])])
        TensorShape([2, None])
        """
        dims = self._dims
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            theirs = other._dims
            if dims is None or theirs is None or len(dims) != len(theirs):
                dims = None
            elif dims != theirs:
                dims = tuple(a if a == b else None for a, b in zip(dims, theirs, strict=True))
        return self if dims is self._dims else self._from_dims(dims)

    def most_specific_compatible_shape(self, other) -> TensorShape:
        """The most specific shape that both this and `other` fit; an older name of the common supertype.

        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2])
        TensorShape(None)
        """
        common = self.most_specific_common_supertype([as_shape(other)])
        return TensorShape(None) if common is None else common

    def placeholder_value(self, placeholder_context) -> None:
        """None: a shape holds no tensors."""

    def to_tensors(self, value) -> list:
        """The empty list: a shape holds no tensors."""
        return []

    def from_tensors(self, tensors) -> None:
        """None; takes nothing from the iterator `tensors`."""

    def flatten(self) -> list:
        """The empty list: a shape holds no specs."""
        return []

    def cast(self, value, cast_context):
        """Always raises an error, as in TensorFlow.

        Raises:
          AssertionError: always.
        """
        raise AssertionError(f"Can not cast {value_text(value)} to type {self!r}")

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key):
        if self._dims is not None:
            part = self._dims[key]
            return self._from_dims(part) if isinstance(key, slice) else part
        return self._unknown_part(key) if isinstance(key, slice) else None

    def _unknown_part(self, key: slice) -> TensorShape:
        """A slice of a shape of unknown rank: its length is known if both ends count from the front."""
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else key.start
        if key.stop is None or start < 0 or key.stop < 0:
            return self._from_dims(None)
        return unknown_shape(max(key.stop - start, 0))

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def __concat__(self, other):
        return self.concatenate(other)

    def __eq__(self, other):
        if type(other) is not TensorShape:
            try:
                other = as_shape(other)
            except TypeError:
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self):
        return hash(self._dims)

    def __str__(self):
        return "<unknown>" if self._dims is None else str(self._dims)

    def __repr__(self):
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __reduce__(self):
        return type(self), (self._dims,)


def as_shape(shape) -> TensorShape:
    """`shape` itself if it is a TensorShape, else the TensorShape made from it.

    >>> as_shape([1, None])
    TensorShape([1, None])
    """
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """The shape of `rank` unknown sizes, or of unknown rank.

    >>> unknown_shape(2)
    TensorShape([None, None])
    """
    return TensorShape._from_dims(None if rank is None else (None,) * rank)


def _dims_of(dims) -> tuple | None:
    """Validates TensorShape's argument; returns the sizes as a tuple, or None."""
    if isinstance(dims, (tuple, list)):
        return tuple([size if type(size) is int and size >= 0 else dimension_value(size) for size in dims])
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._dims
    try:
        sizes = iter(dims)
    except TypeError:
        if hasattr(dims, "unknown_rank"):  # a TensorShapeProto
            from tracefn._messages import dimensions  # start-up time: only programs that store types need messages

            sizes = dimensions(dims)
            return sizes if sizes is None else tuple(sizes)
        return (dimension_value(dims),)
    result = []
    for size in sizes:
        try:
            result.append(dimension_value(size))
        except TypeError:
            raise TypeError(f"Failed to convert '{value_text(dims)}' to a shape: '{value_text(size)}'could not be converted "
                            "to a dimension. A shape should either be single dimension (e.g. 10), or an iterable of "
                            "dimensions (e.g. [1, 10, None]).") from None
    return tuple(result)
