"""`tf.types.experimental`: the interfaces of traced functions, trace types, and values that convert to tensors."""

from __future__ import annotations

import abc
import inspect
import typing as _typing
from typing import TYPE_CHECKING, Any

from tracefn import _core
from tracefn import _numpy as _np
from tracefn._missing import missing as _missing
from tracefn._missing import namespace as _namespace
from tracefn.trace_type import SupportsTracingProtocol, TraceType, TracingContext

__all__ = [
    "AtomicFunction",
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "SupportsTracingProtocol",
    "TensorLike",
    "TraceType",
    "TracingContext",
]


class FunctionType(inspect.Signature, metaclass=abc.ABCMeta):
    """The signature of a traced function; `f.function_type` of a Function is one.

    >>> isinstance(tf.function(lambda x: x).function_type, tf.types.experimental.FunctionType)
    True
    """


class Callable(abc.ABC):
    """A function of tensors whose signature is known.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.Callable)
    True
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def function_type(self) -> FunctionType:
        """The signature; parameters are annotated with their trace types."""

    @abc.abstractmethod
    def __call__(self, *args, **kwargs):
        """Runs the function; takes and returns nests of tensors and Python values."""


class AtomicFunction(Callable):
    """A function of a flat list of tensors, to which captured tensors are passed explicitly."""

    __slots__ = ()

    @abc.abstractmethod
    def call_with_captures(self, args, kwargs, captures):
        """Calls the function with structured arguments and the list of captured tensors."""


class ConcreteFunction(Callable):
    """One trace: a graph for fixed dtypes, shapes and Python values. It never retraces.

    >>> f = tf.function(lambda x: x + 1)
    >>> isinstance(f.get_concrete_function(tf.TensorSpec([])), tf.types.experimental.ConcreteFunction)
    True
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def inference_fn(self) -> AtomicFunction:
        """The function that runs the graph without gradients."""


class PolymorphicFunction(Callable):
    """The result of `tf.function`: a function that creates and caches a ConcreteFunction for each kind of arguments.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.PolymorphicFunction)
    True
    """

    __slots__ = ()

    @abc.abstractmethod
    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments (tensors, specs or Python values), created if there is none yet."""

    def experimental_get_compiler_ir(self, *args, **kwargs):
        """Not supported: there is no XLA.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError("experimental_get_compiler_ir is not supported: there is no XLA here.")


GenericFunction = PolymorphicFunction

# The native classes have no abstract bases, so each is registered when the core creates it.
for _name, _interface in (("Function", PolymorphicFunction), ("ConcreteFunction", ConcreteFunction),
                          ("FunctionType", FunctionType), ("TraceType", TraceType)):
    if hasattr(_core, _name):
        _interface.register(getattr(_core, _name))
del _name, _interface


if TYPE_CHECKING:
    TensorLike = Any  # for type checkers; at run time a union, created on demand


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("_")), *__all__, "distributed"})


def __getattr__(name: str):
    if name == "distributed":
        # start-up time: few programs need it; it becomes this module's attribute
        from tracefn.distribute._values import MirroredInterface, PerReplicaInterface

        names = {"Mirrored": MirroredInterface, "PerReplica": PerReplicaInterface}
        text = "`tf.types.experimental.distributed`: the classes of values of several replicas."
        globals()[name] = _namespace("types.experimental.distributed", text, names)
        return globals()[name]
    if name != "TensorLike":
        raise _missing("types.experimental", name)
    union = _typing.Union[_core.Tensor, int, float, bool, str, bytes, complex, tuple, list,  # noqa: UP007
                              _np.ndarray, _np.generic]
    globals()[name] = union
    return union
