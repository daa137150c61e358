"""Accumulators of gradients in graphs."""

import threading

import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def parts(tf):
    """An accumulator with its operations: (session, function that applies a gradient of a step, accumulator)."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        accumulator = v1.ConditionalAccumulator(tf.float32, shape=[2], name="acc")
        gradient, step = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.int64, [])
        apply = accumulator.apply_grad(gradient, local_step=step)
        yield session, lambda value, when=0: session.run(apply, {gradient: value, step: when}), accumulator


def test_means_of_gradients(tf, parts):
    session, add, accumulator = parts
    count, mean = accumulator.num_accumulated(), accumulator.take_grad(2)
    assert (accumulator.name, accumulator.dtype, mean.shape, count.dtype) == ("acc", tf.float32, [2], tf.int32)
    assert count.name == "acc_NumAccumulated:0" and session.run(count) == 0
    assert add([1.0, 2.0]) is None
    add([3.0, 4.0], 1)
    assert session.run(count) == 2
    assert session.run(mean).tolist() == [2.0, 3.0] and session.run(count) == 0


def test_gradients_of_older_steps_are_dropped(tf, parts):
    session, add, accumulator = parts
    count = accumulator.num_accumulated()
    add([1.0, 1.0])
    session.run(accumulator.take_grad(1))
    add([1.0, 1.0], 0)
    assert session.run(count) == 0
    add([1.0, 1.0], 1)
    session.run(accumulator.set_global_step(5))
    add([1.0, 1.0], 4)
    add([1.0, 1.0], 5)
    assert session.run(count) == 2


def test_taking_waits(tf, parts):
    session, add, accumulator = parts
    mean, found = accumulator.take_grad(2), []
    thread = threading.Thread(target=lambda: found.append(session.run(mean).tolist()))
    thread.start()
    add([1.0, 2.0])
    add([3.0, 4.0])
    thread.join(10)
    assert found == [[2.0, 3.0]]


def test_sums(tf, parts):
    session, _, _ = parts
    accumulator = tf.compat.v1.ConditionalAccumulator(tf.float32, reduction_type="SUM")
    for gradient in ([1.0, 2.0], [3.0, 4.0]):
        session.run(accumulator.apply_grad(gradient))
    assert session.run(accumulator.take_grad(1)).tolist() == [4.0, 6.0]
    assert accumulator.take_grad(1).shape.rank is None


def test_what_accumulators_refuse(tf, parts):
    session, add, accumulator = parts
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape mismatch: expected \[2\], got \[3\]"):
        add([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        accumulator.apply_grad(tf.ones([3]))
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype float64"):
        accumulator.apply_grad(tf.ones([2], tf.float64))
    with pytest.raises(ValueError, match="Attr 'reduction_type' of 'ResourceConditionalAccumulator' Op passed string 'MAX'"):
        tf.compat.v1.ConditionalAccumulator(tf.float32, reduction_type="MAX")
    with pytest.raises(TypeError, match="Value passed to parameter 'dtype' has DataType string not in list of allowed"):
        tf.compat.v1.ConditionalAccumulator(tf.string)
