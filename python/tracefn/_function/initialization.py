"""Initial values of the Variables that a function creates in its first call."""

from __future__ import annotations

from tracefn import _core
from tracefn.framework import init_scope


def initialize(concrete, creation, leaves) -> None:
    """Runs the Assign operations of a first trace once, except for Variables that got a value during tracing.

    Args:
      concrete: ConcreteFunction of the first trace.
      creation: CreationScope with the created Variables and their Assign operations.
      leaves: tensors of the call, or None if there was no call (get_concrete_function).

    Raises:
      ValueError: an initial value depends on an argument and there was no call.
    """
    with init_scope():
        due = [assign for variable, assign in creation.initializers if not variable.is_initialized()]
    _core.run_nodes(concrete, due, leaves)
