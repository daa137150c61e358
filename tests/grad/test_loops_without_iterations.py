"""Gradients of loops that run zero times, or a few: those of the body written out as often."""

import numpy as np
import pytest
import tracefn as tf

X = np.float32([[0.5, -1.0], [2.0, 1.5]])
ANY = tf.TensorSpec([None, None])


@tf.custom_gradient
def sorted_square(x):
    return tf.sort(x) * x, lambda dy: dy * tf.sort(x)


BODIES = {
    "sort": lambda x: tf.sort(x, axis=0),
    "falling": lambda x: tf.sort(x, direction="DESCENDING") * x,
    "top_k": lambda x: tf.math.top_k(x, 2).values,
    "top_k of a size": lambda x: tf.math.top_k(x, tf.shape(x)[1]).values * x,
    "argsort": lambda x: tf.gather(x, tf.argsort(x), batch_dims=1) * x,
    "median": lambda x: x * tf.sort(tf.reshape(x, [-1]))[tf.size(x) // 2],
    "where": lambda x: tf.where(x > 0.0, x * x, -x),
    "places": lambda x: tf.scatter_nd(tf.where(x > 0.0), tf.gather_nd(x, tf.where(x > 0.0)), tf.shape(x, "int64")) * x,
    "mask": lambda x: tf.reduce_sum(tf.boolean_mask(x * x, x > 0.0)) * x,
    "gather": lambda x: tf.gather(x * x, [1, 0]),
    "segments": lambda x: tf.gather(tf.math.segment_sum(x * x, [0, 0]), [0, 0]) * x,
    "parts": lambda x: tf.reshape(tf.concat(tf.dynamic_partition(x * x, [1, 0], 2), 0), [2, 2]),
    "strings": lambda x: tf.strings.to_number(tf.strings.as_string(x)) * x,
    "cond": lambda x: tf.cond(tf.reduce_sum(x) > 1.0, lambda: tf.sort(x) * x, lambda: tf.math.top_k(x, 2).values * x),
    "loop": lambda x: tf.while_loop(lambda j, y: j < 2, lambda j, y: (j + 1, tf.sort(y * y)), [0, x])[1],
    "loop without iterations": lambda x: tf.while_loop(lambda j, y: j < 0, lambda j, y: (j + 1, tf.sort(y)), [0, x])[1] * x,
    "function": lambda x: tf.function(lambda y: tf.sort(y * y) * y)(x),
    "map": lambda x: tf.map_fn(lambda r: tf.sort(r) * r, x),
    "scan": lambda x: tf.scan(lambda a, r: tf.sort(a * r), x),
    "custom gradient": sorted_square,
    "product": lambda x: x @ x,
}


def by_condition(body, x, n):
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, body(y)), [0, x])[1]


def by_bound(body, x, n):
    return tf.while_loop(lambda i, y: i < 9, lambda i, y: (i + 1, body(y)), [0, x], maximum_iterations=n)[1]


def of_changing_shape(body, x, n):
    shapes = [tf.TensorShape([]), tf.TensorShape([None, None])]
    return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, body(y)), [0, x], shape_invariants=shapes)[1]


@tf.autograph.experimental.do_not_convert
def written_out(body, x, n):
    for _ in range(int(n)):
        x = body(x)
    return x


def over_rows(body, x, n):
    y = x
    for r in tf.zeros([n, 2]):
        y = tf.ensure_shape(body(y), [2, 2]) + r
    return y


LOOPS = {f.__name__: f for f in (by_condition, by_bound, of_changing_shape, over_rows)}


def first(loop, body, x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(loop(body, x, n) * [[1.0, 2.0], [3.0, 4.0]])
    return tf.convert_to_tensor(tape.gradient(y, x))


def second(loop, body, x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(first(loop, body, x, n) * x)
    return tf.convert_to_tensor(tape.gradient(y, x))


@pytest.mark.parametrize("iterations", [0, 2])
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", BODIES)
def test_gradients(name, loop, iterations):
    body, ways = BODIES[name], [first] if name == "custom gradient" else [first, second]
    for way in ways:
        want = way(written_out, body, tf.constant(X), iterations)
        run = LOOPS[loop]

        def traced(x, n, way=way, run=run):
            return way(run, body, x, n)

        for spec in (tf.TensorSpec([2, 2]), ANY):
            got = tf.function(traced, input_signature=[spec, tf.TensorSpec([], "int32")])(X, iterations)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5, err_msg=f"{way.__name__} {spec}")
    run = tf.function(lambda x, n: LOOPS[loop](body, x, n))
    got = first(lambda body, x, n: run(x, n), body, tf.constant(X), tf.constant(iterations))
    want = first(written_out, body, tf.constant(X), iterations)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


WHOLES = {
    "sort": tf.sort,
    "top_k": lambda x: tf.math.top_k(x, 2).values,
    "top_k of none": lambda x: tf.math.top_k(x, tf.minimum(tf.size(x), 2)).values,
    "product": lambda x: tf.reshape(x[:, None] * x[None, :], [-1]),
    "parts": lambda x: tf.dynamic_partition(x * x, tf.cast(x > 0.0, "int32"), 2)[1],
    "repeated": lambda x: tf.tile(x * x, [2]),
    "strings": lambda x: tf.strings.to_number(tf.strings.as_string(x)) * x,
}


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("name", WHOLES)
def test_what_every_step_computes_alike(name, rows):
    """The reversed loop is given it, and may compute with it before its first step, which never comes here."""

    def loop(body, x, n):
        y = tf.constant(1.0)
        for _ in tf.range(tf.shape(x)[0]):
            y += tf.reduce_sum(body(tf.reshape(x, [-1])) * y)
        return y

    def unrolled(body, x, n):
        y = tf.constant(1.0)
        for _ in range(x.shape[0]):
            y = y + tf.reduce_sum(body(tf.reshape(x, [-1])) * y)
        return y

    def gradient(run, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(WHOLES[name], x, 0)
        d = tape.gradient(y, x)
        return tf.zeros_like(x) if d is None else d

    x = tf.constant(X[:rows])
    want = gradient(unrolled, x)
    for spec in ([None, 2], [None, None]):
        traced = tf.function(lambda x: gradient(loop, x), input_signature=[tf.TensorSpec(spec)])
        np.testing.assert_allclose(traced(x), want, rtol=1e-5)


@pytest.mark.parametrize("shape", [[0], [2, 0], [0, 2], [3, 0, 2]])
def test_sorting_nothing_has_a_gradient(shape):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sort(x)) + tf.reduce_sum(tf.math.top_k(x, 0).values)
        return tape.gradient(y, x)

    x = tf.zeros(shape)
    assert gradient(x).shape == shape
    for spec in (shape, [None] * len(shape)):
        assert tf.function(gradient, input_signature=[tf.TensorSpec(spec)])(x).shape == shape


def test_a_variable_that_every_step_sets_alike():
    """Before the first step it has another shape than after."""

    def f(x, n):
        _, y, z = tf.while_loop(
            lambda i, y, z: i < n,
            lambda i, y, z: (i + 1, tf.sort(x[:2]), z * tf.reduce_sum(tf.sort(x[:2]) * tf.sort(x[:2]))),
            [0, x, tf.constant(1.0)],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([])],
        )
        return tf.reduce_sum(y) + z

    def gradient(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, x)

    x = tf.constant([3.0, 1.0, 2.0])
    traced = tf.function(gradient, input_signature=[tf.TensorSpec([3]), tf.TensorSpec([], "int32")])
    assert traced(x, 0).numpy().tolist() == [1, 1, 1]
    assert traced(x, 1).numpy().tolist() == [7, 3, 0]
