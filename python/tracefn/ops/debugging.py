"""`tf.Assert` and the assertions of `tf.debugging` that compare values."""

from __future__ import annotations

from typing import Any

from tracefn import _core, errors
from tracefn import _numpy as _np
from tracefn._export import export
from tracefn._static_value import known_value
from tracefn._value_text import value_str
from tracefn.framework import current_scope, executing_eagerly, get_static_value
from tracefn.ops._build import name_scope

_assert = _core.raw_op("Assert")
_all = _core.raw_op("All")
_check = _core.raw_op("CheckNumerics")


def fail(message: str):
    """Raises the error of a failed assertion."""
    raise errors.InvalidArgumentError(None, None, message)


def describe(tensor, role: str | None = None) -> str:
    """The description of a tensor in errors: its name in graphs, "shape=(2,) dtype=int32" eagerly.

    Args:
      role: the name under which the graph captures an eager tensor, if it has one.
    """
    if executing_eagerly() or (isinstance(tensor, _core.EagerTensor) and role is None):
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return f"{current_scope()}{role}:0" if isinstance(tensor, _core.EagerTensor) else tensor.name


def all_of(condition):
    """Whether all elements are true, as a scalar."""
    axes = _core.raw_op("Range")(start=0, limit=_core.raw_op("Rank")(input=condition), delta=1)
    return _all(input=condition, reduction_indices=axes)


@export("Assert", "debugging.Assert")
def assert_(condition, data, summarize=None, name=None):
    """Raises an error at run time if a condition is false.

    Args:
      condition: scalar bool tensor.
      data: list of tensors to show.
      summarize: number of elements to show of each; 3 by default, -1 for all.
      name: name of the op.

    Returns:
      None; in a trace the Operation, which always runs.

    Raises:
      InvalidArgumentError: the condition is false.

    Example:
      >>> import tracefn as tf
      >>> tf.Assert(tf.constant(True), ["never shown"])
    """
    if executing_eagerly():
        if not condition:
            shown = "\n".join(_summary(_core.convert_to_tensor(x), summarize) for x in data)
            fail(f"Expected '{value_str(condition)}' to be true. Summarized data: {shown}")
        return None
    with name_scope(name or "Assert"):
        data = [_core.convert_to_tensor(x) for x in data]
        return _assert(condition=condition, data=data, summarize=3 if summarize is None else summarize, name="Assert")


def _summary(tensor, summarize: int | None) -> str:
    value = tensor.numpy()
    if tensor.shape.rank == 0:
        return str(value) if summarize != 0 else ""
    return ", ".join(_first_elements(value.reshape(-1), summarize))


def _first_elements(flat, summarize: int | None) -> list[str]:
    """The first `summarize` elements, all if it is negative, and dots for the others."""
    count = 3 if summarize is None else flat.size if summarize < 0 else summarize
    shown = [str(x) for x in flat[:count]]
    return [*shown, "..."] if len(shown) < flat.size else shown


def _static_failure(condition, inputs, data) -> None:
    """Raises at trace time if the inputs are known and the condition is false."""
    if any(get_static_value(x) is None for x in inputs):
        return
    value = known_value(condition)
    if value is None or bool(_np.all(value)):
        return
    shown = []
    for x in data:
        known = get_static_value(x) if isinstance(x, _core.Tensor) else x
        shown.append(value_str(x.name if known is None else known))
    fail("\n".join(shown))


def _eager_binary_message(sign: str, x, y, condition, message: str, summarize: int | None) -> str:
    count = 3 if summarize is None else summarize
    xs, ys = x.numpy(), y.numpy()
    x_count, y_count = (_np.size(v) if count < 0 else min(_np.size(v), count) for v in (xs, ys))
    where = ""
    if x.shape.rank and x.shape.as_list() == y.shape.as_list():
        mask = _np.logical_not(condition.numpy())
        indices = _np.argwhere(mask)
        shown = len(indices) if count < 0 else min(len(indices), 3 if summarize is None else max(summarize, 0))
        if shown:
            where = (
                f"Indices of first {shown} different values:\n{indices[:shown]}\n"
                f"Corresponding x values:\n{xs[mask][:shown]}\nCorresponding y values:\n{ys[mask][:shown]}\n"
            )
    lead = f"{message}\n" if message else ""
    return (
        f"{lead}Condition x {sign} y did not hold.\n{where}First {x_count} elements of x:\n"
        f"{_np.reshape(xs, -1)[:x_count]}\nFirst {y_count} elements of y:\n{_np.reshape(ys, -1)[:y_count]}"
    )


def _binary(op, sign: str, default_name: str, x, y, message, summarize, name):
    with name_scope(name or default_name):
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, name="y")
        condition = op(x=x, y=y)
        if executing_eagerly():
            if not bool(_np.all(condition.numpy())):
                fail(_eager_binary_message(sign, x, y, condition, message or "", summarize))
            return None
        data = [f"Condition x {sign} y did not hold element-wise:", f"x ({describe(x, 'x')}) = ", x,
                f"y ({describe(y, 'x' if y is x else 'y')}) = ", y]
        if message:
            data.insert(0, message)
        condition = all_of(condition)
        _static_failure(condition, [x, y], data)
        return assert_(condition, data, summarize)


def _binary_check(name: str, op_name: str, sign: str):
    op = _core.raw_op(op_name)

    public = name

    def message_first(x, y, message=None, summarize=None, name=None):
        return _binary(op, sign, public, x, y, message, summarize, name)

    def summarize_first(x, y, summarize=None, message=None, name=None):
        return _binary(op, sign, public, x, y, message, summarize, name)

    check: Any = summarize_first if public == "assert_none_equal" else message_first  # TensorFlow's order
    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raises an error unless x {sign} y for all elements. In a trace the check always runs.

    Args:
      x, y: tensors of the same dtype, which are broadcast together.
      message: str in front of the error text.
      summarize: number of elements to show; 3 by default.
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      InvalidArgumentError: the condition does not hold; raised while tracing if that is already known; or the dtypes
        differ (TypeError while tracing).
    """
    return export(f"debugging.{name}", *([name] if name in ("assert_equal", "assert_less", "assert_greater") else []))(check)


check_equal = _binary_check("assert_equal", "Equal", "==")
_binary_check("assert_none_equal", "NotEqual", "!=")
check_less = _binary_check("assert_less", "Less", "<")
check_less_equal = _binary_check("assert_less_equal", "LessEqual", "<=")
_binary_check("assert_greater", "Greater", ">")
check_greater_equal = _binary_check("assert_greater_equal", "GreaterEqual", ">=")


def _sign_check(name: str, op_name: str, zero_first: bool, text: str):
    op = _core.raw_op(op_name)

    def check(x, message=None, summarize=None, name=None):
        with name_scope(name or public):
            x = _core.convert_to_tensor(x, name="x")
            zero = _core.convert_to_tensor(0, dtype=x.dtype)
            condition = all_of(op(x=zero, y=x) if zero_first else op(x=x, y=zero))
            data = [f"{message}.  " if message else "", f"Condition x {text} did not hold element-wise:",
                    f"x ({describe(x, 'x')}) = ", x]
            if executing_eagerly():
                if not condition:
                    values = x.numpy() if x.shape.rank == 0 else _first_elements(x.numpy().reshape(-1), summarize)
                    fail("\n".join([*data[:3], str(values)]))
                return None
            _static_failure(condition, [x], data)
            return assert_(condition, data, summarize)

    public = name
    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raises an error unless x {text} for all elements. In a trace the check always runs.

    Args:
      x: numeric tensor.
      message: str in front of the error text.
      summarize: number of elements to show; 3 by default.
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      InvalidArgumentError: the condition does not hold; raised while tracing if that is already known.
    """
    return export(f"debugging.{name}")(check)


check_positive = _sign_check("assert_positive", "Less", True, "> 0")
_sign_check("assert_negative", "Less", False, "< 0")
check_non_negative = _sign_check("assert_non_negative", "LessEqual", True, ">= 0")
_sign_check("assert_non_positive", "LessEqual", False, "<= 0")


@export("debugging.assert_near")
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises an error unless |x - y| <= atol + rtol * |y| for all elements.

    Args:
      x, y: floating tensors.
      rtol, atol: scalars; 10 times the dtype's machine epsilon by default.
      message: str in front of the error text.

    Raises:
      InvalidArgumentError: the condition does not hold.
      ValueError: the tensors are not floating.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_near(1.0, 1.0000001)
    """
    with name_scope(name or "assert_near"):
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, dtype=x.dtype, name="y")
        if not (x.dtype.is_floating or x.dtype.is_complex):
            raise ValueError(f"data type {x.dtype.as_numpy_dtype} not inexact")
        default = {"float16": 10 * 2.0**-10, "bfloat16": 10 * 2.0**-7, "float32": 10 * 2.0**-23}
        epsilon = default.get(x.dtype.name, 10 * 2.0**-52)
        rtol = _core.convert_to_tensor(epsilon if rtol is None else rtol, dtype=x.dtype, name="rtol")
        atol = _core.convert_to_tensor(epsilon if atol is None else atol, dtype=x.dtype, name="atol")
        condition = all_of(abs(x - y) <= atol + rtol * abs(y))
        data = [f"{message}.  " if message else "", f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}",
                f"x ({describe(x, 'x')}) = ", x, f"y ({describe(y, 'y')}) = ", y]
        return assert_(condition, data, summarize)


@export("debugging.assert_all_finite")
def assert_all_finite(x, message, name=None):
    """Returns `x` unchanged. Raises InvalidArgumentError with `message` if it contains Inf or NaN."""
    with name_scope(name or "VerifyFinite"):
        return _check(tensor=x, message=message)
