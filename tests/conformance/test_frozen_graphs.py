"""`tf.compat.v1.graph_util`, and what sessions refuse."""

import pytest

pytestmark = pytest.mark.rule(79)


@pytest.fixture
def model(tf):
    """(session, its graph): y = x w + b, and z = x."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]])
        b = v1.get_variable("b", initializer=[0.5])
        tf.add(tf.matmul(x, w), b, name="y")
        tf.identity(x, name="z")
        session.run(v1.global_variables_initializer())
        yield session, graph


def run(tf, graph_def, fetch, feeds):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.import_graph_def(graph_def, name="")
        return session.run(fetch, feeds).tolist()


def test_part_of_a_graph(tf, model):
    graph_def = model[1].as_graph_def()
    extract = tf.compat.v1.graph_util.extract_sub_graph
    assert [node.name for node in extract(graph_def, ["z"]).node] == ["x", "z"]
    wanted = {"x", "w", "b", "MatMul/ReadVariableOp", "MatMul", "y/ReadVariableOp", "y"}
    assert {node.name for node in extract(graph_def, ["y"]).node} == wanted
    assert run(tf, extract(graph_def, ["z"]), "z:0", {"x:0": [[1.0, 2.0]]}) == [[1, 2]]
    with pytest.raises(AssertionError, match="nope is not in graph"):
        extract(graph_def, ["nope"])
    with pytest.raises(TypeError, match="dest_nodes must be an iterable of strings"):
        extract(graph_def, "y")
    with pytest.raises(TypeError, match="graph_def must be a graph_pb2.GraphDef proto"):
        extract(5, ["y"])


def test_variables_become_constants(tf, model):
    session, graph = model
    freeze = tf.compat.v1.graph_util.convert_variables_to_constants
    frozen = freeze(session, graph.as_graph_def(), ["y"])
    ops = {node.name: node.op for node in frozen.node}
    assert ops["w"] == ops["b"] == "Const"
    assert ops["MatMul/ReadVariableOp"] == ops["y/ReadVariableOp"] == "Identity"
    assert run(tf, frozen, "y:0", {"x:0": [[1.0, 2.0]]}) == [[5.5]]
    read = type(frozen).FromString(frozen.SerializeToString())
    assert run(tf, read, "y:0", {"x:0": [[1.0, 2.0]]}) == [[5.5]]


def test_variables_that_stay(tf, model):
    session, graph = model
    freeze = tf.compat.v1.graph_util.convert_variables_to_constants
    only_b = freeze(session, graph.as_graph_def(), ["y"], variable_names_whitelist=["b"])
    assert {node.name: node.op for node in only_b.node}["w"] == "VarHandleOp"
    not_b = freeze(session, graph.as_graph_def(), ["y"], variable_names_blacklist=["b"])
    assert {node.name: node.op for node in not_b.node}["b"] == "VarHandleOp"


def test_rows_of_a_frozen_table(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        table = v1.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0]])
        places = v1.placeholder(tf.int32, [None], name="places")
        tf.identity(tf.nn.embedding_lookup(table, places), name="rows")
        session.run(v1.global_variables_initializer())
        frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["rows"])
    assert not any(node.op in ("VarHandleOp", "ResourceGather") for node in frozen.node)
    assert run(tf, frozen, "rows:0", {"places:0": [1, 0]}) == [[3, 4], [1, 2]]


def test_nodes_of_training(tf):
    util = tf.compat.v1.graph_util
    with tf.Graph().as_default() as graph:
        x = tf.constant(4.0, name="x")
        checked = tf.debugging.check_numerics(tf.identity(x, name="same"), "bad", name="checked")
        with tf.control_dependencies([checked]):
            waiting = tf.identity(x, name="waiting")
        tf.sqrt(tf.identity(waiting, name="again"), name="y")
    graph_def = graph.as_graph_def()
    rest = {node.name: list(node.input) for node in util.remove_training_nodes(graph_def).node}
    assert rest == {"x": [], "y": ["x"]}
    kept = {node.name: list(node.input) for node in util.remove_training_nodes(graph_def, ["checked"]).node}
    assert kept == {"x": [], "checked": ["x"], "waiting": ["x", "^checked"], "y": ["waiting"]}


def test_places_and_shapes(tf, model):
    util, graph = tf.compat.v1.graph_util, model[1]
    with graph.as_default():
        assert util.must_run_on_cpu(tf.constant("a").op)
        assert util.must_run_on_cpu(tf.constant(5).op)
        assert not util.must_run_on_cpu(tf.constant(5.0).op)
    assert not util.must_run_on_cpu(graph.as_graph_def().node[0])
    assert util.tensor_shape_from_node_def_name(graph, "x").as_list() == [None, 2]


def test_what_a_session_refuses(tf, model):
    session, _ = model
    refused = r"You must feed a value for placeholder tensor 'x' with dtype float and shape \[\?,2\]\n\t \[\[\{\{node x\}\}\]\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=refused):
        session.run("x:0")
    with pytest.raises(TypeError, match=r"Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor\."):
        session.run("y:0", {5: 1})
    with tf.Graph().as_default() as elsewhere:
        other = tf.constant(1.0)
    assert other.graph is elsewhere
    with pytest.raises(ValueError, match=r'\(Tensor Tensor\("Const:0", shape=\(\), dtype=float32\) is not an element'):
        session.run(other)
    with tf.Graph().as_default():
        tf.compat.v1.get_variable("v", [1])
        tf.compat.v1.get_variable_scope().reuse_variables()
        with pytest.raises(ValueError, match=r"specified shape \(2,\) and found shape \(1,\)"):
            tf.compat.v1.get_variable("v", [2])


def test_calls_become_the_nodes_of_their_functions(tf, internal):
    factor = tf.Variable([2.0, 3.0])

    @tf.function
    def inner(x):
        tf.debugging.assert_all_finite(x, "not finite")
        first, second = tf.unstack(x * factor)
        return x, {"first": first, "second": second + tf.identity(x, name="args_1")[0]}

    @tf.function
    def middle(x):
        same, parts = inner(x)
        return inner(same + parts["first"])[1]["second"], tf.cond(parts["second"] > 0.0, lambda: inner(x)[0], lambda: x)

    def f(x):
        number, row = middle(x)
        return inner(row * number), middle(row)

    x = tf.constant([0.5, -1.0])
    convert = internal("framework.convert_to_constants").convert_variables_to_constants_v2_as_graph
    frozen, graph_def = convert(tf.function(f).get_concrete_function(tf.TensorSpec([2], name="x")))
    expected = [y.numpy().tolist() for y in tf.nest.flatten(tf.function(f)(x))]
    assert sorted(map(str, (y.numpy().tolist() for y in frozen(x)))) == sorted(map(str, expected))
    kinds = [node.op for node in graph_def.node]
    assert not {"PartitionedCall", "StatefulPartitionedCall"} & set(kinds)
    assert kinds.count("Unpack") >= 5
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        frozen(tf.constant([float("nan"), 1.0]))
