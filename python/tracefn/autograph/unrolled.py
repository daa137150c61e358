"""The warning about unrolled Python loops, for a source line that creates more than 1,000 nodes."""

from __future__ import annotations

from tracefn._logging import warn

_LIMIT = 1000


def warn_if_unrolled(graph) -> None:
    """Warns, once per trace, if a line created more than 1,000 nodes; names the line that created the most."""
    if len(graph) <= _LIMIT:
        return
    counts: dict = {}
    for operation in graph.get_operations():
        frames = operation.traceback
        if frames:
            place = frames[-1][:2]
            counts[place] = counts.get(place, 0) + 1
    if not counts:
        return
    (file, line), most = max(counts.items(), key=lambda item: item[1])
    if most > _LIMIT:
        warn(
            f'File "{file}", line {line} made {most} nodes of one graph: a Python loop around it was unrolled while '
            "tracing. A loop over tf.range, or over a tensor, is one node."
        )
