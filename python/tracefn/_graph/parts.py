"""The part of a graph that some of its tensors and Operations need."""

from __future__ import annotations

from tracefn import _core


class UnliftableError(Exception):
    """A tensor cannot be computed outside of its function, because it depends on an argument that is not given."""


def needed(graph, fed: list, fetched: list) -> list[int]:
    """The ids of the nodes that some tensors and Operations of a graph need.

    Args:
      graph: the Graph.
      fed: tensors of the graph that are given.
      fetched: tensors and Operations of the graph.

    Raises:
      UnliftableError: one of `fetched` depends on an argument that is not fed.
    """
    given = {x.ref() for x in fed}
    captured = {inner.op.name for _, inner in graph.captures}
    arguments = {x.op.name for x in graph.inputs} - captured
    # Each operation that is needed, with the one that needs it.
    needed_by: dict[str, str | None] = {}
    pending = [(x, None) for x in fetched]
    while pending:
        x, needer = pending.pop()
        if isinstance(x, _core.Tensor) and x.ref() in given:
            continue
        op = x.op if isinstance(x, _core.Tensor) else x
        if op.name in needed_by:
            continue
        needed_by[op.name] = needer
        # Placeholders that are no arguments come from a graph that was imported.
        if op.name in arguments or (op.type == "Placeholder" and op.name not in captured):
            raise UnliftableError(_unliftable(graph, op, needed_by))
        # An operation whose outputs are all fed need not run, nor be waited for.
        before = [y for y in op.control_inputs if not y.outputs or any(t.ref() not in given for t in y.outputs)]
        pending.extend((y, op.name) for y in (*op.inputs, *before))
    return [graph.find(name) for name in needed_by]


def _unliftable(graph, op, needed_by) -> str:
    path, name = [], op.name
    while name is not None:
        path.append(f"{name} ({graph.operation(graph.find(name)).type})")
        last, name = name, needed_by[name]
    return (
        f"Unable to lift tensor {graph.operation(graph.find(last)).outputs[0]!r} because it depends transitively on "
        f"placeholder {op!r} via at least one path, e.g.: {' <- '.join(reversed(path))}"
    )
