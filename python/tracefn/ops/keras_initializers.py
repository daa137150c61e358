"""`tf.initializers`: classes that make initial values of a shape, as Keras 3's do, with the same numbers for a seed."""

from __future__ import annotations

import math
import random

from tracefn import _core
from tracefn._export import export, exported
from tracefn.dtypes import as_dtype
from tracefn.framework import is_tensor
from tracefn.ops import random as _random_ops
from tracefn.ops.array_creation import eye, ones, zeros

_op = _core.raw_op


def _dtype(dtype):
    return as_dtype("float32" if dtype is None else dtype)


@export("initializers.Initializer")
class Initializer:
    """What all initializers have in common. A class of your own defines `__call__(shape, dtype=None)`.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.Ones()(shape=(2,)).numpy().tolist()
      [1.0, 1.0]
    """

    def __call__(self, shape, dtype=None):
        """A tensor of that shape and dtype (float32 if None)."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict:
        """The arguments that make such an initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict):
        """The initializer with these arguments."""
        return cls(**config)

    def clone(self):
        """A new initializer with the same arguments."""
        return self.__class__.from_config(self.get_config())


@export("initializers.Zeros", "initializers.zeros")
class Zeros(Initializer):
    """Zeros.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.Zeros()((2,), tf.int32).numpy().tolist()
      [0, 0]
    """

    def __call__(self, shape, dtype=None):
        return zeros(shape, _dtype(dtype))


@export("initializers.Ones", "initializers.ones")
class Ones(Initializer):
    """Ones.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.Ones()((2,), tf.int32).numpy().tolist()
      [1, 1]
    """

    def __call__(self, shape, dtype=None):
        return ones(shape, _dtype(dtype))


@export("initializers.Constant", "initializers.constant")
class Constant(Initializer):
    """One value everywhere, or an array of the shape.

    Args:
      value: number or array.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.Constant(3)((2,)).numpy().tolist()
      [3.0, 3.0]
    """

    def __init__(self, value=0.0) -> None:
        self.value = value

    def __call__(self, shape, dtype=None):
        dtype = _dtype(dtype)
        return _op("Cast")(x=_core.convert_to_tensor(self.value), DstT=dtype) * ones(shape, dtype)

    def get_config(self) -> dict:
        return {"value": self.value}


@export("initializers.Identity", "initializers.identity", "initializers.IdentityInitializer")
class Identity(Initializer):
    """An identity matrix, multiplied by `gain`.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.Identity(2.0)((2, 2)).numpy().tolist()
      [[2.0, 0.0], [0.0, 2.0]]
    """

    def __init__(self, gain=1.0) -> None:
        self.gain = gain

    def __call__(self, shape, dtype=None):
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return self.gain * eye(*shape, dtype=_dtype(dtype))

    def get_config(self) -> dict:
        return {"gain": self.gain}


class _Random(Initializer):
    """Random values; each call returns the same ones."""

    def __init__(self, seed=None) -> None:
        if seed is not None and not isinstance(seed, int):
            raise ValueError(
                "`seed` argument should be an instance of `keras.random.SeedGenerator()` or an integer. "
                f"Received: seed={seed}"
            )
        self._init_seed = seed
        self.seed = random.randint(1, 10**9) if seed is None else seed

    def _pair(self) -> list[int]:
        return [self.seed % (2**31 - 2), 0]

    def get_config(self) -> dict:
        return {"seed": self._init_seed}


class _Normal(_Random):
    def __init__(self, mean=0.0, stddev=0.05, seed=None) -> None:
        self.mean = mean
        self.stddev = stddev
        super().__init__(seed)

    def get_config(self) -> dict:
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


@export("initializers.RandomNormal", "initializers.random_normal")
class RandomNormal(_Normal):
    """Normal random numbers.

    Args:
      mean, stddev: mean and standard deviation.
      seed: int; None: a random one. Each call returns the same numbers.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.RandomNormal(seed=1)((2, 3)).shape
      TensorShape([2, 3])
    """

    def __call__(self, shape, dtype=None):
        return _random_ops.stateless_normal(shape, self._pair(), self.mean, self.stddev, _dtype(dtype))


@export("initializers.TruncatedNormal", "initializers.truncated_normal")
class TruncatedNormal(_Normal):
    """Normal random numbers, none farther than two standard deviations from the mean. Arguments as `RandomNormal`'s.

    Example:
      >>> import tracefn as tf
      >>> x = tf.initializers.TruncatedNormal(stddev=1.0, seed=1)((100,))
      >>> bool(tf.reduce_all(tf.abs(x) <= 2.0))
      True
    """

    def __call__(self, shape, dtype=None):
        return _random_ops.stateless_truncated_normal(shape, self._pair(), self.mean, self.stddev, _dtype(dtype))


@export("initializers.RandomUniform", "initializers.random_uniform")
class RandomUniform(_Random):
    """Uniform random numbers in [minval, maxval).

    Args:
      minval, maxval: bounds.
      seed: int; None: a random one. Each call returns the same numbers.

    Example:
      >>> import tracefn as tf
      >>> x = tf.initializers.RandomUniform(1.0, 2.0, seed=1)((100,))
      >>> bool(tf.reduce_all((x >= 1.0) & (x < 2.0)))
      True
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None) -> None:
        self.minval = minval
        self.maxval = maxval
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        return _random_ops.stateless_uniform(shape, self._pair(), self.minval, self.maxval, _dtype(dtype))

    def get_config(self) -> dict:
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


def _product(numbers) -> int:
    return int(math.prod(int(n) for n in numbers))


def _fans(shape, input_axes, output_axes) -> tuple[int, int]:
    """How many inputs and outputs a unit of weights of that shape has: the last two axes, times all others."""
    shape = tuple(shape)
    if input_axes is not None and output_axes is not None:
        return _product(shape[a] for a in input_axes), _product(shape[a] for a in output_axes)
    if len(shape) < 2:
        n = int(shape[0]) if shape else 1
        return n, n
    field = _product(shape[:-2])
    return int(shape[-2]) * field, int(shape[-1]) * field


@export("initializers.VarianceScaling", "initializers.variance_scaling")
class VarianceScaling(_Random):
    """Random numbers whose variance is `scale` divided by the number of a unit's inputs, outputs or their mean.

    Args:
      scale: positive float.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal"), "untruncated_normal" or "uniform".
      seed: int; None: a random one. Each call returns the same numbers.
      input_axes, output_axes: axes of inputs and outputs; None: the last but one and the last, times all others.

    Raises:
      ValueError: an argument has another value.

    Example:
      >>> import tracefn as tf
      >>> x = tf.initializers.VarianceScaling(3.0, "fan_in", "uniform", seed=1)((4, 5))
      >>> bool(tf.reduce_all(tf.abs(x) < 1.5))
      True
    """

    def __init__(
        self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, input_axes=None, output_axes=None
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be positive float. Received: scale={scale}")
        modes = ("fan_in", "fan_out", "fan_avg")
        if mode not in modes:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {modes}")
        distribution = distribution.lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        distributions = ("uniform", "truncated_normal", "untruncated_normal")
        if distribution not in distributions:
            raise ValueError(f"Invalid `distribution` argument: {distribution}.Please use one of {distributions}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        fan_in, fan_out = _fans(shape, self.input_axes, self.output_axes)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _random_ops.stateless_uniform(shape, self._pair(), -limit, limit, _dtype(dtype))
        if self.distribution == "untruncated_normal":
            return _random_ops.stateless_normal(shape, self._pair(), 0.0, math.sqrt(variance), _dtype(dtype))
        # The standard deviation of normal numbers that are cut off at two standard deviations.
        stddev = math.sqrt(variance) / 0.87962566103423978
        return _random_ops.stateless_truncated_normal(shape, self._pair(), 0.0, stddev, _dtype(dtype))

    def get_config(self) -> dict:
        names = ("scale", "mode", "distribution", "input_axes", "output_axes")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


def _scaling(name: str, scale: float, mode: str, distribution: str, source: str):
    """A VarianceScaling with fixed arguments, as a class of its own."""

    class Scaling(VarianceScaling):
        def __init__(self, seed=None, input_axes=None, output_axes=None) -> None:
            super().__init__(scale, mode, distribution, seed, input_axes, output_axes)

        def get_config(self) -> dict:
            return {"seed": self._init_seed, "input_axes": self.input_axes, "output_axes": self.output_axes}

    Scaling.__name__ = Scaling.__qualname__ = name
    Scaling.__doc__ = f"""`VarianceScaling(scale={scale}, mode="{mode}", distribution="{distribution}")`.

    Args:
      seed: int; None: a random one. Each call returns the same numbers.
      input_axes, output_axes: as in `VarianceScaling`.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.{name}(seed=1)((2, 3)).shape
      TensorShape([2, 3])

    Source: {source}
    """
    return Scaling


_GLOROT = "Glorot and Bengio, 'Understanding the difficulty of training deep feedforward neural networks', 2010."
_HE = "He et al., 'Delving deep into rectifiers', 2015."
_LECUN = "LeCun et al., 'Efficient BackProp', 1998."
GlorotUniform = _scaling("GlorotUniform", 1.0, "fan_avg", "uniform", _GLOROT)
export("initializers.GlorotUniform", "initializers.glorot_uniform")(GlorotUniform)
GlorotNormal = _scaling("GlorotNormal", 1.0, "fan_avg", "truncated_normal", _GLOROT)
export("initializers.GlorotNormal", "initializers.glorot_normal")(GlorotNormal)
HeUniform = _scaling("HeUniform", 2.0, "fan_in", "uniform", _HE)
export("initializers.HeUniform", "initializers.he_uniform")(HeUniform)
HeNormal = _scaling("HeNormal", 2.0, "fan_in", "truncated_normal", _HE)
export("initializers.HeNormal", "initializers.he_normal")(HeNormal)
LecunUniform = _scaling("LecunUniform", 1.0, "fan_in", "uniform", _LECUN)
export("initializers.LecunUniform", "initializers.lecun_uniform")(LecunUniform)
LecunNormal = _scaling("LecunNormal", 1.0, "fan_in", "truncated_normal", _LECUN)
export("initializers.LecunNormal", "initializers.lecun_normal")(LecunNormal)


@export("initializers.Orthogonal", "initializers.orthogonal", "initializers.OrthogonalInitializer")
class Orthogonal(_Random):
    """A random matrix with orthogonal rows or columns, multiplied by `gain`; all axes but the last are one.

    Args:
      gain: float.
      seed: int; None: a random one. Each call returns the same numbers.

    Example:
      >>> import tracefn as tf
      >>> q = tf.initializers.Orthogonal(seed=1)((3, 3))
      >>> bool(tf.reduce_max(tf.abs(tf.matmul(q, q, transpose_a=True) - tf.eye(3))) < 1e-5)
      True

    Source: Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", 2014.
    """

    def __init__(self, gain=1.0, seed=None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape, dtype=None):
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        rows, columns = _product(shape[:-1]), int(shape[-1])
        x = _random_ops.stateless_normal((max(rows, columns), min(rows, columns)), self._pair(), dtype=_dtype(dtype))
        # x = q r with a positive diagonal of r: r is the Cholesky factor of x' x.
        wide = _op("Cast")(x=x, DstT="float64")
        factor = _op("Cholesky")(input=_op("MatMul")(a=wide, b=wide, transpose_a=True))
        q = _op("MatrixTriangularSolve")(matrix=factor, rhs=_op("Transpose")(x=wide, perm=[1, 0]), lower=True)
        q = q if rows < columns else _op("Transpose")(x=q, perm=[1, 0])
        return self.gain * _op("Reshape")(tensor=_op("Cast")(x=q, DstT=x.dtype), shape=list(shape))

    def get_config(self) -> dict:
        return {**super().get_config(), "gain": self.gain}


# Coefficients of cosines: name -> (constant, cosine of one period, of two).
_WINDOWS = {"hann": (0.5, 0.5, 0.0), "hamming": (0.54, 0.46, 0.0), "blackman": (0.42, 0.5, -0.08), "boxcar": (1.0, 0.0, 0.0)}


def _window(name: str, n: int, periodic: bool) -> list[float]:
    a, b, c = _WINDOWS[name]
    period = n if periodic else n - 1
    if n == 1:
        return [1.0]
    return [
        a - b * math.cos(2 * math.pi * i / period) - c * math.cos(4 * math.pi * i / period) for i in range(n)
    ]


@export("initializers.STFT", "initializers.stft", "initializers.STFTInitializer")
class STFT(Initializer):
    """Kernels [frame_length, 1, fft_length / 2 + 1] of a convolution that computes a short-time Fourier transform.

    Args:
      side: "real" or "imag", which part of the transform.
      window: "hann", "hamming", "blackman" or "boxcar", an array of frame_length numbers, or None.
      scaling: "density", "spectrum" or None: how the window's weight is divided out.
      periodic: whether the window's period is its length (or one less).

    Raises:
      ValueError: an argument has another value.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.STFT("real")((4, 1, 3)).shape
      TensorShape([4, 1, 3])
    """

    def __init__(self, side="real", window="hann", scaling="density", periodic=False) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"side should be 'real' or 'imag', not {side}")
        if isinstance(window, str) and window not in _WINDOWS:
            raise ValueError(f"Unknown window type: {window}. Known ones are {', '.join(_WINDOWS)}.")
        if scaling not in (None, "density", "spectrum"):
            raise ValueError(f"Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling={scaling}")
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic

    def __call__(self, shape, dtype=None):
        dtype = _dtype(dtype)
        length, _, bins = shape
        frequencies = _op("Range")(start=0, limit=int(bins), delta=1)
        frequencies = _op("Cast")(x=frequencies, DstT=dtype) / ((int(bins) - 1) * 2)
        times = _op("Cast")(x=_op("Range")(start=0, limit=int(length), delta=1), DstT=dtype)
        angles = _op("Reshape")(tensor=-2 * times, shape=[-1, 1, 1]) * frequencies * math.pi
        kernel = _op("Cos" if self.side == "real" else "Sin")(x=angles)
        if self.window is None:
            return kernel
        window = _window(self.window, int(length), self.periodic) if isinstance(self.window, str) else self.window
        window = _core.convert_to_tensor(window, dtype=dtype)
        if window.shape.rank != 1 or window.shape[-1] != length:
            raise ValueError(f"The shape of `window` must be equal to [frame_length].Received: window shape={window.shape}")
        scale = _op("Sum")(input=_op("Square" if self.scaling == "density" else "Abs")(x=window), reduction_indices=[0])
        scale = _op("Sqrt")(x=scale) if self.scaling == "density" else scale
        kernel *= _op("Reshape")(tensor=window, shape=[-1, 1, 1])
        return kernel if self.scaling is None else kernel / scale

    def get_config(self) -> dict:
        return {"side": self.side, "window": self.window, "periodic": self.periodic, "scaling": self.scaling}


def _class_of(name: str):
    """The class that `tf.initializers` has under that name, or None."""
    found = exported().get(f"initializers.{name}")
    return found if isinstance(found, type) else None


@export("initializers.serialize")
def serialize(initializer) -> dict:
    """The class and the arguments of an initializer, from which `deserialize` makes one.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.serialize(tf.initializers.Identity(2.0))["config"]
      {'gain': 2.0}
    """
    name = type(initializer).__name__
    known = _class_of(name) is type(initializer)
    return {
        "module": "keras.initializers" if known else type(initializer).__module__,
        "class_name": name,
        "config": initializer.get_config(),
        "registered_name": None if known else name,
    }


@export("initializers.deserialize")
def deserialize(config, custom_objects=None):
    """The initializer that `serialize` was given.

    Args:
      config: dict with `class_name` and `config`.
      custom_objects: dict from names to classes of your own, or None.

    Raises:
      ValueError: the class is not known.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.deserialize({"class_name": "Identity", "config": {"gain": 2.0}}).gain
      2.0
    """
    name = config["class_name"]
    cls = (custom_objects or {}).get(name) or _class_of(name)
    if cls is None:
        raise ValueError(f"Could not interpret initializer identifier: {name}")
    return cls.from_config(config.get("config") or {})


@export("initializers.get")
def get(identifier):
    """An initializer by name, by configuration, by class, or from a tensor.

    Args:
      identifier: str, dict as from `serialize`, class, callable, tensor or array; None.

    Returns:
      A callable that takes a shape and a dtype; None for None.

    Raises:
      ValueError: it is none of these.

    Example:
      >>> import tracefn as tf
      >>> tf.initializers.get("ones")((1,)).numpy().tolist()
      [1.0]
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    if is_tensor(identifier) or hasattr(identifier, "__array_interface__"):

        def initialize(shape, dtype=None):
            if tuple(shape) != tuple(identifier.shape):
                raise ValueError(
                    f"Expected `shape` to be {identifier.shape} for direct tensor as initializer. Received shape={shape}"
                )
            return _op("Cast")(x=_core.convert_to_tensor(identifier), DstT=_dtype(dtype))

        return initialize
    if not callable(identifier):
        raise ValueError(f"Could not interpret initializer identifier: {identifier}")
    return identifier() if isinstance(identifier, type) else identifier
