"""The exception classes of `tf.errors`, each with its causes, a failing example and the fix.

The native core raises them as `SomeError(None, None, message)`.
"""

from __future__ import annotations

import types as _types

from tracefn._missing import getter as _getter

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """The base class of all run-time errors of operations.

    Args:
      node_def: the definition of the node that failed, or None.
      op: the `tf.Operation` that failed, or None (eager calls).
      message: the text, without the origin of the node.
      error_code: one of the constants of this module (int).
      *args: at most one dict, the payloads.

    >>> error = tf.errors.OpError(None, None, "went wrong", tf.errors.INTERNAL)
    >>> str(error), error.error_code
    ('went wrong', 13)
    """

    def __init__(self, node_def, op, message, error_code, *args):
        # No arguments for Exception: TensorFlow's `args` is empty and its repr is `OpError()`.
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = args[0] if args and isinstance(args[0], dict) else {}

    def __reduce__(self):
        # Subclasses know their code; the operation and payloads are not pickled.
        known = () if type(self) in _CLASS_TO_CODE else (self._error_code,)
        return type(self), (None, None, self._message, *known)

    @property
    def message(self) -> str:
        """The text of the error, without the origin of the operation."""
        return self._message

    @property
    def op(self):
        """The operation that failed, or None."""
        return self._op

    @property
    def node_def(self):
        """The definition of the node that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The constant of this module for the kind of the error."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict:
        """Further details of the error; usually empty."""
        return self._experimental_payloads

    def __str__(self):
        if self._op is None:
            return self._message
        lines = [self._message, "", f"Original stack trace for {self._op.name!r}:"]
        for frame in getattr(self._op, "traceback", None) or ():
            lines.append(f"  File \"{frame[0]}\", line {frame[1]}, in {frame[2]}")
            if len(frame) > 3 and frame[3]:
                lines.append(f"    {frame[3]}")
        return "\n".join(lines) + "\n"


class CancelledError(OpError):
    """The operation was cancelled before it finished.

    Cause: an object that it waited for was closed, or the program is shutting down.
    Failing: starting work on a pool after `close()`.
    Fixed: keep the object open until the work is done.

    >>> tf.errors.CancelledError(None, None, "closed").error_code == tf.errors.CANCELLED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, CANCELLED, *args)


class UnknownError(OpError):
    """An error of unknown kind.

    Cause: most often a Python function run by `tf.py_function` raised an exception other than ValueError or TypeError.
    Failing: `tf.py_function(lambda: {}["k"], [], tf.float32)`.
    Fixed: look at `__cause__`, the original exception, and fix the Python function.

    >>> tf.errors.UnknownError(None, None, "KeyError: 'k'").error_code == tf.errors.UNKNOWN
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, UNKNOWN, *args)


class InvalidArgumentError(OpError):
    """An operation got an invalid argument.

    Cause: shapes or dtypes that do not match, an index out of range, a failed `tf.debugging.assert_*`.
    Failing: `tf.reshape(tf.zeros([4]), [3])`.
    Fixed: `tf.reshape(tf.zeros([4]), [2, 2])`.

    >>> str(tf.errors.InvalidArgumentError(None, None, "Matrix size-incompatible"))
    'Matrix size-incompatible'
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, INVALID_ARGUMENT, *args)


class DeadlineExceededError(OpError):
    """A deadline passed before the operation finished.

    Cause: a time limit was given and was too short.
    Failing: waiting 1 ms for a result that takes a second.
    Fixed: give a longer limit, or none.

    >>> tf.errors.DeadlineExceededError(None, None, "too late").error_code == tf.errors.DEADLINE_EXCEEDED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, DEADLINE_EXCEEDED, *args)


class NotFoundError(OpError):
    """A requested object does not exist.

    Cause: a file or a node that does not exist.
    Failing: loading a saved model from a folder that does not exist.
    Fixed: check the path first.

    >>> tf.errors.NotFoundError(None, None, "no such file").error_code == tf.errors.NOT_FOUND
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, NOT_FOUND, *args)


class AlreadyExistsError(OpError):
    """An object that should be created already exists.

    Cause: creating an object under a name that is taken.
    Failing: creating the same resource twice.
    Fixed: reuse the first one, or choose another name.

    >>> tf.errors.AlreadyExistsError(None, None, "taken").error_code == tf.errors.ALREADY_EXISTS
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, ALREADY_EXISTS, *args)


class PermissionDeniedError(OpError):
    """The program has no permission for the operation.

    Cause: a file that cannot be read or written by this user.
    Failing: exporting a summary into a folder that is read-only.
    Fixed: choose a folder that can be written.

    >>> tf.errors.PermissionDeniedError(None, None, "read-only").error_code == tf.errors.PERMISSION_DENIED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, PERMISSION_DENIED, *args)


class UnauthenticatedError(OpError):
    """The caller is not authenticated. Not raised by this package; part of the interface.

    Cause: a service that requires credentials. Failing: a call without them. Fixed: a call with them.

    >>> tf.errors.UnauthenticatedError(None, None, "who?").error_code == tf.errors.UNAUTHENTICATED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, UNAUTHENTICATED, *args)


class ResourceExhaustedError(OpError):
    """There is not enough memory or another resource is exhausted.

    Cause: a tensor larger than the memory that is left.
    Failing: `tf.zeros([2**40, 2**20])`.
    Fixed: work on smaller pieces.

    >>> tf.errors.ResourceExhaustedError(None, None, "OOM").error_code == tf.errors.RESOURCE_EXHAUSTED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, RESOURCE_EXHAUSTED, *args)


class FailedPreconditionError(OpError):
    """The state of an object does not allow the operation.

    Cause: reading a variable that has no value yet.
    Failing: using a variable of a trace whose initial value was never computed.
    Fixed: give it a value first (`assign`).

    >>> tf.errors.FailedPreconditionError(None, None, "uninitialized").error_code == tf.errors.FAILED_PRECONDITION
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, FAILED_PRECONDITION, *args)


class AbortedError(OpError):
    """The operation was aborted, usually because of a conflict with another one.

    Cause: two concurrent writers. Failing: both continue. Fixed: one of them tries again.

    >>> tf.errors.AbortedError(None, None, "conflict").error_code == tf.errors.ABORTED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, ABORTED, *args)


class OutOfRangeError(OpError):
    """An iteration went past the end of its input.

    Cause: requesting one more element than there are.
    Failing: `iterator.get_next()` after the last element.
    Fixed: `for element in dataset:`.

    >>> tf.errors.OutOfRangeError(None, None, "End of sequence").error_code == tf.errors.OUT_OF_RANGE
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, OUT_OF_RANGE, *args)


class UnimplementedError(OpError):
    """The operation exists, but not for these dtypes or attributes.

    Cause: a dtype that the kernel does not have.
    Failing: a cast from string to float32 by `tf.cast`.
    Fixed: `tf.strings.to_number`.

    >>> tf.errors.UnimplementedError(None, None, "Cast string to float").error_code == tf.errors.UNIMPLEMENTED
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, UNIMPLEMENTED, *args)


class InternalError(OpError):
    """An invariant of the package does not hold. Please report it.

    Cause: a bug in the package. Failing: any program that triggers it. Fixed: in the package.

    >>> tf.errors.InternalError(None, None, "broken invariant").error_code == tf.errors.INTERNAL
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, INTERNAL, *args)


class UnavailableError(OpError):
    """A service is temporarily unavailable. Not raised by this package; part of the interface.

    Cause: a service that is down. Failing: giving up at once. Fixed: trying again later.

    >>> tf.errors.UnavailableError(None, None, "later").error_code == tf.errors.UNAVAILABLE
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, UNAVAILABLE, *args)


class DataLossError(OpError):
    """Data is damaged or incomplete and cannot be read.

    Cause: a file that was cut off while being written.
    Failing: loading a truncated saved model.
    Fixed: save it again.

    >>> tf.errors.DataLossError(None, None, "truncated record").error_code == tf.errors.DATA_LOSS
    True
    """

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, DATA_LOSS, *args)


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs the value of a tensor that has none because a function is being traced.

    Cause: `bool(t)` or `iter(t)` of a symbolic tensor.
    Failing: `if t > 0:` in a function with `autograph=False`.
    Fixed: `tf.cond(t > 0, ...)`, or `autograph=True`.

    >>> issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)
    True
    """


class InaccessibleTensorError(ValueError):
    """A symbolic tensor is used outside of the graph that it belongs to.

    Cause: a tensor left a staged loop or branch through a Python container.
    Failing: `l.append(i)` in `for i in tf.range(3)`, then `tf.stack(l)`.
    Fixed: `ta = ta.write(i, i)` with a `tf.TensorArray`, then `ta.stack()`.

    >>> issubclass(tf.errors.InaccessibleTensorError, ValueError)
    True
    """


# Read-only: the core keeps the same table by number.
_CODE_TO_CLASS = _types.MappingProxyType({
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
    UNAUTHENTICATED: UnauthenticatedError,
})
_CLASS_TO_CODE = _types.MappingProxyType({cls: code for code, cls in _CODE_TO_CLASS.items()})


__getattr__ = _getter("errors")
