"""`tensorflow.python.data.ops.test_mode`: whether tests of datasets run."""

from __future__ import annotations

__all__ = ["TEST_MODE", "toggle_test_mode"]

TEST_MODE = False


def toggle_test_mode(test_mode) -> None:
    """Sets `TEST_MODE`. TensorFlow leaves out optimizations in this mode that change how many elements are read ahead; none of
    those here does.

    Raises:
      TypeError: `test_mode` is not a bool.
    """
    global TEST_MODE
    if not isinstance(test_mode, bool):
        raise TypeError(f"test_mode must be a bool, got {type(test_mode).__name__}.")
    TEST_MODE = test_mode
