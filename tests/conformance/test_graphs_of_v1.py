"""What a tf.Graph of TensorFlow 1 holds: its tensors and operations, devices, scopes, seeds and versions."""

import gc
import weakref

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def test_tensors_of_a_graph_are_compared_by_identity(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = x * 2.0
        assert (x == y) is False and (x == x) is True and (x != y) is True
        assert y in [x, y] and x not in [y] and {x: 1}[x] == 1
        eager = tf.constant(1.0)
        assert (eager == eager) is True and (eager == y) is False
    assert hash(x) == hash(x) and {x, y} == {y, x} and (x == y) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1.0))
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run(y, feed_dict={x: 3.0}) == 6.0
    session = tf.compat.v1.Session(graph=graph)
    assert session.run(y, {x: 4.0}) == 8.0


def test_tensors_of_a_function_are_compared_by_value(tf):
    @tf.function
    def f(x):
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
        return x == tf.constant([1, 3])

    assert f(tf.constant([1, 2])).numpy().tolist() == [True, False]


def test_constant_initializers_repeat_the_last_value(tf):
    tf1 = tf.compat.v1
    with tf.Graph().as_default():
        v = tf1.get_variable("v", [2, 3], initializer=tf1.constant_initializer([1, 2, 3, 4]))
        with tf1.Session() as session:
            session.run(v.initializer)
            assert session.run(v).tolist() == [[1, 2, 3], [4, 4, 4]]


def test_wrapped_functions_take_python_values(tf):
    def change(x, adds):
        v = tf.Variable(5.0)
        with tf.control_dependencies([v.assign_add(x) if adds else v.assign_sub(x)]):
            return v.read_value()

    spec = tf.TensorSpec([], tf.float32)
    add, sub = (tf.compat.v1.wrap_function(change, [spec, adds]) for adds in (True, False))
    assert [add(1.0).numpy(), sub(1.0).numpy(), add(1.0).numpy()] == [6.0, 4.0, 7.0]


def test_captures_are_no_feeds_of_a_part(tf):
    def scale(x):
        return x * tf.compat.v1.get_variable("scale", [1], initializer=tf.compat.v1.constant_initializer(3.0))

    wrapped = tf.compat.v1.wrap_function(scale, [tf.TensorSpec([1], tf.float32)])
    part = wrapped.prune(feeds=wrapped.inputs, fetches=wrapped.outputs[0])
    assert part(tf.constant([5.0])).numpy().tolist() == [15.0]


def test_the_text_of_auto_reuse(tf):
    assert str(tf.compat.v1.AUTO_REUSE) == "_ReuseMode.AUTO_REUSE"


def test_the_text_of_an_operation_is_its_node(tf):
    graph = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([])).graph
    op = graph.get_operation_by_name("x")
    assert str(op) == str(op.node_def) and str(op).startswith('name: "x"\nop: "Placeholder"\n')
    assert repr(op) == "<tf.Operation 'x' type=Placeholder>"


def test_default_graph_in_init_scope(tf):
    """It stays that of the function, although ops run eagerly."""
    same = []

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        with tf.init_scope():
            same.append(tf.executing_eagerly() and tf.compat.v1.get_default_graph() is graph)
            with tf.Graph().as_default() as inner:
                same.append(tf.compat.v1.get_default_graph() is inner)
            tf.function(lambda: same.append(tf.compat.v1.get_default_graph() is not graph))()
            same.append(tf.compat.v1.get_default_graph() is graph)
        return x

    f(1.0)
    assert same == [True] * 4
    before = tf.compat.v1.get_default_graph()
    with tf.init_scope():
        assert tf.compat.v1.get_default_graph() is before
    with tf.Graph().as_default() as outer:
        tf.function(lambda: same.append(_default_graph_lifted(tf) is outer))()
    assert same[-1]


def test_control_dependencies_around_init_scope_do_not_count(tf):
    with tf.Graph().as_default():
        first = tf.no_op()
        with tf.control_dependencies([first]):
            with tf.init_scope():
                outside = tf.constant(1)
                with tf.control_dependencies([outside]):
                    after = tf.no_op()
            inside = tf.no_op()
        assert [list(op.control_inputs) for op in (outside.op, after, inside)] == [[], [outside.op], [first]]



def _default_graph_lifted(tf):
    with tf.init_scope():
        return tf.compat.v1.get_default_graph()


def test_a_graph_keeps_its_placeholders(tf):
    with tf.Graph().as_default() as graph:
        references = [
            weakref.ref(tf.compat.v1.placeholder(tf.float32, [], "p")),
            weakref.ref(tf.compat.v1.placeholder_with_default(False, [], "d")),
        ]
    gc.collect()
    assert [reference().name for reference in references] == ["p:0", "d:0"]
    kept = weakref.ref(graph)
    del graph
    gc.collect()
    assert kept() is None


def test_attributes_that_a_program_sets_on_operations(tf):
    with tf.Graph().as_default() as graph:
        tensor = tf.constant(1.0, name="c")
        tensor.op._own = [1]
        tensor.op._own.append(2)
        other = tf.identity(tensor).op
    assert graph.get_operation_by_name("c")._own == [1, 2]
    assert not hasattr(other, "_own")
    with pytest.raises(AttributeError, match="'Operation' object has no attribute '_own'"):
        other._own
    tensor.op._own = 5
    assert tensor.op._own == 5
    del tensor.op._own
    assert not hasattr(tensor.op, "_own")
    with pytest.raises(AttributeError):
        tensor.op.name = "x"

    @tf.function
    def f(x):
        y = x + 1.0
        y.op._marked = True
        assert y.op._marked and not hasattr(x.op, "_marked")
        return y

    assert f(tf.constant(1.0)).numpy() == 2.0


class _Place:
    """What libraries give to learn of the device of a graph's contexts."""

    def __init__(self):
        self.device = None

    def _set_device_from_string(self, device):
        self.device = device


def test_device_of_the_contexts_of_a_graph(tf):
    def device(graph):
        place = _Place()
        graph._apply_device_functions(place)
        return place.device

    with tf.Graph().as_default() as graph:
        assert device(graph) is None
        with tf.device("/cpu:0"):
            assert device(graph) == "/device:CPU:0"
            with tf.device("/job:worker"):
                assert device(graph) == "/job:worker/device:CPU:0"
            with tf.device(None):
                assert device(graph) is None
        with tf.device(tf.DeviceSpec(device_type="GPU", device_index=2)):
            assert device(graph) == "/device:GPU:2"
    found = []

    @tf.function
    def f():
        with tf.device("cpu:0"):
            found.append(device(tf.compat.v1.get_default_graph()))

    f()
    assert found == ["/device:CPU:0"]


def test_devices_of_variables(tf, v1, graph):
    with tf.device("/cpu:0"):
        a = v1.get_variable("a", [2], use_resource=True)
        pieces = list(v1.get_variable("p", [4], partitioner=v1.fixed_size_partitioner(2), use_resource=True))
    with tf.device("/job:ps/task:1"), tf.device("/gpu:2"):
        b = tf.Variable(1.0)
    c = v1.get_local_variable("c", [], use_resource=True)
    assert [v.device for v in (a, *pieces)] == ["/device:CPU:0"] * 3
    assert b.device == "/job:ps/task:1/device:GPU:2" and c.device == ""
    assert all(v.device == v.op.device == v.handle.device for v in (a, b, c))


def test_versions(tf):
    v1 = tf.compat.v1
    assert v1.__version__ == v1.VERSION == tf.__version__ == tf.compat.v2.__version__
    assert (v1.__git_version__, v1.__compiler_version__) == (v1.GIT_VERSION, v1.COMPILER_VERSION)
    assert (v1.__cxx11_abi_flag__, v1.__monolithic_build__) == (v1.CXX11_ABI_FLAG, v1.MONOLITHIC_BUILD)


def test_names_of_v2(tf):
    v2 = tf.compat.v2
    assert v2 is not tf and v2.__name__.endswith("compat.v2") and v2.compat.v2.Variable is tf.Variable
    assert v2.constant is tf.constant and v2.math.add is tf.math.add and {"constant", "math"} <= set(dir(v2))
    assert v2.enable_v2_behavior() is None and "enable_v2_behavior" in dir(v2) and "enable_v2_behavior" not in dir(tf)
    assert tf.executing_eagerly() and not hasattr(v2, "nothing")


def test_several_true_predicates_in_a_session(tf, v1, graph):
    pairs = [(tf.constant(True), lambda: tf.constant(1)), (tf.constant(True), lambda: tf.constant(2))]
    result = v1.case(pairs, default=lambda: tf.constant(3), exclusive=True)
    with v1.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
        session.run(result)


def test_control_inputs(tf, v1, graph):
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    with tf.control_dependencies([tf.IndexedSlices(a, b), "b"]):
        assert [op.name for op in tf.constant(3).op.control_inputs] == ["a", "b"]
    ragged = tf.RaggedTensor.from_row_splits(tf.RaggedTensor.from_row_splits(tf.stack([a], name="c"), [0, 1]), [0, 1])
    with tf.control_dependencies([ragged]):
        assert [op.name for op in tf.constant(3).op.control_inputs] == ["c"]
    sparse = tf.SparseTensor([[0]], [1], [2])
    for item in (3, 2.5, None, len, [a], np.float32(1.0), np.zeros(2), sparse):
        kind = type(item).__name__
        refusal = pytest.raises(TypeError, match=f"Can not convert a {kind} into a Tensor or Operation.")
        with refusal, tf.control_dependencies([item]):
            pass
    with pytest.raises(TypeError, match="'int' object is not iterable"), tf.control_dependencies(3):
        pass


@pytest.mark.parametrize(
    ("name", "text"),
    [("/job:a/task:x", "invalid literal for int"), ("/gpu:a", "invalid literal for int"),
     ("/device:CPU:0/device:GPU:0", "Multiple device types are not allowed while parsing the device spec")],
)
def test_names_that_no_device_has(tf, graph, name, text):
    with pytest.raises(ValueError, match=text), tf.device(name):
        pass


def test_ways_to_add_gradients(tf, graph):
    x = tf.constant(2.0)
    for method in (None, *range(3)):
        assert tf.gradients(x * x + x, x, aggregation_method=method)[0].shape == []
    with pytest.raises(ValueError, match="Invalid `aggregation_method` specified 9"):
        tf.gradients(x, x, aggregation_method=9)


def test_results_of_wrapped_functions_need_their_effects(tf):
    v = tf.Variable(1.0)
    assert tf.compat.v1.wrap_function(lambda: v.assign(5.0) + 0.0, [])() == 5.0
    assert v.numpy() == 5.0
    assert tf.compat.v1.wrap_function(lambda x: v.assign_add(x), [tf.TensorSpec([])])(tf.constant(2.0)) == 7.0
    assert v.numpy() == 7.0


def test_a_graph_lives_as_long_as_its_tensors(tf, v1):
    def build():
        graph = tf.Graph()
        with graph.as_default():
            x = tf.constant(1.0) + 1.0
            v1.add_to_collection("mine", x)
        return x, weakref.ref(graph)

    x, graph = build()
    gc.collect()
    assert x.graph is graph() and x.graph.get_collection("mine")[0].name == x.name
    with v1.Session(graph=x.graph) as session:
        assert session.run(x) == 2.0
    operation = x.op
    del x, session
    gc.collect()
    assert operation.graph is graph()
    del operation
    gc.collect()
    assert graph() is None


def test_options_are_messages(tf, v1):
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")  # has the classes of messages
    config = v1.ConfigProto(device_count={"GPU": 0}, gpu_options=v1.GPUOptions(allow_growth=True))
    assert config.HasField("gpu_options") and not config.HasField("graph_options")
    copy = v1.ConfigProto()
    copy.CopyFrom(config)
    assert copy == config and v1.ConfigProto.FromString(config.SerializeToString()) == config
    assert str(config) == 'device_count {\n  key: "GPU"\n  value: 0\n}\ngpu_options {\n  allow_growth: true\n}\n'
    assert str(v1.OptimizerOptions(opt_level=v1.OptimizerOptions.L0)) == "opt_level: L0\n"
    assert v1.ConfigProto.Experimental().collective_group_leader == "" and len(v1.RunMetadata().partition_graphs) == 0
    with pytest.raises(ValueError, match='Protocol message ConfigProto has no "foo" field'):
        v1.ConfigProto(foo=1)


def test_sessions_list_their_devices(tf, v1, graph):
    with v1.Session() as session:
        first = session.list_devices()[0]
    assert first.name == "/job:localhost/replica:0/task:0/device:CPU:0" and first.device_type == "CPU"
    assert first.memory_limit_bytes == 1 << 28
    assert repr(first) == f"_DeviceAttributes({first.name}, CPU, {1 << 28}, {first.incarnation})"


def test_shapes_of_constants_are_verified_where_asked(tf, v1, graph):
    three = v1.constant_initializer(3.0)
    assert three([2]).shape == [2]
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(2,\), but got \(\)\."):
        three([2], verify_shape=True)
    verifying = v1.constant_initializer([3.0, 4.0, 5.0, 6.0], verify_shape=True)
    assert verifying([2, 2], verify_shape=False).shape == [2, 2]
    with pytest.raises(TypeError, match="Expected Tensor"):
        verifying([2, 2])


def test_scopes_are_classes(tf, v1):
    class Named(v1.name_scope):
        def __enter__(self):
            return f"my {super().__enter__()}"

    assert isinstance(v1.variable_scope("a"), v1.variable_scope) and v1.name_scope(None, "b").name == "b"
    with tf.Graph().as_default():
        with Named("a") as scope:
            assert scope == "my a/"
        again = v1.name_scope("b")
        for name in ("b/", "b_1/"):
            with again as scope:
                assert scope == name and tf.constant(1).name == f"{name}Const:0"
        with v1.name_scope(None, "d", []) as scope:
            assert scope == "d/"
        with pytest.raises(ValueError, match="At least one of name"), v1.name_scope(None, None, [1]):
            pass
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        v1.name_scope(3)


def test_variable_scopes_are_entered_again(tf, v1):
    with tf.Graph().as_default():
        scope = v1.variable_scope(None, "d")
        seen = []
        for _ in range(2):
            with scope as inner:
                seen.append((inner.name, inner.original_name_scope, tf.constant(1).name))
        assert seen == [("d", "d/", "d/Const:0"), ("d", "d/", "d_1/Const:0")]
        with v1.variable_scope(None, "d") as inner:
            assert inner.name == "d_1" and inner.original_name_scope == "d_2/"
        with pytest.raises(TypeError, match="must be a string or VariableScope"), v1.variable_scope(3):
            pass
    for wrong, error in (({"reuse": 3}, ValueError), ({"auxiliary_name_scope": 1}, TypeError), ({"name_or_scope": None}, TypeError)):
        with pytest.raises(error):
            v1.variable_scope(**{"name_or_scope": "a", **wrong})


def test_functions_of_values_of_several_tensors(tf):
    specs = [tf.RaggedTensorSpec([None, None], tf.float32), {"y": tf.TensorSpec([], tf.float32)}, tf.SparseTensorSpec([4])]
    seen = []

    def f(rows, named, sparse):
        seen[:] = [rows, rows * named["y"], sparse]
        return rows * 3.0, tf.sparse.to_dense(sparse)

    wrapped = tf.compat.v1.wrap_function(f, specs)
    rows, product, sparse = seen
    given = tf.ragged.constant([[1.0, 2.0], [3.0]])
    kept = tf.sparse.from_dense([0.0, 5.0, 0.0, 6.0])
    parts = [given.values, given.row_splits, tf.constant(2.0), kept.indices, kept.values, kept.dense_shape]
    if tf.__name__ != "tensorflow":  # which raises an IndexError
        times, dense = wrapped(*parts)
        assert (times.to_list(), dense.numpy().tolist()) == ([[3.0, 6.0], [9.0]], [0.0, 5.0, 0.0, 6.0])
    y = wrapped.inputs[2]
    pruned = wrapped.prune([rows, y], {"product": product})
    assert pruned(given.values, given.row_splits, tf.constant(2.0))["product"].to_list() == [[2.0, 4.0], [6.0]]
    twice = wrapped.prune(sparse, sparse)(*parts[3:])
    assert tf.sparse.to_dense(twice).numpy().tolist() == [0.0, 5.0, 0.0, 6.0]


def test_parts_between_tensors_that_signatures_name(tf):
    v1 = tf.compat.v1
    if tf.__name__ != "tensorflow":
        pytest.importorskip("google.protobuf")
    info = v1.saved_model.build_tensor_info
    counter, seen = tf.Variable(0), []

    def f(x):
        counter.assign_add(1, read_value=False, name="count")
        seen[:] = [tf.identity(x * 2.0, name="double"), tf.sparse.from_dense(tf.reshape(x, [1]))]
        return seen[0]

    wrapped = v1.wrap_function(f, [tf.TensorSpec([], name="x")])
    with wrapped.graph.as_default():
        double, sparse = info(seen[0]), info(seen[1])
    x = wrapped.graph.get_tensor_by_name("x:0")
    assert float(wrapped.prune(x, double)(tf.constant(3.0))) == 6.0
    assert wrapped.prune([x], [sparse])(tf.constant(3.0))[0].values.numpy().tolist() == [3.0]
    assert int(counter) == 0
    count = v1.MetaGraphDef().signature_def["a"].inputs["b"]
    count.name = "count"
    wrapped.prune([], count)()
    assert int(counter) == 1
