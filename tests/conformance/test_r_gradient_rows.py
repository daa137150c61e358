"""Section R of the tracing rules: gradients that are rows, through branches and functions."""

import numpy as np
import pytest

pytestmark = pytest.mark.needs("gradient")


def _table(tf):
    return tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2))


def _square(tf, table, ids):
    return tf.reduce_sum(tf.gather(table, ids) ** 2.0)


def _one_branch(tf, table, ids, condition):
    return tf.cond(condition, lambda: _square(tf, table, ids), lambda: tf.constant(1.0))


def _two_branches(tf, table, ids, condition):
    return tf.cond(
        condition,
        lambda: _square(tf, table, tf.cast(ids, tf.int64)),
        lambda: 3.0 * _square(tf, table, ids[:1]),
    )


def _dense_in_one(tf, table, ids, condition):
    return tf.cond(condition, lambda: _square(tf, table, ids), lambda: tf.reduce_sum(table * 5.0))


def _switch(tf, table, ids, condition):
    index = tf.cast(condition, tf.int32)
    return tf.switch_case(index, [lambda: _square(tf, table, ids[:1]), lambda: _square(tf, table, ids)])


def _nested(tf, table, ids, condition):
    inner = lambda: tf.cond(ids[0] > 0, lambda: _square(tf, table, ids), lambda: tf.constant(0.0))
    return tf.cond(condition, inner, lambda: tf.constant(1.0))


def _function(tf, table, ids, condition):
    del condition
    return 2.0 * tf.function(lambda: _square(tf, table, ids))()


def _function_in_a_branch(tf, table, ids, condition):
    return tf.cond(condition, tf.function(lambda: _square(tf, table, ids)), lambda: tf.constant(1.0))


_ROWS = [_one_branch, _two_branches, _dense_in_one, _switch, _nested, _function, _function_in_a_branch]


def _dense(tf, table, ids, loss, condition):
    """The gradient by the same computation without a graph."""
    with tf.GradientTape() as tape:
        value = loss(tf, table, ids, condition)
    return tf.convert_to_tensor(tape.gradient(value, table, unconnected_gradients="zero")).numpy()


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize("loss", _ROWS)
def test_branches_and_functions_hand_rows_on(tf, loss, condition):
    table, ids = _table(tf), tf.constant([1, 2, 1])
    kinds = []

    @tf.function
    def inside(ids, condition):
        with tf.GradientTape() as tape:
            value = loss(tf, table, ids, condition)
        gradient = tape.gradient(value, table)
        kinds.append(type(gradient))
        return gradient

    traced = tf.function(lambda ids, condition: loss(tf, table, ids, condition))
    with tf.GradientTape() as tape:
        value = traced(ids, tf.constant(condition))
    wanted = _dense(tf, table, ids, loss, condition)
    for gradient in (inside(ids, tf.constant(condition)), tape.gradient(value, table)):
        assert isinstance(gradient, tf.IndexedSlices)
        np.testing.assert_allclose(tf.convert_to_tensor(gradient).numpy(), wanted)
    assert kinds == [tf.IndexedSlices]


@pytest.mark.rule(195, 196)
def test_a_branch_without_a_gather_gives_all_rows(tf):
    table = _table(tf)

    @tf.function
    def f(condition):
        return tf.cond(condition, lambda: _square(tf, table, [1, 2]), lambda: tf.constant(1.0))

    with tf.GradientTape() as tape:
        value = f(tf.constant(False))
    gradient = tape.gradient(value, table)
    assert gradient.indices.numpy().tolist() == [0, 1, 2, 3]
    assert gradient.values.numpy().tolist() == [[0.0, 0.0]] * 4
    assert gradient.dense_shape.numpy().tolist() == [4, 2]


@pytest.mark.rule(195, 196)
def test_indices_of_two_dtypes_become_wide(tf):
    table, ids = _table(tf), tf.constant([1, 2, 1])
    traced = tf.function(lambda ids, condition: _two_branches(tf, table, ids, condition))
    for condition in (True, False):
        with tf.GradientTape() as tape:
            value = traced(ids, tf.constant(condition))
        assert tape.gradient(value, table).indices.dtype == tf.int64


@pytest.mark.rule(195, 196)
def test_a_loop_adds_rows_up(tf):
    table = _table(tf)

    @tf.function
    def f():
        return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + _square(tf, table, [1, i])), (0, 0.0))[1]

    with tf.GradientTape() as tape:
        value = f()
    gradient = tape.gradient(value, table)
    assert not isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_allclose(gradient.numpy(), [[0, 2], [12, 18], [0, 0], [0, 0]])


@pytest.mark.rule(195, 196)
def test_rows_through_branches_train_a_table(tf):
    table = _table(tf)

    @tf.function
    def step(ids, condition):
        with tf.GradientTape() as tape:
            value = tf.cond(condition, lambda: _square(tf, table, ids), lambda: tf.constant(0.0))
        rows = tape.gradient(value, table)
        table.scatter_sub(tf.IndexedSlices(0.25 * rows.values, rows.indices))
        return value

    step(tf.constant([1, 3]), tf.constant(True))
    step(tf.constant([0]), tf.constant(False))
    np.testing.assert_allclose(table.numpy(), [[0, 1], [1, 1.5], [4, 5], [3, 3.5]])


@pytest.mark.rule(195, 196)
def test_rows_by_index_vectors_of_one_number(tf):
    table = _table(tf)

    def f():
        with tf.GradientTape(persistent=True) as tape:
            y, z = tf.gather_nd(table, [[1], [1]]), tf.gather_nd(table, [[1, 0], [1, 1]])
        return tape.gradient(y, table), tape.gradient(z, table)

    for run in (f, tf.function(f)):
        rows, dense = run()
        assert isinstance(rows, tf.IndexedSlices) and not isinstance(dense, tf.IndexedSlices)
        assert rows.indices.numpy().tolist() == [1, 1] and rows.values.numpy().tolist() == [[1.0, 1.0]] * 2
        assert dense.numpy().tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather_nd(x, [[1], [1]])
    assert tape.gradient(y, x).indices.numpy().tolist() == [1, 1]


@pytest.mark.rule(195, 196)
def test_a_gather_has_rows_for_its_gradient(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2.0)
        return tape.gradient(loss, table)

    for run in (step, tf.function(step)):
        rows = run(tf.constant([1, 1]))
        assert isinstance(rows, tf.IndexedSlices)
        assert rows.indices.numpy().tolist() == [1, 1] and rows.values.numpy().tolist() == [[6.0, 8.0]] * 2
        assert tf.convert_to_tensor(rows).numpy().tolist() == [[0.0, 0.0], [12.0, 16.0]]


@pytest.mark.rule(191)
@pytest.mark.parametrize(
    ("repeats", "axis", "expected"),
    [([1, 2], 0, [[1.0, 1.0], [2.0, 2.0]]), ([3, 0], -2, [[3.0, 3.0], [0.0, 0.0]]), ([2, 1], 1, [[2.0, 1.0], [2.0, 1.0]])],
)
def test_gradients_of_repeated_rows_are_tensors(tf, repeats, axis, expected):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.repeat(x, repeats, axis=axis)
    assert tape.gradient(y, x).numpy().tolist() == expected
    gradient = tf.function(lambda x: tf.gradients(tf.repeat(x, repeats, axis=axis), x)[0])
    assert gradient(tf.constant(x)).numpy().tolist() == expected


@pytest.mark.rule(191)
def test_gradients_of_masked_rows_are_tensors(tf):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    mask = tf.constant([True, False, True])

    def gradient(values, spec=None):
        def of(values):
            with tf.GradientTape() as tape:
                tape.watch(values)
                y = tf.reduce_sum(values[mask] ** 2)
            return tape.gradient(y, values)

        return of(values) if spec is None else tf.function(of, input_signature=[spec])(values)

    for found in (
        gradient(x), gradient(tf.constant(x)), gradient(tf.constant(x), tf.TensorSpec([None, 2])),
        gradient(tf.constant(x), tf.TensorSpec([3, None])),
    ):  # fmt: skip
        assert tf.is_tensor(found) and found.numpy().tolist() == [[2.0, 4.0], [0.0, 0.0], [10.0, 12.0]]
