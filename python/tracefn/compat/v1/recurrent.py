"""Recurrent networks of `tf.compat.v1.nn`: loops of a cell over the steps of sequences."""

from __future__ import annotations

from tracefn import _core, nest
from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.recurrent_cells import (
    batch_size_of,
    called,
    check_cell,
    first_state,
    lengths,
    swapped,
    where_rows,
)
from tracefn.compat.v1.variable_scopes import variable_scope
from tracefn.framework import control_dependencies, executing_eagerly
from tracefn.tensor_shape import TensorShape


@export("compat.v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Runs a cell over sequences, as a loop of the graph.

    Args:
      cell: object with `state_size`, `output_size`, and `zero_state` or `get_initial_state`; called with an input and a state,
        it returns an output and the next state.
      inputs: nest of tensors [batch, time, …], or [time, batch, …] with `time_major`.
      sequence_length: int vector [batch]; after the end of a sequence outputs are zero, and the state stays. None: all steps.
      initial_state: nest of tensors like `cell.state_size`; None: the cell's zero state.
      dtype: dtype of that state.
      parallel_iterations, swap_memory: accepted, without effect.
      time_major: whether dimension 0 is time.
      scope: name of the variable scope, or the scope; "rnn" by default.

    Returns:
      Pair: the outputs, with the dimensions of the inputs, and the last state.

    Raises:
      TypeError: `cell` is none.
      ValueError: there is neither `initial_state` nor `dtype`, or a shape does not fit.

    Example:
      >>> import tracefn as tf
      >>> class Sum:
      ...     state_size = output_size = 1
      ...     def zero_state(self, batch_size, dtype):
      ...         return tf.zeros([batch_size, 1], dtype)
      ...     def __call__(self, x, state):
      ...         return x + state, x + state
      >>> x = tf.constant([[[1.0], [2.0], [3.0]]])
      >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(Sum(), x, dtype=tf.float32)
      >>> outputs.numpy().ravel().tolist(), state.numpy().tolist()
      ([1.0, 3.0, 6.0], [[6.0]])
    """
    del parallel_iterations, swap_memory
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        steps = [_core.convert_to_tensor(x) for x in nest.flatten(inputs)]
        if not time_major:
            steps = [swapped(x) for x in steps]
        if sequence_length is not None:
            sequence_length = today("identity")(lengths(sequence_length), name="sequence_length")
        batch_size = batch_size_of(steps)
        state = first_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None and not executing_eagerly():
            sequence_length = _checked_lengths(sequence_length, batch_size)
        outputs, state = _loop(cell, inputs, steps, state, sequence_length, batch_size, dtype)
        if not time_major:
            outputs = nest.map_structure(swapped, outputs)
        return outputs, state


def _checked_lengths(sequence_length, batch_size):
    check = today("debugging.Assert")(
        today("reduce_all")(today("equal")(today("shape")(sequence_length), [batch_size])),
        ["Expected shape for Tensor sequence_length:0 is ", [batch_size], " but saw shape: ", today("shape")(sequence_length)],
    )
    with control_dependencies([check]):
        return today("identity")(sequence_length, name="CheckSeqLen")


def _loop(cell, inputs, steps: list, state, sequence_length, batch_size, dtype):
    for x in steps:
        if not x.shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw value None for "
                f"input={x}."
            )
    count = today("shape")(steps[0])[0]
    sizes = cell.output_size
    dtypes = nest.map_structure(lambda _: dtype or nest.flatten(state)[0].dtype, sizes)
    zeros = nest.map_structure(lambda size, kind: _zeros(batch_size, size, kind), sizes, dtypes)
    shapes = nest.map_structure(lambda size: _row_shape(batch_size, size), sizes)
    arrays = [
        today("TensorArray")(kind, count, element_shape=shape)
        for kind, shape in zip(nest.flatten(dtypes), nest.flatten(shapes), strict=True)
    ]
    sources = [today("TensorArray")(x.dtype, count).unstack(x) for x in steps]
    static = [x.shape[1:] for x in steps]
    state = nest.map_structure(_core.convert_to_tensor, state)

    def step(time, arrays, state):
        rows = []
        for source, shape in zip(sources, static, strict=True):
            row = source.read(time)
            row.set_shape(shape)
            rows.append(row)
        output, new = called(cell, nest.pack_sequence_as(inputs, rows), state)
        if sequence_length is not None:
            output, new = _ended_stay(time, sequence_length, output, new, zeros, state)
        flat = nest.flatten(output)
        new = nest.pack_sequence_as(state, nest.flatten(new))
        return time + 1, [array.write(time, value) for array, value in zip(arrays, flat, strict=True)], new

    _, arrays, state = today("while_loop")(
        lambda time, *_: time < count, step, (today("constant")(0, name="time"), arrays, state)
    )
    outputs = [array.stack() for array in arrays]
    length = steps[0].shape[:1]
    for output, shape in zip(outputs, nest.flatten(shapes), strict=True):
        output.set_shape(length.concatenate(shape))
    return nest.pack_sequence_as(sizes, outputs), state


def _row_shape(batch_size, size) -> TensorShape:
    rows = batch_size if isinstance(batch_size, int) else None
    return TensorShape([rows]).concatenate(TensorShape(size))


def _zeros(batch_size, size, dtype):
    return today("zeros")(today("concat")([[batch_size], TensorShape(size).as_list()], 0), dtype)


def _ended_stay(time, sequence_length, output, new, zeros, state) -> tuple:
    """The output and state of a step in which some sequences have ended."""
    ended = today("greater_equal")(time, sequence_length)
    outputs = [
        where_rows(ended, zero, value)
        for zero, value in zip(nest.flatten(zeros), nest.flatten(output), strict=True)
    ]
    states = [where_rows(ended, old, value) for old, value in zip(nest.flatten(state), nest.flatten(new), strict=True)]
    return nest.pack_sequence_as(output, outputs), nest.pack_sequence_as(state, states)


@export("compat.v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw,
    cell_bw,
    inputs,
    sequence_length=None,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """`dynamic_rnn` of one cell forward, and of another from the end of each sequence to its beginning.

    Args:
      cell_fw, cell_bw: cells.
      initial_state_fw, initial_state_bw: their states, or None.
      inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major, scope: as for `dynamic_rnn`.

    Returns:
      Pair of pairs: the outputs forward and backward, and the last states.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    options = (dtype, parallel_iterations, swap_memory, time_major)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, *options, scope=forward
            )
        time, batch = (0, 1) if time_major else (1, 0)

        def turned(x):
            if sequence_length is None:
                return today("reverse")(x, axis=[time])
            return today("reverse_sequence")(x, sequence_length, seq_axis=time, batch_axis=batch)

        with variable_scope("bw") as backward:
            turned_inputs = nest.map_structure(lambda x: turned(_core.convert_to_tensor(x)), inputs)
            output_bw, state_bw = dynamic_rnn(
                cell_bw, turned_inputs, sequence_length, initial_state_bw, *options, scope=backward
            )
    return (output_fw, nest.map_structure(turned, output_bw)), (state_fw, state_bw)


@export("compat.v1.nn.raw_rnn")
def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Runs a cell over sequences whose inputs a function computes from the outputs.

    Args:
      cell: cell, as for `dynamic_rnn`.
      loop_fn: function of (time, cell_output, cell_state, loop_state) that returns (finished, next_input, next_cell_state,
        emit_output, next_loop_state). First it is called with time 0 and None for the others: then `next_cell_state` is the
        first state, `emit_output` a nest of tensors with the shape and dtype of an output row, or None for those of the cell,
        and `next_loop_state` the first of a state of its own, or None. `finished` is a bool vector [batch].
      parallel_iterations, swap_memory: accepted, without effect.
      scope: name of the variable scope, or the scope; "rnn" by default.

    Returns:
      (TensorArrays of the outputs, the last state, the last loop state).

    Raises:
      TypeError: `cell` is none, or `loop_fn` is no function.
    """
    del parallel_iterations, swap_memory
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    constant = today("constant")
    with variable_scope(scope or "rnn"):
        zero = constant(0, "int32")
        finished, x, state, row, loop_state = loop_fn(zero, None, None, None)
        state = nest.map_structure(_core.convert_to_tensor, state)
        has_loop_state = loop_state is not None
        loop_state = nest.map_structure(_core.convert_to_tensor, loop_state) if has_loop_state else constant(0)
        flat = [_core.convert_to_tensor(value) for value in nest.flatten(x)]
        batch_size = flat[0].shape.dims[0].value
        batch_size = today("shape")(flat[0])[0] if batch_size is None else batch_size
        if row is None:
            form = cell.output_size
            kinds = [flat[0].dtype for _ in nest.flatten(form)]
            sizes = [TensorShape(size) for size in nest.flatten(form)]
        else:
            form = row
            kinds = [value.dtype for value in nest.flatten(row)]
            sizes = [value.shape for value in nest.flatten(row)]
        zeros = [_zeros(batch_size, size.as_list(), kind) for size, kind in zip(sizes, kinds, strict=True)]
        arrays = [
            today("TensorArray")(kind, 0, dynamic_size=True, element_shape=_row_shape(batch_size, size.as_list()))
            for kind, size in zip(kinds, sizes, strict=True)
        ]

        def step(time, finished, x, arrays, state, loop_state):
            output, new = called(cell, x, state)
            now = time + 1
            is_finished, following, new, emitted, following_state = loop_fn(
                now, output, new, loop_state if has_loop_state else None
            )
            nest.assert_same_structure(state, new)
            emitted = [
                where_rows(finished, empty, value) for empty, value in zip(zeros, nest.flatten(emitted), strict=True)
            ]
            states = [
                where_rows(finished, old, value) for old, value in zip(nest.flatten(state), nest.flatten(new), strict=True)
            ]
            written = [array.write(time, value) for array, value in zip(arrays, emitted, strict=True)]
            all_finished = today("logical_or")(finished, is_finished)
            kept = following_state if has_loop_state and following_state is not None else loop_state
            return now, all_finished, following, written, nest.pack_sequence_as(state, states), kept

        _, _, _, arrays, state, loop_state = today("while_loop")(
            lambda time, finished, *_: today("logical_not")(today("reduce_all")(finished)),
            step,
            (zero, _core.convert_to_tensor(finished), nest.pack_sequence_as(x, flat), arrays, state, loop_state),
        )
        return nest.pack_sequence_as(form, arrays), state, loop_state if has_loop_state else None


@export("compat.v1.nn.static_rnn")
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Runs a cell over a list of steps, each of which adds its ops to the graph.

    Args:
      cell: cell, as for `dynamic_rnn`.
      inputs: list of nests of tensors [batch, …], one for each step.
      initial_state, dtype, sequence_length: as for `dynamic_rnn`.
      scope: name of the variable scope, or the scope; "rnn" by default.

    Returns:
      Pair: the list of outputs, and the last state.

    Raises:
      TypeError: `cell` is none, or `inputs` is no list.
      ValueError: the list is empty, or there is neither `initial_state` nor `dtype`.
    """
    check_cell("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    with variable_scope(scope or "rnn") as own:
        first = _core.convert_to_tensor(nest.flatten(inputs)[0])
        batch_size = None if first.shape.rank is None else first.shape.dims[0].value
        batch_size = today("shape")(first)[0] if batch_size is None else batch_size
        state = first_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = today("identity")(lengths(sequence_length), name="sequence_length")
        outputs = []
        for time, x in enumerate(inputs):
            if time > 0:
                own.reuse_variables()
            output, new = called(cell, x, state)
            if sequence_length is not None:
                zeros = nest.map_structure(today("zeros_like"), output)
                output, new = _ended_stay(time, sequence_length, output, new, zeros, state)
            state = new
            outputs.append(output)
        return outputs, state


@export("compat.v1.nn.static_state_saving_rnn")
def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """`static_rnn` whose state an object keeps from run to run.

    Args:
      cell, inputs, sequence_length, scope: as for `static_rnn`.
      state_saver: object with methods `state(name)` and `save_state(name, value)`.
      state_name: the name of the state, or a nest of names like `cell.state_size`.

    Returns:
      Pair: the list of outputs, and the last state.

    Raises:
      ValueError: there are more or fewer names than states.
    """
    sizes, names = nest.flatten(cell.state_size), nest.flatten(state_name)
    if nest.is_nested(cell.state_size) != nest.is_nested(state_name) or len(sizes) != len(names):
        raise ValueError(
            "Argument `state_name` should be the same type as `cell.state_size`. Received: state_name="
            f"{state_name!s}, cell.state_size={cell.state_size!s}."
        )
    initial = nest.pack_sequence_as(state_name, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=initial, sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(name, value) for name, value in zip(names, nest.flatten(state), strict=True)]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(today("identity"), outputs[-1])
        state = nest.map_structure(today("identity"), state)
    return outputs, state


@export("compat.v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw,
    cell_bw,
    inputs,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """`static_rnn` of one cell forward and of another backward; their outputs are joined along the last dimension.

    Args:
      cell_fw, cell_bw: cells.
      inputs, dtype, sequence_length, scope: as for `static_rnn`.
      initial_state_fw, initial_state_bw: their states, or None.

    Returns:
      (list of outputs, the last state forward, the last state backward).
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward)
        with variable_scope("bw") as backward:
            turned = _turned(inputs, sequence_length)
            output_bw, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=backward)
    output_bw = _turned(output_bw, sequence_length)
    concat = today("concat")
    flat = [
        nest.pack_sequence_as(a, [concat([x, y], 1) for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True)])
        for a, b in zip(output_fw, output_bw, strict=True)
    ]
    return flat, state_fw, state_bw


def _turned(steps, sequence_length) -> list:
    """A list of steps in the opposite order, each sequence within its length."""
    if sequence_length is None:
        return list(reversed(steps))
    columns = zip(*(nest.flatten(step) for step in steps), strict=True)
    turned = [
        today("unstack")(today("reverse_sequence")(today("stack")(column), sequence_length, seq_axis=0, batch_axis=1))
        for column in columns
    ]
    return [nest.pack_sequence_as(steps[0], list(rows)) for rows in zip(*turned, strict=True)]
