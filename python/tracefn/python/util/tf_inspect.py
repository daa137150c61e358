"""`tensorflow.python.util.tf_inspect`: the module inspect, which looks through TensorFlow's decorators."""

from __future__ import annotations

import functools
import inspect as _inspect
from inspect import (
    Parameter,
    Signature,
    currentframe,
    getframeinfo,
    getmembers,
    getmodule,
    getmro,
    stack,
)
from typing import NamedTuple

from tracefn._decorators import unwrap

__all__ = [
    "ArgSpec",
    "FullArgSpec",
    "Parameter",
    "Signature",
    "currentframe",
    "getargspec",
    "getcallargs",
    "getdoc",
    "getfile",
    "getframeinfo",
    "getfullargspec",
    "getmembers",
    "getmodule",
    "getmro",
    "getsource",
    "getsourcefile",
    "getsourcelines",
    "isanytargetmethod",
    "isbuiltin",
    "isclass",
    "isframe",
    "isfunction",
    "isgenerator",
    "isgeneratorfunction",
    "ismethod",
    "ismodule",
    "isroutine",
    "signature",
    "stack",
]
FullArgSpec = _inspect.FullArgSpec


class ArgSpec(NamedTuple):
    """The parameters that older code asks for: names, the names of `*args` and `**kwargs`, defaults."""

    args: list
    varargs: str | None
    keywords: str | None
    defaults: tuple | None


def _given_spec(function):
    """The argspec that the outermost decorator that has one states; None if none does."""
    return next((item.decorator_argspec for item in unwrap(function)[0] if item.decorator_argspec is not None), None)


def getfullargspec(obj):
    """`inspect.getfullargspec` of what is decorated, or the argspec that a decorator states.

    Example:
      >>> import functools
      >>> from tracefn.python.util import tf_inspect
      >>> tf_inspect.getfullargspec(functools.partial(lambda a, b=1: a, 3)).args
      ['b']
    """
    stated = _given_spec(obj)
    if stated is not None:
        return stated
    target = unwrap(obj)[1]
    try:
        return _inspect.getfullargspec(target)
    except TypeError:
        if not callable(target):
            raise
        return _inspect.getfullargspec(type(target).__call__)


def getargspec(obj):
    """An ArgSpec: keyword-only parameters stand behind the others. An argspec that a decorator states is returned as it is.

    Raises:
      ValueError: of a partial call, a keyword-only parameter without a default follows a parameter with one.
    """
    stated = _given_spec(obj)
    if stated is not None:
        return stated
    spec = getfullargspec(obj)
    names = [*spec.args, *spec.kwonlyargs]
    values = dict(zip(reversed(spec.args), reversed(spec.defaults or ()), strict=False)) | (spec.kwonlydefaults or {})
    first = next((i for i, name in enumerate(names) if name in values), len(names))
    lacking = [name for name in names[first:] if name not in values]
    if lacking and isinstance(unwrap(obj)[1], functools.partial):
        raise ValueError(f"{obj} has some keyword-only arguments, which are not supported: {lacking}.")
    defaults = tuple(values[name] for name in names if name in values)
    return ArgSpec(names, spec.varargs, spec.varkw, defaults or None)


def getcallargs(*func_and_positional, **named) -> dict:
    """The arguments of a call by their parameters' names.

    Example:
      >>> from tracefn.python.util import tf_inspect
      >>> tf_inspect.getcallargs(lambda a, b=2: None, 1)
      {'a': 1, 'b': 2}
    """
    function, positional = func_and_positional[0], func_and_positional[1:]
    spec = getfullargspec(function)
    call = named.copy()
    this = getattr(function, "__self__", None)
    if _inspect.ismethod(function) and this is not None:
        positional = (this, *positional)
    call.update(zip(spec.args, positional, strict=False))
    defaults = spec.defaults or ()
    for name, value in zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True):
        call.setdefault(name, value)
    if spec.kwonlydefaults is not None:
        call.update({k: v for k, v in spec.kwonlydefaults.items() if k not in call})
    return call


def signature(obj, *, follow_wrapped=True):
    """`inspect.signature` of what is decorated."""
    return _inspect.signature(unwrap(obj)[1], follow_wrapped=follow_wrapped)


def isanytargetmethod(obj) -> bool:
    """Whether what is decorated, or a decorator's target, is a method."""
    decorators, target = unwrap(obj)
    return any(_inspect.ismethod(item.decorated_target) for item in decorators) or _inspect.ismethod(target)


def getdoc(object):
    """The text about an object."""
    return _inspect.getdoc(object)


def _of_target(function):
    """The function of the module inspect for what is decorated."""

    @functools.wraps(function)
    def of_target(object):
        return function(unwrap(object)[1])

    return of_target


getfile, getsource = _of_target(_inspect.getfile), _of_target(_inspect.getsource)
getsourcefile, getsourcelines = _of_target(_inspect.getsourcefile), _of_target(_inspect.getsourcelines)
isbuiltin, isclass, isframe = _of_target(_inspect.isbuiltin), _of_target(_inspect.isclass), _of_target(_inspect.isframe)
isfunction, ismethod = _of_target(_inspect.isfunction), _of_target(_inspect.ismethod)
isgenerator, isgeneratorfunction = _of_target(_inspect.isgenerator), _of_target(_inspect.isgeneratorfunction)
ismodule, isroutine = _of_target(_inspect.ismodule), _of_target(_inspect.isroutine)
