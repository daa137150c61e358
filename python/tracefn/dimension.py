"""`Dimension`: one size of a `tf.TensorShape`, as in its property `dims`; an int or unknown, with arithmetic."""

from __future__ import annotations

import operator

from tracefn import _core
from tracefn._value_text import value_text


def dimension_value(dimension) -> int | None:
    """Converts `dimension` to an int of at least 0, or None.

    Args:
      dimension: an int or something with `__index__`, a Dimension, or None.

    Raises:
      TypeError: `dimension` has another type.
      ValueError: `dimension` is negative.

    >>> dimension_value(3)
    3
    """
    if dimension is None:
        return None
    if type(dimension) is Dimension:
        return dimension.value
    try:
        size = operator.index(dimension)
    except TypeError:
        raise TypeError("Dimension value must be integer or None or have an __index__ method, got value "
                        f"'{value_text(dimension)}' with type '{type(dimension)!r}'") from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


_NO_SIZE = object()


def _size_or_not(value):
    """`dimension_value` of a size, _NO_SIZE for another value."""
    try:
        return dimension_value(value)
    except (TypeError, ValueError):
        return _NO_SIZE


def _computed(function, first: int | None, second: int | None) -> Dimension:
    return Dimension(None if first is None or second is None else function(first, second))


class Dimension:
    """One size of a shape; arithmetic with an unknown one is unknown.

    Args:
      value: an int of at least 0, or None for an unknown size.

    Raises:
      TypeError: `value` is not an integer.
      ValueError: `value` is negative.

    >>> d = tf.TensorShape([3, None]).dims
    >>> d[0] + 1, d[0] * d[1], d[0].value
    (Dimension(4), Dimension(None), 3)
    """

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = dimension_value(value)

    @property
    def value(self) -> int | None:
        """The size, or None if unknown."""
        return self._value

    def __tf_tensor__(self, dtype=None, name=None):
        if self._value is None:
            raise ValueError(f"Cannot convert unknown Dimension {self} to a Tensor.")
        if dtype not in (None, "int32", "int64"):
            raise TypeError(
                f"Cannot convert Dimension {self} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
            )
        return _core.convert_to_tensor(self._value, dtype=dtype, name=name)

    def is_compatible_with(self, other) -> bool:
        """Whether the sizes are equal or one of them is unknown.

        >>> tf.TensorShape([3]).dims[0].is_compatible_with(None)
        True
        """
        theirs = dimension_value(other)
        return self._value is None or theirs is None or self._value == theirs

    def assert_is_compatible_with(self, other) -> None:
        """Does nothing if the sizes are compatible.

        Raises:
          ValueError: both are known and differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other) -> Dimension:
        """The known one of two sizes.

        Raises:
          ValueError: both are known and differ.

        >>> tf.TensorShape([None]).dims[0].merge_with(3)
        Dimension(3)
        """
        self.assert_is_compatible_with(other)
        return Dimension(dimension_value(other) if self._value is None else self._value)

    def _compute(self, function, other):
        """The result of arithmetic; NotImplemented with what is no size."""
        theirs = _size_or_not(other)
        return NotImplemented if theirs is _NO_SIZE else _computed(function, self._value, theirs)

    def __add__(self, other):
        return self._compute(operator.add, other)

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self._compute(operator.sub, other)

    def __rsub__(self, other):
        return _computed(operator.sub, dimension_value(other), self._value)

    def __mul__(self, other):
        return self._compute(operator.mul, other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead")

    def __rtruediv__(self, other):
        raise TypeError(f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead")

    def __floordiv__(self, other):
        return self._compute(operator.floordiv, other)

    def __rfloordiv__(self, other):
        return _computed(operator.floordiv, dimension_value(other), self._value)

    def __mod__(self, other):
        return _computed(operator.mod, self._value, dimension_value(other))

    def __rmod__(self, other):
        return _computed(operator.mod, dimension_value(other), self._value)

    def _compare(self, function, other):
        """The result of a comparison, neither true nor false with an unknown size.

        Raises:
          TypeError, ValueError: `other` is no size.
        """
        theirs = dimension_value(other)
        return None if self._value is None or theirs is None else function(self._value, theirs)

    def __eq__(self, other):
        return NotImplemented if _size_or_not(other) is _NO_SIZE else self._compare(operator.eq, other)

    def __ne__(self, other):
        return NotImplemented if _size_or_not(other) is _NO_SIZE else self._compare(operator.ne, other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other):
        return self._compare(operator.lt, other)

    def __le__(self, other):
        return self._compare(operator.le, other)

    def __gt__(self, other):
        return self._compare(operator.gt, other)

    def __ge__(self, other):
        return self._compare(operator.ge, other)

    def __bool__(self):
        return bool(self._value)

    def __int__(self):
        return self._value

    def __index__(self):
        return self._value

    def __str__(self):
        return "?" if self._value is None else str(self._value)

    def __repr__(self):
        return f"Dimension({self._value})"

    def __reduce__(self):
        return Dimension, (self._value,)
