"""`tf.Assert` and the assertions of `tf.debugging` that compare values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracefn import _core, errors
from tracefn import _numpy as _np
from tracefn._dropped import report_dropped
from tracefn._export import export
from tracefn._static_value import known_value
from tracefn._value_text import value_str
from tracefn.composite import CompositeTensor
from tracefn.framework import current_scope, executing_eagerly, get_static_value, inside_function
from tracefn.ops._build import EPSILONS, name_scope

_assert = _core.raw_op("Assert")
_ASSERTIONS = frozenset({"compat/v1/checks.py", "ops/debugging.py", "ops/debugging_static.py"})  # they return what it makes
_all = _core.raw_op("All")
_check = _core.raw_op("CheckNumerics")
_less = _core.raw_op("Less")
_no_op = _core.raw_op("NoOp")


def fail(message: str):
    """Raises the error of a failed assertion."""
    raise errors.InvalidArgumentError(None, None, message)


def describe(tensor, role: str | None = None) -> str:
    """The description of a tensor in errors: its name in graphs, "shape=(2,) dtype=int32" eagerly and of a composite.

    Args:
      role: the name under which the graph captures an eager tensor, if it has one.
    """
    captured = isinstance(tensor, _core.EagerTensor)
    if executing_eagerly() or isinstance(tensor, CompositeTensor) or (captured and role is None):
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return f"{current_scope()}{role}:0" if captured else tensor.name


def prefix(message: str | None) -> str:
    """The beginning of the text of an assertion."""
    return f"{message}.  " if message else ""


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
      TypeError: `data` is no sequence; eagerly, if the condition is false.

    Example:
      >>> import tracefn as tf
      >>> tf.Assert(tf.constant(True), ["never shown"])
    """
    if executing_eagerly():
        if not condition:
            _check_sequence(data)
            shown = "\n".join(_summary(_core.convert_to_tensor(x), summarize) for x in data)
            fail(f"Expected '{value_str(condition)}' to be true. Summarized data: {shown}")
        return None
    if isinstance(data, (str, bytes)):
        raise TypeError(f"Expected list for 'data' argument to 'Assert' Op, not {value_str(data)}.")
    _check_sequence(data)
    with name_scope(name or "Assert"):
        made = _assert(condition=condition, data=data, summarize=3 if summarize is None else summarize, name="Assert")
    if not inside_function():
        report_dropped(made, _ASSERTIONS)
    return made


def _check_sequence(data) -> None:
    if not isinstance(data, Sequence):
        raise TypeError("values must be a sequence.")


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


def _line(item, summarize: int | None) -> str:
    """A text, or an eager tensor, as a line of an error."""
    if not isinstance(item, _core.Tensor):
        return str(item)
    value = item.numpy()
    return str(value if item.shape.rank == 0 else _first_elements(value.reshape(-1), summarize))


def _static_failure(condition, inputs, data) -> None:
    """Raises while tracing if the inputs are known and the condition is false."""
    if any(get_static_value(x) is None for x in inputs):
        return
    value = known_value(condition)
    if value is None or bool(_np.all(value)):
        return
    shown = []
    for x in data:
        known = get_static_value(x) if isinstance(x, _core.Tensor) else x
        shown.append(str(x.name if known is None else known))
    fail("\n".join(shown))


def _differences(sign: str, x, y, condition, summarize: int | None) -> list[str]:
    """What an error says of eager tensors for which a comparison does not hold."""
    count = 3 if summarize is None else summarize
    xs, ys = x.numpy(), y.numpy()
    x_count, y_count = (_np.size(v) if count < 0 else min(_np.size(v), count) for v in (xs, ys))
    where = ""
    if x.shape.rank and x.shape.as_list() == y.shape.as_list():
        mask = _np.logical_not(condition.numpy())
        indices = _np.argwhere(mask)
        shown = len(indices) if count < 0 else min(len(indices), count)
        if shown:
            where = (
                f"Indices of first {shown} different values:\n{indices[:shown]}\n"
                f"Corresponding x values:\n{xs[mask][:shown]}\nCorresponding y values:\n{ys[mask][:shown]}\n"
            )
    return [
        f"Condition x {sign} y did not hold.\n{where}First {x_count} elements of x:\n{_np.reshape(xs, -1)[:x_count]}",
        f"First {y_count} elements of y:\n{_np.reshape(ys, -1)[:y_count]}",
    ]


# The comparisons by name: the op, and its sign in errors.
COMPARISONS = {
    "assert_equal": (_core.raw_op("Equal"), "=="),
    "assert_none_equal": (_core.raw_op("NotEqual"), "!="),
    "assert_less": (_core.raw_op("Less"), "<"),
    "assert_less_equal": (_core.raw_op("LessEqual"), "<="),
    "assert_greater": (_core.raw_op("Greater"), ">"),
    "assert_greater_equal": (_core.raw_op("GreaterEqual"), ">="),
}


def compare(check: str, x, y, data=None, summarize: int | None = None, message: str | None = None, name: str | None = None):
    """Raises an error unless a comparison holds for all elements.

    Args:
      check: a name in `COMPARISONS`.
      x, y: tensors of one dtype, which are broadcast together.
      data: list of texts and tensors that the error shows; None for x and y.
      summarize: number of elements to show of each; 3 by default, -1 for all.
      message: first line of the error.
      name: name of the scope.

    Returns:
      None; in a graph the Operation.

    Raises:
      InvalidArgumentError: the comparison does not hold; raised while tracing if that is already known.
    """
    op, sign = COMPARISONS[check]
    if check == "assert_equal":
        with name_scope(name or check):  # TensorFlow looks at the arguments in a scope of its own
            if x is y:
                return None if executing_eagerly() else _no_op()
    with name_scope(name or check):
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, name="y")
        condition = op(x=x, y=y)
        eager = executing_eagerly()
        if eager and bool(_np.all(condition.numpy())):
            return None
        if data is not None:
            data = list(data)
        elif eager:
            data = _differences(sign, x, y, condition, summarize)
        else:
            data = [f"Condition x {sign} y did not hold element-wise:", f"x ({describe(x, 'x')}) = ", x,
                    f"y ({describe(y, 'x' if y is x else 'y')}) = ", y]
        if message is not None:
            data.insert(0, message)
        if eager:
            fail("\n".join(_line(item, summarize) for item in data))
        condition = all_of(condition)
        _static_failure(condition, [x, y], data)
        return assert_(condition, data, summarize)


def _comparison(name: str):
    public = name

    def message_first(x, y, message=None, summarize=None, name=None):
        return compare(public, x, y, None, summarize, message, name)

    def summarize_first(x, y, summarize=None, message=None, name=None):
        return compare(public, x, y, None, summarize, message, name)

    check: Any = summarize_first if public == "assert_none_equal" else message_first  # TensorFlow's order
    check.__name__ = check.__qualname__ = public
    check.__doc__ = f"""Raises an error unless x {COMPARISONS[public][1]} y for all elements. In a trace the check always runs.

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
    return check


check_equal = export("debugging.assert_equal", "assert_equal")(_comparison("assert_equal"))
export("debugging.assert_none_equal")(_comparison("assert_none_equal"))
check_less = export("debugging.assert_less", "assert_less")(_comparison("assert_less"))
check_less_equal = export("debugging.assert_less_equal")(_comparison("assert_less_equal"))
export("debugging.assert_greater", "assert_greater")(_comparison("assert_greater"))
check_greater_equal = export("debugging.assert_greater_equal")(_comparison("assert_greater_equal"))

# The checks of signs by name: the comparison, whether zero is its first argument, and what holds.
SIGNS = {
    "assert_positive": ("assert_less", True, "> 0"),
    "assert_negative": ("assert_less", False, "< 0"),
    "assert_non_negative": ("assert_less_equal", True, ">= 0"),
    "assert_non_positive": ("assert_less_equal", False, "<= 0"),
}


def compare_with_zero(check: str, x, data=None, summarize: int | None = None, message: str | None = None, name: str | None = None):
    """Raises an error unless all elements have the sign of a check.

    Args:
      check: a name in `SIGNS`.
      x: numeric tensor.
      data, summarize, message, name: as for `compare`; with `data`, the message is not shown.

    Returns:
      None; in a graph the Operation.

    Raises:
      InvalidArgumentError: an element has another sign; raised while tracing if that is already known.
    """
    comparison, zero_first, what = SIGNS[check]
    with name_scope(name or check):
        x = _core.convert_to_tensor(x, name="x")
        if data is None:
            told = [f"Condition x {what} did not hold element-wise:", f"x ({describe(x, 'x')}) = "]
            # TensorFlow writes one of these errors without a line break.
            data = [prefix(message), *(["".join(told)] if check == "assert_non_positive" else told), x]
        zero = _core.convert_to_tensor(0, dtype=x.dtype)
        return compare(comparison, *((zero, x) if zero_first else (x, zero)), data, summarize)


def _sign_check(name: str):
    public = name

    def check(x, message=None, summarize=None, name=None):
        return compare_with_zero(public, x, None, summarize, message, name)

    check.__name__ = check.__qualname__ = public
    check.__doc__ = f"""Raises an error unless x {SIGNS[public][2]} for all elements. In a trace the check always runs.

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
    return check


check_positive = export("debugging.assert_positive")(_sign_check("assert_positive"))
export("debugging.assert_negative")(_sign_check("assert_negative"))
check_non_negative = export("debugging.assert_non_negative")(_sign_check("assert_non_negative"))
export("debugging.assert_non_positive")(_sign_check("assert_non_positive"))


def compare_nearly(x, y, rtol=None, atol=None, data=None, summarize: int | None = None, message: str | None = None,
                   name: str | None = None):
    """Raises an error unless |x - y| < atol + rtol * |y| for all elements.

    Args:
      x, y: floating or complex tensors of one dtype, which are broadcast together.
      rtol, atol: scalars of their real dtype; 10 times its machine epsilon by default.
      data, summarize, message, name: as for `compare`; with `data`, the message is not shown.

    Returns:
      None; in a graph the Operation.

    Raises:
      InvalidArgumentError: it does not hold.
      ValueError: the tensors are of another dtype.
    """
    with name_scope(name or "assert_near"):
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, dtype=x.dtype, name="y")
        dtype = x.dtype.real_dtype
        if not dtype.is_floating:
            raise ValueError(f"data type {dtype.as_numpy_dtype} not inexact")
        precision = 10 * EPSILONS[dtype.name]
        rtol = _core.convert_to_tensor(precision if rtol is None else rtol, dtype=dtype, name="rtol")
        atol = _core.convert_to_tensor(precision if atol is None else atol, dtype=dtype, name="atol")
        if data is None:
            data = [prefix(message), f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}",
                    f"x ({describe(x, 'x')}) = ", x, f"y ({describe(y, 'y')}) = ", y]
        tolerance = atol + rtol * abs(y)
        return assert_(all_of(_less(x=abs(x - y), y=tolerance)), data, summarize)


@export("debugging.assert_near")
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises an error unless |x - y| < atol + rtol * |y| for all elements.

    Args:
      x, y: floating or complex tensors of one dtype, which are broadcast together.
      rtol, atol: scalars of their real dtype; 10 times its machine epsilon by default.
      message: str in front of the error text.
      summarize: number of elements to show; 3 by default, -1 for all.
      name: name of the op.

    Returns:
      None; in a trace the Operation.

    Raises:
      InvalidArgumentError: the condition does not hold.
      ValueError: the tensors are of another dtype.

    Example:
      >>> import tracefn as tf
      >>> tf.debugging.assert_near(1.0, 1.0000001)
    """
    return compare_nearly(x, y, rtol, atol, None, summarize, message, name)


@export("debugging.assert_all_finite")
def assert_all_finite(x, message, name=None):
    """Returns `x` unchanged. Raises InvalidArgumentError with `message` if it contains Inf or NaN."""
    with name_scope(name or "VerifyFinite"):
        return _check(tensor=x, message=message)
