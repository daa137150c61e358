"""tf.sparse and what else takes SparseTensors: results of TensorFlow 2.21, eagerly and traced."""

import pytest

import sparse_elsewhere
import sparse_functions
from sparse_values import assert_same, plain

pytestmark = pytest.mark.rule(27)

CASES = {**sparse_functions.CASES, **sparse_elsewhere.CASES}


@pytest.mark.parametrize("name", CASES)
def test_eager(tf, name):
    program, expected = CASES[name]
    assert_same(plain(program(tf)), expected)


@pytest.mark.parametrize("name", [name for name in CASES if "sqrtn variable" not in name])
def test_traced(tf, name):
    program, expected = CASES[name]
    assert_same(plain(tf.function(lambda: program(tf))()), expected)


def test_shapes_of_sparse_values(tf):
    value = tf.compat.v1.SparseTensorValue(indices=((0, 1), (1, 0)), values=(42, 24), dense_shape=(2, 3))
    for f in (lambda: None, tf.function(lambda: (tf.shape(value), tf.size(value), tf.rank(value)), autograph=False)):
        shape, size, rank = f() or (tf.shape(value), tf.size(value), tf.rank(value))
        assert shape.numpy().tolist() == [2, 3] and int(size) == 6 and int(rank) == 2
    assert tf.shape(value, out_type=tf.int64).dtype == tf.int64
