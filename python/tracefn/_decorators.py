"""Wrappers that say what they wrap: `tf.__internal__.decorator`."""

from __future__ import annotations

import functools
import sys
import types
from typing import TYPE_CHECKING

from tracefn._core import Function

if TYPE_CHECKING:
    import inspect

__all__ = ["TFDecorator", "make_decorator", "rewrap", "show_methods_of", "unwrap"]


def show_methods_of(owner: str, classes, others=()) -> None:
    """Lets errors about the arguments of methods name the class that has them in TensorFlow.

    Args:
      owner: the name of that class.
      classes: the classes whose functions are its methods here.
      others: names of functions that are methods of another class.
    """
    for cls in classes:
        for name, method in vars(cls).items():
            function = getattr(method, "__func__", method)
            if isinstance(function, types.FunctionType) and name not in others:
                function.__qualname__ = f"{owner}.{name}"
                # A pickle of the function names it by module and class.
                vars(sys.modules[function.__module__]).setdefault(owner, cls)


class TFDecorator:
    """What a decorator was applied to: an attribute of the decorated function, found by `unwrap`.

    Args:
      decorator_name: str.
      target: the callable that was decorated.
      decorator_doc: str.
      decorator_argspec: inspect.FullArgSpec of the decorated function, or None for the target's.
    """

    def __init__(self, decorator_name, target, decorator_doc="", decorator_argspec=None) -> None:
        self.decorated_target = target
        self.decorator_name = decorator_name
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec
        for name in ("__name__", "__qualname__"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""

    def __get__(self, instance, owner):
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """Gives a wrapper the name, text and signature of what it wraps, and remembers that for `unwrap`.

    Args:
      target: the callable that is wrapped.
      decorator_func: the wrapper.
      decorator_name: str; None for the name of the calling function.
      decorator_doc: str, the wrapper's text; "" for the target's.
      decorator_argspec: inspect.FullArgSpec of the wrapper, or None for the target's.

    Returns:
      The wrapper.

    Example:
      >>> import tracefn as tf
      >>> def doubled(f):
      ...     return tf.__internal__.decorator.make_decorator(f, lambda *args: 2 * f(*args))
      >>> @doubled
      ... def one():
      ...     return 1
      >>> one(), one.__name__, tf.__internal__.decorator.unwrap(one)[0][0].decorator_name
      (2, 'one', 'doubled')
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for name in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, name):
            setattr(decorator_func, name, getattr(target, name))
    own = decorator_func.__dict__
    for name, value in getattr(target, "__dict__", own).items():
        own.setdefault(name, value)
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    if decorator_argspec:
        decorator_func.__signature__ = _signature(decorator_argspec)
    elif isinstance(target, types.FunctionType | types.MethodType | functools.partial):
        import inspect  # start-up time: few programs ask for signatures

        signature = inspect.signature(target)
        instance = _instance_of(target)
        if instance is not None and "self" in signature.parameters:  # the wrapper of a method is called without it
            signature = inspect.Signature(list(signature.parameters.values())[1:])
            decorator_func.__self__ = instance
        decorator_func.__signature__ = signature
    return decorator_func


def _instance_of(target):
    """The object whose method a callable decorates; None if there is none."""
    targets = [decorator.decorated_target for decorator in unwrap(target)[0]]
    return next((one.__self__ for one in targets if isinstance(one, types.MethodType)), None)


def _signature(spec: inspect.FullArgSpec) -> inspect.Signature:
    """The signature that an argspec describes."""
    import inspect  # start-up time: few programs ask for signatures

    kinds = inspect.Parameter
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ()), strict=False))
    found = [kinds(a, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(a, kinds.empty)) for a in spec.args]
    if spec.varargs:
        found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    only = spec.kwonlydefaults or {}
    found += [kinds(a, kinds.KEYWORD_ONLY, default=only.get(a, kinds.empty)) for a in spec.kwonlyargs]
    if spec.varkw:
        found.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def _decorator_of(target) -> TFDecorator | None:
    """The outermost decorator of a callable."""
    found = target if isinstance(target, TFDecorator) else getattr(target, "_tf_decorator", None)
    return found if isinstance(found, TFDecorator) else None


def unwrap(maybe_tf_decorator):
    """(the TFDecorators that were applied, the outermost first; the callable under them)."""
    decorators: list = []
    target = maybe_tf_decorator
    while True:
        found = _decorator_of(target)
        if found is None:
            return decorators, target
        decorators.append(found)
        target = found.decorated_target


def rewrap(decorator_func, previous_target, new_target):
    """Puts another callable under the decorators of a function, in the place of one that it wraps; changes them in place.

    Args:
      decorator_func: what the decorators made.
      previous_target: the callable that is replaced.
      new_target: the callable in its place.

    Returns:
      The function, or `new_target` if there is no decorator.
    """
    current, inner = decorator_func, None
    while current is not previous_target:
        found = _decorator_of(current)
        if found is None:
            break
        inner, current = (found, current), found.decorated_target
    if inner is None:
        return new_target
    if isinstance(inner[1], Function) and inner[1]._instance is not None:
        # The Functions of other instances, which show the same decorator, stay as they are.
        import copy  # start-up time: few programs rewrap what they decorated

        inner = copy.copy(inner[0]), inner[1]
        inner[1]._tf_decorator = inner[0]
    inner[0].decorated_target = new_target
    getattr(inner[1], "__func__", inner[1]).__wrapped__ = new_target  # a bound method takes no attributes
    return decorator_func
