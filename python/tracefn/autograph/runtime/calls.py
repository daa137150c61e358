"""Calls in converted code: which callables are converted when they are called."""

from __future__ import annotations

import functools
import types

from tracefn import _core
from tracefn._plain_python import STATE
from tracefn.autograph.libraries import runs_unconverted
from tracefn.autograph.runtime import builtins as overloads

_FunctionType = types.FunctionType
_MethodType = types.MethodType


class Caller:
    """`ag__.converted`: the callable to call in place of the user's."""

    def __init__(self, convert, with_print: bool) -> None:
        self._convert = convert
        self._overloads = dict(overloads.OVERLOADS)
        if with_print:
            self._overloads[print] = overloads.print_

    def __call__(self, callee, asked=False):
        """The callable for `callee`; `asked`: it is what a program passes to `tf.function`, also of a library such as Keras."""
        if STATE.plain:
            return callee
        kind = type(callee)
        if kind is _FunctionType:
            return self._function(callee, asked)
        if kind is _MethodType:
            function = callee.__func__
            if type(function) is _FunctionType:
                converted = self._function(function, asked)
                return callee if converted is function else _MethodType(converted, callee.__self__)
            return callee
        try:
            overload = self._overloads.get(callee)
        except TypeError:  # unhashable: an object with __call__
            overload = None
        if overload is not None:
            return overload
        if kind is _core.OpCallable or kind is type or isinstance(callee, (type, types.BuiltinFunctionType)):
            return callee
        if kind is functools.partial:
            inner = self(callee.func, asked)
            return callee if inner is callee.func else functools.partial(inner, *callee.args, **callee.keywords)
        return self._object(callee, kind, asked)

    def _function(self, function, asked):
        if runs_unconverted(function.__module__, asked):
            return self._library(function)
        return self._convert(function)

    def _library(self, function):
        """tf.stack and tf.concat also accept lists of staged loops; map_fn and the like call a user function."""
        if getattr(function, "tf_converts_function", False):
            return lambda fn, *args, **kwargs: function(self(fn), *args, **kwargs)
        if getattr(function, "tf_converts_method_argument", None):
            return self._converting_method(function)
        # By the qualified name and the module: a TensorArray has methods of these names, and there is tf.ragged.stack.
        if function.__qualname__ in ("stack", "concat") and function.__module__ == "tracefn.ops.array_shape":
            return overloads.stack if function.__name__ == "stack" else overloads.concat
        return function

    def _converting_method(self, method):
        """A method of a class of the package whose first argument, a function, is converted too."""
        import inspect  # start-up time: few programs give functions to such methods

        names = tuple(inspect.signature(method).parameters)

        def call(instance, *args, **kwargs):
            if args:
                args = (self(args[0]), *args[1:])
            elif names[1] in kwargs:
                kwargs[names[1]] = self(kwargs[names[1]])
            return method(instance, *args, **kwargs)

        return call

    def _object(self, callee, kind, asked):
        """An object whose class, defined by the user, has `__call__`."""
        if runs_unconverted(getattr(kind, "__module__", None), asked):
            return callee
        call = next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)
        if type(call) is _FunctionType:
            converted = self._function(call, asked)
            if converted is not call:
                return _MethodType(converted, callee)
        return callee
