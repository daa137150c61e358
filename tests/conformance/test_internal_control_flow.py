"""Functions below tensorflow.python.ops of conditionals, loops, functions of numbers and values that may be ragged."""

import functools

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def test_conditionals_are_traced(tf, internal):
    cond, called = internal("ops.cond_v2").cond_v2, []

    def branch(name, value):
        called.append(name)
        return {"value": value, "twice": 2 * value}

    def run(x):
        return cond(x > 1.0, lambda: branch("true", x), lambda: branch("false", -x), name="pick")

    found = tf.function(run)(tf.constant(3.0))
    assert {key: float(value) for key, value in found.items()} == {"value": 3.0, "twice": 6.0}
    assert sorted(called) == ["false", "true"]
    assert float(tf.function(run)(tf.constant(0.5))["twice"]) == -1.0
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: cond(x > 1.0, lambda: x * x, lambda: x))(x)
    assert float(tape.gradient(y, x)) == 4.0
    with pytest.raises(TypeError, match="pred must not be a Python bool"):
        cond(True, lambda: 1, lambda: 2)


def test_loops_are_traced(tf, internal):
    loop, traced = internal("ops.while_v2").while_loop, []

    def body(i, total):
        traced.append(i)
        return i + 1, total + i

    i, total = tf.function(lambda: loop(lambda i, total: i < 4, body, (tf.constant(0), tf.constant(0))))()
    assert (int(i), int(total), len(traced)) == (4, 6, 1)
    three = {"maximum_iterations": 3, "return_same_structure": False}
    assert int(tf.function(lambda: loop(lambda i: i < 9, lambda i: i + 1, [tf.constant(0)], **three))()) == 3
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        powers = tf.function(lambda: loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), x], name="powers"))
        _, y = powers()
    assert float(tape.gradient(y, x)) == 4 * 27.0


def test_reductions_over_all_numbers(tf, internal):
    pfor = internal("ops.parallel_for.control_flow_ops").pfor
    x = np.arange(6.0, dtype=np.float32).reshape(3, 2)

    def centred(i, pfor_config):
        return tf.gather(x, i) - pfor_config.reduce_mean(tf.gather(x, i))

    class Shares:
        def __call__(self, i, pfor_config):
            return tf.gather(x, i) / pfor_config.reduce_sum(tf.gather(x, i))

    def outer(i, factor, pfor_config):
        rows = pfor_config.reduce_concat(tf.gather(x, i))
        return factor * tf.reduce_sum(rows * tf.gather(x, i)) + pfor_config.reduce(lambda a, b: tf.reduce_max(a + b), i, i + 1)

    expected = x - x.mean(0)
    np.testing.assert_allclose(pfor(centred, 3), expected)
    np.testing.assert_allclose(tf.function(lambda n: pfor(centred, n))(tf.constant(3)), expected)
    np.testing.assert_allclose(pfor(Shares(), 3), x / x.sum(0), rtol=1e-6)
    found = pfor(functools.partial(lambda i, pfor_config, factor: tf.cast(i, tf.float32) * factor, factor=2.0), 3)
    np.testing.assert_allclose(found, [0.0, 2.0, 4.0])
    add = functools.partial(lambda i, factor, pfor_config: tf.cast(outer(i, factor, pfor_config), tf.float32), factor=tf.constant(2.0))
    with pytest.raises(TypeError):  # an int is not added to a float
        pfor(add, 3)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        count = tf.compat.v1.placeholder(tf.int32, [])
        rows = pfor(lambda i, pfor_config: i * pfor_config.reduce_concat(i), count)
        np.testing.assert_array_equal(session.run(rows, {count: 3}), np.outer(range(3), range(3)))
    with pytest.raises(ValueError, match="`parallel_iterations` currently unsupported"):
        pfor(centred, 3, parallel_iterations=2)


def test_random_numbers_are_reduced_as_they_are_returned(tf, internal):
    pfor = internal("ops.parallel_for.control_flow_ops").pfor

    def draw(i, pfor_config):
        number = tf.random.uniform([])
        return number, pfor_config.reduce_sum(number)

    numbers, sums = pfor(draw, 4)
    np.testing.assert_allclose(sums, np.full(4, np.sum(numbers)), rtol=1e-5)


def test_loops_over_numbers(tf, internal):
    loop = internal("ops.parallel_for.control_flow_ops").for_loop
    squares, ones = loop(lambda i: (i * i, tf.ones([2])), (tf.int32, tf.float32), 3)
    assert squares.numpy().tolist() == [0, 1, 4] and ones.shape == (3, 2)
    none, rows = loop(lambda i: (i * i, tf.ones([2])), (tf.int32, tf.float32), 0)
    assert none.shape == (0,) and rows.shape == (0, 2)
    with pytest.raises(TypeError, match="'parallel_iterations' must be a positive integer"):
        loop(lambda i: i, tf.int32, 3, parallel_iterations=0)
    with pytest.raises(ValueError, match="Number of expected outputs 2, does not match the number of actual outputs 1"):
        loop(lambda i: i, (tf.int32, tf.int32), 3)


def test_values_that_may_be_ragged(tf, internal):
    module = internal("ops.ragged.ragged_tensor")
    convert, rows = module.convert_to_tensor_or_ragged_tensor, tf.ragged.constant([[1, 2], [3]])
    assert convert(rows) is rows and convert(rows, dtype=tf.int32) is rows
    assert convert([1, 2], dtype=tf.float32).dtype == tf.float32 and convert([1, 2], preferred_dtype=tf.int64).dtype == tf.int64
    value = tf.compat.v1.ragged.constant_value([[1, 2], [3]], dtype=np.int32)
    found = convert(value, preferred_dtype=tf.float32)
    assert found.dtype == tf.float32 and found.to_list() == [[1.0, 2.0], [3.0]]
    with pytest.raises(ValueError, match="requested dtype string for RaggedTensor with dtype int32"):
        convert(rows, dtype=tf.string)
    small = rows.with_row_splits_dtype(tf.int32)
    assert module.match_row_splits_dtypes(small, 3, small, return_dtype=True) == (tf.int32, (small, 3, small))
    assert module.match_row_splits_dtypes(3, return_dtype=True)[0] == tf.int64
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        module.match_row_splits_dtypes(rows, small)


@pytest.fixture
def flow(internal):
    return internal("ops.control_flow_ops")


@pytest.fixture
def session(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        yield session


def test_one_of_many_functions(tf, flow, session):
    """As programs choose an order of colors for an image."""
    functions = [lambda x: x + 1.0, lambda x: x * x, tf.negative, lambda x: tf.reduce_sum(x) * tf.ones_like(x)]
    x, choice = tf.constant([1.0, 2.0]), tf.compat.v1.placeholder(tf.int32, [])
    sides = [flow.switch(x, tf.equal(choice, i))[1] for i in range(4)]
    chosen = flow.merge([function(side) for function, side in zip(functions, sides, strict=True)])
    (gradient,) = tf.gradients(chosen[0], x)
    expected = [([2, 3], [1, 1]), ([1, 4], [2, 4]), ([-1, -2], [-1, -1]), ([3, 3], [2, 2])]
    assert chosen[0].shape == (2,)
    for i, (value, slope) in enumerate(expected):
        found, index, derivative = session.run([chosen[0], chosen[1], gradient], {choice: i})
        assert (found.tolist(), int(index), derivative.tolist()) == (value, i, slope)


def test_two_sides(tf, flow, session):
    pred, q = (tf.compat.v1.placeholder(tf.bool, []) for _ in range(2))
    no, yes = flow.switch(tf.constant(10), pred)
    inner_no, inner_yes = flow.switch(yes, q)
    inner = flow.merge([inner_no + 1, inner_yes + 2])
    outer = flow.merge([no - 1, inner.output * 2])
    for p_value, q_value, expected in ((False, False, 9), (False, True, 9), (True, False, 22), (True, True, 24)):
        found = session.run(outer, {pred: p_value, q: q_value})
        assert (int(found.output), int(found.value_index)) == (expected, int(p_value))


def test_effects_of_one_side(tf, flow, session):
    v1 = tf.compat.v1
    pred, checked = v1.placeholder(tf.bool, []), v1.placeholder(tf.float32, [])
    count = v1.get_variable("count", initializer=0.0)
    no, yes = flow.switch(checked, pred)
    with tf.control_dependencies([tf.debugging.Assert(yes > 0.0, [yes]), count.assign_add(yes)]):
        yes = tf.identity(yes)
    result = flow.merge([no, yes])[0]
    session.run(count.initializer)
    assert session.run([result, flow.merge([no, yes])[1]], {pred: False, checked: -1.0}) == [-1.0, 0]
    assert session.run(count) == 0.0
    assert session.run(result, {pred: True, checked: 2.0}) == 2.0 and session.run(count) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        session.run(result, {pred: True, checked: -1.0})


def test_composite_values_are_switched(tf, flow, session):
    pred = tf.compat.v1.placeholder_with_default(True, [])
    no, yes = flow.switch(tf.IndexedSlices(tf.constant([1, 2]), tf.constant([0, 2])), pred)
    found = session.run(flow.merge([tf.IndexedSlices(no.values + 1, no.indices), tf.IndexedSlices(yes.values * 5, yes.indices)])[0])
    assert (found.values.tolist(), found.indices.tolist()) == ([5, 10], [0, 2])
    with pytest.raises(ValueError, match="At least one of the merge inputs is None"):
        flow.merge([None, tf.constant(1)])
