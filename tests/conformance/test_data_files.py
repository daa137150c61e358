"""Datasets of files: lines, records, saved elements, CSV, examples."""

import gzip
import zlib

import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_text_lines(tf, tmp_path):
    a, b, c = tmp_path / "a.txt", tmp_path / "b.txt.gz", tmp_path / "c.txt.z"
    a.write_bytes(b"one\r\ntwo\n\nthree")
    b.write_bytes(gzip.compress(b"x\ny\n"))
    c.write_bytes(zlib.compress(b"u\nv\n"))
    assert elements(tf.data.TextLineDataset(str(a))) == [b"one", b"two", b"", b"three"]
    assert elements(tf.data.TextLineDataset(b, compression_type="GZIP")) == [b"x", b"y"]
    assert elements(tf.data.TextLineDataset([str(c)], "ZLIB", buffer_size=1)) == [b"u", b"v"]
    both = tf.data.TextLineDataset([str(a), str(a)], num_parallel_reads=2)
    assert sorted(elements(both)) == sorted([b"one", b"two", b"", b"three"] * 2)
    assert elements(tf.data.TextLineDataset(tf.data.Dataset.from_tensors(str(a))).take(1)) == [b"one"]
    assert repr(both).startswith("<TextLineDatasetV2 element_spec=TensorSpec(shape=(), dtype=tf.string")
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        list(tf.data.TextLineDataset(str(tmp_path / "none")))
    with pytest.raises(TypeError, match="`filenames` argument must contain `tf.string` elements"):
        tf.data.TextLineDataset(tf.data.Dataset.range(2))


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB"])
def test_records(tf, tmp_path, compression):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for i in range(100):
            writer.write(bytes([i]) * i)
    dataset = tf.data.TFRecordDataset(path, compression_type=compression)
    assert elements(dataset) == [bytes([i]) * i for i in range(100)]
    assert len(elements(tf.data.TFRecordDataset([path, path], compression, num_parallel_reads=2))) == 200


def test_damaged_records(tf, tmp_path):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"hello")
    data = bytearray(path.read_bytes())
    data[14] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        list(tf.data.TFRecordDataset(str(path)))


def test_fixed_length_records(tf, tmp_path):
    path = tmp_path / "fixed"
    path.write_bytes(b"HaabbccF")
    dataset = tf.data.FixedLengthRecordDataset(str(path), 2, header_bytes=1, footer_bytes=1)
    assert elements(dataset) == [b"aa", b"bb", b"cc"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple|whole number|is not a multiple|record"):
        list(tf.data.FixedLengthRecordDataset(str(path), 3))


def test_save_and_load(tf, tmp_path):
    path = str(tmp_path / "saved")
    dataset = tf.data.Dataset.range(5).map(lambda x: {"a": x, "b": (tf.cast(x, tf.float32), tf.as_string(x))})
    dataset.save(path)
    loaded = tf.data.Dataset.load(path)
    assert loaded.element_spec == dataset.element_spec and elements(loaded) == elements(dataset)
    sharded = str(tmp_path / "sharded")
    dataset.save(sharded, shard_func=lambda x: x["a"] % 2)
    found = tf.data.Dataset.load(sharded,
                                 reader_func=lambda shards: shards.interleave(lambda rows: rows, cycle_length=1))
    assert sorted(x["a"] for x in elements(found)) == [0, 1, 2, 3, 4]
    with pytest.raises(tf.errors.NotFoundError):
        tf.data.Dataset.load(str(tmp_path / "none"))


def test_snapshot(tf, tmp_path):
    calls = []

    def count(x):
        calls.append(1)
        return x

    dataset = tf.data.Dataset.range(4).map(lambda x: tf.numpy_function(count, [x], tf.int64)).map(
        lambda x: tf.ensure_shape(x, [])).snapshot(str(tmp_path / "snap"))
    assert sorted(elements(dataset)) == sorted(elements(dataset)) == [0, 1, 2, 3] and len(calls) == 4


def test_cache_in_a_file(tf, tmp_path):
    path = str(tmp_path / "cache")
    assert elements(tf.data.Dataset.range(4).cache(path)) == [0, 1, 2, 3]
    assert elements(tf.data.Dataset.range(4, 8).cache(path)) == [0, 1, 2, 3]


def test_csv_columns(tf, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('n,s,x\n1,"a,b",2.5\n2,"q""uote",\n,NA,1e3\n')
    CsvDataset = tf.data.experimental.CsvDataset
    dataset = CsvDataset(str(path), [[-1], tf.string, [0.5]], header=True, na_value="NA")
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(dataset)
    dataset = CsvDataset(str(path), [[-1], ["none"], [0.5]], header=True, na_value="NA")
    assert elements(dataset) == [(1, b"a,b", 2.5), (2, b'q"uote', 0.5), (-1, b"none", 1000.0)]
    assert elements(CsvDataset(str(path), [[0.5]], header=True, select_cols=[2])) == [(2.5,), (0.5,), (1000.0,)]
    path.write_text('1,"two\nlines"\n2,one\n')
    assert elements(CsvDataset([str(path)], [tf.int32, tf.string])) == [(1, b"two\nlines"), (2, b"one")]


def test_make_csv_dataset(tf, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,z\n1,2.5,a\n3,4,b\n5,6,c\n")
    make = tf.data.experimental.make_csv_dataset
    dataset = make(str(path), 2, label_name="y", num_epochs=1, shuffle=False)
    assert elements(dataset) == [({"x": [1, 3], "z": [b"a", b"b"]}, [2.5, 4.0]), ({"x": [5], "z": [b"c"]}, [6.0])]
    some = make(str(path), 3, select_columns=["x", "z"], num_epochs=1, shuffle=False)
    assert elements(some) == [{"x": [1, 3, 5], "z": [b"a", b"b", b"c"]}]
    assert sorted(elements(make(str(path), 3, num_epochs=1))[0]["x"]) == [1, 3, 5]
    with pytest.raises(ValueError, match="`label_name` provided must be one of the columns"):
        make(str(path), 2, label_name="w")
    with pytest.raises(ValueError, match="No files match"):
        make(str(tmp_path / "none*"), 2)


def test_examples(tf, tmp_path):
    path = str(tmp_path / "examples")

    def example(n):
        features = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[n])),
                    "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * n))}
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    with tf.io.TFRecordWriter(path) as writer:
        for n in range(3):
            writer.write(example(n))
    features = {"n": tf.io.FixedLenFeature([], tf.int64), "w": tf.io.RaggedFeature(tf.string)}
    make = tf.data.experimental.make_batched_features_dataset
    batches = list(make(path, 2, features, num_epochs=1, shuffle=False))
    assert [batch["n"].numpy().tolist() for batch in batches] == [[0, 1], [2]]
    assert batches[0]["w"].to_list() == [[], [b"w"]]
    labelled = list(make(path, 3, features, label_key="n", num_epochs=1, shuffle=False))
    assert set(labelled[0][0]) == {"w"} and labelled[0][1].numpy().tolist() == [0, 1, 2]
    parsed = tf.data.TFRecordDataset(path).batch(3).apply(tf.data.experimental.parse_example_dataset(features))
    assert next(iter(parsed))["n"].numpy().tolist() == [0, 1, 2]


def test_writers_of_datasets(tf, tmp_path):
    path = str(tmp_path / "out")
    tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    assert elements(tf.data.TFRecordDataset(path)) == [b"a", b"b"]
    with pytest.raises(TypeError):
        tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.range(3))


# Compressed files


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB"])
def test_written_records(tf, tmp_path, compression):
    path = str(tmp_path / "records")
    dataset = tf.data.Dataset.range(300).map(tf.strings.as_string)
    tf.data.experimental.TFRecordWriter(path, compression).write(dataset)
    assert elements(tf.data.TFRecordDataset(path, compression)) == elements(dataset)
    start = (tmp_path / "records").read_bytes()[:2]
    assert (start == b"\x1f\x8b") == (compression == "GZIP") and (start == b"\x78\x9c") == (compression == "ZLIB")
    tf.data.experimental.TFRecordWriter(path, compression).write(dataset.take(0))
    assert elements(tf.data.TFRecordDataset(path, compression)) == []


@pytest.mark.parametrize("compression", [None, "NONE", "GZIP"])
def test_saved_elements(tf, tmp_path, compression):
    path = str(tmp_path / "saved")
    dataset = tf.data.Dataset.range(100).map(lambda x: {"a": x, "b": tf.strings.as_string(x)})
    dataset.save(path, compression=compression, shard_func=lambda x: x["a"] // 50)
    assert elements(tf.data.Dataset.load(path, compression=compression, reader_func=in_order)) == elements(dataset)


def in_order(datasets):
    return datasets.flat_map(lambda x: x)


@pytest.mark.parametrize("compression", ["AUTO", "GZIP", "SNAPPY", None])
def test_compressed_snapshots(tf, tmp_path, compression):
    dataset = tf.data.Dataset.range(40).snapshot(str(tmp_path), compression=compression)
    assert elements(dataset) == elements(dataset) == list(range(40))


def test_functions_of_snapshots(tf, tmp_path):
    counted = tf.Variable(0)

    def count(x):
        counted.assign_add(1)
        return x

    def make():
        return tf.data.Dataset.range(6).map(count).snapshot(
            str(tmp_path / "a"), shard_func=lambda x: x % 2, reader_func=in_order
        )

    assert elements(make()) == list(range(6))
    assert elements(make()) == [0, 2, 4, 1, 3, 5]
    assert int(counted) == 6
    # Others have files of their own.
    other = tf.data.Dataset.range(3).snapshot(str(tmp_path / "b"))
    assert elements(other) == [0, 1, 2]
    assert elements(tf.data.Dataset.range(4).snapshot(str(tmp_path / "b"))) == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="`shard_func` must return `tf.int64` scalar tensor"):
        tf.data.Dataset.range(2).snapshot(str(tmp_path / "c"), shard_func=lambda x: tf.strings.as_string(x))


def test_an_iteration_that_stops_keeps_nothing(tf, tmp_path):
    dataset = tf.data.Dataset.range(6).snapshot(str(tmp_path))
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(2)] == [0, 1]
    del iterator
    assert elements(dataset) == list(range(6))


# Databases


def test_sql(tf, tmp_path):
    import sqlite3

    path = str(tmp_path / "people.sqlite3")
    with sqlite3.connect(path) as database:
        database.execute("create table people (name text, age integer, size real, member integer)")
        rows = [("Ada", 36, 1.5, 1), ("Alan", 41, 2.0, 0), (None, None, None, None)]
        database.executemany("insert into people values (?, ?, ?, ?)", rows)
    make = tf.data.experimental.SqlDataset
    types = (tf.string, tf.int32, tf.float64, tf.bool)
    dataset = make("sqlite", path, "select * from people", types)
    assert dataset.element_spec == tuple(tf.TensorSpec([], dtype) for dtype in types)
    assert elements(dataset) == [(b"Ada", 36, 1.5, True), (b"Alan", 41, 2.0, False), (b"", 0, 0.0, False)]
    assert elements(make("sqlite", path, "select age, name from people", (tf.string, tf.int64))) == [
        (b"36", 0), (b"41", 0), (b"", 0)
    ]  # fmt: skip
    assert elements(make("sqlite", path, "select name from people where age > 99", (tf.string,))) == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not supported by SqlDataset"):
        make("oracle", path, "select 1", (tf.int32,))
    with pytest.raises(tf.errors.UnknownError, match=r"Prepare\(\) failed: \[1\] no such column: colour"):
        elements(make("sqlite", path, "select colour from people", (tf.string,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Each element of `output_types_` must be one of"):
        make("sqlite", path, "select age from people", (tf.float32,))
    with pytest.raises(tf.errors.InvalidArgumentError, match="columns"):
        elements(make("sqlite", path, "select name, age from people", (tf.string,)))


def test_carriage_returns_are_left_out_of_lines(tf, tmp_path):
    (tmp_path / "lines").write_bytes(b"a\rb\r\nc\r\r\n\rd\n\r\ne\r")
    lines = tf.data.TextLineDataset(str(tmp_path / "lines"))
    assert list(lines.as_numpy_iterator()) == [b"ab", b"c", b"d", b"", b"e"]


def test_wrong_columns_of_csv_files(tf, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    with pytest.raises((ValueError, TypeError)):
        tf.data.experimental.CsvDataset(str(path), [tf.int8])
    make = tf.data.experimental.make_csv_dataset
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 1 fields but have"):
        elements(make(str(path), 2, column_defaults=[tf.int32], num_epochs=1, shuffle=False))


def test_damaged_files(tf, tmp_path):
    path = str(tmp_path / "file")
    (tmp_path / "file").write_text("1,2\n3,a\n")
    csv = tf.data.experimental.CsvDataset
    for types, text in (
        ([tf.float32] * 3, "Expect 3 fields but have 2 in record "),
        ([tf.float32] * 2, "Field 1 in record is not a valid float: a"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            elements(csv(path, types))
    (tmp_path / "empty").write_text("1,\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 is required but missing in record!"):
        elements(csv(str(tmp_path / "empty"), [tf.float32] * 2))
    fixed = tf.data.FixedLengthRecordDataset
    text = (
        r"Excluding the header \(1 bytes\) and footer \(0 bytes\), input file \".*file\" has body length 7 bytes, which is not "
        r"an exact multiple of the record length \(3 bytes\)."
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        elements(fixed(path, 3, header_bytes=1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="`record_bytes` must be > 0"):
        elements(fixed(path, 0))


def test_record_files_whose_end_is_missing(tf, tmp_path):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for record in (b"abc", b"de"):
            writer.write(record)
    whole = (tmp_path / "records").read_bytes()
    for size in (20, 25, 30):  # within the second header: the file ends before it
        (tmp_path / "records").write_bytes(whole[:size])
        assert elements(tf.data.TFRecordDataset(path)) == [b"abc"]
    (tmp_path / "records").write_bytes(whole[:-1])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 19' failed with Read less bytes than requested"):
        elements(tf.data.TFRecordDataset(path))
