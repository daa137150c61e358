"""`tf.compat.v1.train.export_meta_graph`, `import_meta_graph`, and the messages of signatures."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def v1(tf):
    return tf.compat.v1


@pytest.fixture
def graph(tf, v1):
    """A graph with a scope, a Variable, a device and collections."""
    with tf.Graph().as_default() as made:
        with tf.device("/cpu:0"):
            x = v1.placeholder(tf.float32, [], name="x")
        with v1.variable_scope("sc"):
            a = tf.constant(1.0, name="a")
            b = tf.add(a, x, name="b")
            v1.get_variable("v", [], initializer=v1.zeros_initializer())
        v1.get_variable("w", [], initializer=v1.ones_initializer())
        v1.add_to_collection("nodes", b)
        v1.add_to_collection("numbers", 3)
        v1.add_to_collection("texts", "s")
        v1.add_to_collection("floats", 1.5)
        v1.add_to_collection("others", object())
    return made


def exported(v1, graph, **options):
    with graph.as_default():
        return v1.train.export_meta_graph(**options)


def test_fields(v1, graph):
    made = exported(v1, graph)
    assert type(made).__name__ == "MetaGraphDef"
    assert [node.name for node in made.graph_def.node] == [op.name for op in graph.get_operations()]
    assert sorted(made.collection_def) == ["floats", "nodes", "numbers", "texts", "trainable_variables", "variables"]
    assert list(made.collection_def["nodes"].node_list.value) == ["sc/b:0"]
    assert str(made.collection_def["numbers"]) == "int64_list {\n  value: 3\n}\n"
    assert list(made.collection_def["texts"].bytes_list.value) == [b"s"]
    assert str(made.collection_def["floats"]) == "float_list {\n  value: 1.5\n}\n"
    assert made.collection_def["variables"].WhichOneof("kind") == "bytes_list"
    assert made.meta_info_def.tensorflow_version.startswith("2.") and not list(made.meta_info_def.tags)
    assert not made.HasField("saver_def") and not dict(made.signature_def)
    assert list(exported(v1, graph, collection_list=["nodes"]).collection_def) == ["nodes"]
    assert 'key: "nodes"\n  value {\n    node_list {\n      value: "sc/b:0"\n    }\n  }\n' in str(made)


def test_savers(v1, graph):
    with graph.as_default():
        saver = v1.train.Saver(max_to_keep=3)
        made = saver.export_meta_graph()
    assert made.HasField("saver_def") and made.saver_def.max_to_keep == 3
    assert made.saver_def.restore_op_name == "save/restore_all"
    assert str(made.saver_def).endswith("max_to_keep: 3\nkeep_checkpoint_every_n_hours: 10000\nversion: V2\n")


def test_files(tf, v1, graph, tmp_path):
    made = exported(v1, graph, filename=str(tmp_path / "graph.meta"))
    assert type(made).FromString((tmp_path / "graph.meta").read_bytes()) == made
    for given in (made, str(tmp_path / "graph.meta")):
        with tf.Graph().as_default() as again:
            assert v1.train.import_meta_graph(given) is not None
            assert [tensor.name for tensor in again.get_collection("nodes")] == ["sc/b:0"]
            assert again.get_collection("numbers") == [3] and [v.name for v in v1.global_variables()] == ["sc/v:0", "w:0"]
            assert again.get_operation_by_name("x").device == "/device:CPU:0"


def test_devices(tf, v1, graph):
    devices = {node.name: node.device for node in exported(v1, graph).graph_def.node}
    assert devices["x"] == "/device:CPU:0"
    cleared = exported(v1, graph, clear_devices=True)
    assert {node.device for node in cleared.graph_def.node} == {""} and "device:" not in str(cleared.graph_def)
    with tf.Graph().as_default() as again:
        v1.train.import_meta_graph(exported(v1, graph), clear_devices=True)
        assert again.get_operation_by_name("x").device == ""


def test_scopes(tf, v1, graph):
    made = exported(v1, graph, export_scope="sc")
    nodes = {node.name: list(node.input) for node in made.graph_def.node}
    assert nodes["b"] == ["a", "$unbound_inputs_x"] and "v" in nodes and "w" not in nodes
    assert list(made.collection_def["nodes"].node_list.value) == ["b:0"]
    assert list(made.collection_def["unbound_inputs"].bytes_list.value) == [b"$unbound_inputs_x"]
    assert len(made.collection_def["variables"].bytes_list.value) == 1 and "texts" not in made.collection_def
    with tf.Graph().as_default() as again:
        with pytest.raises(ValueError, match=r"Graph contains unbound inputs: \$unbound_inputs_x. Must provide these inputs"):
            v1.train.import_meta_graph(made)
        v1.train.import_meta_graph(made, import_scope="new", input_map={"$unbound_inputs_x": tf.constant(2.0)})
        with v1.Session() as session:
            assert session.run("new/b:0") == 3.0
        assert [v.name for v in v1.global_variables()] == ["new/v:0"]
        assert again.get_operation_by_name("new/b").inputs[0].name == "new/a:0"


def test_eagerly(v1, graph):
    with pytest.raises(RuntimeError, match="Exporting/importing meta graphs is not supported when eager execution is enabled"):
        v1.train.export_meta_graph()
    with pytest.raises(RuntimeError, match="Exporting/importing meta graphs is not supported when eager execution is enabled"):
        v1.train.export_meta_graph(graph=graph)


def test_tensor_infos(tf, v1):
    with tf.Graph().as_default():
        sparse = v1.sparse_placeholder(tf.float64, [None, 2], name="sp")
        x = v1.placeholder(tf.float32, name="x")
        info, model = v1.saved_model.build_tensor_info(sparse), v1.saved_model
        assert (info.name, info.dtype, info.WhichOneof("encoding")) == ("", 2, "coo_sparse")
        assert info.HasField("coo_sparse") and not info.HasField("name")
        assert str(info.coo_sparse).splitlines() == [
            'values_tensor_name: "sp/values:0"',
            'indices_tensor_name: "sp/indices:0"',
            'dense_shape_tensor_name: "sp/shape:0"',
        ]
        found = model.get_tensor_from_tensor_info(info)
        assert found.values.name == sparse.values.name and found.dense_shape.name == sparse.dense_shape.name
        text = 'name: "x:0"\ndtype: DT_FLOAT\ntensor_shape {\n  unknown_rank: true\n}\n'
        assert str(model.build_tensor_info(x)) == repr(model.build_tensor_info(x)) == text
        signature = model.predict_signature_def({"x": x}, {"s": sparse})
        inner = "".join(f"    {line}\n" for line in text.splitlines())
        assert str(signature).startswith(f'inputs {{\n  key: "x"\n  value {{\n{inner}  }}\n}}\noutputs {{\n  key: "s"\n  value {{\n')
        assert str(signature).endswith('  }\n}\nmethod_name: "tensorflow/serving/predict"\n')
        assert signature == model.predict_signature_def({"x": x}, {"s": sparse})


def test_texts_of_messages(tf):
    """Floats are those of 32 bits, texts are printed as they are, and bytes with escapes."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.get_variable("w", initializer=1.0)
        for value in (0.3, 1e10, float("inf"), 16777217.0):
            v1.add_to_collection("floats", value)
        v1.add_to_collection("texts", b'a"\x00\xff\n')
        v1.add_to_collection("k é", 1)
        saver = v1.train.Saver(keep_checkpoint_every_n_hours=0.3)
        made = v1.train.export_meta_graph(saver_def=saver.as_saver_def())
        info = v1.saved_model.build_tensor_info(tf.constant(1.0, name="x"))
        signature = v1.saved_model.build_signature_def({'é "q"': info}, method_name="m")
    lines = [f"  value: {text}\n" for text in ("0.3", "1e+10", "inf", "16777216")]
    assert str(made.collection_def["floats"]) == "float_list {\n" + "".join(lines) + "}\n"
    assert str(made.collection_def["texts"]) == 'bytes_list {\n  value: "a\\"\\000\\377\\n"\n}\n'
    assert 'key: "k é"' in str(made)
    assert 'key: "é \\"q\\""' in str(signature)
    assert 'filename_tensor_name: "save/Const:0"' in str(made.saver_def)
    assert "keep_checkpoint_every_n_hours: 0.3\n" in repr(made.saver_def)


def test_options_of_savers(v1, graph, tmp_path):
    with graph.as_default():
        path = str(tmp_path / "graph")
        made = v1.train.Saver().export_meta_graph(path, ["numbers"], True, "sc")
        assert list(made.collection_def) == ["numbers"] and made.saver_def.filename_tensor_name
        assert "a" in [node.name for node in made.graph_def.node]
        with open(path, encoding="utf-8") as file:
            assert file.read().startswith("meta_info_def {")
