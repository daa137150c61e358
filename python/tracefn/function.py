"""`tf.function`: the decorator, and the public methods of the Function it makes."""

from __future__ import annotations

import inspect
import sys

import tracefn._function.concrete
import tracefn._function.function_spec  # noqa: F401 - both add public methods to native classes
from tracefn import _core
from tracefn._core import Function
from tracefn._function.impl import Impl, Options
from tracefn._logging import warn

__all__ = ["Function", "function"]


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
    """Makes a callable that traces `func` into graphs and runs them.

    Args:
      func: callable to trace; None returns a decorator.
      input_signature: possibly nested sequence of TensorSpecs; then there is one trace, and arguments are cast to it.
      autograph: whether Python control flow over tensors becomes part of the graph.
      jit_compile: accepted; every graph is compiled to a program.
      reduce_retracing: whether a new shape generalises the key, so that fewer traces are made.
      experimental_implements: str, accepted and kept.
      experimental_autograph_options: Feature or tuple of Features of `tf.autograph.experimental`.
      experimental_attributes: dict, kept with each concrete function.
      experimental_relax_shapes: deprecated name of `reduce_retracing`.
      experimental_compile: deprecated name of `jit_compile`.
      experimental_follow_type_hints: accepted; does nothing.
      max_traces: the most traces to keep, the least recently used is dropped; None: no bound.

    Returns:
      Function, or a decorator when `func` is None.

    Raises:
      TypeError: `func` is not callable, or `input_signature` is no sequence of TensorSpecs or does not fit `func`.
      ValueError: `max_traces` is no positive int.

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
    if experimental_relax_shapes is not None:
        warn("From tf.function: experimental_relax_shapes is deprecated, use reduce_retracing instead")
        reduce_retracing = experimental_relax_shapes
    if experimental_compile is not None:
        jit_compile = experimental_compile
    del experimental_follow_type_hints
    if max_traces is not None and (not isinstance(max_traces, int) or max_traces < 1):
        raise ValueError(f"max_traces must be None or a positive int, got {max_traces!r}.")
    options = Options(
        input_signature=input_signature,
        autograph=autograph,
        jit_compile=jit_compile,
        reduce_retracing=bool(reduce_retracing),
        implements=experimental_implements,
        autograph_options=experimental_autograph_options,
        attributes=experimental_attributes,
        max_traces=max_traces,
    )

    def decorate(python_function):
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        return _make(python_function, options)

    return decorate if func is None else decorate(func)


def _name_of(python_function) -> str:
    function = getattr(python_function, "func", python_function)  # functools.partial
    return getattr(function, "__name__", None) or type(function).__name__


def _make(python_function, options: Options) -> Function:
    impl = Impl(python_function, _name_of(python_function), options)
    if options.input_signature is not None:
        _ = impl.binder  # refuses a signature that does not fit
    made = Function(python_function, impl, impl.fast)
    made.__wrapped__ = python_function
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        if hasattr(python_function, attribute):
            setattr(made, attribute, getattr(python_function, attribute))
    return made


def _get_concrete_function(self, *args, **kwargs):
    """The ConcreteFunction for these arguments: tensors, TensorSpecs and Python values; traces if need be, runs nothing."""
    return self._impl.concrete_for(args, kwargs)


def _tracing_count(self) -> int:
    """How often the Python function was traced."""
    return self._impl.tracing_count


def _pretty_printed_concrete_signatures(self, verbose: bool = True, style: str = "leaves") -> str:
    """The signatures of all traces, oldest first (docs/tracing_rules.md, rules 81-88).

    Args:
      verbose: whether arguments and results are listed below the summary line.
      style: "leaves", the form of TensorFlow 2.12; "types", today's.
    """
    texts = [r.concrete.pretty_printed_signature(verbose, style) for r in self._impl.records.copy().values()]
    return ("\n\n" if verbose else "\n").join(texts)


def _input_signature(self) -> tuple | None:
    """The specs that the arguments are cast to; None without input_signature."""
    given = self._impl.options.input_signature
    return None if given is None else tuple(given)


def _get_compiler_ir(self, *args, **kwargs):
    """Not supported: graphs are compiled to programs of this package, which have no such form.

    Raises:
      ValueError: the Function is not marked with `jit_compile=True`.
      NotImplementedError: it is.
    """
    if not self._impl.options.jit_compile:
        raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
    raise NotImplementedError("experimental_get_compiler_ir: there is no XLA here; `graph.text()` shows the graph.")


def _from_parts(python_function, options: dict) -> Function:
    return _make(python_function, Options(**options))


def _reduce(self):
    """Pickles by name what a module holds under its name, else by the Python function and options; never the traces."""
    impl = self._impl
    if impl._instance is not None:
        return getattr, (impl._instance(), impl.name)
    holder = sys.modules.get(getattr(self, "__module__", None))
    for name in getattr(self, "__qualname__", "").split("."):
        holder = getattr(holder, name, None)
    if holder is self:
        return self.__qualname__
    return _from_parts, (impl._python_function, {name: getattr(impl.options, name) for name in Options.__slots__})


def _explain(self) -> list:
    """Why each trace was made, oldest first: one object per trace, readable by `print`.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x, n: x * n)
      >>> _ = f(tf.constant(1.0), 2.0), f(tf.constant(1.0), 3.0)
      >>> f.explain()[1].differences[0].path
      'n'
    """
    return [record.explain(self._impl.name, self._impl.options) for record in self._impl.records.copy().values()]


Function.explain = _explain
Function.cache_info = lambda self: self._impl.cache_info()
Function.cache_clear = lambda self: self._impl.cache_clear()
Function.python_function = property(lambda self: self._impl.python_function)
Function.name = property(lambda self: self._impl.name)
Function.input_signature = property(_input_signature)
Function.function_type = property(lambda self: self._impl.function_type)
Function.experimental_get_compiler_ir = _get_compiler_ir
Function.get_concrete_function = _get_concrete_function
Function.experimental_get_tracing_count = _tracing_count


class _Signature:
    """`__signature__` of a Function, which inspect asks for; classes have none."""

    def __get__(self, function, owner=None):
        if function is None:
            return None
        try:
            return inspect.signature(function.python_function)
        except (TypeError, ValueError) as error:
            raise AttributeError("__signature__") from error


Function.__signature__ = _Signature()  # type: ignore[attr-defined]
Function.pretty_printed_concrete_signatures = _pretty_printed_concrete_signatures
Function.__reduce__ = _reduce  # type: ignore[method-assign, assignment]
Function.__repr__ = lambda self: f"<{type(self).__module__}.Function object at {id(self):#x}>"  # type: ignore[method-assign, assignment, misc]

# A Function given as an argument is an object of its own, not what it wraps.
_core.register_opaque_class(Function)
