"""Lists of unset elements of which one was set: what every op makes of them."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

ROW = [1.0, 2.0]


def reserved(tf, shape=(2,), size=3):
    return tf.raw_ops.TensorListReserve(element_shape=tf.constant(shape, tf.int32), num_elements=size, element_dtype=tf.float32)


def put(tf, handle, index, row=ROW):
    return tf.raw_ops.TensorListSetItem(input_handle=handle, index=index, item=tf.constant(row, tf.float32))


def got(tf, handle, index, shape=(2,)):
    return tf.raw_ops.TensorListGetItem(
        input_handle=handle, index=index, element_shape=tf.constant(shape, tf.int32), element_dtype=tf.float32
    )


def stacked(tf, handle, shape=(2,)):
    return tf.raw_ops.TensorListStack(
        input_handle=handle, element_shape=tf.constant(shape, tf.int32), element_dtype=tf.float32
    )


def test_reads(tf):
    one = put(tf, reserved(tf), 1)
    np.testing.assert_array_equal(stacked(tf, one), [[0, 0], ROW, [0, 0]])
    assert got(tf, one, 1).numpy().tolist() == ROW and got(tf, one, 0).numpy().tolist() == [0, 0]
    assert int(tf.raw_ops.TensorListLength(input_handle=one)) == 3
    rows = tf.raw_ops.TensorListGather(
        input_handle=one, indices=[1, 2, 1], element_shape=tf.constant([2], tf.int32), element_dtype=tf.float32
    )
    np.testing.assert_array_equal(rows, [ROW, [0, 0], ROW])


def test_the_list_before_stays_as_it_was(tf):
    none = reserved(tf)
    one = put(tf, none, 0)
    again = put(tf, one, 0, [5.0, 6.0])
    two = put(tf, one, 2, [7.0, 8.0])
    assert not stacked(tf, none).numpy().any()
    np.testing.assert_array_equal(stacked(tf, one), [ROW, [0, 0], [0, 0]])
    np.testing.assert_array_equal(stacked(tf, again), [[5, 6], [0, 0], [0, 0]])
    np.testing.assert_array_equal(stacked(tf, two), [ROW, [0, 0], [7, 8]])


def test_changed_sizes(tf):
    one = put(tf, reserved(tf), 1)
    np.testing.assert_array_equal(stacked(tf, tf.raw_ops.TensorListResize(input_handle=one, size=2)), [[0, 0], ROW])
    longer = tf.raw_ops.TensorListResize(input_handle=one, size=4)
    np.testing.assert_array_equal(stacked(tf, longer), [[0, 0], ROW, [0, 0], [0, 0]])
    pushed = tf.raw_ops.TensorListPushBack(input_handle=one, tensor=tf.constant([9.0, 9.0]))
    np.testing.assert_array_equal(stacked(tf, pushed), [[0, 0], ROW, [0, 0], [9, 9]])
    rest, last = tf.raw_ops.TensorListPopBack(
        input_handle=put(tf, reserved(tf), 2), element_shape=tf.constant([2], tf.int32), element_dtype=tf.float32
    )
    assert last.numpy().tolist() == ROW and not stacked(tf, rest).numpy().any()


def test_the_shape_of_the_one_is_that_of_all(tf):
    one = put(tf, reserved(tf, -1), 1)
    np.testing.assert_array_equal(stacked(tf, one, -1), [[0, 0], ROW, [0, 0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        stacked(tf, put(tf, one, 0, [1.0, 2.0, 3.0]), -1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        put(tf, reserved(tf), 1, [1.0, 2.0, 3.0])


def test_sums_and_gradients(tf):
    both = tf.raw_ops.AddN(inputs=[put(tf, reserved(tf), 1), put(tf, reserved(tf), 2)])
    np.testing.assert_array_equal(stacked(tf, both), [[0, 0], ROW, ROW])

    @tf.function
    def f(x):
        rows = tf.TensorArray(tf.float32, size=4)
        rows = rows.write(0, x)
        for i in tf.range(3):
            rows = rows.write(i + 1, rows.read(i) * 2.0)
        return rows.stack()

    x = tf.constant(ROW)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_array_equal(y, [[1, 2], [2, 4], [4, 8], [8, 16]])
    np.testing.assert_array_equal(tape.gradient(y, x), [15, 15])


@pytest.mark.parametrize("dtype", ["int32", "float64", "bool", "string"])
def test_a_loop_goes_on_from_the_first(tf, dtype):
    @tf.function
    def f(first, n):
        rows = tf.TensorArray(first.dtype, size=n + 1)
        rows = rows.write(0, first)
        last = first
        for i in tf.range(n):
            last = tf.reverse(last, [0])
            rows = rows.write(i + 1, last)
        return rows.stack()

    first = tf.cast(tf.constant([1, 0]), dtype) if dtype != "string" else tf.constant(["a", "b"])
    found = f(first, tf.constant(3)).numpy()
    assert found.tolist() == [first.numpy()[::step].tolist() for step in (1, -1, 1, -1)]
