"""`tf.__internal__.dispatch`: what functions do with other values than tensors; a library's functions can take part."""

from __future__ import annotations

import functools
import inspect
import sys

from tracefn import _core
from tracefn._decorators import make_decorator
from tracefn._dispatch import add_for_all, add_handler
from tracefn._export import export, path_of

__all__ = ["GlobalOpDispatcher", "OpDispatcher", "add_dispatch_support", "dispatch_for_types"]
# The attribute of a library's function: the dispatchers that are asked when it raises an error.
_DISPATCHERS = "_tf_fallback_dispatchers"
_for_all: list[GlobalOpDispatcher] = []


class OpDispatcher:
    """What a function does with other values than tensors: `handle` in a subclass, and `register`."""

    NOT_SUPPORTED = object()

    def handle(self, args, kwargs):
        """The result for arguments that `args` and `kwargs` give; `NOT_SUPPORTED` if it does not take them."""
        del args, kwargs
        return self.NOT_SUPPORTED

    def register(self, op) -> None:
        """Makes a function ask this object for arguments that it does not take itself.

        Args:
          op: a public function or class method, or a function with `add_dispatch_support`.

        Raises:
          AssertionError: `op` is another function.
        """
        own = getattr(op, _DISPATCHERS, None)
        if own is not None:
            own.append(self)
            return
        path = path_of(op)
        if path is None:
            raise AssertionError(f"Dispatching not enabled for {op}")
        first = (op.__self__,) if inspect.ismethod(op) else ()

        def handle(arguments):
            args, kwargs = _as_call(op, arguments)
            return _supported(self.handle((*first, *args[len(first) :]), kwargs))

        add_handler(path, handle)


class GlobalOpDispatcher:
    """The same for all functions: `handle` gets the function, too."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op, args, kwargs):
        """The result of `op` for these arguments; `NOT_SUPPORTED` if it does not take them."""
        del op, args, kwargs
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Makes all functions ask this object."""
        _for_all.append(self)
        add_for_all(lambda op, arguments: _supported(self.handle(op, *_as_call(op, arguments))))
        sys.modules["tracefn"].convert_to_tensor = _converting()  # type: ignore[attr-defined]


@functools.cache
def _converting():
    """`tf.convert_to_tensor` as a function that dispatchers see; without one it is the core's, which is faster."""
    convert = _core.convert_to_tensor

    @export("convert_to_tensor")
    def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
        return convert(value, dtype, dtype_hint, name)

    convert_to_tensor.__doc__ = convert.__doc__
    return convert_to_tensor


def _as_call(op, arguments: dict) -> tuple[tuple, dict]:
    """The arguments of a call, which come by name, as a program writes them: the first by place, defaults left out."""
    code = getattr(op, "__code__", None)
    if code is None:
        return (), arguments
    parameters = inspect.signature(getattr(op, "__func__", op)).parameters
    args: list = []
    kwargs = dict(arguments)
    rest = next((p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL), None)
    for position, parameter in enumerate(parameters.values()):
        if parameter.name == rest:
            args.extend(kwargs.pop(rest, ()))
            break
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD) or parameter.name not in kwargs:
            break
        if position and rest is None:
            break
        args.append(kwargs.pop(parameter.name))
    return tuple(args), {k: v for k, v in kwargs.items() if k not in parameters or v is not parameters[k].default}


def _supported(result):
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


def add_dispatch_support(target=None, iterable_parameters=None):
    """A decorator for a library's function: dispatchers are asked where it raises a TypeError or ValueError.

    Args:
      target: the function; None for a decorator.
      iterable_parameters: accepted, without effect: lists are passed as they are.

    Example:
      >>> import tracefn as tf
      >>> dispatch = tf.__internal__.dispatch
      >>> @dispatch.add_dispatch_support
      ... def twice(x):
      ...     return tf.convert_to_tensor(x) * 2
      >>> class OfSets(dispatch.OpDispatcher):
      ...     def handle(self, args, kwargs):
      ...         return {2 * x for x in args[0]} if isinstance(args[0], set) else self.NOT_SUPPORTED
      >>> OfSets().register(twice)
      >>> int(twice(3)), twice({3})
      (6, {6})
    """
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)

    @functools.wraps(target)
    def dispatched(*args, **kwargs):
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(dispatched, args, kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    setattr(dispatched, _DISPATCHERS, [])
    return make_decorator(target, dispatched, "add_dispatch_support")


def dispatch(op, args, kwargs):
    """The first result that a dispatcher of a function gives for these arguments; `OpDispatcher.NOT_SUPPORTED` if none does."""
    answers = [dispatcher.handle for dispatcher in getattr(op, _DISPATCHERS, ())]
    answers += [functools.partial(dispatcher.handle, op) for dispatcher in _for_all]
    for answer in answers:
        result = answer(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


class _ByTypes(OpDispatcher):
    """Calls a function if an argument is of one of some types."""

    def __init__(self, function, types: tuple) -> None:
        self._function, self._types = function, types

    def _is_one(self, value) -> bool:
        return isinstance(value, self._types) or isinstance(value, (list, tuple)) and any(map(self._is_one, value))

    def handle(self, args, kwargs):
        """The function's result, if it is concerned."""
        if any(map(self._is_one, (*args, *kwargs.values()))):
            return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op, *types):
    """A decorator for a function that a public or a library's function calls in its place for values of some types.

    Args:
      op: as in `OpDispatcher.register`.
      *types: classes.

    Raises:
      AssertionError: the functions have other parameters.
    """

    def decorate(function):
        wanted, given = (list(inspect.signature(f).parameters) for f in (op, function))
        if wanted != given:
            raise AssertionError(
                "The decorated function's signature must exactly match the signature of the overridden op; "
                f"expected {wanted}, got {given}."
            )
        _ByTypes(function, types).register(op)
        return function

    return decorate
