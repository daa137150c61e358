"""`tf.data.experimental.enable_debug_mode`: datasets whose functions run as Python code."""

from __future__ import annotations


class _Mode:
    on = False


def enable_debug_mode() -> None:
    """Lets the functions of datasets made from now on run eagerly, one element after the other, so that breakpoints and
    `print` in them show values. Parallel and prefetching transformations become sequential ones.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.enable_debug_mode()  # doctest: +SKIP
    """
    _Mode.on = True


def debug_mode_is_on() -> bool:
    """Whether `enable_debug_mode` was called."""
    return _Mode.on
