"""Recurrent networks of TensorFlow 1 with cells of a program's own, and Variables that are made in branches and loops."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

X = np.arange(12).reshape(2, 3, 2).astype("float32") / 10


class Cell:
    """tanh of a product; further states count the steps."""

    def __init__(self, tf, size, states=1):
        self.tf, self.size, self.states = tf, size, states

    @property
    def state_size(self):
        return self.size if self.states == 1 else (self.size,) * self.states

    @property
    def output_size(self):
        return self.size

    def zero_state(self, batch_size, dtype):
        zeros = [self.tf.zeros([batch_size, self.size], dtype) for _ in range(self.states)]
        return zeros[0] if self.states == 1 else tuple(zeros)

    def __call__(self, x, state, scope=None):
        tf, v1 = self.tf, self.tf.compat.v1
        first = state if self.states == 1 else state[0]
        with v1.variable_scope(scope or "cell"):
            shape = [int(x.shape[-1]) + self.size, self.size]
            w = v1.get_variable("w", shape, initializer=v1.constant_initializer(0.1))
            h = tf.tanh(tf.concat([x, first], 1) @ w)
        return h, h if self.states == 1 else (h, *[s + 1.0 for s in state[1:]])


def values(v1, fetches):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(fetches)


def expected(x, lengths, state=None):
    """Outputs and states [batch, time, 2] of the cell, in NumPy."""
    h = np.zeros([len(x), 2]) if state is None else state
    outputs = []
    for t in range(x.shape[1]):
        new = np.tanh(np.concatenate([x[:, t], h], 1) @ np.full([4, 2], 0.1))
        runs = (t < np.asarray(lengths))[:, None]
        h = np.where(runs, new, h)
        outputs.append(np.where(runs, new, 0.0))
    return np.stack(outputs, 1), h


@pytest.mark.parametrize("lengths", [None, [1, 3], [0, 2]])
def test_dynamic(tf, v1, graph, lengths):
    outputs, state = v1.nn.dynamic_rnn(Cell(tf, 2), X, sequence_length=lengths, dtype=tf.float32)
    assert outputs.shape == [2, 3, 2] and state.shape == [2, 2]
    assert [v.name for v in v1.global_variables()] == ["rnn/cell/w:0"]
    found = values(v1, [outputs, state])
    for value, wanted in zip(found, expected(X, lengths or [3, 3]), strict=True):
        assert np.allclose(value, wanted, atol=1e-6)


def test_several_states(tf, v1, graph):
    outputs, (h, count) = v1.nn.dynamic_rnn(Cell(tf, 2, 2), X, sequence_length=[1, 3], dtype=tf.float32, scope="mine")
    assert [v.name for v in v1.global_variables()] == ["mine/cell/w:0"]
    outputs, h, count = values(v1, [outputs, h, count])
    assert np.allclose(outputs, expected(X, [1, 3])[0], atol=1e-6) and count.tolist() == [[1.0, 1.0], [3.0, 3.0]]


def test_a_first_state(tf, v1, graph):
    outputs, state = v1.nn.dynamic_rnn(Cell(tf, 2), X, initial_state=tf.ones([2, 2]))
    assert np.allclose(values(v1, state), expected(X, [3, 3], np.ones([2, 2]))[1], atol=1e-6)
    del outputs


def test_time_first(tf, v1, graph):
    outputs, _ = v1.nn.dynamic_rnn(Cell(tf, 2), tf.constant(X.transpose(1, 0, 2)), dtype=tf.float32, time_major=True)
    assert outputs.shape == [3, 2, 2]
    assert np.allclose(values(v1, outputs).transpose(1, 0, 2), expected(X, [3, 3])[0], atol=1e-6)


def test_unknown_sizes(tf, v1, graph):
    x = v1.placeholder(tf.float32, [None, None, 2])
    outputs, state = v1.nn.dynamic_rnn(Cell(tf, 2), x, dtype=tf.float32)
    assert outputs.shape.as_list() == [None, None, 2] and state.shape.as_list() == [None, 2]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for part in (X, X[:1, :2]):
            wanted = expected(part, [part.shape[1]] * len(part))[0]
            assert np.allclose(session.run(outputs, {x: part}), wanted, atol=1e-6)


def test_gradients(tf, v1, graph):
    x = tf.constant(X)
    outputs, _ = v1.nn.dynamic_rnn(Cell(tf, 2), x, sequence_length=[1, 3], dtype=tf.float32)
    (gradient,) = tf.gradients(tf.reduce_sum(outputs), v1.trainable_variables())
    assert np.allclose(values(v1, gradient), [[2.58] * 2, [3.01] * 2, [0.33] * 2, [0.33] * 2], atol=0.01)


def test_both_directions(tf, v1, graph):
    (forward, backward), (state, last) = v1.nn.bidirectional_dynamic_rnn(
        Cell(tf, 2), Cell(tf, 2), X, sequence_length=[2, 3], dtype=tf.float32
    )
    names = ["bidirectional_rnn/fw/cell/w:0", "bidirectional_rnn/bw/cell/w:0"]
    assert [v.name for v in v1.global_variables()] == names
    turned = np.stack([X[0][[1, 0, 2]], X[1][::-1]])
    wanted, wanted_state = expected(turned, [2, 3])
    wanted = np.stack([wanted[0][[1, 0, 2]], wanted[1][::-1]])
    forward, backward, state, last = values(v1, [forward, backward, state, last])
    assert np.allclose(forward, expected(X, [2, 3])[0], atol=1e-6) and np.allclose(backward, wanted, atol=1e-6)
    assert np.allclose(last, wanted_state, atol=1e-6)


@pytest.mark.parametrize("lengths", [None, [1, 2]])
def test_static(tf, v1, graph, lengths):
    steps = tf.unstack(tf.constant(X), axis=1)
    outputs, state = v1.nn.static_rnn(Cell(tf, 2), steps, dtype=tf.float32, sequence_length=lengths)
    assert len(outputs) == 3 and [v.name for v in v1.global_variables()] == ["rnn/cell/w:0"]
    wanted, wanted_state = expected(X, lengths or [3, 3])
    assert np.allclose(np.stack(values(v1, outputs), 1), wanted, atol=1e-6)
    assert np.allclose(values(v1, state), wanted_state, atol=1e-6)


def test_static_in_both_directions(tf, v1, graph):
    steps = tf.unstack(tf.constant(X), axis=1)
    outputs, forward, backward = v1.nn.static_bidirectional_rnn(Cell(tf, 2), Cell(tf, 2), steps, dtype=tf.float32)
    assert len(outputs) == 3 and outputs[0].shape == [2, 4]
    wanted = np.concatenate([expected(X, [3, 3])[0], expected(X[:, ::-1], [3, 3])[0][:, ::-1]], 2)
    assert np.allclose(np.stack(values(v1, outputs), 1), wanted, atol=1e-6)
    assert np.allclose(values(v1, backward), expected(X[:, ::-1], [3, 3])[1], atol=1e-6)
    del forward


def test_inputs_that_a_function_computes(tf, v1, graph):
    source = tf.TensorArray(tf.float32, 3).unstack(X.transpose(1, 0, 2))
    cell = Cell(tf, 2)

    def loop(time, output, state, loop_state):
        finished = time >= [3, 2]
        following = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 2]), lambda: source.read(time))
        state = cell.zero_state(2, tf.float32) if output is None else state
        return finished, following, state, output, tf.constant(5) if loop_state is None else loop_state + 1

    outputs, state, count = v1.nn.raw_rnn(cell, loop)
    found = values(v1, [outputs.stack(), state, count])
    wanted, wanted_state = expected(X, [3, 2])
    assert np.allclose(found[0].transpose(1, 0, 2), wanted, atol=1e-6)
    assert np.allclose(found[1], wanted_state, atol=1e-6) and found[2] == 8


def test_a_saved_state(tf, v1, graph):
    class Saver:
        def __init__(self):
            self.kept = v1.get_variable("kept", [2, 2], initializer=v1.zeros_initializer())

        def state(self, name):
            assert name == "h"
            return self.kept.read_value()

        def save_state(self, name, value):
            return v1.assign(self.kept, value)

    saver = Saver()
    steps = tf.unstack(tf.constant(X), axis=1)
    outputs, state = v1.nn.static_state_saving_rnn(Cell(tf, 2), steps, saver, "h")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        first, second = session.run(outputs[-1]), session.run(outputs[-1])
    once = expected(X, [3, 3])[1]
    assert np.allclose(first, once, atol=1e-6) and np.allclose(second, expected(X, [3, 3], once)[1], atol=1e-6)
    with pytest.raises(ValueError, match="should be the same type as `cell.state_size`"):
        v1.nn.static_state_saving_rnn(Cell(tf, 2), steps, saver, ["h"])
    del state


def test_what_is_refused(tf, v1, graph):
    cell, nn = Cell(tf, 2), v1.nn
    with pytest.raises(ValueError, match="If no initial_state is provided, argument `dtype` must be specified"):
        nn.dynamic_rnn(cell, X)
    with pytest.raises(TypeError, match="is not an RNNCell: 'output_size' property is missing"):
        nn.dynamic_rnn(3, X, dtype=tf.float32)
    with pytest.raises(TypeError, match="The argument 'cell_bw'"):
        nn.bidirectional_dynamic_rnn(cell, 3, X, dtype=tf.float32)
    with pytest.raises(ValueError, match="sequence_length must be a vector of length batch_size"):
        nn.dynamic_rnn(cell, X, sequence_length=[[1]], dtype=tf.float32)
    with pytest.raises(ValueError, match="rank >= 2"):
        nn.dynamic_rnn(cell, tf.zeros([2]), dtype=tf.float32)
    with pytest.raises(ValueError, match=r"Input size \(depth of inputs\) must be accessible via shape inference"):
        nn.dynamic_rnn(cell, v1.placeholder(tf.float32, [None, None, None]), dtype=tf.float32)
    with pytest.raises(TypeError, match="Argument `inputs` must be a sequence"):
        nn.static_rnn(cell, tf.constant(X), dtype=tf.float32)
    with pytest.raises(ValueError, match="Argument `inputs` must not be empty"):
        nn.static_rnn(cell, [], dtype=tf.float32)
    with pytest.raises(TypeError, match="Argument `loop_fn` must be a callable"):
        nn.raw_rnn(cell, 3)


def test_variables_made_in_loops_and_branches(tf, v1, graph):
    def body(i, x):
        with v1.variable_scope("s", reuse=v1.AUTO_REUSE):
            w = v1.get_variable("w", [], initializer=v1.ones_initializer())
        with tf.name_scope("ns"):
            u = tf.Variable(2.0, name="u")
        return i + 1, x + w + u

    total = tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.constant(0.0)])
    chosen = tf.cond(
        v1.placeholder_with_default(True, []),
        lambda: v1.get_variable("c", [], initializer=v1.ones_initializer()) * 4.0,
        lambda: tf.constant(0.0),
    )
    assert [v.name for v in v1.global_variables()] == ["s/w:0", "ns/u:0", "c:0"]
    assert values(v1, [total[1], chosen]) == [9.0, 4.0]


def test_cells_of_keras_2_are_not_in_keras_3(tf, v1):
    pytest.importorskip("keras")
    with pytest.raises(AttributeError, match="`BasicLSTMCell` is not available with Keras 3."):
        _ = v1.nn.rnn_cell.BasicLSTMCell
