"""`tf.nn.dropout`, and the version with an explicit seed: random elements are dropped, the others scaled up."""

from __future__ import annotations

import numbers

from tracefn import _core
from tracefn._export import export
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.random import stateless_uniform, uniform
from tracefn.random_seed import get_seed
from tracefn.tensor_shape import TensorShape


@export("nn.dropout")
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Sets elements to zero with probability `rate` and scales the others by 1 / (1 - rate).

    Args:
      x: floating tensor of any shape.
      rate: number in [0, 1) or scalar tensor of x's dtype; the number 0 returns `x`.
      noise_shape: shape that broadcasts to x's: elements that share a random number are kept or dropped together.
      seed: int, the op's own seed; see `tf.random.set_seed`.
      name: name of the ops.

    Returns:
      Tensor of x's shape and dtype.

    Raises:
      ValueError: `rate` is out of range or not a scalar, or `x` is not floating.

    Example:
      >>> import tracefn as tf
      >>> y = tf.nn.dropout(tf.ones([100]), rate=0.5, seed=1)
      >>> sorted(set(y.numpy().tolist()))
      [0.0, 2.0]
    """

    def numbers_of(shape, dtype):
        return uniform(shape, dtype=dtype, seed=seed)

    return _dropped(x, rate, noise_shape, numbers_of, name, "dropout", lambda: get_seed(seed))


@export("nn.experimental.stateless_dropout")
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """`tf.nn.dropout` whose random numbers depend on `seed` only.

    Args:
      x: floating tensor of any shape.
      rate: number in [0, 1) or scalar tensor of x's dtype.
      seed: integer tensor of shape [2].
      rng_alg: the random number algorithm, as in `tf.random.stateless_uniform`; None for "auto_select".
      noise_shape: shape that broadcasts to x's.
      name: name of the ops.

    Returns:
      Tensor of x's shape and dtype.

    Raises:
      ValueError: `rate` is out of range or not a scalar, or `x` is not floating.

    Example:
      >>> import tracefn as tf
      >>> x = tf.ones([4])
      >>> a, b = (tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]) for _ in range(2))
      >>> bool(tf.reduce_all(a == b))
      True
    """

    def numbers_of(shape, dtype):
        return stateless_uniform(shape, seed=seed, dtype=dtype, alg=rng_alg or "auto_select")

    return _dropped(x, rate, noise_shape, numbers_of, name, "stateless_dropout", lambda: None)


@export("nn.experimental.general_dropout")
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """`tf.nn.dropout` with random numbers of one's own.

    Args:
      x: floating-point tensor.
      rate: probability in [0, 1) that an element becomes 0; a number or a scalar of x's dtype.
      uniform_sampler: callable that takes a shape and a dtype and returns numbers in [0, 1): elements whose number is
        less than `rate` become 0.
      noise_shape: shape that broadcasts to x's; None for x's.
      name: name of the ops.

    Returns:
      Tensor like `x`; what is kept is divided by 1 - rate.

    Raises:
      ValueError: `rate` is out of range or not a scalar, or `x` is not floating.

    >>> tf.nn.experimental.general_dropout(tf.ones([2]), 0.5, lambda shape, dtype: tf.constant([0.1, 0.6], dtype)).numpy()
    array([0., 2.], dtype=float32)
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: uniform_sampler(shape=shape, dtype=dtype), name,
                    "dropout", lambda: None)  # fmt: skip


def _dropped(x, rate, noise_shape, numbers_of, name, scope_name, skip_numbers):
    """`numbers_of(shape, dtype)` draws the numbers. `skip_numbers` counts as a draw: a rate of 0 changes no later numbers."""
    is_number = isinstance(rate, numbers.Real)
    if is_number and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    x = convert(x, name="x")
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=" + str(x.dtype)
        )
    if is_number and rate == 0:
        skip_numbers()
        return x
    with name_scope(name or scope_name):
        kept = _scaled(x, rate if is_number else _scalar_rate(rate, x.dtype))
        random = numbers_of(_noise_shape(x, noise_shape), x.dtype)
        mask = op("GreaterEqual")(x=random, y=rate)
        return op("SelectV2")(condition=mask, t=kept, e=_core.convert_to_tensor(0.0, dtype=x.dtype))


def _scaled(x, rate):
    if isinstance(rate, numbers.Real):
        return op("Mul")(x=x, y=_core.convert_to_tensor(1 / (1 - rate), dtype=x.dtype))
    return op("RealDiv")(x=x, y=op("Sub")(x=_core.convert_to_tensor(1.0, dtype=x.dtype), y=rate))


def _scalar_rate(rate, dtype):
    if not isinstance(rate, _core.Tensor) and not hasattr(rate, "__tf_tensor__"):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate = convert(rate)
    if rate.shape.rank not in (0, None):
        raise ValueError(f"Shape {rate.shape} must have rank 0")
    if rate.dtype != dtype:
        raise ValueError(
            f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={dtype!s} and rate.dtype={rate.dtype!s}"
        )
    return rate


def _noise_shape(x, noise_shape):
    """The shape of the random numbers; a dimension that is None is that of x."""
    if noise_shape is None:
        return op("Shape")(input=x)
    if isinstance(noise_shape, _core.Tensor):
        return noise_shape
    if any(isinstance(size, _core.Tensor) for size in noise_shape):
        return convert([x.shape[i] if size is None else size for i, size in enumerate(noise_shape)])
    sizes = TensorShape(noise_shape)
    if sizes.rank != x.shape.rank or x.shape.rank is None:
        return sizes
    return [own if size is None else size for size, own in zip(sizes.as_list(), x.shape.as_list(), strict=True)]
