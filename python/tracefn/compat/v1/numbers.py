"""Arithmetic, random numbers and strings of `tf.compat.v1` with old names and another order of arguments."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today
from tracefn.gradient_tape import UnconnectedGradients
from tracefn.random_seed import get_seed as _seeds

_op = _core.raw_op


@export("compat.v1.div")
def div(x, y, name=None):
    """x / y as in Python 2: integers are divided with rounding down.

    Args:
      x, y: tensors of one dtype, which are broadcast together.
      name: name of the node.

    Raises:
      TypeError: the dtypes differ.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.div(7, 2)), float(tf.compat.v1.div(7.0, 2.0))
      (3, 3.5)
    """
    with _core.OpScope(name or "div") as scope:
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, name="y", dtype=x.dtype)
        kind = "RealDiv" if x.dtype.is_floating or x.dtype.is_complex else "FloorDiv"
        return _op(kind)(x=x, y=y, name=scope)


@export("compat.v1.floor_div")
def floor_div(x, y, name=None):
    """x / y, rounded down."""
    return _op("FloorDiv")(x=x, y=y, name=name)


@export("compat.v1.scalar_mul")
def scalar_mul(scalar, x, name=None):
    """`tf.math.scalar_mul`."""
    return today("math.scalar_mul")(scalar, x, name)


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    """A tensor scaled so that its norm, divided by the number of elements, is at most a number.

    Args:
      t: floating tensor.
      clip_norm: positive scalar.
      name: name of the op.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy().tolist()
      [1.5, 2.0]
    """
    with _core.OpScope(name or "clip_by_average_norm"):
        t = _core.convert_to_tensor(t, name="t")
        count = today("cast")(_op("Size")(input=t), "float32")
        axes = today("range")(today("rank")(t))
        inverse = today("math.rsqrt")(today("reduce_sum")(t * t, axes))
        factor = today("minimum")(inverse * count, today("constant")(1.0) / clip_norm)
        return today("identity")(t * clip_norm * factor)


@export("compat.v1.verify_tensor_all_finite")
def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """`tf.debugging.assert_all_finite`, with old names of arguments.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.verify_tensor_all_finite(t=1.0, msg="not finite"))
      1.0
    """
    x = either("x", x, "t", t)
    message = either("message", message, "msg", msg)
    return today("debugging.assert_all_finite")(x, message, name)


@export("compat.v1.multinomial")
def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """`tf.random.categorical`, with another order of arguments.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.multinomial([[0.0, 0.0]], 5, seed=1).shape
      TensorShape([1, 5])
    """
    return today("random.categorical")(logits, num_samples, output_dtype, seed, name)


@export("compat.v1.random.stateless_multinomial")
def stateless_multinomial(logits, num_samples, seed, output_dtype="int64", name=None):
    """`tf.random.stateless_categorical`."""
    return today("random.stateless_categorical")(logits, num_samples, seed, output_dtype, name)


@export("compat.v1.random_poisson")
def random_poisson(lam, shape, dtype="float32", seed=None, name=None):
    """`tf.random.poisson`, with another order of arguments."""
    return today("random.poisson")(shape, lam, dtype, seed, name)


@export("compat.v1.get_seed")
def get_seed(op_seed):
    """The two seeds of a random op, from the program's seed and its own.

    Args:
      op_seed: int, or None.

    Returns:
      Pair of ints, or of None if there is neither seed.

    Example:
      >>> import tracefn as tf
      >>> tf.random.set_seed(7)
      >>> tf.compat.v1.get_seed(3)
      (7, 3)
    """
    seeds = _seeds(op_seed)
    return (None, None) if seeds == (0, 0) else seeds


@export("compat.v1.gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """`tf.gradients`, with one more argument, which has no effect.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     x = tf.constant(3.0)
      ...     slope = tf.compat.v1.gradients(x * x, x, colocate_gradients_with_ops=True)
      ...     print(float(tf.compat.v1.Session().run(slope)[0]))
      6.0
    """
    del colocate_gradients_with_ops
    return today("gradients")(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )


@export("compat.v1.hessians")
def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """`tf.hessians`, with one more argument, which has no effect."""
    del colocate_gradients_with_ops
    return today("hessians")(ys, xs, gate_gradients, aggregation_method, name)


@export("compat.v1.user_ops.my_fact")
def my_fact():
    """A string that says something: the op that TensorFlow has as an example."""
    return _op("Fact")()
