"""`tf.compat.v1.disable_tensor_equality`: `==` of tensors and Variables asks whether they are the same object."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def by_identity(tf):
    tf.compat.v1.disable_tensor_equality()
    yield
    tf.compat.v1.enable_tensor_equality()


def test_tensors(tf, by_identity):
    a, b = tf.constant([1, 2]), tf.constant([1, 2])
    assert (a == a) is True and (a == b) is False and (a != b) is True and a in [a] and a not in [b]
    assert not (a == [1, 2]) and a != None and not (np.array([1, 2]) == a)
    assert tf.equal(a, b).numpy().all()
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_variables(tf, by_identity):
    v, w = tf.Variable(1), tf.Variable(1)
    assert v == v and v != w and not (v == 1) and {v: 1}[v] == 1


def test_ragged_tensors(tf, by_identity):
    r = tf.ragged.constant([[1], []])
    assert r == r and not (r == tf.ragged.constant([[1], []]))


def test_functions(tf, by_identity):
    @tf.function
    def asked(x, y):
        return tf.constant(x == y), tf.constant(3 if x == x else 4), len({x: 1, y: 2})

    assert [int(found) for found in asked(tf.constant(1), tf.constant(1))] == [0, 3, 2]


def test_back_again(tf):
    a, v = tf.constant(1), tf.Variable(1)
    for _ in range(2):
        tf.compat.v1.disable_tensor_equality()
    tf.compat.v1.enable_tensor_equality()
    assert bool(a == 1) and bool(v == 1) and tf.is_tensor(a == 1) and tf.is_tensor(tf.ragged.constant([[1]]) == 1) is not None
    for value in (a, v):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)
    assert tf.function(lambda x: x == 1)(a).numpy()
