"""`tensorflow.python.eager.backprop`: functions that compute values and gradients of other functions."""

from __future__ import annotations

import inspect

from tracefn import _core, nest
from tracefn._core import convert_to_tensor
from tracefn.gradient_tape import GradientTape

__all__ = [
    "GradientTape",
    "gradients_function",
    "implicit_grad",
    "implicit_val_and_grad",
    "make_vjp",
    "val_and_grad_function",
]

_identity = _core.raw_op("Identity")
_RETURNS_NONE = "Cannot differentiate a function that returns None; did you forget to return a value from {}?"
_NO_VARIABLES = "No trainable variables were accessed while the function was being computed."


def _refuse_none(function, result) -> None:
    if result is None:
        # As in TensorFlow, a lambda's name is told, too.
        raise ValueError(_RETURNS_NONE.format(getattr(function, "__name__", repr(function))))


def implicit_val_and_grad(f):
    """A function that gives the value of `f`, and its gradients with respect to the trainable Variables that `f` reads.

    Args:
      f: callable that returns a tensor, or a nest of tensors whose sum is differentiated.

    Returns:
      callable with the arguments of `f`: (value, list of pairs of a gradient and a Variable).

    Raises:
      ValueError: `f` returns None, or reads no trainable Variables.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(3.0)
      >>> value, pairs = tf.python.eager.backprop.implicit_val_and_grad(lambda: v * v)()
      >>> float(value), float(pairs[0][0]), pairs[0][1] is v
      (9.0, 6.0, True)
    """

    def grad_fn(*args, **kwargs):
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        _refuse_none(f, value)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(_NO_VARIABLES)
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return grad_fn


def implicit_grad(f):
    """A function that gives the gradients of `f` with respect to the trainable Variables that it reads.

    Args:
      f: as for `implicit_val_and_grad`.

    Returns:
      callable with the arguments of `f`: list of pairs of a gradient and a Variable.

    Raises:
      ValueError: `f` returns None, or reads no trainable Variables.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable(3.0)
      >>> float(tf.python.eager.backprop.implicit_grad(lambda: v * v)()[0][0])
      6.0
    """
    grad_fn = implicit_val_and_grad(f)
    return lambda *args, **kwargs: grad_fn(*args, **kwargs)[1]


def _positions(f, params, args) -> list[int]:
    """Which arguments are differentiated."""
    if params is not None and all(isinstance(x, int) for x in params):
        return list(params)
    try:
        names = inspect.getfullargspec(f).args
    except TypeError as error:
        if params is None:
            return list(range(len(args)))
        raise ValueError(
            f"Either callable provided is not a function or could not inspect its arguments by name: {f}. Original error: {error}"
        ) from error
    if params is None:
        count = len(names) - (names[:1] == ["self"])
        return list(range(count if names else len(args)))
    if all(isinstance(x, str) for x in params):
        return [names.index(name) for name in params]
    raise ValueError(f"params must be all strings or all integers; got {params}.")


def make_vjp(f, params=None, persistent=True):
    """A function that gives the value of `f`, and the function of its vector-Jacobian products.

    Args:
      f: callable that returns a tensor or a nest of tensors.
      params: list of names or positions of the arguments to differentiate; None: all of them.
      persistent: whether the second function may be called more than once.

    Returns:
      callable with the positional arguments of `f`: (value, vjp). `vjp(dy=None)` gives a list with the gradient for each of
      the arguments; `dy` is a nest like the value, of weights; None: ones.

    Raises:
      ValueError: `f` returns None, or `params` mixes names and positions.
      AssertionError: keyword arguments are given.

    Example:
      >>> import tracefn as tf
      >>> value, vjp = tf.python.eager.backprop.make_vjp(lambda x: x * x)(tf.constant(3.0))
      >>> float(value), float(vjp(2.0)[0])
      (9.0, 12.0)
    """

    def decorated(*args, **kwargs):
        if kwargs:
            raise AssertionError("The gradient function can't take keyword arguments.")
        positions = _positions(f, params, args)
        values = list(args)
        for i in positions:
            values[i] = convert_to_tensor(args[i])
            if any(values[i] is earlier for earlier in values[:i]):
                values[i] = _identity(input=values[i])  # given twice, it has two gradients
        with GradientTape(persistent=persistent) as tape:
            tape.watch([values[i] for i in positions if values[i].dtype.is_floating or values[i].dtype.is_complex])
            result = f(*values)
            _refuse_none(f, result)
            result = nest.map_structure(lambda x: _identity(input=x), result)

        def vjp(dy=None):
            weights = None if dy is None else [convert_to_tensor(x) for x in nest.flatten(dy)]
            return tape.gradient(nest.flatten(result), [values[i] for i in positions], output_gradients=weights)

        return result, vjp

    return decorated


def val_and_grad_function(f, params=None):
    """A function that gives the value of `f` and its gradients with respect to its arguments.

    Args:
      f, params: as for `make_vjp`.

    Returns:
      callable with the positional arguments of `f`, and `dy` by name: (value, list of gradients).

    Raises:
      ValueError: as for `make_vjp`, or other keyword arguments are given.

    Example:
      >>> import tracefn as tf
      >>> value, (dx, dy) = tf.python.eager.backprop.val_and_grad_function(lambda x, y: x * y)(2.0, 3.0)
      >>> float(value), float(dx), float(dy)
      (6.0, 3.0, 2.0)
    """

    def decorated(*args, dy=None, **kwargs):
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        value, vjp = make_vjp(f, params, persistent=False)(*args)
        return value, vjp(dy=dy)

    return decorated


def gradients_function(f, params=None):
    """A function that gives the gradients of `f` with respect to its arguments.

    Args:
      f, params: as for `make_vjp`.

    Returns:
      callable with the positional arguments of `f`, and `dy` by name: list of gradients.

    Raises:
      ValueError: as for `make_vjp`, or other keyword arguments are given.

    Example:
      >>> import tracefn as tf
      >>> float(tf.python.eager.backprop.gradients_function(lambda x: x * x)(3.0)[0])
      6.0
    """
    grad_fn = val_and_grad_function(f, params)
    return lambda *args, **kwargs: grad_fn(*args, **kwargs)[1]
