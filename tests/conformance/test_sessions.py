"""Sessions over graphs that are built without tf.function."""

import importlib
import types

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def built(tf):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], "x")
        y = x * 2 + 1
        w = tf.compat.v1.placeholder_with_default(5.0, [], "w")
        z = tf.reduce_sum(y) * w
        slope = tf.gradients(z, x)
        chosen = tf.cond(z > 3.0, lambda: z, lambda: -z)
        nothing = tf.group(y)
    return graph, x, y, w, z, slope, chosen, nothing


def test_feeds_and_fetches(tf, built):
    graph, x, y, w, z, slope, chosen, nothing = built
    with tf.compat.v1.Session(graph=graph, config=tf.compat.v1.ConfigProto(allow_soft_placement=True)) as session:
        assert tf.compat.v1.get_default_session() is session
        np.testing.assert_allclose(session.run(y, {x: [1.0, 2.0]}), [3, 5])
        assert session.run([z, z], {x: [1.0, 2.0], w: 2.0}) == [16, 16]
        found = session.run({"a": slope, "b": (chosen, nothing)}, {"x:0": [1.0]})
        assert found["a"][0].tolist() == [10] and found["b"] == (15, None)
        assert session.run("x:0", {x: [3.0]}).tolist() == [3]
    assert tf.compat.v1.get_default_session() is None
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run(z)


def test_waiting_for_a_fed_placeholder(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        count = v1.get_variable("count", [], initializer=v1.zeros_initializer())
        with tf.control_dependencies([x]):
            update = tf.identity(count.assign_add(2.0))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(update, {x: [1.0, 2.0, 3.0]}) == 2.0
            assert session.run(count) == 2.0


def test_what_sessions_refuse(tf, built):
    graph, x, y, *_ = built
    with tf.compat.v1.Session(graph=graph) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'x'"):
            session.run(y)
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(1, 1\) for Tensor"):
            session.run(y, {x: [[1.0]]})
        with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
            session.run("nope")
        with pytest.raises(TypeError, match='Argument `fetch` = 3 has invalid type "int" must be'):
            session.run(3)


def test_random_numbers_go_on_from_run_to_run(tf):
    with tf.Graph().as_default() as graph:
        x = tf.random.uniform([2], seed=1)
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run(x).tolist() != session.run(x).tolist()


def test_errors_tell_the_operation(tf):
    tf1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [], name="x")
        checked = tf1.check_numerics(x, "bad", name="checked")
        with tf1.Session() as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="bad") as caught:
                session.run(checked, {x: float("nan")})
            assert caught.value.op is graph.get_operation_by_name("checked") or caught.value.op.name == "checked"
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(checked)
            assert (caught.value.op.name, caught.value.op.type) == ("x", "Placeholder")


def test_callables_by_names_in_a_message(tf):
    options = types.SimpleNamespace(feed=["x:0"], fetch=["y:0"], target=["add"], tensor_connection=[])
    if tf.__name__ == "tensorflow":
        options = importlib.import_module("tensorflow.core.protobuf.config_pb2").CallableOptions(
            feed=options.feed, fetch=options.fetch, target=options.target
        )
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        v = tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)
        tf.multiply(x, 2.0, name="y")
        tf.group(v.assign_add(x), name="add")
        session.run(v.initializer)
        run = session._make_callable_from_options(options)
        assert [float(value) for value in run(np.float32(3))] == [6.0]
        assert float(session.run(v)) == 4.0
        with pytest.raises(Exception, match=r"feed|argument"):
            run()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of TensorFlow's sessions that were refused
def test_options_as_messages(tf):
    pytest.importorskip("tensorboard")  # has the classes of messages
    if tf.__name__ == "tensorflow":
        messages = importlib.import_module("tensorflow.core.protobuf.config_pb2")
    else:
        from tracefn.as_tensorflow.internal_modules import module_at

        messages = module_at("core.protobuf.config_pb2")
    config = messages.ConfigProto(device_count={"CPU": 1}, allow_soft_placement=True)
    with tf.Graph().as_default():
        queue = tf.compat.v1.FIFOQueue(1, [tf.float32])
        take, x = queue.dequeue(), tf.constant(2.0)
        with tf.compat.v1.Session(config=config) as session:
            assert session.run(x, options=messages.RunOptions(), run_metadata=messages.RunMetadata()) == 2
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(take, options=messages.RunOptions(timeout_in_ms=50))
        for wrong in (messages.RunOptions(), 1):
            with pytest.raises(TypeError, match="Argument `config` must be a tf.ConfigProto, but got"):
                tf.compat.v1.Session(config=wrong)


@pytest.mark.parametrize("anonymous", [False, True])
@pytest.mark.parametrize("kind", ["DenseHashTable", "MutableHashTable"])
def test_tables_keep_what_a_run_inserts(tf, kind, anonymous):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        keys = {"empty_key": -1, "deleted_key": -2} if kind == "DenseHashTable" else {}
        names = {} if anonymous else {"name": "given"}
        table = getattr(tf.lookup.experimental, kind)(tf.int64, tf.float32, [0.0, 0.0], **keys, **names)
        insert, found, size = table.insert([1], [[1.0, 2.0]]), table.lookup([1, 5]), table.size()
        with v1.Session() as session, v1.Session() as other:
            assert session.run(found).tolist() == [[0.0, 0.0], [0.0, 0.0]]
            session.run(insert)
            assert session.run(found).tolist() == [[1.0, 2.0], [0.0, 0.0]] and session.run(size) == 1
            session.run(table.remove(tf.constant([1], tf.int64)))
            assert session.run(size) == 0 == other.run(size)


# TensorFlow's session without a target fails again when it is deleted.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_feeds_that_are_refused(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x, i, small = (v1.placeholder(dtype, []) for dtype in (tf.float32, tf.int32, tf.int8))
        y = x * 2.0
    outside = tf.constant(1.0)
    with v1.Session(graph=graph) as session:
        for feeds in (5, [x]):
            with pytest.raises(TypeError, match="'dict' must be a dictionary or collection.Mapping type object, instead of"):
                session.run(y, feeds)
        with pytest.raises(TypeError, match=r"feed cannot be a tf.Tensor object.*the tensor object was tf.Tensor\(1.0"):
            session.run(y, {x: outside})
        for place, value in ((i, 2**40), (small, 300)):
            with pytest.raises(TypeError, match=f"Type of feed value {value} with type <class 'int'> is not compatible"):
                session.run(place, {place: value})
        assert session.run(i, {i: 1.5}) == 1
        for fetch in (outside, [outside]):
            with pytest.raises(AttributeError, match="Tensor.graph is undefined when eager execution is enabled"):
                session.run(fetch)
        with pytest.raises(TypeError, match='`fetch` = 5 has invalid type "int"'):
            session.make_callable(5)
    with pytest.raises(TypeError, match='Argument `target` must be a string, but got "int"'):
        v1.Session(5)


def test_graphs_of_their_own_in_a_traced_function(tf):
    """Variables of a tf.Graph that is built while a function is traced are the graph's."""
    v1 = tf.compat.v1

    @tf.function(autograph=False)
    def f():
        with tf.Graph().as_default() as graph:
            a = v1.get_variable("a", [2], initializer=v1.ones_initializer())
            b = tf.Variable(3.0)
            product = a * b
            ready = v1.global_variables_initializer()
        with v1.Session(graph=graph) as session:
            session.run(ready)
            return session.run(product)

    for _ in range(2):
        assert f().numpy().tolist() == [3, 3]


def test_arguments_of_variables_of_graphs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        for wrong in (5, "ab"):
            with pytest.raises(ValueError, match="collections argument to Variable constructor must be a list, tuple, or set"):
                v1.get_variable("a", [2], collections=wrong)
        assert v1.get_variable("b", [2], collections={"mine"}) is v1.get_collection("mine")[0]
        for wrong in ("a", 1):
            refused = pytest.raises(ValueError, match="The reuse parameter must be True or False or None")
            with refused, v1.variable_scope("scope", reuse=wrong):
                pass
