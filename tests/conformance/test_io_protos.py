"""`tf.io.decode_proto` and `tf.io.encode_proto`."""

import numpy as np
import pytest

from proto_messages import TYPES, delimited, enum_type, field, field_type, message_type, packed, source, varint

pytestmark = pytest.mark.rule(27)

# Fields 1, 3, … of each type, and 2, 4, … of the same, repeated.
NUMBERS = {name: 2 * i + 1 for i, name in enumerate(TYPES)}
OF = {"message": ".p.M", "enum": ".p.E"}
FIELDS = [
    field_type(("o_", "r_")[more] + kind, NUMBERS[kind] + more, kind, repeated=bool(more), of=OF.get(kind, ""))
    for kind in TYPES
    for more in (0, 1)
]
FIELDS += [
    field_type("packed", 60, "int32", repeated=True, pack=True),
    field_type("seven", 61, "int32", default="-7"),
    field_type("hey", 62, "string", default="hey"),
    field_type("half", 63, "float", default="0.5"),
]
SOURCE = source([message_type("M", FIELDS)], [enum_type("E", {"A": 3, "B": 5})])
VALUES = {
    "double": [1.5, -2.25], "float": [0.5, -8.0], "int64": [-(2**40), 7], "uint64": [2**63 + 1, 5], "int32": [-4, 2**31 - 1],
    "fixed64": [2**63, 3], "fixed32": [2**32 - 1, 1], "bool": [True, False], "string": [b"a", b""], "message": [b"", b"\x09\x01"],
    "bytes": [b"\xff\x00", b"x"], "uint32": [2**32 - 1, 0], "enum": [5, 3], "sfixed32": [-1, 5], "sfixed64": [-(2**50), 5],
    "sint32": [-3, 2**31 - 1], "sint64": [-(2**60), 9],
}  # fmt: skip
DTYPES = {
    "double": ["float64"], "float": ["float32", "float64"], "int64": ["int64"], "uint64": ["uint64"], "int32": ["int32", "int64"],
    "fixed64": ["uint64"], "fixed32": ["uint32", "uint64"], "bool": ["bool"], "string": ["string"], "message": ["string"],
    "bytes": ["string"], "uint32": ["uint32", "uint64"], "enum": ["int32"], "sfixed32": ["int32", "int64"], "sfixed64": ["int64"],
    "sint32": ["int32", "int64"], "sint64": ["int64"],
}  # fmt: skip


def decoded(tf, messages, names, dtypes, descriptors=SOURCE, message="p.M", **options):
    """(sizes, values) as lists."""
    found = tf.io.decode_proto(messages, message, names, dtypes, descriptor_source=descriptors, **options)
    return found.sizes.numpy().tolist(), [value.numpy().tolist() for value in found.values]


@pytest.mark.parametrize("kind, dtype", [(kind, dtype) for kind in TYPES for dtype in DTYPES[kind]])
def test_every_type(tf, kind, dtype):
    one, *_ = values = VALUES[kind]
    message = field(NUMBERS[kind], kind, one) + b"".join(field(NUMBERS[kind] + 1, kind, value) for value in values)
    assert decoded(tf, [message], [f"o_{kind}", f"r_{kind}"], [dtype, dtype]) == ([[1, 2]], [[[one]], [values]])
    made = tf.io.encode_proto(
        [[1, 2]],
        [tf.constant([[one]], dtype), tf.constant([values], dtype)],
        [f"o_{kind}", f"r_{kind}"],
        "p.M",
        descriptor_source=SOURCE,
    )
    assert made.numpy().tolist() == [message]


@pytest.mark.parametrize("kind", TYPES)
def test_other_dtypes(tf, kind):
    for dtype in ("float32", "float64", "int32", "int64", "uint32", "uint64", "bool", "string", "uint8", "int8"):
        if dtype not in DTYPES[kind]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"Unexpected output type for p.M.o_{kind}: "):
                decoded(tf, [b""], [f"o_{kind}"], [dtype])


def test_sizes_and_padding(tf):
    first = field(NUMBERS["int32"], "int32", -4) + field(NUMBERS["string"] + 1, "string", b"u") * 2
    sizes, values = decoded(tf, [first, b""], ["r_string", "o_int32", "seven", "hey", "half", "o_enum", "r_int32"],
                            ["string", "int32", "int64", "string", "float32", "int32", "int32"])  # fmt: skip
    assert sizes == [[2, 1, 0, 0, 0, 0, 0], [0] * 7]
    assert values == [
        [[b"u", b"u"], [b"", b""]], [[-4], [0]], [[-7], [-7]], [[b"hey"]] * 2, [[0.5]] * 2, [[3], [3]], [[0], [0]],
    ]  # fmt: skip


def test_packed_and_not(tf):
    number = NUMBERS["int32"] + 1
    message = packed(number, "int32", [1, 300]) + field(number, "int32", 5) + packed(60, "int32", [-1]) + field(60, "int32", 2)
    assert decoded(tf, [message], ["r_int32", "packed"], ["int32", "int32"]) == ([[3, 2]], [[[1, 300, 5]], [[-1, 2]]])
    made = tf.io.encode_proto([[2]], [tf.constant([[5, -6]])], ["packed"], "p.M", descriptor_source=SOURCE)
    assert made.numpy().tolist() == [packed(60, "int32", [5, -6])]


def test_shapes(tf):
    message = field(NUMBERS["bool"], "bool", True)
    assert decoded(tf, message, ["o_bool"], ["bool"]) == ([1], [[True]])
    assert decoded(tf, [[message, b""]], ["o_bool"], ["bool"]) == ([[[1], [0]]], [[[[True], [False]]]])
    assert decoded(tf, [message], [], []) == ([[]], [])


def test_the_last_value_counts(tf):
    number = NUMBERS["int32"]
    message = field(number, "int32", 1) + field(500, "int32", 3) + field(number, "int32", 2)
    assert decoded(tf, [message], ["o_int32"], ["int32"]) == ([[1]], [[[2]]])
    wrong_wire = varint(number << 3 | 5) + b"\x01\x00\x00\x00"
    assert decoded(tf, [wrong_wire], ["o_int32"], ["int32"]) == ([[0]], [[[0]]])


def test_traced(tf):
    message = field(NUMBERS["int64"] + 1, "int64", 5)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def decode(x):
        sizes, values = tf.io.decode_proto(x, "p.M", ["r_int64", "seven"], [tf.int64, tf.int32], descriptor_source=SOURCE)
        shapes.append([t.shape.as_list() for t in (sizes, *values)])
        return tf.io.encode_proto(sizes, values, ["r_int64", "seven"], "p.M", descriptor_source=SOURCE)

    shapes = []
    assert decode([message, message * 2]).numpy().tolist() == [message, message * 2]
    assert shapes == [[[None, 2], [None, None], [None, None]]]


def test_text(tf):
    text = """
      o_int32: 0x10  # sixteen
      r_int32: [1, -2] r_int32: 3; o_message { o_int32: 4, o_string: 'it''s' }
      o_enum: B r_enum: A r_double: -1.5e1 r_double: 2f r_double: inf o_bool: true r_message < > r_message: {}
      o_bytes: "\\xff\\001\\n" "b"
    """
    names = ["o_int32", "r_int32", "o_message", "o_enum", "r_enum", "r_double", "o_bool", "r_message", "o_bytes"]
    dtypes = ["int32", "int32", "string", "int32", "int32", "float64", "bool", "string", "string"]
    sizes, values = decoded(tf, [text], names, dtypes, message_format="text")
    assert sizes == [[1, 3, 1, 1, 1, 3, 1, 2, 1]]
    inside = field(NUMBERS["int32"], "int32", 4) + field(NUMBERS["string"], "string", b"its")
    assert [value[0] for value in values] == [
        [16], [1, -2, 3], [inside], [5], [3], [-15.0, 2.0, np.inf], [True], [b"", b""], [b"\xff\x01\nb"],
    ]  # fmt: skip


WRONG_TEXTS = [
    "zz: 4", "o_int32 4", "o_int32: x", "o_int32: 99999999999", "o_int32: 1 o_int32: 2", "o_string: 5", "o_string: 'x",
    "o_message { o_int32: 1", "o_message: 3", "o_enum: C", "o_enum: 4", "o_bool: maybe", "o_double: x", "o_uint32: -1",
    "r_int32: [1, 2", "}", "o_string: '\\q'",
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_wrong_texts(tf, text):
    with pytest.raises(tf.errors.DataLossError, match="Unable to parse text protobuf"):
        decoded(tf, [text], ["o_int32"], ["int32"], message_format="text")


def test_sanitize(tf):
    number, inside = NUMBERS["int32"], NUMBERS["message"]
    message = field(500, "int32", 1) + field(inside, "message", field(number, "int32", 1) + field(500, "int32", 2))
    message += field(number, "int32", 3) + field(inside, "message", packed(60, "int32", [4]))
    sizes, values = decoded(tf, [message], ["o_int32", "o_message"], ["int32", "string"], sanitize=True)
    assert sizes == [[1, 1]] and values == [[[3]], [[field(number, "int32", 1) + packed(60, "int32", [4]) + field(500, "int32", 2)]]]


def test_proto3(tf):
    kinds = {"s": "string", "n": "int32", "many": "int32", "a": "int32", "b": "string"}
    fields = [
        field_type(name, i + 1, kind, repeated=name == "many", oneof=0 if name in "ab" else None)
        for i, (name, kind) in enumerate(kinds.items())
    ]
    descriptors = source([message_type("M", fields) + delimited(8, delimited(1, b"one"))], syntax="proto3")
    names, dtypes = list(kinds), ["string", "int32", "int32", "int32", "string"]
    message = field(2, "int32", 0) + packed(3, "int32", [1, 2]) + field(4, "int32", 5) + field(5, "string", b"x")
    assert decoded(tf, [message], names, dtypes, descriptors)[0] == [[0, 1, 2, 1, 1]]
    # Zeros are not there, and only the last of the members of a oneof.
    assert decoded(tf, [message], names, dtypes, descriptors, sanitize=True)[0] == [[0, 0, 2, 0, 1]]
    made = tf.io.encode_proto([[2]], [tf.constant([[1, 2]])], ["many"], "p.M", descriptor_source=descriptors)
    assert made.numpy().tolist() == [packed(3, "int32", [1, 2])]


def test_nested_types(tf):
    inner = message_type("Inner", [field_type("x", 1, "int32")])
    descriptors = source([message_type("M", [field_type("one", 1, "message", of=".p.M.Inner")], [inner])])
    [[[bytes_of]]] = decoded(tf, [field(1, "message", b"\x08\x05")], ["one"], ["string"], descriptors)[1]
    assert decoded(tf, [bytes_of], ["x"], ["int32"], descriptors, "p.M.Inner") == ([[1]], [[[5]]])


def test_a_file_of_descriptors(tf, tmp_path):
    path = tmp_path / "set.bin"
    path.write_bytes(SOURCE[len(b"bytes://") :])
    assert decoded(tf, [field(61, "int32", 2)], ["seven"], ["int32"], str(path)) == ([[1]], [[[2]]])


def test_examples(tf):
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature})).SerializeToString()
    features = tf.io.decode_proto([example], "tensorflow.Example", ["features"], [tf.string]).values[0][0]
    entries = tf.io.decode_proto(features, "tensorflow.Features", ["feature"], [tf.string]).values[0][0]
    key, value = tf.io.decode_proto(entries, "tensorflow.Features.FeatureEntry", ["key", "value"], [tf.string] * 2).values
    lists = tf.io.decode_proto(value[0], "tensorflow.Feature", ["int64_list"], [tf.string]).values[0]
    numbers = tf.io.decode_proto(lists[0], "tensorflow.Int64List", ["value"], [tf.int64]).values[0]
    assert key.numpy().tolist() == [[b"a"]] and numbers.numpy().tolist() == [[1, 2]]


def test_batches_encoded(tf):
    values = [tf.constant([[5], [6]]), tf.constant([[1, -2, 3], [4, 5, 6]])]
    made = tf.io.encode_proto([[1, 2], [0, 3]], values, ["o_int32", "r_int32"], "p.M", descriptor_source=SOURCE)
    number = NUMBERS["int32"]
    many = [b"".join(field(number + 1, "int32", v) for v in row) for row in ([1, -2], [4, 5, 6])]
    assert made.numpy().tolist() == [field(number, "int32", 5) + many[0], many[1]]
    none = tf.io.encode_proto(tf.zeros([0, 1], tf.int32), [tf.zeros([0, 4], tf.int32)], ["r_int32"], "p.M", SOURCE)
    assert none.shape == [0]
    cut = tf.io.encode_proto([[1]], [tf.constant([[2**40 + 3]])], ["o_int32"], "p.M", SOURCE)
    assert cut.numpy().tolist() == [field(number, "int32", 3)]


def encode(tf, sizes, *values, names=("r_int32", "o_int32")):
    return tf.io.encode_proto(sizes, [tf.constant(v) for v in values], list(names[: len(values)]), "p.M", SOURCE)


MISTAKES = [
    (lambda tf: decoded(tf, tf.zeros([0], tf.string), ["seven"], ["int32"]), "at least one value"),
    (lambda tf: decoded(tf, [b""], ["zz"], ["int32"]), "Unknown field: zz in message type p.M"),
    (lambda tf: decoded(tf, [b""], ["seven"], ["int32", "int32"]), "must have the same length"),
    (lambda tf: decoded(tf, [b""], ["seven"], ["int32"], message="p.X"), "No descriptor found for message type p.X"),
    (lambda tf: decoded(tf, [b""], ["seven"], ["int32"], ""), "No descriptor found for message type p.M"),
    (lambda tf: decoded(tf, [b""], ["seven"], ["int32"], "/none/there"), "Source does not represent serialized file"),
    (lambda tf: decoded(tf, [b""], ["seven"], ["int32"], message_format="json"), "must be one of binary or text"),
    (lambda tf: encode(tf, [1], [5]), "should be at least a matrix"),
    (lambda tf: encode(tf, [[3]], [[5, 6]]), "must not be larger than value tensor; but saw: 3 > 2"),
    (lambda tf: encode(tf, [[1, 1]], [[5, 6]]), "sizes should be"),
    (lambda tf: encode(tf, [[1, 1]], [[5, 6]], [[1], [2]]), "Values must match up to the last dimension"),
    (lambda tf: encode(tf, [[1]], [[5.0]]), "Incompatible type for field r_int32"),
    (lambda tf: encode(tf, [[1]], [[5]], names=["zz"]), "Unknown field: zz"),
]


@pytest.mark.parametrize("make, words", MISTAKES)
def test_mistakes(tf, make, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        make(tf)


@pytest.mark.parametrize("data", [b"\xff\xff", varint(2 << 3 | 2) + b"\x10ab", b"\x09\x01"])
@pytest.mark.parametrize("sanitize", [False, True])
def test_bytes_that_are_no_message(tf, data, sanitize):
    with pytest.raises(tf.errors.DataLossError):
        decoded(tf, [data], ["seven"], ["int32"], sanitize=sanitize)


def test_tensor_messages_as_bytes(tf):
    for value in (1, [1.5, 2.5], ["a", b"bc"], [[True], [False]], np.zeros([0, 2], np.int64)):
        message = tf.make_tensor_proto(value)
        again = type(message).FromString(message.SerializeToString())
        assert again.dtype == message.dtype
        assert np.array_equal(tf.make_ndarray(again), tf.make_ndarray(message))
        serialized = tf.io.serialize_tensor(tf.constant(value)).numpy()
        assert np.array_equal(tf.make_ndarray(type(message).FromString(serialized)), tf.make_ndarray(message))
    with tf.Graph().as_default():
        assert tf.make_ndarray(type(message).FromString(message.SerializeToString())).shape == (0, 2)
