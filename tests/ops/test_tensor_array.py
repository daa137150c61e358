"""tf.TensorArray, eager and traced."""

import numpy as np
import pytest
import tracefn as tf


def both_modes(f):
    return [f(), tf.function(f)()]


def test_write_and_stack():
    def f():
        ta = tf.TensorArray(tf.float32, size=2)
        return ta.write(0, 1.0).write(1, 2.0).stack()

    for result in both_modes(f):
        assert result.numpy().tolist() == [1.0, 2.0]


def test_grows_when_dynamic():
    def f():
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True).write(2, 7)
        return ta.size(), ta.stack()

    for size, stacked in both_modes(f):
        assert (int(size), stacked.numpy().tolist()) == (3, [0, 0, 7])


def test_whole_tensors():
    def f():
        ta = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
        scattered = tf.TensorArray(tf.float32, size=2).scatter([1, 0], [1.0, 2.0])
        pieces = tf.TensorArray(tf.float32, size=2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
        return ta.gather([2, 0]), scattered.stack(), pieces.concat()

    for gathered, scattered, joined in both_modes(f):
        assert gathered.numpy().tolist() == [3.0, 1.0]
        assert scattered.numpy().tolist() == [2.0, 1.0]
        assert joined.numpy().tolist() == [1.0, 2.0, 3.0]


def test_in_a_while_loop():
    @tf.function
    def f(n):
        def body(i, ta):
            return i + 1, ta.write(i, i * i)

        ta = tf.TensorArray(tf.int32, size=n)
        return tf.while_loop(lambda i, ta: i < n, body, (0, ta))[1].stack()

    assert f(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]


def test_eager_errors():
    ta = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError, match="Tried to write to index 5 but array is not resizeable and size is: 1"):
        ta.write(5, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="TensorArray dtype is float32 but Op is trying to write dtype int32"):
        ta.write(0, tf.constant(1))
    ta = ta.write(0, 1.0)
    assert float(ta.read(0)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        ta.read(0)
    with pytest.raises(ValueError, match="Size must be declared"):
        tf.TensorArray(tf.float32)
    with pytest.raises(ValueError, match=r"Incompatible shape for value \(\(1,\)\), expected \(\(\)\)"):
        tf.TensorArray(tf.float32, size=2).write(0, 1.0).write(1, [1.0])


@pytest.mark.parametrize("shape", [(4,), (4, 1), (3, 2, 2), (2, 0)])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.string, tf.bool])
def test_unstacked_rows(shape, dtype):
    values = np.arange(np.prod(shape)).reshape(shape).astype(str if dtype == tf.string else dtype.as_numpy_dtype)

    def f():
        x = tf.constant(values, dtype)
        ta = tf.TensorArray(dtype, size=shape[0], clear_after_read=False).unstack(x)
        changed = ta.write(1, x[0])
        return ta.read(1), ta.gather([1, 0]), ta.stack(), changed.stack(), changed.read(0)

    rows = values.astype(bytes) if dtype == tf.string else values
    changed = rows.copy()
    changed[1] = rows[0]
    traced = tf.function(f)()
    for got, want in zip(traced, [rows[1], rows[[1, 0]], rows, changed, rows[0]], strict=True):
        np.testing.assert_array_equal(got.numpy(), want)


def test_rows_in_a_loop_of_scalars():
    # A loop that pushes and reads scalars takes lists of scalars only.
    @tf.function
    def f(x):
        ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False, element_shape=None).unstack(x)
        total = 0.0
        for i in tf.range(ta.size()):
            total += tf.reduce_sum(ta.read(i))
        return total

    assert float(f(tf.constant([1.0, 2.0]))) == 3.0
    assert float(f(tf.constant([[1.0], [2.0]]))) == 3.0
    assert float(f(tf.constant([[1.0, 5.0], [2.0, 0.5]]))) == 8.5
