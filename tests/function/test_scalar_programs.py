"""Functions of nothing but scalars, which run as one piece of code."""

import threading
import time

import numpy as np
import pytest
import tracefn as tf


def often(function, *args):
    """The result of a call after so many that code is translated."""
    for _ in range(150):
        result = function(*args)
    return result


def test_structures_and_keywords():
    @tf.function
    def f(pair, *, scale, offset=1):
        x, n = pair["x"], pair["n"]
        if n > 2:
            x = x * scale
        return {"x": x + tf.cast(n, tf.float32), "n": (n + offset, n)}

    for n in (1, 5):
        pair = {"x": tf.constant(2.0), "n": tf.constant(n)}
        result = often(lambda pair=pair: f(pair, scale=tf.constant(10.0)))
        assert float(result["x"]) == (20.0 if n > 2 else 2.0) + n
        assert int(result["n"][0]) == n + 1
        assert int(result["n"][1]) == n


def test_an_argument_that_is_a_result_is_that_tensor():
    f = tf.function(lambda x, y: (y, x + 1.0, x))
    x, y = tf.constant(1.0), tf.constant([1.0, 2.0])
    first, second, third = often(f, x, y)
    assert (first.numpy() == [1.0, 2.0]).all()
    assert float(second) == 2.0
    assert float(third) == 1.0


def test_the_same_tensor_twice():
    x = tf.constant(3.0)
    assert float(often(tf.function(lambda x, y: x - 2.0 * y), x, x)) == -3.0


def test_numpy_scalars_beside_tensors():
    f = tf.function(lambda x, y: x + y)
    for i in range(150):
        assert float(f(np.float32(i), tf.constant(1.0))) == i + 1.0


def test_captured_scalars():
    x = tf.constant(3.0)
    f = tf.function(lambda y: x * y)
    assert float(often(f, tf.constant(2.0))) == 6.0


def test_a_signature_without_rank_takes_scalars_and_vectors():
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec(None, tf.float32)])
    for x in (tf.constant(3.0), tf.constant([3.0, 4.0]), tf.constant(5.0)):
        assert (often(f, x).numpy() == x.numpy() * 2.0).all()


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.int8, tf.uint64, tf.complex64, tf.bool])
def test_other_dtypes(dtype):
    f = tf.function(lambda x, y: tf.where(tf.equal(x, y), x, y))
    x, y = tf.cast(1, dtype), tf.cast(0, dtype)
    assert often(f, x, x).dtype == dtype
    assert bool(tf.equal(often(f, x, y), y))


def test_gradients_of_calls():
    f = tf.function(lambda x: x * x + tf.sin(x))
    x = tf.constant(2.0)
    often(f, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert np.isclose(float(tape.gradient(y, x)), 4.0 + np.cos(2.0))


def test_errors_name_the_node_and_leave_the_function_usable():
    f = tf.function(lambda a, b: (a + b) // b)
    assert int(often(f, tf.constant(7), tf.constant(2))) == 4
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Detected at node floordiv(.|\n)*division by zero"):
            f(tf.constant(7), tf.constant(0))
    assert int(f(tf.constant(7), tf.constant(2))) == 4


def counts(n):
    i = tf.constant(0, tf.int64)
    while i < n:
        i += 1
    return i


def test_other_threads_run_during_a_long_loop():
    f = tf.function(counts)
    f(tf.constant(1, tf.int64))
    n = 1 << 20
    while True:  # until one call takes a fifth of a second
        begun = time.perf_counter()
        f(tf.constant(n, tf.int64))
        took = time.perf_counter() - begun
        if took > 0.2:
            break
        n *= 2
    done, seen = threading.Event(), []

    def look():
        while not done.is_set():
            seen.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=look)
    thread.start()
    begun = time.perf_counter()
    f(tf.constant(n, tf.int64))
    ended = time.perf_counter()
    done.set()
    thread.join(60)
    assert sum(begun < at < ended for at in seen) > 10


def test_arguments_may_go_away_during_a_long_loop():
    @tf.function
    def f(values):
        return counts(values[0]), values[1]

    values = [tf.constant(300_000_000, tf.int64), tf.constant([1.0, 2.0])]
    f([tf.constant(1, tf.int64), tf.constant([0.0, 0.0])])
    thread = threading.Thread(target=lambda: (time.sleep(0.02), values.clear()))
    thread.start()
    count, handed_on = f(values)
    thread.join(60)
    assert int(count) == 300_000_000
    assert (handed_on.numpy() == [1.0, 2.0]).all()


def test_many_threads_at_once():
    f = tf.function(lambda x, n: (x * 2.0 + 1.0, counts(n)))
    wrong = []

    def work(k):
        for i in range(500):
            y, n = f(tf.constant(float(k)), tf.constant(i, tf.int64))
            if float(y) != 2.0 * k + 1.0 or int(n) != i:
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong


def test_conditions_of_loops_over_arrays():
    @tf.function
    def f(x, n):
        i = 0
        while i * i + 1 < n and tf.constant(100) // (n - i) > 0:
            x = tf.reverse(x, [0]) + 1.0
            i += 1
        return x

    for n in (3, 50):
        wanted = next(i for i in range(100) if not (i * i + 1 < n and 100 // (n - i) > 0))
        assert often(f, tf.constant([0.0, 1.0]), tf.constant(n)).numpy().sum() == 2 * wanted + 1


def test_errors_in_conditions_name_the_node():
    @tf.function
    def f(x, n):
        while 10 // n < 100:
            x = tf.reverse(x, [0])
            n -= 1
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Detected at node while/floordiv(.|\n)*division by zero"):
        f(tf.constant([0.0, 1.0]), tf.constant(3))
