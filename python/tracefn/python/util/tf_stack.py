"""`tensorflow.python.util.tf_stack`: the lines of the program that run now."""

from __future__ import annotations

import sys
import traceback

__all__ = ["extract_stack"]


def extract_stack(stacklevel: int = 1) -> traceback.StackSummary:
    """The frames that called this function, the outermost first.

    Args:
      stacklevel: how many of the innermost frames are left out, this function's among them.

    Returns:
      list of frames with `filename`, `lineno`, `name` and `line`.

    Example:
      >>> from tracefn.python.util import tf_stack
      >>> def here():
      ...     return tf_stack.extract_stack()[-1].name
      >>> here()
      'here'
    """
    return traceback.StackSummary.extract(reversed(list(traceback.walk_stack(sys._getframe(stacklevel)))))
