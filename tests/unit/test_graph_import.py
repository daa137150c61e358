"""`tf.import_graph_def` on GraphDefs that are wrong: each names what is wrong, with TensorFlow's words where it refuses the same."""

from __future__ import annotations

import signal
import struct

import pytest
import tracefn as tf
from support.graph_def_messages import Field, Message, attr_value, dtype, encode, function, graph, make, node, shape
from tracefn._proto.messages import own_class
from tracefn._wire import DecodeError

FLOAT, INT32, STRING, RESOURCE, VARIANT = 1, 3, 7, 20, 21
X = node("x", "Placeholder", dtype=dtype(FLOAT))
COUNT = node("i", "Placeholder", dtype=dtype(INT32))
NEG = "Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed="


def neg(*inputs: str, name: str = "n", T=None) -> Message:
    return node(name, "Neg", list(inputs), T=dtype(FLOAT) if T is None else T)


def import_nodes(*nodes: Message, **options):
    with tf.Graph().as_default() as made:
        tf.import_graph_def(graph(*nodes, **options), name="")
    return made


def refused(data: bytes, error=ValueError) -> str:
    with tf.Graph().as_default(), pytest.raises(error) as caught:
        tf.import_graph_def(data, name="")
    return getattr(caught.value, "message", str(caught.value))


WRONG = {
    "missing attr": ((neg("x", T=make("AttrValue")),), "AttrValue missing value with expected type 'type'\n\t for attr 'T'\n\t; NodeDef: {{node n}}; " + NEG),
    "attr of another kind": ((neg("x", T=attr_value(3)),), "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'"),
    "a list for one": ((neg("x", T=attr_value(make("ListValue", type=1))),), "AttrValue had value with type 'list(type)' when 'type' expected"),
    "an empty list for one": ((neg("x", T=attr_value(make("ListValue"))),), "AttrValue had value with type 'list(any)' when 'type' expected"),
    "placeholder": ((neg("x", T=make("AttrValue", placeholder="T")),), "AttrValue had value with unexpected type 'placeholder'"),
    "type not allowed": ((neg("x", T=dtype(STRING)),), "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float"),
    "no type": ((neg("x", T=dtype(0)),), "the type DT_INVALID is not supported"),
    "reference type": ((neg("x", T=dtype(101)),), "the type DT_FLOAT_REF is not supported"),
    "int2": ((neg("x", T=dtype(31)),), "the type DT_INT2 is not supported"),
    "number of no type": ((neg("x", T=dtype(77)),), "77 is the number of no type"),
    "dtype": ((COUNT, neg("i")), "Input 0 of node n was passed int32 from i:0 incompatible with expected float."),
    "no input": ((neg(),), "NodeDef expected inputs 'float' do not match 0 inputs specified; " + NEG),
    "two inputs": ((neg("x", "x"),), "NodeDef expected inputs 'float' do not match 2 inputs specified; " + NEG),
    "unknown node": ((neg("y"),), "Node 'n': Unknown input node 'y'"),
    "unknown node before": ((neg("x", "^y"),), "Node 'n': Unknown input node '^y'"),
    "output 1": ((neg("x:1"),), "Node 'n': Connecting to invalid output 1 of source node x which has 1 outputs."),
    "output -1": ((neg("x:-1"),), "Node 'n': Unknown input node 'x:-1'"),
    "output of many digits": ((neg("x:" + "9" * 30),), "Node 'n': Unknown input node 'x:9999"),
    "no output": ((neg("x:"),), "Node 'n': Unknown input node 'x:'"),
    "empty input": ((neg(""),), "Node 'n': Unknown input node ''"),
    "order of inputs": ((neg("^x", "x"),), "Node 'n': Control dependencies must come after regular dependencies"),
    "two of one name": ((X,), "Node 'x' is not unique"),
    "its own input": ((neg("n"),), "1 nodes in a cycle"),
    "a cycle": ((neg("m"), neg("n", name="m")), "2 nodes in a cycle"),
    "a cycle of order": ((neg("x", "^m"), neg("n", name="m")), "2 nodes in a cycle"),
    "name": ((neg("x", name="a b"),), "Node 'a b': Node name contains invalid characters"),
    "hidden name": ((neg("x", name="_a"),), "Node '_a': Node name contains invalid characters"),
    "no name": ((neg("x", name=""),), "Node '': Node name contains invalid characters"),
    "shape": ((node("m", "MatMul", ["c", "c"], T=dtype(1)), node("c", "Placeholder", dtype=dtype(1), shape=shape(2))), "Shape must be rank 2 but is rank 1 for '{{node m}} = MatMul"),
    "no inputs at all": ((node("m", "AddN", T=dtype(1), N=0),), "Value for attr 'N' of 0 must be at least minimum 1\n\t; NodeDef: {{node m}}; Op<name=AddN"),
    "too few inputs": ((node("m", "AddN", ["x", "x"], T=dtype(1), N=3),), "NodeDef expected inputs 'float, float, float' do not match 2 inputs specified"),
    "inputs without end": ((node("m", "AddN", T=dtype(1), N=2**40),), "Number of inputs 'inputs' is impossible: 1099511627776"),
    "outputs without end": ((node("m", "Unpack", ["x"], T=dtype(1), num=2**40),), "passed 1099511627776, which is more than the 1048576 outputs that an op can have"),
    "shape of too many": ((node("p", "Placeholder", dtype=dtype(1), shape=shape(2**40, 2**40)),), "is too large (more than 2**63 - 1 entries)"),
    "dimension": ((node("p", "Placeholder", dtype=dtype(1), shape=shape(-2)),), "a shape has the dimension -2"),
    "rank": ((node("p", "Placeholder", dtype=dtype(1), shape=shape(*[1] * 255)),), "a shape has 255 dimensions"),
    "word": ((node("s", "StringLength", ["t"], unit="WORD"), node("t", "Placeholder", dtype=dtype(7))), "Value for attr 'unit' of \"WORD\" is not in the list of allowed values: \"BYTE\", \"UTF8_CHAR\""),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_refused(case):
    nodes, text = WRONG[case]
    assert text in refused(graph(X, *nodes))


def test_a_missing_attribute_is_named():
    assert refused(graph(X, node("n", "Neg", ["x"]))).startswith(f"NodeDef missing attr 'T' from {NEG}")
    assert refused(graph(X, node("c", "Cast", ["x"]))).startswith("NodeDef missing attrs 'SrcT', 'DstT' from Op<name=Cast;")


def test_an_op_that_there_is_not_is_named():
    message = refused(graph(X, node("n", "Frob", ["x"])), tf.errors.NotFoundError)
    assert message.startswith("Op type not registered 'Frob' in tracefn") and "'n'" in message


def test_the_attribute_and_its_place_are_named():
    data = graph(X, neg("x", T=dtype(31)))
    place = data.index(b"\x2a", data.index(b"Neg"))  # the field `attr`
    assert f"AttrValue at byte {place} cannot be read: the type DT_INT2 is not supported\n\t for attr 'T'" in refused(data)


def test_attributes_that_an_op_does_not_have_are_passed_over():
    odd = [attr_value(3), dtype(29), make("AttrValue"), attr_value(make("ListValue", tensor=make("TensorProto")))]
    extra = {f"extra{i}": value for i, value in enumerate(odd)}
    made = import_nodes(X, node("n", "Neg", ["x"], T=dtype(FLOAT), _hidden=5, **extra))
    assert [op.type for op in made.get_operations()] == ["Placeholder", "Neg"]


def test_of_two_attributes_the_last_counts():
    twice = node("n", "Neg", ["x"], T=dtype(STRING))
    twice.add("attr", make("AttrEntry", key="T", value=dtype(FLOAT)))
    assert import_nodes(X, twice).get_operation_by_name("n").get_attr("T") == tf.float32


def test_defaults_come_from_the_op():
    made = import_nodes(X, node("m", "MatMul", ["x", "x"], T=dtype(FLOAT)))
    assert made.get_operation_by_name("m").get_attr("transpose_a") is False
    assert made.get_tensor_by_name("m:0").shape.as_list() == [None, None]


def test_nodes_may_stand_before_those_they_need():
    made = import_nodes(neg("m", name="n"), neg("x", "^i", "^i", name="m"), X, COUNT)
    assert [op.name for op in made.get_operations()] == ["x", "i", "m", "n"]
    assert [op.name for op in made.get_operation_by_name("m").control_inputs] == ["i"]


def test_a_name_that_is_taken_gets_a_number():
    with tf.Graph().as_default() as made:
        for _ in range(2):
            tf.import_graph_def(graph(X, neg("x"), node("s/y", "NoOp"), node("N", "NoOp")), name="")
        tf.import_graph_def(graph(node("s", "NoOp"), node("x_1", "NoOp")), name="")
        tf.identity(made.get_tensor_by_name("x:0"), name="n")
    names = "x n s/y N x_1 n_1 s/y_1 N_1 s_1 x_1_1 n_2".split()
    assert [op.name for op in made.get_operations()] == names
    assert made.get_operation_by_name("n_1").inputs[0].name == "x_1:0"


# Constants: fields of a TensorProto and the value that they make.
TENSORS = {
    "repeated": ({"dtype": 1, "tensor_shape": shape(3), "float_val": [1.0, 2.0]}, [1.0, 2.0, 2.0]),
    "one for all": ({"dtype": 3, "tensor_shape": shape(2, 2), "int_val": -7}, [[-7, -7], [-7, -7]]),
    "none": ({"dtype": 1, "tensor_shape": shape(2)}, [0.0, 0.0]),
    "too many": ({"dtype": 1, "tensor_shape": shape(1), "float_val": [1.0, 2.0]}, [1.0]),
    "scalar": ({"dtype": 1, "float_val": 1.5}, 1.5),
    "rank unknown": ({"dtype": 1, "tensor_shape": make("TensorShape", unknown_rank=1), "float_val": 1.5}, 1.5),
    "content before values": ({"dtype": 1, "tensor_shape": shape(1), "float_val": 1.0, "tensor_content": b"\0\0\0\x40"}, [2.0]),
    "another field": ({"dtype": 1, "tensor_shape": shape(2), "int_val": 3}, [0.0, 0.0]),
    "half": ({"dtype": 19, "tensor_shape": shape(2), "half_val": 0x3C00}, [1.0, 1.0]),
    "bfloat16": ({"dtype": 14, "tensor_shape": shape(1), "half_val": 0x3F80}, [1.0]),
    "int8 wraps": ({"dtype": 6, "tensor_shape": shape(1), "int_val": 300}, [44]),
    "bools": ({"dtype": 10, "tensor_shape": shape(2), "bool_val": [1, 0]}, [True, False]),
    "int64": ({"dtype": 9, "tensor_shape": shape(1), "int64_val": -(2**62)}, [-(2**62)]),
    "uint32": ({"dtype": 22, "tensor_shape": shape(1), "uint32_val": 2**32 - 1}, [2**32 - 1]),
    "uint64": ({"dtype": 23, "tensor_shape": shape(1), "uint64_val": 2**64 - 1}, [2**64 - 1]),
    "complex, one part short": ({"dtype": 8, "tensor_shape": shape(2), "scomplex_val": [1.0, 2.0, 3.0]}, [1 + 2j, 1 + 2j]),
    "packed": ({"dtype": 1, "tensor_shape": shape(2), "float_val": struct.pack("<ff", 1, 2)}, [1.0, 2.0]),
    "packed ints": ({"dtype": 3, "tensor_shape": shape(3), "int_val": [b"\x01\x02", 3]}, [1, 2, 3]),
    "doubles": ({"dtype": 2, "tensor_shape": shape(2), "double_val": struct.pack("<d", 0.1)}, [0.1, 0.1]),
    "strings": ({"dtype": 7, "tensor_shape": shape(3), "string_val": [b"a", b"\xff\0"]}, [b"a", b"\xff\0", b"\xff\0"]),
    "no elements": ({"dtype": 1, "tensor_shape": shape(0, 2**40), "float_val": 1.0}, []),
}  # fmt: skip


@pytest.mark.parametrize("case", TENSORS)
def test_constants(case):
    fields, value = TENSORS[case]
    constant = node("c", "Const", dtype=dtype(fields["dtype"]), value=make("TensorProto", **fields))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph(constant), name=""), [])
    assert wrapped.prune([], "c:0")().numpy().tolist() == value


BAD_TENSORS = {
    "content too short": ({"dtype": 1, "tensor_shape": shape(3), "tensor_content": b"abc"}, "tensor_content has 3 bytes"),
    "content too long": ({"dtype": 1, "tensor_shape": shape(1), "tensor_content": b"abcdefgh"}, "tensor_content has 8 bytes"),
    "content of strings": ({"dtype": 7, "tensor_shape": shape(1), "tensor_content": b"a"}, "DT_STRING has no tensor_content"),
    "content of bools": ({"dtype": 10, "tensor_shape": shape(2), "tensor_content": b"\2\3"}, "a byte that is no bool"),
    "no dtype": ({"float_val": 1.0}, "a tensor has no type"),
    "int2": ({"dtype": 31, "int_val": 1}, "the type DT_INT2 is not supported"),
    "resource": ({"dtype": 20}, "a constant of type DT_RESOURCE is not supported"),
    "variant": ({"dtype": 21}, "a constant of type DT_VARIANT is not supported"),
    "unknown size": ({"dtype": 1, "tensor_shape": shape(-1), "float_val": 1.0}, "Shape [?] is not fully defined"),
    "huge": ({"dtype": 1, "tensor_shape": shape(2**40, 2**40)}, "is too large (more than 2**63 - 1 entries)"),
    "large from little": ({"dtype": 1, "tensor_shape": shape(2**40), "float_val": 1.0}, "all tensors together may be larger"),
    "large strings": ({"dtype": 7, "tensor_shape": shape(2**30), "string_val": b"a"}, "larger than what is given by 256 MiB"),
}


@pytest.mark.parametrize("case", BAD_TENSORS)
def test_constants_that_are_none(case):
    fields, text = BAD_TENSORS[case]
    constant = node("c", "Const", dtype=dtype(fields.get("dtype", 1)), value=make("TensorProto", **fields))
    message = refused(graph(constant))
    assert text in message and "{{node c}}" in message


def test_many_tensors_from_little_share_one_limit():
    large = make("TensorProto", dtype=1, tensor_shape=shape(2**24), float_val=1.0)
    nodes = [node(f"c{i}", "Const", dtype=dtype(1), value=large) for i in range(5)]
    assert "larger than what is given by 256 MiB" in refused(graph(*nodes))
    assert len(import_nodes(*nodes[:3]).get_operations()) == 3


def test_the_value_of_a_constant_has_its_dtype():
    value = make("TensorProto", dtype=3, int_val=1)
    message = refused(graph(node("c", "Const", dtype=dtype(1), value=value)))
    assert "is a tensor of type int32, but attr 'dtype' is float32" in message
    wrong = negated(nodes=[node("n", "Const", dtype=dtype(FLOAT), value=value)], ret="n:output:0")
    assert "is a tensor of type int32" in refused(graph(X, CALL, functions=[wrong]))


def test_functions_fit_the_nodes_that_name_them():
    for tin, tout, text in (
        ([FLOAT, FLOAT], [FLOAT], "has 1 arguments. Expected: 2."),
        ([FLOAT], [FLOAT, FLOAT], "has 1 return values. Expected: 2."),
        ([FLOAT], [INT32], "Expected type int32 for return value 0 of function f"),
    ):
        assert text in refused(graph(X, call("c", "f", ["x"] * len(tin), tin, tout), functions=[negated()]))


NOT_A_MESSAGE = {
    "cut off": (b"\x0a", "a number is cut off at byte 0 of 1"),
    "too long": (b"\x0a\x7fabc", "a field has 127 bytes where 3 are left at byte 0 of 5"),
    "length past 64 bits": (b"\x0a" + b"\xff" * 9 + b"\x01", "bytes where 0 are left"),
    "endless number": (b"\x20" + b"\x80" * 11, "a number has more than 10 bytes"),
    "field 0": (b"\x00\x01", "a field has an impossible number"),
    "no wire type": (b"\x0f\x01", "a field of no known type"),
    "closed group": (b"\x0c", "a field of no known type"),
    "open group": (b"\x0b\x08\x01", "a group is not closed"),
    "crossed groups": (b"\x0b\x14", "another group is closed than was opened"),
    "nested groups": (b"\x0b" * 200, "groups are nested too deep"),
    "inside a node": (b"\x0a\x02\x0a\x05", "a field has 5 bytes where 0 are left at byte 2 of 4"),
    "name": (b"\x0a\x04\x0a\x02\xc0\xaf", "a text is not UTF-8 at byte 2 of 6"),
    "name with half a character": (b"\x0a\x04\x0a\x02a\xc3", "a text is not UTF-8"),
    "surrogate": (b"\x0a\x05\x0a\x03\xed\xa0\x80", "a text is not UTF-8"),
}


@pytest.mark.parametrize("case", NOT_A_MESSAGE)
def test_bytes_that_are_no_message(case):
    data, text = NOT_A_MESSAGE[case]
    assert text in refused(data)
    words = "Error parsing message with type 'tensorflow.GraphDef'"
    with pytest.raises(Exception, match=words):  # protobuf's class of errors, if that is installed
        tf.compat.v1.GraphDef.FromString(data)
    with pytest.raises(DecodeError, match=f"{words}: ."):  # and why
        own_class("GraphDef").FromString(data)


def test_fields_that_nobody_knows_are_skipped():
    data = graph(X, neg("x"))
    unknown = [b"\x98\x06\x05", b"\x99\x06" + b"a" * 8, b"\x9a\x06\x03abc", b"\x9b\x06\x08\x01\x9c\x06", b"\x9d\x06abcd"]
    with tf.Graph().as_default() as made:
        tf.import_graph_def(b"".join(unknown) + data, name="")
    assert [op.name for op in made.get_operations()] == ["x", "n"]


def test_a_known_field_of_another_wire_type_is_skipped():
    odd = make("NodeDef", name="x", op="NoOp")
    odd.fields.append(Field(4, 0, 7))  # `device` as a number
    with tf.Graph().as_default() as made:
        tf.import_graph_def(encode(make("GraphDef", node=odd)), name="")
    assert made.get_operations()[0].device == ""


def test_versions():
    assert "GraphDef min consumer version 3000 above current version" in refused(graph(X, min_consumer=3000))
    assert "GraphDef producer version -1 below min producer 0" in refused(graph(X, producer=-1))
    assert "GraphDef disallows consumer version" in refused(graph(X, bad_consumers=2474))
    import_nodes(X, producer=9999, min_consumer=12)
    import_nodes(X, producer=0)


def call(name: str, f: str, inputs: list[str], tin: list[int], tout: list[int]) -> Message:
    return node(
        name,
        "PartitionedCall",
        inputs,
        f=make("NameAttrList", name=f),
        Tin=make("ListValue", type=tin),
        Tout=make("ListValue", type=tout),
    )


def negated(name: str = "f", ret: str = "n:y:0", **changes) -> Message:
    parts = {"inputs": {"a": FLOAT}, "outputs": {"r": FLOAT}, "nodes": [neg("a")], "ret": {"r": ret}, **changes}
    return function(name, **parts)


CALL = call("c", "f", ["x"], [FLOAT], [FLOAT])
BAD_FUNCTIONS = {
    "unknown op": (negated(nodes=[node("n", "Frob", ["a"])]), tf.errors.NotFoundError, "'Frob'"),
    "unknown input": (negated(nodes=[neg("b")]), ValueError, "Node 'n': Unknown input node 'b'"),
    "output by number": (negated(nodes=[neg("a"), neg("n", name="m")]), ValueError, "does not say which output"),
    "no such output": (negated(ret="n:z:0"), ValueError, "Neg has no output 'z'"),
    "no such index": (negated(ret="n:y:1"), ValueError, "Neg has 1 outputs 'y'"),
    "index of no form": (negated(ret="n:y:one"), ValueError, "not of a known form"),
    "index -1": (negated(ret="n:y:-1"), ValueError, "not of a known form"),
    "result of no node": (negated(ret="m:y:0"), ValueError, "there is no node 'm'"),
    "no result": (negated(ret="n:y:0", outputs={"q": FLOAT}), ValueError, "Return value 'q' is missing"),
    "result of another type": (negated(outputs={"r": INT32}), ValueError, "is declared as int32 and is float"),
    "argument without a type": (negated(inputs={"a": 0}), ValueError, "argument 'a': the type DT_INVALID"),
    "two arguments of one name": (negated(nodes=[neg("a", name="a")]), ValueError, "Node 'a' is not unique"),
    "a cycle": (negated(nodes=[neg("n:y:0")]), ValueError, "1 nodes in a cycle"),
    "calls itself": (
        negated(nodes=[call("n", "f", ["a"], [FLOAT], [FLOAT])], ret="n:output:0"),
        tf.errors.UnimplementedError,
        "Function 'f' calls itself",
    ),
}


@pytest.mark.parametrize("case", BAD_FUNCTIONS)
def test_functions_that_are_none(case):
    broken, error, text = BAD_FUNCTIONS[case]
    message = refused(graph(X, CALL, functions=[broken]), error)
    assert text in message and "in function 'f'" in message


def test_a_function_that_is_missing_is_named():
    message = refused(graph(X, CALL), tf.errors.NotFoundError)
    assert message.startswith("Function f is not defined")


def test_functions_of_other_functions_types_are_refused():
    polymorphic = negated()
    polymorphic.all("signature")[0].fields.append(Field(4, 2, b"\x0a\x01T"))
    assert "attributes of its own" in refused(graph(X, CALL, functions=[polymorphic]))
    given = call("c", "f", ["x"], [FLOAT], [FLOAT])
    func = next(e for e in given.all("attr") if e.all("key") == [b"f"]).all("value")[0].all("func")[0]
    func.add("attr", make("AttrEntry", key="T", value=dtype(FLOAT)))
    assert "is given the attribute 'T'" in refused(graph(X, given, functions=[negated()]))


def test_functions_are_nested_only_so_deep():
    def nested(depth: int) -> bytes:
        inner = [
            negated(f"f{i}", "n:output:0", nodes=[call("n", f"f{i + 1}", ["a"], [FLOAT], [FLOAT])]) for i in range(depth)
        ]
        return graph(X, call("c", "f0", ["x"], [FLOAT], [FLOAT]), functions=[*inner, negated(f"f{depth}")])

    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(nested(50), name=""), [])
    assert wrapped.prune("x:0", "c:0")(tf.constant(2.0)).numpy() == -2
    assert "nested deeper than 64" in refused(nested(5000), tf.errors.UnimplementedError)


def doubling(depth: int, leaf: list[Message], result: str) -> bytes:
    """Functions that call the next one twice each."""
    functions = []
    for i in range(depth):
        calls = [call(name, f"f{i + 1}", [of], [FLOAT], [FLOAT]) for name, of in (("c", "a"), ("d", "c:output:0"))]
        functions.append(negated(f"f{i}", "d:output:0", nodes=calls))
    functions.append(negated(f"f{depth}", result, nodes=leaf))
    return graph(X, call("n", "f0", ["x"], [FLOAT], [FLOAT]), functions=functions)


def test_functions_that_call_others_twice_each():
    axis = node("axis", "Const", dtype=dtype(INT32), value=make("TensorProto", dtype=3, int_val=0))
    sums = [axis, node("n", "Cumsum", ["a", "axis:output:0"], T=dtype(FLOAT))]
    for depth, error in ((10, None), (40, tf.errors.UnimplementedError)):
        data = doubling(depth, sums, "n:out:0")
        wrapped = tf.compat.v1.wrap_function(lambda data=data: tf.import_graph_def(data, name=""), [])
        pruned = wrapped.prune("x:0", "n:0")
        if error is None:
            assert pruned(tf.constant([2.0, 0.0])).numpy().tolist() == [2, 2 * 2**depth]
            continue
        with pytest.raises(error, match="runs other functions, and these others, at more than 1048576 places"):
            pruned(tf.constant([2.0, 0.0]))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(doubling(60, [neg("a")], "n:y:0"), name=""), [])
    assert len(wrapped.graph.text()) < 100_000
    assert len(wrapped.graph.as_graph_def().library.function) == 61


def test_functions_of_one_name():
    same = negated()
    import_nodes(X, CALL, functions=[same, same])
    other = negated(nodes=[neg("a"), neg("n:y:0", name="m")], ret="m:y:0")
    text = "Cannot add function 'f' because a different function with the same name already exists."
    assert text in refused(graph(X, CALL, functions=[same, other]))
    with tf.Graph().as_default() as made:
        for _ in range(2):
            tf.import_graph_def(graph(X, CALL, functions=[same]))
        with pytest.raises(ValueError, match="a different function with the same name"):
            tf.import_graph_def(graph(X, CALL, functions=[other]))
        tf.import_graph_def(graph(X, CALL), name="known")  # the graph has it
    assert len(made.as_graph_def().library.function) == 1


def test_an_argument_that_is_a_result():
    through = negated(nodes=[], ret="a")
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph(X, CALL, functions=[through]), name=""), [])
    assert wrapped.prune("x:0", "c:0")(tf.constant(2.0)).numpy() == 2


def test_shapes_that_a_file_claims_are_not_believed():
    claims = node("n", "Neg", ["x"], T=dtype(FLOAT), _output_shapes=make("ListValue", shape=shape(7)))
    assert import_nodes(X, claims).get_tensor_by_name("n:0").shape.rank is None


def test_a_call_has_the_shapes_that_follow():
    fixed = node("x", "Placeholder", dtype=dtype(FLOAT), shape=shape(2, 3))
    made = import_nodes(fixed, CALL, functions=[negated()])
    assert made.get_tensor_by_name("c:0").shape.as_list() == [2, 3]


def test_a_graph_stays_usable_after_an_error():
    with tf.Graph().as_default() as made:
        with pytest.raises(ValueError, match="Unknown input"):
            tf.import_graph_def(graph(X, neg("y")))
        with pytest.raises(ValueError, match="incompatible"):
            tf.import_graph_def(graph(COUNT, neg("i")))
        assert tf.compat.v1.get_default_graph() is made
        tf.import_graph_def(graph(X, neg("x")), name="good")
    assert made.get_tensor_by_name("good/n:0").dtype == tf.float32
    assert tf.executing_eagerly()


@pytest.mark.parametrize("in_function", [False, True])
def test_a_long_import_is_interrupted(in_function):
    class Stop(Exception):
        pass

    def stop(signum, frame):
        raise Stop

    nodes = [neg("n0:y:0" if in_function else "n0", name=f"n{i}") for i in range(1, 30_000)]
    if in_function:
        data = graph(X, CALL, functions=[negated(nodes=[neg("a", name="n0"), *nodes], ret="n0:y:0")])
    else:
        data = graph(X, neg("x", name="n0"), *nodes)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with tf.Graph().as_default(), pytest.raises(Stop):
            signal.setitimer(signal.ITIMER_REAL, 0.03)
            tf.import_graph_def(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert tf.executing_eagerly()


def test_python_functions_stay_in_their_program():
    token = node("p", "EagerPyFunc", token="pyfunc_99", Tin=make("ListValue"), Tout=make("ListValue", type=[FLOAT]))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph(token), name=""), [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="pyfunc_99 is not found"):
        wrapped.prune([], "p:0")()


def add_function(library, name, nodes, result):
    """A FunctionDef from a resource `x` to a float; `nodes` are NodeDefs by name: op, inputs and attributes."""
    function = library.function.add()
    function.signature.name = name
    function.signature.input_arg.add(name="x", type=tf.resource.as_datatype_enum)
    function.signature.output_arg.add(name="y", type=tf.float32.as_datatype_enum)
    for label, (op, inputs, attrs) in nodes.items():
        made = function.node_def.add(name=label, op=op)
        made.input.extend(inputs)
        for key, value in attrs.items():
            if key == "f":
                made.attr[key].func.name = value
            elif key in ("Tin", "Tout"):
                made.attr[key].list.type.append(value.as_datatype_enum)
            elif key == "value":
                made.attr[key].tensor.CopyFrom(tf.make_tensor_proto(value))
            else:
                made.attr[key].type = value.as_datatype_enum
    function.ret["y"] = result


def test_bodies_that_call_one_another_twice_learn_of_a_variable_once():
    definition = tf.compat.v1.GraphDef()

    def call(name):
        return "PartitionedCall", ["x"], {"Tin": tf.resource, "Tout": tf.float32, "f": name}

    one = ("Const", [], {"dtype": tf.float32, "value": 1.0})
    add_function(definition.library, "f0", {"one": one}, "one:output:0")
    for k in range(1, 41):
        calls = {"a": call(f"f{k - 1}"), "b": call(f"f{k - 1}")}
        add_function(definition.library, f"f{k}", calls, "b:output:0")
    read = ("ReadVariableOp", ["x"], {"dtype": tf.float32})
    add_function(definition.library, "top", {"read": read, "call": call("f40")}, "read:value:0")
    definition.node.add(name="v", op="Placeholder").attr["dtype"].type = tf.resource.as_datatype_enum
    node = definition.node.add(name="y", op="PartitionedCall")
    node.input.append("v")
    node.attr["Tin"].list.type.append(tf.resource.as_datatype_enum)
    node.attr["Tout"].list.type.append(tf.float32.as_datatype_enum)
    node.attr["f"].func.name = "top"
    with tf.Graph().as_default():
        (y,) = tf.graph_util.import_graph_def(definition, return_elements=["y:0"])
    assert y.dtype == tf.float32
