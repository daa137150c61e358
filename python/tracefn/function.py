"""`tf.function`: the decorator, and how Functions are pickled."""

from __future__ import annotations

import sys
from typing import Any

from tracefn import nest
from tracefn._core import Function
from tracefn._decorators import TFDecorator
from tracefn._function import function_attributes
from tracefn._function.impl import Impl, Options
from tracefn._tracer import trace_with
from tracefn.tensor_spec import VariableSpec

__all__ = ["Function", "function"]
# Older arguments, and what is said about them.
_OLDER = {
    "experimental_relax_shapes": "experimental_relax_shapes is deprecated, use reduce_retracing instead",
    "experimental_compile": "experimental_compile is deprecated, use jit_compile instead",
    "experimental_follow_type_hints": "experimental_follow_type_hints is deprecated",
}


def _say_of_older(**arguments) -> None:
    """Warns of older arguments that are given."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        from tracefn._deprecated import decorators  # start-up time: few programs give them

        known = decorators.Known("tensorflow.python.eager.polymorphic_function.polymorphic_function", "function")
        for name in given:
            decorators.warn_of_argument(known, name, None, _OLDER[name])


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
    *,
    max_traces=None,
):
    """Returns a callable that traces `func` into graphs and runs them.

    Args:
      func: callable to trace; None returns a decorator.
      input_signature: possibly nested sequence of TensorSpecs. If given, there is one trace and arguments are cast to it.
      autograph: whether Python control flow over tensors becomes part of the graph.
      jit_compile: accepted, without effect; every graph is compiled to bytecode.
      reduce_retracing: whether a new shape generalizes the key, so that there are fewer traces.
      experimental_implements: str, an attribute of the function in GraphDefs.
      experimental_autograph_options: Feature or tuple of Features of `tf.autograph.experimental`.
      experimental_attributes: dict of further such attributes.
      experimental_relax_shapes: deprecated name of `reduce_retracing`.
      experimental_compile: deprecated name of `jit_compile`.
      experimental_follow_type_hints: accepted, without effect.
      max_traces: the maximum number of traces; the least recently used one is dropped. None: no limit.

    Returns:
      Function, or a decorator if `func` is None.

    Raises:
      TypeError: `func` is not callable, or `input_signature` is not a sequence of TensorSpecs or does not match `func`.
      ValueError: `max_traces` is not a positive int, or a function cannot have one of the attributes.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def double(a):
      ...     print("Tracing with", a)
      ...     return a + a
      >>> double(tf.constant(1))
      Tracing with Tensor("a:0", shape=(), dtype=int32)
      <tf.Tensor: shape=(), dtype=int32, numpy=2>
      >>> double(tf.constant(2))
      <tf.Tensor: shape=(), dtype=int32, numpy=4>
    """
    _say_of_older(
        experimental_relax_shapes=experimental_relax_shapes,
        experimental_compile=experimental_compile,
        experimental_follow_type_hints=experimental_follow_type_hints,
    )
    if experimental_relax_shapes is not None:
        reduce_retracing = experimental_relax_shapes
    if experimental_compile is not None:
        jit_compile = experimental_compile
    if max_traces is not None and (not isinstance(max_traces, int) or max_traces < 1):
        raise ValueError(f"max_traces must be None or a positive int, got {max_traces!r}.")
    options = Options(
        input_signature=input_signature,
        autograph=autograph,
        jit_compile=jit_compile,
        reduce_retracing=reduce_retracing,
        implements=experimental_implements,
        autograph_options=experimental_autograph_options,
        attributes=experimental_attributes,
        max_traces=max_traces,
    )

    def decorate(python_function):
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        function_attributes.check(experimental_attributes)
        return _make(python_function, options)

    return decorate if func is None else decorate(func)


def _name_of(python_function) -> str:
    function = getattr(python_function, "func", python_function)  # functools.partial
    return getattr(function, "__name__", None) or type(function).__name__


def _make(python_function, options: Options) -> Function:
    impl = Impl(python_function, _name_of(python_function), options)
    specs = [] if options.input_signature is None else nest.flatten(options.input_signature)
    variables = [spec for spec in specs if isinstance(spec, VariableSpec)]
    if variables:
        raise TypeError(f"input_signature doesn't support VariableSpec, got {variables}")
    if options.input_signature is not None:
        _ = impl.binder  # rejects a signature that does not fit
    made = Function(python_function, impl, impl.fast)
    made.__wrapped__ = made.__original_wrapped__ = python_function  # type: ignore[attr-defined]  # of its __dict__
    made._tf_decorator = TFDecorator("tf.function", python_function)  # type: ignore[attr-defined]
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        if hasattr(python_function, attribute):
            setattr(made, attribute, getattr(python_function, attribute))
    own = made.__dict__
    for attribute, value in getattr(python_function, "__dict__", own).items():
        own.setdefault(attribute, value)
    return made


def with_python_function(original, python_function) -> Function:
    """A Function of another Python function, with the options of `original` except for its input_signature."""
    options = {name: getattr(original._impl.options, name) for name in Options.__slots__}
    return _make(python_function, Options(**{**options, "input_signature": None}))


def cloned(self, python_function=None) -> Function:
    """A Function without traces that has the options of another one.

    Args:
      python_function: what it calls; None: the same.
    """
    options = Options(**{name: getattr(self._impl.options, name) for name in Options.__slots__})
    made = _make(self._impl._python_function if python_function is None else python_function, options)
    made._impl.name = self._impl.name
    return made


def traced_callable(function) -> Any:
    """What a Function traces: its Python function, converted by AutoGraph unless that is off."""
    return function._impl.target


def _from_parts(python_function, options: dict) -> Function:
    return _make(python_function, Options(**options))


def reduced(self):
    """Pickles a Function by name if a module has it under its name, else by its Python function and options; never its traces."""
    impl = self._impl
    if impl._instance is not None:
        return getattr, (impl._instance(), impl.name)
    holder = sys.modules.get(getattr(self, "__module__", None))
    for name in getattr(self, "__qualname__", "").split("."):
        holder = getattr(holder, name, None)
    if holder is self:
        return self.__qualname__
    return _from_parts, (impl._python_function, {name: getattr(impl.options, name) for name in Options.__slots__})


trace_with(function)
