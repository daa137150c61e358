"""Files and messages that were cut off, changed or made up: every reader answers, or ends in an error that says what is wrong."""

import random
import struct
import zlib

import pytest
import tracefn as tf
from tracefn import _core

FEATURES = {
    "i": tf.io.VarLenFeature(tf.int64),
    "f": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
    "s": tf.io.RaggedFeature(tf.string),
}


def example(**values) -> bytes:
    features = {}
    for key, value in values.items():
        kind = {int: "int64", float: "float", bytes: "bytes"}[type(value[0])]
        made = getattr(tf.train, {"int64": "Int64List", "float": "FloatList", "bytes": "BytesList"}[kind])(value=value)
        features[key] = tf.train.Feature(**{f"{kind}_list": made})
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def sequence() -> bytes:
    made = tf.train.SequenceExample()
    made.context.feature["i"].int64_list.value.extend([1, 2])
    for i in range(3):
        made.feature_lists.feature_list["x"].feature.add().int64_list.value.append(i)
    return made.SerializeToString()


GOOD = example(i=[1, -5, 300], f=[0.5, 2.0], s=[b"ab", b"", b"\xff" * 9])


def damaged(data: bytes, seed: int = 0):
    """Every prefix of some bytes, and copies with changed, inserted and repeated bytes."""
    yield from (data[:n] for n in range(len(data)))
    source = random.Random(seed)
    for place in range(len(data)):
        for byte in (0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)):
            yield data[:place] + bytes([byte]) + data[place + 1 :]
        yield data[:place] + b"\xff" * 9 + b"\x01" + data[place:]
    for _ in range(100):
        yield source.randbytes(source.randrange(60))
    yield data * 2


def answers(function, *errors) -> tuple[int, int]:
    """Calls a function, which may raise these errors; whether it did, as (0, 1) or (1, 0)."""
    try:
        function()
    except errors as error:
        assert str(error)
        return 0, 1
    return 1, 0


def counts(function, inputs, *errors) -> tuple[int, int]:
    results = [answers(lambda data=data: function(data), *errors) for data in inputs]
    return sum(r[0] for r in results), sum(r[1] for r in results)


def test_examples():
    def batch(data):
        parsed = tf.io.parse_example([GOOD, data], FEATURES)
        assert int(parsed["i"].dense_shape[0]) == 2

    for parse in (batch, lambda data: tf.io.parse_single_example(data, FEATURES)):
        read, refused = counts(parse, damaged(GOOD), tf.errors.InvalidArgumentError)
        assert read > 20 and refused > 200


def test_sequences():
    context = {"i": tf.io.VarLenFeature(tf.int64)}
    lists = {"x": tf.io.RaggedFeature(tf.int64)}
    data = sequence()
    assert tf.io.parse_sequence_example([data], context, lists)[1]["x"].to_list() == [[[0], [1], [2]]]
    for parse in (
        lambda data: tf.io.parse_sequence_example([data], context, lists),
        lambda data: tf.io.parse_single_sequence_example(data, context, {"x": tf.io.FixedLenSequenceFeature([], tf.int64)}),
    ):
        read, refused = counts(parse, damaged(data), tf.errors.InvalidArgumentError)
        assert read > 5 and refused > 100


def test_messages_in_python():
    for kind, data in ((tf.train.Example, GOOD), (tf.train.SequenceExample, sequence())):

        def parse(data, kind=kind):
            message = kind.FromString(data)
            assert kind.FromString(message.SerializeToString()) == message

        with pytest.raises(Exception, match="Error parsing message") as caught:
            parse(data[:-1])
        read, refused = counts(parse, damaged(data), caught.type)
        assert read > 20 and refused > 100


@pytest.mark.parametrize(
    "values", [tf.constant([[1, 2], [3, 4]]), tf.constant(["a", "bcd"]), tf.constant([1 + 2j]), tf.constant([True, False])]
)
def test_tensors(values):
    data = tf.io.serialize_tensor(values).numpy()
    read, refused = counts(lambda x: tf.io.parse_tensor(x, values.dtype), damaged(data), tf.errors.InvalidArgumentError)
    assert read > 0 and refused > 50


@pytest.mark.parametrize("dims", [[2**40], [2**62, 4], [2**31, 2**31, 2**31], [-1], [-(2**63)], [1] * 300])
def test_tensors_of_huge_shapes(dims):
    def varint(value):
        value &= 2**64 - 1
        out = b""
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    shape = b"".join(b"\x12" + bytes([len(b"\x08" + varint(d))]) + b"\x08" + varint(d) for d in dims)
    data = b"\x08\x03\x12" + varint(len(shape)) + shape + b"\x38\x05"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
        tf.io.parse_tensor(data, tf.int32)


def test_huge_dense_shapes():
    for shape in ([2**62], [2**31, 2**31], [2**40]):
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)):
            tf.io.parse_example([GOOD] * 4, {"i": tf.io.FixedLenFeature(shape, tf.int64)})


def record(data: bytes, length=None, masked_length=None, masked_data=None) -> bytes:
    size = struct.pack("<Q", len(data) if length is None else length)
    masks = (
        _core.masked_crc32c(size) if masked_length is None else masked_length,
        _core.masked_crc32c(data) if masked_data is None else masked_data,
    )
    return size + struct.pack("<I", masks[0]) + data + struct.pack("<I", masks[1])


def records(path, data: bytes, compression=None) -> list:
    path.write_bytes(data)
    return list(tf.compat.v1.io.tf_record_iterator(str(path), compression))


def test_checksums():
    # Known answers of RFC 3720.
    for data, crc in ((b"\0" * 32, 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E), (b"", 0)):
        masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
        assert _core.masked_crc32c(data) == masked


def test_records(tmp_path):
    path = tmp_path / "x"
    assert records(path, record(b"abc") + record(b"")) == [b"abc", b""]
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 31"):
        records(path, record(b"abc") + record(b"de", masked_data=1))
    # A length with a right checksum, of more than there is, takes no memory.
    for length in (2**63, 2**64 - 1, 2**40, 4):
        with pytest.raises(tf.errors.DataLossError, match="truncated record at 0. failed with Read less bytes"):
            records(path, record(b"abc", length=length))
    with pytest.raises(tf.errors.DataLossError, match="Is this even a TFRecord file"):
        records(path, record(b"abc", masked_length=5))
    for compression in ("GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(str(path), compression) as writer:
            writer.write(b"abc" * 50)
        good = path.read_bytes()
        read, refused = counts(lambda data, c=compression: records(path, data, c), damaged(good), tf.errors.DataLossError)
        assert read > 0 and refused > 100


def test_plain_records(tmp_path):
    path = tmp_path / "x"
    data = record(b"abc") + record(b"defgh")
    read, refused = counts(lambda x: records(path, x), damaged(data), tf.errors.DataLossError)
    assert read > 10 and refused > 100


def test_compressed_strings():
    data = zlib.compress(b"hello" * 40)
    read, refused = counts(lambda x: tf.io.decode_compressed(x, "ZLIB"), damaged(data), tf.errors.DataLossError)
    assert read > 0 and refused > 50


def test_base64_and_csv():
    read, refused = counts(tf.io.decode_base64, damaged(b"YWJjZGVmZw=="), tf.errors.InvalidArgumentError)
    assert read > 0 and refused > 50
    defaults = [[0], [0.0], [""]]
    read, refused = counts(lambda x: tf.io.decode_csv(x, defaults), damaged(b'12,3.5,"a ""b"""'), tf.errors.InvalidArgumentError)
    assert read > 0 and refused > 50


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (b"", tf.errors.OutOfRangeError, "Read less bytes than requested"),
        (b"a\n\nb", tf.errors.InvalidArgumentError, "Invalid content in .*: empty line found at position"),
        (b"\n" * 9, tf.errors.InvalidArgumentError, "empty line found"),
        (b"a\na", tf.errors.FailedPreconditionError, "Key a has 0 and trying to add value 1"),
    ],
)
def test_vocabulary_files(tmp_path, text, error, words):
    path = tmp_path / "v"
    path.write_bytes(text)
    init = tf.lookup.TextFileInitializer(str(path), tf.string, -2, tf.int64, -1)
    with pytest.raises(error, match=words):
        tf.lookup.StaticHashTable(init, -1)


def test_vocabulary_columns(tmp_path):
    path = tmp_path / "v"

    def table(data):
        path.write_bytes(data)
        init = tf.lookup.TextFileInitializer(str(path), tf.int64, 0, tf.float32, 1)
        return tf.lookup.StaticHashTable(init, -1.0)

    errors = tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError, tf.errors.FailedPreconditionError
    read, refused = counts(table, damaged(b"1\t0.5\n22\t-3e5\n"), *errors)
    assert read > 5 and refused > 50
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Field 99999999999999999999 in line 0 is not a valid int64"):
        table(b"99999999999999999999\t1\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected at least 2 got 1"):
        table(b"1\n")


def test_paths():
    for path in ("a\0b", "x" * 5000, ""):
        with pytest.raises(tf.errors.OpError):
            tf.io.read_file(path)
        with pytest.raises(tf.errors.OpError):
            tf.io.write_file(path, "x")
        with pytest.raises((tf.errors.OpError, ValueError)):
            tf.io.gfile.GFile(path).read()
        assert tf.io.gfile.glob(path) == [] and tf.io.matching_files(path + "*\0").numpy().tolist() == []
    # A pattern that a matcher without bounds would take for ever with.
    assert tf.io.gfile.glob("/" + "*" * 40 + "z" * 40) == []


def test_json():
    data = b'{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}, "b": {"bytesList": {"value": ["YQ=="]}}}}}'
    read, refused = counts(tf.io.decode_json_example, damaged(data), tf.errors.InvalidArgumentError)
    assert read > 5 and refused > 100
