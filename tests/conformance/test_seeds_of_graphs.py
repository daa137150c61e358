"""The seed of a graph: `Graph.seed`, of a tf.Graph and of the graphs of functions."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(autouse=True)
def no_seed(tf):
    tf.random.set_seed(None)  # another test may have left one
    yield
    tf.random.set_seed(None)


def trace(tf):
    """The graph of a new function."""
    return tf.function(lambda x: x + tf.random.uniform([])).get_concrete_function(tf.TensorSpec([])).graph


def test_a_function_has_the_global_seed_of_its_trace(tf):
    before = trace(tf)
    tf.random.set_seed(5)
    after = trace(tf)
    tf.random.set_seed(6)
    assert (before.seed, after.seed, trace(tf).seed) == (None, 5, 6)


def test_a_graph_has_its_own(tf, v1):
    tf.random.set_seed(5)
    with tf.Graph().as_default() as graph:
        assert graph.seed is None
        v1.set_random_seed(9)
        inner = trace(tf)
        assert graph.seed == inner.seed == 9
        graph.seed = 11
        assert (graph.seed, inner.seed, trace(tf).seed) == (11, 9, 11)
        found = []
        tf.cond(tf.constant(True), lambda: tf.constant(found.append(v1.get_default_graph().seed) or 1), lambda: tf.constant(2))
        assert found == [11]
    assert trace(tf).seed == 5


def test_set_seed_in_a_function_is_about_its_graph(tf, v1):
    found = []

    @tf.function
    def f():
        found.append(v1.get_default_graph().seed)
        tf.random.set_seed(3)
        found.append(v1.get_default_graph().seed)
        return tf.random.uniform([])

    tf.random.set_seed(7)
    first = float(f())
    assert found == [7, 3] and trace(tf).seed == 7
    tf.random.set_seed(8)
    again = tf.function(f.python_function)
    assert float(again()) == first and found[2:] == [8, 3]


def test_a_one_shot_iterator_takes_a_seed(tf, v1):
    with tf.Graph().as_default():
        v1.set_random_seed(7)
        v1.data.make_one_shot_iterator(v1.data.Dataset.range(3))
        first = tf.random.uniform([]).op
        v1.data.make_initializable_iterator(v1.data.Dataset.range(3))
        second = tf.random.uniform([]).op
        assert [op.get_attr("seed2") for op in (first, second)] == [1, 2]
