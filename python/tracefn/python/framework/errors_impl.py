"""`tensorflow.python.framework.errors_impl`: the classes of errors by their codes."""

from __future__ import annotations

import contextlib
import warnings

from tracefn import errors

__all__ = ["error_code_from_exception_type", "exception_type_from_error_code", "raise_exception_on_not_ok_status"]


def exception_type_from_error_code(error_code: int) -> type:
    """The class of errors with a code.

    Raises:
      KeyError: no class has the code.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.errors_impl.exception_type_from_error_code(3).__name__
      'InvalidArgumentError'
    """
    return errors._CODE_TO_CLASS[error_code]


def error_code_from_exception_type(cls: type):
    """The code of a class of errors; an UnknownError, with a warning, for any other class.

    Example:
      >>> import tracefn as tf
      >>> tf.python.framework.errors_impl.error_code_from_exception_type(tf.errors.AbortedError)
      10
    """
    code = next((code for known, code in errors._CLASS_TO_CODE.items() if known is cls), None)
    if code is None:
        warnings.warn("Unknown class exception", stacklevel=2)
        return errors.UnknownError(None, None, "Unknown class exception", None)
    return code


def _make_specific_exception(node_def, op, message, error_code):
    """The error with a code: of its class, or an UnknownError, with a warning, if there is none."""
    known = errors._CODE_TO_CLASS.get(error_code)
    if known is None:
        warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
        return errors.UnknownError(node_def, op, message)
    return known(node_def, op, message)


def raise_exception_on_not_ok_status():
    """A context in whose body failures raise errors themselves, as all do here; it has no status to look at."""
    return contextlib.nullcontext()
