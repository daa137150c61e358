"""Global steps, and learning rates that depend on them: `tf.compat.v1.train`."""

from __future__ import annotations

import math

from tracefn import _core, nest
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.variables import get_variable
from tracefn.framework import default_graph, executing_eagerly
from tracefn.variable import Variable

_GLOBAL_STEP = "global_step"


def _as_rate(rate):
    """The tensor in a graph; eagerly a function, because the step changes."""
    return rate if executing_eagerly() else rate()


def _numbers(learning_rate, *others):
    """The learning rate as a tensor, and other numbers in its dtype."""
    rate = _core.convert_to_tensor(learning_rate, name="learning_rate")
    return rate, *(today("cast")(x, rate.dtype) for x in others)


@export("compat.v1.train.exponential_decay")
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * decay_rate ** (global_step / decay_steps).

    Args:
      learning_rate: scalar, the rate at step 0.
      global_step: scalar tensor or Variable.
      decay_steps, decay_rate: scalars.
      staircase: whether the quotient is rounded down.
      name: name of the ops.

    Returns:
      Scalar tensor; eagerly a function without arguments that returns it.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.train.exponential_decay(0.5, tf.constant(2), 1, 0.5)())
      0.125
    """
    def rate():
        with _core.OpScope(name or "ExponentialDecay"):
            start, steps, factor, now = _numbers(learning_rate, decay_steps, decay_rate, global_step)
            count = now / steps
            return start * today("pow")(factor, today("floor")(count) if staircase else count)

    return _as_rate(rate)


@export("compat.v1.train.natural_exp_decay")
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps); arguments as for `exponential_decay`."""
    factor = today("exp")(today("negative")(_core.convert_to_tensor(decay_rate)))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name or "ExponentialTimeDecay")


@export("compat.v1.train.inverse_time_decay")
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps); arguments as for `exponential_decay`."""
    def rate():
        with _core.OpScope(name or "InverseTimeDecay"):
            start, steps, factor, now = _numbers(learning_rate, decay_steps, decay_rate, global_step)
            count = now / steps
            count = today("floor")(count) if staircase else count
            return start / (today("cast")(1, start.dtype) + factor * count)

    return _as_rate(rate)


@export("compat.v1.train.polynomial_decay")
def polynomial_decay(
    learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None
):
    """From one rate to another, along a power of the remaining steps.

    Args:
      learning_rate, end_learning_rate: scalars, the first and the last rate.
      global_step: scalar tensor or Variable.
      decay_steps: scalar, the number of steps between.
      power: scalar.
      cycle: whether it starts again, with more steps, instead of staying at the last rate.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.train.polynomial_decay(1.0, tf.constant(5), 10, 0.0)())
      0.5
    """
    def rate():
        with _core.OpScope(name or "PolynomialDecay"):
            start, end, steps, exponent, now = _numbers(learning_rate, end_learning_rate, decay_steps, power, global_step)
            one = today("cast")(1, start.dtype)
            if cycle:
                again = today("math.ceil")(now / steps)
                steps = steps * today("where")(today("equal")(now, 0), one, again)
            else:
                now = today("minimum")(now, steps)
            return (start - end) * today("pow")(one - now / steps, exponent) + end

    return _as_rate(rate)


@export("compat.v1.train.piecewise_constant", "compat.v1.train.piecewise_constant_decay")
def piecewise_constant(x, boundaries, values, name=None):
    """values[0] up to boundaries[0], values[i] up to boundaries[i], and the last value beyond.

    Args:
      x: scalar tensor or Variable.
      boundaries: increasing list of numbers of the dtype of `x`.
      values: list of numbers of one dtype, one more.
      name: name of the ops.

    Raises:
      ValueError: dtypes differ.

    Example:
      >>> import tracefn as tf
      >>> float(tf.compat.v1.train.piecewise_constant(tf.constant(15), [10, 20], [1.0, 0.5, 0.25])())
      0.5
    """
    edges = [_core.convert_to_tensor(b) for b in nest.flatten(boundaries)]
    rates = [_core.convert_to_tensor(v) for v in nest.flatten(values)]
    dtype = _core.convert_to_tensor(x).dtype
    for i, edge in enumerate(edges):
        if edge.dtype == "int32" and dtype == "int64":
            edges[i] = today("cast")(edge, dtype)
        elif edge.dtype != dtype:
            raise ValueError(f"Boundaries ({edge.dtype}) must have the same dtype as x ({dtype}).")
    for value in rates[1:]:
        if value.dtype != rates[0].dtype:
            raise ValueError(
                f"Values must have elements all with the same dtype ({rates[0].dtype} vs {value.dtype})."
            )
    if len(rates) != len(edges) + 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def rate():
        with _core.OpScope(name or "PiecewiseConstant"):
            now = _core.convert_to_tensor(x)
            found = rates[-1]
            for edge, value in zip(reversed(edges), reversed(rates[:-1]), strict=True):
                found = today("where")(now <= edge, value, found)
            return found

    return _as_rate(rate)


def _half_cosine(fraction):
    dtype = fraction.dtype
    return today("cast")(0.5, dtype) * (1.0 + today("cos")(today("constant")(math.pi, dtype) * fraction))


@export("compat.v1.train.cosine_decay")
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """From a rate to `alpha` times that, along half a period of the cosine.

    Args:
      learning_rate: scalar.
      global_step: scalar tensor or Variable.
      decay_steps: scalar, the number of steps.
      alpha: scalar.
      name: name of the ops.

    Example:
      >>> import tracefn as tf
      >>> round(float(tf.compat.v1.train.cosine_decay(1.0, tf.constant(5), 10)()), 5)
      0.5
    """

    def rate():
        with _core.OpScope(name or "CosineDecay"):
            start, steps, least, now = _numbers(learning_rate, decay_steps, alpha, global_step)
            cosine = _half_cosine(today("minimum")(now, steps) / steps)
            return start * ((1 - least) * cosine + least)

    return _as_rate(rate)


@export("compat.v1.train.cosine_decay_restarts")
def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """`cosine_decay` that starts again: each time with `t_mul` times as many steps, from `m_mul` times the rate.

    Args:
      learning_rate: scalar.
      global_step: scalar tensor or Variable.
      first_decay_steps: scalar, the number of steps of the first period.
      t_mul, m_mul, alpha: scalars.
      name: name of the ops.
    """

    def rate():
        with _core.OpScope(name or "SGDRDecay"):
            start, first, least, longer, lower, now = _numbers(
                learning_rate, first_decay_steps, alpha, t_mul, m_mul, global_step
            )
            done = now / first

            def equal_periods():
                count = today("floor")(done)
                return count, done - count

            def growing_periods():
                count = today("floor")(today("math.log")(1.0 - done * (1.0 - longer)) / today("math.log")(longer))
                before = (1.0 - longer**count) / (1.0 - longer)
                return count, (done - before) / longer**count

            count, fraction = today("cond")(today("equal")(longer, 1.0), equal_periods, growing_periods)
            cosine = lower**count * _half_cosine(fraction)
            return start * ((1 - least) * cosine + least)

    return _as_rate(rate)


@export("compat.v1.train.linear_cosine_decay")
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """learning_rate * ((alpha + linear) * cosine + beta), of a linear decay and periods of the cosine.

    Args:
      learning_rate: scalar.
      global_step: scalar tensor or Variable.
      decay_steps: scalar, the number of steps.
      num_periods, alpha, beta: scalars.
      name: name of the ops.
    """

    def rate():
        with _core.OpScope(name or "LinearCosineDecay"):
            start, steps, periods, least, last, now = _numbers(
                learning_rate, decay_steps, num_periods, alpha, beta, global_step
            )
            now = today("minimum")(now, steps)
            cosine = _half_cosine(2.0 * periods * (now / steps))
            return start * ((least + (steps - now) / steps) * cosine + last)

    return _as_rate(rate)


@export("compat.v1.train.noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(
    learning_rate,
    global_step,
    decay_steps,
    initial_variance=1.0,
    variance_decay=0.55,
    num_periods=0.5,
    alpha=0.0,
    beta=0.001,
    name=None,
):
    """`linear_cosine_decay` with noise on the linear part, of variance initial_variance / (1 + step) ** variance_decay.

    Args:
      learning_rate: scalar.
      global_step: scalar tensor or Variable.
      decay_steps: scalar, the number of steps.
      initial_variance, variance_decay, num_periods, alpha, beta: scalars.
      name: name of the ops.
    """

    def rate():
        with _core.OpScope(name or "NoisyLinearCosineDecay"):
            start, steps, periods, least, last, now = _numbers(
                learning_rate, decay_steps, num_periods, alpha, beta, global_step
            )
            _, variance, fading = _numbers(start, initial_variance, variance_decay)
            now = today("minimum")(now, steps)
            linear = (steps - now) / steps
            deviation = today("sqrt")(variance / today("pow")(1.0 + now, fading))
            linear += today("random.normal")(linear.shape, stddev=deviation)
            cosine = _half_cosine(2.0 * periods * (now / steps))
            return start * ((least + linear) * cosine + last)

    return _as_rate(rate)


@export("compat.v1.train.get_global_step")
def get_global_step(graph=None):
    """The graph's Variable that counts steps; None if there is none.

    Args:
      graph: a tf.Graph, the default one by default.

    Raises:
      TypeError: it is no integer scalar.
    """
    graph = graph or default_graph()
    found = graph.get_collection(_GLOBAL_STEP)
    step = found[0] if len(found) == 1 else None
    if not found:
        named = [v for v in graph.get_collection("variables") if v.name == "global_step:0"]
        step = named[0] if named else None
    if step is not None:
        assert_global_step(step)
    return step


@export("compat.v1.train.create_global_step")
def create_global_step(graph=None):
    """Makes the graph's Variable that counts steps: int64, not trainable.

    Raises:
      ValueError: there is one already.
    """
    graph = graph or default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    zero = today("compat.v1.zeros_initializer")()
    if executing_eagerly():
        return get_variable(_GLOBAL_STEP, [], "int64", zero, trainable=False)
    with graph.as_default(), graph.name_scope(""):
        return get_variable(_GLOBAL_STEP, [], "int64", zero, trainable=False, collections=["variables", _GLOBAL_STEP])


@export("compat.v1.train.get_or_create_global_step")
def get_or_create_global_step(graph=None):
    """The graph's Variable that counts steps; it is made if there is none.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     step = tf.compat.v1.train.get_or_create_global_step()
      ...     print(step is tf.compat.v1.train.get_or_create_global_step(), step.dtype.name)
      True int64
    """
    graph = graph or default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export("compat.v1.train.assert_global_step")
def assert_global_step(global_step_tensor) -> None:
    """Raises an error unless something is an integer scalar.

    Raises:
      TypeError: it is not.
    """
    if not isinstance(global_step_tensor, (Variable, _core.Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (None, 0):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


@export("compat.v1.train.global_step")
def global_step(sess, global_step_tensor) -> int:
    """The step in a session, as an int; eagerly that of the Variable."""
    if executing_eagerly():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))
