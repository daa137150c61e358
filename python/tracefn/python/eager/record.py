"""`tensorflow.python.eager.record`: operations that tapes record although no op runs."""

from __future__ import annotations

import contextlib

from tracefn import _core
from tracefn.errors import InternalError

__all__ = ["could_possibly_record", "record_operation", "record_operation_backprop_only", "should_record_backprop", "stop_recording"]


def record_operation(op_type: str, output_tensors, input_tensors, backward_function, forward_function=None) -> None:
    """Lets the active tapes take tensors for the results of an operation on others.

    Args:
      op_type: its name, for messages.
      output_tensors: list of tensors.
      input_tensors: list of tensors.
      backward_function: callable that takes a gradient for each output, and returns a list with one for each input.
      forward_function: not supported: None.

    Raises:
      NotImplementedError: a `forward_function` is given.
      InternalError: when the tape is used, if there are too few gradients.

    Example:
      >>> import tracefn as tf
      >>> x, y = tf.constant(1.0), tf.constant(5.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     tf.python.eager.record.record_operation("Times3", [y], [x], lambda dy: [3 * dy])
      >>> float(tape.gradient(y, x))
      3.0
    """
    if forward_function is not None:
        raise NotImplementedError("record_operation: a forward_function is not supported.")
    inputs, outputs = list(input_tensors), list(output_tensors)

    def checked(*dys):
        gradients = list(backward_function(*dys))
        if len(gradients) < len(inputs):
            raise InternalError(
                None, None, f"Recorded operation '{op_type}' returned too few gradients. Expected {len(inputs)} but received "
                f"{len(gradients)}"
            )
        return gradients

    _core.record_gradient(inputs, outputs, outputs, checked)


record_operation_backprop_only = record_operation


def could_possibly_record() -> bool:
    """Whether a tape or a forward accumulator is active."""
    return _core.tapes_listen()


def should_record_backprop(tensors) -> bool:
    """Whether a tape of this thread, forward accumulators aside, tracks one of the tensors.

    Args:
      tensors: list of tensors.

    Example:
      >>> import tracefn as tf
      >>> x, y = tf.constant(1.0), tf.constant(2.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     [tf.python.eager.record.should_record_backprop([t]) for t in (x, y, x * y)]
      [True, False, True]
    """
    return _core.tapes_track(list(tensors))


def stop_recording() -> contextlib.AbstractContextManager:
    """A context in which no tape records.

    Example:
      >>> import tracefn as tf
      >>> x = tf.constant(1.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     with tf.python.eager.record.stop_recording():
      ...         y = x * 2.0
      >>> tape.gradient(y, x) is None
      True
    """
    return _core.PausedTapes()
