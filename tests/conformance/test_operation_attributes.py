"""Attributes of Operations: `get_attr` and what else an Operation tells, in a tf.Graph and in a function's graph."""

import sys

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def operation(graph, kind):
    return next(op for op in graph.get_operations() if op.type == kind)


def test_numbers_text_and_dtypes(tf, graph):
    x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    product = tf.matmul(x, tf.ones([2, 3]), transpose_b=True).op
    assert product.get_attr("transpose_b") is True and product.get_attr("transpose_a") is False
    assert product.get_attr("T") is tf.float32 and isinstance(product.get_attr("T"), tf.DType)
    assert tf.strings.join(["a", "b"], separator="-").op.get_attr("separator") == b"-"
    joined = tf.strings.join(["a", "b"], separator="-").op.get_attr("N")
    assert joined == 2 and type(joined) is int
    slope = tf.nn.leaky_relu(x, 0.3).op.get_attr("alpha")
    assert type(slope) is float and slope == float(np.float32(0.3))
    assert tf.cast(x, tf.int64).op.get_attr("DstT") is tf.int64


def test_lists(tf, graph):
    image = tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1]), strides=[1, 2, 2, 1], padding="SAME").op
    assert image.get_attr("strides") == [1, 2, 2, 1] and image.get_attr("explicit_paddings") == []
    assert image.get_attr("padding") == b"SAME" and image.get_attr("data_format") == b"NHWC"
    assert tf.squeeze([[1.0]], [0]).op.get_attr("squeeze_dims") == [0]
    several = tf.identity_n([tf.constant(1), tf.constant("a")])[0].op
    assert several.get_attr("T") == [tf.int32, tf.string]
    assert [type(dtype) for dtype in several.get_attr("T")] == [tf.DType] * 2


def test_shapes(tf, v1, graph):
    x = v1.placeholder(tf.float32, [None, 3])
    shape = x.op.get_attr("shape")
    assert [d.size for d in shape.dim] == [-1, 3] and not shape.unknown_rank
    assert tf.TensorShape(shape).as_list() == [None, 3]
    assert v1.placeholder(tf.float32).op.get_attr("shape").unknown_rank
    branches = tf.cond(v1.placeholder(tf.bool, []), lambda: x, lambda: x * 2)
    del branches
    shapes = operation(graph, "StatelessIf").get_attr("output_shapes")
    assert [tf.TensorShape(s).as_list() for s in shapes] == [[None, 3]]


def test_constants(tf, graph):
    value = tf.constant([[1.0, 2.0]]).op.get_attr("value")
    assert tf.make_ndarray(value).tolist() == [[1.0, 2.0]]
    assert value.dtype == tf.float32.as_datatype_enum and [d.size for d in value.tensor_shape.dim] == [1, 2]


def test_functions(tf, v1, graph):
    tf.cond(v1.placeholder(tf.bool, []), lambda: tf.constant(1), lambda: tf.constant(2))
    branch = operation(graph, "StatelessIf").get_attr("then_branch")
    assert isinstance(branch.name, str) and "true" in branch.name
    i = v1.placeholder(tf.int32, [])
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [i])
    loop = operation(graph, "StatelessWhile")
    assert "cond" in loop.get_attr("cond").name and "body" in loop.get_attr("body").name


def test_missing_attributes(tf, graph):
    op = tf.constant(1, name="c").op
    with pytest.raises(ValueError, match="Operation 'c' has no attr named 'nope'."):
        op.get_attr("nope")
    with pytest.raises(TypeError):
        op.get_attr(3)


def test_in_functions(tf):
    @tf.function
    def f(x):
        return tf.nn.relu(x) + 1.0

    graph = f.get_concrete_function(tf.TensorSpec([2], tf.float32)).graph
    argument = graph.get_operations()[0]
    assert argument.get_attr("dtype") is tf.float32 and argument.get_attr("_user_specified_name") == b"x"
    assert tf.TensorShape(argument.get_attr("shape")).as_list() == [2]
    assert operation(graph, "Relu").get_attr("T") is tf.float32
    assert sorted(operation(graph, "Relu").node_def.attr) == ["T"]


def test_added_attributes(tf, v1, graph):
    op = tf.constant(1, name="c").op
    message = v1.AttrValue
    added = {
        "_text": (message(s=b"hi"), b"hi"),
        "_int": (message(i=-3), -3),
        "_float": (message(f=0.5), 0.5),
        "_flag": (message(b=True), True),
        "_dtype": (message(type=tf.int64.as_datatype_enum), tf.int64),
        "_ints": (message(list=message.ListValue(i=[1, -2])), [1, -2]),
        "_texts": (message(list=message.ListValue(s=[b"a", b"b"])), [b"a", b"b"]),
        "_floats": (message(list=message.ListValue(f=[0.5, 2.0])), [0.5, 2.0]),
        "_flags": (message(list=message.ListValue(b=[True, False])), [True, False]),
        "_dtypes": (message(list=message.ListValue(type=[1, 3])), [tf.float32, tf.int32]),
    }
    for name, (value, _) in added.items():
        op._set_attr(name, value)
    assert {name: op.get_attr(name) for name in added} == {name: value for name, (_, value) in added.items()}
    assert op.node_def.attr["_int"].i == -3 and op.node_def.attr["_texts"].list.s == [b"a", b"b"]
    assert [op.get_attr(name) for name in ("dtype", "_ints")] == [tf.int32, [1, -2]]
    node = graph.as_graph_def().node[0]
    assert node.attr["_ints"].list.i == [1, -2] and node.attr["_dtype"].type == tf.int64.as_datatype_enum
    assert '  key: "_text"\n  value {\n    s: "hi"\n  }\n' in str(op.node_def)
    assert '    key: "_ints"\n    value {\n      list {\n        i: 1\n        i: -2\n' in str(graph.as_graph_def())
    read = v1.GraphDef.FromString(graph.as_graph_def().SerializeToString()).node[0]
    assert read.attr["_texts"].list.s == [b"a", b"b"] and read.attr["_float"].f == 0.5
    op._clear_attr("_int")
    with pytest.raises(ValueError, match="no attr named '_int'"):
        op.get_attr("_int")
    with pytest.raises(AttributeError):
        op._set_attr("_int", 3)


def test_messages_refuse_other_types(tf, v1):
    with pytest.raises(TypeError):
        v1.AttrValue(i="a")
    with pytest.raises(TypeError):
        v1.AttrValue(s=3)
    with pytest.raises(ValueError, match='has no "nope" field'):
        v1.AttrValue(nope=3)
    assert v1.AttrValue().WhichOneof("value") is None and v1.AttrValue(b=False).WhichOneof("value") == "b"


def test_added_dtypes_and_tensors_in_texts(tf, v1, graph):
    op = v1.placeholder(tf.int32, name="p").op
    op._set_attr("_dtype", v1.AttrValue(type=tf.float32.as_datatype_enum))
    op._set_attr("_dtypes", v1.AttrValue(list=v1.AttrValue.ListValue(type=[tf.float64.as_datatype_enum, 19, 9])))
    op._set_attr("_tensor", v1.AttrValue(tensor=tf.make_tensor_proto([1, 2])))
    for text in (str(op.node_def), str(graph.as_graph_def())):
        lines = [line.strip() for line in text.splitlines()]
        assert "type: DT_FLOAT" in lines
        at = lines.index("type: DT_DOUBLE")
        assert lines[at + 1 : at + 3] == ["type: DT_HALF", "type: DT_INT64"]
        at = lines.index("tensor {")
        assert lines[at : at + 6] == ["tensor {", "dtype: DT_INT32", "tensor_shape {", "dim {", "size: 2", "}"]
    assert tf.make_ndarray(op.get_attr("_tensor")).tolist() == [1, 2]
    read = v1.GraphDef.FromString(graph.as_graph_def().SerializeToString()).node[0]
    assert tf.make_ndarray(read.attr["_tensor"].tensor).tolist() == [1, 2] and read.attr["_dtypes"].list.type == [2, 19, 9]


def test_values_that_messages_take(tf, v1):
    message = v1.AttrValue
    assert message(i=np.int64(3)).i == 3 and message(f=np.float32(0.5)).f == 0.5 and message(f=2).f == 2.0
    assert message(b=1).b is True and message(b=np.bool_(False)).b is False
    assert message(i=None).WhichOneof("value") is None and list(message.ListValue(i=None).i) == []
    for wrong in ({"i": True}, {"i": 3.0}, {"shape": 3}, {"tensor": 3}, {"func": "g"}, {"list": [1]}, {"f": "1"}):
        with pytest.raises(TypeError):
            message(**wrong)
    with pytest.raises(ValueError, match="out of range"):
        message(i=2**70)


def test_edges(tf, v1, graph):
    x = v1.placeholder(tf.float32, [2, 2], name="x")
    before = tf.constant(1, name="before").op
    with tf.control_dependencies([before]):
        op = tf.matmul(x, x, name="m").op
    parts = tf.split(x, 2, name="parts")
    assert (op.name, op.type, op.device) == ("m", "MatMul", "")
    assert isinstance(op.inputs, tuple) and [t.name for t in op.inputs] == ["x:0", "x:0"]
    assert isinstance(op.outputs, list) and [t.name for t in op.values()] == ["m:0"]
    assert isinstance(op.values(), tuple)
    assert op.control_inputs == [before] and before._control_outputs == [op]
    assert op.graph is graph and len(parts[0].op.outputs) == 2 and parts[1].op.outputs[1] is not None
    assert op.node_def.input == ["x", "x", "^before"] and op.node_def.op == "MatMul"
    assert repr(op) == "<tf.Operation 'm' type=MatMul>"
    assert op._get_attr_bool("transpose_a") is False and op._get_attr_type("T") is tf.float32
    assert parts[0].op._get_attr_int("num_split") == 2


def test_control_outputs_of_a_growing_graph(tf, graph):
    first = tf.no_op(name="first")
    assert first._control_outputs == []
    with tf.control_dependencies([first]):
        second = tf.no_op(name="second")
    assert first._control_outputs == [second] and second._control_outputs == []
    with tf.control_dependencies([first, second]):
        third = tf.constant(1.0, name="third").op
        fourth = tf.no_op(name="fourth")
    assert first._control_outputs == [second, third, fourth]
    assert second._control_outputs == [third, fourth] and third._control_outputs == []


def test_walking_control_outputs_takes_linear_time(tf, graph):
    """Keras 2 walks the whole graph for every layer of a model."""
    size, calls = 300, [0]
    for i in range(size):
        with tf.control_dependencies(graph.get_operations()[-1:]):
            tf.no_op(name=f"op_{i}")

    def count(frame, event, value):
        calls[0] += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        found = [op._control_outputs for op in graph.get_operations()]
    finally:
        sys.setprofile(None)
    assert [len(ops) for ops in found] == [1] * (size - 1) + [0]
    assert calls[0] < 30 * size


def test_declarations(tf, graph):
    declared = tf.matmul([[1.0]], [[2.0]]).op.op_def
    assert declared.name == "MatMul" and not declared.is_stateful
    assert [(a.name, a.type_attr) for a in declared.input_arg] == [("a", "T"), ("b", "T")]
    assert [a.name for a in declared.output_arg] == ["product"]
    assert [(a.name, a.type) for a in declared.attr][:3] == [
        ("transpose_a", "bool"),
        ("transpose_b", "bool"),
        ("T", "type"),
    ]
    assert declared.attr[0].HasField("default_value") and declared.attr[0].default_value.b is False
    assert not declared.attr[2].HasField("default_value")
    assert tf.float32.as_datatype_enum in declared.attr[2].allowed_values.list.type
    joined = tf.concat([[1], [2]], 0).op.op_def
    values, axis = joined.input_arg
    assert (values.name, values.number_attr, values.type_attr) == ("values", "N", "T") and axis.type_attr == "Tidx"
    count = next(a for a in joined.attr if a.name == "N")
    assert count.has_minimum and count.minimum == 2


def test_colocation(tf, v1, graph):
    a = tf.constant(1, name="a")
    assert a.op.colocation_groups() == [b"loc:@a"]
    with v1.colocate_with(a):
        b = tf.constant(2, name="b")
    assert b.op.colocation_groups() == [b"loc:@a"] and b.op.get_attr("_class") == [b"loc:@a"]
    with graph.colocate_with(b.op):
        c = tf.constant(3, name="c")
    assert c.op.colocation_groups() == [b"loc:@a"]
    v = v1.get_variable("v", [2], initializer=v1.zeros_initializer())
    groups = {op.name: op.colocation_groups() for op in graph.get_operations() if op.name.startswith("v")}
    assert groups["v"] == groups["v/Initializer/zeros"] == [b"loc:@v"]
    assert v.op.get_attr("_class") == [b"loc:@v"] and groups["v/Assign"] == [b"loc:@v/Assign"]
    assert v.op.node_def.attr["_class"].list.s == [b"loc:@v"]
    with pytest.raises(ValueError, match="no attr named '_class'"):
        a.op.get_attr("_class")


def test_nested_colocation(tf, v1, graph):
    a, b = tf.constant(1, name="a"), tf.constant(1, name="b")
    with graph.colocate_with(a):
        v1.get_variable("v", [], initializer=v1.zeros_initializer())
        with graph.colocate_with(b):
            both = tf.add(a, b)
        with graph.colocate_with(b, ignore_existing=True):
            other = tf.add(a, b)
        with graph.colocate_with(None, ignore_existing=True):
            none = tf.add(a, b, name="none")
            with graph.colocate_with(b):
                inner = tf.add(a, b)
        after = tf.add(a, b)
    groups = [x.op.colocation_groups() for x in (both, other, none, inner, after)]
    assert groups == [[b"loc:@a", b"loc:@b"], [b"loc:@b"], [b"loc:@none"], [b"loc:@b"], [b"loc:@a"]]
    of_variable = {name: graph.get_operation_by_name(name).colocation_groups() for name in ("v", "v/Assign")}
    assert of_variable == {"v": [b"loc:@a"], "v/Assign": [b"loc:@v/Assign"]}
    with pytest.raises(ValueError, match="Trying to reset colocation"), graph.colocate_with(None):
        pass


def test_where_an_operation_was_made(tf, graph):
    import traceback

    frames = tf.constant(1).op.traceback
    frame = [f for f in frames if f.filename == __file__][-1]
    assert frame.name == "test_where_an_operation_was_made"
    assert (frame[0], frame[1]) == (frame.filename, frame.lineno)
    assert any("test_where_an_operation_was_made" in line for line in traceback.format_list(frames))


def test_colocation_in_functions_with_what_is_outside(tf):
    v1 = tf.compat.v1
    found = []

    def placed(x, other):
        with v1.colocate_with(other):
            y = tf.identity(x)
        found.append(y.op.colocation_groups())
        return y

    with tf.Graph().as_default():
        v = v1.get_variable("v", [2], initializer=v1.zeros_initializer(), use_resource=True)
        x = v1.placeholder(tf.float32, [2], name="x")
        chosen = v1.placeholder(tf.bool, [])
        v1.cond(chosen, lambda: placed(x, v), lambda: placed(x, x.op))
        tf.function(placed)(x, v)
        placed(x, [1.0, 2.0])
    assert found[:2] == [[b"loc:@v"], [b"loc:@x"]] and len(found[2]) == 1
    assert found[3] == [b"loc:@Const"]
