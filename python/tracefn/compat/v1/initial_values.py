"""The initializers of `tf.compat.v1`: objects that create a tensor of a given shape."""

from __future__ import annotations

import math

from tracefn import _core
from tracefn import _numpy as np
from tracefn._export import export
from tracefn._value_text import value_str
from tracefn.compat.v1.arrays import constant
from tracefn.dtypes import as_dtype
from tracefn.ops import array_creation, random


class Initializer:
    """Creates a tensor when it is called with a shape."""

    def __init__(self, dtype="float32") -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        """A tensor of that shape.

        Args:
          shape: list of ints or TensorShape.
          dtype: dtype of the result; None for that of the initializer.
          partition_info: None, or of which part of a larger tensor the shape is: `full_shape` and `var_offset`.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        return self._make(shape, dtype) if partition_info is None else self._make_part(shape, dtype, partition_info)

    def _make(self, shape, dtype):
        raise NotImplementedError(type(self).__name__)

    def _make_part(self, shape, dtype, part):
        """A part of a larger tensor."""
        del part
        return self._make(shape, dtype)

    def _arguments(self) -> dict:
        return {}

    def get_config(self) -> dict:
        """The arguments that recreate the initializer."""
        return {**self._arguments(), "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict):
        """The initializer for the result of `get_config`."""
        return cls(**config)


@export("compat.v1.zeros_initializer")
class Zeros(Initializer):
    """Zeros.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.zeros_initializer()([2]).numpy().tolist()
      [0.0, 0.0]
    """

    def _make(self, shape, dtype):
        return array_creation.zeros(shape, dtype)


@export("compat.v1.ones_initializer")
class Ones(Initializer):
    """Ones."""

    def _make(self, shape, dtype):
        return array_creation.ones(shape, dtype)


@export("compat.v1.constant_initializer")
class Constant(Initializer):
    """One value repeated, or an array of values in row-major order.

    Args:
      value: number, or list or array of them.
      dtype: dtype of the tensors.
      verify_shape: whether an array must have the requested shape.

    Raises:
      TypeError: `value` has another type.
    """

    def __init__(self, value=0, dtype="float32", verify_shape=False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value_str(value)} of type: {type(value).__name__}. Expected Python scalar, list or "
                "tuple of values, or numpy.ndarray."
            )
        super().__init__(dtype)
        self.value = value
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        """A tensor of that shape.

        Args:
          shape, dtype, partition_info: as for the other initializers.
          verify_shape: as for the class, for this tensor; None for what the class was told.

        Raises:
          TypeError: the values have another shape, which is verified.
        """
        del partition_info
        return constant(
            self.value,
            dtype=self.dtype if dtype is None else dtype,
            shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape,
        )

    def _arguments(self) -> dict:
        return {"value": self.value}


class _Seeded(Initializer):
    """An initializer of random numbers.

    Args:
      seed: int, or None.
      dtype: floating dtype.
    """

    def __init__(self, seed=None, dtype="float32") -> None:
        super().__init__(dtype)
        self.seed = seed

    def _arguments(self) -> dict:
        return {"seed": self.seed}


@export("compat.v1.random_uniform_initializer")
class RandomUniform(_Seeded):
    """Uniform random numbers in [minval, maxval); `maxval` is 1 by default."""

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype="float32") -> None:
        super().__init__(seed, dtype)
        self.minval, self.maxval = minval, maxval

    def _make(self, shape, dtype):
        return random.uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)

    def _arguments(self) -> dict:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class _Normal(_Seeded):
    """Normal random numbers."""

    _draw: staticmethod

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype="float32") -> None:
        super().__init__(seed, dtype)
        self.mean, self.stddev = mean, stddev

    def _make(self, shape, dtype):
        return type(self)._draw(shape, self.mean, self.stddev, dtype, seed=self.seed)

    def _arguments(self) -> dict:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@export("compat.v1.random_normal_initializer")
class RandomNormal(_Normal):
    """Normal random numbers."""

    _draw = staticmethod(random.normal)


@export("compat.v1.truncated_normal_initializer")
class TruncatedNormal(_Normal):
    """Normal random numbers; values beyond two standard deviations from the mean are drawn again."""

    _draw = staticmethod(random.truncated_normal)


def fans(shape) -> tuple[float, float]:
    """The number of inputs and outputs of a layer with weights of that shape."""
    shape = [int(d) for d in shape]
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


# The deviation of a normal distribution cut off at two deviations.
_TRUNCATED_DEVIATION = 0.87962566103423978


@export("compat.v1.variance_scaling_initializer")
class VarianceScaling(_Seeded):
    """Random numbers whose variance is scale divided by a number of units of the layer.

    Args:
      scale: positive float.
      mode: the number of units: "fan_in" (inputs), "fan_out" (outputs) or "fan_avg" (their mean).
      distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
      seed: int, or None.
      dtype: floating dtype.

    Raises:
      ValueError: an argument has another value.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype="float32") -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(seed, dtype)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _make(self, shape, dtype):
        return self._scaled(shape, dtype, shape)

    def _make_part(self, shape, dtype, part):
        return self._scaled(shape, dtype, part.full_shape)

    def _scaled(self, shape, dtype, whole):
        """Numbers of that shape for weights of the shape `whole`."""
        fan_in, fan_out = fans(whole)
        count = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random.uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random.normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        return random.truncated_normal(shape, 0.0, math.sqrt(variance) / _TRUNCATED_DEVIATION, dtype, seed=self.seed)

    def _arguments(self) -> dict:
        return {"scale": self.scale, "mode": self.mode, "distribution": self.distribution, "seed": self.seed}


@export("compat.v1.glorot_uniform_initializer")
class GlorotUniform(VarianceScaling):
    """Uniform random numbers within sqrt(6 / (inputs + outputs)) of zero."""

    def __init__(self, seed=None, dtype="float32") -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def _arguments(self) -> dict:
        return {"seed": self.seed}


@export("compat.v1.glorot_normal_initializer")
class GlorotNormal(VarianceScaling):
    """Truncated normal random numbers with standard deviation sqrt(2 / (inputs + outputs))."""

    def __init__(self, seed=None, dtype="float32") -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def _arguments(self) -> dict:
        return {"seed": self.seed}


@export("compat.v1.uniform_unit_scaling_initializer")
class UniformUnitScaling(_Seeded):
    """Uniform random numbers within factor * sqrt(3 / inputs) of zero, which keeps the scale of activations."""

    def __init__(self, factor=1.0, seed=None, dtype="float32") -> None:
        super().__init__(seed, dtype)
        self.factor = factor

    def _make(self, shape, dtype):
        return self._scaled(shape, dtype, shape)

    def _make_part(self, shape, dtype, part):
        return self._scaled(shape, dtype, part.full_shape)

    def _scaled(self, shape, dtype, whole):
        """Numbers of that shape for weights of the shape `whole`."""
        inputs = max(float(math.prod(int(d) for d in list(whole)[:-1])), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return random.uniform(shape, -limit, limit, dtype, seed=self.seed)

    def _arguments(self) -> dict:
        return {"factor": self.factor, "seed": self.seed}


def _add_scaled(public: str, scale: float, mode: str, distribution: str) -> None:
    def scaled(seed=None):
        return VarianceScaling(scale, mode, distribution, seed)

    scaled.__name__ = scaled.__qualname__ = public
    scaled.__doc__ = f"`variance_scaling_initializer` with scale {scale}, mode {mode!r} and distribution {distribution!r}."
    export(f"compat.v1.initializers.{public}")(scaled)


for _public, _scale, _distribution in (
    ("he_normal", 2.0, "truncated_normal"),
    ("he_uniform", 2.0, "uniform"),
    ("lecun_normal", 1.0, "truncated_normal"),
    ("lecun_uniform", 1.0, "uniform"),
):
    _add_scaled(_public, _scale, "fan_in", _distribution)


@export("compat.v1.orthogonal_initializer")
class Orthogonal(_Seeded):
    """An orthogonal matrix: all dimensions but the last count rows.

    Args:
      gain: factor.
      seed: int, or None.
      dtype: floating dtype.

    Raises:
      ValueError: the shape has fewer than two dimensions.
    """

    def __init__(self, gain=1.0, seed=None, dtype="float32") -> None:
        super().__init__(seed, dtype)
        self.gain = gain

    def _make(self, shape, dtype):
        sizes = [int(size) for size in shape]
        if len(sizes) < 2:
            raise ValueError(f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}")
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        draw = random.normal([max(rows, columns), min(rows, columns)], dtype=dtype, seed=self.seed)
        q, r = _core.raw_op("Qr")(input=draw, full_matrices=False)
        q = q * _core.raw_op("Sign")(x=_core.raw_op("MatrixDiagPart")(input=r))
        if rows < columns:
            q = _core.raw_op("Transpose")(x=q, perm=[1, 0])
        return self.gain * _core.raw_op("Reshape")(tensor=q, shape=sizes)

    def _arguments(self) -> dict:
        return {"gain": self.gain, "seed": self.seed}


@export("compat.v1.initializers.identity")
class Identity(Initializer):
    """The identity matrix, times a factor.

    Args:
      gain: factor.
      dtype: floating dtype.

    Raises:
      ValueError: the shape has not two dimensions.
    """

    def __init__(self, gain=1.0, dtype="float32") -> None:
        super().__init__(dtype)
        self.gain = gain

    def _make(self, shape, dtype):
        sizes = [int(size) for size in shape]
        if len(sizes) != 2:
            raise ValueError(f"The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received shape={shape}")
        made = array_creation.eye(*sizes, dtype=dtype)
        return made if self.gain == 1.0 else self.gain * made

    def _make_part(self, shape, dtype, part):
        return _core.raw_op("Slice")(input=self._make(part.full_shape, dtype), begin=part.var_offset, size=shape)

    def _arguments(self) -> dict:
        return {"gain": self.gain}
