"""`tf.experimental`'s functions that say how ops run. There is one way, so they change nothing but what is an error."""

from __future__ import annotations

import contextlib

from tracefn._export import export


@export("experimental.async_scope")
@contextlib.contextmanager
def async_scope():
    """A context in which ops may run later than they are called. They run when they are called, here as elsewhere.

    >>> with tf.experimental.async_scope():
    ...     x = tf.constant(1) + 1
    >>> int(x)
    2
    """
    yield


@export("experimental.async_clear_error")
def async_clear_error() -> None:
    """Clears errors of ops that ran later than they were called: there are none.

    >>> tf.experimental.async_clear_error()
    """


@export("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type):
    """A context in which functions run by another executor: there is one only.

    Args:
      executor_type: str, accepted without effect.

    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     x = tf.function(lambda: tf.constant(1))()
    >>> int(x)
    1
    """
    del executor_type
    yield


@export("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Makes the use of deprecated functions an error, where it is a warning: a RuntimeError, from now on in this process.

    >>> tf.experimental.enable_strict_mode()
    """
    from tracefn._deprecated.decorators import be_strict  # start-up time: few programs ask for it

    be_strict()
