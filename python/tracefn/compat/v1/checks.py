"""The assertions of `tf.compat.v1`, which take tensors to show, and return Operations to depend on."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as _np
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.framework import control_dependencies, executing_eagerly, get_static_value
from tracefn.ops.debugging import all_of, assert_, fail

_ARGUMENTS = """
    Args:
      {values}
      data: list of tensors to show instead of the arguments, or None.
      summarize: number of elements to show of each; 3 by default.
      message: str in front of the error text; checks of signs show it only without `data`.
      name: name of the op.

    Returns:
      None eagerly; else the Operation, for `tf.control_dependencies`.

    Raises:
      InvalidArgumentError: it is not so.
    """


def _with_data(condition, inputs, data, summarize, message):
    """Checks a condition, and shows `data` if it does not hold."""
    data = ([] if message is None else [message]) + list(data)
    if executing_eagerly():
        if not bool(_np.all(condition.numpy())):
            fail("\n".join(_shown(x, 3 if summarize is None else summarize) for x in data))
        return None
    values = [get_static_value(x) for x in inputs]
    condition = all_of(condition)
    known = get_static_value(condition) if all(v is not None for v in values) else None
    if known is not None and not bool(known):
        fail("\n".join(str(x if get_static_value(x) is None else get_static_value(x)) for x in data))
    return assert_(condition, data, summarize)


def _shown(x, count: int) -> str:
    if not isinstance(x, _core.Tensor):
        return str(x)
    flat = x.numpy().reshape(-1) if x.shape.rank else x.numpy()
    return str(flat if not x.shape.rank or count < 0 else flat[:count])


def _operation(checked):
    """What programs depend on: in graphs always an Operation."""
    return checked if checked is not None or executing_eagerly() else today("no_op")()


def _binary(public: str, op_name: str, sign: str) -> None:
    def check(x, y, data=None, summarize=None, message=None, name=None):
        if x is y and public == "assert_equal":
            return _operation(None)
        if data is None:
            return _operation(today(f"debugging.{public}")(x, y, message=message, summarize=summarize, name=name))
        with _core.OpScope(name or public):
            x = _core.convert_to_tensor(x, name="x")
            y = _core.convert_to_tensor(y, name="y", dtype=x.dtype)
            return _operation(_with_data(_core.raw_op(op_name)(x=x, y=y), (x, y), data, summarize, message))

    check.__name__ = check.__qualname__ = public
    what = _ARGUMENTS.format(values="x, y: tensors of one dtype, which are broadcast together.")
    check.__doc__ = f"Raises an error unless x {sign} y for all elements.\n{what}"
    export(f"compat.v1.{public}")(check)


for _public, _op_name, _sign in (
    ("assert_equal", "Equal", "=="),
    ("assert_none_equal", "NotEqual", "!="),
    ("assert_less", "Less", "<"),
    ("assert_less_equal", "LessEqual", "<="),
    ("assert_greater", "Greater", ">"),
    ("assert_greater_equal", "GreaterEqual", ">="),
):
    _binary(_public, _op_name, _sign)


def _sign_check(public: str, op_name: str, zero_first: bool, what: str) -> None:
    def check(x, data=None, summarize=None, message=None, name=None):
        if data is None:
            return _operation(today(f"debugging.{public}")(x, message=message, summarize=summarize, name=name))
        with _core.OpScope(name or public):
            x = _core.convert_to_tensor(x, name="x")
            zero = _core.convert_to_tensor(0, dtype=x.dtype)
            holds = _core.raw_op(op_name)(x=zero, y=x) if zero_first else _core.raw_op(op_name)(x=x, y=zero)
            return _operation(_with_data(holds, (x,), data, summarize, None))

    check.__name__ = check.__qualname__ = public
    check.__doc__ = f"Raises an error unless all elements are {what}.\n{_ARGUMENTS.format(values='x: numeric tensor.')}"
    export(f"compat.v1.{public}")(check)


for _public, _op_name, _zero_first, _what in (
    ("assert_negative", "Less", False, "negative"),
    ("assert_positive", "Less", True, "positive"),
    ("assert_non_positive", "LessEqual", False, "not positive"),
    ("assert_non_negative", "LessEqual", True, "not negative"),
):
    _sign_check(_public, _op_name, _zero_first, _what)


@export("compat.v1.assert_near")
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Raises an error unless |x - y| <= atol + rtol * |y| for all elements.

    Args:
      x, y: floating tensors of one dtype, which are broadcast together.
      rtol, atol: relative and absolute tolerance; ten times the dtype's precision by default.
      data: list of tensors to show instead of the arguments, or None.
      summarize, message, name: as for `tf.debugging.assert_near`.

    Raises:
      InvalidArgumentError: it is not so.
    """
    if data is None:
        return _operation(today("debugging.assert_near")(x, y, rtol, atol, message, summarize, name))
    with _core.OpScope(name or "assert_near"):
        x = _core.convert_to_tensor(x, name="x")
        y = _core.convert_to_tensor(y, name="y", dtype=x.dtype)
        precision = 10 * (2.0**-7 if x.dtype == "bfloat16" else float(_np.finfo(x.dtype.as_numpy_dtype).eps))
        relative = today("constant")(precision if rtol is None else rtol, x.dtype)
        absolute = today("constant")(precision if atol is None else atol, x.dtype)
        holds = today("abs")(x - y) <= absolute + relative * today("abs")(y)
        return _operation(_with_data(holds, (x, y), data, summarize, message))


def _rank_check(public: str, second: str) -> None:
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        if data is None:
            return _operation(today(f"debugging.{public}")(x, rank, message=message, name=name))
        known = _core.convert_to_tensor(x).shape.rank
        if known is not None:
            return _operation(today(f"debugging.{public}")(x, rank, message=message, name=name))
        with _core.OpScope(name or public):
            have = today("rank")(x)
            if public == "assert_rank_in":
                holds = today("reduce_any")(today("stack")([today("equal")(have, r) for r in rank]))
            else:
                holds = today("equal" if public == "assert_rank" else "greater_equal")(have, rank)
            return _operation(_with_data(holds, (have,), data, summarize, message))

    def checks(x, ranks, data=None, summarize=None, message=None, name=None):
        return check(x, ranks, data, summarize, message, name)

    chosen = checks if second == "ranks" else check
    chosen.__name__ = chosen.__qualname__ = public
    chosen.__doc__ = f"""`tf.debugging.{public}`, which can show other tensors.

    Args:
      x: tensor.
      {second}: the rank, or several.
      data, summarize: tensors to show if the rank is known only at run time.
      message: str in front of the error text.
      name: name of the op.

    Raises:
      ValueError: the static rank is another.
      InvalidArgumentError: the rank is another.
    """
    export(f"compat.v1.{public}")(chosen)


_rank_check("assert_rank", "rank")
_rank_check("assert_rank_at_least", "rank")
_rank_check("assert_rank_in", "ranks")


@export("compat.v1.assert_integer")
def assert_integer(x, message=None, name=None):
    """`tf.debugging.assert_integer`; returns an Operation in graphs."""
    return _operation(today("debugging.assert_integer")(x, message, name))


@export("compat.v1.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    """`tf.debugging.assert_type`; returns an Operation in graphs."""
    return _operation(today("debugging.assert_type")(tensor, tf_type, message, name))


@export("compat.v1.assert_scalar")
def assert_scalar(tensor, name=None, message=None):
    """`tf.debugging.assert_scalar`, with another order of arguments; returns the tensor."""
    tensor = _core.convert_to_tensor(tensor)
    today("debugging.assert_scalar")(tensor, message, name)
    return tensor


@export("compat.v1.assert_variables_initialized")
def assert_variables_initialized(var_list=None):
    """An op that fails if a Variable has no value.

    Args:
      var_list: list of Variables; those of the graph by default.

    Returns:
      The op; None if there are no Variables.
    """
    if var_list is None:
        var_list = today("compat.v1.global_variables")() + today("compat.v1.local_variables")()
    if not var_list:
        return None
    values = [today("compat.v1.is_variable_initialized")(v) for v in var_list]
    ready = today("reduce_all")(today("stack")(values))
    checked = today("Assert")(ready, ["Attempting to use an uninitialized value"])
    with control_dependencies([] if checked is None else [checked]):
        return today("identity")(ready)
