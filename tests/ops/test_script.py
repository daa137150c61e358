"""tf.py_function, tf.numpy_function and tf.compat.v1.py_func."""

import gc
import weakref

import numpy as np
import pytest
import tracefn as tf


def test_py_function_runs_at_each_call():
    seen = []

    @tf.function
    def f(x):
        return tf.py_function(lambda v: seen.append(int(v)) or v + 1, [x], tf.int32)

    assert [int(f(tf.constant(1))), int(f(tf.constant(2)))] == [2, 3]
    assert seen == [1, 2]


def test_results():
    a, b = tf.py_function(lambda x: (1, 2), [1], [tf.int32, tf.float32])
    assert (a.dtype, b.dtype) == (tf.int32, tf.float32)
    assert tf.py_function(lambda x: None, [1], []) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 1 values, but expects to see 2 values."):
        tf.py_function(lambda x: 1, [1], [tf.int32, tf.float32])


@pytest.mark.parametrize(
    ("error", "expected"),
    [(ValueError, tf.errors.InvalidArgumentError), (TypeError, tf.errors.InvalidArgumentError),
     (KeyError, tf.errors.UnknownError), (StopIteration, tf.errors.OutOfRangeError),
     (NotImplementedError, tf.errors.UnimplementedError), (ZeroDivisionError, tf.errors.UnknownError)],
)  # fmt: skip
def test_errors(error, expected):
    def fail(x):
        raise error("why")

    with pytest.raises(expected, match=f"{error.__name__}: '?why") as caught:
        tf.py_function(fail, [1], tf.int32)
    assert isinstance(caught.value.__cause__, error)


def test_numpy_function():
    @tf.function
    def f(x, y):
        return tf.numpy_function(lambda a, b: np.float32(type(a) is np.float32 and type(b) is np.ndarray), [x, y], tf.float32)

    assert float(f(tf.constant(1.0), tf.constant([1.0]))) == 1.0

    @tf.function
    def wrong(x):
        return tf.numpy_function(lambda a: np.int64(1), [x], tf.int32)

    with pytest.raises(tf.errors.InvalidArgumentError, match="0-th value returned by pyfunc_.* is int64, but expects int32"):
        wrong(tf.constant(1))


def test_callable_dies_with_the_function():
    class Callable:
        def __call__(self, x):
            return x

    call = Callable()
    alive = weakref.ref(call)

    @tf.function
    def f(x, call=call):
        return tf.py_function(call, [x], tf.int32)

    f(tf.constant(1))
    del call, f
    gc.collect()
    assert alive() is None
