"""`tf.random`: Philox streams with TensorFlow's keys and counters, so that equal seeds give equal numbers."""

from __future__ import annotations

import enum

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.framework import is_tensor
from tracefn.ops._build import ints, known_sizes, name_scope
from tracefn.random_seed import get_seed, set_seed

_uniform = _core.raw_op("RandomUniform")
_uniform_int = _core.raw_op("RandomUniformInt")
_normal = _core.raw_op("RandomStandardNormal")
_truncated_normal = _core.raw_op("TruncatedNormal")
_shuffle = _core.raw_op("RandomShuffle")
_multinomial = _core.raw_op("Multinomial")
_key_counter = _core.raw_op("StatelessRandomGetKeyCounter")
_stateless_uniform = _core.raw_op("StatelessRandomUniformV2")
_stateless_normal = _core.raw_op("StatelessRandomNormalV2")
_stateless_truncated_normal = _core.raw_op("StatelessTruncatedNormalV2")
_stateless_int = _core.raw_op("StatelessRandomUniformIntV2")
_stateless_full_int = _core.raw_op("StatelessRandomUniformFullIntV2")
_stateless_multinomial = _core.raw_op("StatelessMultinomial")
_add = _core.raw_op("AddV2")
_mul = _core.raw_op("Mul")
_sub = _core.raw_op("Sub")

_ACCEPTED = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
_ALGORITHMS = {"philox": 1, "threefry": 2, "auto_select": 3}

export("random.set_seed")(set_seed)


def _shape_tensor(shape):
    """A shape argument as an int vector: a sequence of ints and scalar tensors, a TensorShape, or a tensor."""
    if isinstance(shape, _core.Tensor):
        return shape
    if hasattr(shape, "as_list"):
        shape = known_sizes(shape)
    if isinstance(shape, (list, tuple)) and all(isinstance(d, int) for d in shape):
        large = any(d > 2**31 - 1 for d in shape)
        if not large and _core.current_graph() is None:
            return ints(shape)
        dtype = "int64" if large else "int32"
        return _core.convert_to_tensor(list(shape), dtype=dtype, name="shape")
    return _core.convert_to_tensor(shape, dtype_hint="int32", name="shape")


def _is_plain(value, number) -> bool:
    """Whether an argument is the Python number that changes nothing, so that the op that applies it can be left out."""
    return type(value) in (int, float) and value == number and _core.current_graph() is None


def _is_standard(mean, stddev, dtype) -> bool:
    """Whether there is nothing to scale or shift. A product and a sum would turn a -0 of halves into 0."""
    return dtype.name in ("float32", "float64") and _is_plain(mean, 0) and _is_plain(stddev, 1)


def _scaled(numbers, deviation, mean, name):
    return _add(x=_mul(x=numbers, y=deviation, name="mul"), y=mean, name=name)


@export("random.uniform")
def uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    """Uniform random numbers in [minval, maxval).

    Args:
      shape: the shape of the result, an int vector.
      minval, maxval: bounds that broadcast to the result; for integers, scalars, and `maxval` is required. The default
        of `maxval` is 1.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: int, the op's own seed; the numbers depend on it and on the global seed (`tf.random.set_seed`).
      name: name of the ops.

    Raises:
      ValueError: the dtype is not supported, or `maxval` is missing for integers.
      InvalidArgumentError: `minval` is not less than `maxval` for integers.

    Example:
      >>> import tracefn as tf
      >>> tf.random.uniform([2], maxval=3, dtype=tf.int32, seed=1).shape
      TensorShape([2])
    """
    dtype = as_dtype(dtype)
    if dtype.name not in _ACCEPTED:
        accepted = ", ".join(f"tf.{n}" for n in _ACCEPTED)
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are ({accepted}).")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name or "random_uniform") as scope:
        shape = _shape_tensor(shape)
        plain = type(minval) is int and minval == 0 and type(maxval) is int and maxval == 1 and not dtype.is_integer
        if not plain:
            minval = _core.convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = _core.convert_to_tensor(maxval, dtype=dtype, name="max")
        seed1, seed2 = get_seed(seed)
        if dtype.is_integer:
            return _uniform_int(shape=shape, minval=minval, maxval=maxval, seed=seed1, seed2=seed2, name=scope)
        numbers = _uniform(shape=shape, dtype=dtype, seed=seed1, seed2=seed2)
        return numbers if plain else _scaled(numbers, _sub(x=maxval, y=minval, name="sub"), minval, scope)


def _normal_numbers(public: str, op, scope_name: str, what: str):
    def normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
        dtype = as_dtype(dtype)
        if _is_standard(mean, stddev, dtype):
            seed1, seed2 = get_seed(seed)
            return op(shape=_shape_tensor(shape), dtype=dtype, seed=seed1, seed2=seed2)
        with name_scope(name or scope_name) as scope:
            shape = _shape_tensor(shape)
            mean = _core.convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = _core.convert_to_tensor(stddev, dtype=dtype, name="stddev")
            seed1, seed2 = get_seed(seed)
            numbers = op(shape=shape, dtype=dtype, seed=seed1, seed2=seed2)
            return _scaled(numbers, stddev, mean, scope)

    normal.__name__ = normal.__qualname__ = public
    normal.__doc__ = f"""{what}

    Args:
      shape: the shape of the result, an int vector.
      mean, stddev: broadcast to the result.
      dtype: float16, bfloat16, float32 or float64.
      seed: int, the op's own seed; see `tf.random.set_seed`.
      name: name of the ops.

    Raises:
      TypeError: `mean` or `stddev` does not convert to `dtype`.

    Example:
      >>> import tracefn as tf
      >>> tf.random.{public}([2, 3], seed=1).shape
      TensorShape([2, 3])
    """
    return normal


normal = export("random.normal")(_normal_numbers("normal", _normal, "random_normal", "Normal random numbers."))
truncated_normal = export("random.truncated_normal")(_normal_numbers(
    "truncated_normal", _truncated_normal, "truncated_normal",
    "Normal random numbers; values beyond two standard deviations from the mean are drawn again.",
))  # fmt: skip


@export("random.shuffle")
def shuffle(value, seed=None, name=None):
    """The rows of `value` in random order.

    Args:
      value: a tensor of rank at least 1.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Example:
      >>> import tracefn as tf
      >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
      [1, 2, 3]
    """
    seed1, seed2 = get_seed(seed)
    return _shuffle(value=value, seed=seed1, seed2=seed2, name=name)


@export("random.categorical")
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Random classes drawn from unnormalized log-probabilities.

    Args:
      logits: shape [batch, classes].
      num_samples: number of classes per row.
      dtype: int64 (default) or int32.
      seed: int, the op's own seed; see `tf.random.set_seed`.

    Returns:
      Tensor of shape [batch, num_samples].

    Example:
      >>> import tracefn as tf
      >>> tf.random.categorical([[0.0, -1e9]], 3).numpy()
      array([[0, 0, 0]])
    """
    with name_scope(name or "categorical"):
        logits = _core.convert_to_tensor(logits, name="logits")
        dtype = _class_dtype(dtype or "int64")
        seed1, seed2 = get_seed(seed)
        return _multinomial(logits=logits, num_samples=num_samples, seed=seed1, seed2=seed2, output_dtype=dtype)


def _class_dtype(dtype):
    dtype = as_dtype(dtype)
    if dtype not in ("int32", "int64"):
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are (tf.int32, tf.int64).")
    return dtype


def _algorithm(alg) -> int:
    if isinstance(alg, str):
        plain = alg.strip().lower().replace("-", "").replace("_", "")
        number = _ALGORITHMS.get("auto_select" if plain == "autoselect" else plain)
    elif isinstance(alg, (int, enum.Enum)) or is_tensor(alg):
        number = int(getattr(alg, "value", alg))
    else:
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int.")
    if number not in (1, 2, 3):
        philox, threefry, select = _ALGORITHMS if isinstance(alg, str) else _ALGORITHMS.values()
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are {philox} for the Philox algorithm, "
            f"{threefry} for the ThreeFry algorithm, and {select} for auto-selection."
        )
    return number


def _key(seed, alg) -> dict:
    key, counter = _key_counter(seed=seed)
    return {"key": key, "counter": counter, "alg": _algorithm(alg)}


@export("random.stateless_uniform")
def stateless_uniform(shape, seed, minval=0, maxval=None, dtype="float32", name=None, alg="auto_select"):
    """Uniform random numbers in [minval, maxval) that depend only on the seed.

    Args:
      shape: the shape of the result, an int vector.
      seed: int vector of shape [2].
      minval, maxval: bounds; both None for integers over the full range of their dtype. The default of `maxval` is 1
        for floating dtypes.
      dtype: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
      alg: "philox" or "auto_select", which is the same.

    Raises:
      ValueError: one bound is missing for integers, or the dtype is not supported.
      InvalidArgumentError: the seed has another shape.

    Example:
      >>> import tracefn as tf
      >>> a, b = (tf.random.stateless_uniform([2], seed=[1, 2]) for _ in range(2))
      >>> bool(tf.reduce_all(a == b))
      True
    """
    dtype = as_dtype(dtype)
    if dtype.name not in (*_ACCEPTED, "uint32", "uint64"):
        accepted = ", ".join(f"tf.{n}" for n in (*_ACCEPTED, "uint32", "uint64"))
        raise ValueError(f"Argument `dtype` got invalid value {dtype!s}. Accepted dtypes are ({accepted}).")
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype!s}, argument `minval` and `maxval` must be both None or not None. "
                f"Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype.name in ("uint32", "uint64"):
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype!s} when argument `minval` is not None. "
                "Please don't use unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    if not dtype.is_integer and _is_plain(minval, 0) and _is_plain(maxval, 1):
        return _stateless_uniform(shape=_shape_tensor(shape), dtype=dtype, **_key(seed, alg))
    with name_scope(name or "stateless_random_uniform") as scope:
        shape = _shape_tensor(shape)
        if dtype.is_integer and minval is None:
            return _stateless_full_int(shape=shape, dtype=dtype, name=scope, **_key(seed, alg))
        minval = _core.convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = _core.convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return _stateless_int(shape=shape, minval=minval, maxval=maxval, name=scope, **_key(seed, alg))
        numbers = _stateless_uniform(shape=shape, dtype=dtype, **_key(seed, alg))
        return _scaled(numbers, _sub(x=maxval, y=minval, name="sub"), minval, scope)


def _stateless_normal_numbers(public: str, op, scope_name: str, what: str):
    def normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg="auto_select"):
        dtype = as_dtype(dtype)
        if _is_standard(mean, stddev, dtype):
            return op(shape=_shape_tensor(shape), dtype=dtype, **_key(seed, alg))
        with name_scope(name or scope_name) as scope:
            shape = _shape_tensor(shape)
            mean = _core.convert_to_tensor(mean, dtype=dtype, name="mean")
            stddev = _core.convert_to_tensor(stddev, dtype=dtype, name="stddev")
            return _scaled(op(shape=shape, dtype=dtype, **_key(seed, alg)), stddev, mean, scope)

    normal.__name__ = normal.__qualname__ = public
    normal.__doc__ = f"""{what}

    Args:
      shape: the shape of the result, an int vector.
      seed: int vector of shape [2]; the numbers depend on nothing else.
      mean, stddev: broadcast to the result.
      dtype: float16, bfloat16, float32 or float64.
      alg: "philox" or "auto_select", which is the same.

    Raises:
      InvalidArgumentError: the seed has another shape.

    Example:
      >>> import tracefn as tf
      >>> tf.random.{public}([2], seed=[1, 2]).shape
      TensorShape([2])
    """
    return normal


stateless_normal = export("random.stateless_normal")(_stateless_normal_numbers(
    "stateless_normal", _stateless_normal, "stateless_random_normal",
    "Normal random numbers that depend only on the seed.",
))  # fmt: skip
stateless_truncated_normal = export("random.stateless_truncated_normal")(_stateless_normal_numbers(
    "stateless_truncated_normal", _stateless_truncated_normal, "stateless_truncated_normal",
    "Normal random numbers within two standard deviations of the mean that depend only on the seed.",
))  # fmt: skip


@export("random.stateless_categorical")
def stateless_categorical(logits, num_samples, seed, dtype="int64", name=None):
    """Random classes that depend only on the seed; see `tf.random.categorical`."""
    with name_scope(name or "stateless_categorical"):
        logits = _core.convert_to_tensor(logits, name="logits")
        samples = _core.convert_to_tensor(num_samples, dtype="int32", name="num_samples")
        return _stateless_multinomial(logits=logits, num_samples=samples, seed=seed, output_dtype=as_dtype(dtype or "int64"))


@export("random.split", "random.experimental.stateless_split")
def split(seed, num=2, alg="auto_select"):
    """Derives `num` seeds from one.

    Args:
      seed: int vector of shape [2], int32 or int64.
      num: the number of seeds.

    Returns:
      Tensor of shape [num, 2] and of the seed's dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.random.split([1, 2], 3).shape
      TensorShape([3, 2])
    """
    seed = _core.convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed, data, alg="auto_select"):
    """Derives a seed from a seed and an integer.

    Args:
      seed: int vector of shape [2], int32 or int64.
      data: scalar int: int32, int64, uint32 or uint64.

    Returns:
      Tensor of shape [2] and of data's dtype.

    Raises:
      InvalidArgumentError: `data` is no scalar (ValueError while tracing).
      ValueError: `data` has another dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.random.fold_in([1, 2], 3).shape
      TensorShape([2])
    """
    data = _core.convert_to_tensor(data)
    first = stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return _core.raw_op("Pack")(values=[first, data], name="stack")
