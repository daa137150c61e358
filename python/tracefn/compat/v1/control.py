"""Control flow of `tf.compat.v1`: conditionals and loops with old arguments, and contexts that have no effect here."""

from __future__ import annotations

import contextlib
import functools

from tracefn import _core
from tracefn._control_flow.loop import checked, run_eagerly
from tracefn._device import placed_on_or_by
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.switches import behaves_as_v2
from tracefn.framework import default_graph, executing_eagerly, inside_function


@export("compat.v1.cond")
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """`tf.cond`, whose functions were called `fn1` and `fn2`.

    Eagerly, and in graphs after `disable_v2_behavior`, lists of one result become the result, unless `strict`.

    Raises:
      TypeError: a function is missing or given by both names.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.cond(tf.constant(True), fn1=lambda: [1], fn2=lambda: [2]))
      1
    """
    true_fn = _function("true_fn", true_fn, "fn1", fn1)
    false_fn = _function("false_fn", false_fn, "fn2", fn2)
    unpacks = executing_eagerly() or not (behaves_as_v2() or inside_function())
    take = functools.partial(_unpacked, strict or not unpacks)
    return today("cond")(pred, functools.partial(take, true_fn), functools.partial(take, false_fn), name)


def _function(name: str, given, old_name: str, old):
    if old is not None and given is not None:
        raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
    function = given if old is None else old
    if function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")
    return function


def _unpacked(strict, function):
    result = function()
    return result[0] if type(result) in (list, tuple) and len(result) == 1 and not strict else result


@export("compat.v1.case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """`tf.case`, which also takes a dict from predicates to functions in graphs.

    Args:
      pred_fn_pairs: list of pairs, or dict, of scalar bool tensors and functions.
      default: function for the case that all are false.
      exclusive: whether at most one may be true.
      strict: accepted: results keep their structure.
      name: name of the op.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.case([(tf.constant(False), lambda: 1)], default=lambda: 2))
      2
    """
    if isinstance(pred_fn_pairs, dict) and not executing_eagerly():
        pred_fn_pairs = sorted(pred_fn_pairs.items(), key=lambda pair: pair[0].name)
    return today("case")(pred_fn_pairs, default, exclusive, strict, name)


@export("compat.v1.while_loop")
def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
    maximum_iterations=None,
    return_same_structure=False,
):
    """`tf.while_loop`, which returns a single loop variable by itself, unless `return_same_structure`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0]))
      3
    """
    if executing_eagerly():
        variables = checked(cond, body, loop_vars, parallel_iterations)
        return run_eagerly(cond, body, variables, maximum_iterations, alone=not return_same_structure)
    result = today("while_loop")(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    if return_same_structure or not isinstance(result, (list, tuple)):
        return result
    return result[0] if len(result) == 1 else result


@export("compat.v1.map_fn")
def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """`tf.map_fn`."""
    return today("map_fn")(
        fn, elems, dtype, parallel_iterations, back_prop, swap_memory, infer_shape, name, fn_output_signature
    )


@export("compat.v1.foldl")
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """`tf.foldl`."""
    return today("foldl")(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


@export("compat.v1.foldr")
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """`tf.foldr`."""
    return today("foldr")(fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


@export("compat.v1.scan")
def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """`tf.scan`."""
    return today("scan")(
        fn, elems, initializer, parallel_iterations, back_prop, swap_memory, infer_shape, reverse, name
    )


@export("compat.v1.device")
def device(device_name_or_function):
    """`tf.device` for the current graph, or for eager ops; in a graph it takes functions too.

    Args:
      device_name_or_function: as `tf.device` takes it; or, in a graph, a function that is called with the Operation of each
        node that is made in the graph itself, not in bodies of branches and loops. Its `device` is that of the contexts
        within; the function returns its device: a str or a `tf.DeviceSpec`.

    Raises:
      RuntimeError: a function is given for eager ops.
      TypeError: raised where a node is made: the function returned something else.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.device("/cpu:0"):
      ...     print(int(tf.constant(2)))
      2
    """
    return placed_on_or_by(_core.current_graph(), device_name_or_function)


@export("compat.v1.colocate_with")
def colocate_with(op, ignore_existing=False):
    """A context that places ops on the device of another. There is one device: in a graph they say so, eagerly nothing happens.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.colocate_with(tf.constant(1)):
      ...     print(int(tf.constant(2)))
      2
    """
    if executing_eagerly():
        return contextlib.nullcontext()
    return default_graph().colocate_with(op, ignore_existing)


@export("compat.v1.container")
@contextlib.contextmanager
def container(container_name):
    """A context for a resource container; without effect.

    Example:
      >>> import tracefn as tf
      >>> with tf.compat.v1.container("experiment") as name:
      ...     print(name)
      experiment
    """
    yield container_name


@export("compat.v1.op_scope")
@contextlib.contextmanager
def op_scope(values, name, default_name=None):
    """`tf.compat.v1.name_scope`, with another order of arguments."""
    del values
    with today("name_scope")((default_name if name is None else name) or "") as scope:
        yield scope


@export("compat.v1.Print")
def print_op(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, after some tensors were printed to the standard error stream.

    Args:
      input_: tensor.
      data: list of tensors.
      message: str in front.
      first_n: how often to print; None: always.
      summarize: number of elements to print of each; 3 by default.
      name: name of the op.

    Example:
      >>> import tracefn as tf
      >>> int(tf.compat.v1.Print(tf.constant(2), [tf.constant(3)], "value: "))
      2
    """
    return _core.raw_op("Print")(
        input=input_,
        data=[_core.convert_to_tensor(x) for x in data],
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )


@export("compat.v1.autograph.to_graph")
def to_graph(entity, recursive=True, arg_values=None, arg_types=None, experimental_optional_features=None):
    """`tf.autograph.to_graph`. `arg_values` and `arg_types` are accepted, without effect."""
    del arg_values, arg_types
    return today("autograph.to_graph")(entity, recursive, experimental_optional_features)


@export("compat.v1.autograph.to_code")
def to_code(
    entity,
    recursive=True,
    arg_values=None,
    arg_types=None,
    indentation="  ",
    experimental_optional_features=None,
):
    """`tf.autograph.to_code`. `arg_values`, `arg_types` and `indentation` are accepted, without effect."""
    del arg_values, arg_types, indentation
    return today("autograph.to_code")(entity, recursive, experimental_optional_features)
