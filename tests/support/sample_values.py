"""Arrays that samples of ops are written with."""

import numpy as np


def f32(*values) -> np.ndarray:
    """Float32 values."""
    return np.asarray(values, np.float32)


def i32(*values) -> np.ndarray:
    """Int32 values."""
    return np.asarray(values, np.int32)


def i64(*values) -> np.ndarray:
    """Int64 values."""
    return np.asarray(values, np.int64)


def grid(*shape: int) -> np.ndarray:
    """Floats 0.5, 1.5, 2.5, ... of a shape, every third negative."""
    values = np.arange(np.prod(shape, dtype=int)).astype(np.float32) + 0.5
    values[1::3] *= -1
    return values.reshape(shape)
