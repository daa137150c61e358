"""Decides whether a function may create Variables while it is traced (docs/tracing_rules.md, rules 114-118)."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tracefn import _core


class CreationScope:
    """Whether Variables may be created during a trace, and those that were.

    `allowed` is True in the first trace of a Function. A Variable created in it registers the Assign operation that sets
    its initial value. These operations run once, with the arguments of the call, when the trace is complete. In a branch or
    loop, which may never run, the Variable gets its initial value at once: `evaluate(tensor)` computes it. If a tf.Graph is
    around the function, the Variable is one of that graph, and so is its initial value: `lift(tensor)`.
    """

    __slots__ = ("allowed", "evaluate", "initializers", "lift", "variables")

    def __init__(self, allowed: bool, evaluate: Callable | None = None, lift: Callable | None = None) -> None:
        self.allowed = allowed
        self.evaluate = evaluate
        self.lift = lift
        self.variables: list = []
        self.initializers: list = []  # pairs of a Variable and an Operation

    def register(self, variable, initializer) -> None:
        """Records a Variable of this trace and the Operation that initializes it (None if it already has its value)."""
        self.variables.append(variable)
        if initializer is not None:
            self.initializers.append((variable, initializer))


class _Thread(threading.local):
    scope: CreationScope | None = None


_thread = _Thread()

REFUSED = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


def creating(scope: CreationScope | None):
    """A context in which `scope` is the current one of this thread."""
    return _core.Setting(_thread, "scope", scope)


def creation_of_thread() -> CreationScope | None:
    """The current scope of this thread, for `creating` on another one."""
    return _thread.scope


def scope_for_new_variable() -> CreationScope | None:
    """The scope of a Variable that is being created, inside of `tf.init_scope` too; None outside of traces.

    Raises:
      ValueError: no Variable may be created here (rule 116).
    """
    scope = _thread.scope
    if scope is None:
        return None
    if not scope.allowed or (in_body() and scope.evaluate is None):
        raise ValueError(REFUSED)
    return scope


def in_body() -> bool:
    """Whether a branch or loop of a function is being traced."""
    graph = _core.current_graph()
    return graph is not None and graph._outer is not None and not getattr(graph, "_is_function_root", False)
