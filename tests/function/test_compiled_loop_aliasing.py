"""Compiled loops: arrays that are copies of others, constants, lists of any state, and what is not compiled."""

import os
import signal
import time

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops


def both(program, *args) -> tuple[list, list]:
    """The results of the traced program, and those of op by op."""
    traced = [np.array(x) for x in tf.nest.flatten(tf.function(program, autograph=False)(*args))]
    return traced, [np.array(x) for x in tf.nest.flatten(program(*args))]


def assert_same(program, *args) -> None:
    for traced, eager in zip(*both(program, *args), strict=True):
        np.testing.assert_array_equal(traced, eager)


def update(array, i, value):
    return tf.tensor_scatter_nd_update(array, [[i]], [value])


def look(array, i):
    return tf.stack([array[i], array[(i + 99) % 100], array[0]])


TWICE = [
    lambda p, a: tf.cond(p, lambda: (a, a), lambda: (a, update(a, 1, -1.0))),
    lambda p, a: tf.cond(p, lambda: (a, a), lambda: (update(a, 1, -1.0), a)),
    lambda p, a: tf.cond(p, lambda: (a, update(a, 2, -2.0)), lambda: (update(a, 1, -1.0), a)),
    lambda p, a: tf.cond(p, lambda: (update(a, 2, -2.0),) * 2, lambda: (a, update(a, 1, -1.0))),
    lambda p, a: tf.cond(p, lambda: (a, a), lambda: (a, a)),
    lambda p, a: tf.cond(p, lambda: (a, a), lambda: tf.cond(a[0] > 0, lambda: (a, a), lambda: (update(a, 3, 1.0), a))),
]


@pytest.mark.parametrize("branches", TWICE)
@pytest.mark.parametrize("size", [7, 100])
def test_one_array_as_two_results_of_a_conditional(branches, size):
    def program(a, n):
        def body(i, a, b):
            a, b = branches(i % 2 == 1, a)
            return i + 1, update(a, i, 5.0), update(b, i + 1, b[i] + 1.0)

        return tf.while_loop(lambda i, *_: i < n, body, (tf.constant(0), a, a))

    a = tf.constant(np.arange(size, dtype=np.float32))
    for n in range(4):
        assert_same(program, a, tf.constant(n))
    np.testing.assert_array_equal(a, np.arange(size))


def test_one_array_as_two_arguments_of_a_conditional():
    def program(a, n):
        def body(i, a, b):
            b = a
            a, b = tf.cond(i > 0, lambda: (a, b), lambda: (a, update(b, i, -1.0)))
            return i + 1, a, b

        return tf.while_loop(lambda i, *_: i < n, body, (tf.constant(0), a, a))

    assert_same(program, tf.zeros([100]), tf.constant(2))


NUMBERS = np.arange(100, dtype=np.float32)
CONSTANTS = [
    lambda i, c, a: (tf.cond(i > 1, lambda: c, lambda: update(c, i, -1.0)), a),
    lambda i, c, a: tf.cond(i > 1, lambda: (c, a), lambda: (update(c, i, -1.0), c)),
    lambda i, c, a: (tf.cond(i > 1, lambda: c, lambda: tf.cond(i > 0, lambda: c, lambda: update(c, i, -1.0))), c),
    lambda i, c, a: (tf.cond(i > 1, lambda: update(c, i, -2.0), lambda: c), update(a, i, 3.0)),
    lambda i, c, a: (tf.cond(i > 1, lambda: c, lambda: c), a),
]


@pytest.mark.parametrize("step", CONSTANTS)
def test_constants_of_a_conditional_stay(step):
    def program(n):
        def body(i, s, a):
            first, second = step(i, tf.constant(NUMBERS), a)
            return i + 1, s + look(first, i) + look(second, i), second

        return tf.while_loop(lambda i, *_: i < n, body, (tf.constant(0), tf.zeros([3]), tf.zeros([100])))[1:]

    for n in (1, 2, 5):
        assert_same(program, tf.constant(n))


def compiled(program, *args) -> bool:
    text = tf.function(program, autograph=False).get_concrete_function(*args).explain_compilation()
    return text == "while: compiled as a whole"


@pytest.mark.skipif(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 24 << 30, reason="needs 2 GiB")
def test_offsets_that_no_instruction_has():
    def program(x, n):
        return tf.while_loop(lambda i, _: i < n, lambda i, s: (i + 1, s + x[2**28 + 1]), (tf.constant(0), x[0]))[1]

    numbers = np.zeros(2**28 + 8)
    numbers[2**28 + 1] = 7.0
    x = tf.constant(numbers)
    assert compiled(program, x, tf.constant(3))
    assert tf.function(program, autograph=False)(x, tf.constant(3)).numpy() == 21


def get(h, i, shape, dtype):
    return raw.TensorListGetItem(
        input_handle=h, index=i, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype
    )


def pop(h, shape, dtype):
    return raw.TensorListPopBack(input_handle=h, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype)


@pytest.mark.parametrize("access", [lambda h, i: get(h, i, -1, tf.float64), lambda h, i: pop(h, -1, tf.float64)[1]])
def test_an_element_of_another_dtype(access):
    @tf.function(input_signature=[tf.TensorSpec([], tf.variant), tf.TensorSpec([], tf.int32)], autograph=False)
    def program(h, n):
        def body(i, s):
            first = tf.cast(get(h, i, [], tf.float32), tf.float64)
            return i + 1, s + first + tf.reshape(access(h, i), [])

        return tf.while_loop(lambda i, _: i < n, body, (tf.constant(0), tf.constant(0.0, tf.float64)))[1]

    h = raw.TensorListFromTensor(tensor=[1.0, 2.0, 3.0], element_shape=tf.constant([], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="op elements double but list elements float"):
        program(h, tf.constant(3))


@pytest.mark.parametrize("written", [[], [1], [1, 4]])
@pytest.mark.parametrize("count", [0, 2, 5])
def test_elements_popped_from_a_list_with_unset_ones(written, count):
    def program(n):
        h = raw.TensorListReserve(element_shape=tf.constant(-1), num_elements=5, element_dtype=tf.float32)
        for k in written:
            h = raw.TensorListSetItem(input_handle=h, index=k, item=tf.constant(float(k)))

        def body(i, h, s):
            h, v = pop(h, [], tf.float32)
            return i + 1, h, s * 10.0 + v

        _, h, s = tf.while_loop(lambda i, *_: i < n, body, (tf.constant(0), h, tf.constant(0.0)))
        rest = raw.TensorListStack(input_handle=h, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32)
        return raw.TensorListLength(input_handle=h), s, rest

    assert_same(program, tf.constant(count))


def test_elements_that_stay_unset_when_others_are_popped():
    @tf.function(autograph=False)
    def program(n):
        h = raw.TensorListReserve(element_shape=tf.constant(-1), num_elements=5, element_dtype=tf.float32)
        h = raw.TensorListSetItem(input_handle=h, index=4, item=tf.constant(1.0))
        _, h = tf.while_loop(lambda i, _: i < n, lambda i, h: (i + 1, pop(h, [], tf.float32)[0]), (tf.constant(0), h))
        return get(h, 0, -1, tf.float32)

    assert program(tf.constant(0)).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="uninitialized"):
        program(tf.constant(1))


class Stopped(Exception):
    pass


def copying_arrays(x):
    def body(i, x):
        changed = tf.tensor_scatter_nd_add(x, [[i]], [1.0])
        return (i + 1) % 50, tf.tensor_scatter_nd_add(changed, [[i + 1]], [x[i]])

    return tf.while_loop(lambda i, _: i >= 0, body, (tf.constant(0), x))


def reserving_lists(x):
    def body(i, s):
        h = raw.TensorListReserve(
            element_shape=tf.constant([], tf.int32), num_elements=4_000_000, element_dtype=tf.float32
        )
        return (i + 1) % 50, s + get(h, i, [], tf.float32)

    return tf.while_loop(lambda i, _: i >= 0, body, (tf.constant(0), x[0]))


@pytest.mark.parametrize("program", [copying_arrays, reserving_lists])
def test_loops_that_copy_much_are_interrupted_soon(program):
    def stop(*_):
        raise Stopped

    x = tf.zeros([4_000_000])
    assert compiled(program, x)
    run = tf.function(program, autograph=False)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stopped):
            run(x)
        assert time.monotonic() - start < 1.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(x[:100], np.zeros(100))


@pytest.mark.parametrize(
    "large",
    [
        lambda x, i: tf.reduce_sum(tf.fill([200_000_000], x)),
        lambda x, i: tf.cast(tf.range(0, 200_000_000)[i], tf.float32),
        lambda x, i: tf.reduce_sum(tf.tile(tf.reshape(x, [1]), [200_000_000])),
    ],
)
def test_a_branch_with_a_large_tensor_that_is_never_taken(large):
    def program(x, n):
        def body(i, x):
            return i + 1, tf.cond(x > 5.0, lambda: x + large(x, i), lambda: x) + 1.0

        return tf.while_loop(lambda i, _: i < n, body, (tf.constant(0), x))[1]

    run = tf.function(program, autograph=False).get_concrete_function(tf.constant(1.0), tf.constant(2))
    start = time.monotonic()
    assert run(tf.constant(1.0), tf.constant(2)).numpy() == 3
    assert time.monotonic() - start < 0.5


@pytest.mark.parametrize("length", [64, 65, 100_000])
def test_rows_of_a_list(length):
    def program(x, j):
        h = raw.TensorListFromTensor(tensor=x, element_shape=tf.constant([length]))

        def body(i, s):
            return i + 1, s * 10.0 + get(h, i, [length], tf.float32)[j]

        return tf.while_loop(lambda i, _: i < 4, body, (tf.constant(0), tf.constant(0.0)))[1]

    x = tf.constant(np.arange(4 * length, dtype=np.float32).reshape(4, length) % 7)
    assert_same(program, x, tf.constant(5))
    assert compiled(program, x, tf.constant(5))


@pytest.mark.parametrize("length, steps, is_compiled", [(64, 100, True), (16, 600, False)])
def test_code_of_one_body_that_would_be_long(length, steps, is_compiled):
    """Tensors of 64 elements are arrays then; those of 16 are not."""

    def program(*xs):
        def body(i, *xs):
            xs = list(xs)
            for k in range(steps):
                xs[k % 8] = tf.roll(xs[k % 8], 1, 0) * xs[(k + 1) % 8] + tf.reduce_max(xs[(k + 2) % 8])
            return i + 1, *xs

        return tf.while_loop(lambda i, *_: i < 2, body, (tf.constant(0), *xs))[1:]

    xs = [tf.constant(np.linspace(0, 0.1, length, dtype=np.float32)) + k * 0.01 for k in range(8)]
    assert compiled(program, *xs) == is_compiled
    assert_same(program, *xs)


def test_a_list_of_which_only_the_size_matters():
    @tf.function(autograph=False)
    def program(h, n):
        def body(i, h):
            return i + raw.TensorListLength(input_handle=h), h

        i, h = tf.while_loop(lambda i, _: i < n, body, (tf.constant(0), h))
        return i, get(h, 1, [3], tf.float32)

    h = raw.TensorListReserve(element_shape=tf.constant([3]), num_elements=4, element_dtype=tf.float32)
    h = raw.TensorListSetItem(input_handle=h, index=1, item=tf.constant([1.0, 2.0, 3.0]))
    for _ in range(2):
        i, element = program(h, tf.constant(10))
        assert i.numpy() == 12
        np.testing.assert_array_equal(element, [1, 2, 3])


def test_a_list_that_cannot_be_stacked_is_an_error_even_if_only_its_shape_matters():
    @tf.function(autograph=False)
    def program(h, n):
        def body(i, s):
            stacked = raw.TensorListStack(input_handle=h, element_shape=tf.constant([3]), element_dtype=tf.float32)
            return i + 1, s + tf.shape(stacked)[0]

        return tf.while_loop(lambda i, _: i < n, body, (tf.constant(0), tf.constant(0)))[1]

    h = raw.TensorListReserve(element_shape=tf.constant(-1), num_elements=2, element_dtype=tf.float32)
    h = raw.TensorListSetItem(input_handle=h, index=0, item=tf.constant([1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        program(h, tf.constant(2))


@pytest.mark.parametrize("shape", [(5, 0), (0, 5), (0,)])
def test_updates_of_an_empty_tensor(shape):
    def program(x, indices, updates):
        def body(i, x):
            return i + 1, tf.tensor_scatter_nd_update(x, indices, updates)

        return tf.while_loop(lambda i, _: i < 2, body, (tf.constant(0), x))[1]

    x, updates = np.zeros(shape, np.float32), np.zeros((0, *shape[1:]), np.float32)
    assert_same(program, tf.constant(x), tf.zeros([0, 1], tf.int32), tf.constant(updates))


@pytest.mark.parametrize("size", [4, 65])
def test_a_slice_of_the_full_size_that_begins_too_late(size):
    def program(x, begin):
        return tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, tf.slice(x, begin, [size])), (tf.constant(0), x))[
            1
        ]

    x = tf.constant(np.arange(size))
    assert_same(program, x, tf.constant([0]))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=rf"Expected size\[0\] in \[0, {size - 2}\], but got {size}"
    ):
        tf.function(program, autograph=False)(x, tf.constant([2]))


RESHAPED = {
    "sorted": lambda x, i: tf.reshape(tf.sort(tf.reshape(x, [10, 10]), axis=1), [100]) + 1.0,
    "an operand that is updated afterwards": lambda x, i: update(x, i, 3.0)
    + tf.reshape(tf.cumsum(tf.reshape(x, [4, 25]), 1), [100]),
    "an operand that is updated before": lambda x, i: tf.reshape(
        tf.cumsum(tf.reshape(update(x, i, 3.0), [4, 25]), 1), [100]
    ),
    "two shapes of one array": lambda x, i: tf.reshape(
        tf.reshape(x, [10, 10]) @ tf.reshape(x, [10, 10]) + (tf.reshape(x, [2, 50]) @ tf.reshape(x, [50, 2]))[0, 0],
        [100],
    ),
    "a reduction": lambda x, i: x + tf.reshape(tf.tile(tf.reduce_sum(tf.reshape(x, [20, 5]), 0), [20]), [100]),
    "a reduction of all": lambda x, i: x + tf.reduce_max(tf.reshape(x, [5, 4, 5])),
    "a slice that is no reshape": lambda x, i: x + tf.tile(tf.sort(tf.reshape(x, [10, 10])[:, 5]), [10]),
    "its own result": lambda x, i: tf.reshape(tf.reverse(tf.sort(tf.reshape(x, [1, 100])), [1]), [100]),
}


@pytest.mark.parametrize("name", RESHAPED)
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_kernels_read_reshaped_arrays_where_they_are(name, steps):
    step = RESHAPED[name]

    def program(x):
        def body(i, x, before):
            return i + 1, step(x, i) * 0.5, x

        return tf.while_loop(lambda i, *_: i < steps, body, (tf.constant(0), x, x))

    x = tf.constant(np.random.default_rng(0).integers(-9, 9, 100).astype(np.float32))
    kept = np.array(x)
    assert_same(program, x)
    np.testing.assert_array_equal(x, kept)


def test_a_reshaped_operand_is_not_copied():
    @tf.function(input_signature=[tf.TensorSpec([100])])
    def program(x):
        for _ in tf.range(3):
            x = x + tf.cumsum(tf.reshape(x, [4, 25]), 1)[1, 1]
        return x

    assert "Cumsum(a0" in program.get_concrete_function().code()


@pytest.mark.parametrize("rows", [1, 3, 40])
@pytest.mark.parametrize("width", [2, 100])
def test_rows_are_pushed_and_popped(rows, width):
    """More rows than were reserved, and back to none; the error of one pop too many is the list's own."""

    def program(x, n, extra):
        def push(i, handle):
            return i + 1, raw.TensorListPushBack(input_handle=handle, tensor=x + tf.cast(i, tf.float32))

        def pop(i, handle, total):
            handle, row = raw.TensorListPopBack(input_handle=handle, element_shape=[width], element_dtype=tf.float32)
            return i + 1, handle, total * 0.5 + row

        empty = raw.EmptyTensorList(element_shape=[width], max_num_elements=-1, element_dtype=tf.float32)
        _, full = tf.while_loop(lambda i, _: i < n, push, (tf.constant(0), empty))
        _, rest, total = tf.while_loop(lambda i, *_: i < n + extra, pop, (tf.constant(0), full, tf.zeros([width])))
        return total, raw.TensorListLength(input_handle=rest)

    x = tf.range(width, dtype=tf.float32)
    assert_same(program, x, tf.constant(rows), tf.constant(0))
    assert_same(program, x, tf.constant(rows), tf.constant(-1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to pop from an empty list"):
        tf.function(program, autograph=False)(x, tf.constant(rows), tf.constant(1))
