"""Factors of losses, for gradients that float16 would round to 0: `tf.compat.v1.mixed_precision.LossScale`."""

from __future__ import annotations

import abc

from tracefn import _core, nest
from tracefn._control_flow.conditional import cond
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.optimizer_state import OwnNumbers, graph_key
from tracefn.distribute._modes import get_strategy, has_strategy
from tracefn.framework import executing_eagerly
from tracefn.indexed_slices import IndexedSlices
from tracefn.variable import Variable


def _exported(name: str):
    places = ("mixed_precision", "mixed_precision.experimental", "train.experimental")
    return export(*(f"compat.v1.{place}.{name}" for place in places))


@_exported("LossScale")
class LossScale(OwnNumbers, metaclass=abc.ABCMeta):
    """The base of loss scales. Called, one returns its factor as a float32 scalar."""

    def __init__(self) -> None:
        self._numbers: dict = {}

    @abc.abstractmethod
    def __call__(self):
        """The factor, as a float32 scalar."""

    @abc.abstractmethod
    def update(self, grads):
        """Changes the factor according to the gradients of a step.

        Args:
          grads: nest of gradients, already divided by the factor, and Nones.

        Returns:
          The Operation that changes it, and whether the gradients may be applied: a bool or a bool tensor.
        """

    def _add_weight(self, name, initial_value, dtype=None):
        """A new Variable of the loss scale.

        Raises:
          RuntimeError: there is one of this name.
        """
        variable = Variable(initial_value, dtype=dtype, trainable=False, name=name)
        key = (name, graph_key())
        if key in self._numbers:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        self._numbers[key] = variable
        self._number_was_made(name, variable)
        return variable

    @abc.abstractmethod
    def get_config(self):
        """The arguments of the constructor, as a dict."""

    @classmethod
    def from_config(cls, config):
        """A loss scale made with the arguments in a dict."""
        return cls(**config)


@_exported("FixedLossScale")
class FixedLossScale(LossScale):
    """A factor that does not change.

    Args:
      loss_scale_value: int or float, at least 1.

    Raises:
      ValueError: it is something else.

    Example:
      >>> import tracefn as tf
      >>> scale = tf.compat.v1.mixed_precision.FixedLossScale(8)
      >>> float(scale()), scale.get_config()
      (8.0, {'loss_scale_value': 8.0})
    """

    def __init__(self, loss_scale_value) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self):
        return _core.convert_to_tensor(self._loss_scale_value)

    def update(self, grads):
        """Changes nothing: the gradients are always applied."""
        del grads
        return today("no_op")(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self):
        return {"loss_scale_value": self._loss_scale_value}


@_exported("DynamicLossScale")
class DynamicLossScale(LossScale):
    """A factor that shrinks when a gradient is not finite, and grows after many steps whose gradients all are.

    Args:
      initial_loss_scale: float, the first factor.
      increment_period: int, after how many steps in a row it grows.
      multiplier: float, by how much it grows and shrinks.

    Example:
      >>> import tracefn as tf
      >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(initial_loss_scale=4, increment_period=1)
      >>> _, applies = scale.update([tf.constant(1.0)])
      >>> bool(applies), float(scale())
      (True, 8.0)
    """

    def __init__(self, initial_loss_scale=2**15, increment_period=2000, multiplier=2.0) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial_loss_scale, "float32")
        self._num_good_steps = self._add_weight("good_steps", 0, "int64")

    @property
    def initial_loss_scale(self) -> float:
        """The first factor."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many steps in a row the factor grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """By how much the factor grows and shrinks."""
        return self._multiplier

    def __call__(self):
        return _core.convert_to_tensor(self._current_loss_scale)

    def update(self, grads):
        """Grows or shrinks the factor; gradients of which one is not finite are not to be applied."""
        finite = _finite_everywhere(nest.flatten(grads))
        group = today("group")

        def grow():
            larger = self._current_loss_scale * self._multiplier
            grown = cond(today("math.is_finite")(larger), lambda: _done(self._current_loss_scale.assign(larger)), today("no_op"))
            return group(grown, self._num_good_steps.assign(0))

        def count():
            enough = self._num_good_steps + 1 >= self._increment_period
            return cond(enough, grow, lambda: _done(self._num_good_steps.assign_add(1)))

        def shrink():
            smaller = today("maximum")(self._current_loss_scale / self._multiplier, 1)
            return group(self._num_good_steps.assign(0), self._current_loss_scale.assign(smaller))

        return cond(finite, count, shrink), finite

    def __repr__(self) -> str:
        arguments = [f"{name}={value}" for name, value in self.get_config().items()]
        if executing_eagerly():
            now = self._current_loss_scale.numpy(), self._num_good_steps.numpy()
            arguments = [f"current_loss_scale={now[0]!s}", f"num_good_steps={now[1]!s}", *arguments]
        return f"DynamicLossScale({', '.join(arguments)})"

    def get_config(self):
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }


def _done(assigned):
    """What a branch returns for an assignment: its Operation in a graph."""
    return assigned if executing_eagerly() else assigned.op


def _finite(grads: list):
    values = [g.values if isinstance(g, IndexedSlices) else g for g in grads if g is not None]
    all_of = today("reduce_all")
    return all_of([all_of(today("math.is_finite")(value)) for value in values])


def _finite_everywhere(grads: list):
    """A bool tensor: whether all gradients are finite, in all replicas."""
    if not has_strategy():
        return _finite(grads)
    strategy = get_strategy()
    cast = today("cast")
    each = strategy.extended.call_for_each_replica(lambda given: cast(_finite(given), "float32"), args=(grads,))
    total = strategy.reduce("SUM", each, axis=None)
    return today("equal")(total, float(strategy.num_replicas_in_sync))


def loss_scale_of(given):
    """The loss scale that an argument means.

    Args:
      given: LossScale, number, "dynamic", or None.

    Raises:
      ValueError: it is something else.
    """
    if isinstance(given, (int, float)):
        return FixedLossScale(given)
    if given == "dynamic":
        return DynamicLossScale()
    if given is None or isinstance(given, LossScale):
        return given
    raise ValueError(f"Could not interpret loss scale identifier: {given}")
