"""`tf.experimental.numpy.random`: random numbers of the global generator. With weak dtypes they are float32, not float64."""

from __future__ import annotations

import numpy as np

from tracefn._missing import getter
from tracefn._namespaces import root
from tracefn.experimental.numpy.arrays import tensor
from tracefn.experimental.numpy.dtype_rules import result_type

tf = root()

__all__ = ["poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]
__getattr__ = getter("experimental.numpy.random")


def _shape(size):
    """A shape: that of a scalar for None, of a vector for a number."""
    if size is None:
        return ()
    is_number = isinstance(size, (int, np.integer)) or (isinstance(size, tf.Tensor) and size.shape.rank == 0)
    return (size,) if is_number else size


def seed(s):
    """Sets the global seed, an integer.

    Raises:
      ValueError: it is no integer.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.seed(1)
    """
    try:
        s = int(s)
    except TypeError:
        raise ValueError(f"Argument `s` got an invalid value {s}. Only integers are supported.") from None
    tf.random.set_seed(s)


def standard_normal(size=None):
    """Normal numbers of average 0 and variance 1: float64 in the shape `size`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.standard_normal((2, 3)).shape
      TensorShape([2, 3])
    """
    return tf.random.normal(_shape(size), dtype=result_type(float))


def randn(*args):
    """Normal numbers of average 0 and variance 1: float64; the arguments are the sizes.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.randn(2, 3).shape
      TensorShape([2, 3])
    """
    return standard_normal(args)


def uniform(low=0.0, high=1.0, size=None):
    """Numbers from `low` to below `high`: float64.

    Args:
      low, high: numbers, or arrays that broadcast to the shape.
      size: int or shape; None: the shape of the bounds.

    Returns:
      A tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.uniform(size=[2]).dtype
      tf.float64
    """
    dtype = result_type(float)
    low, high = tensor(low, dtype), tensor(high, dtype)
    shape = tf.broadcast_dynamic_shape(tf.shape(low), tf.shape(high)) if size is None else _shape(size)
    return tf.random.uniform(shape, low, high, dtype)


def random(size=None):
    """Numbers from 0 to below 1: float64 in the shape `size`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.random((2,)).shape
      TensorShape([2])
    """
    return uniform(size=size)


def rand(*size):
    """Numbers from 0 to below 1: float64; the arguments are the sizes.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.rand(2, 3).shape
      TensorShape([2, 3])
    """
    return uniform(size=size)


def poisson(lam=1.0, size=None):
    """Poisson numbers of average `lam`: int64 in the shape `size`.

    Example:
      >>> import tracefn as tf
      >>> tf.experimental.numpy.random.poisson(3.0, 2).dtype
      tf.int64
    """
    return tf.random.poisson(_shape(size), lam, tf.int64)


def randint(low, high=None, size=None, dtype=np.int64):
    """Integers from `low` to below `high`.

    Args:
      low: int; the end of the range if `high` is None, which then starts at 0.
      high: int or None.
      size: int or shape; None: one number.
      dtype: int32 or int64.

    Raises:
      ValueError: another dtype.

    Example:
      >>> import tracefn as tf
      >>> int(tf.experimental.numpy.random.randint(1))
      0
    """
    low = int(low)
    if high is None:
        low, high = 0, low
    accepted = (np.int32, np.int64)
    wanted = result_type(dtype)
    if wanted not in accepted:
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to {accepted} are supported."
        )
    return tf.random.uniform(_shape(size), low, high, wanted)
