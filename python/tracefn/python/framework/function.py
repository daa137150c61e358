"""`tensorflow.python.framework.function`: functions with declared types, as programs of TensorFlow 1 define them."""

from __future__ import annotations

import inspect
import itertools

from tracefn import _core
from tracefn.dtypes import as_dtype
from tracefn.framework import default_graph, executing_eagerly
from tracefn.function import function
from tracefn.ops.gradient_registry import RegisterGradient
from tracefn.tensor_spec import TensorSpec

__all__ = ["Defun"]

_numbers = itertools.count()
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_CALL_OPTIONS = frozenset({"noinline", "compiled", "separate_compiled_gradients"})


class Defun:
    """Decorator of functions that graphs call as one node.

    Args:
      input_types: the dtypes of the arguments. Without them, a function with arguments is defined anew for each combination of
        dtypes that it is called with.
      func_name: str; None: the name of the Python function.
      grad_func: function of the arguments and the gradients of the results, which gives the gradients of the arguments.
      python_grad_func: the same as a function of the calling Operation and the gradients of the results.
      out_names: list of str, names of the results; accepted, without effect.
      shape_func: function of the calling Operation, which gives the shapes of the results.
      kwargs: further attributes of the function; accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.framework.function import Defun
      >>> @Defun(tf.float32, python_grad_func=lambda op, dy: 3.0 * dy)
      ... def same(x):
      ...     return x
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     x = tf.constant(1.0)
      ...     float(session.run(tf.gradients(same(x), x)[0]))
      3.0
    """

    def __init__(
        self, *input_types, func_name=None, grad_func=None, python_grad_func=None, out_names=None, shape_func=None, **kwargs
    ) -> None:
        del out_names, kwargs
        self._input_types = [as_dtype(dtype) for dtype in input_types]
        self._options = {
            "func_name": func_name,
            "grad_func": grad_func,
            "python_grad_func": python_grad_func,
            "shape_func": shape_func,
        }

    def __call__(self, func):
        """Defines the function.

        Raises:
          ValueError: `func` is not callable, takes another number of arguments, or has defaults or keyword arguments.
        """
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        names, least, most = _arguments(func)
        given = len(self._input_types)
        if self._input_types and not least <= given <= most:
            raise ValueError(
                "The number of tf.function input types is not compatible with the allowed arguments of "
                f"{func}. The tf.function have {given} input types, while the python function allows minimum {least} and "
                f"maximum {most} arguments."
            )
        if not self._input_types and most > 0:
            return _OverloadedFunction(func, names, self._options)
        names += [f"arg{i}" for i in range(len(names), given)]
        return _DefinedFunction(func, names, self._input_types, **self._options)


class _DefinedFunction:
    """A function whose arguments have declared dtypes.

    Attributes:
      name: str.
      declared_input_types: tuple of the dtypes of the arguments.
      python_grad_func: as in `Defun`.
    """

    def __init__(self, func, names, input_types, func_name, grad_func, python_grad_func, shape_func) -> None:
        self.name = func_name or getattr(func, "__name__", type(func).__name__)
        self.declared_input_types = tuple(input_types)
        self.python_grad_func = python_grad_func
        self._names, self._shape_func = names, shape_func
        self._gradient = _registered(grad_func, python_grad_func)
        specs = [TensorSpec(None, dtype, name=name) for name, dtype in zip(names, input_types, strict=True)]

        def results(*inputs):
            made = func(*inputs)
            if made is None:
                return []
            made = list(made) if isinstance(made, (list, tuple)) else [made]
            if any(result is None for result in made):
                raise ValueError(f"Function {self.name} can not return None.")
            return [_core.convert_to_tensor(result) for result in made]

        results.__name__ = results.__qualname__ = self.name
        self._function = function(results, input_signature=specs, autograph=False)

    def __call__(self, *args, name=None, **kwargs):
        """Calls the function.

        Args:
          args: what can be converted to tensors of the declared dtypes.
          name: accepted, without effect.
          kwargs: none but `noinline`, `compiled` and `separate_compiled_gradients`, which have no effect.

        Returns:
          The result, a tuple of them, or the Operation if there is none.

        Raises:
          ValueError: the number of arguments or a dtype is not as declared.
        """
        del name
        unknown = {key: value for key, value in kwargs.items() if key not in _CALL_OPTIONS}
        if unknown:
            raise ValueError(f"Unknown keyword arguments: {unknown.keys()}.")
        if len(args) != len(self._names):
            raise ValueError(f"Expected {len(self._names)} arguments, got {len(args)}.")
        inputs = [_core.convert_to_tensor(argument) for argument in args]
        self._check(inputs)
        if executing_eagerly():  # the gradient belongs to the node of a graph
            return function(self._called, autograph=False)(*inputs)
        return self._called(*inputs)

    def _check(self, inputs) -> None:
        wrong = [
            f"Input '{name}' passed {_short(tensor.dtype)} expected {_short(dtype)}"
            for name, dtype, tensor in zip(self._names, self.declared_input_types, inputs, strict=True)
            if tensor.dtype != dtype
        ]
        if wrong:
            raise ValueError(f"{wrong[0]} while building NodeDef '{self.name}'" if len(wrong) == 1 else
                             f"{len(wrong)} errors while building NodeDef '{self.name}':\n" + "\n".join(wrong))  # fmt: skip

    def _called(self, *inputs):
        graph = default_graph()
        overrides = dict.fromkeys(_CALLS, self._gradient) if self._gradient else {}
        before = len(graph.get_operations())
        with graph.gradient_override_map(overrides):
            results = self._function(*inputs)
        if not results:
            return next(op for op in reversed(graph.get_operations()[before:]) if op.type in _CALLS)
        if self._shape_func is not None:
            for result, shape in zip(results, self._shape_func(results[0].op), strict=True):
                result.set_shape(shape)
        return results[0] if len(results) == 1 else tuple(results)

    @property
    def definition(self):
        """The FunctionDef."""
        return self._function.get_concrete_function().function_def

    @property
    def captured_inputs(self) -> list:
        """What the function uses of the graphs around it."""
        return list(self._function.get_concrete_function().captured_inputs)

    @property
    def stateful_ops(self) -> list:
        """The (name, type) of each op with state or side effects."""
        operations = self._function.get_concrete_function().graph.get_operations()
        return [(op.name, op.type) for op in operations if op.op_def.is_stateful]

    def add_to_graph(self, graph) -> None:
        """Makes the function known to a graph."""
        with graph.as_default():
            self._function.get_concrete_function().add_to_graph(graph)


class _OverloadedFunction:
    """A function that is defined for each combination of dtypes that it is called with."""

    def __init__(self, func, names, options) -> None:
        self._func, self._names, self._options = func, names, options
        self._defined: dict = {}

    def __call__(self, *args, **kwargs):
        inputs = [_core.convert_to_tensor(argument) for argument in args]
        dtypes = tuple(tensor.dtype for tensor in inputs)
        if dtypes not in self._defined:
            inspect.signature(self._func).bind(*inputs)
            names = self._names[: len(inputs)] + [f"arg{i}" for i in range(len(self._names), len(inputs))]
            self._defined[dtypes] = _DefinedFunction(self._func, names, dtypes, **self._options)
        return self._defined[dtypes](*inputs, **kwargs)


def _arguments(func) -> tuple:
    """(names, smallest number, largest number) of a function's arguments."""
    spec = inspect.getfullargspec(func)
    if spec.defaults or spec.varkw:
        raise ValueError(
            f"Functions with argument defaults or keywords arguments are not supported. {func} has defaults {spec.defaults} "
            f"and keywords {spec.varkw}."
        )
    names = spec.args[1:] if inspect.ismethod(func) else spec.args
    return list(names), len(names), 1000000 if spec.varargs else len(names)


def _registered(grad_func, python_grad_func):
    """The name under which a gradient is registered; None without one."""
    if python_grad_func is None and grad_func is None:
        return None

    def gradient(op, *slopes):
        if python_grad_func is not None:
            return python_grad_func(op, *slopes)
        return grad_func(*op.inputs, *slopes)

    name = f"Defun{next(_numbers)}"
    RegisterGradient(name)(gradient)
    return name


def _short(dtype) -> str:
    """What TensorFlow calls a dtype in errors of nodes: "float", "int32"."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
