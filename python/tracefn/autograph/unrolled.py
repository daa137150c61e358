"""The warning about unrolled Python loops, for a source line that creates more than 1,000 nodes."""

from __future__ import annotations

from collections import Counter

from tracefn._logging import warn
from tracefn._user_code.frames import is_installed

_LIMIT = 1000
# Scopes of the nodes that compute derivatives.
_DERIVATIVES = ("gradient_tape/", "gradients/")


def warn_if_unrolled(graph) -> None:
    """Warns, once per trace, if a line created more than 1,000 nodes; names the line that created the most.

    A line that takes gradients makes nodes for all that came before, without a loop, and a line of a library is not the
    user's to change.
    """
    if len(graph) <= _LIMIT:
        return
    counts: Counter = Counter()
    takes_gradients = set()
    for operation in graph.get_operations():
        frames = operation.traceback
        if not frames:
            continue
        place = frames[-1][:2]
        counts[place] += 1
        if any(scope in operation.name for scope in _DERIVATIVES):
            takes_gradients.add(place)
    for (file, line), most in counts.most_common():
        if most <= _LIMIT:
            return
        if (file, line) not in takes_gradients and not is_installed(file):
            warn(
                f'File "{file}", line {line} made {most} nodes of one graph: a Python loop around it was unrolled while '
                "tracing. A loop over tf.range, or over a tensor, is one node."
            )
            return
