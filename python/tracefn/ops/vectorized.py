"""vectorized_map: a function of one row that runs once, for all rows."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._export import export
from tracefn._variable.creation import NoVariablesHereError
from tracefn.composite import CompositeTensor
from tracefn.framework import executing_eagerly
from tracefn.indexed_slices import IndexedSlices
from tracefn.ops.functional import converts_function, map_fn
from tracefn.ops.sparse.tensor import SparseTensor
from tracefn.tensor_spec import TensorSpec
from tracefn.variable import Variable

_op = _core.raw_op


@export("vectorized_map")
@converts_function
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies a function to each row of one or more tensors, all rows at once, and stacks the results.

    `fn` is traced for one row. Its ops run once on all rows; if one of them has no rule for that, they run row by row, as in
    `tf.map_fn`. Random ops draw other numbers than in a loop.

    Args:
      fn: callable that takes a nest like `elems` with one row of each tensor, and returns a nest of tensors and None.
      elems: nest of tensors, Variables and RaggedTensors of rank at least 1, all with the same first dimension, or with 1: then
        each row is the only one.
      fallback_to_while_loop: whether an op without a rule is allowed.
      warn: whether a warning says that there is one.

    Returns:
      Nest like the result of `fn`; each tensor has one row for each row of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      IndexError: a tensor is a scalar.
      ValueError: there is no tensor; a result cannot be stacked; an op has no rule and `fallback_to_while_loop` is False.
      InvalidArgumentError: first dimensions differ.

    Example:
      >>> import tracefn as tf
      >>> tf.vectorized_map(lambda x: tf.reduce_sum(x), tf.ones([2, 3])).numpy().tolist()
      [3.0, 3.0]
    """
    elems = nest.map_structure(_as_value, elems)
    count = _number_of_rows(nest.flatten(elems))
    try:
        return _vectorized(fn, elems, count, fallback_to_while_loop, warn)
    except NoVariablesHereError:
        if not executing_eagerly():
            raise
        fn(nest.map_structure(lambda x: _row(x, _core.convert_to_tensor(0), 1), elems))  # creates them
    return _vectorized(fn, elems, count, fallback_to_while_loop, warn)


def _vectorized(fn, elems, count, fallback_to_while_loop, warn):
    # start-up time: few programs vectorize functions
    from tracefn._vectorized.rules import NoRuleError
    from tracefn._vectorized.tracing import check_fallback

    encoded = any(_is_batchable(x) and not isinstance(x, SparseTensor) for x in nest.flatten(elems))
    if not encoded and not (isinstance(count, int) and count == 0):
        try:
            return _all_at_once(fn, elems, count)
        except NoRuleError as error:
            check_fallback(error, fallback_to_while_loop, warn)
    return _row_by_row(fn, elems, count)


def _as_value(x):
    return x if isinstance(x, CompositeTensor) else _core.convert_to_tensor(x)


def _is_batchable(x) -> bool:
    """Whether it is made of tensors, and has an encoding of each row as one tensor, or as several."""
    if not isinstance(x, CompositeTensor):
        return False
    spec = x._type_spec
    return hasattr(spec, "_row_encoding") or hasattr(spec, "__batch_encoder__")


def _number_of_rows(leaves):
    """The largest first dimension: an int if it is known, else a scalar tensor."""
    first = [None if x.shape.rank is None else x.shape.as_list()[0] for x in leaves]
    if None not in first:
        return max(first)
    sizes = [_op("StridedSlice")(input=_op("Shape")(input=x), begin=[0], end=[1], strides=[1]) for x in leaves]
    return _op("Max")(input=_op("ConcatV2")(values=sizes, axis=0) if len(sizes) > 1 else sizes[0], reduction_indices=[0])


def _row(x, i, count):
    """Row i of a tensor; the only one, if it has one only."""
    first = x.shape.as_list()[0] if x.shape.rank is not None else None
    if first == 1:
        i = _core.convert_to_tensor(0)
    elif first is None and not isinstance(count, int):
        size = _op("StridedSlice")(input=_op("Shape")(input=x), begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
        i = _op("SelectV2")(condition=_op("Greater")(x=size, y=1), t=i, e=0)
    return _op("GatherV2")(params=x, indices=i, axis=0)


def _all_at_once(fn, elems, count):
    # start-up time: few programs vectorize functions
    from tracefn._vectorized.conversion import convert
    from tracefn._vectorized.tracing import trace

    graph, number, result = trace(lambda i: _results(fn, nest.map_structure(lambda x: _row(x, i, count), elems)))
    flat = nest.flatten(result)
    tensors = [x for x in flat if x is not None]
    if any(isinstance(x, CompositeTensor) for x in tensors):
        return _row_by_row(fn, elems, count)
    with _core.TargetContext(graph):
        tensors = [graph.capture(x) for x in tensors]
    rows = iter(convert(graph, number, tensors, count))
    return nest.pack_sequence_as(result, [None if x is None else next(rows) for x in flat])


def _results(fn, row):
    """What the function returns for a row, of tensors, None, and values made of tensors.

    Raises:
      TypeError: it returns an operation.
      ValueError: a value cannot be stacked.
    """
    result = fn(row)
    if any(isinstance(x, _core.Operation) for x in nest.flatten(result)):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or None "
            f"values; in compilation of {fn}, found return value of type Operation, which is not a Tensor or ExtensionType."
        )
    return nest.map_structure(_result, result)


def _result(x):
    if x is None:
        return x
    if isinstance(x, Variable):
        raise _not_stackable(x, x._type_spec)
    if isinstance(x, CompositeTensor) and not isinstance(x, IndexedSlices):
        if not _is_batchable(x):
            raise _not_stackable(x, x._type_spec)
        return x
    return _core.convert_to_tensor(x)


def _not_stackable(value, spec) -> ValueError:
    return ValueError(
        f"CompositeTensor instance {value} returned from parallel_for or vectorized_map loop body must provide a "
        f"`BatchableTypeSpec` (saw: {spec})."
    )


def _row_by_row(fn, elems, count):
    """As `tf.map_fn`, with the signature of what the function returns for a row."""
    from tracefn._vectorized.tracing import trace  # start-up time: few programs vectorize functions

    elems = nest.map_structure(lambda x: _repeated(x, count), elems)

    def probe(i):
        del i
        return _results(fn, nest.map_structure(_any_row, elems))

    _, _, result = trace(probe)
    flat = nest.flatten(result)
    specs = [x._type_spec if isinstance(x, CompositeTensor) else TensorSpec(x.shape, x.dtype) for x in flat if x is not None]

    def present(row):
        return [_result(x) for x in nest.flatten(fn(row)) if x is not None]

    rows = iter(map_fn(present, elems, fn_output_signature=specs) if specs else ())
    return nest.pack_sequence_as(result, [None if x is None else next(rows) for x in flat])


def _repeated(x, count):
    """A tensor with as many rows as there are."""
    if isinstance(x, CompositeTensor) or x.shape.rank is None or x.shape.as_list()[0] != 1 or (isinstance(count, int) and count == 1):
        return x
    shape = _op("Shape")(input=x)
    inner = _op("StridedSlice")(input=shape, begin=[1], end=[0], strides=[1], end_mask=1)
    head = _op("Pack")(values=[_core.convert_to_tensor(count, dtype="int32")])
    return _op("BroadcastTo")(input=x, shape=_op("ConcatV2")(values=[head, inner], axis=0))


def _any_row(x):
    """A row of a value in a trace that does not run."""
    if isinstance(x, CompositeTensor):
        parts = x._type_spec._to_batched_tensor_list(x)
        first = [_op("GatherV2")(params=part, indices=0, axis=0) for part in parts]
        return x._type_spec._unbatch()._from_compatible_tensor_list(first)
    return _row(x, _core.convert_to_tensor(0), None)
