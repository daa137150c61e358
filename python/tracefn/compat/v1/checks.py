"""The assertions of `tf.compat.v1`, which take tensors to show, and return Operations to depend on."""

from __future__ import annotations

from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.framework import control_dependencies
from tracefn.ops.debugging import COMPARISONS, SIGNS, compare, compare_nearly, compare_with_zero
from tracefn.ops.debugging_static import check_integer, check_rank, check_scalar, check_type

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


def _comparison(public: str) -> None:
    def check(x, y, data=None, summarize=None, message=None, name=None):
        return compare(public, x, y, data, summarize, message, name)

    check.__name__ = check.__qualname__ = public
    what = _ARGUMENTS.format(values="x, y: tensors of one dtype, which are broadcast together.")
    check.__doc__ = f"Raises an error unless x {COMPARISONS[public][1]} y for all elements.\n{what}"
    export(f"compat.v1.{public}")(check)


def _sign_check(public: str) -> None:
    def check(x, data=None, summarize=None, message=None, name=None):
        return compare_with_zero(public, x, data, summarize, message, name)

    check.__name__ = check.__qualname__ = public
    what = _ARGUMENTS.format(values="x: numeric tensor.")
    check.__doc__ = f"Raises an error unless x {SIGNS[public][2]} for all elements.\n{what}"
    export(f"compat.v1.{public}")(check)


for _public in COMPARISONS:
    _comparison(_public)
for _public in SIGNS:
    _sign_check(_public)


@export("compat.v1.assert_near")
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Raises an error unless |x - y| < atol + rtol * |y| for all elements.

    Args:
      x, y: floating or complex tensors of one dtype, which are broadcast together.
      rtol, atol: relative and absolute tolerance; ten times the dtype's precision by default.
      data: list of tensors to show instead of the arguments, or None.
      summarize, message, name: as for `tf.debugging.assert_near`.

    Raises:
      InvalidArgumentError: it is not so.
    """
    return compare_nearly(x, y, rtol, atol, data, summarize, message, name)


def _rank_check(public: str) -> None:
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        return check_rank(public, x, [rank], data, summarize, message, name)

    def check_in(x, ranks, data=None, summarize=None, message=None, name=None):
        return check_rank(public, x, ranks, data, summarize, message, name)

    chosen = check_in if public == "assert_rank_in" else check
    chosen.__name__ = chosen.__qualname__ = public
    chosen.__doc__ = f"""`tf.debugging.{public}`, which can show other tensors.

    Args:
      x: tensor.
      {"ranks: sequence of ints" if public == "assert_rank_in" else "rank: int"}.
      data, summarize: tensors to show if the rank is known only at run time.
      message: str in front of the error text.
      name: name of the op.

    Returns:
      None eagerly; else the Operation.

    Raises:
      ValueError: the static rank is another.
      InvalidArgumentError: the rank is another.
    """
    export(f"compat.v1.{public}")(chosen)


for _public in ("assert_rank", "assert_rank_at_least", "assert_rank_in"):
    _rank_check(_public)


@export("compat.v1.assert_integer")
def assert_integer(x, message=None, name=None):
    """`tf.debugging.assert_integer`; returns an Operation in graphs."""
    return check_integer(x, message, name)


@export("compat.v1.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    """`tf.debugging.assert_type`; returns an Operation in graphs."""
    return check_type(tensor, tf_type, message, name)


@export("compat.v1.assert_scalar")
def assert_scalar(tensor, name=None, message=None):
    """`tf.debugging.assert_scalar`, with another order of arguments; returns the tensor."""
    return check_scalar(tensor, message, name)


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
