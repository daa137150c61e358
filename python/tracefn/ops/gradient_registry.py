"""`tf.RegisterGradient` and related functions: gradients of ops, written in Python and registered by name."""

from __future__ import annotations

import sys

from tracefn import _core
from tracefn._contexts import context
from tracefn._export import export

_HOW_TO_DEFINE = (
    "In general every operation must have an associated `@tf.RegisterGradient` for correct autodiff, which this op is lacking. If "
    "you want to pretend this operation is a constant in your program, you may insert `tf.stop_gradient`. This can be useful to "
    "silence the error in cases where you know gradients are not needed, e.g. the forward pass of tf.custom_gradient. Please see "
    "more details in https://www.tensorflow.org/api_docs/python/tf/custom_gradient."
)

# Name -> (gradient function or None, where it was registered).
_registered: dict[str, tuple] = {}
# Op types whose own rule the program took out of the table of gradients.
_taken_out: set[str] = set()


def own_kind(name: str) -> str:
    """What an op type has by itself for its gradient: "rule", "none" if none flows, or "missing"."""
    is_there = name in _core.op_names() and name not in _taken_out
    return _core.op_record(name)["gradient"] if is_there else "missing"


def _register(name: str, function, depth: int) -> None:
    """Registers the gradient function of an op type.

    Raises:
      KeyError: the op type already has one.
    """
    if name in _registered:
        place = _registered[name][1]
    elif own_kind(name) == "rule":
        place = "tracefn's registry of ops"
    else:
        caller = sys._getframe(depth + 1)
        _registered[name] = (function, f"{caller.f_code.co_filename}:{caller.f_lineno}")
        return
    raise KeyError(f"Registering two gradient with name {name!r}! (Previous registration was in {place})")


@export("RegisterGradient", "compat.v1.RegisterGradient")
class RegisterGradient:
    """A decorator that registers the gradient function of an op type.

    The function is used for ops that have no gradient of their own, and for nodes created inside
    `Graph.gradient_override_map`.

    Args:
      op_type: the name of an op, or a name for `gradient_override_map`.

    Raises:
      TypeError: `op_type` is not a string.

    Example:
      >>> import tracefn as tf
      >>> @tf.RegisterGradient("TenfoldSquare")
      ... def slope(op, dy):
      ...     return 20.0 * dy * op.inputs[0]
      >>> @tf.function
      ... def f(x):
      ...     with x.graph.gradient_override_map({"Square": "TenfoldSquare"}):
      ...         y = tf.square(x)
      ...     return tf.gradients(y, x)[0]
      >>> float(f(tf.constant(3.0)))
      60.0
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function):
        """Registers and returns `function(op, *dys)`, which returns one gradient or None for each input.

        Raises:
          KeyError: the op type already has a gradient function.
        """
        _register(self._op_type, function, 1)
        return function


@export("no_gradient", "compat.v1.NoGradient", "compat.v1.NotDifferentiable", "compat.v1.no_gradient")
def no_gradient(op_type: str) -> None:
    """Declares that no gradient flows through ops of this type.

    Args:
      op_type: the name of an op.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: the op type already has a gradient function.

    Example:
      >>> import tracefn as tf
      >>> tf.no_gradient("OpOfMine")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None, 1)


def function_of(name: str):
    """The gradient function of an op type; None if no gradient flows.

    Raises:
      LookupError: none is registered.
    """
    if name not in _registered:
        raise LookupError(f"gradient registry has no entry for: {name}")
    return _registered[name][0]


def registered_gradients(name: str, op_type: str, inputs: list, outputs: list, attrs: dict, dys: list) -> list:
    """The gradients of the inputs of an op, by the function registered under a name.

    Args:
      name: the name given to `tf.RegisterGradient`.
      op_type, inputs, outputs, attrs: those of the op.
      dys: gradients of the outputs.

    Raises:
      LookupError: none is registered.
      ValueError: there are too few or too many gradients, or one has another shape than its input.
    """
    operation = _operation(op_type, inputs, outputs, attrs)
    is_recorded = isinstance(operation, RecordedOperation)
    if name not in _registered and name != op_type:  # the node has the name from a map, or from a file
        raise LookupError(
            f"No gradient defined for operation'{outputs[0].op.name}' (op type: {op_type}). {_HOW_TO_DEFINE} "
            f"The gradient registry has no entry for: {name}."
        )
    found = _input_gradients(function_of(name), operation, dys)
    if not is_recorded:
        _give_shapes(operation, found)
    return found


def _give_shapes(operation, gradients) -> None:
    """Tells gradients the shapes of their inputs.

    Raises:
      ValueError: a gradient has another shape than its input.
    """
    for i, (tensor, gradient) in enumerate(zip(operation.inputs, gradients, strict=True)):
        if not isinstance(gradient, _core.Tensor) or tensor.dtype == "resource":
            continue
        try:
            gradient.set_shape(tensor.shape)
        except ValueError:
            raise ValueError(
                "Incompatible shapes between op input and calculated input gradient. "
                f"Forward operation: {operation.name}. Input index: {i}. Original input shape: {tensor.shape}. "
                f"Calculated input gradient shape: {gradient.shape}"
            ) from None


def _operation(op_type: str, inputs: list, outputs: list, attrs: dict):
    """The op as gradient functions see it: the Operation of the graph if there is one."""
    if isinstance(outputs[0], _core.SymbolicTensor) and outputs[0].op.type == op_type:
        return outputs[0].op
    return RecordedOperation(op_type, inputs, outputs, attrs)


def _input_gradients(function, operation, dys) -> list:
    """The gradients that a gradient function returns for the inputs of an operation.

    Raises:
      ValueError: there are too few or too many gradients.
    """
    inputs = len(operation.inputs)
    if function is None:
        return [None] * inputs
    found = function(operation, *dys)
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    if len(found) != inputs:
        described = repr(operation.type) if isinstance(operation, RecordedOperation) else operation.node_def
        raise ValueError(f"Num gradients {len(found)} generated for op {described} do not match num inputs {inputs}")
    return found


class RecordedOperation:
    """An op that ran eagerly, as gradient functions see it."""

    def __init__(self, op_type: str, inputs: list, outputs: list, attrs: dict) -> None:
        self.type, self.inputs, self.outputs = op_type, inputs, outputs
        self._attrs = attrs

    def get_attr(self, name: str):
        """The value of an attribute.

        Raises:
          KeyError: the op has no attribute of that name.
        """
        return self._attrs[name]


@context
def gradient_override_map(graph, op_type_map: dict):
    """A context in which nodes of some types get gradient functions registered under other names.

    They apply when the graph is differentiated. A tape that records inside the trace uses the ops' own gradients.

    Args:
      op_type_map: dict from the type of a node to a name given to `tf.RegisterGradient`.

    Raises:
      TypeError: `op_type_map` is not such a dict.
    """
    if not isinstance(op_type_map, dict):
        raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    for pair in op_type_map.items():
        if not all(isinstance(name, str) for name in pair):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    return None, (_core.Setting(graph, "gradient_names", {**graph.gradient_names, **op_type_map}),)
