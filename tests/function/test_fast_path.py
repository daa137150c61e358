"""Calls that are answered without running Python: which arguments they know, and what they give."""

import signal

import numpy as np
import pytest
import tracefn as tf


def hits(f, *calls):
    """How many of the calls were answered by the fast path."""
    before = f._fast_hits
    for args in calls:
        f(*args)
    return f._fast_hits - before


@pytest.mark.parametrize(
    "value", [np.ones(3, np.float32), np.arange(3), np.ones((2, 0)), np.array(True), np.float64(2.0), np.int8(3), np.bool_(True)]
)
def test_numpy_values(value):
    f = tf.function(lambda x: (x, tf.identity(x)))
    f(value)
    assert hits(f, (value,), (value + value,)) == 2
    given, same = f(value)
    assert given.dtype.as_numpy_dtype == value.dtype and given.numpy().tolist() == value.tolist() == same.numpy().tolist()


def test_a_numpy_array_is_read_at_each_call():
    f = tf.function(lambda x: x + 1)
    a = np.zeros(2, np.float32)
    f(a)
    a[:] = 5
    assert f(a).numpy().tolist() == [6, 6]
    result = f(a)
    a[:] = 7
    assert result.numpy().tolist() == [6, 6]


def test_numpy_arrays_by_dtype_and_shape():
    f = tf.function(lambda x: x + 1)
    arrays = [np.zeros(2, np.float32), np.zeros(2), np.zeros(3), np.zeros((2, 1)), np.zeros(2, np.int32)]
    for a in arrays:
        f(a)
    assert f.experimental_get_tracing_count() == 5
    for a in arrays:
        assert hits(f, (a,)) == 1 and f(a).dtype.as_numpy_dtype == a.dtype and f(a).shape == a.shape


def test_any_layout_and_byte_order():
    f = tf.function(lambda x: x * 2)
    whole = np.arange(6, dtype=np.float32).reshape(2, 3)
    f(whole)
    for a in (whole, whole[::-1], np.asfortranarray(whole), whole.astype(">f4")):
        np.testing.assert_array_equal(f(a).numpy(), np.asarray(a, np.float32) * 2)
    assert f.experimental_get_tracing_count() == 1


def test_numpy_arrays_in_structures_and_beside_tensors():
    f = tf.function(lambda pair, x, k=1: pair["a"] + pair["b"][0] + x * k)
    a, b, x = np.ones(2, np.float32), np.full(2, 2, np.float32), tf.constant([10.0, 20.0])
    f({"a": a, "b": [b]}, x)
    assert hits(f, ({"a": b, "b": [a]}, x)) == 1
    assert f({"a": a, "b": [a]}, x, k=2).numpy().tolist() == [22, 42]


def test_numpy_values_are_cast_to_the_signature():
    f = tf.function(lambda x, y: x - y, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])
    f(np.arange(3), np.float64(1))
    assert hits(f, (np.arange(3), np.float64(2)), (np.arange(3), np.float64(2))) == 2
    assert f(np.arange(3), np.float64(2)).numpy().tolist() == [-2, -1, 0]
    assert f(y=np.float64(1), x=np.arange(2)).numpy().tolist() == [-1, 0]
    assert f(y=np.float64(1), x=np.arange(2)).dtype == tf.float32
    with pytest.raises(TypeError, match="Can not cast"):
        f(np.zeros((2, 2)), np.float64(1))


def test_strings_and_objects_take_the_general_path():
    f = tf.function(lambda x: x)
    for _ in range(2):
        assert f(np.array(["a", "b"])).numpy().tolist() == [b"a", b"b"]
    assert f._fast_hits == 0


def test_classes_derived_from_numpys_take_the_general_path():
    class Derived(np.ndarray):
        pass

    f = tf.function(lambda x: tf.reduce_sum(x))
    a = np.arange(3.0).view(Derived)
    assert [float(f(a)) for _ in range(3)] == [3.0] * 3 and f._fast_hits == 0


def test_a_signal_handler_may_drop_the_arguments_of_a_call():
    """A call that the fast path knows may still have to compile the trace: under a tape, another program ran."""

    @tf.function
    def f(xs):
        y = xs[0]
        for i in range(1500):
            y = tf.sin(y) + xs[1] * float(i % 7)
        return y * 0.0 + xs[0] + xs[1]

    def pair():
        return [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]

    watched = pair()
    with tf.GradientTape() as tape:
        tape.watch(watched)
        f(watched)
    xs, others = pair(), []

    def drop(*_):
        if xs:
            xs.clear()
            others.extend(tf.constant([7.0, 7.0]) for _ in range(50))

    kept = signal.signal(signal.SIGALRM, drop)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    try:
        result = f(xs)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
    assert not xs and len(others) == 50
    assert result.numpy().tolist() == [4.0, 6.0]
