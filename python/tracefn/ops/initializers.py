"""`tf.zeros_initializer` and the other initializers: objects that create a tensor of a given shape."""

from __future__ import annotations

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._value_text import value_str
from tracefn.dtypes import as_dtype
from tracefn.ops import array_creation, random
from tracefn.ops.constant import constant

_OF_PIECES = ("partition_shape", "partition_offset")


class Initializer:
    """Creates a tensor when it is called with a shape and a dtype."""

    # Whether it makes pieces of a larger tensor.
    support_partition = True

    def __call__(self, shape, dtype="float32", **kwargs):
        """A tensor of that shape.

        Args:
          shape: list of ints or TensorShape.
          dtype: dtype of the result.
          **kwargs: `partition_shape`, the shape of the piece of a larger tensor that is made, and `partition_offset`,
            which has no effect.

        Raises:
          ValueError: the initializer does not support the dtype, or makes no pieces.
          TypeError: there is another argument.
        """
        return self._make(self._shape_of(shape, kwargs), as_dtype(dtype))

    def _shape_of(self, shape, arguments: dict):
        for name in arguments:
            if name not in _OF_PIECES:
                raise TypeError(f"Keyword argument should be one of {list(_OF_PIECES)}. Received: {name}")
            if not self.support_partition:
                raise ValueError(f"{type(self).__name__} initializer doesn't support partition-related arguments")
        return arguments.get("partition_shape", shape)

    def _make(self, shape, dtype):
        raise NotImplementedError(type(self).__name__)

    def get_config(self) -> dict:
        """The arguments that recreate the initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict):
        """The initializer for the result of `get_config`."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})


def _check_number(dtype) -> None:
    if not (dtype.is_numeric or dtype.name == "bool"):
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")


def _check_floating(dtype) -> None:
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")


@export("zeros_initializer")
class Zeros(Initializer):
    """Zeros.

    Example:
      >>> import tracefn as tf
      >>> tf.zeros_initializer()([2]).numpy().tolist()
      [0.0, 0.0]
    """

    def _make(self, shape, dtype):
        _check_number(dtype)
        return array_creation.zeros(shape, dtype)


@export("ones_initializer")
class Ones(Initializer):
    """Ones.

    Example:
      >>> import tracefn as tf
      >>> tf.ones_initializer()([2], dtype=tf.int32).numpy().tolist()
      [1, 1]
    """

    def _make(self, shape, dtype):
        _check_number(dtype)
        return array_creation.ones(shape, dtype)


@export("constant_initializer")
class Constant(Initializer):
    """One value repeated, or an array of values in row-major order.

    Args:
      value: number, or list or array of them.
      support_partition: whether calls may say that a piece of a larger tensor is made. It has no effect on what is made.

    Raises:
      TypeError: `value` has another type.

    Example:
      >>> import tracefn as tf
      >>> tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist()
      [[1, 2], [3, 4]]
    """

    def __init__(self, value=0, support_partition=False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value_str(value)} of type: {type(value).__name__}. Expected Python scalar, list or "
                "tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape, dtype=None, **kwargs):
        """A tensor of that shape; without `dtype`, of the dtype of the value."""
        self._shape_of(shape, kwargs)
        return constant(self.value, dtype=dtype, shape=shape)

    def get_config(self) -> dict:
        return {"value": self.value}


@export("random_uniform_initializer")
class RandomUniform(Initializer):
    """Uniform random numbers in [minval, maxval).

    Args:
      minval, maxval: bounds.
      seed: int; every call then returns the same numbers. None: see `tf.random.set_seed`.

    Example:
      >>> import tracefn as tf
      >>> tf.random_uniform_initializer(seed=1)([2, 3]).shape
      TensorShape([2, 3])
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _make(self, shape, dtype):
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
        if self.seed is not None:
            return random.stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)
        return random.uniform(shape, self.minval, self.maxval, dtype)

    def get_config(self) -> dict:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


@export("random_normal_initializer")
class RandomNormal(Initializer):
    """Normal random numbers.

    Args:
      mean, stddev: of the distribution.
      seed: int; every call then returns the same numbers. None: see `tf.random.set_seed`.

    Example:
      >>> import tracefn as tf
      >>> tf.random_normal_initializer(stddev=2.0)([2, 3]).shape
      TensorShape([2, 3])
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _make(self, shape, dtype):
        _check_floating(dtype)
        if self.seed is not None:
            return random.stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)
        return random.normal(shape, self.mean, self.stddev, dtype)

    def get_config(self) -> dict:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
