"""The messages of graphs as programs edit them before they import them again."""

import copy
import pickle

import pytest

pytestmark = pytest.mark.rule(79)


@pytest.fixture
def v1(tf):
    return tf.compat.v1


@pytest.fixture
def graph(tf):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        with tf.device("/cpu:0"):
            y = tf.add(x, tf.constant([1.0, 2.0], name="c"), name="y")
        tf.identity(y, name="z")
    return graph


def run(tf, graph_def, fetch, feeds):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(fetch, feeds).tolist()


def test_devices_and_groups_are_cleared(tf, graph):
    graph_def = graph.as_graph_def()
    assert {node.device for node in graph_def.node} == {"", "/device:CPU:0"}
    for node in graph_def.node:
        node.device = ""
        node.attr["_class"].list.s.append(b"loc:@x")
    for node in graph_def.node:
        assert "_class" in node.attr and list(node.attr["_class"].list.s) == [b"loc:@x"]
        del node.attr["_class"]
        assert "_class" not in node.attr
    assert 'device: "' not in str(graph_def)
    assert run(tf, graph_def, "z:0", {"x:0": [[1.0, 1.0]]}) == [[2.0, 3.0]]


def test_nodes_come_and_go(tf, v1, graph):
    graph_def, made = graph.as_graph_def(), v1.GraphDef()
    made.node.extend([node for node in graph_def.node if node.op != "Identity"])
    node = made.node.add(name="w", op="Neg", input=["y"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    made.versions.CopyFrom(graph_def.versions)
    assert len(made.node) == 4 and made.versions.producer == graph_def.versions.producer
    assert run(tf, made, "w:0", {"x:0": [[1.0, 1.0]]}) == [[-2.0, -3.0]]
    made.node.remove(node)
    del made.node[0]
    assert [one.name for one in made.node] == ["c", "y"]
    made.node[1].input[0] = "c"
    made.node.append(v1.NodeDef(name="last", op="NoOp"))
    made.node[-1].input.extend(["^y", "^c"])
    made.node.sort(key=lambda one: one.name)
    assert [list(one.input) for one in made.node] == [[], ["^y", "^c"], ["c", "c"]]
    assert made.node.pop().name == "y" and made.node[0].name == "c"
    with tf.Graph().as_default() as wrapped:
        tf.import_graph_def(graph_def, name="")
    assert [op.name for op in wrapped.get_operations()] == ["x", "c", "y", "z"]


def test_what_is_appended_is_a_copy(v1):
    node, graph_def = v1.NodeDef(name="a"), v1.GraphDef()
    graph_def.node.append(node)
    node.name = "b"
    assert graph_def.node[0].name == "a"
    inner = graph_def.node[0]
    inner.name = "c"
    assert graph_def.node[0].name == "c"


def test_a_constant_is_replaced(tf, graph):
    graph_def = graph.as_graph_def()
    node = next(node for node in graph_def.node if node.name == "c")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([10.0, 20.0]))
    assert node.attr["value"].HasField("tensor") and node.attr["value"].tensor.tensor_shape.dim[0].size == 2
    assert run(tf, graph_def, "z:0", {"x:0": [[1.0, 1.0]]}) == [[11.0, 21.0]]
    node.attr["value"].tensor.ClearField("tensor_content")
    node.attr["value"].tensor.float_val.extend([5.0, 6.0])
    assert run(tf, graph_def, "z:0", {"x:0": [[1.0, 1.0]]}) == [[6.0, 7.0]]


def test_values_of_attributes(v1):
    node = v1.NodeDef()
    value = node.attr["a"]
    assert value.WhichOneof("value") is None and value.i == 0 and value.s == b"" and not value.HasField("list")
    value.i = 3
    assert (value.WhichOneof("value"), value.i) == ("i", 3)
    value.s = b"text"
    assert (value.WhichOneof("value"), value.i, value.s) == ("s", 0, b"text")
    value.list.i.extend([1, 2])
    assert value.WhichOneof("value") == "list" and list(value.list.i) == [1, 2] and value.s == b""
    value.shape.dim.add().size = 7
    assert value.WhichOneof("value") == "shape" and value.shape.dim[0].size == 7
    value.ClearField("shape")
    assert value.WhichOneof("value") is None
    value.type = 0
    assert value.HasField("type") and value.WhichOneof("value") == "type"
    value.func.name = "f"
    value.func.attr["x"].b = True
    assert str(node).split() == 'attr { key: "a" value { func { name: "f" attr { key: "x" value { b: true } } } } }'.split()
    other = v1.NodeDef(name="n", attr={"q": v1.AttrValue(f=0.5)})
    node.MergeFrom(other)
    assert sorted(node.attr) == ["a", "q"] and node.name == "n" and node.attr["q"].f == 0.5
    node.attr["q"].CopyFrom(v1.AttrValue(list=v1.AttrValue.ListValue(s=[b"x"], b=[True])))
    assert [field.name for field, _ in node.attr["q"].list.ListFields()] == ["s", "b"]
    node.attr.clear()
    node.ClearField("name")
    assert node.ByteSize() == 0 and node == v1.NodeDef() and node.ListFields() == []


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda n: setattr(n, "name", 3), TypeError, None),
        (lambda n: setattr(n, "name", None), TypeError, None),
        (lambda n: setattr(n, "nome", "a"), AttributeError, "nome"),
        (lambda n: setattr(n, "input", ["a"]), AttributeError, 'Assignment not allowed to map, or repeated field "input"'),
        (lambda n: setattr(n, "attr", {}), AttributeError, 'Assignment not allowed to map, or repeated field "attr"'),
        (lambda n: setattr(n, "experimental_type", 1), AttributeError, 'Assignment not allowed to message field "experimental_type"'),
        (lambda n: n.input.append(1), TypeError, None),
        (lambda n: n.attr.__setitem__("a", 1), ValueError, "Message objects may not be assigned"),
        (lambda n: n.attr.__delitem__("zz"), KeyError, "Key not present in map"),
        (lambda n: n.attr[1], TypeError, None),
        (lambda n: setattr(n.attr["a"], "i", 1.5), TypeError, "'float' object cannot be interpreted as an integer"),
        (lambda n: setattr(n.attr["a"], "i", 1 << 70), ValueError, "Value out of range: 1180591620717411303424"),
        (lambda n: setattr(n.attr["a"], "s", "text"), TypeError, "expected bytes, str found"),
        (lambda n: setattr(n.attr["a"], "type", "DT_FOO"), ValueError, 'unknown enum label "DT_FOO"'),
        (lambda n: n.HasField("name"), ValueError, "Field tensorflow.NodeDef.name does not have presence."),
        (lambda n: n.HasField("zz"), ValueError, 'Protocol message NodeDef has no "zz" field.'),
        (lambda n: n.ClearField("zz"), ValueError, 'Protocol message NodeDef has no "zz" field.'),
        (lambda n: n.WhichOneof("zz"), ValueError, 'Protocol message NodeDef has no "zz" field.'),
        (lambda n: n.CopyFrom(3), TypeError, r"Parameter to CopyFrom\(\) must be instance of same class"),
        (lambda n: n.MergeFrom(n.attr["a"]), TypeError, r"Parameter to MergeFrom\(\) must be instance of same class"),
        (lambda n: type(n)(foo=1), ValueError, 'Protocol message NodeDef has no "foo" field.'),
        (lambda n: type(n)(3), TypeError, "No positional arguments allowed"),
        (lambda n: type(n).FromString("text"), TypeError, "expected bytes, str found"),
        (lambda n: type(n).FromString(b"abc"), Exception, "Error parsing message with type 'tensorflow.NodeDef'"),
        (lambda n: hash(n), TypeError, "unhashable type: 'NodeDef'"),
    ],
)
def test_what_is_refused(v1, change, error, text):
    with pytest.raises(error, match=text):
        change(v1.NodeDef())


def test_bytes_that_are_no_message_are_an_error_of_protobuf(tf, v1):
    message = pytest.importorskip("google.protobuf.message")
    for kind in (v1.NodeDef, v1.GraphDef, tf.train.Example, tf.train.SequenceExample, tf.train.Feature):
        with pytest.raises(message.DecodeError, match=f"Error parsing message with type 'tensorflow.{kind.__name__}'"):
            kind.FromString(b"bad")
        with pytest.raises(message.Error):
            kind().ParseFromString(b"bad")


def test_copies(graph):
    graph_def = graph.as_graph_def()
    for again in (
        copy.deepcopy(graph_def), pickle.loads(pickle.dumps(graph_def)), type(graph_def).FromString(graph_def.SerializeToString())
    ):  # fmt: skip
        assert again == graph_def and type(again) is type(graph_def) and str(again) == str(graph_def)
        again.node[0].name = "other"
        assert again != graph_def
    assert graph_def.ByteSize() == len(graph_def.SerializeToString()) and graph_def.IsInitialized()
    graph_def.Clear()
    assert graph_def.ByteSize() == 0 and len(graph_def.node) == 0 and not graph_def.HasField("versions")


def test_copies_of_parts(tf, v1, graph):
    graph_def = graph.as_graph_def(add_shapes=True)
    node = next(node for node in graph_def.node if node.op == "Const")
    tensor = node.attr["value"].tensor
    for part in (node, tensor, tensor.tensor_shape, node.attr["value"], graph_def.versions, graph_def.library):
        again = pickle.loads(pickle.dumps(part))
        assert again == part and again is not part and type(again) is type(part) and copy.deepcopy(part) == part
    assert type(node) is v1.NodeDef and isinstance(node.attr["value"], v1.AttrValue)


def test_classes_of_parts_are_in_modules_of_their_files(graph):
    pytest.importorskip("tensorboard")  # protobuf's classes
    graph_def = graph.as_graph_def(add_shapes=True)
    values = graph_def.node[0].attr["_output_shapes"]
    for kind in (type(part) for part in (graph_def.node[0], values, values.list.shape.add(), graph_def.versions)):
        assert kind.__module__.startswith("tensorflow.core.framework.") and kind.__module__.endswith("_pb2")


def test_a_function_in_the_library_is_edited(tf):
    @tf.function
    def f(x):
        return tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)

    concrete = f.get_concrete_function(tf.TensorSpec([], name="x"))
    assert concrete.function_def.signature.name == concrete.name.decode()
    graph_def = concrete.graph.as_graph_def()
    made = type(graph_def)()
    made.CopyFrom(graph_def)
    for function in made.library.function:
        for node in function.node_def:
            if node.op == "Mul":
                node.op = "Add" if "Add" in dir(tf.raw_ops) else "AddV2"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (result,) = tf.import_graph_def(made, return_elements=[concrete.outputs[0].name], name="")
        assert session.run(result, {"x:0": 5.0}) == 7.0
    assert [node.name for node in concrete.graph.as_graph_def().node] == [node.name for node in graph_def.node]


def test_descriptions_of_ops_are_messages(tf, graph):
    op = graph.get_operation_by_name("y")
    node = op.node_def
    assert node == graph.as_graph_def().node[2] and isinstance(node, tf.compat.v1.NodeDef)
    node.name = "other"
    assert op.name == "y" and op.node_def.name == "y"
    assert [one.name for one in op.op_def.input_arg] == ["x", "y"] and op.op_def.attr[0].name == "T"
    assert op.op_def.attr[0].HasField("allowed_values") and not op.op_def.attr[0].HasField("default_value")
    assert graph.get_operation_by_name("x").get_attr("shape").dim[1].size == 2


def test_whole_graphs_with_signatures(tf, v1):
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.identity(x, name="y")
        v1.add_to_collection("kept", y)
        signature = v1.saved_model.build_signature_def({"x": v1.saved_model.build_tensor_info(x)}, {}, "m")
        meta = v1.train.export_meta_graph(graph=graph)
    assert isinstance(meta, v1.MetaGraphDef) and isinstance(meta.graph_def, v1.GraphDef)
    meta.signature_def["s"].CopyFrom(signature)
    meta.signature_def["s"].outputs["y"].name = "y:0"
    meta.meta_info_def.tags.append("serve")
    meta.collection_def["more"].bytes_list.value.append(b"data")
    meta.graph_def.node[1].name = "w"
    meta.collection_def["kept"].node_list.value[0] = "w:0"
    read = v1.MetaGraphDef.FromString(meta.SerializeToString())
    assert read == meta and read.signature_def["s"].inputs["x"].tensor_shape.dim[0].size == 2
    assert read.collection_def["more"].WhichOneof("kind") == "bytes_list"
    with tf.Graph().as_default() as other:
        v1.train.import_meta_graph(read)
        assert [tensor.name for tensor in v1.get_collection("kept")] == ["w:0"]
    assert [op.name for op in other.get_operations()] == ["x", "w"]


def test_text_and_json(tf, v1, graph):
    text_format = pytest.importorskip("google.protobuf.text_format")
    json_format = pytest.importorskip("google.protobuf.json_format")
    graph_def = graph.as_graph_def()
    if not hasattr(graph_def, "DiscardUnknownFields"):
        pytest.skip("the messages are not protobuf's")
    text = text_format.MessageToString(graph_def)
    assert text_format.Parse(text, v1.GraphDef()) == text_format.Parse(str(graph_def), v1.GraphDef()) == graph_def
    made = text_format.Merge('node { name: "a" op: "NoOp" }', v1.GraphDef())
    assert made.node[0].name == "a"
    assert json_format.Parse(json_format.MessageToJson(graph_def), v1.GraphDef()) == graph_def
    assert json_format.MessageToDict(made) == {"node": [{"name": "a", "op": "NoOp"}]}


@pytest.mark.filterwarnings("ignore:Encoding a StructuredValue with type tf.NoneTensorSpec")
def test_specs_are_messages(tf):
    scalar = tf.TensorSpec([], tf.int32)
    specs = {
        tf.RaggedTensorSpec([2, None], tf.int32): 2, tf.SparseTensorSpec([2, None], tf.int32): 3, tf.IndexedSlicesSpec([2, 3]): 2,
        tf.TensorArraySpec([2]): 1, tf.OptionalSpec(scalar): 1, tf.data.DatasetSpec(scalar): 1, tf.NoneTensorSpec(): 0,
    }  # fmt: skip
    for spec, count in specs.items():
        message = spec.experimental_as_proto()
        assert type(message) is type(spec).experimental_type_proto() and type(spec).experimental_from_proto(message) == spec
        if hasattr(message, "num_flat_components"):  # protobuf's
            assert message.num_flat_components == count and message.type_spec_class_name.endswith(type(spec).__name__)
    assert isinstance(scalar.experimental_as_proto(), tf.TensorSpec.experimental_type_proto())
