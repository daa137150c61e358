"""Constants and attributes as messages: their fields, their text, and what becomes a constant."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(79)


def test_fields_and_text_of_a_constant(tf):
    proto = tf.make_tensor_proto([[1.5, 2.0]])
    assert proto.tensor_content == np.array([1.5, 2.0], np.float32).tobytes()
    assert not list(proto.float_val)
    assert repr(proto) == str(proto)
    assert str(proto).splitlines() == [
        "dtype: DT_FLOAT",
        "tensor_shape {",
        "  dim {",
        "    size: 1",
        "  }",
        "  dim {",
        "    size: 2",
        "  }",
        "}",
        r'tensor_content: "\000\000\300?\000\000\000@"',
    ]


@pytest.mark.parametrize(
    ("value", "dtype", "field", "elements"),
    [
        (5, None, "int_val", [5]),
        (-5, "int64", "int64_val", [-5]),
        (1.5, None, "float_val", [1.5]),
        ([2.5], "float64", "double_val", [2.5]),
        (True, None, "bool_val", [True]),
        (["a", b"bc"], None, "string_val", [b"a", b"bc"]),
        (1 + 2j, None, "dcomplex_val", [1.0, 2.0]),
        (7, "uint32", "uint32_val", [7]),
        (np.float16(2.5), None, "half_val", [16640]),
    ],
)
def test_elements_that_stand_in_fields_of_their_own(tf, value, dtype, field, elements):
    proto = tf.make_tensor_proto(value, dtype)
    assert list(getattr(proto, field)) == elements
    assert f"\n{field}: " in str(proto)
    assert proto == type(proto).FromString(proto.SerializeToString())


def test_values_that_are_no_constants(tf):
    for value in (object(), {}, [None], lambda: 1):
        with pytest.raises(TypeError, match="Failed to convert elements of .* to Tensor"):
            tf.make_tensor_proto(value)
    with pytest.raises(ValueError, match=r"None values not supported\."):
        tf.make_tensor_proto(None)


def test_a_scalar_is_an_array_as_well(tf):
    for value, dtype in ((5, np.int32), ("abc", object), (True, np.bool_), (1.5, np.float32)):
        array = tf.make_ndarray(tf.make_tensor_proto(value))
        assert isinstance(array, np.ndarray)
        assert (array.shape, array.dtype) == ((), dtype)
    assert tf.make_ndarray(tf.make_tensor_proto("abc")).item() == b"abc"


def test_text_of_attributes(tf):
    value = tf.compat.v1.AttrValue
    assert str(value(i=5)) == repr(value(i=5)) == "i: 5\n"
    assert str(value(s=b"a\n")) == 's: "a\\n"\n'
    assert str(value(f=1.5)) == "f: 1.5\n"
    assert str(value(b=True)) == "b: true\n"
    assert str(value(type=1)) == "type: DT_FLOAT\n"
    assert str(value()) == ""
    assert str(value(list=value.ListValue(i=[1, 2]))) == "list {\n  i: 1\n  i: 2\n}\n"
    assert str(value(shape=tf.TensorShape([3]).as_proto())) == "shape {\n  dim {\n    size: 3\n  }\n}\n"
    assert str(value(tensor=tf.make_tensor_proto(5))) == "tensor {\n  dtype: DT_INT32\n  tensor_shape {\n  }\n  int_val: 5\n}\n"


def test_text_of_the_attributes_of_nodes(tf):
    with tf.Graph().as_default() as graph:
        tf.compat.v1.placeholder(tf.int32, [None], name="x")
        tf.constant([1.0], name="c")
    x, c = graph.as_graph_def().node
    assert str(x.attr["dtype"]) == "type: DT_INT32\n"
    assert str(x.attr["shape"]) == "shape {\n  dim {\n    size: -1\n  }\n}\n"
    assert "float_val: 1\n" in str(c.attr["value"])


def test_protos_of_given_shapes(tf):
    def of(*args, **kwargs):
        return tf.make_ndarray(tf.make_tensor_proto(*args, **kwargs)).tolist()

    assert of([1, 2, 3, 4], shape=[2, 2]) == [[1, 2], [3, 4]]
    assert of([1, 2], shape=[4]) == [1, 2, 2, 2]
    assert of([1.5], shape=[3]) == [1.5, 1.5, 1.5]
    with pytest.raises(ValueError, match="Too many elements provided. Takes at most 2, but got 3."):
        tf.make_tensor_proto([1, 2, 3], shape=[2])
    for value, shown in ((1.5, "1.5 of type 'float'"), ("a", "a of type 'str'")):
        with pytest.raises(TypeError, match=f"Expected int32, but got {shown}"):
            tf.make_tensor_proto(value, dtype=tf.int32)
    for value in (5, [5], [1, 2], b"a"):  # as there are no elements, none tells a dtype
        proto = tf.make_tensor_proto(value, shape=[0])
        assert (tf.make_ndarray(proto).tolist(), proto.dtype) == ([], 1)
    assert tf.make_ndarray(tf.make_tensor_proto(np.zeros([2, 0]), shape=[0, 2])).dtype == np.float64
    assert of([], shape=[3]) == [0.0, 0.0, 0.0]
    assert of([], shape=[]) == 0.0
    assert of([], shape=[2], dtype=tf.int32) == [0, 0]


def test_protos_of_broadcast_values(tf):
    def of(value, shape):
        return tf.make_ndarray(tf.make_tensor_proto(value, shape=shape, allow_broadcast=True)).tolist()

    assert of(1, [2, 2]) == of([1], [2, 2]) == [[1, 1], [1, 1]]
    assert of([1, 2, 3, 4], [2, 2]) == [[1, 2], [3, 4]]
    for value, shown in (([[1, 2]], r"\(1, 2\)"), ([1, 2], r"\(2,\)")):
        with pytest.raises(TypeError, match=rf"Expected Tensor's shape: \(2, 2\), but got {shown}."):
            of(value, [2, 2])
    with pytest.raises(ValueError, match="allow_broadcast and verify_shape are not both allowed."):
        tf.make_tensor_proto(1, shape=[2], verify_shape=True, allow_broadcast=True)


@pytest.mark.parametrize("value, kind", [(7, "int"), (1.5, "float"), (True, "bool"), ("a", "string")])
def test_one_element_fills_a_shape(tf, value, kind):
    proto = tf.make_tensor_proto(value, shape=[1000, 3])
    assert list(getattr(proto, f"{kind}_val")) == [value.encode() if kind == "string" else value] and not proto.tensor_content
    assert [dim.size for dim in proto.tensor_shape.dim] == [1000, 3]
    array = tf.make_ndarray(proto)
    assert array.shape == (1000, 3) and len(set(array.reshape(-1).tolist())) == 1
    assert not tf.make_tensor_proto([1, 1], shape=[2]).int_val
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto(1, shape=[2], verify_shape=True)


# In messages numbers wrap around, and bools are numbers.
CONVERTED = [
    (True, "uint8", 1),
    (True, "bfloat16", 1),
    (True, "complex64", 1),
    (300, "int8", 44),
    (-1, "uint64", 2**64 - 1),
    ([1, 2.5], "complex128", [1, 2.5]),
    ([True, 2], "int16", [1, 2]),
    (2**40, None, 2**40),
    ([1.5, 2], "float8_e5m2", [1.5, 2]),
    ([1, -2], "int4", [1, -2]),
    (np.array([1.5, 2.5]), "int32", [1, 2]),
    (np.arange(3), "bool", [False, True, True]),
    ("\u00e9", None, "\u00e9".encode()),
    (bytearray(b"x"), None, [120]),
]


@pytest.mark.parametrize(("value", "dtype", "held"), CONVERTED)
def test_values_of_other_kinds(tf, value, dtype, held):
    assert tf.make_ndarray(tf.make_tensor_proto(value, dtype=dtype)).tolist() == held


def test_quantized_numbers_are_tuples(tf):
    proto = tf.make_tensor_proto([(1,), (2,)], dtype="qint8")
    assert (proto.tensor_content, tf.make_ndarray(proto).tolist()) == (b"\x01\x02", [(1,), (2,)])
    with pytest.raises(TypeError, match="Expected qint8, but got 3 of type 'int'"):
        tf.make_tensor_proto(3, dtype="qint8")


def test_messages_stay_as_they_are(tf):
    proto = tf.make_tensor_proto(3)
    assert tf.make_tensor_proto(proto, dtype="float32") is proto


@pytest.mark.parametrize(
    ("value", "dtype", "error", "text"),
    [
        (1.5, "int32", TypeError, "Expected int32, but got 1.5 of type 'float'"),
        (3, "bool", TypeError, "Expected bool, but got 3 of type 'int'"),
        (3, "resource", TypeError, "<dtype: 'resource'> is not compatible with 3 of dtype int64"),
        (None, None, ValueError, "None values not supported"),
        (range(3), None, ValueError, r"to be a dense tensor with shape \[\], but got shape \[3\]"),
        ([[1], [2, 3]], None, ValueError, "inhomogeneous"),
        (2**70, "int64", OverflowError, "too large"),
        (object(), None, TypeError, "Failed to convert elements of <object"),
    ],
)
def test_values_that_do_not_fit(tf, value, dtype, error, text):
    with pytest.raises(error, match=text):
        tf.make_tensor_proto(value, dtype=dtype)


def test_symbolic_tensors_have_no_value(tf):
    @tf.function
    def alone(x):
        return tf.make_tensor_proto(x)

    @tf.function
    def in_list(x):
        return tf.make_tensor_proto([x, 1], "float32")

    for function in (alone, in_list):
        with pytest.raises(TypeError, match="but got"):
            function(tf.constant(1.0))


def test_constants_of_objects_are_cast(tf):
    assert tf.constant(tf.Variable([1, 2]), tf.float32).numpy().tolist() == [1.0, 2.0]
    assert tf.constant(tf.Variable([1, 0]), tf.bool).numpy().tolist() == [True, False]
    assert tf.constant(tf.TensorShape([1, 2]), "uint8").dtype == tf.uint8
    assert tf.constant(tf.compat.v1.Dimension(3), "float64").numpy() == 3.0
