"""Samples of distributions with parameters, and random orders, of `tf.random`."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.dtypes import as_dtype
from tracefn.ops._build import constant, convert, name_scope, op
from tracefn.ops.random import _key, _shape_tensor
from tracefn.random_seed import get_seed

# The smallest normal numbers: what gamma-distributed numbers do not fall below.
_TINY = {"float16": 2.0**-14, "float32": 2.0**-126, "float64": 2.0**-1022}


def _shape_of(x):
    shape = x.shape
    return constant(shape.as_list(), "int32", "shape") if shape.is_fully_defined() else op("Shape")(input=x)


def _alpha_and_beta(alpha, beta, dtype):
    """Both as tensors, alpha broadcast to the shape of the two."""
    alpha = convert(alpha, dtype=dtype, name="alpha")
    beta = convert(1 if beta is None else beta, dtype=dtype, name="beta")
    if alpha.shape.is_fully_defined() and beta.shape.rank == 0:
        return alpha, beta
    shape = op("BroadcastArgs")(s0=_shape_of(alpha), s1=_shape_of(beta))
    return op("BroadcastTo")(input=alpha, shape=shape), beta


def _scaled(numbers, beta):
    scaled = op("RealDiv")(x=numbers, y=beta, name="truediv")
    return op("Maximum")(x=constant(_TINY[numbers.dtype.name], numbers.dtype, "least"), y=scaled)


@export("random.gamma")
def gamma(shape, alpha, beta=None, dtype="float32", seed=None, name=None):
    """Gamma-distributed random numbers. Gradients flow to `alpha` and `beta`.

    Args:
      shape: an int vector: the shape of the numbers that are drawn for each pair of parameters.
      alpha: the shape parameter of the distribution, greater than 0.
      beta: the inverse scale; 1 by default. Broadcasts with `alpha`.
      dtype: float16, float32 or float64.
      seed: int, the op's own seed; see `tf.random.set_seed`.
      name: name of the ops.

    Returns:
      Tensor whose shape is `shape` followed by the shape of the parameters.

    Example:
      >>> import tracefn as tf
      >>> tf.random.gamma([10], [0.5, 1.5], seed=1).shape
      TensorShape([10, 2])
    """
    with name_scope(name or "random_gamma"):
        shape = convert(shape, dtype="int32", name="shape")
        alpha, beta = _alpha_and_beta(alpha, beta, as_dtype(dtype))
        seed1, seed2 = get_seed(seed)
        return _scaled(op("RandomGamma")(shape=shape, alpha=alpha, seed=seed1, seed2=seed2), beta)


@export("random.stateless_gamma")
def stateless_gamma(shape, seed, alpha, beta=None, dtype="float32", name=None):
    """Gamma-distributed random numbers that depend only on the seed. Gradients flow to `alpha` and `beta`.

    Args:
      shape: the shape of the result, an int vector; it ends with the shape of the parameters.
      seed: int vector of shape [2].
      alpha: the shape parameter of the distribution, greater than 0.
      beta: the inverse scale; 1 by default. Broadcasts with `alpha`.
      dtype: float16, float32 or float64.
      name: name of the ops.

    Raises:
      InvalidArgumentError: `shape` does not end with the shape of the parameters.

    Example:
      >>> import tracefn as tf
      >>> tf.random.stateless_gamma([10, 2], [1, 2], alpha=[0.5, 1.5]).shape
      TensorShape([10, 2])
    """
    with name_scope(name or "stateless_random_gamma"):
        shape = _shape_tensor(shape)
        alpha, beta = _alpha_and_beta(alpha, beta, as_dtype(dtype))
        return _scaled(op("StatelessRandomGammaV3")(shape=shape, alpha=alpha, **_key(seed, "auto_select")), beta)


@export("random.poisson")
def poisson(shape, lam, dtype="float32", seed=None, name=None):
    """Poisson-distributed random numbers.

    Args:
      shape: an int vector: the shape of the numbers that are drawn for each rate.
      lam: the rates, at least 0.
      dtype: float16, float32, float64, int32 or int64.
      seed: int, the op's own seed; see `tf.random.set_seed`.
      name: name of the ops.

    Returns:
      Tensor whose shape is `shape` followed by that of `lam`.

    Raises:
      InvalidArgumentError: a rate is not finite, or does not fit the dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.random.poisson([10], [0.5, 1.5], seed=1).shape
      TensorShape([10, 2])
    """
    with name_scope(name or "random_poisson"):
        shape = convert(shape, dtype="int32", name="shape")
        seed1, seed2 = get_seed(seed)
        return op("RandomPoissonV2")(shape=shape, rate=lam, dtype=as_dtype(dtype), seed=seed1, seed2=seed2)


@export("random.stateless_poisson")
def stateless_poisson(shape, seed, lam, dtype="int32", name=None):
    """Poisson-distributed random numbers that depend only on the seed.

    Args:
      shape: the shape of the result, an int vector; it ends with the shape of `lam`.
      seed: int vector of shape [2].
      lam: the rates, at least 0.
      dtype: float16, float32, float64, int32 or int64.
      name: name of the ops.

    Raises:
      InvalidArgumentError: `shape` does not end with the shape of `lam`; or a rate is not finite, or does not fit the
        dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.random.stateless_poisson([10, 2], [1, 2], lam=[0.5, 1.5]).shape
      TensorShape([10, 2])
    """
    with name_scope(name or "stateless_random_poisson"):
        return op("StatelessRandomPoisson")(shape=_shape_tensor(shape), seed=seed, lam=lam, dtype=as_dtype(dtype))


@export("random.stateless_binomial")
def stateless_binomial(shape, seed, counts, probs, output_dtype="int32", name=None):
    """Binomially distributed random numbers that depend only on the seed.

    Args:
      shape: the shape of the result, an int vector; it ends with the shape to which the parameters are broadcast.
      seed: int vector of shape [2].
      counts: the numbers of trials, float16, float32 or float64.
      probs: the probabilities of success, of the same dtype.
      output_dtype: float16, float32, float64, int32 or int64.
      name: name of the ops.

    Raises:
      InvalidArgumentError: `shape` does not end with the shape of the parameters.

    Example:
      >>> import tracefn as tf
      >>> tf.random.stateless_binomial([10, 2], [1, 2], counts=[5.0, 50.0], probs=0.5).shape
      TensorShape([10, 2])
    """
    with name_scope(name or "stateless_random_binomial"):
        shape = _shape_tensor(shape)
        probs = convert(probs, dtype_hint="float32", name="probs")
        counts = convert(counts, dtype_hint=probs.dtype, name="counts")
        return op("StatelessRandomBinomial")(shape=shape, seed=seed, counts=counts, probs=probs, dtype=as_dtype(output_dtype))


@export("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, name=None):
    """Normal random numbers between bounds that depend only on the seed. Gradients flow to all parameters.

    Args:
      shape: the shape of the result, an int vector; it ends with the shape to which the parameters are broadcast.
      seed: int vector of shape [2].
      means, stddevs: of the normal distribution.
      minvals, maxvals: the bounds, one of which is finite.
      name: name of the ops.

    Raises:
      InvalidArgumentError: a standard deviation is not positive, a lower bound is not below the upper one, or `shape`
        does not end with the shape of the parameters.

    Example:
      >>> import tracefn as tf
      >>> x = tf.random.stateless_parameterized_truncated_normal([10], [1, 2], minvals=0.5, maxvals=1.0)
      >>> bool(tf.reduce_all((x >= 0.5) & (x <= 1)))
      True
    """
    with name_scope(name or "stateless_parameterized_truncated_normal"):
        given = {"means": means, "stddevs": stddevs, "minvals": minvals, "maxvals": maxvals}
        parameters = {key: convert(value, name=key) for key, value in given.items()}
        return op("StatelessParameterizedTruncatedNormal")(shape=_shape_tensor(shape), seed=seed, **parameters)


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(value, seed, alg="auto_select", name=None):
    """The rows of `value` in an order that depends only on the seed.

    Args:
      value: a tensor of rank at least 1.
      seed: int vector of shape [2].
      alg: "philox" or "auto_select", which is the same.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> sorted(tf.random.experimental.stateless_shuffle([1, 2, 3], [4, 5]).numpy().tolist())
      [1, 2, 3]
    """
    with name_scope(name or "stateless_shuffle"):
        return op("StatelessShuffle")(value=convert(value, name="value"), **_key(seed, alg))


@export("random.experimental.index_shuffle")
def index_shuffle(index, seed, max_index):
    """The places of indices in a random order of 0, ..., `max_index`, without making that order.

    Args:
      index: scalar or vector of integers from 0 to `max_index`.
      seed: int tensor of shape [2], or [n, 2] with a row for each index.
      max_index: scalar, or a vector as long as `index`.

    Returns:
      Tensor of index's dtype.

    Raises:
      InvalidArgumentError: an index is negative or greater than `max_index`.

    Example:
      >>> import tracefn as tf
      >>> sorted(tf.random.experimental.index_shuffle(tf.range(5), [1, 2], 4).numpy().tolist())
      [0, 1, 2, 3, 4]
    """
    seed = convert(seed)
    paddings = [[1, 0]] + ((seed.shape.rank or 1) - 1) * [[0, 0]]
    seed = op("PadV2")(input=seed, paddings=paddings, constant_values=_core.convert_to_tensor(498247692, dtype=seed.dtype))
    return op("RandomIndexShuffle")(index=index, seed=seed, max_index=max_index, rounds=4)
