"""Programs of TensorFlow 1: Variables, collections and initializers of a tf.Graph, which sessions run."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def test_a_variable_in_a_graph(tf, v1, graph):
    v = v1.Variable(1.0, name="v")
    assert [(op.name, op.type) for op in graph.get_operations()] == [
        ("v/Initializer/initial_value", "Const"),
        ("v", "VarHandleOp"),
        ("v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"),
        ("v/Assign", "AssignVariableOp"),
        ("v/Read/ReadVariableOp", "ReadVariableOp"),
    ]
    assert (v.name, v.op.name, v.initializer.name) == ("v:0", "v", "v/Assign")
    assert v.graph is graph and v.initial_value.name == "v/Initializer/initial_value:0"
    assert repr(v) == "<tf.Variable 'v:0' shape=() dtype=float32>"
    assert isinstance(v, tf.Variable) and {v: 1}[v] == 1 and v in [3, v]
    assert v1.Variable(2.0, name="v").name == "v_1:0" and tf.Variable(3.0).name == "Variable:0"


def test_collections(tf, v1, graph):
    a = v1.Variable(1.0, name="a")
    b = v1.Variable(1.0, trainable=False, name="b")
    c = v1.Variable(1.0, collections=[v1.GraphKeys.LOCAL_VARIABLES], name="c")
    assert v1.global_variables() == [a, b] and v1.local_variables() == [c]
    assert v1.trainable_variables() == [a, c] and v1.all_variables() == [a, b]
    v1.add_to_collection("mine", 1)
    v1.add_to_collections(["mine", "other"], a)
    assert v1.get_collection("mine") == [1, a] and v1.get_collection("mine", "a") == [a]
    v1.get_collection_ref("other").append(b)
    assert v1.get_collection("other") == [a, b] and v1.get_collection("none") == []
    assert v1.get_default_graph() is graph and v1.model_variables() == []


def test_values_live_in_sessions(tf, v1, graph):
    v = v1.get_variable("v", [2], initializer=v1.zeros_initializer())
    add = v1.assign_add(v, [1.0, 2.0])
    double = v * 2
    init = v1.global_variables_initializer()
    first, second = v1.Session(), v1.Session()
    with pytest.raises(tf.errors.FailedPreconditionError, match="variable v"):
        first.run(v)
    assert first.run(v1.report_uninitialized_variables()).tolist() == [b"v"]
    assert first.run(init) is None
    second.run(init)
    assert first.run(add).tolist() == [1, 2] and first.run(add).tolist() == [2, 4]
    assert first.run({"x": (v, double)})["x"][1].tolist() == [4, 8] and second.run(v).tolist() == [0, 0]
    assert first.run(double, {v: [5.0, 6.0]}).tolist() == [4, 8]
    assert v.eval(first).tolist() == [2, 4]
    v.load([7.0, 8.0], first)
    assert first.run(v).tolist() == [7, 8] and first.run(v1.is_variable_initialized(v))
    with first.as_default():
        assert double.eval().tolist() == [14, 16] and v1.get_default_session() is first
        add.op.run()
    assert first.run(v).tolist() == [8, 10]
    first.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        first.run(v)


def test_updates(tf, v1, graph):
    v = v1.Variable([1.0, 2.0, 3.0])
    n = v1.Variable(5, name="n")
    changes = [
        v1.assign(v, [4.0, 5.0, 6.0]),
        v1.scatter_add(v, [0], [1.0]),
        v1.scatter_update(v, [1], [9.0]),
        v1.scatter_nd_sub(v, [[2]], [1.0]),
    ]
    counted = v1.count_up_to(n, 6)
    with v1.Session() as session:
        session.run(v1.variables_initializer([v, n]))
        expected = [[4, 5, 6], [5, 5, 6], [5, 9, 6], [5, 9, 5]]
        assert [session.run(change).tolist() for change in changes] == expected
        assert session.run(counted) == 5 and session.run(n) == 6
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(counted)


def test_get_variable(tf, v1, graph):
    a = v1.get_variable("a", [2, 3])
    assert a.name == "a:0" and a.dtype == tf.float32
    with pytest.raises(ValueError, match="Variable a already exists, disallowed"):
        v1.get_variable("a", [2, 3])
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        v1.get_variable("q", [3], initializer=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match="did not get an initializer"):
        v1.get_variable("q")
    assert v1.get_variable("c", initializer=tf.constant(3)).dtype == tf.int32
    assert v1.get_variable("d", [1], tf.int32).dtype == tf.int32
    assert v1.get_variable("e", initializer=lambda: tf.ones([2], tf.int64)).dtype == tf.int64
    assert v1.get_variable("f", initializer=np.float32([1, 2])).shape == [2]
    with pytest.raises(ValueError, match="The initializer passed is not valid"):
        v1.get_variable("g", initializer=v1.ones_initializer())
    with v1.variable_scope("wide", dtype=tf.float64):
        assert v1.get_variable("h", [1]).dtype == tf.float64
    local = v1.get_local_variable("loc", [1])
    assert v1.local_variables() == [local] and not local.trainable and local not in v1.global_variables()


def test_variable_scopes(tf, v1, graph):
    with v1.variable_scope("outer", initializer=v1.ones_initializer()) as outer:
        b = v1.get_variable("b", [1])
        with v1.variable_scope("inner"):
            c = v1.get_variable("c", [1], initializer=v1.zeros_initializer())
            assert tf.constant(1.0).name == "outer/inner/Const:0"
        assert v1.get_variable_scope() is outer and outer.name == "outer" and outer.original_name_scope == "outer/"
    assert (b.name, c.name) == ("outer/b:0", "outer/inner/c:0")
    with v1.variable_scope("outer", reuse=True):
        assert v1.get_variable("b", [1]) is b and tf.constant(1.0).name == "outer_1/Const:0"
        with pytest.raises(ValueError, match="Trying to share variable outer/b"):
            v1.get_variable("b", [2])
        with pytest.raises(ValueError, match="Variable outer/z does not exist"):
            v1.get_variable("z", [2])
    with v1.variable_scope(outer, reuse=v1.AUTO_REUSE) as again:
        d = v1.get_variable("d", [1])
        assert v1.get_variable("d", [1]) is d and again.original_name_scope == "outer/"
        again.reuse_variables()
        assert again.reuse is True
    with v1.variable_scope(None, "name") as first, v1.variable_scope(None, "name") as inner:
        assert (first.name, inner.name) == ("name", "name/name")
    with v1.variable_scope(None, "name") as second:
        assert second.name == "name_1"
    assert v1.get_variable_scope().name == ""
    assert outer.global_variables() == [b, c, d]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run([b, c]) == [[1], [0]]
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"), v1.variable_scope(None):
        pass


def test_custom_getters_and_regularizers(tf, v1, graph):
    asked = []

    def getter(getter, name, *args, **kwargs):
        asked.append(name)
        return getter(name, *args, **kwargs) * 2.0

    with v1.variable_scope("s", custom_getter=getter, regularizer=lambda v: tf.reduce_sum(v * v)):
        doubled = v1.get_variable("v", [2], initializer=v1.ones_initializer())
    losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
    assert asked == ["s/v"] and len(losses) == 1
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(doubled).tolist() == [2, 2] and session.run(losses) == [2]


def test_templates(tf, v1, graph):
    scale = v1.make_template("scale", lambda x: x * v1.get_variable("w", [], initializer=v1.ones_initializer()))
    y, z = scale(2.0), scale(3.0)
    assert [v.name for v in v1.global_variables()] == ["scale/w:0"]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run([y, z]) == [2, 3]


def test_fetches_and_feeds(tf, v1, graph):
    x = v1.placeholder(tf.float32, [None], "x")
    d = v1.placeholder_with_default(tf.constant([1.0]), [None], "d")
    assert d.shape.as_list() == [None] and d.op.type == "PlaceholderWithDefault"
    slices = tf.IndexedSlices(x, tf.constant([3]), tf.constant([5]))
    nothing = tf.no_op()
    with v1.Session() as session:
        found = session.run({"a": [x, nothing], "b": (d, "x:0")}, {x: [2.0]})
        assert found["a"][1] is None and found["a"][0].tolist() == [2] and found["b"][0].tolist() == [1]
        assert session.run(d, {"d:0": np.float64([1, 2, 3])}).tolist() == [1, 2, 3]
        values = session.run(slices, {x: [2.0]})
        assert (values.values.tolist(), values.indices.tolist(), values.dense_shape.tolist()) == ([2], [3], [5])
        assert session.run([]) == [] and session.run(()) == () and session.run({}) == {}
        with pytest.raises(TypeError, match="Cannot be None"):
            session.run([None])
        with pytest.raises(TypeError, match="The value of a feed cannot be a tf.Tensor object"):
            session.run(x, {x: d})
        f = session.make_callable([x, d], [x])
        assert [v.tolist() for v in f([4.0])] == [[4], [1]]
    with pytest.raises(RuntimeError, match="The Session graph is empty"):
        v1.Session(graph=tf.Graph()).run("x:0")


def test_feeds_become_arrays(tf, v1, graph):
    n, x = v1.placeholder(tf.int32, []), v1.placeholder(tf.float32, [2])
    with v1.Session() as session:
        assert session.run(n, {n: 3.7}) == 3 and session.run(n, {n: np.int64(4)}) == 4
        assert session.run(x, {x: np.int8([1, 2])}).tolist() == [1, 2]
        with pytest.raises(ValueError, match="could not convert string to float"):
            session.run(x, {x: "a"})
        with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor: The name 'nope:0'"):
            session.run(x, {"nope:0": [1.0, 2.0]})


def test_bodies_and_functions(tf, v1, graph):
    v = v1.Variable(2.0)
    chosen = v1.placeholder(tf.bool, [])
    branch = v1.cond(chosen, lambda: v * 2, lambda: v.assign(5.0) + 0.0)

    def double(i):
        with tf.control_dependencies([v.assign(v * 2)]):
            return i + 1

    loop = v1.while_loop(lambda i: i < 3, double, [tf.constant(0)])

    @tf.function
    def call(x):
        v.assign_add(1.0)
        return x * v

    called = call(tf.constant(3.0))
    with tf.GradientTape() as tape:
        square = v * v
    slope = tape.gradient(square, v)
    host = v1.py_func(lambda x: np.float32(2 * x), [v], tf.float32)
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run(branch, {chosen: True}) == 4 and session.run(branch, {chosen: False}) == 5 and session.run(v) == 5
        assert session.run(loop) == 3 and session.run(v) == 40
        assert session.run(called) == 123 and session.run(v) == 41
        assert session.run([slope, host]) == [82, 82]


def test_options_are_accepted(tf, v1, graph):
    config = v1.ConfigProto(
        allow_soft_placement=True,
        gpu_options=v1.GPUOptions(allow_growth=True),
        graph_options=v1.GraphOptions(optimizer_options=v1.OptimizerOptions(opt_level=v1.OptimizerOptions.L1)),
    )
    config.intra_op_parallelism_threads = 2
    x = tf.constant(3.0)
    with v1.Session(config=config) as session:
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        assert session.run(x, options=options, run_metadata=v1.RunMetadata()) == 3


def test_interactive_sessions(tf, v1, graph):
    x = tf.constant(2.0) * 3.0
    session = v1.InteractiveSession(graph=graph)
    assert x.eval() == 6 and v1.get_default_session() is session
    session.close()
    with pytest.raises(ValueError, match="No default session is registered"):
        x.eval()


def test_a_training_program(tf, v1, graph):
    x = v1.placeholder(tf.float32, [None, 2])
    y = v1.placeholder(tf.float32, [None])
    w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, w) - y))
    (slope,) = tf.gradients(loss, [w])
    step = v1.assign_sub(w, 0.1 * slope)
    data = np.float32([[1, 2], [3, -1], [0.5, 4]])
    labels = data @ np.float32([2, -1])
    expected = np.zeros(2)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for _ in range(20):
            session.run(step, {x: data, y: labels})
            expected -= 0.1 * 2 / 3 * data.T.astype(float) @ (data @ expected - labels)
        np.testing.assert_allclose(session.run(w), expected, rtol=1e-4)


def test_graph_seeds(tf, v1):
    def numbers():
        with tf.Graph().as_default():
            v1.set_random_seed(5)
            x, y = v1.random_uniform([3]), v1.random_normal([2], seed=3)
            with v1.Session() as session:
                return [session.run(z).tolist() for z in (x, x, y)]

    assert numbers() == numbers() and numbers()[0] != numbers()[1]


def test_checks_and_prints(tf, v1, graph, capfd):
    x = v1.placeholder(tf.float32, [2])
    y = v1.Print(tf.math.log(x), [x, "text"], "x: ", summarize=1)
    check = v1.add_check_numerics_ops()
    with v1.Session() as session:
        assert session.run(y, {x: [1.0, 1.0]}).tolist() == [0, 0]
        session.run(check, {x: [1.0, 2.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
            session.run(check, {x: [1.0, -2.0]})
    assert "x: [1...][text]" in capfd.readouterr().err


def test_tables(tf, v1, graph):
    keys, values = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    found = table.lookup(tf.constant(["b", "z"]))
    with v1.Session() as session:
        session.run(v1.tables_initializer())
        assert session.run(found).tolist() == [2, -1]


def test_what_eager_programs_see(tf, v1):
    v = v1.Variable(2.0, False, None, name="v")
    assert v.numpy() == 2 and not v.trainable and v1.global_variables() == []
    assert v1.global_variables_initializer() is None and v1.trainable_variables() == []
    with pytest.raises(RuntimeError, match="placeholder"):
        v1.placeholder(tf.float32)
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        v.eval()
    before = v1.get_default_graph()
    v1.reset_default_graph()
    assert v1.get_default_graph() is not before
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="nested graphs"):
        v1.reset_default_graph()


def test_without_eager_execution(run_program):
    shown, _ = run_program(
        """
        import numpy as np
        tf = tf.compat.v1
        tf.disable_v2_behavior()
        assert not tf.executing_eagerly()
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
        y = tf.matmul(x, w)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step, feed_dict={x: [[1.0, 2.0]]})
            print(np.round(sess.run(w), 3).astype(str).tolist())
        tf.reset_default_graph()
        print(tf.global_variables(), tf.constant(1).name)
        """
    )
    assert shown.splitlines() == ["[['0.9'], ['0.8']]", "[] Const:0"]


def test_the_class_of_variables_by_reference(tf, v1, graph):
    made = [
        v1.Variable(1.0, use_resource=False),
        v1.get_variable("by_reference", [], use_resource=False),
        v1.Variable(1.0),
        v1.Variable(1.0, use_resource=True),
        v1.get_variable("resource", []),
        tf.Variable(1.0),
    ]
    assert [isinstance(v, v1.Variable) for v in made] == [True, True, False, False, False, False]
    assert all(isinstance(v, tf.Variable) for v in made)
    assert not isinstance(1.0, v1.Variable) and not issubclass(tf.Variable, v1.Variable)
