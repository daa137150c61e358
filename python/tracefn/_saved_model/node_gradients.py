"""The gradient functions of nodes, such as those of `tf.custom_gradient`: a saved model holds them as functions of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn import _core
from tracefn._logging import warn
from tracefn.framework import default_graph
from tracefn.function import function as traced_function
from tracefn.ops.gradient_registry import function_of
from tracefn.tensor_spec import TensorSpec


class CapturedTensor(NamedTuple):
    """A tensor of a function's graph that a gradient function captures.

    Attributes:
      name: str, the tensor's name in the function, as "Sin:0".
      concrete_function: str, the function's name.
    """

    name: str
    concrete_function: str

    def found_beside(self, op):
        """The tensor of that name in the graph of an operation.

        Raises:
          KeyError: there is none.
        """
        name, _, index = self.name.partition(":")
        return op._beside(name).outputs[int(index or 0)]


class NodeGradient(NamedTuple):
    """The gradient rule of a node in a function.

    Attributes:
      function: str, the function's name.
      name: str, the rule's.
      outputs: list of the node's outputs.
      rule: function from gradients of the first outputs to a list of those of the inputs; None for a registered one.
      num_dys: int, how many it takes.
    """

    function: str
    name: str
    outputs: list
    rule: Any
    num_dys: int

    def traced(self):
        """A trace of the rule, which takes None and the gradients of all outputs; None if the rule is not known here.

        Tensors that it captures of the node's graph are among its captured inputs.
        """
        rule = self.rule
        if rule is None:
            try:
                registered = function_of(self.name)
            except LookupError:
                return None
            if registered is None:
                return None
            op = self.outputs[0].op

        def internal_grad_fn(unused_op, *result_grads):
            del unused_op
            default_graph().set_captures_others(True)
            found = registered(op, *result_grads) if rule is None else rule(*result_grads[: self.num_dys])
            return list(found) if isinstance(found, (list, tuple)) else [found]

        specs = [TensorSpec(output.shape, output.dtype) for output in self.outputs]
        return traced_function(internal_grad_fn, autograph=False).get_concrete_function(None, *specs)

    def captured(self, tensor, argument_name, arguments: list[str]) -> CapturedTensor | None:
        """What names a tensor that the rule captures; None for one that is not of the node's graph.

        Args:
          tensor: SymbolicTensor.
          argument_name: function from a tensor's name to that of an argument.
          arguments: the names of the arguments of the node's function.
        """
        if not tensor.op._shares_graph(self.outputs[0].op):
            return None
        if tensor.op.type == "Placeholder":
            name = argument_name(tensor.name)
            return CapturedTensor(f"{name}:0", self.function) if name in arguments else None
        return CapturedTensor(tensor.name, self.function)


def gradients_in(graph) -> list[NodeGradient]:
    """The rules with names of the nodes in the functions that a graph calls.

    Args:
      graph: Graph.
    """
    return [NodeGradient(*found) for found in _core.named_gradients(graph)]


def warn_unsaved(gradient: NodeGradient, tensor) -> None:
    """Says that a gradient function is not saved, because of what it captures."""
    warn(
        f"The gradient function {gradient.name} of {gradient.outputs[0].op.name} in the function {gradient.function} is not "
        f"saved: it captures {tensor}, which is not in that function's graph. The loaded function has no gradient there."
    )
