"""Kullback-Leibler divergences of pairs of distributions, which functions for pairs of classes compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracefn.compat.v1.arguments import today
from tracefn.framework import control_dependencies
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope

_functions: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorator: the function computes the divergence of distributions of two classes.

    Args:
      dist_cls_a, dist_cls_b: classes of distributions.

    Raises:
      TypeError: what is decorated is not callable.
      ValueError: there is a function for these classes.
    """

    def __init__(self, dist_cls_a, dist_cls_b) -> None:
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _functions:
            first, second = self._key
            raise ValueError(
                f"KL({first.__name__} || {second.__name__}) has already been registered to: {_functions[self._key]}"
            )
        _functions[self._key] = kl_fn
        return kl_fn


def _function_for(a: type, b: type) -> Callable[..., Any] | None:
    """The function for the nearest base classes."""
    pairs = [(i + j, _functions[x, y]) for i, x in enumerate(a.__mro__) for j, y in enumerate(b.__mro__) if (x, y) in _functions]
    return min(pairs, key=lambda pair: pair[0])[1] if pairs else None


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence: the mean under A of log(A / B).

    Args:
      distribution_a, distribution_b: distributions.
      allow_nan_stats: whether results may be NaN.
      name: name of the ops.

    Returns:
      Tensor of the batch shape.

    Raises:
      NotImplementedError: nothing is registered for the two classes.
      InvalidArgumentError: a result is NaN, and must not be.

    Example:
      >>> import tracefn as tf
      >>> d = tf.compat.v1.distributions
      >>> float(d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)))
      0.5
    """
    function = _function_for(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        found = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was called "
            "with allow_nan_stats=False). Values:"
        )
        defined = op("LogicalNot")(x=today("reduce_any")(op("IsNan")(x=found)))
        with control_dependencies([x for x in [today("debugging.Assert")(defined, [message, found])] if x is not None]):
            return op("Identity")(input=found)


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
    """The entropy of a distribution plus its divergence from another one."""
    with name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)
