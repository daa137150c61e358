"""`tf.compat.v1.errors`: the codes of classes of errors."""

from __future__ import annotations

import warnings

from tracefn._export import export
from tracefn.errors import _CLASS_TO_CODE, _CODE_TO_CLASS, UnknownError


@export("compat.v1.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type:
    """The class of the errors with a code.

    Raises:
      KeyError: no class has it.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.errors.exception_type_from_error_code(tf.errors.NOT_FOUND).__name__
      'NotFoundError'
    """
    return _CODE_TO_CLASS[error_code]


@export("compat.v1.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls):
    """The code of a class of errors, an int; for another class an UnknownError, with a warning, as in TensorFlow.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
      5
    """
    if cls in _CLASS_TO_CODE:
        return _CLASS_TO_CODE[cls]
    warnings.warn("Unknown class exception", stacklevel=2)
    return UnknownError(None, None, f"Unknown class of exceptions: {cls}", None)
