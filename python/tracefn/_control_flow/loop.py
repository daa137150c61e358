"""`tf.while_loop`."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._control_flow.bodies import (
    check_bool,
    convert_result,
    flatten,
    is_composite,
    loop_structure,
    new_graph,
    pack,
    shapes_in,
)
from tracefn._known_variables import values_of_variables
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly, name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.type_spec import TypeSpec

_while = _core.raw_op("While")
_stateless_while = _core.raw_op("StatelessWhile")
_add = _core.raw_op("AddV2")
_stop_gradient = _core.raw_op("StopGradient")
_less = _core.raw_op("Less")


def _check_structure(loop_vars, result, expand_composites: bool) -> None:
    """Checks that the body returns the structure that it received."""
    try:
        nest.assert_same_structure(loop_vars, result, expand_composites=expand_composites)
    except (TypeError, ValueError) as error:
        same, _, _ = str(error).partition("\nEntire first structure:")
        raise type(error)(f"{same}\nThe first is what the loop began with, the second what its body returned.") from None


def _limit(maximum_iterations) -> int | None:
    """The number of iterations that an eager loop runs at most; None: any number."""
    if maximum_iterations is None:
        return None
    limit = _core.convert_to_tensor(maximum_iterations, name="maximum_iterations")
    if limit.shape.rank != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(limit)


def run_eagerly(cond, body, loop_vars, maximum_iterations, alone: bool = False):
    """Runs a loop in Python.

    Args:
      alone: whether the body may return the only loop variable by itself, as for `compat.v1.while_loop`. With
        `maximum_iterations` it must.

    Returns:
      The last result of the body with tensors in it.
    """
    limit = _limit(maximum_iterations)
    first = loop_vars = values_of_variables(loop_vars)
    alone = alone and len(first) == 1
    packed = alone and limit is not None
    done = 0
    while cond(*loop_vars):
        if limit is not None and done >= limit:
            break
        result = body(*loop_vars)
        packed = packed or (alone and not isinstance(result, (list, tuple)))
        loop_vars = type(first)([result]) if packed else result
        if limit is None:
            _check_structure(list(first), list(loop_vars), expand_composites=False)
        else:  # TensorFlow's variables are a counter and these: a list must remain one
            _check_structure([first], [loop_vars], expand_composites=False)
        done += 1
    kept = (_core.Tensor, CompositeTensor, type(None))
    loop_vars = nest.map_structure(lambda x: x if isinstance(x, kept) else _core.convert_to_tensor(x), loop_vars)
    return loop_vars[0] if packed else loop_vars


def _known_inside(tensor, shape) -> TensorShape:
    """What is known in a loop of the shape of a variable with the invariant `shape`: nothing if what enters does not fit.

    TensorFlow compares only the body's result with the invariant.
    """
    return shape if tensor.shape.is_compatible_with(shape) else TensorShape(None)


def _structure_inside(given, loop_vars, shape_invariants) -> tuple:
    """(the structure of the loop variables inside the loop, with specs for composite values; the static shape of each
    tensor there)."""
    if shape_invariants is None:
        structure = loop_structure(list(loop_vars))
        return structure, shapes_in(structure)
    nest.map_structure(lambda *_: 0, given, shape_invariants)  # raises an error if they differ
    inside: list = []
    shapes: list = []
    leaves = nest.flatten(list(loop_vars))
    for leaf, invariant in zip(leaves, nest.flatten(list(shape_invariants)), strict=True):
        _check_invariant(leaf, invariant)
        parts = flatten(leaf)
        if is_composite(leaf):
            spec = invariant if isinstance(invariant, TypeSpec) else _spec_with(leaf, invariant)
            inside.append(spec)
            shapes.extend(shapes_in(spec))
            continue
        inside.append(leaf)
        if isinstance(invariant, TypeSpec):
            shapes.extend(spec.shape for spec in nest.flatten(invariant, expand_composites=True))
        elif len(parts) == 1 and parts[0] is leaf:
            shapes.append(TensorShape(invariant))
        else:
            shapes.extend(part.shape for part in parts)
    return nest.pack_sequence_as(list(loop_vars), inside), shapes


def _check_invariant(value, invariant) -> None:
    """Checks that an invariant is of a type that describes shapes, and fits the value that enters the loop."""
    if isinstance(invariant, TypeSpec):
        if not invariant.is_compatible_with(value):
            raise TypeError(f"TypeSpec {invariant} is not compatible with {value}")
    elif not (invariant is None or isinstance(invariant, TensorShape)):
        raise TypeError(f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(invariant)}")


def _spec_with(value, shape):
    """The spec of a composite value in a loop with a shape invariant."""
    if shape is None:
        return value._type_spec
    try:
        return value._shape_invariant_to_type_spec(shape)
    except NotImplementedError as error:
        kind, spec = type(value).__name__, type(value._type_spec).__name__
        raise TypeError(f"To describe or constrain a {kind}, use a {spec} instead of a TensorShape.") from error


def _name(tensor) -> str:
    """The name of a tensor in messages; one that was made eagerly has only a number."""
    return f"{id(tensor)}:0" if isinstance(tensor, _core.EagerTensor) else tensor.name


def _one_truth(result):
    """What the condition of a loop returned, as a tensor."""
    values = flatten(result)
    if len(values) != 1:
        raise AssertionError(f"cond_graph has {len(values)} outputs; Expected: 1: the condition returned {result}.")
    return _core.convert_to_tensor(values[0])


def _check_body(tensors, shapes, results) -> None:
    """Checks that the body returns the dtypes and shapes that it received."""
    for before, shape, after in zip(tensors, shapes, results, strict=True):
        if before.dtype != after.dtype:
            raise TypeError(
                f"Loop var {_name(before)} enters the loop with type {before.dtype} but has type {after.dtype} "
                f"after 1 iteration. {_name(before)} type should remain constant."
            )
        inside = _known_inside(before, shape) if after.shape.rank is None else shape
        if not after.shape.is_subtype_of(inside):
            raise ValueError(
                f"Input tensor `{_name(before)}` enters the loop with shape {shape}, but has shape {after.shape} after one "
                "iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument of "
                "tf.while_loop to specify a less-specific shape."
            )


def checked(cond, body, loop_vars, parallel_iterations):
    """The loop variables as a list or tuple.

    Raises:
      TypeError: an argument of `while_loop` has a wrong type.
      ValueError: there are no loop variables.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if executing_eagerly() and not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if len(loop_vars) == 0:  # raises for a scalar, and for any tensor of a graph
        raise ValueError("No loop variables provided.")
    return loop_vars if isinstance(loop_vars, (list, tuple)) else list(loop_vars)


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
):
    """Repeats `body` while `cond` is true. While tracing, adds one While node; eagerly, runs a Python loop.

    Args:
      cond: callable that takes the loop variables and returns a scalar bool tensor.
      body: callable that takes the loop variables and returns the same structure, shapes and dtypes.
      loop_vars: list or tuple of nests of tensors.
      shape_invariants: structure like `loop_vars` with the shape of each tensor inside the loop; None: no shape changes.
      parallel_iterations: accepted, without effect; iterations run one after the other.
      back_prop: False stops gradients from flowing through a loop in a graph.
      swap_memory: accepted, without effect.
      maximum_iterations: scalar int, or None for no limit.
      name: str, the node's name.

    Returns:
      The values after the last iteration, in a structure like `loop_vars`; just the tensor if `loop_vars` is a list of one
      tensor.

    Raises:
      TypeError: `cond` or `body` is not callable, `loop_vars` is a tensor, or a variable changes its dtype.
      ValueError: there are no loop variables, or a structure or shape changes.
      AssertionError: while tracing, `cond` does not return one value, or `body` returns None for a variable.
      InvalidArgumentError: while tracing, `cond` returns a tensor of another type than bool.

    Example:
      >>> import tracefn as tf
      >>> int(tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (tf.constant(0),))[0])
      3
    """
    del swap_memory
    loop_vars = checked(cond, body, loop_vars, parallel_iterations)
    if executing_eagerly():
        return run_eagerly(cond, body, loop_vars, maximum_iterations)
    result = _emit(cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, name)
    if back_prop:
        return result
    return pack(result, [_stop_gradient(input=t) for t in flatten(result)])


def _emit(cond, body, loop_vars, shape_invariants, parallel_iterations, maximum_iterations, name):
    with name_scope(name or "while") as scope:
        given = loop_vars = values_of_variables(loop_vars)
        loop_vars = nest.map_structure(
            lambda x: None if x is None else _core.convert_to_tensor(x), loop_vars, expand_composites=True
        )
        tensors = flatten(loop_vars)
        structure, shapes = _structure_inside(given, loop_vars, shape_invariants)
        limit = _core.convert_to_tensor(
            -1 if maximum_iterations is None else maximum_iterations, dtype="int32", name="maximum_iterations"
        )
        counter = _core.convert_to_tensor(0, name="loop_counter")
        scalar = TensorShape([])
        known = [_known_inside(tensor, shape) for tensor, shape in zip(tensors, shapes, strict=True)]
        inside = [(counter, scalar), (limit, scalar), *zip(tensors, known, strict=True)]

        def enter(kind: str):
            graph = new_graph(kind, scope)
            with _core.TargetContext(graph):
                held = [graph.placeholder_like(t, shape, "Placeholder") for t, shape in inside]
            return graph, held, pack(structure, held[2:])

        cond_graph, held, variables = enter("cond")
        with _core.TargetContext(cond_graph):
            truth = _one_truth(cond(*variables))
            if truth.shape.rank not in (None, 0) and truth.shape.num_elements() == 1:
                truth = _core.raw_op("Reshape")(tensor=truth, shape=[])
            if maximum_iterations is not None:
                truth = _core.raw_op("LogicalAnd")(x=_less(x=held[0], y=held[1]), y=truth)
            check_bool(truth, "input", "while/LoopCond", "LoopCond; signature=input:bool -> output:bool")
            cond_graph.add_output(truth)

        body_graph, held, variables = enter("body")
        with _core.TargetContext(body_graph):
            result = body(*variables)
            result = convert_result(result if isinstance(result, (list, tuple)) else [result], body_graph, None)
            # The spec of a value that came in may become known in the body, as that of an empty Optional.
            _check_structure(loop_structure(list(given)) if shape_invariants is None else structure, list(result), True)
            results = flatten(result)
            if len(results) != len(tensors):
                counts = f"body_graph has {len(results) + 2} outputs; Expected: {len(tensors) + 2}"
                raise AssertionError(f"{counts}: the body returned {result} for the loop variables {list(loop_vars)}.")
            _check_body(tensors, shapes, results)
            body_graph.add_output(_add(x=held[0], y=1, name="add"))
            body_graph.add_output(held[1])
            for tensor in results:
                body_graph.add_output(tensor)

        captured = _core.align_captures([cond_graph, body_graph])
        with _core.TargetContext(body_graph):
            for tensor in body_graph.inputs[len(inside) :]:
                body_graph.add_output(tensor)
        op = _while if cond_graph.has_effects or body_graph.has_effects else _stateless_while
        outputs = op(
            input=[counter, limit, *tensors, *captured],
            cond=cond_graph,
            body=body_graph,
            output_shapes=[s for _, s in inside] + [c.shape for c in captured],
            parallel_iterations=parallel_iterations,
            name=scope,
        )
        made = pack(structure, outputs[2 : 2 + len(tensors)])
        return made if type(loop_vars) is list else nest.pack_sequence_as(loop_vars, nest.flatten(made))
