"""Loops over small tensors, and over arrays and TensorArrays by index: the bits, errors and side effects of op by op."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import bits, check_bits, program_of, seeds
from support.small_tensor_programs import Writer


def arguments(seed: int) -> list:
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=shape).astype(np.float32) for shape in [(3,), (3,), (2, 3), ()]]
    numbers[0][0] = rng.choice([0.0, -0.0, np.inf, np.nan, 1e30, 1.0])
    xs, ids = rng.normal(size=8).astype(np.float32), rng.integers(-5, 5, 8).astype(np.int32)
    return [*map(tf.constant, numbers), tf.constant(rng.integers(0, 9).astype(np.int32)), tf.constant(xs), tf.constant(ids)]


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs_have_the_bits_of_op_by_op(seed):
    text = Writer(seed).text()
    program = program_of(text, f"<small tensors {seed}>")
    for steps in (0, 1, 7):
        check_bits(program, [*arguments(seed), tf.constant(steps)], f"after {steps} steps of\n{text}")


def test_runge_kutta_with_a_tensor_array():
    @tf.function
    def solve(y, steps):
        path = tf.TensorArray(tf.float32, size=steps)
        for i in tf.range(steps):
            y = y + 0.1 * tf.stack([y[1], -y[0]])
            path = path.write(i, y)
        return path.stack()

    found = solve(tf.constant([1.0, 0.0]), tf.constant(3)).numpy()
    y, wanted = np.array([1, 0], np.float32), []
    for _ in range(3):
        y = y + np.float32(0.1) * np.array([y[1], -y[0]])
        wanted.append(y)
    np.testing.assert_array_equal(found, np.array(wanted))


def test_rows_that_replace_each_other():
    @tf.function
    def pascal(n):
        row = tf.ones([1], tf.int32)
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(row, tf.TensorShape([None]))])
            next_row = tf.TensorArray(tf.int32, size=tf.shape(row)[0] + 1)
            for j in tf.range(tf.shape(row)[0] + 1):
                left = tf.constant(0)
                if j > 0:
                    left = row[j - 1]
                right = tf.constant(0)
                if j < tf.shape(row)[0]:
                    right = row[j]
                next_row = next_row.write(j, left + right)
            row = next_row.stack()
        return row

    assert pascal(tf.constant(5)).numpy().tolist() == [1, 5, 10, 10, 5, 1]
    assert pascal(tf.constant(0)).numpy().tolist() == [1]


def test_arrays_that_are_swapped():
    @tf.function
    def swap(a, b, n):
        for i in tf.range(n):
            a = tf.tensor_scatter_nd_update(a, [[i]], [a[i] + b[i + 1]])
            a, b = b, a
        return a, b

    x, y = np.arange(100, dtype=np.float32), np.arange(100, dtype=np.float32)[::-1].copy()
    a, b = tf.constant(x), tf.constant(y)
    found = swap(a, b, tf.constant(5))
    for i in range(5):
        x[i] += y[i + 1]
        x, y = y, x
    np.testing.assert_array_equal(found[0], x)
    np.testing.assert_array_equal(found[1], y)
    np.testing.assert_array_equal(a, np.arange(100))  # somebody else's


def test_an_array_that_is_used_as_it_was():
    @tf.function
    def shift(x, n):
        total = tf.constant(0.0)
        for i in tf.range(n):
            changed = tf.tensor_scatter_nd_update(x, [[i]], [x[i + 1] * 2.0])
            total += changed[i] - x[i]
        return total, x

    x = np.arange(70, dtype=np.float32)
    total, same = shift(tf.constant(x), tf.constant(4))
    assert total.numpy() == sum(2 * x[i + 1] - x[i] for i in range(4))
    np.testing.assert_array_equal(same, x)


def test_a_constant_array_is_as_it_was_in_every_iteration():
    @tf.function
    def run(n):
        total = tf.constant(0)
        for i in tf.range(n):
            table = tf.range(100)
            table = tf.tensor_scatter_nd_update(table, [[i]], [1000])
            total += table[0] + table[i + 1]
        return total

    assert run(tf.constant(3)).numpy() == (1000 + 1) + (0 + 2) + (0 + 3)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda x, ta, i: (x[i], ta), "slice index 4 of dimension 0 out of bounds"),
        (lambda x, ta, i: (tf.gather(x, i), ta), r"indices = 4 is not in \[0, 4\)"),
        (lambda x, ta, i: (tf.gather(x, [0, i])[1], ta), r"indices\[1\] = 4 is not in \[0, 4\)"),
        (lambda x, ta, i: (tf.gather_nd(x, [i]), ta), r"indices = \[4\] does not index into param shape \[4\]"),
        (lambda x, ta, i: (tf.tensor_scatter_nd_update(x, [[i]], [1.0])[0], ta), r"\[4\] does not index into shape \[4\]"),
        (lambda x, ta, i: (x[0], ta.write(i, [1.0, 2.0])), "modify element 4 in a list with 4 elements"),
        (lambda x, ta, i: (ta.read(i)[0], ta), "access element 4 in a list with 4 elements"),
        (lambda x, ta, i: (tf.slice(x, [i], [1])[0], ta), r"Expected size\[0\] in \[0, 0\], but got 1"),
    ],
)
def test_indices_out_of_range_name_the_line(body, text):
    @tf.function
    def run(x, n):
        ta = tf.TensorArray(tf.float32, size=4, element_shape=[2])
        total = tf.constant(0.0)
        for i in tf.range(n):
            value, ta = body(x, ta, i)
            total += value
        return total, ta.stack()

    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    run(x, tf.constant(4))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        run(x, tf.constant(6))
    assert "test_small_tensor_loops.py" in str(caught.value)


def test_negative_indices_count_from_the_end():
    @tf.function
    def run(x):
        total = tf.constant(0.0)
        for i in tf.range(-3, 3):
            total = total * 10.0 + x[i]
        return total

    assert run(tf.constant([1.0, 2.0, 3.0])).numpy() == 123123
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index -1 of dimension 0 out of bounds"):
        run(tf.constant([1.0, 2.0]))


def test_unset_elements_are_zeros_and_none_is_an_error():
    @tf.function
    def some(n):
        ta = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(n):
            ta = ta.write(i, [1.0, 2.0])
        return ta.stack()

    assert some(tf.constant(1)).numpy().tolist() == [[1, 2], [0, 0], [0, 0]]
    assert some(tf.constant(0)).numpy().tolist() == [[0, 0]] * 3  # the shape is known from the graph

    @tf.function
    def grown(n):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(2 * i, tf.cast(i, tf.float32) * tf.constant([1.0, -1.0]))
        return ta.stack()

    assert grown(tf.constant(3)).numpy().tolist() == [[0, 0], [0, 0], [1, -1], [0, 0], [2, -2]]


def test_integers_wrap_and_types_mix():
    @tf.function
    def run(x, y, z):
        for _ in tf.range(40):
            x = x * 3 + tf.cast(y, tf.int32)
            y = y + tf.cast(x % 7, tf.int8)
            z = tf.cast(tf.cast(z, tf.float64) / 3.0, tf.float16) + tf.cast(y, tf.float16)
        return x, y, z

    given = tf.constant([1, 2, 3]), tf.constant([100, -100, 5], tf.int8), tf.constant([1.0, 2.0, 3.0], tf.float16)
    traced = bits(run(*given))
    tf.config.run_functions_eagerly(True)
    try:
        assert traced == bits(run(*given))
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("shapes", [((3, 3), (3, 3)), ((4, 4), (4, 1)), ((1, 5), (5, 4)), ((2, 7), (7, 3)), ((1, 9), (9, 1))])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32])
def test_products_have_the_bits_of_the_kernels(shapes, dtype):
    rng = np.random.default_rng(1)
    for transpose_a in (False, True):
        for transpose_b in (False, True):
            a, b = (tf.cast(tf.constant(rng.normal(size=s) * 9), dtype) for s in shapes)
            a = tf.transpose(a) if transpose_a else a
            b = tf.transpose(b) if transpose_b else b

            @tf.function
            def run(a, b, n, ta=transpose_a, tb=transpose_b):
                total = tf.matmul(a, b, transpose_a=ta, transpose_b=tb)
                for i in tf.range(n):
                    total = tf.matmul(a, b + tf.cast(i, b.dtype), transpose_a=ta, transpose_b=tb)
                return total

            wanted = tf.matmul(a, b + tf.cast(2, dtype), transpose_a=transpose_a, transpose_b=transpose_b)
            np.testing.assert_array_equal(run(a, b, tf.constant(3)), wanted)


@pytest.mark.parametrize("shape", [(40,), (64,), (2, 20), (20, 2), (3, 4, 5), (1, 6), (6, 1), (0, 3)])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32])
def test_reductions_have_the_bits_of_the_kernels(shape, dtype):
    x = tf.cast(tf.constant(np.random.default_rng(2).normal(size=shape) * 9), dtype)
    functions = [tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min]
    for axis in [None, *range(len(shape)), [0, -1] if len(shape) > 1 else [0]]:
        for f in [*functions, *([tf.reduce_mean] if dtype.is_floating else [])]:
            for keepdims in (False, True):

                @tf.function
                def run(x, n, f=f, axis=axis, keepdims=keepdims):
                    found = f(x, axis, keepdims)
                    for i in tf.range(n):
                        found = f(x * tf.cast(i, x.dtype), axis, keepdims)
                    return found

                np.testing.assert_array_equal(run(x, tf.constant(2)), f(x, axis, keepdims), err_msg=f"{f} {axis}")


def test_gradients_of_such_loops():
    @tf.function
    def loss(v, n):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v
            for _ in tf.range(n):
                y = tf.stack([y[1] * v[0], y[0] + 0.1 * y[1]])
            total = tf.reduce_sum(y)
        return tape.gradient(total, v)

    v = tf.constant([0.5, 2.0])
    traced = loss(v, tf.constant(4)).numpy()
    tf.config.run_functions_eagerly(True)
    try:
        np.testing.assert_allclose(traced, loss(v, tf.constant(4)), rtol=1e-6)
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("products", [1, 5, 30])
def test_programs_whose_code_would_be_long(products):
    @tf.function
    def run(a, n):
        x = a
        for _ in tf.range(n):
            for _ in range(products):
                x = tf.matmul(x, a) * 0.5
        return x

    a = tf.constant(np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0].astype(np.float32) * 2)
    wanted = a
    for _ in range(2 * products):
        wanted = tf.matmul(wanted, a) * 0.5
    np.testing.assert_array_equal(run(a, tf.constant(2)), wanted)
    whole = "compiled as a whole" in run.get_concrete_function(a, tf.constant(2)).explain_compilation()
    assert whole  # the longest with arrays


def test_threads_that_compile_at_once():
    @tf.function
    def run(v, n):
        path = tf.TensorArray(tf.float32, size=n)
        for i in tf.range(n):
            v = tf.stack([v[1], -v[0]])
            path = path.write(i, v)
        return path.stack()

    concrete = run.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: concrete(tf.constant([float(k), 0.0]), tf.constant(400)).numpy(), range(32)))
    for k, path in enumerate(found):
        np.testing.assert_array_equal(path, np.array([[0, -k], [-k, 0], [0, k], [k, 0]] * 100, np.float32))


def test_explanations():
    @tf.function
    def run(v, n):
        for _ in tf.range(n):
            v = v + tf.random.normal([2])
        return v

    text = run.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)).explain_compilation()
    assert re.fullmatch(r"while: op by op: node while/random_normal/RandomStandardNormal \(RandomStandardNormal\)", text)
    assert tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([2])).explain_compilation() == ""
