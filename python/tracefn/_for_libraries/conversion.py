"""`tf.__internal__.autograph`: conversion of the functions that a program gives to a library, which is itself not converted."""

from __future__ import annotations

import enum
import functools

from tracefn._core import current_graph
from tracefn._decorators import rewrap, unwrap
from tracefn._plain_python import STATE
from tracefn.autograph.api import as_called
from tracefn.autograph.experimental import do_not_convert
from tracefn.framework import inside_function

__all__ = ["ControlStatusCtx", "Status", "control_status_ctx", "tf_convert"]
_CONVERTED = "ag_converted"  # on what `tf_convert` returns


class Status(enum.Enum):
    """Whether calls are converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """What `control_status_ctx` returns: the status, and the options of the conversion."""

    def __init__(self, status: Status, options=None) -> None:
        self.status = status
        self.options = options

    def __repr__(self):
        return f"ControlStatusCtx[status={self.status}, options={self.options}]"


def control_status_ctx() -> ControlStatusCtx:
    """Whether calls are converted where this is called.

    Example:
      >>> import tracefn as tf
      >>> tf.__internal__.autograph.control_status_ctx().status.name
      'UNSPECIFIED'
    """
    graph = current_graph() if inside_function() else None
    if graph is None:
        return ControlStatusCtx(Status.DISABLED if STATE.plain else Status.UNSPECIFIED)
    while not hasattr(graph, "_converts") and graph._outer is not None:
        graph = graph._outer
    return ControlStatusCtx(Status.ENABLED if getattr(graph, "_converts", True) and not STATE.plain else Status.DISABLED)


def tf_convert(f, ctx, convert_by_default=True, user_requested=False):
    """A function as it is called in converted code.

    Args:
      f: callable.
      ctx: the `control_status_ctx()` of the place where a program gave the function away.
      convert_by_default: whether to convert it where that says nothing.
      user_requested: whether to convert a library's function, too.

    Example:
      >>> import tracefn as tf
      >>> internal = tf.__internal__.autograph
      >>> def sign(x):
      ...     return 1 if x > 0 else -1
      >>> @tf.function
      ... def g(x):
      ...     return internal.tf_convert(sign, internal.control_status_ctx())(x)
      >>> int(g(tf.constant(-3)))
      -1
    """
    if hasattr(f, _CONVERTED):
        return f
    decorators, target = unwrap(f)
    if ctx.status is Status.DISABLED:
        changed = do_not_convert(target)
    elif ctx.status is Status.ENABLED or convert_by_default:
        changed = _converting(target, user_requested)
    else:
        return f
    return rewrap(f, target, changed) if decorators else changed


def _converting(target, user_requested: bool):
    @functools.wraps(target)
    def call(*args, **kwargs):
        return as_called(target, user_requested)(*args, **kwargs)

    setattr(call, _CONVERTED, True)
    return call
