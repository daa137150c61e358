"""Numbers that say how many there are to be: none is made before a number is known to be a sensible one."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
X = np.float32([[1, 2], [3, 4]])
HUGE = [2**40, 2**31, 2**63 - 1]
ERRORS = (tf.errors.OpError, ValueError, TypeError, OverflowError)

OUTPUTS = {
    "unstack": lambda x, n: tf.unstack(x, num=n),
    "Unpack": lambda x, n: raw.Unpack(value=x, num=n),
    "dynamic_partition": lambda x, n: tf.dynamic_partition(x, [0, 1], n),
    "Split": lambda x, n: raw.Split(split_dim=0, value=x, num_split=n),
    "SplitV": lambda x, n: raw.SplitV(value=x, size_splits=[1, 1], split_dim=0, num_split=n),
    "ShapeN": lambda x, n: raw.ShapeN(input=[x], N=n),
    "Pack": lambda x, n: raw.Pack(values=[x], N=n),
}


@pytest.mark.parametrize("count", [*HUGE, -1, -(2**63)])
@pytest.mark.parametrize("name", OUTPUTS)
def test_more_outputs_than_an_op_can_have(name, count):
    f = OUTPUTS[name]
    with pytest.raises(ERRORS):
        f(tf.constant(X), count)
    with pytest.raises(ERRORS), tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        f(x, count)
    for spec in (tf.TensorSpec([2, 2]), tf.TensorSpec([None, 2]), tf.TensorSpec(None)):
        with pytest.raises((ValueError, TypeError)):
            tf.function(lambda x: f(x, count), input_signature=[spec], autograph=False).get_concrete_function()


def test_the_message_names_both_numbers():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="passed 1099511627776, which is more than the 1048576 outputs"
    ):
        raw.Unpack(value=X, num=2**40)


SAMPLES = {
    "categorical": lambda x, n: tf.random.categorical(x, n),
    "stateless_categorical": lambda x, n: tf.random.stateless_categorical(x, n, [1, 2]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_numbers_of_samples(name):
    f = SAMPLES[name]
    number = tf.TensorSpec(None, "int32")
    traced = tf.function(lambda n: f(X, n), input_signature=[number], autograph=False)
    for run in (lambda n: f(X, n), traced):
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_samples should be non-negative, got -1"):
            run(tf.constant(-1))
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_samples should be a scalar"):
            run(tf.constant([1]))
        assert run(tf.constant(0)).shape == [2, 0]
        assert run(tf.constant(3)).shape == [2, 3]
    with pytest.raises(ValueError, match="given by scalar input 1, must be non-negative but is -1"):
        tf.function(lambda: f(X, -1), autograph=False)()


@pytest.mark.parametrize("traced", [False, True])
def test_sizes_past_32_bits(traced):
    """An index type that is int32 by default is int64 for numbers that need it, not a part of their bits."""
    n = 2**40
    cases = {
        "fill": lambda: tf.shape(tf.fill([n, 0], 1.0), "int64"),
        "raw fill": lambda: tf.shape(raw.Fill(dims=np.int64([n, 0]), value=1.0), "int64"),
        "broadcast_to": lambda: tf.shape(tf.broadcast_to(tf.zeros([0]), [n, 0]), "int64"),
        "reshape": lambda: tf.shape(tf.reshape(tf.zeros([0]), [n, 0]), "int64"),
        "pad": lambda: tf.shape(tf.pad(tf.zeros([0, 0]), [[n, 0], [0, 0]]), "int64"),
    }
    for name, f in cases.items():
        shape = (tf.function(f, autograph=False) if traced else f)()
        assert shape.numpy().tolist() == [n, 0], name
    for f in (lambda: tf.reduce_sum([1, 2], n), lambda: tf.expand_dims([1], n), lambda: tf.reverse([1, 2], [n])):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            (tf.function(f, autograph=False) if traced else f)()
