"""What the summary functions of a thread share: its default writer, its step, and whether summaries are recorded."""

from __future__ import annotations

import contextlib
import threading

from tracefn import _core
from tracefn._export import export
from tracefn._static_value import get_static_value
from tracefn.framework import is_tensor
from tracefn.ops._build import constant, op


class _State(threading.local):
    def __init__(self) -> None:
        self.condition = None  # of record_if
        self.writer = None
        self.step = None


STATE = _State()

NO_STEP = (
    "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
)


def check_step(step) -> None:
    """Raises ValueError or TypeError unless a step, which may be None, is an integer scalar."""
    if step is None:
        return
    tensor = _core.convert_to_tensor(step, dtype="int64")
    if tensor.shape.num_elements() != 1:
        raise ValueError(f"Argument `step` must be a scalar. Received step with shape {tensor.shape}.")


def chosen_step(step):
    """The step, or the thread's own one; it may be None."""
    return STATE.step if step is None else step


@export("summary.experimental.get_step")
def get_step():
    """The thread's default step; None if there is none.

    Example:
      >>> import tracefn as tf
      >>> tf.summary.experimental.set_step(3)
      >>> tf.summary.experimental.get_step()
      3
      >>> tf.summary.experimental.set_step(None)
    """
    return STATE.step


@export("summary.experimental.set_step")
def set_step(step):
    """Sets the thread's default step, which summary functions take if they are given none.

    A traced function takes the step of the time when it is traced, but reads a Variable when it runs.

    Args:
      step: an integer, an int64 scalar tensor or Variable, or None.

    Example:
      >>> import tracefn as tf
      >>> step = tf.Variable(0, dtype=tf.int64)
      >>> tf.summary.experimental.set_step(step)
      >>> tf.summary.experimental.get_step() is step
      True
      >>> tf.summary.experimental.set_step(None)
    """
    STATE.step = step


@export("summary.record_if")
@contextlib.contextmanager
def record_if(condition):
    """A context in which summaries are recorded only if the condition holds.

    Args:
      condition: a bool, a scalar bool tensor, or a callable that returns one of these, which each summary function calls. In
        a traced function, a callable is called while it is traced.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
      ...     for step in range(4):
      ...         with tf.summary.record_if(step % 2 == 0):
      ...             print(bool(tf.summary.scalar("loss", 0.5, step=step)))
      True
      False
      True
      False
    """
    before = STATE.condition
    STATE.condition = condition
    try:
        yield
    finally:
        STATE.condition = before


def recording():
    """Whether summaries are recorded: a bool tensor, and its value if it is known, else None."""
    condition = STATE.condition
    if STATE.writer is None or (not callable(condition) and _known(condition) is False):
        return constant(False), False
    if callable(condition):
        condition = condition()
    if condition is None:
        condition = True
    return op("LogicalAnd")(x=True, y=condition), _known(condition)


def _known(condition):
    """The value of a condition; None if it is not known, or there is no condition."""
    value = get_static_value(condition) if is_tensor(condition) else condition
    return None if value is None else bool(value)


@export("summary.should_record_summaries")
def should_record_summaries():
    """Whether summaries are recorded: there is a default writer, and the condition of `tf.summary.record_if` holds.

    Returns:
      Scalar bool tensor.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.summary.should_record_summaries())
      False
    """
    return recording()[0]
