"""`tf.cond` and `tf.switch_case`."""

from __future__ import annotations

import re

from tracefn import _core, nest
from tracefn._control_flow.bodies import check_bool, convert_result, flatten, merged_structure, new_graph, pack
from tracefn._value_text import value_text
from tracefn.errors import InaccessibleTensorError
from tracefn.framework import executing_eagerly, is_tensor, name_scope
from tracefn.indexed_slices import IndexedSlices

_if = _core.raw_op("If")
_stateless_if = _core.raw_op("StatelessIf")
_case = _core.raw_op("Case")
_stateless_case = _core.raw_op("StatelessCase")
_identity = _core.raw_op("Identity")
_squeeze = _core.raw_op("Squeeze")


def _trace_branch(kind: str, scope: str, fn, op_value, traced, kind_names):
    """Traces one branch after those in `traced`: (its graph, the structure of its results)."""
    graph = new_graph(kind, scope)
    with _core.TargetContext(graph):
        try:
            value = fn()
        except InaccessibleTensorError as error:
            _name_branches(error, traced, kind_names)
            raise
        result = convert_result(value, graph, graph.capture(op_value) if op_value is not None else None)
    return graph, result


def _name_branches(error, traced, names) -> None:
    """Names the branches in the error of a branch that uses a tensor of an earlier one."""
    text = str(error)
    for (graph, _), name in zip(traced, names, strict=False):
        if f"it was defined in FuncGraph(name={graph.name}," in text:
            tensor = re.search(r"<tf.Tensor '(.*?)'", text)
            advice = text.partition("which is out of scope.")[2]
            error.args = (f"Tensor {tensor and tensor[1]} in {name} is accessed from {names[len(traced)]}.{advice}",)


def _add_outputs(graphs, results) -> list:
    """Makes the results of the branches outputs of their graphs, with one dtype for the indices of IndexedSlices."""
    flat = [nest.flatten(result) for result in results]
    for i, values in enumerate(zip(*flat, strict=True)):
        if all(isinstance(value, IndexedSlices) for value in values):
            _unify_indices(graphs, flat, i)
    results = [
        nest.pack_sequence_as(result, values) if nest.is_nested(result) else values[0]
        for result, values in zip(results, flat, strict=True)
    ]
    for graph, result in zip(graphs, results, strict=True):
        for tensor in flatten(result):
            graph.add_output(tensor)
    return results


def _unify_indices(graphs, flat, place: int) -> None:
    """Casts the indices of IndexedSlices to int64 if branches have different dtypes."""
    if len({values[place].indices.dtype for values in flat}) == 1:
        return
    for graph, values in zip(graphs, flat, strict=True):
        slices = values[place]
        if slices.indices.dtype != "int64":
            with _core.TargetContext(graph):
                indices = _core.raw_op("Cast")(x=slices.indices, DstT="int64")
                values[place] = IndexedSlices(slices.values, indices, slices.dense_shape)


def _merged_shapes(graphs) -> list:
    """The shapes of the results, as far as all branches agree."""
    shapes = []
    for outputs in zip(*(g.outputs for g in graphs), strict=True):
        shape = outputs[0].shape
        for other in outputs[1:]:
            shape = shape.most_specific_common_supertype([other.shape])
        shapes.append(shape)
    return shapes


def _check_same(names, results, graphs, public: str) -> None:
    """Checks that all branches return the same structure and dtypes."""
    for name, result, graph in zip(names[1:], results[1:], graphs[1:], strict=True):
        try:
            nest.assert_same_structure(results[0], result, expand_composites=True)
        except (TypeError, ValueError) as error:
            difference = str(error).partition("More specifically: ")[2].partition("\nEntire first structure:")[0]
            raise TypeError(
                f"{names[0]} and {name} arguments to {public} must have the same number, type, and overall structure of "
                f"return values.\n\n{names[0]} output: {results[0]}\n{name} output: {result}\n\nError details:\n{difference}"
            ) from None
        counts = [len(g.outputs) for g in (graphs[0], graph)]
        if counts[0] != counts[1]:  # None stands for no output
            op = "cond" if public == "tf.cond" else "case"
            raise ValueError(
                f"Lengths of branch outputs of {op} must match.\nlen(graphs[0].outputs): {counts[0]}\n"
                f"len(graphs[{graphs.index(graph)}].outputs): {counts[1]}"
            )
        for first, second in zip(graphs[0].outputs, graph.outputs, strict=True):
            if first.dtype != second.dtype:
                raise TypeError(
                    f"{names[0]} and {name} arguments to {public} must have the same number, type, and overall structure "
                    f"of return values.\n\n{names[0]} output: {first}\n{name} output: {second}\n\nError details:\n"
                    f"{first} and {second} have different types"
                )


def _finished(traced, names, public: str):
    """(graphs, results) of traced branches, checked, with the results as outputs."""
    graphs = [graph for graph, _ in traced]
    _check_counts([result for _, result in traced], names, public)
    _check_composites([result for _, result in traced], public)
    results = _add_outputs(graphs, [result for _, result in traced])
    _check_same(names, results, graphs, public)
    results[0] = merged_structure(results[0], results[1:])
    return graphs, results


def _check_counts(results, names, public: str) -> None:
    """Checks that all branches return the same number of values, before anything else."""
    counts = [len(nest.flatten(result)) for result in results]
    if len(set(counts)) > 1:
        returned = "".join(f"\n{name} output: {result}" for name, result in zip(names, results, strict=True))
        raise AssertionError(
            f"{counts}: {' and '.join(names)} arguments to {public} must have the same number, type, and overall structure "
            f"of return values.\n{returned}"
        )


def _check_composites(results, public: str) -> None:
    """Checks that a value is IndexedSlices in all branches or in none."""
    flat = [nest.flatten(result) for result in results]
    for i, values in enumerate(zip(*flat, strict=True)):
        if len({isinstance(value, IndexedSlices) for value in values}) > 1:
            raise TypeError(f"Cannot reconcile {public} {i}-th outputs:\n  branches returned: {values}")


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
      pred: scalar bool tensor; eagerly also a number or string, as in an if statement.
      true_fn, false_fn: callables without arguments; both return the same structure and dtypes.
      name: str, the node's name.

    Returns:
      The result of the selected function; while tracing, tensors in the same structure.

    Raises:
      TypeError: a function is missing or not callable, or the results differ in structure or dtype.
      AssertionError: the results differ in their number of values.
      InvalidArgumentError: while tracing, `pred` is not of type bool.

    Example:
      >>> import tracefn as tf
      >>> int(tf.cond(tf.constant(2) > 1, lambda: tf.constant(1), lambda: tf.constant(0)))
      1
    """
    for role, fn in (("true_fn", true_fn), ("false_fn", false_fn)):
        if fn is None:
            raise TypeError(f"cond(): '{role}' argument required")
        if not callable(fn):
            raise TypeError(f"'{role}' must be callable.")
    if executing_eagerly():
        return true_fn() if (pred if is_tensor(pred) else _core.convert_to_tensor(pred)) else false_fn()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with name_scope(name or "cond") as scope:
        pred = _core.convert_to_tensor(pred)
        check_bool(pred, "pred", "cond/switch_pred", "Switch; signature=data:T, pred:bool -> output_false:T, output_true:T; attr=T:type")
        if pred.shape.rank != 0:
            pred = _squeeze(input=pred)  # one element suffices
        names = ["true_fn", "false_fn"]
        traced: list = []
        for kind, fn in (("true", true_fn), ("false", false_fn)):
            traced.append(_trace_branch(kind, scope, fn, pred, traced, names))
        graphs, results = _finished(traced, names, "tf.cond")
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
      AssertionError: the results differ in their number of values.

    Example:
      >>> import tracefn as tf
      >>> int(tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]))
      20
    """
    if not is_tensor(branch_index):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    branches = _indexed_branches(branch_fns, default)
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if executing_eagerly():
        index = int(_core.convert_to_tensor(branch_index))
        return branches[index if 0 <= index < len(branches) else -1]()
    with name_scope(name), name_scope("indexed_case") as scope:
        index = _core.convert_to_tensor(branch_index)
        numbers = [f"branch {i}" for i in range(len(branches))]
        traced: list = []
        for i, fn in enumerate(branches):
            traced.append(_trace_branch(f"branch{i}", scope, fn, index, traced, numbers))
        graphs, results = _finished(traced, [f"branches[{i}]" for i in range(len(branches))], "tf.switch_case")
        return emit_branches(
            (_case, _stateless_case), {"branch_index": index}, graphs, results, scope, lambda g: {"branches": g}
        )


def _indexed_branches(branch_fns, default) -> list:
    """The branches in order, the default last."""
    if not branch_fns and not isinstance(branch_fns, _core.Tensor):
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict. Received branch_fns=" + value_text(branch_fns))
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    pairs = list(pairs)
    if all(callable(fn) for fn in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in 'branch_fns' must be a 2-tuple. Received " + value_text(pair) + ".")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}: Key {value_text(pair[0])} in `branch_fns`")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {value_text(pair[0])} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        shown = ",".join(map(str, keys))
        raise ValueError(f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found {{{shown}}}")
    table = dict(pairs)
    return [table[k] for k in keys] + ([default] if default is not None else [])
