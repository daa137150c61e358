"""`tf.cond` and `tf.switch_case`."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._control_flow.bodies import convert_result, flatten, new_graph, pack
from tracefn._value_text import value_text
from tracefn.framework import executing_eagerly, is_tensor, name_scope

_if = _core.raw_op("If")
_stateless_if = _core.raw_op("StatelessIf")
_case = _core.raw_op("Case")
_stateless_case = _core.raw_op("StatelessCase")
_identity = _core.raw_op("Identity")
_squeeze = _core.raw_op("Squeeze")


def _trace_branch(kind: str, fn, op_value):
    """Traces one branch: (its graph, the structure of its results)."""
    graph = new_graph(kind)
    with _core.TargetContext(graph):
        result = convert_result(fn(), graph, graph.capture(op_value) if op_value is not None else None)
        for tensor in flatten(result):
            graph.add_output(tensor)
    return graph, result


def _merged_shapes(graphs) -> list:
    """The shapes of the results, as far as all branches agree."""
    shapes = []
    for outputs in zip(*(g.outputs for g in graphs), strict=True):
        shape = outputs[0].shape
        for other in outputs[1:]:
            shape = shape.most_specific_common_supertype([other.shape])
        shapes.append(shape)
    return shapes


def _check_same(names, results, graphs) -> None:
    """Checks that all branches return the same structure and dtypes."""
    for name, result, graph in zip(names[1:], results[1:], graphs[1:], strict=True):
        try:
            nest.assert_same_structure(results[0], result, expand_composites=True)
        except (TypeError, ValueError) as error:
            difference = str(error).partition("More specifically: ")[2].partition("\nEntire first structure:")[0]
            raise TypeError(
                f"{names[0]} and {name} arguments to tf.cond must have the same number, type, and overall structure of "
                f"return values.\n\n{names[0]} output: {results[0]}\n{name} output: {result}\n\nError details:\n{difference}"
            ) from None
        counts = [len(g.outputs) for g in (graphs[0], graph)]
        if counts[0] != counts[1]:  # None stands for no output
            raise ValueError(
                f"Lengths of branch outputs of cond must match.\nlen(graphs[0].outputs): {counts[0]}\n"
                f"len(graphs[{graphs.index(graph)}].outputs): {counts[1]}"
            )
        for first, second in zip(graphs[0].outputs, graph.outputs, strict=True):
            if first.dtype != second.dtype:
                raise TypeError(
                    f"{names[0]} and {name} arguments to tf.cond must have the same number, type, and overall structure "
                    f"of return values.\n\n{names[0]} output: {first}\n{name} output: {second}\n\nError details:\n"
                    f"Tensor types differ: {first.dtype.name} and {second.dtype.name}"
                )


def emit_branches(op_pair, index, graphs, results, scope: str, make_attrs):
    """Adds one node that selects among traced branches.

    Args:
      op_pair: (stateful op, stateless op).
      index: the selecting tensor.
      graphs: branch graphs, with equal outputs.
      results: structures of the branches' results.
      scope: the node's name scope, ending in "/".
      make_attrs: function from the graphs to the attributes that hold the branches.

    Returns:
      The outputs of the node, in the structure of the first result.
    """
    inputs = _core.align_captures(graphs)
    op = op_pair[0] if any(g.has_effects for g in graphs) else op_pair[1]
    outputs = op(
        **make_attrs(graphs),
        input=inputs,
        Tout=[t.dtype for t in graphs[0].outputs],
        output_shapes=_merged_shapes(graphs),
        name=scope,
        **index,
    )
    if isinstance(outputs, _core.Operation):
        return outputs if results[0] is None else results[0]
    return pack(results[0], [_identity(input=t) for t in outputs])


def cond(pred, true_fn=None, false_fn=None, name=None):
    """Runs `true_fn` if `pred` is true, else `false_fn`; while tracing, adds one If node.

    Args:
      pred: scalar bool tensor; a number is true if it is not zero.
      true_fn, false_fn: callables without arguments; both return the same structure and dtypes.
      name: str, the node's name.

    Returns:
      The result of the selected function; while tracing, tensors in the same structure.

    Raises:
      TypeError: a function is not callable, or the results differ in structure or dtype.

    Example:
      >>> import tracefn as tf
      >>> int(tf.cond(tf.constant(2) > 1, lambda: tf.constant(1), lambda: tf.constant(0)))
      1
    """
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if executing_eagerly():
        return true_fn() if pred else false_fn()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with name_scope(name or "cond") as scope:
        pred = _core.convert_to_tensor(pred)
        if pred.shape.rank != 0:
            pred = _squeeze(input=pred)  # one element suffices
        true_graph, true_result = _trace_branch("cond_true", true_fn, pred)
        false_graph, false_result = _trace_branch("cond_false", false_fn, pred)
        graphs, results = [true_graph, false_graph], [true_result, false_result]
        _check_same(["true_fn", "false_fn"], results, graphs)
        return emit_branches(
            (_if, _stateless_if),
            {"cond": pred},
            graphs,
            results,
            scope,
            lambda g: {"then_branch": g[0], "else_branch": g[1]},
        )


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Runs the function at `branch_index`; while tracing, adds one Case node.

    Args:
      branch_index: scalar int32 tensor.
      branch_fns: list of callables, or of (int, callable) pairs, or a dict from int to callable.
      default: callable for any other index; None means the last of `branch_fns`.
      name: str, the node's name.

    Returns:
      The result of the selected function.

    Raises:
      TypeError, ValueError: `branch_fns` is not such a collection, or keys are missing or repeated.

    Example:
      >>> import tracefn as tf
      >>> int(tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]))
      20
    """
    branches = _indexed_branches(branch_fns, default)
    if not is_tensor(branch_index):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if executing_eagerly():
        index = int(_core.convert_to_tensor(branch_index))
        return branches[index if 0 <= index < len(branches) else -1]()
    with name_scope(name) as scope:
        index = _core.convert_to_tensor(branch_index)
        traced = [_trace_branch(f"{name}_branch{i}", fn, index) for i, fn in enumerate(branches)]
        graphs, results = [g for g, _ in traced], [r for _, r in traced]
        _check_same([f"branch {i}" for i in range(len(branches))], results, graphs)
        return emit_branches(
            (_case, _stateless_case), {"branch_index": index}, graphs, results, scope, lambda g: {"branches": g}
        )


def _indexed_branches(branch_fns, default) -> list:
    """The branches in order, the default last."""
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a dict, list, or tuple. Received branch_fns=" + value_text(branch_fns))
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    pairs = list(pairs)
    if all(callable(fn) for fn in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in 'branch_fns' must be a 2-tuple. Received " + value_text(pair))
        if not isinstance(pair[0], int):
            raise TypeError("Key " + value_text(pair[0]) + " in `branch_fns` must be a Python `int`.")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {value_text(pair[0])} must be callable.")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        shown = ",".join(map(str, keys))
        raise ValueError(f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found {{{shown}}}")
    table = dict(pairs)
    return [table[k] for k in keys] + ([default] if default is not None else [])
