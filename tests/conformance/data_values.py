"""What the tests of tf.data share: the elements of a dataset as Python values."""

import numpy as np


def plain(value):
    """An element with lists and numbers in place of arrays."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    value = value.numpy() if hasattr(value, "numpy") else value
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def elements(dataset) -> list:
    """All elements as Python values."""
    return [plain(element) for element in dataset]
