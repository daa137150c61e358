"""Parameters of distributions, and the shapes that follow from them."""

from __future__ import annotations

import functools
import operator
from typing import Any

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._checks import after, floats, with_classes
from tracefn.compat.v1.distributions._distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution
from tracefn.framework import control_dependencies
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.tensor_shape import TensorShape


def parameter(name: str, doc: str) -> Any:
    """The property of a class for a parameter, which is in the attribute `_{name}`."""
    return property(operator.attrgetter(f"_{name}"), doc=doc)


class WithParameters(Distribution):
    """A distribution whose batch is that of its parameters, broadcast together.

    A subclass sets `_all`: its parameters as tensors, each of which ends with the dimensions of events, `_event_rank` of them.
    """

    _all: tuple = ()
    _event_rank = 0
    _reparameterization = FULLY_REPARAMETERIZED

    def _keep(self, checks, **values) -> None:
        """Sets `_all` and an attribute for each parameter: floating-point tensors of one dtype, after checks.

        Raises:
          ValueError: the dtypes differ, or are not floating-point.
        """
        for name, value in values.items():
            with control_dependencies(checks):
                setattr(self, f"_{name}", today("identity")(value, name=name))
        self._all = tuple(getattr(self, f"_{name}") for name in values)
        floats(*self._all)

    def _finish(self, given: dict, dtype, parents, name) -> None:
        """Ends a constructor, which was called with the arguments `given`."""
        flags = given["validate_args"], given["allow_nan_stats"]
        Distribution.__init__(self, dtype, self._reparameterization, *flags, given, parents, name)

    def _batch_shape(self):
        shapes = [tensor.shape for tensor in self._all]
        if self._event_rank:
            shapes = [shape.with_rank_at_least(1)[:-1] for shape in shapes]
        return functools.reduce(today("broadcast_static_shape"), shapes)

    def _batch_shape_tensor(self):
        shapes = [op("Shape")(input=tensor) for tensor in self._all]
        if self._event_rank:
            shapes = [shape[:-1] for shape in shapes]
        return functools.reduce(today("broadcast_dynamic_shape"), shapes)

    def _event_shape(self):
        return self._all[-1].shape.with_rank_at_least(1)[-1:] if self._event_rank else TensorShape([])

    def _event_shape_tensor(self):
        if self._event_rank:
            return op("Shape")(input=self._all[-1])[-1:]
        return _core.convert_to_tensor([], dtype="int32")

    def _sizes(self, n):
        """The shape of n batches."""
        return today("concat")([[n], self.batch_shape_tensor()], 0)

    def _spread(self, tensor):
        """A tensor broadcast to the batch."""
        return tensor * today("ones")(self.batch_shape_tensor(), dtype=self.dtype)

    def _where_defined(self, condition, value, *checks):
        """A statistic where it is defined: NaN elsewhere, or an error by checks, which are functions."""
        if self.allow_nan_stats:
            return today("where")(condition, value, today("constant")(float("nan"), dtype=self.dtype))
        return after([check() for check in checks], value)

    def _above_one(self, tensor, message: str):
        """A check that elements are larger than 1."""
        one = _core.convert_to_tensor(1, dtype=self.dtype)
        return today("debugging.assert_less")(one, tensor, message=message)


class WithProbabilities(WithParameters):
    """A distribution made of probabilities, or of their logits: of events, or, with `_event_rank` 1, of classes."""

    _event_rank = 1
    _reparameterization = NOT_REPARAMETERIZED

    logits = parameter("logits", "The logarithms of probabilities, up to a constant.")
    probs = parameter("probs", "The probabilities.")

    def _make_probabilities(self, logits, probs, validate_args: bool, name) -> None:
        """Sets both the logits and the probabilities, of which one is given.

        Raises:
          ValueError: both are given, or none.
          TypeError: what is given is not floating-point.
        """
        with name_scope(name):
            if (probs is None) == (logits is None):
                raise ValueError("Must pass probs or logits, but not both.")
            given = "logits" if probs is None else "probs"
            values = _core.convert_to_tensor(logits if probs is None else probs, name=given)
            if not values.dtype.is_floating:
                raise TypeError(f"{given} must having floating type.")
            if probs is not None:
                self._probs = self._checked_probs(values) if validate_args else values
                self._logits = self._logits_of(self._probs)
                return
            self._logits = with_classes(values) if validate_args and self._event_rank else values
            compute = today("nn.softmax") if self._event_rank else today("sigmoid")
            self._probs = compute(self._logits, name="probs")

    def _checked_probs(self, probs):
        with name_scope("validate_probs"):
            checks = [today("debugging.assert_non_negative")(probs)]
            if self._event_rank:
                probs = with_classes(probs)
                total = today("reduce_sum")(probs, -1)
                checks.append(today("debugging.assert_near")(total, 1.0, message="probs does not sum to 1."))
            else:
                text = "probs has components greater than 1."
                checks.append(today("debugging.assert_less_equal")(probs, 1.0, message=text))
            return after(checks, probs)

    def _logits_of(self, probs):
        with name_scope("logits"):
            logarithms = op("Log")(x=probs)
            return logarithms if self._event_rank else logarithms - op("Log1p")(x=-1.0 * probs)


def same_shapes(*names: str):
    """`_param_shapes` of a class whose parameters have the shape of samples."""

    def shapes(sample_shape):
        return {name: _core.convert_to_tensor(sample_shape, dtype="int32") for name in names}

    return staticmethod(shapes)
