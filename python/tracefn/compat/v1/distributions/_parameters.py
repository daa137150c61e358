"""Parameters of distributions: their checks, and the shapes that follow from them."""

from __future__ import annotations

import functools

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.distributions._distribution import Distribution
from tracefn.framework import control_dependencies
from tracefn.ops._build import op
from tracefn.python.framework.ops import name_scope
from tracefn.tensor_shape import TensorShape


def after(checks, tensor):
    """A tensor that is there only after checks, which are nodes, or None where they have run."""
    with control_dependencies([check for check in checks if check is not None]):
        return op("Identity")(input=tensor)


def positive(tensor, message=None):
    """A check that all elements are positive."""
    return today("debugging.assert_positive")(tensor, message=message)


def floats(*tensors, dtype=None) -> None:
    """Checks that all have the same floating-point dtype.

    Raises:
      ValueError: they have not.
    """
    today("debugging.assert_same_float_dtype")(list(tensors), dtype)


def whole_counts(counts):
    """Counts after a check that they are whole numbers that are not negative."""
    checks = [today("debugging.assert_non_negative")(counts, message=f"'{counts}' must be non-negative.")]
    if not counts.dtype.is_integer:
        text = f"'{counts}' cannot contain fractional components."
        checks.append(today("debugging.assert_equal")(counts, op("Floor")(x=counts), message=text))
    return after(checks, counts)


def logits_and_probs(logits, probs, validate_args: bool, name: str, of_classes: bool = False):
    """Both the logits and the probabilities, of which one is given: of events, or of classes along the last dimension.

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
        if probs is None:
            return values, today("nn.softmax")(values) if of_classes else op("Sigmoid")(x=values)
        if validate_args:
            checks = [today("debugging.assert_non_negative")(values)]
            if of_classes:
                total = today("reduce_sum")(values, -1)
                checks.append(today("debugging.assert_near")(total, 1.0, message="probs does not sum to 1."))
            else:
                text = "probs has components greater than 1."
                checks.append(today("debugging.assert_less_equal")(values, 1.0, message=text))
            values = after(checks, values)
        return op("Log")(x=values) if of_classes else op("Log")(x=values) - op("Log1p")(x=-1.0 * values), values


class WithParameters(Distribution):
    """A distribution whose batch is that of its parameters, broadcast together.

    A subclass sets `_all`: its parameters as tensors; each ends with the dimensions of events, of which there are
    `_event_rank`, except for the first `_plain` ones.
    """

    _all: tuple = ()
    _event_rank = 0
    _plain = 0

    def _batch_shape(self):
        shapes = [
            tensor.shape if i < self._plain or not self._event_rank else tensor.shape.with_rank_at_least(1)[:-1]
            for i, tensor in enumerate(self._all)
        ]
        return functools.reduce(today("broadcast_static_shape"), shapes)

    def _batch_shape_tensor(self):
        shapes = [
            op("Shape")(input=tensor)[: None if i < self._plain or not self._event_rank else -1]
            for i, tensor in enumerate(self._all)
        ]
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


def same_shapes(*names: str):
    """`_param_shapes` of a class whose parameters have the shape of samples."""

    def shapes(sample_shape):
        return {name: _core.convert_to_tensor(sample_shape, dtype="int32") for name in names}

    return staticmethod(shapes)
