"""`tf.test.experimental`."""

from tracefn._missing import getter as _getter

__all__ = ["sync_devices"]


def sync_devices() -> None:
    """Waits until all devices are done, which they are: ops run when they are called.

    >>> tf.test.experimental.sync_devices()
    """


__getattr__ = _getter("test.experimental")
