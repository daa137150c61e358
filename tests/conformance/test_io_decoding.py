"""Strings as numbers and columns, base64, compressed data, and serialized tensors."""

import gzip
import zlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RAW = ["float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64", "complex64", "complex128", "bool"]


@pytest.mark.parametrize("dtype", RAW)
@pytest.mark.parametrize("shape", [(2, 3), (1, 1, 2), (3,)])
def test_decode_raw(tf, dtype, shape):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for little, order in ((True, "<"), (False, ">")):
        texts = np.empty(shape[:-1], object)
        for place in np.ndindex(*shape[:-1]):
            texts[place] = values[place].astype(values.dtype.newbyteorder(order)).tobytes()
        found = tf.io.decode_raw(tf.constant(texts.tolist()), dtype, little_endian=little)
        np.testing.assert_array_equal(found.numpy(), values)
        traced = tf.function(lambda x, little=little: tf.io.decode_raw(x, dtype, little))
        np.testing.assert_array_equal(traced(tf.constant(texts.tolist())).numpy(), values)
    spec = tf.TensorSpec([2, None], tf.string)
    assert traced.get_concrete_function(spec).outputs[0].shape.as_list() == [2, None, None]


def test_decode_padded_raw(tf):
    texts = tf.constant(["abc", "abcdef"])
    assert tf.io.decode_raw(texts, tf.int16, fixed_length=4).numpy().tolist() == [[25185, 99], [25185, 25699]]
    swapped = tf.io.decode_raw(texts, tf.int16, little_endian=False, fixed_length=4)
    assert swapped.numpy().tolist() == [[24930, 25344], [24930, 25444]]
    assert tf.io.decode_raw(tf.constant([], tf.string), tf.int16, fixed_length=4).shape.as_list() == [0, 2]
    traced = tf.function(lambda x: tf.io.decode_raw(x, tf.int32, fixed_length=8))
    assert traced.get_concrete_function(tf.TensorSpec([2, None], tf.string)).outputs[0].shape.as_list() == [2, None, 2]
    for length, words in ((3, "must be a multiple of the size of out_type"), (0, "must be greater than zero"), (-2, "greater than zero")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"fixed_length \({length}\) .*{words}"):
            tf.io.decode_raw(texts, tf.int16, fixed_length=length)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar"):
        tf.io.decode_raw(texts, tf.int16, fixed_length=[2])


def test_decode_raw_refuses(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="length 3 that is not a multiple of 2, the size of int16"):
        tf.io.decode_raw(["abc"], tf.int16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="all be the same size, but element 1 has size"):
        tf.io.decode_raw(["abc", "ab"], tf.int8)
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError), match="uint32"):
        tf.io.decode_raw(["1234"], tf.uint32)
    assert tf.io.decode_raw(tf.constant([], tf.string), tf.int32).shape.as_list() == [0, 0]
    assert tf.io.decode_raw(["\x02\x00"], tf.bool).numpy().tolist() == [[True, False]]


def columns(tf, records, defaults, **options):
    return [np.asarray(c.numpy(), object).tolist() for c in tf.io.decode_csv(records, defaults, **options)]


@pytest.mark.parametrize(
    ("records", "defaults", "options", "expected"),
    [
        (["1,2,a", "3,4,b"], [[0], [0.0], [""]], {}, [[1, 3], [2.0, 4.0], [b"a", b"b"]]),
        (['1,"a""b"'], [[0], [""]], {}, [[1], [b'a"b']]),
        ([" 1 , 2 "], [[0], [0.0]], {}, [[1], [2.0]]),
        (["1|NA"], [[0], [7]], {"field_delim": "|", "na_value": "NA"}, [[1], [7]]),
        (["1,2,3"], [[0]], {"select_cols": [1]}, [[2]]),
        (["1,2,3"], [[0], [0]], {"select_cols": [0, 2]}, [[1], [3]]),
        ("1,2", [0, 0], {}, [1, 2]),
        ('a"b,2', [[""], [0]], {"use_quote_delim": False}, [b'a"b', 2]),
        ('"1","2.5"', [[0], [0.0]], {}, [1, 2.5]),
        ('"",', [["q"], ["z"]], {}, [b"q", b"z"]),
        ("1.5,inf", [[0.0], [0.0]], {}, [1.5, np.inf]),
        ('"a\nb",c', [[""], [""]], {}, [b"a\nb", b"c"]),
        ('"a", b', [[""], [""]], {}, [b"a", b" b"]),
        ([["1"], ["2"]], [[0]], {}, [[[1], [2]]]),
        ("a,", [[""], [""]], {}, [b"a", b""]),
        (",,", [[1], [2], [3]], {}, [1, 2, 3]),
    ],
)
def test_decode_csv(tf, records, defaults, options, expected):
    assert columns(tf, records, defaults, **options) == expected
    traced = tf.function(lambda x: tf.io.decode_csv(x, defaults, **options))
    assert [np.asarray(c.numpy(), object).tolist() for c in traced(tf.constant(records))] == expected
    shape = traced.get_concrete_function(tf.TensorSpec([2, None], tf.string)).structured_outputs[0].shape
    assert shape.as_list() == [2, None]


@pytest.mark.parametrize(
    ("records", "defaults", "options", "words"),
    [
        (["1,2"], [[0], [0.0], [""]], {}, "Expect 3 fields but have 2 in record 0"),
        (["1,2,3", "1"], [[0], [0], [0]], {}, "Expect 3 fields but have 1 in record 1"),
        (["1,x"], [[0], [0]], {}, "Field 1 in record 0 is not a valid int32: x"),
        (["99999999999,2"], [[0], [0]], {}, "Field 0 in record 0 is not a valid int32: 99999999999"),
        (['1,"a"b'], [[0], [""]], {}, "Quote inside a string has to be escaped by another quote"),
        (['1,a"b'], [[0], [""]], {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (["1,a\nb"], [[0], [""]], {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (['1,"ab'], [[0], [""]], {}, "Quoted field has to end with quote followed by delim or end"),
        ([""], [[""]], {}, "Expect 1 fields but have 0 in record 0"),
        (["1,2"], [[0], [0]], {"field_delim": "ab"}, "field_delim should be only 1 char"),
        (["1,2"], [[0, 1], [0]], {}, "There should only be 1 default per field but field 0 has 2"),
        (["1,2"], [[0], [[0]]], {}, "Each record default should be at most rank 1"),
        (["1,2,3"], [[0]], {"select_cols": [5]}, "Expect 1 fields but have 0 in record 0"),
        (["1, "], [[0], [0]], {}, "Field 1 in record 0 is not a valid int32:  "),
    ],
)
def test_decode_csv_refuses(tf, records, defaults, options, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.decode_csv(records, defaults, **options)


def test_decode_csv_arguments(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 is required but missing in record 0!"):
        tf.io.decode_csv(["1,"], [[0], tf.constant([], tf.int32)])
    for cols, words in (([1, 1], "not strictly increasing"), ([-1, 1], "contains negative values"), ([1], "do not match")):
        with pytest.raises(ValueError, match=words):
            tf.io.decode_csv(["1,2,3"], [[0], [0]], select_cols=cols)
    old = tf.compat.v1.decode_csv(["1;N"], [[0], [5]], ";", True, None, "N")
    assert [np.asarray(c.numpy(), object).tolist() for c in old] == [[1], [5]]


def test_base64(tf):
    texts = [b"", b"a", b"ab", b"abc", b"\xff\xfe\xfd", bytes(range(256))]
    for pad in (False, True):
        encoded = tf.io.encode_base64(texts, pad=pad)
        assert all(b"=" not in e for e in encoded.numpy()) != pad
        assert tf.io.decode_base64(encoded).numpy().tolist() == texts
    assert tf.io.encode_base64(["a", "ab", b"\xff\xfe\xfd"], pad=True).numpy().tolist() == [b"YQ==", b"YWI=", b"__79"]
    assert tf.io.decode_base64("YR").numpy() == b"a"
    with pytest.raises(tf.errors.InvalidArgumentError, match="length cannot be 1 modulo 4"):
        tf.io.decode_base64(["Y"])
    for text in ("Y$==", "YQ=", "YWJj+/", "Y=Q=", "===="):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid character found in base64"):
            tf.io.decode_base64([text])


def test_decode_compressed(tf):
    decode = tf.io.decode_compressed
    assert decode([zlib.compress(b"hello"), zlib.compress(b"")], "ZLIB").numpy().tolist() == [b"hello", b""]
    assert decode([gzip.compress(b"hello") + gzip.compress(b"world")], "GZIP").numpy().tolist() == [b"helloworld"]
    assert decode(["plain"]).numpy().tolist() == [b"plain"]
    assert decode([zlib.compress(b"hello") + b"xx", b""], "ZLIB").numpy().tolist() == [b"hello", b""]
    cut = decode([zlib.compress(b"hello" * 100)[:-6]], "ZLIB").numpy()[0]
    assert (b"hello" * 100).startswith(cut)
    assert decode([b"\x1f\x8b"], "GZIP").numpy().tolist() == [b""]
    damaged = bytearray(zlib.compress(b"hello"))
    damaged[-1] ^= 1
    for data, kind, words in (
        (b"hello", "ZLIB", "incorrect header check"),
        (gzip.compress(b"hello"), "ZLIB", "incorrect header check"),
        (bytes(damaged), "ZLIB", "incorrect data check"),
        (gzip.compress(b"hello") + b"junk", "GZIP", "incorrect header check"),
    ):
        with pytest.raises(tf.errors.DataLossError, match=rf"inflate\(\) failed with error -3: {words}"):
            decode([data], kind)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Only ZLIB, ZSTD, GZIP or NONE are supported compressions"):
        decode(["x"], "LZ4")


DTYPES = [*RAW, "uint32", "uint64"]


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_serialized_tensors(tf, dtype):
    for values in (np.arange(6).reshape(2, 3), np.array(3), np.zeros([0, 2])):
        tensor = tf.cast(tf.constant(values), dtype)
        serialized = tf.io.serialize_tensor(tensor)
        back = tf.io.parse_tensor(serialized, dtype)
        assert back.dtype == tensor.dtype and back.shape == tensor.shape
        np.testing.assert_array_equal(back.numpy(), tensor.numpy())
        header = bytes([8, tensor.dtype.as_datatype_enum])
        assert serialized.numpy().startswith(header)


def test_serialized_bytes(tf):
    assert tf.io.serialize_tensor([1, 0]).numpy() == b'\x08\x03\x12\x04\x12\x02\x08\x02"\x08\x01\0\0\0\0\0\0\0'
    assert tf.io.serialize_tensor(1).numpy() == b'\x08\x03\x12\x00"\x04\x01\x00\x00\x00'
    assert tf.io.serialize_tensor([["a", "bc"]]).numpy() == b"\x08\x07\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02B\x01aB\x02bc"
    texts = tf.constant([[b"\xff", b""]])
    assert tf.io.parse_tensor(tf.io.serialize_tensor(texts), tf.string).numpy().tolist() == [[b"\xff", b""]]
    traced = tf.function(lambda x: tf.io.parse_tensor(x, tf.int32))
    assert traced.get_concrete_function(tf.TensorSpec([], tf.string)).outputs[0].shape.rank is None
    assert traced(tf.io.serialize_tensor([[5]])).numpy().tolist() == [[5]]


def test_parse_tensor_refuses(tf):
    good = tf.io.serialize_tensor([1, 2, 3]).numpy()
    for data, words in (
        (b"\xff\xff", "Could not parse `serialized` as TensorProto, base64: //8="),
        (good[:-1], "Could not parse `serialized` as TensorProto"),
        (b"", "Cannot parse tensor from proto"),
        (good.replace(b"\x08\x03\x22", b"\x08\x04\x22"), "Cannot parse tensor from proto"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.io.parse_tensor(data, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Type mismatch between parsed tensor \(int32\) and dtype \(float\)"):
        tf.io.parse_tensor(good, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="to be a scalar, got shape"):
        tf.io.parse_tensor([good], tf.int32)


def test_decode_json_example(tf):
    text = '{"features":{"feature":{"%s":{"%s":{"value":%s}}}}}'

    def values(kind, json):
        example = tf.train.Example.FromString(tf.io.decode_json_example(text % ("k", kind, json)).numpy())
        feature = example.features.feature["k"]
        return list(getattr(feature, feature.WhichOneof("kind")).value)

    assert values("int64List", '["1", 2, 1e3, "-9223372036854775808"]') == [1, 2, 1000, -(2**63)]
    assert values("float_list", '[1.5, "-2.5e3", "Infinity"]') == [1.5, -2500.0, np.inf]
    assert values("bytesList", '["YQ==", "__79", "//79"]') == [b"a", b"\xff\xfe\xfd", b"\xff\xfe\xfd"]
    assert values("int64List", "[]") == []
    found = tf.io.decode_json_example([[text % ("\\u00e9\\n", "int64List", "[1]"), "{}"]])
    assert found.shape.as_list() == [1, 2] and found.numpy()[0, 1] == b""
    assert list(tf.train.Example.FromString(found.numpy()[0, 0]).features.feature) == ["é\n"]
    for json in ("{", '{"foo": 1}', "[1]", text % ("k", "int64List", "[1.5]"), text % ("k", "int64List", '"a"'), "{} x"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Error while parsing JSON"):
            tf.io.decode_json_example(json)
