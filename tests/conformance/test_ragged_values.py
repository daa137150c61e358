"""tf.compat.v1.ragged: values of NumPy, and placeholders."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def test_values(tf):
    ragged = tf.compat.v1.ragged
    inner = ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    outer = ragged.RaggedTensorValue(inner, np.array([0, 0, 2]))
    assert inner.to_list() == [[1, 2], [3]] and outer.to_list() == [[], [[1, 2], [3]]]
    assert inner.shape == (2, None) and outer.shape == (2, None, None)
    assert outer.ragged_rank == 2 and outer.dtype == np.int64
    assert [part.tolist() for part in outer.nested_row_splits] == [[0, 0, 2], [0, 2, 3]]
    assert outer.flat_values.tolist() == [1, 2, 3]
    assert str(inner) == "<tf.RaggedTensorValue [[1, 2], [3]]>"


def test_wrong_parts(tf):
    make = tf.compat.v1.ragged.RaggedTensorValue
    for values, splits, error in [
        (np.array([1]), [0, 1], TypeError),
        (np.array([1]), np.array([0.0, 1]), TypeError),
        (np.array([1]), np.array([[0, 1]]), TypeError),
        ([1], np.array([0, 1]), TypeError),
        (make(np.array([1]), np.array([0, 1])), np.array([0, 1], np.int32), ValueError),
    ]:
        with pytest.raises(error):
            make(values, splits)


@pytest.mark.parametrize("pylist", [[[1, 2], [3]], [[[1], []], []], [["a"], []], [[1.5], [2, 3]]])
def test_constant_values(tf, pylist):
    found = tf.compat.v1.ragged.constant_value(pylist)
    assert found.to_list() == pylist
    assert found.row_splits.dtype == np.int64


def test_constant_values_of_a_dtype(tf):
    constant_value = tf.compat.v1.ragged.constant_value
    found = constant_value([[1, 2], [3]], np.float32, row_splits_dtype="int32")
    assert found.dtype == np.float32 and found.row_splits.dtype == np.int32
    assert constant_value([[1, 2], [3, 4]], ragged_rank=0).tolist() == [[1, 2], [3, 4]]
    assert constant_value([[[1, 2]], []], ragged_rank=1, inner_shape=(2,)).shape == (2, None, 2)


def test_placeholders(tf):
    with tf.Graph().as_default():
        found = tf.compat.v1.ragged.placeholder(tf.float32, 2, [3])
        assert found.ragged_rank == 2 and found.dtype == tf.float32
        assert found.shape.as_list() == [None, None, None, 3]
        assert tf.compat.v1.ragged.placeholder(tf.int32, 0, [2]).shape == [2]


def test_ragged_values_of_sessions(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        one, two = tf.ragged.constant([[1, 2], [], [3]]), tf.ragged.constant([[[1, 2], []], [], [[3]]])
        found, parts = session.run([one, {"two": two}])
        assert isinstance(found, v1.ragged.RaggedTensorValue) and found.to_list() == [[1, 2], [], [3]]
        assert parts["two"].ragged_rank == 2 and parts["two"].to_list() == [[[1, 2], []], [], [[3]]]
        assert parts["two"].flat_values.dtype == np.int32 and parts["two"].row_splits.tolist() == [0, 2, 2, 3]
        assert str(session.make_callable(one)()) == "<tf.RaggedTensorValue [[1, 2], [], [3]]>"
        fed = v1.ragged.placeholder(tf.int32, 1, [])
        value = v1.ragged.constant_value([[1], [2, 3]], dtype=np.int32)
        assert session.run(fed + 1, {fed: value}).to_list() == [[2], [3, 4]]
        assert session.run(fed + 1, {fed: found}).to_list() == [[2, 3], [], [4]]
        for wrong in ([[1], [2, 3]], 1):
            with pytest.raises(AttributeError, match="object has no attribute 'nested_row_splits'"):
                session.run(fed + 1, {fed: wrong})
        with pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object"):
            session.run(fed + 1, {fed: one})


def test_only_ragged_tensors_of_graphs_are_hashable(tf):
    with pytest.raises(TypeError, match="RaggedTensor is unhashable"):
        hash(tf.ragged.constant([[1]]))
    with pytest.raises(TypeError, match="RaggedTensor is unhashable"):
        tf.function(lambda: hash(tf.ragged.constant([[1]])))()
    with tf.Graph().as_default():
        x = tf.ragged.constant([[1]])
        assert {x: 1}[x] == 1


def test_placeholders_of_any_values(tf):
    with tf.Graph().as_default():
        found = tf.compat.v1.ragged.placeholder(tf.int32, 2, [2], name="mine")
        assert found.flat_values.name == "mine/flat_values:0" and found.flat_values.shape.as_list() == [None, 2]
        assert found.row_splits.name == "mine/row_splits_0:0" and found.values.row_splits.name == "mine/row_splits_1:0"
        assert tf.compat.v1.ragged.placeholder(tf.int32, 1).flat_values.shape.rank is None


def test_arrays_of_lists_are_numpys(tf):
    make = tf.compat.v1.ragged.constant_value
    assert make([[1], ["a"]]).to_list() == [["1"], ["a"]]
    assert make([[1, 2], [3]], tf.float64).dtype == np.float64
    assert make([], tf.int32).dtype == np.int32
    assert make([[[1, 2]], []], inner_shape=(2,)).flat_values.shape == (1, 2)
    with pytest.raises(TypeError, match="row_splits must be a 1D int32 or int64 numpy array"):
        make([[1, 2], [3]], row_splits_dtype=tf.int16)
    with pytest.raises(ValueError, match="cannot reshape array of size 4 into shape"):
        make([[[1, 2], [3, 4]]], inner_shape=(1,))
    with pytest.raises(TypeError, match="pylist may not be a RaggedTensor"):
        make(tf.ragged.constant([[1]]))
