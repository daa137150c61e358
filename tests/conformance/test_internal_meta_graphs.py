"""tensorflow.python.framework.meta_graph: graphs, or what stands in a name scope, with their Variables."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def meta_graph(internal):
    return internal("framework.meta_graph")


def _layer(tf):
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    with v1.variable_scope("layer"):
        w = v1.get_variable("w", initializer=tf.ones([2, 1]))
        tf.matmul(x, w, name="y")


def test_parts_are_copied(tf, meta_graph):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        _layer(tf)
        message, variables = meta_graph.export_scoped_meta_graph(export_scope="layer", graph=graph)
    assert [(name, v.name) for name, v in variables.items()] == [("w:0", "layer/w:0")]
    assert "w" in {node.name for node in message.graph_def.node} and "x" not in {node.name for node in message.graph_def.node}
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([[1.0, 2.0]])
        with pytest.raises(ValueError, match="unbound"):
            meta_graph.import_scoped_meta_graph(message, import_scope="copy")
        found = meta_graph.import_scoped_meta_graph(message, import_scope="copy", input_map={"$unbound_inputs_x": x})
        assert [(name, v.name) for name, v in found.items()] == [("w:0", "copy/w:0")]
        session.run(v1.global_variables_initializer())
        np.testing.assert_array_equal(session.run("copy/y:0"), [[3.0]])


def test_scopes_are_copied_to_others(tf, meta_graph):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with v1.variable_scope("a"):
            v1.get_variable("v", initializer=2.0)
        copies = meta_graph.copy_scoped_meta_graph("a", "b")
        assert {name: v.name for name, v in copies.items()} == {"v:0": "b/v:0"}
        assert sorted(v.name for v in v1.global_variables()) == ["a/v:0", "b/v:0"]
        with pytest.raises(ValueError, match="need to be different"):
            meta_graph.copy_scoped_meta_graph("a", "a")
    with tf.Graph().as_default() as other:
        meta_graph.copy_scoped_meta_graph("a", "a", graph, other)
    assert [v.name for v in other.get_collection("variables")] == ["a/v:0"]


def test_files_are_read(tf, meta_graph, tmp_path):
    path = tmp_path / "model.meta"
    with tf.Graph().as_default():
        _layer(tf)
        message, _ = meta_graph.export_scoped_meta_graph(str(path))
    assert meta_graph.read_meta_graph_file(str(path)).graph_def == message.graph_def
    with pytest.raises(OSError, match="File does not exist"):
        meta_graph.read_meta_graph_file(str(tmp_path / "none.meta"))
    with pytest.raises(ValueError, match="not supported when [Ee]ager [Ee]xecution is enabled"):
        meta_graph.import_scoped_meta_graph(message)
    with pytest.raises(ValueError, match="not supported when [Ee]ager [Ee]xecution is enabled"):
        meta_graph.export_scoped_meta_graph()


def test_ops_of_graphs(tf, meta_graph):
    inner = tf.function(lambda x: tf.sin(x), autograph=False)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        tf.negative(inner(x))
        ops = set(meta_graph.ops_used_by_graph_def(graph.as_graph_def()))
    assert {"Placeholder", "Neg", "Sin", "PartitionedCall"} <= ops
    assert not any(op.startswith("__inference") for op in ops)
