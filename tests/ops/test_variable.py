"""tf.Variable: values, assignments, texts and errors, eager and traced."""

import copy
import pickle

import numpy as np
import pytest
import tracefn as tf


def test_text():
    assert repr(tf.Variable(1.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"
    assert repr(tf.Variable([[1, 2]], name="m")) == (
        "<tf.Variable 'm:0' shape=(1, 2) dtype=int32, numpy=array([[1, 2]], dtype=int32)>"
    )


def test_assignments():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]
    assert v.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
    assert v.assign_sub([1.0, 1.0]).numpy().tolist() == [3.0, 4.0]
    assert before.numpy().tolist() == [1.0, 2.0]
    assert v.assign([0.0, 0.0], read_value=False) is None


def test_assignment_of_another_shape():
    v = tf.Variable([1.0, 2.0], name="a")
    with pytest.raises(ValueError, match=r"Cannot assign value to variable ' a:0': Shape mismatch.The variable shape \(2,\)"):
        v.assign([1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot update variable with shape"):
        v.assign_add(1.0)
    loose = tf.Variable([1.0], shape=tf.TensorShape([None]))
    assert loose.assign([1.0, 2.0]).shape.as_list() == [None]
    assert loose.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("key", [0, slice(1, None), slice(None, None, 2), slice(None, None, -1), ...])
def test_slice_assignment(key):
    start = np.arange(4, dtype=np.float32)
    v = tf.Variable(start)
    v[key].assign(9.0)
    start[key] = 9.0
    assert v.numpy().tolist() == start.tolist()


@pytest.mark.parametrize(
    ("method", "expected"),
    [("scatter_update", [5.0, 2.0, 6.0]), ("scatter_add", [6.0, 2.0, 9.0]), ("scatter_sub", [-4.0, 2.0, -3.0]),
     ("scatter_mul", [5.0, 2.0, 18.0]), ("scatter_div", [0.2, 2.0, 0.5]), ("scatter_min", [1.0, 2.0, 3.0]),
     ("scatter_max", [5.0, 2.0, 6.0])],
)  # fmt: skip
def test_scatter(method, expected):
    v = tf.Variable([1.0, 2.0, 3.0])
    result = getattr(v, method)(tf.IndexedSlices(tf.constant([5.0, 6.0]), tf.constant([0, 2])))
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


def test_scatter_refuses_other_arguments():
    with pytest.raises(TypeError, match="Argument `sparse_delta` must be a `tf.IndexedSlices`"):
        tf.Variable([1.0]).scatter_add(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 5 is not in \[0, 1\)"):
        tf.Variable([1.0]).scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([5])))


def test_scatter_nd():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v.scatter_nd_update([[0, 1]], [9.0]).numpy().tolist() == [[1.0, 9.0], [3.0, 4.0]]
    assert v.scatter_nd_add([[1]], [[1.0, 1.0]]).numpy().tolist() == [[1.0, 9.0], [4.0, 5.0]]
    assert v.gather_nd([[1, 0]]).numpy().tolist() == [4.0]
    assert v.sparse_read([1]).numpy().tolist() == [[4.0, 5.0]]


def test_creation():
    assert tf.Variable(lambda: 3, dtype=tf.float32).numpy() == 3.0
    with pytest.raises(ValueError, match="The `initial_value` arg to `tf.Variable` must be specified"):
        tf.Variable()
    with pytest.raises(ValueError, match="is not compatible with the explicitly supplied `shape` argument"):
        tf.Variable([1.0, 2.0], shape=[3])
    with pytest.raises(ValueError, match="Argument `constraint` must be None or a callable"):
        tf.Variable(1.0, constraint=3)
    with tf.name_scope("s"):
        assert tf.Variable(1.0, name="q").name == "s/q:0"


def test_operators_are_those_of_tensors():
    v = tf.Variable([1.0, 4.0])
    assert (v + 1).numpy().tolist() == [2.0, 5.0]
    assert (1 - v).numpy().tolist() == [0.0, -3.0]
    assert (v == [1.0, 0.0]).numpy().tolist() == [True, False]
    assert (v > 2).numpy().tolist() == [False, True]
    assert [float(x) for x in v] == [1.0, 4.0]
    assert np.asarray(v).tolist() == [1.0, 4.0]
    assert int(tf.Variable(5)) == 5
    with pytest.raises(TypeError, match="Variable is unhashable. Instead, use variable.ref"):
        hash(v)
    assert v.ref().deref() is v


@pytest.mark.parametrize("statement", ["v += 1.0", "v -= 1.0", "v *= 1.0", "v /= 1.0", "v **= 1.0"])
def test_in_place_operators_are_refused(statement):
    with pytest.raises(RuntimeError, match="with `tf.Variable`s is not supported"):
        exec(statement, {"v": tf.Variable(1.0)})


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_are_independent(duplicate):
    v = tf.Variable([1.0], name="a", trainable=False)
    other = duplicate(v)
    v.assign([2.0])
    assert (other.numpy().tolist(), other.name, other.trainable) == ([1.0], "a:0", False)


def test_in_a_function():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        y = v * 2.0
        v.assign(0.5)
        return y, v.read_value()

    assert [float(t) for t in f(tf.constant(2.0))] == [6.0, 0.5]
    assert [float(t) for t in f(tf.constant(1.0))] == [3.0, 0.5]
    assert f.experimental_get_tracing_count() == 1


def test_as_an_argument():
    @tf.function
    def f(v):
        return v.assign_add(1.0)

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    assert [float(f(a)), float(f(b)), float(a), float(b)] == [2.0, 11.0, 2.0, 11.0]
    assert f.experimental_get_tracing_count() == 1
