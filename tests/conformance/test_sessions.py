"""Sessions over graphs that are built without tf.function."""

import importlib

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


@pytest.fixture
def stepwise(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        a, b = (v1.placeholder(tf.float32, [], name=name) for name in "ab")
        x = a + 1.0
        y = x * b
        noise = tf.random.uniform([])
        near, scaled = noise + a, noise * b
    with v1.Session(graph=graph) as session:
        yield session, a, b, x, y, noise, near, scaled


def test_a_run_in_steps(stepwise):
    session, a, b, x, y, noise, near, scaled = stepwise
    handle = session.partial_run_setup([x, y, near, scaled, noise], [a, b])
    assert isinstance(handle, str) and session.partial_run(handle, x, {a: 1.0}) == 2.0
    found, base = session.partial_run(handle, [near, noise])
    assert found == pytest.approx(base + 1.0)
    assert session.partial_run(handle, {"y": y}, {b: 3.0}) == {"y": 6.0}
    assert session.partial_run(handle, scaled) == pytest.approx(3.0 * base)


def test_steps_that_are_refused(tf, stepwise):
    session, a, b, x, y, *_ = stepwise
    wrong = tf.errors.InvalidArgumentError
    with pytest.raises(wrong, match="Must specify at least one target"):
        session.partial_run_setup([], [a])
    with pytest.raises(wrong, match="Must run 'setup' before performing partial runs!"):
        session.partial_run("nothing", x)
    handle = session.partial_run_setup([x, y], [a, b])
    assert session.partial_run(handle, [x, y], {a: 1.0, b: 1.0}) == [2.0, 2.0]
    with pytest.raises(wrong, match="Must run 'setup' before performing partial runs!"):
        session.partial_run(handle, x)


def test_an_assignment_runs_once_in_all_steps(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
        increased = v1.assign_add(v, 1.0)
        a = v1.placeholder(tf.float32, [])
        y = increased + a
        session.run(v.initializer)
        handle = session.partial_run_setup([increased, y], [a])
        assert (session.partial_run(handle, increased), session.partial_run(handle, y, {a: 10.0}), session.run(v)) == (1, 11, 1)


def test_nodes_by_the_names_of_ops(tf):
    v1 = tf.compat.v1
    value = v1.AttrValue
    with tf.Graph().as_default() as graph, v1.Session() as session:
        a = tf.constant([1.0, 2.0])
        add = graph.create_op("Add", [a, a], [tf.float32], name="mine", attrs={"T": value(type=1), "_kept": value(s=b"x")})
        assert graph.create_op("NoOp", [], [], name="mine").name == "mine_1" and add.get_attr("_kept") == b"x"
        attrs = {"T": value(type=1), "N": value(i=2), "axis": value(i=1)}
        with tf.name_scope("s"):
            pack = graph.create_op("Pack", [a, a], [tf.float32], attrs=attrs)
            assert graph.create_op("Identity", [a], attrs={"T": value(type=1)}, name="q/").name == "q"
        assert (add.name, pack.name) == ("mine", "s/Pack") and pack.outputs[0].shape == [2, 2]
        assert session.run([add.outputs[0], pack.outputs[0]])[1].tolist() == [[1, 1], [2, 2]]
        with pytest.raises(RuntimeError, match="Op type not registered 'Nope'"):
            graph.create_op("Nope", [a], [tf.float32])
        with pytest.raises(TypeError, match="Input #0 is not a tensor: 1"):
            graph.create_op("Add", [1, 2], [tf.float32])


def test_savers_and_their_messages(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.get_variable("v", [2])
        with tf.name_scope("outer"):
            saver = v1.train.Saver()
        message = saver.to_proto()
        assert isinstance(message, v1.train.SaverDef) and message == saver.as_saver_def() and saver.to_proto("other") is None
        assert saver.to_proto("outer").restore_op_name == message.restore_op_name.removeprefix("outer/")
        assert v1.train.Saver.from_proto(message).to_proto() == message == v1.train.Saver(saver_def=message).to_proto()


def test_names_around_saved_models(tf):
    v1 = tf.compat.v1
    assert v1.saved_model.LEGACY_INIT_OP_KEY == "legacy_init_op" and v1.saved_model.constants.MAIN_OP_KEY == "saved_model_main_op"
    with tf.Graph().as_default():
        before = [op.name for op in v1.saved_model.main_op.main_op().control_inputs]
        assert before == ["init", "init_1", "init_all_tables"]
        op = v1.saved_model.main_op_with_restore(tf.no_op(name="r"))
        assert sorted(one.name for one in op.control_inputs) == ["group_deps_1", "r"]
    errors = v1.errors
    assert errors.error_code_from_exception_type(tf.errors.NotFoundError) == 5
    assert errors.exception_type_from_error_code(11) is tf.errors.OutOfRangeError
    with pytest.warns(UserWarning, match="Unknown class exception"):
        assert isinstance(errors.error_code_from_exception_type(ValueError), tf.errors.UnknownError)
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(99)
