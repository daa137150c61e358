"""What fails in sessions of tf.compat.v1, and in which words."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def graph(tf):
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def x(tf, graph):
    return tf.compat.v1.placeholder(tf.float32, [2], name="x")


def _says(error, *lines):
    for line in lines:
        assert line in str(error.value)


def test_placeholders_that_are_not_fed(tf, x):
    y = x * 2.0
    session = tf.compat.v1.Session()
    for run in (
        lambda: session.run(y),
        lambda: session.run(x.op),
        lambda: y.eval(session=session),
        lambda: session.make_callable(y, [x])(),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            run()
        assert error.value.message.startswith(
            "Graph execution error:\n\nDetected at node 'x' defined at (most recent call last):\n    File \""
        )
        assert error.value.message.endswith(
            "\nNode: 'x'\nYou must feed a value for placeholder tensor 'x' with dtype float and shape [2]\n\t [[{{node x}}]]"
        )
        _says(error, "\n\nOriginal stack trace for 'x':\n  File \"")


def test_nodes_that_fail(tf, graph):
    z = tf.compat.v1.placeholder(tf.int32, [], name="z")
    quotient = tf.math.floordiv(tf.constant(1), z, name="quotient")
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.compat.v1.Session().run(quotient, {z: 0})
    assert error.value.op.name == "quotient"
    assert error.value.message.startswith("Graph execution error:\n\nDetected at node 'quotient' defined at (most")
    assert error.value.message.endswith("Node: 'quotient'\nInteger division by zero\n\t [[{{node quotient}}]]")
    inside = tf.function(lambda a: 1 // a)(z)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.compat.v1.Session().run(inside, {z: 0})
    assert error.value.message.startswith("Graph execution error:\n\n") and "Op:" not in error.value.message
    _says(error, "\nInteger division by zero\n\t [[{{")


def test_variables_without_a_value(tf, graph):
    v = tf.compat.v1.get_variable("v", [], use_resource=True)
    with pytest.raises(tf.errors.FailedPreconditionError) as error:
        tf.compat.v1.Session().run(v + 1.0)
    assert error.value.message.startswith("Graph execution error:\n\nDetected at node '")
    _says(error, "Could not find variable v. This could mean that the variable has been deleted.")


def test_graphs_of_others(tf, x):
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
        session = tf.compat.v1.Session()
    with pytest.raises(ValueError, match="Cannot use the given session to evaluate tensor: the tensor's graph is different"):
        x.eval(session=session)
    with pytest.raises(ValueError, match="Cannot use the given session to execute operation: the operation's graph is"):
        x.op.run(session=session)
    with session.as_default():
        with pytest.raises(ValueError, match=r"default session to evaluate .* Pass an explicit session to `eval\(session"):
            x.eval()
        with pytest.raises(ValueError, match=r"default session to execute .* Pass an explicit session to run\(session=sess"):
            x.op.run()
    with pytest.raises(ValueError, match="is not an element of this graph"):
        tf.compat.v1.Session(graph=x.graph).run(other)


def test_keys_of_feeds(tf, x):
    session = tf.compat.v1.Session()
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: Can not convert a Operation into a Tensor"):
        session.run(x, {x.op: [1.0, 2.0]})
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: The name 'nope' looks like an"):
        session.make_callable(x, ["nope"])([1.0])


def test_what_may_not_be_fed_or_fetched(tf, graph):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    graph.prevent_feeding(a)
    graph.prevent_fetching(b.op)
    session = tf.compat.v1.Session()
    with pytest.raises(ValueError, match="Tensor a:0 may not be fed."):
        session.run(a, {a: 2.0})
    for fetch in (b, b.op, "b:0", [a, b]):
        with pytest.raises(Exception, match="Operation b has been marked as not fetchable.") as error:
            session.run(fetch)
        assert type(error.value).__name__ == "InaccessibleTensorError"
    assert session.run(a) == 1.0 and session.run(a + b) == 3.0


def test_callables(tf, x):
    y = x * 2.0
    session = tf.compat.v1.Session()
    assert session.make_callable(y, [x])(np.ones(2), "more").tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="Argument `feed_list` must be a list or tuple. Received: feed_list="):
        session.make_callable(y, x)
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session."):
        session.make_callable(y, [x])([1.0, 2.0])
    closed = tf.compat.v1.Session()
    closed.close()
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed."):
        closed.make_callable(y)


def test_errors_of_callables_are_the_nodes_own_words(tf, x):
    v1 = tf.compat.v1
    y, bad = x * 2.0, tf.linalg.inv(tf.zeros([2, 2]), name="bad")
    queue = tf.queue.FIFOQueue(1, tf.float32)
    close, dequeue = queue.close(), queue.dequeue(name="taken")
    with v1.Session() as session:
        session.run(close)
        for fetch, kind, text in [
            (y, tf.errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'x' with dtype float and shape [2]\n\t [[{{node x}}]]"),
            (bad, tf.errors.InvalidArgumentError, "Input is not invertible.\n\t [[{{node bad}}]]"),
            (dequeue, tf.errors.OutOfRangeError, "FIFOQueue '_0_fifo_queue' is closed and has insufficient elements (requested 1, current size 0)\n\t [[{{node taken}}]]"),
        ]:
            for run in (
                session.make_callable(fetch),
                session.make_callable([fetch]),
                lambda fetch=fetch: session.make_callable({"a": fetch}, accept_options=True)(options=v1.RunOptions()),
            ):
                with pytest.raises(kind) as error:
                    run()
                # TensorFlow counts the queues of the process.
                assert re.sub(r"'_\d+_", "'_0_", error.value.message) == text and error.value.op is None
            for run in (session.make_callable(fetch, []), lambda fetch=fetch: session.run(fetch)):
                with pytest.raises(kind, match="^Graph execution error:\n\nDetected at node") as error:
                    run()
                assert error.value.op.name in text


def test_arguments_of_callables(tf, x):
    one = tf.constant(1.0)
    session = tf.compat.v1.Session()
    run = session.make_callable(one)
    assert run() == 1.0 and session.make_callable(one, accept_options=True)(None, None) == 1.0
    for wrong in (lambda: run(1), lambda: run(options=None), lambda: session.make_callable(one.op)(1)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must specify at least one target to fetch or execute."):
        session.make_callable([])()
    session.close()
    known = session.make_callable(one)
    for closed in (run, known):
        with pytest.raises(tf.errors.CancelledError, match="Session has been closed."):
            closed()
    more = one + 1.0
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed."):
        session.make_callable(more)


def test_sessions_are_entered_once(tf, x):
    session = tf.compat.v1.Session()
    with session, pytest.raises(RuntimeError, match="Session context managers are not re-entrant. Use `Session.as_default"):
        session.__enter__()


def test_options_and_metadata(tf, x):
    session = tf.compat.v1.Session()
    with pytest.raises(AttributeError, match="'int' object has no attribute 'SerializeToString'"):
        session.run(x, {x: [1.0, 2.0]}, options=3)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'ParseFromString'"):
        session.run(x, {x: [1.0, 2.0]}, run_metadata=3)


def test_targets(tf, x):
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered for the given session options"):
        tf.compat.v1.Session("nowhere")
    with pytest.raises(tf.errors.InvalidArgumentError, match='Could not interpret "nowhere" as a host-port pair.'):
        tf.compat.v1.Session("grpc://nowhere")


def test_partial_runs_that_were_not_begun(tf, x):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.compat.v1.Session().partial_run("handle", x, {x: [1.0, 2.0]})
    assert error.value.message == "Graph execution error:\n\nMust run 'setup' before performing partial runs!"
