"""Files of records, and the messages of tf.train.Example."""

import copy
import gzip
import pickle
import struct
import zlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

ABC = b"\x03\x00\x00\x00\x00\x00\x00\x00\xb0\x99I\x0eabcnW\xf1!"
EMPTY = b"\x00\x00\x00\x00\x00\x00\x00\x00)\x03\x98\x07\xd8\xea\x82\xa2"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "x.tfrecord")


def write(tf, path, records, options=None):
    with tf.io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    with open(path, "rb") as f:
        return f.read()


def read(tf, path, data, options=None):
    """The records in bytes, followed by the text of the error, if there is one."""
    with open(path, "wb") as f:
        f.write(data)
    found = []
    try:
        for record in tf.compat.v1.io.tf_record_iterator(path, options):
            found.append(record)
    except tf.errors.DataLossError as error:
        found.append(error.message)
    return found


def test_bytes_of_records(tf, path):
    assert write(tf, path, [b"abc", b""]) == ABC + EMPTY
    assert gzip.decompress(write(tf, path, [b"abc", b""], "GZIP")) == ABC + EMPTY
    options = tf.io.TFRecordOptions("ZLIB", compression_level=9)
    assert zlib.decompress(write(tf, path, ["abc"], options)) == ABC
    assert tf.io.TFRecordOptions.get_compression_type_string(options) == "ZLIB"
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ"'):
        tf.io.TFRecordOptions("LZ")


@pytest.mark.parametrize("options", [None, "", "GZIP", "ZLIB"])
def test_records_come_back(tf, path, options):
    records = [b"a" * n for n in (0, 1, 7, 8, 9, 100, 300000)] + [np.random.default_rng(1).bytes(70000)]
    assert read(tf, path, write(tf, path, records, options), options) == records
    assert list(tf.compat.v1.python_io.tf_record_iterator(path, options)) == records


def test_writer(tf, path):
    writer = tf.io.TFRecordWriter(path)
    writer.write("text")
    writer.flush()
    assert list(tf.compat.v1.io.tf_record_iterator(path)) == [b"text"]
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"x")
    with pytest.raises(TypeError, match="incompatible function arguments"):
        tf.io.TFRecordWriter(path).write(3)
    with pytest.raises(tf.errors.NotFoundError, match="nowhere/x; No such file or directory"):
        tf.io.TFRecordWriter("/nowhere/x")
    with pytest.raises(tf.errors.NotFoundError, match="/nowhere; No such file or directory"):
        list(tf.compat.v1.io.tf_record_iterator("/nowhere"))


def test_damaged_records(tf, path):
    good = write(tf, path, [b"abc", b"de"])

    def changed(place):
        data = bytearray(good)
        data[place] ^= 1
        return bytes(data)

    truncated = "truncated record at 19' failed with Read less bytes than requested"
    assert read(tf, path, good[:-1]) == [b"abc", truncated]
    assert read(tf, path, good[:32]) == [b"abc", truncated]
    # Within the second length: the file ends there.
    assert read(tf, path, good[:19]) == read(tf, path, good[:24]) == [b"abc"]
    assert read(tf, path, b"") == read(tf, path, b"abc") == []
    for place in (0, 8):
        assert read(tf, path, changed(place)) == ["corrupted record at 0 (Is this even a TFRecord file?)"]
    assert read(tf, path, changed(12)) == ["corrupted record at 12"]
    assert read(tf, path, changed(-1)) == [b"abc", "corrupted record at 31"]
    assert read(tf, path, good, "GZIP") == ["inflate() failed with error -3: incorrect header check"]
    compressed = write(tf, path, [b"abc"], "GZIP")
    assert read(tf, path, compressed[:-9], "GZIP") == [b"abc"]
    assert read(tf, path, compressed) == ["corrupted record at 0 (Is this even a TFRecord file?)"]


@pytest.fixture
def example(tf):
    train = tf.train
    return train.Example(
        features=train.Features(
            feature={
                "i": train.Feature(int64_list=train.Int64List(value=[1, -2])),
                "f": train.Feature(float_list=train.FloatList(value=np.array([1.5, 1e10, 0.1]))),
                "b": train.Feature(bytes_list=train.BytesList(value=[b'\xff"x', b""])),
                "n": train.Feature(),
            }
        )
    )


def test_examples(tf, example):
    serialized = example.SerializeToString()
    again = tf.train.Example.FromString(serialized)
    assert again == example and again.SerializeToString(deterministic=True) == example.SerializeToString(deterministic=True)
    assert example.ByteSize() == len(serialized) and example.IsInitialized()
    features = again.features.feature
    assert sorted(features) == ["b", "f", "i", "n"] and len(features) == 4 and "q" not in features
    assert features["i"].int64_list.value == [1, -2] and list(features["b"].bytes_list.value) == [b'\xff"x', b""]
    assert struct.pack("<f", features["f"].float_list.value[2]) == struct.pack("<f", 0.1)
    assert features["i"].WhichOneof("kind") == "int64_list" and features["n"].WhichOneof("kind") is None
    assert features["i"].HasField("int64_list") and not features["i"].HasField("float_list")
    assert [field.name for field, _ in example.ListFields()] == ["features"]
    for other in (copy.deepcopy(example), pickle.loads(pickle.dumps(example))):
        assert other == example
    other.features.feature["i"].int64_list.value.append(3)
    assert other != example and example != 3
    with pytest.raises(TypeError, match="unhashable type"):
        hash(example)


def test_texts(tf):
    train = tf.train
    assert str(train.Int64List(value=[1, 2])) == "value: 1\nvalue: 2\n"
    assert str(train.FloatList(value=[1, 2.1, 1e10, float("nan"), 1e40])) == "value: 1\nvalue: 2.1\nvalue: 1e+10\nvalue: nan\nvalue: inf\n"
    assert str(train.BytesList(value=[b"\xff\"x\n'"])) == "value: \"\\377\\\"x\\n\\'\"\n"
    example = train.SequenceExample()
    example.feature_lists.feature_list["k"].feature.add().int64_list.value.extend([3])
    example.context.feature["z"].float_list.SetInParent()
    assert str(example) == (
        'context {\n  feature {\n    key: "z"\n    value {\n      float_list {\n      }\n    }\n  }\n}\n'
        'feature_lists {\n  feature_list {\n    key: "k"\n    value {\n      feature {\n        int64_list {\n'
        "          value: 3\n        }\n      }\n    }\n  }\n}\n"
    )


def test_changes_of_messages(tf):
    train = tf.train
    feature = train.Feature(float_list={"value": [1.0]})
    feature.int64_list.value.append(1)
    assert str(feature) == "int64_list {\n  value: 1\n}\n"
    other = train.Feature()
    other.CopyFrom(feature)
    other.MergeFrom(train.Feature(int64_list=train.Int64List(value=[2])))
    assert other.int64_list.value == [1, 2] and feature.int64_list.value == [1]
    other.int64_list.value[:] = [7]
    assert other.int64_list.value == [7]
    other.ClearField("int64_list")
    assert other == train.Feature()
    example = train.Example()
    assert example.SerializeToString() == b"" and not example.HasField("features")
    assert list(example.features.feature) == [] and example.SerializeToString() == b""
    example.features.feature["a"].bytes_list.value.append(b"q")
    assert example.SerializeToString() == b"\n\x0c\n\n\n\x01a\x12\x05\n\x03\n\x01q"
    del example.features.feature["a"]
    assert example.ParseFromString(b"\n\x00\x2a\x01z") == 5
    assert example.HasField("features") and example.SerializeToString() == b"\n\x00\x2a\x01z"
    assert train.Int64List.FromString(b"\x08\x05\x0a\x01\x06").value == [5, 6]


@pytest.mark.parametrize(
    ("kind", "values", "error", "words"),
    [
        ("Int64List", [1.5], TypeError, "'float' object cannot be interpreted as an integer"),
        ("Int64List", ["a"], TypeError, "'str' object cannot be interpreted as an integer"),
        ("Int64List", [2**63], ValueError, "Value out of range: 9223372036854775808"),
        ("Int64List", [True], TypeError, "Expected an int, got a boolean"),
        ("FloatList", ["a"], TypeError, "must be real number, not str"),
        ("BytesList", ["a"], TypeError, "expected bytes, str found"),
        ("BytesList", [3], TypeError, "expected bytes, int found"),
    ],
)
def test_values_refuse(tf, kind, values, error, words):
    with pytest.raises(error, match=words):
        getattr(tf.train, kind)(value=values)


def test_messages_refuse(tf):
    train = tf.train
    with pytest.raises(ValueError, match='Protocol message Feature has no "foo" field'):
        train.Feature(foo=1)
    with pytest.raises(TypeError, match="Parameter to initialize message field must be dict or instance of same class"):
        train.Feature(int64_list=3)
    with pytest.raises(TypeError, match="No positional arguments allowed"):
        train.Int64List([1])
    with pytest.raises(TypeError, match="must be instance of same class"):
        train.Features(feature={"a": 3})
    with pytest.raises(AttributeError, match='Assignment not allowed to message field "features"'):
        train.Example().features = 3
    with pytest.raises(AttributeError, match='Protocol message Example has no "foo" field'):
        train.Example().foo = 3
    with pytest.raises(AttributeError):
        train.Example().foo
    with pytest.raises(ValueError):
        train.Features().feature["a"] = train.Feature()
    with pytest.raises(TypeError):
        train.Example.FromString("abc")
    for data in (b"\xff", b"\n\x05a", b"\n\x02\n\x05", b"\x03"):
        with pytest.raises(Exception, match="Error parsing message with type 'tensorflow.Example'"):
            train.Example.FromString(data)
