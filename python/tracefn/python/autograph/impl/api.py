"""`tensorflow.python.autograph.impl.api`: calls of functions that are converted first."""

from __future__ import annotations

from tracefn._decorators import make_decorator
from tracefn._for_libraries.conversion import Status, control_status_ctx
from tracefn.autograph.api import as_called
from tracefn.python.autograph.core.converter import ConversionOptions

__all__ = ["convert", "converted_call"]


def converted_call(f, args, kwargs, caller_fn_scope=None, options: ConversionOptions | None = None):
    """Calls a function as converted code does: control flow of its own over tensors becomes part of the graph.

    Args:
      f: callable.
      args: tuple of its arguments.
      kwargs: dict of its arguments by name, or None.
      caller_fn_scope: without effect.
      options: how it is converted. Where conversion is off, as in a function with `autograph=False`, it is not.

    Raises:
      ValueError: `options` are missing.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.autograph.core.converter import STANDARD_OPTIONS
      >>> def sign(x):
      ...     return 1 if x > 0 else -1
      >>> @tf.function
      ... def g(x):
      ...     return tf.python.autograph.impl.api.converted_call(sign, (x,), None, options=STANDARD_OPTIONS)
      >>> int(g(tf.constant(-3)))
      -1
    """
    del caller_fn_scope
    if options is None:
        raise ValueError("either caller_fn_scope or options must have a value")
    is_off = control_status_ctx().status is Status.DISABLED or not options.internal_convert_user_code
    called = f if is_off else as_called(f, options.user_requested)
    return called(*args, **(kwargs or {}))


def convert(recursive=False, optional_features=None, user_requested=True, conversion_ctx=None):
    """Decorator: the function is converted when it is called.

    Args:
      recursive: whether called functions are converted, too; they always are.
      optional_features: without effect.
      user_requested: whether a library's function is converted, too.
      conversion_ctx: without effect.

    Returns:
      Decorator.

    Example:
      >>> import tracefn as tf
      >>> @tf.python.autograph.impl.api.convert(recursive=True)
      ... def sign(x):
      ...     return 1 if x > 0 else -1
      >>> int(tf.function(lambda x: sign(x))(tf.constant(-3)))
      -1
    """
    del conversion_ctx
    options = ConversionOptions(recursive, user_requested, True, optional_features)

    def decorate(f):
        def wrapper(*args, **kwargs):
            return converted_call(f, args, kwargs, options=options)

        return make_decorator(f, wrapper, "convert")

    return decorate
