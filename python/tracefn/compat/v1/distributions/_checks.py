"""Checks of the parameters and events of distributions."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.dtypes import as_dtype
from tracefn.ops._build import EPSILONS, op
from tracefn.python.framework.ops import name_scope
from tracefn.python.ops.control_flow_ops import with_dependencies as after

__all__ = ["after", "event_of", "floats", "positive", "whole_counts", "with_classes"]


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
    with name_scope("embed_check_nonnegative_integer_form"):
        checks = [today("debugging.assert_non_negative")(counts, message=f"'{counts}' must be non-negative.")]
        if not counts.dtype.is_integer:
            text = f"'{counts}' cannot contain fractional components."
            checks.append(today("debugging.assert_equal")(counts, op("Floor")(x=counts), message=text))
        return after(checks, counts)


def with_classes(tensor):
    """A floating-point tensor after a check that its last dimension, that of classes, has a size that its dtype can count.

    Raises:
      ValueError: the size, or the rank, is known and does not fit.
    """
    most = round(2 / EPSILONS[tensor.dtype.name])
    few = "A categorical-distribution parameter must have at least 2 events."
    scalar = "A categorical-distribution parameter must have at least 1 dimension."
    if tensor.shape.rank == 0:
        raise ValueError(scalar)
    size = None if tensor.shape.rank is None else tensor.shape[-1]
    many = f"Number of classes exceeds `dtype` precision, i.e., {tensor.dtype.name}"
    if size is not None:
        if size < 2:
            raise ValueError(few)
        if size > most:
            raise ValueError(f"{many} implies shape ({size}) cannot exceed {most}.")
        return tensor
    with name_scope("embed_check_categorical_event_shape"):
        classes = op("Shape")(input=tensor)[-1]
        checks = [
            today("debugging.assert_rank_at_least")(tensor, 1, message=scalar),
            today("debugging.assert_greater_equal")(classes, 2, message=few),
            today("debugging.assert_less_equal")(classes, most, message=f"{many} dtype cannot exceed {most} shape."),
        ]
        return after(checks, tensor)


def event_of(value, dtype: str):
    """A value after a check that it is one of an integer dtype, or of bool, and not negative."""
    checks = [today("debugging.assert_non_negative")(value, message="Elements must be non-negative.")]
    most = 1 if dtype == "bool" else as_dtype(dtype).max
    if value.dtype.is_floating:
        same = today("cast")(today("cast")(value, dtype), value.dtype)
        message = f"Elements must be {dtype}-equivalent."
        checks.append(today("debugging.assert_equal")(value, same, message=message))
    elif value.dtype.max > most:
        message = f"Elements cannot exceed {most}."
        checks.append(today("debugging.assert_less_equal")(value, _core.convert_to_tensor(most, dtype=value.dtype), message=message))
    return after(checks, value)
