"""How an operation on a queue fails, also when a node of a graph calls it."""

from __future__ import annotations

from typing import NamedTuple

from tracefn.errors import CancelledError, DeadlineExceededError, InvalidArgumentError, OpError, OutOfRangeError


class Failure(Exception):
    """The base: the core gives a node's error the class that the builtin base of a subclass stands for."""

    error_class: type = InvalidArgumentError
    tells_itself = True  # its text is the message of the node's error


class Invalid(Failure, ValueError):
    """Components do not fit."""


class Ended(Failure, StopIteration):
    """The queue is closed, and there are too few elements."""

    error_class = OutOfRangeError


class Cancelled(Failure):
    """The queue was closed, or its session."""

    error_class = CancelledError


class TooLate(Failure):
    """The run has waited for too long."""

    error_class = DeadlineExceededError


class OfAnotherOp(Failure):
    """An op that the operation runs has failed, such as one that reads a file."""

    def __init__(self, error: OpError) -> None:
        super().__init__(error.message)
        self.error_class = type(error)


class EagerCall(NamedTuple):
    """What errors say about an op that runs eagerly.

    Args:
      op: its name in TensorFlow.
      attribute: that of a list of dtypes, and their number: "_Tcomponents_2".
      name: the name that it is given.
    """

    op: str
    attribute: str = ""
    name: str = ""


def as_error(failure: Failure, node):
    """The TensorFlow error of a failure of a node, an Operation."""
    return failure.error_class(None, node, f"{failure}\n\t [[{{{{node {node.name}}}}}]]")


def as_eager_error(failure: Failure, call: EagerCall):
    """The TensorFlow error of a failure of an op that ran eagerly."""
    place = f"__wrapped__{call.op}{call.attribute}_device_/job:localhost/replica:0/task:0/device:CPU:0"
    return failure.error_class(None, None, f"{{{{function_node {place}}}}} {failure} [Op:{call.op}] name: {call.name}")
