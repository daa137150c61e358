"""tf.random: TensorFlow's numbers for given seeds, recorded from 2.21."""

import numpy as np
import pytest
import tracefn as tf


def test_global_seed_eagerly():
    tf.random.set_seed(42)
    first = tf.random.uniform([2]).numpy()
    np.testing.assert_array_equal(first, np.float32([0.6645621, 0.44100678]))
    np.testing.assert_allclose(tf.random.normal([2], seed=3).numpy(), [0.8021455, 0.505679], rtol=3e-7)
    tf.random.set_seed(42)
    np.testing.assert_array_equal(tf.random.uniform([2]).numpy(), first)


def test_global_seed_in_a_function():
    @tf.function
    def f():
        return tf.random.uniform([2])

    tf.random.set_seed(42)
    np.testing.assert_array_equal(f().numpy(), np.float32([0.8354591, 0.9162973]))
    np.testing.assert_array_equal(f().numpy(), np.float32([0.95270336, 0.23137903]))
    tf.random.set_seed(42)
    np.testing.assert_array_equal(f().numpy(), np.float32([0.8354591, 0.9162973]))
    assert f.experimental_get_tracing_count() == 1


def test_op_seed_goes_on_in_one_stream():
    tf.random.set_seed(None)
    np.testing.assert_array_equal(tf.random.uniform([3], seed=1).numpy(), np.float32([0.239037395, 0.920399547, 0.0505124331]))
    np.testing.assert_array_equal(tf.random.uniform([3], seed=1).numpy(), np.float32([0.851476192, 0.28712368, 0.797627687]))


def test_stateless():
    seed = [1, 2]
    numbers = tf.random.stateless_uniform([2], seed, minval=None, maxval=None, dtype=tf.int32)
    assert numbers.numpy().tolist() == [1105988140, 1738052849]
    assert tf.random.split(seed, 2).numpy().tolist() == [[1105988140, 1738052849], [-335576002, 370444179]]
    assert tf.random.fold_in(seed, 3).numpy().tolist() == [1105988140, 3]
    assert tf.random.stateless_categorical([[0.0, 1.0]], 5, seed).numpy().tolist() == [[1, 1, 0, 1, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int64"])
def test_uniform_stays_within_its_bounds(dtype):
    x = tf.raw_ops.Cast(x=tf.random.uniform([1000], 2, 5, dtype=dtype, seed=1), DstT=tf.float64).numpy()
    assert x.min() >= 2
    assert x.max() <= 5
    assert len(set(x.tolist())) > 2


def test_errors():
    with pytest.raises(ValueError, match="Must specify maxval for integer dtype tf.int32"):
        tf.random.uniform([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Argument `dtype` got invalid value <dtype: 'int8'>"):
        tf.random.uniform([2], dtype=tf.int8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 1"):
        tf.random.uniform([2], 5, 1, tf.int32)
    with pytest.raises(ValueError, match="must be both None or not None"):
        tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32)


def test_shuffle_keeps_the_rows():
    x = tf.reshape(tf.range(20), [10, 2])
    rows = tf.random.shuffle(x, seed=1).numpy()
    assert sorted(map(tuple, rows.tolist())) == list(map(tuple, x.numpy().tolist()))
