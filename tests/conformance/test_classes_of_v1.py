"""The classes of Variables of TensorFlow 1 and 2, and texts of Variables of a graph."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_subclasses(tf):
    old, new, kind = tf.compat.v1.Variable, tf.Variable, type(tf.Variable(1.0))
    assert issubclass(old, new) and not issubclass(new, old)
    assert issubclass(kind, new) and not issubclass(kind, old) and not issubclass(old, kind)


def test_instances(tf):
    old = tf.compat.v1.Variable
    with tf.Graph().as_default():
        by_reference, by_handle, of_today = old(1.0, use_resource=False), old(1.0, use_resource=True), tf.Variable(1.0)
    eager = old(1.0)
    assert [isinstance(v, old) for v in (by_reference, by_handle, of_today, eager)] == [True, False, False, False]
    assert all(isinstance(v, tf.Variable) for v in (by_reference, by_handle, of_today, eager))


def test_a_class_of_the_program(tf):
    class Named(tf.compat.v1.Variable):
        """Nothing but another name."""

    assert issubclass(Named, tf.compat.v1.Variable) and issubclass(Named, tf.Variable)
    assert not isinstance(tf.Variable(1.0), Named)


def test_texts_outside_of_the_graph(tf):
    with tf.Graph().as_default():
        variable = tf.Variable([1.0, 2.0], name="v")
        gotten = tf.compat.v1.get_variable("g", [2], use_resource=True)
    assert repr(variable) == str(variable) == "<tf.Variable 'v:0' shape=(2,) dtype=float32>"
    with tf.Graph().as_default():
        assert repr(gotten) == "<tf.Variable 'g:0' shape=(2,) dtype=float32>"
