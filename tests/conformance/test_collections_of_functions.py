"""Collections of functions' graphs: what they have of the graph around them, and what that gets of theirs."""

import pytest

pytestmark = pytest.mark.rule("surface")


def graph_of(tf, fn):
    return tf.function(fn).get_concrete_function(tf.TensorSpec([], tf.float32)).graph


def test_of_a_function_alone(tf):
    v1 = tf.compat.v1

    def fn(x):
        v1.add_to_collection("losses", x * 2.0)
        assert len(v1.get_collection("losses")) == 1
        return x

    assert len(graph_of(tf, fn).get_collection("losses")) == 1
    assert v1.get_collection("losses") == []


def test_of_a_function_in_a_graph(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        v1.add_to_collection("a", 1)
        v1.get_variable("v", [])

        def fn(x):
            assert len(v1.get_collection("variables")) == 1
            v1.add_to_collection("a", 2)
            v1.add_to_collection("variables", 7)
            return tf.cond(x > 0.0, lambda: x * len(v1.get_collection("a")), lambda: x)

        inner = graph_of(tf, fn)
        assert inner.get_collection("a") == [1, 2]
        assert graph.get_collection("a") == [1]
        for each in (graph, inner):
            assert len(each.get_collection("variables")) == 2
            assert len(each.get_collection("trainable_variables")) == 1


def test_of_wrapped_functions(tf):
    v1 = tf.compat.v1
    made = []

    def fn(x):
        made.extend([tf.Variable(3.0), tf.Variable(4.0, trainable=False)])
        v1.add_to_collection("losses", made[0] * 2.0)
        return made[0] * made[1] * x

    wrapped = v1.wrap_function(fn, [tf.TensorSpec([], tf.float32)])
    assert float(wrapped(tf.constant(2.0))) == 24.0
    assert len(wrapped.graph.get_collection("losses")) == 1
    assert wrapped.graph.get_collection("variables") == made
    assert wrapped.graph.get_collection("trainable_variables") == made[:1]
    other = v1.wrap_function(fn, [tf.TensorSpec([], tf.float32)])
    assert other.graph.get_collection("trainable_variables") == [made[2]]
