"""`tf.autograph.experimental`: options of conversion and of loops."""

from __future__ import annotations

import enum
import functools

from tracefn._missing import getter as _getter
from tracefn._plain_python import as_plain_python
from tracefn.autograph.marks import DO_NOT_CONVERT

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """Optional conversions, for `experimental_autograph_options`.

    ALL turns on everything. ASSERT_STATEMENTS and the conversion of control flow are always on. With BUILTIN_FUNCTIONS,
    `print` of a tensor prints when the graph runs. AUTO_CONTROL_DEPS, EQUALITY_OPERATORS, LISTS and NAME_SCOPES are
    accepted and change nothing.

    Example:
      >>> import tracefn as tf
      >>> tf.autograph.experimental.Feature.LISTS.name
      'LISTS'
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> frozenset:
        """All features."""
        return frozenset(cls)

    @classmethod
    def all_but(cls, exclude) -> frozenset:
        """All features except the given one or ones."""
        excluded = {exclude} if isinstance(exclude, cls) else set(exclude)
        return frozenset(cls) - excluded - {cls.ALL}


def do_not_convert(func=None):
    """Decorator: the function and the functions that it calls run unconverted, as plain Python.

    Args:
      func: callable; None returns a decorator.

    Returns:
      A callable that does what `func` does.

    Example:
      >>> import tracefn as tf
      >>> @tf.autograph.experimental.do_not_convert
      ... def plain(x):
      ...     return x + 1
      >>> plain(1)
      2
    """
    if func is None:
        return do_not_convert
    if isinstance(func, type):
        return func

    plain = as_plain_python(func)

    def autograph_do_not_convert(*args, **kwargs):
        return plain(*args, **kwargs)

    try:
        functools.update_wrapper(autograph_do_not_convert, func)
    except AttributeError:
        autograph_do_not_convert.__wrapped__ = func
    autograph_do_not_convert.__dict__[DO_NOT_CONVERT] = True
    return autograph_do_not_convert


class _Unspecified:
    def __repr__(self) -> str:
        return "UNSPECIFIED"


_UNSPECIFIED = _Unspecified()


def set_loop_options(
    parallel_iterations=_UNSPECIFIED,
    swap_memory=_UNSPECIFIED,
    maximum_iterations=_UNSPECIFIED,
    shape_invariants=_UNSPECIFIED,
) -> None:
    """Options for the loop whose body begins with this call; anywhere else it does nothing.

    Args:
      parallel_iterations, swap_memory: accepted.
      maximum_iterations: the most iterations of a staged loop.
      shape_invariants: list of (loop variable, tf.TensorShape that holds in every iteration).

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def doubled(n):
      ...     x = tf.constant([1])
      ...     for i in tf.range(n):
      ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
      ...         x = tf.concat([x, x], axis=0)
      ...     return x
      >>> doubled(tf.constant(2)).shape
      TensorShape([4])
    """


__getattr__ = _getter("autograph.experimental")
