"""Section N of the tracing rules: `tf.autograph.experimental.set_loop_options`."""

import pytest

pytestmark = pytest.mark.needs("autograph")


@pytest.mark.rule(162)
def test_set_loop_options(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))], parallel_iterations=1
            )
            x = tf.concat([x, x], 0)
        return x

    assert f(tf.constant(3)).shape.as_list() == [8]


@pytest.mark.rule(162)
def test_set_loop_options_outside_of_a_loop(tf):
    @tf.function
    def f(x):
        tf.autograph.experimental.set_loop_options(maximum_iterations=1)
        return x + 1

    assert f(tf.constant(1)).numpy() == 2


@pytest.mark.rule(162)
def test_options_of_other_names(tf):
    @tf.function
    def staged():
        x = tf.constant(0)
        for i in tf.range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += i
        return x

    @tf.function
    def checked_first():
        x = tf.constant(0)
        while x < 3:
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += 1
        return x

    for f in staged, checked_first:
        with pytest.raises(TypeError, match=r"while_loop\(\) got an unexpected keyword argument 'max_iterations'"):
            f()

    @tf.function
    def unrolled_and_over_a_dataset():
        x = tf.constant(0, tf.int64)
        for _ in range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += 1
        for i in tf.data.Dataset.range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += i
        return x

    assert int(unrolled_and_over_a_dataset()) == 6


@pytest.mark.rule(162)
def test_shape_invariants_of_structures(tf):
    names = ("a", "b")

    @tf.function
    def dicts(n):
        rows = {name: tf.zeros([0], tf.int32) for name in names}
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, {name: tf.TensorShape([None]) for name in names})])
            rows = {name: tf.concat([row, [i]], 0) for name, row in rows.items()}
        return rows

    assert {name: row.numpy().tolist() for name, row in dicts(3).items()} == {"a": [0, 1, 2], "b": [0, 1, 2]}

    @tf.function
    def nests(n):
        i, pair = 0, [tf.zeros([0]), (tf.zeros([1, 0]), 0)]
        while i < n:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(pair, [tf.TensorShape([None]), (tf.TensorShape([1, None]), tf.TensorShape([]))])]
            )
            pair = [tf.concat([pair[0], [1.0]], 0), (tf.concat([pair[1][0], [[2.0]]], 1), pair[1][1] + i)]
            i += 1
        return pair

    ones, (twos, total) = nests(tf.constant(3))
    assert ones.numpy().tolist() == [1, 1, 1] and twos.numpy().tolist() == [[2, 2, 2]] and int(total) == 3

    @tf.function
    def composites(n):
        state = {"array": tf.TensorArray(tf.int32, size=0, dynamic_size=True), "ragged": tf.ragged.constant([[1], [2, 3]])}
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(state, {"array": tf.TensorShape(None), "ragged": tf.TensorShape([None, None])})]
            )
            state = {"array": state["array"].write(i, i), "ragged": tf.concat([state["ragged"], [[7]]], 0)}
        return state["array"].stack(), state["ragged"]

    stacked, ragged = composites(2)
    assert stacked.numpy().tolist() == [0, 1] and ragged.to_list() == [[1], [2, 3], [7], [7]]


@pytest.mark.rule(162)
@pytest.mark.parametrize(
    ("invariants", "error", "match"),
    [
        (lambda tf: {"b": tf.TensorShape([None])}, ValueError, "The two structures don't have the same nested structure"),
        (lambda tf: {"a": tf.TensorShape([2])}, ValueError, r"'rows' has shape \(0,\) before the loop"),
    ],
)
def test_shape_invariants_that_do_not_fit_a_structure(tf, invariants, error, match):
    wanted = invariants(tf)

    @tf.function
    def f(n):
        rows = {"a": tf.zeros([0], tf.int32)}
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, wanted)])
            rows = {"a": tf.concat([rows["a"], [i]], 0)}
        return rows

    with pytest.raises(error, match=match):
        f(tf.constant(2))
