"""The stack of staged statements being traced, and how exceptions unwind it.

Converted code runs as ordinary Python. Between the beginning and the end of a staged statement, ops go to a graph of that
statement. If an exception leaves the statement early, the handlers in converted code call `_core.unwind`.
"""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.bodies import new_graph
from tracefn._user_code.source import mangled, private_class
from tracefn.autograph.runtime.undefined import undefined

_SHOWN = {"ag__returned": "do_return", "ag__retval": "retval_", "ag__break_": "break_", "ag__continue_": "continue_"}


def shown(names) -> list[str]:
    """The names as messages show them: TensorFlow's names in place of those of generated variables."""
    return [_SHOWN.get(n.rstrip("0123456789"), n) if n.startswith("ag__") else n for n in names]


class Staged(_core.Statement):
    """A statement being traced: knows its frame and number, and closes the contexts that it opened."""

    is_loop = False

    def __init__(self, number: int, frame, outer) -> None:
        self._outer = outer
        self.begin(frame, number)

    def variables(self, names) -> list:
        """The current values of variables of the function."""
        local = self.frame.f_locals
        if any(name.startswith("__") for name in names):
            class_name = private_class(self.frame.f_code)
            names = [mangled(name, class_name) for name in names]
        found = [local.get(name, undefined) for name in names]
        if self._outer:
            for i, name in enumerate(names):
                if name not in local and self._is_outer(name):
                    found[i] = self.frame.f_globals.get(name, undefined)
        return found

    def _is_outer(self, name: str) -> bool:
        class_name = private_class(self.frame.f_code)
        return name in {mangled(outer, class_name) for outer in self._outer}

    def open_graph(self, kind: str, scope: str = ""):
        """Opens a graph inside the current one, of the node with that name scope, and makes it current."""
        graph = new_graph(kind, scope)
        self.enter(_core.TargetContext(graph))
        return graph

    def explain(self, error):
        """The exception to raise instead of `error`, or None."""
        return


def in_staged_loop(frame) -> bool:
    """Whether the function of this frame is inside one of its own staged loops."""
    return any(s.frame is frame and s.is_loop for s in _core.open_statements())


def is_staging() -> bool:
    """Whether ops go to a graph, so that tensors have no value yet."""
    return _core.current_graph() is not None
