"""Traces a Python function for a key into a ConcreteFunction."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable

from tracefn import _core, nest
from tracefn._function import function_attributes, implementations
from tracefn._known_variables import values_of_variables
from tracefn._plain_python import calls_converted
from tracefn._variable.traces import CreationScope, creating
from tracefn.errors import InaccessibleTensorError
from tracefn.random_seed import graph_seed
from tracefn.variable import ResourceVariable, Variable

_serial = itertools.count(1)


def _to_output(leaf):
    """The tensor for one leaf of the result of a traced function; None if there is none (rule 97)."""
    if isinstance(leaf, _core.Tensor):
        return leaf
    if isinstance(leaf, _core.Operation):
        return None
    try:
        return _core.convert_to_tensor(leaf)
    except (TypeError, ValueError):
        return None


def _placeholders(graph, key, given=None) -> list:
    """Creates a placeholder for each tensor of the key, and a Variable for each distinct variable argument.

    Placeholders are named in the order of the arguments, and become inputs in the order of the key (rules 16, 78). In the
    trace for a call, a Variable is the argument itself, as programs look Variables up in tables of theirs; its handle is
    the placeholder there.

    Args:
      given: the tensors and Variables of the call, in the order of the key; None if there is none.
    """
    described = key.describe_leaves()
    leaves: list = [None] * len(described)
    inputs: list = [None] * len(described)
    variables: dict[int, Variable] = {}
    for i in key.placeholder_order:
        kind, name, dtype, shape, trainable, alias = described[i]
        if kind == "tensor":
            leaves[i] = inputs[i] = graph.placeholder(dtype, shape, name)
            continue
        inputs[i] = graph.placeholder("resource", (), name, dtype, shape)
        if alias not in variables:
            argument = None if given is None else given[i]
            if isinstance(argument, ResourceVariable):  # others have copies, or wrap a Variable
                graph.pass_as(argument.handle, inputs[i])
                variables[alias] = argument
            else:
                variables[alias] = Variable._from_handle(inputs[i], shape=shape, dtype=dtype, trainable=trainable)
        leaves[i] = variables[alias]
    graph.set_inputs(inputs)
    return leaves


# inspect.CO_COROUTINE and CO_ASYNC_GENERATOR
_ASYNC = {0x80: "coroutine", 0x200: "async_generator"}


def _refuse_async(python_function) -> None:
    """Rejects an `async def`: it returns a coroutine that has not run, so there is nothing to trace."""
    code = getattr(getattr(python_function, "__func__", python_function), "__code__", None)
    for flag, kind in _ASYNC.items():
        if code is not None and code.co_flags & flag:
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
                f"None values; in compilation of {python_function}, found return value of type {kind}, which is not a "
                f"Tensor or ExtensionType.\n`{code.co_name}` is an `async def`, which cannot be traced: make it a `def`, "
                "and await outside of it."
            )


def trace(
    python_function, target, key, name: str, creation: CreationScope, options=None, orders_effects=True, given=None
):
    """Runs `target` once on symbolic tensors.

    Args:
      python_function: the user's function, for messages.
      target: the callable to run: the function, converted by AutoGraph if that is on.
      key: CallKey to trace for.
      name: the function's name.
      creation: says whether Variables may be created, and records them.
      options: the Function's Options.
      given: the tensors and Variables of the call that it is traced for, in the order of the key; None if there is none.
      orders_effects: whether all ops with side effects run, in program order; otherwise only ops that the result needs run.

    Returns:
      ConcreteFunction.

    Raises:
      TypeError: the function is an `async def`.
      Any exception of the Python function; the trace is then discarded.
    """
    _refuse_async(python_function)
    graph = _core.Graph(name, is_function=True, with_outer=True)
    graph._is_function_root = True
    graph._converts = options is None or options.autograph
    attributes = {} if options is None else options.attributes or {}
    graph.set_orders_effects(orders_effects and not attributes.get("_disable_acd"))
    graph._random_seed = graph_seed(graph)  # it stays the one of now
    with creating(creation), calls_converted(), _core.TargetContext(graph):
        leaves = _placeholders(graph, key, given)
        result = _core.call_with_placeholders(target, python_function, key, leaves)
        concrete = finish(graph, python_function, key, name, result)
    for callback in graph.__dict__.pop("_exit_callbacks", ()):
        callback()
    if options is not None:
        function_attributes.remember(concrete.name.decode(), options)
    if attributes:
        concrete._attributes = dict(attributes)
        implementations.remember(concrete)
    return concrete


def _plain(value):
    """A result with what it stands for in place of values that say so: of a proxy the container, of others a tensor."""
    kind = type(value)
    if kind is list or kind is tuple:
        parts = kind(map(_plain, value))
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
    if kind is dict:
        named = {key: _plain(part) for key, part in value.items()}
        return value if all(named[key] is part for key, part in value.items()) else named
    stands_for = getattr(kind, "_as_function_result", None)
    meant = value if stands_for is None else stands_for(value)
    return value if meant is value else _plain(meant)


class _Numbers:
    """What a function that returns Python's numbers returns for each leaf: with weak dtypes, weak tensors."""

    convert: Callable | None = None


def results_by(convert: Callable | None) -> None:
    """Chooses the function that each leaf of a traced function's result passes through; None: it stays as it is."""
    _Numbers.convert = convert


def finish(graph, python_function, key, name: str, result):
    """Adds the tensors of `result`, a nest, as outputs of the graph, which is current, and returns its ConcreteFunction."""
    result = _plain(result)
    if _Numbers.convert is not None:
        result = nest.map_structure(_Numbers.convert, result)
    try:
        # What holds Variables is returned with their values: the Variables are not the function's to return.
        if any(hasattr(type(leaf), "_convert_variables_to_tensors") for leaf in nest.flatten(result)):
            result = values_of_variables(result)
        tensors, output_type = _core.flatten_result(result, python_function, _to_output)
    except (TypeError, InaccessibleTensorError) as error:
        from tracefn._advice.results import refused  # start-up time: only failing traces need it

        refusal = TypeError(str(error)) if isinstance(error, TypeError) else InaccessibleTensorError(str(error))
        if advice := refused(python_function, result):
            refusal.add_note(advice)
        raise refusal from None
    outputs = [graph.add_output(t) for t in tensors]
    if outputs:
        graph.add_control_output()
    graph.finish()
    concrete = _core.make_concrete(graph, f"__inference_{name}_{next(_serial)}", key, output_type)
    concrete._function_name = name
    graph._concrete_function = weakref.ref(concrete)
    concrete._graph = graph  # so that `concrete.graph` stays one Python object
    concrete.structured_outputs = _core.build_value(output_type, outputs)
    return concrete


# Frames outside this one do not belong to the traced program.
_core.set_trace_root(trace.__code__)
