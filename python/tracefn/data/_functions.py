"""Functions that datasets apply to elements, traced into graphs."""

from __future__ import annotations

from tracefn._plain_python import STATE
from tracefn.autograph.api import converted
from tracefn.data import _structure as structure
from tracefn.data._debug import debug_mode_is_on
from tracefn.function import function as traced_function
from tracefn.ops.script import py_function


class ElementFunction:
    """A Python function of an element, traced for its spec.

    Args:
      function: callable; a tuple that is an element becomes its arguments, any other element is its only argument.
      transformation: what calls it, for messages: "Dataset.map()".
      input_structure: nest of specs of the element.

    Raises:
      ValueError: `function` is not callable.
      TypeError: it returns what is no nest of tensors.
    """

    def __init__(self, function, transformation: str, input_structure) -> None:
        if not callable(function):
            raise ValueError(
                f"Argument `func` must be a callable. Received func={function} (of type {type(function)})"
            )
        self._function = function
        self._transformation = transformation
        self._input_structure = input_structure
        self.output_structure = None
        self._plain = STATE.plain  # in code that AutoGraph leaves alone
        specs = structure.flat_specs(input_structure)
        self._concrete = self._traced(self._call, specs)
        if debug_mode_is_on():
            self._concrete = self._traced(self._call_eagerly, specs)

    def _traced(self, call, specs):
        def wrapped(*args):  # TensorFlow's name: placeholders are args_0, args_1, ...
            return call(args)

        wrapped.__name__ = self._name()
        return traced_function(wrapped, input_signature=specs).get_concrete_function()

    def _name(self) -> str:
        own = getattr(self._function, "__name__", None) or type(self._function).__name__
        name = f"{self._transformation.replace('.', '_')[:-2]}_{own}"
        return "".join(c for c in name if c not in "<>\\' ")

    def _result(self, function, tensors):
        """What a function returns for the element that consists of these tensors."""
        element = structure.from_tensors(self._input_structure, tensors)
        result = function(*element) if type(element) is tuple else function(element)
        return tuple(result) if isinstance(result, list) else result

    def _call(self, tensors) -> list:
        function = self._function if self._plain else converted(self._function)
        result = self._result(function, tensors)
        try:
            element = structure.normalized(result)
            self.output_structure = structure.spec_of(element)
        except (TypeError, ValueError, AttributeError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self._transformation}: {result}."
            ) from error
        return structure.to_tensors(self.output_structure, element)

    def _call_eagerly(self, tensors) -> list:
        def eager(*values):
            element = structure.normalized(self._result(self._function, values), self.output_structure)
            return structure.to_tensors(self.output_structure, element)

        return list(py_function(eager, list(tensors), structure.flat_types(self.output_structure)))

    @property
    def graph_function(self):
        """The attribute of a dataset op: the traced function."""
        return self._concrete

    @property
    def captured(self) -> list:
        """The tensors that it captures, as the current graph has them; constants are part of it."""
        return self._concrete.graph.passed_captures()


def returns_scalar(function: ElementFunction, *dtypes) -> bool:
    """Whether a function returns one scalar of one of the dtypes."""
    spec = function.output_structure
    return any(
        isinstance(spec, structure.TensorSpec) and spec.is_compatible_with(structure.TensorSpec([], dtype))
        for dtype in dtypes
    )
