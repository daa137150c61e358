"""tf.GradientTape over eager ops and inside traced functions: what is recorded, and what a gradient looks like."""

import gc

import numpy as np
import pytest
import tracefn as tf


def numbers(gradients):
    return [None if g is None else g.numpy().tolist() for g in gradients]


def test_watched_tensors_and_variables():
    x, v, frozen = tf.constant(3.0), tf.Variable(2.0), tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v * frozen
    assert [w is v for w in tape.watched_variables()] == [True]
    assert numbers(tape.gradient(y, [x, v, frozen])) == [10.0, 15.0, None]


def test_variables_are_not_watched_when_that_is_off():
    v = tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.watched_variables() == () and tape.gradient(y, v) is None
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).numpy() == 4.0


def test_stop_recording_and_reset():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            unseen = x * x
        y = x * x
        assert tape.gradient(y, x).numpy() == 6.0 and tape.gradient(unseen, x) is None
        tape.reset()
        assert tape.gradient(y, x) is None
        tape.watch(x)
        z = x * 2.0
    assert tape.gradient(z, x).numpy() == 2.0


def test_sources_may_be_intermediate_and_nested():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    assert numbers(tape.gradient(z, {"a": [x], "b": y})["a"]) == [27.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    assert tape.gradient(z, {"a": [x], "b": y})["b"].numpy() == 3.0


def test_output_gradients_and_several_targets():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    assert tape.gradient([y, z], x).numpy().tolist() == [5.0, 7.0]
    weights = [tf.constant([1.0, 0.0]), tf.constant([0.0, 10.0])]
    assert tape.gradient([y, z], x, output_gradients=weights).numpy().tolist() == [2.0, 30.0]


def test_rows_as_output_gradients():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    weights = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([1]), tf.constant([2, 2]))
    assert tape.gradient(y, x, output_gradients=weights).numpy().tolist() == [[0.0, 0.0], [6.0, 8.0]]


def test_two_tapes_side_by_side_and_nested():
    x = tf.constant(2.0)
    with tf.GradientTape() as a, tf.GradientTape() as b:
        a.watch(x)
        y = x * x
        b.watch(y)
        z = y * y
    assert a.gradient(z, x).numpy() == 32.0
    assert b.gradient(z, y).numpy() == 8.0
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = x**4.0
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    assert [dy.numpy(), d2y.numpy(), third.gradient(d2y, x).numpy()] == [32.0, 48.0, 48.0]


def test_unconnected():
    x, z = tf.constant([1.0, 2.0]), tf.Variable([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stop_gradient(x) * 2.0 + tf.cast(tf.cast(x, tf.int32), tf.float32)
    assert numbers(tape.gradient(y, [x, z])) == [None, None]
    zeros = tape.gradient(y, [x, z], unconnected_gradients="zero")
    assert numbers(zeros) == [[0.0, 0.0], [[0.0]]]


def test_rows_of_a_gather_are_what_a_variable_takes():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 1]) ** 2.0)
    g = tape.gradient(loss, table)
    table.scatter_sub(tf.IndexedSlices(0.5 * g.values, g.indices))
    assert table.numpy().tolist() == [[1.0, 2.0], [-3.0, -4.0]]


def test_rows_and_dense_gradients_add_up():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [0])) + tf.reduce_sum(table)
    assert tape.gradient(loss, table).numpy().tolist() == [[2.0, 2.0], [1.0, 1.0]]


def test_a_training_step_in_one_function_equals_the_eager_one():
    def run(decorate):
        w, b = tf.Variable(tf.ones([3, 2])), tf.Variable(tf.zeros([2]))
        x = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3) / 10.0)
        y = tf.constant([0, 1, 0, 1])

        @decorate
        def step():
            with tf.GradientTape() as tape:
                logits = tf.nn.relu(x @ w) + b
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
            for v, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                v.assign_sub(0.5 * g)
            return loss

        return [float(step()) for _ in range(5)], w.numpy()

    (eager, w), (traced, w2) = run(lambda f: f), run(tf.function)
    assert eager == pytest.approx(traced, rel=1e-6) and eager[-1] < eager[0]
    np.testing.assert_allclose(w, w2, rtol=1e-6)


def test_gradients_of_a_graph():
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        y = x * x * v
        z = y + x
        return (
            tf.gradients(z, [x, v, y]),
            tf.gradients([y, z], x, grad_ys=[tf.constant(10.0), None]),
            tf.gradients(z, x, stop_gradients=[y]),
            tf.hessians(y, x)[0],
        )

    first, weighted, stopped, second = f(tf.constant(2.0))
    assert numbers(first) == [13.0, 4.0, 1.0]
    assert numbers(weighted) == [133.0] and numbers(stopped) == [1.0]
    assert second.numpy() == 6.0
    with pytest.raises(RuntimeError, match="tf.gradients is not supported when eager execution is enabled"):
        tf.gradients(v, v)


def test_jacobians():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def both(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * x[:, :1]
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)

    full, batched = both(x)
    assert full.shape == (2, 2, 2, 2) and batched.shape == (2, 2, 2)
    assert batched.numpy().tolist() == [[[3.0, 0.0], [4.0, 4.0]], [[27.0, 0.0], [16.0, 24.0]]]
    np.testing.assert_array_equal(np.einsum("ijik->ijk", full.numpy()), batched.numpy())
    for eager, traced in zip((full, batched), tf.function(both)(x), strict=True):
        np.testing.assert_array_equal(eager.numpy(), traced.numpy())
    unknown = tf.function(both, input_signature=[tf.TensorSpec([None, None])])
    np.testing.assert_array_equal(unknown(x)[0].numpy(), full.numpy())


def test_custom_gradient():
    scale = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x, y):
        e = tf.exp(x) * scale

        def grad(dy, variables):
            assert [v is scale for v in variables] == [True]
            return (dy * e * 100.0, None), [dy * 7.0]

        return e + y, grad

    def run(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            z = 2.0 * f(x, x)
        return [tape.gradient(z, s) for s in (x, scale)]

    for g in (run, tf.function(run)):
        dx, dv = g(tf.constant(0.0))
        assert (dx.numpy(), dv.numpy()) == (600.0, 14.0)


def test_custom_gradient_of_second_order():
    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda dy: dy * 3.0 * x * x

    x = tf.constant(2.0)

    def run(x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = cube(x)
            slope = first.gradient(y, x)
        return slope, second.gradient(slope, x)

    for f in (run, tf.function(run)):
        assert numbers(f(x)) == [12.0, 12.0]


def test_a_gradient_function_with_a_rule_of_its_own():
    @tf.custom_gradient
    def cube(x):
        @tf.custom_gradient
        def grad(dy):
            return dy * 3.0 * x * x, lambda ddy: ddy * 100.0

        return x * x * x, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = cube(x)
        slope = first.gradient(y, x)
    assert numbers([slope, second.gradient(slope, x)]) == [12.0, 12.0]


def test_forward_accumulator():
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with tf.autodiff.ForwardAccumulator([x, v], [tf.constant([1.0, 10.0]), tf.constant(100.0)]) as acc:
        y = x * x * v
        still = tf.constant(1.0)
    assert acc.jvp(y).numpy().tolist() == [106.0, 520.0]
    assert acc.jvp(still) is None and acc.jvp(still, unconnected_gradients="zero").numpy() == 0.0


def test_errors():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'bad'"):
        tape.gradient(y, x, unconnected_gradients="bad")
    with pytest.raises(TypeError, match="Argument `target` should be a list or nested structure"):
        tape.gradient(None, x)
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="Trying to stop recording a tape which is not recording"):
        tape.stop_recording().__enter__()
    with tape, pytest.raises(ValueError, match="Tape is still recording"):
        tape.__enter__()
    with pytest.raises(ValueError, match="Passed in object 3 of type 'int'"):
        tape.watch(3)


def test_integers_are_warned_of(caplog):
    lines = []
    logger = tf.get_logger()
    import logging

    class Collect(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    handler = Collect()
    logger.addHandler(handler)
    try:
        i = tf.constant(3, tf.int16)
        with tf.GradientTape() as tape:
            tape.watch(i)
            y = i * i
        assert tape.gradient(y, i) is None
    finally:
        logger.removeHandler(handler)
    assert lines == ["The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int16"]


def test_a_dropped_tape_frees_what_it_kept():
    import weakref

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 2.0
    tape.gradient(y, x)
    alive = weakref.ref(tape)
    del tape, y
    gc.collect()
    assert alive() is None


def test_a_long_tape_is_freed_without_recursion():
    x = y = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        for _ in range(1_000_000):
            y = -y
    assert tape.gradient(y, x).numpy() == 1.0
    del tape, y


def test_sources_that_were_not_watched():
    a, b = tf.constant(1.0), tf.constant(2.0)

    def product(a, b):
        return a * b * b

    def run(f, a, b):
        with tf.GradientTape() as first, tf.GradientTape() as second:
            first.watch(a)
            second.watch(b)
            y = f(a, b)
        return [*first.gradient(y, [a, b]), *second.gradient(y, [a, b])]

    for f in (product, tf.function(product)):
        assert numbers(run(f, a, b)) == [4.0, None, None, 4.0]
        assert numbers(tf.function(lambda a, b, f=f: run(f, a, b))(a, b)) == [4.0, None, None, 4.0]


def test_calls_under_a_tape_take_the_fast_path():
    v = tf.Variable(3.0)

    @tf.function
    def f(x, w, n):
        return x * w + v * n

    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, v, np.float32(2.0))
        return [float(g) for g in tape.gradient(y, (x, v))]

    x = tf.constant(5.0)
    first = slopes(x)
    hits = f._fast_hits
    assert [slopes(x) for _ in range(5)] == [first] * 5 == [[3.0, 7.0]] * 5
    assert f._fast_hits == hits + 5


def test_structures_of_sources_come_back():
    x, w = tf.constant(2.0), tf.Variable(3.0)

    def slopes(make, **options):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * w
        return tape.gradient(y, make(), **options)

    assert float(slopes(lambda: w)) == 2.0
    for made in (
        slopes(lambda: [x, w]),
        slopes(lambda: (x, w)),
        slopes(lambda: [x, [w]]),
        slopes(lambda: {"a": x, "b": w}),
    ):
        assert type(made) in (list, tuple, dict)
        assert [float(g) for g in tf.nest.flatten(made)] == [3.0, 2.0]
    assert slopes(list) == [] and slopes(lambda: ()) == ()
    assert [float(g) for g in slopes(lambda: [w, tf.constant(0.0)], unconnected_gradients="zero")] == [2.0, 0.0]
