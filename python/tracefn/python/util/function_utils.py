"""`tensorflow.python.util.function_utils`: the names and arguments of functions."""

from __future__ import annotations

import functools
import inspect

from tracefn._decorators import unwrap
from tracefn.python.util.tf_inspect import getfullargspec

__all__ = ["fn_args", "get_func_code", "get_func_name", "has_kwargs"]


def fn_args(fn) -> tuple:
    """The names of a callable's positional arguments: without `self`, and without those that a partial has.

    Example:
      >>> import functools
      >>> from tracefn.python.util.function_utils import fn_args
      >>> fn_args(functools.partial(lambda a, b, c: a, 1, c=2))
      ('b',)
    """
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args) :] if name not in fn.keywords)
    fn = _callable(fn)
    names = getfullargspec(fn).args
    return tuple(names[1:] if inspect.ismethod(unwrap(fn)[1]) else names)


def has_kwargs(fn) -> bool:
    """Whether a callable takes any keyword arguments.

    Raises:
      TypeError: `fn` is not callable.

    Example:
      >>> from tracefn.python.util.function_utils import has_kwargs
      >>> has_kwargs(lambda **options: options)
      True
    """
    fn = fn.func if isinstance(fn, functools.partial) else _callable(fn)
    if not callable(fn):
        raise TypeError(f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})")
    return getfullargspec(fn).varkw is not None


def get_func_name(func) -> str:
    """The name of a function, the class and name of a method, or the class of another callable.

    Raises:
      ValueError: `func` is not callable.

    Example:
      >>> from tracefn.python.util.function_utils import get_func_name
      >>> get_func_name(get_func_name)
      'get_func_name'
    """
    func = _unwrapped(func)
    if inspect.isfunction(func):
        return func.__name__
    if inspect.ismethod(func):
        return f"{type(func.__self__).__name__}.{func.__func__.__name__}"
    return str(type(func))


def get_func_code(func):
    """The code of a function, a method or an object's `__call__`; None if it has none.

    Raises:
      ValueError: `func` is not callable.

    Example:
      >>> from tracefn.python.util.function_utils import get_func_code
      >>> get_func_code(lambda: 1).co_name
      '<lambda>'
    """
    func = _unwrapped(func)
    of = func if inspect.isfunction(func) or inspect.ismethod(func) else func.__call__
    return getattr(of, "__code__", None)


def _callable(fn):
    """A function or method; the method that calls an object."""
    call = getattr(fn, "__call__", None)  # noqa: B004  # an object has it as a method
    return call if inspect.ismethod(call) else fn


def _unwrapped(func):
    func = unwrap(func)[1]
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={func} (of type {type(func)})")
    return func
