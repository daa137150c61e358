"""Jacobians: all rows at once if each node has a batch rule, else row by row, in Python's loop or one While node."""

from __future__ import annotations

from tracefn import _core
from tracefn._control_flow.loop import while_loop
from tracefn._gradient.values import dense
from tracefn.framework import executing_eagerly
from tracefn.tensor_array import TensorArray

_op = _core.raw_op


def _int32(value):
    return _core.convert_to_tensor(value, dtype="int32")


def _shape(x):
    """The shape of a tensor: a Python list if it is known, else a tensor."""
    return x.shape.as_list() if x.shape.is_fully_defined() else _op("Shape")(input=x)


def _concat(*shapes):
    """Concatenates shapes, as a list or a tensor."""
    if all(isinstance(s, list) for s in shapes):
        return _int32([d for s in shapes for d in s])
    if len(shapes) == 1:
        return shapes[0]
    return _op("ConcatV2")(values=[_int32(s) if isinstance(s, list) else s for s in shapes], axis=0)


def _product(shape):
    if isinstance(shape, list):
        total = 1
        for d in shape:
            total *= d
        return total
    return _op("Prod")(input=shape, reduction_indices=_int32([0]))


def _one_hot(index, depth, dtype):
    one, zero = (_op("Cast")(x=_core.convert_to_tensor(v, dtype="int32"), DstT=dtype) for v in (1, 0))
    return _op("OneHot")(indices=_int32(index), depth=_int32(depth), on_value=one, off_value=zero, axis=-1)


def _each_row(count, row, like, at_once: bool = True) -> list:
    """Calls `row(index)` for index 0 to count - 1 and stacks each of its results into one tensor.

    Args:
      count: int, or scalar int32 tensor.
      row: takes the index and returns one tensor for each of `like`.
      like: tensors with the shapes and dtypes of the results of one row.
      at_once: whether all rows may be computed at once, from a trace of one.
    """
    if at_once and not (isinstance(count, int) and count < 2):
        found = _all_rows(count, row)
        if found is not None:
            return found
    if executing_eagerly():
        rows = [row(i) for i in range(int(count))]
        if not rows:
            return [_op("Fill")(dims=_concat([0], _shape(x)), value=_op("Cast")(x=0, DstT=x.dtype)) for x in like]
        return [_op("Pack")(values=list(column)) for column in zip(*rows, strict=True)]
    arrays = [TensorArray(x.dtype, size=_int32(count), element_shape=x.shape) for x in like]

    def body(i, arrays):
        return i + 1, [a.write(i, r) for a, r in zip(arrays, row(i), strict=True)]

    _, arrays = while_loop(lambda i, arrays: i < _int32(count), body, (_int32(0), arrays))
    return [a.stack() for a in arrays]


def _all_rows(count, row):
    """The stacked results of `row`, which is traced once; None if a node has no batch rule."""
    # start-up time: few programs take Jacobians
    from tracefn._vectorized.conversion import convert
    from tracefn._vectorized.rules import NoRuleError
    from tracefn._vectorized.tracing import trace

    graph, number, results = trace(row)
    with _core.TargetContext(graph):
        results = [graph.capture(x) for x in results]
    try:
        return convert(graph, number, results, count)
    except NoRuleError:
        return None


def _values(sources) -> list:
    """The sources as tensors, for their shapes."""
    return [s if isinstance(s, _core.Tensor) else _core.convert_to_tensor(s) for s in sources]


def jacobian_rows(tape, target, handles, sources, at_once: bool) -> list:
    """The Jacobian of `target` with respect to each source; None for sources that it does not depend on.

    Args:
      tape: _core.Tape.
      target: tensor.
      handles: the tensors by which the tape identifies the sources.
      sources: tensors and Variables.
      at_once: whether all rows may be computed at once.
    """
    connected = tape.connected([target], handles)
    used = [h for h, c in zip(handles, connected, strict=True) if c]
    if not used:
        return [None] * len(handles)
    likes = _values([s for s, c in zip(sources, connected, strict=True) if c])
    shape = _shape(target)
    count = _product(shape)
    wanted = _concat(shape)

    def row(i):
        weights = _op("Reshape")(tensor=_one_hot(i, count, target.dtype), shape=wanted)
        gradients = tape.gradient([target], [weights], used)
        return [
            _op("ZerosLike")(x=like) if g is None else dense(g) for g, like in zip(gradients, likes, strict=True)
        ]

    stacked = iter(zip(_each_row(count, row, likes, at_once), likes, strict=True))
    result: list = []
    for is_used in connected:
        if not is_used:
            result.append(None)
            continue
        rows, like = next(stacked)
        result.append(_op("Reshape")(tensor=rows, shape=_concat(shape, _shape(like))))
    return result


def zero_jacobian(target, source):
    """The Jacobian with respect to a source that the target does not depend on: zeros."""
    (value,) = _values([source])
    zero = _op("Cast")(x=_int32(0), DstT=value.dtype)
    return _op("Fill")(dims=_concat(_shape(target), _shape(value)), value=zero)


def batch_jacobian_rows(tape, target, handle, source, at_once: bool):
    """The Jacobian of each example of a batch; None if `target` does not depend on `source`.

    Args:
      tape: _core.Tape.
      target: tensor.
      handle: the tensor by which the tape identifies the source.
      source: tensor or Variable.
      at_once: whether all elements of an example may be computed at once.
    """
    if not tape.connected([target], [handle])[0]:
        return None
    (like,) = _values([source])
    target_shape, source_shape = _shape(target), _shape(like)
    batch = target_shape[:1]
    count = _product(target_shape[1:])
    full = _concat(target_shape)

    def row(i):
        # One element of every example at once: examples are independent.
        one = _op("Reshape")(tensor=_one_hot(i, count, target.dtype), shape=_concat([1], target_shape[1:]))
        weights = _op("BroadcastTo")(input=one, shape=full)
        (gradient,) = tape.gradient([target], [weights], [handle])
        return [_op("ZerosLike")(x=like) if gradient is None else dense(gradient)]

    (rows,) = _each_row(count, row, [like], at_once)
    rank = like.shape.rank
    order = [1, 0, *range(2, rank + 1)]
    rows = _op("Transpose")(x=rows, perm=_int32(order))
    return _op("Reshape")(tensor=rows, shape=_concat(batch, target_shape[1:], source_shape[1:]))


def zero_batch_jacobian(target, source):
    """The batch Jacobian with respect to a source that the target does not depend on: zeros."""
    (value,) = _values([source])
    zero = _op("Cast")(x=_int32(0), DstT=value.dtype)
    return _op("Fill")(dims=_concat(_shape(target), _shape(value)[1:]), value=zero)



def graph_jacobian(target, source):
    """The Jacobian, differentiated through the nodes of the current graph; `target` may be IndexedSlices."""
    graph = _core.current_graph()
    target = dense(target)
    handle = source if isinstance(source, _core.Tensor) else source.handle
    (like,) = _values([source])
    shape = _shape(target)
    count = _product(shape)
    wanted = _concat(shape)

    def row(i):
        weights = _op("Reshape")(tensor=_one_hot(i, count, target.dtype), shape=wanted)
        (gradient,) = _core.graph_gradients(graph, [target], [weights], [handle], [])
        return [_op("ZerosLike")(x=like) if gradient is None else dense(gradient)]

    (rows,) = _each_row(count, row, [like])
    return _op("Reshape")(tensor=rows, shape=_concat(shape, _shape(like)))
