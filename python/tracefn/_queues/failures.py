"""How an operation on a queue fails, also when a node of a graph calls it."""

from __future__ import annotations

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


def as_error(failure: Failure, node=None):
    """The TensorFlow error of a failure; `node` is the Operation, None eagerly."""
    text = str(failure) if node is None else f"{failure}\n\t [[{{{{node {node.name}}}}}]]"
    return failure.error_class(None, node, text)
