"""Ops of a graph's tensors while another graph is the default one: they are made in the graph of their inputs."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def graph(tf):
    return tf.Graph()


@pytest.fixture
def x(tf, graph):
    with graph.as_default():
        return tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")


OPS = {
    "identity": lambda tf, x: tf.identity(x),
    "number on the right": lambda tf, x: x + 1,
    "number on the left": lambda tf, x: 1 - x,
    "with itself": lambda tf, x: x * x,
    "power": lambda tf, x: x**2,
    "negative": lambda tf, x: -x,
    "absolute value": lambda tf, x: abs(x),
    "product": lambda tf, x: x @ x,
    "comparison": lambda tf, x: x < 2,
    "choice": lambda tf, x: tf.where(x > 1, x, 0.0),
    "cast": lambda tf, x: tf.cast(x, tf.int32),
    "list": lambda tf, x: tf.concat([x, x], 0),
    "list of one": lambda tf, x: tf.stack([x]),
    "axis": lambda tf, x: tf.reduce_sum(x, 1),
    "shape": lambda tf, x: tf.reshape(x, [4]),
    "row": lambda tf, x: x[0],
    "slice": lambda tf, x: x[:, 1:],
    "argmax": lambda tf, x: tf.argmax(x, 1),
    "activation": lambda tf, x: tf.nn.softmax(x),
    "known shape": lambda tf, x: tf.shape(x),
    "known size": lambda tf, x: tf.size(x),
    "known rank": lambda tf, x: tf.rank(x),
    "zeros": lambda tf, x: tf.zeros_like(x),
    "ones": lambda tf, x: tf.ones_like(x),
    "gradient": lambda tf, x: tf.compat.v1.gradients(x * x, x)[0],
    "host call": lambda tf, x: tf.numpy_function(lambda a: a + 1, [x], tf.float32),
    "shape of its shape": lambda tf, x: tf.reshape(x, [-1, tf.shape(x)[1]]),
}


@pytest.mark.parametrize("name", OPS)
def test_ops(tf, graph, x, name):
    with graph.as_default():
        inside = OPS[name](tf, x)
    with tf.Graph().as_default() as other:
        outside = OPS[name](tf, x)
        assert tf.compat.v1.get_default_graph() is other and not other.get_operations()
    assert outside.graph is graph
    with tf.compat.v1.Session(graph=graph) as session:
        first, second = session.run([inside, outside])
    assert first.tolist() == second.tolist()


def test_a_variable(tf, graph):
    with graph.as_default():
        v = tf.compat.v1.get_variable("v", [2], initializer=tf.compat.v1.zeros_initializer())
        prepare = tf.compat.v1.global_variables_initializer()
    with tf.Graph().as_default():
        more = v + 1
    assert more.graph is graph
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(prepare)
        assert session.run(more).tolist() == [1, 1]


def test_the_first_input_decides(tf, graph, x):
    with tf.Graph().as_default():
        y = tf.constant([[1.0, 1.0], [1.0, 1.0]], name="y")
        for use in (lambda: x + y, lambda: y + x, lambda: tf.matmul(y, x), lambda: tf.concat([x, y], 0)):
            with pytest.raises(ValueError, match="must be from the same graph"):
                use()


def test_a_function_that_is_traced_keeps_its_graph(tf, x):
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: x + 1)()
    with pytest.raises(TypeError, match="out of scope"):
        tf.identity(x)
