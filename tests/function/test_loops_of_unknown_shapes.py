"""Loops whose arrays have shapes that the trace does not say: they are compiled at a call, for its shapes."""

import threading

import numpy as np
import pytest
import tracefn as tf
from support.compile_modes import MODES, printed


def explained(f) -> str:
    return f.get_concrete_function().explain_compilation()


def op_by_op(function, *given):
    tf.config.run_functions_eagerly(True)
    try:
        return function(*given)
    finally:
        tf.config.run_functions_eagerly(False)


def heat(u, n):
    for _ in tf.range(n):
        u = u + 0.1 * (tf.roll(u, 1, 0) + tf.roll(u, -1, 0) - 2.0 * u)
    return u


def squared(a, n):
    for _ in tf.range(n):
        a = tf.tanh(a @ a) + tf.transpose(a) * 0.5
    return a


def states(x, n):
    found = tf.TensorArray(tf.float32, n)
    s = tf.zeros([tf.shape(x)[1]])
    for i in tf.range(n):
        s = 0.9 * s + x[i]
        found = found.write(i, s)
    return found.stack()


CASES = {
    "a vector": (heat, [None], (70,)),
    "a few elements": (heat, [None], (3,)),
    "one row": (squared, [None, None], (1, 1)),
    "a matrix": (squared, [None, None], (12, 12)),
    "any rank": (squared, None, (12, 12)),
    "any rank, a vector": (heat, None, (40,)),
    "rows of unknown size": (states, [None, None], (20, 11)),
    "rows of known size": (states, [None, 11], (20, 11)),
}


@pytest.mark.parametrize("case", CASES)
def test_results_of_op_by_op(case):
    function, shape, actual = CASES[case]
    f = tf.function(function, input_signature=[tf.TensorSpec(shape), tf.TensorSpec([], tf.int32)])
    x = tf.constant(np.random.default_rng(0).normal(size=actual).astype(np.float32))
    n = tf.constant(min(actual[0], 9))
    wanted = op_by_op(function, x, n).numpy()
    for _ in range(3):
        np.testing.assert_array_equal(f(x, n), wanted)
    assert explained(f) == "while: compiled as a whole"


def test_sizes_that_are_values():
    def tree(start, steps):
        value = start * tf.range(steps + 1, dtype=tf.float32)
        for _ in tf.range(steps):
            value = 0.5 * (value + tf.concat([value[1:], value[-1:]], 0))
        return value

    f = tf.function(tree, input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.int32)])
    for steps in 0, 1, 30, 100, 30:
        given = tf.constant(2.0), tf.constant(steps)
        np.testing.assert_array_equal(f(*given), op_by_op(tree, *given))
    assert explained(f) == "while: compiled as a whole"


def test_sizes_inside_the_loop():
    def sums(x, n):
        for i in tf.range(3):
            x = x + tf.reduce_sum(tf.fill([n], tf.cast(i, tf.float32)))
        return x

    f = tf.function(sums, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    for n in 100, 200, 0:
        given = tf.ones([80]), tf.constant(n)
        np.testing.assert_array_equal(f(*given), op_by_op(sums, *given))


def test_more_shapes_than_are_kept():
    f = tf.function(heat, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    g = tf.function(squared, input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    n = tf.constant(3)
    for size in [*range(1, 30), *range(1, 30)]:
        x = tf.constant(np.random.default_rng(size).normal(size=size).astype(np.float32))
        np.testing.assert_array_equal(f(x, n), op_by_op(heat, x, n))
        np.testing.assert_array_equal(f(x, n), op_by_op(heat, x, n))
        a = tf.tile(x[None], [size, 1])
        np.testing.assert_array_equal(g(a, n), op_by_op(squared, a, n))


def test_rows_that_grow_stay_op_by_op():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        for _ in tf.range(5):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, None]))])
            x = tf.concat([x, x[:, -1:] + 1.0], 1)
        return x

    for size in 1, 70, 1:
        assert f(tf.zeros([1, size])).numpy().tolist() == [[0.0] * size + [1.0, 2.0, 3.0, 4.0, 5.0]]
    assert explained(f).startswith("while: op by op")


def test_errors_name_the_line():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        for i in tf.range(n):
            x = x + x[i]
        return x

    assert f(tf.ones([3, 70]), tf.constant(2)).shape == [3, 70]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x = x \+ x\[i\]|slice index 3 of dimension 0 out of bounds"):
        f(tf.ones([3, 70]), tf.constant(4))


def test_gradients():
    f = tf.function(heat, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    for size in 5, 90:
        x = tf.constant(np.random.default_rng(0).normal(size=size).astype(np.float32))
        found = []
        for run in f, heat:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(run(x, tf.constant(4)) ** 2)
            found.append(tape.gradient(y, x).numpy())
        np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)


def test_gradient_loops_are_compiled_for_the_shapes_that_they_find_in_lists():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    def slope(y, n):
        with tf.GradientTape() as tape:
            tape.watch(y)
            x = y
            for _ in tf.range(n):
                x = x + 0.01 * tf.sin(x) * (1.0 - x)
        return tape.gradient(x, y)

    for size, steps in (100, 5), (3, 5), (100, 9), (100, 0), (1, 2):
        y, n = tf.constant(np.random.default_rng(0).normal(size=size).astype(np.float32)), tf.constant(steps)
        np.testing.assert_allclose(slope(y, n), op_by_op(slope.python_function, y, n), rtol=1e-6)
    assert explained(slope).count("compiled as a whole") == 2


def test_along_no_axis_zeros_keep_their_signs():
    axes = tf.zeros([0], tf.int32)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        for _ in tf.range(2):
            x = tf.reduce_sum(x, axes) + tf.reduce_mean(x, axes) + tf.reduce_max(x, axes)
        return x

    for size in 3, 70:
        found = f(tf.fill([size], -0.0)).numpy()
        assert np.signbit(found).all() and np.signbit(tf.reduce_sum(tf.fill([size], -0.0), axes)).all()


def counted(x):
    i = s = tf.constant(0)
    while i < tf.shape(x)[0]:
        s += i
        i += 1
    return s


def averaged(x):
    s = tf.constant(0.0)
    for _ in tf.range(5):
        s += 1.0 / tf.cast(tf.size(x), tf.float32)
    return s


def repeated(x):
    z = tf.zeros([1])
    y = tf.zeros_like(x)
    for _ in tf.range(3):
        y = y + tf.broadcast_to(z + 1.0, tf.shape(x))
    return y


def spread(x):
    b = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(b)
        s = tf.constant(0.0)
        for i in tf.range(6):
            s += tf.reduce_sum(x + b) * tf.cast(i, tf.float32)
    return tape.gradient(s, b)


def sloped(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = tf.constant(1.0)
        for _ in tf.range(4):
            s = s * 0.5 + tf.reduce_sum(x) * 0.01
    return tape.gradient(s, x)


@pytest.mark.parametrize("function", [counted, averaged, repeated, spread, sloped])
@pytest.mark.parametrize("rank", [1, 2])
def test_arrays_of_which_only_the_shape_is_read(function, rank):
    f = tf.function(function, input_signature=[tf.TensorSpec([None] * rank)])
    for size in 100, 100, 200, 100, 300, 3, 200:
        x = tf.ones([size] * rank) if rank == 1 else tf.ones([size, 70])
        np.testing.assert_allclose(f(x), op_by_op(function, x), rtol=1e-5)


def test_lists_that_are_swapped_or_replaced():
    def lists_of(*numbers):
        return [tf.raw_ops.TensorListFromTensor(tensor=tf.constant([n] * 6), element_shape=tf.constant([], tf.int32)) for n in numbers]

    def pop(handle):
        return tf.raw_ops.TensorListPopBack(input_handle=handle, element_shape=tf.constant([], tf.int32), element_dtype=tf.int32)

    def run(x, swaps):
        a, b = lists_of(1, 100)
        s = tf.constant(0)
        for _ in tf.range(4):
            a, item = pop(a)
            s += item * tf.shape(x)[0]
            if swaps:
                a, b = b, a
            else:
                a = tf.raw_ops.TensorListFromTensor(tensor=tf.fill([3], s), element_shape=tf.constant([], tf.int32))
        return s

    for swaps in True, False:
        f = tf.function(lambda x, swaps=swaps: run(x, swaps), input_signature=[tf.TensorSpec([None])])
        for size in 2, 2, 90:
            assert int(f(tf.ones([size]))) == int(op_by_op(lambda x, swaps=swaps: run(x, swaps), tf.ones([size])))


def test_threads_with_shapes_of_their_own():
    f = tf.function(squared, input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    n, wrong = tf.constant(20), []

    def run(size):
        a = tf.constant(np.random.default_rng(size).normal(size=(size, size)).astype(np.float32))
        wanted = squared_eagerly[size]
        for _ in range(50):
            if not np.array_equal(f(a, n), wanted, equal_nan=True):
                wrong.append(size)

    sizes = [2, 3, 8, 11, 12, 17]
    squared_eagerly = {
        s: op_by_op(squared, tf.constant(np.random.default_rng(s).normal(size=(s, s)).astype(np.float32)), n).numpy() for s in sizes
    }
    threads = [threading.Thread(target=run, args=(size,)) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


LOOP = """
import tracefn as tf
@tf.function(input_signature=[tf.TensorSpec([None, None])])
def f(x):
    for _ in tf.range(3):
        x = tf.roll(x, 1, 0) + x[:1]
    return x
print(f(tf.ones([10, 10]))[0, 0].numpy(), f(tf.ones([1, 1]))[0, 0].numpy())
print(f.get_concrete_function().explain_compilation())
"""


@pytest.mark.parametrize("mode, said", MODES)
def test_modes(mode, said):
    assert printed(mode, LOOP) == ["8.0 8.0", f"while: {said}"]
