"""The functions in the library of a graph, what they capture, and their graphs made of messages."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def imported(tf):
    """A graph with a loop whose body has a branch."""

    def f(x):
        def step(i, y, z):
            return i + 1, tf.cond(i > 1, lambda: y * 2.0, lambda: y), z

        return tf.while_loop(lambda i, y, z: i < 3, step, [0, x, x])[1]

    graph_def = tf.function(f).get_concrete_function(tf.TensorSpec([3], name="x")).graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph


def body(graph, op="While"):
    loop = next(node for node in graph.get_operations() if node.type.endswith(op))
    return loop.node_def.attr["body"].func.name


def test_library(tf, imported):
    assert len(imported._functions) == 4
    assert {name: one.definition.signature.name for name, one in imported._functions.items()} == {n: n for n in imported._functions}
    name = body(imported)
    assert imported._is_function(name) and not imported._is_function("nothing")
    assert imported._get_function(name).name in (name, name.encode()) and imported._get_function("nothing") is None


def test_graph_of_a_function(tf, internal, imported):
    module = internal("framework.function_def_to_graph")
    with imported.as_default():
        assert module.is_function(body(imported), imported) and not module.is_function("nothing", imported)
        fdef = imported._functions[body(imported)].definition
        graph = module.function_def_to_graph(fdef, input_shapes=[*map(tf.TensorShape, [[], [], [], [3]]), None])
    assert graph.name == fdef.signature.name
    assert [t.name for t in graph.inputs] == [f"{a.name}:0" for a in fdef.signature.input_arg]
    assert [t.dtype for t in graph.outputs] == [tf.int32, tf.int32, tf.int32, tf.float32, tf.float32]
    assert [t.shape.rank for t in graph.inputs][:4] == [0, 0, 0, 1]
    assert graph.outputs[3].shape == [3]


def test_graph_def_of_a_function(tf, internal):
    function = tf.function(lambda x: tf.add(*tf.split(x, 2, name="halves"), name="sum"), autograph=False)
    fdef = function.get_concrete_function(tf.TensorSpec([4], name="x")).function_def
    to_graph_def = internal("framework.function_def_to_graph").function_def_to_graph_def
    graph_def, names = to_graph_def(fdef, [tf.TensorShape([4])])
    assert names["x"] == "x:0" and names["sum:z:0"] == "sum:0" and names["^sum"] == "^sum"
    assert [names[f"halves:output:{i}"] for i in range(2)] == ["halves:0", "halves:1"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph_def, name="")
        assert session.run("sum:0", {"x:0": [1.0, 2.0, 3.0, 4.0]}).tolist() == [4.0, 6.0]


def test_refused_messages(tf, internal, imported):
    module = internal("framework.function_def_to_graph")
    fdef = imported._functions[body(imported)].definition
    with imported.as_default(), pytest.raises(
        ValueError, match="must match the number of `input_arg`s in `fdef`. Got 1 `input_shapes` and 5 `input_arg`s"
    ):
        module.function_def_to_graph(fdef, input_shapes=[tf.TensorShape([])])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="was not found. Please make sure the FunctionDef `fdef` is"):
        module.function_def_to_graph(fdef)


def test_captures(tf):
    v, c = tf.Variable(2.0), tf.Variable([1.0, 2.0])
    graph = tf.function(lambda x: x * v + c).get_concrete_function(tf.TensorSpec([])).graph
    captures = graph.function_captures
    assert captures.by_val_external.keys() == captures.by_val_internal.keys() and len(captures.by_val_internal) == 2
    assert [t.name for t in captures.by_val_internal.values()] == [t.name for t in graph.inputs[1:]]
    assert [t.dtype for t in captures.by_val_external.values()] == [tf.resource, tf.resource]
    assert [len(pair) for pair in captures.by_val_capture_tuples] == [2, 2]
