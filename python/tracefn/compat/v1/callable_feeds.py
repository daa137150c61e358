"""Values that are fed by position, as `Session._make_callable_from_options` takes them: of any shape, and not converted."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn._value_text import dtype_in_graph
from tracefn.compat.v1.fetches import Element
from tracefn.dtypes import as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.framework import Graph
from tracefn.ops.graph_import import import_graph_def

_placeholder = _core.raw_op("Placeholder")


def fed_as_is(element: Element, value, position: int):
    """The eager tensor of the value that is fed for an element at a position.

    Raises:
      InvalidArgumentError: it is of another dtype.
    """
    wanted = element.value.dtype
    if isinstance(value, _core.EagerTensor):
        given = value.dtype
    else:
        value = np.asarray(value)
        given = as_dtype(value.dtype)
    if given != wanted:
        node = f"_arg_{element.value.op.name}_{element.value.value_index}_{position}"
        raise InvalidArgumentError(
            None, None, f"Type mismatch: actual {dtype_in_graph(given)} vs. expect {dtype_in_graph(wanted)}\n\t "
            f"[[{{{{node {node}}}}}]]"
        )  # fmt: skip
    return _core.convert_to_tensor(value, dtype=wanted)


def counterparts(graph, tensors: list) -> tuple:
    """A copy of a graph in which tensors, which are fed, have unknown shapes; and the function from an element of the graph
    to that of the copy. Shapes are inferred again: code is made for those that the graph tells."""
    copy = Graph()
    scope = graph.unique_name("fed", mark_as_used=False)
    with copy.as_default():
        fed = {tensor.name: _placeholder(dtype=tensor.dtype, name=f"{scope}/{i}") for i, tensor in enumerate(tensors)}
        import_graph_def(graph.as_graph_def(), {t.name: fed[t.name] for t in tensors if t.consumers()}, name="")

    def counterpart(element):
        return fed[element.name] if element.name in fed else copy.as_graph_element(element.name)

    return copy, counterpart
