"""`tensorflow.python.eager.tape`: tapes as functions push and pop them, and Variables that are read."""

from __future__ import annotations

from tracefn import _core
from tracefn.gradient_tape import GradientTape

__all__ = ["Tape", "pop_tape", "push_new_tape", "push_tape", "variable_accessed", "variables_accessed", "watch", "watch_variable"]


class Tape:
    """What records ops between `push_new_tape` and `pop_tape`."""

    def __init__(self, tape) -> None:
        self._tape = tape

    def watched_variables(self) -> tuple:
        """The Variables on whose values it has recorded ops."""
        return self._tape.watched_variables()


def push_new_tape(persistent=False, watch_accessed_variables=True) -> Tape:
    """Records ops from now on; the arguments are those of `tf.GradientTape`.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.eager import tape as tape_lib
      >>> v = tf.Variable(2.0)
      >>> tape = tape_lib.push_new_tape()
      >>> _ = v * v
      >>> tape_lib.pop_tape(tape)
      >>> [watched is v for watched in tape.watched_variables()]
      [True]
    """
    tape = Tape(GradientTape(persistent, watch_accessed_variables))
    push_tape(tape)
    return tape


def push_tape(tape) -> None:
    """Lets a tape that was popped go on."""
    tape._tape._push()


def pop_tape(tape) -> None:
    """Records no more."""
    tape._tape._pop()


def watch(tape, tensor) -> None:
    """Records ops on a tensor from now on."""
    tape._tape.watch(tensor)


def watch_variable(tape, variable) -> None:
    """Records ops on the values of a Variable from now on, also of one that is not trainable."""
    tape._tape.watch(variable)


def variable_accessed(variable) -> None:
    """Tells the active tapes that a Variable is read."""
    _core.variable_accessed(variable.handle)


def variables_accessed(variables) -> None:
    """Tells the active tapes that the trainable ones of some Variables are read."""
    for variable in variables:
        if variable.trainable:
            variable_accessed(variable)
