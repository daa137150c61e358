"""tf.lookup: tables eagerly and in traced functions."""

import threading

import pytest
import tracefn as tf


def static(keys, values, default, **options):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values, **options), default)


@pytest.mark.parametrize(
    ("keys", "values", "default", "asked", "expected"),
    [
        (["a", "b"], [1, 2], -1, ["b", "x"], [2, -1]),
        ([1, 2], ["one", "two"], "?", [[2], [3]], [[b"two"], [b"?"]]),
        (tf.constant([1, 2], tf.int64), [0.5, 1.5], 9.0, tf.constant(2, tf.int64), 1.5),
        (["a", ""], ["b", "c"], "", ["", "q"], [b"c", b""]),
    ],
)
def test_static_tables(keys, values, default, asked, expected):
    table = static(keys, values, default)
    asked = tf.constant(asked)
    assert table.lookup(asked).numpy().tolist() == expected
    traced = tf.function(lambda x: table[x])
    assert traced(asked).numpy().tolist() == expected
    assert traced.get_concrete_function(tf.TensorSpec([None], asked.dtype)).outputs[0].shape.as_list() == [None]
    assert int(table.size()) == 2
    assert sorted(table.export()[0].numpy().tolist()) == sorted(tf.constant(keys).numpy().tolist())


def test_static_tables_refuse():
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"):
        static(["a", "a"], [1, 2], 0)
    table = static(["a"], [1], 0)
    with pytest.raises(TypeError, match="must be .*string.*, received: .*int32"):
        table.lookup(tf.constant([1]))
    with pytest.raises(tf.errors.UnimplementedError, match="Insert not supported"):
        tf.raw_ops.LookupTableInsertV2(table_handle=table.resource_handle, keys=["b"], values=[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="have: resource, int32, int32->int32 expected: resource, s"):
        tf.raw_ops.LookupTableFindV2(table_handle=table.resource_handle, keys=[1], default_value=0)
    empty = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        tf.raw_ops.LookupTableFindV2(table_handle=empty, keys=["a"], default_value=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a lookup table"):
        tf.raw_ops.LookupTableSizeV2(table_handle=tf.Variable(1).handle)


def test_vocabulary_tables():
    init = tf.lookup.KeyValueTensorInitializer(["emerson", "lake", "palmer"], tf.constant([0, 1, 2], tf.int64))
    table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=5)
    # TensorFlow's ids.
    assert table.lookup(tf.constant(["lake", "king", "crimson"])).numpy().tolist() == [1, 6, 7]
    assert int(table.size()) == 8
    with pytest.raises(ValueError, match="num_oov_buckets"):
        tf.lookup.StaticVocabularyTable(init, 0)


@pytest.fixture
def vocabulary(tmp_path):
    path = tmp_path / "vocabulary.txt"

    def write(text):
        path.write_text(text)
        return str(path)

    return write


def from_file(path, key=(tf.string, -2), value=(tf.int64, -1), **options):
    init = tf.lookup.TextFileInitializer(path, key[0], key[1], value[0], value[1], **options)
    table = tf.lookup.StaticHashTable(init, "" if value[0] == tf.string else -1)
    keys, values = table.export()
    return dict(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True))


def test_text_files(vocabulary):
    assert from_file(vocabulary("a\nb\r\nc")) == {b"a": 0, b"b": 1, b"c": 2}
    assert from_file(vocabulary("a\nb\nc\n"), vocab_size=2, value_index_offset=10) == {b"a": 10, b"b": 11}
    fields = vocabulary("a 1 x\nb 2 y\n")
    assert from_file(fields, (tf.string, 2), (tf.int64, 1), delimiter=" ") == {b"x": 1, b"y": 2}
    assert from_file(vocabulary("a\nb\n"), (tf.int64, -1), (tf.string, -2)) == {0: b"a", 1: b"b"}


@pytest.mark.parametrize(
    ("text", "options", "error", "words"),
    [
        ("a\n\nb\n", {}, tf.errors.InvalidArgumentError, "empty line found at position 3"),
        ("a\nb\n", {"vocab_size": 5}, tf.errors.InvalidArgumentError, "expected 5 but got 2"),
        ("a b\n", {"value": (tf.int64, 1), "delimiter": " "}, tf.errors.InvalidArgumentError, "Field b in line 0 is not"),
        ("a b\n", {"value": (tf.int64, 4), "delimiter": " "}, tf.errors.InvalidArgumentError, "at least 5 got 2"),
        ("a\n", {"delimiter": "ab"}, tf.errors.InvalidArgumentError, "only 1 char"),
        ("", {}, tf.errors.OutOfRangeError, "Read less bytes"),
        ("a\na\n", {}, tf.errors.FailedPreconditionError, "Key a has 0 and trying to add value 1"),
    ],
)
def test_wrong_text_files(vocabulary, text, options, error, words):
    with pytest.raises(error, match=words):
        from_file(vocabulary(text), **options)


def test_missing_text_file():
    with pytest.raises(tf.errors.NotFoundError, match="/nonexistent/file; No such file or directory"):
        from_file("/nonexistent/file")


def test_mutable_tables():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, "?")

    @tf.function
    def add(keys, values):
        table.insert(keys, values)
        return table.size()

    assert int(add(tf.constant([1, 2, 3], tf.int64), tf.constant(["a", "b", "c"]))) == 3
    table.remove(tf.constant([1, 7], tf.int64))
    assert table.lookup([1, 2, 3]).numpy().tolist() == [b"?", b"b", b"c"]
    assert table.lookup([1, 9], dynamic_default_values=["x", "y"]).numpy().tolist() == [b"x", b"y"]
    keys, values = table.export()
    assert dict(zip(keys.numpy().tolist(), values.numpy().tolist(), strict=True)) == {2: b"b", 3: b"c"}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] for value, got \[1\]"):
        table.insert([1, 2], ["a"])


def test_tables_of_vectors():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    table.insert(["a"], [[1.0, 2.0]])
    assert table.lookup([["a", "b"]]).numpy().tolist() == [[[1.0, 2.0], [0.0, 0.0]]]
    assert tf.function(table.lookup).get_concrete_function(tf.TensorSpec([3], tf.string)).outputs[0].shape == [3, 2]


def test_dense_tables():
    make = tf.lookup.experimental.DenseHashTable
    table = make(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2, initial_num_buckets=4)
    table.insert([5, 6, 7], [1, 2, 3])
    table.erase(tf.constant([6], tf.int64))
    keys, values = table.export()
    # TensorFlow's buckets.
    assert keys.numpy().tolist() == [[-1], [5], [-2], [7]]
    assert values.numpy().tolist() == [[0], [1], [2], [3]]
    table.insert(list(range(10, 110)), list(range(100)))
    assert int(table.size()) == 102
    assert table.lookup([7, 6, 109]).numpy().tolist() == [3, -1, 99]
    for use in (lambda: table.lookup([-1]), lambda: table.insert([-2], [0])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="as a table key is not allowed"):
            use()
    with pytest.raises(tf.errors.InvalidArgumentError, match="power of 2, got: 3"):
        make(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2, initial_num_buckets=3)
    pairs = make(tf.string, tf.int32, 0, empty_key=["", ""], deleted_key=["-", "-"], initial_num_buckets=8)
    pairs.insert([["a", "b"], ["b", "a"]], [1, 2])
    assert pairs.lookup([["b", "a"], ["x", "y"]]).numpy().tolist() == [2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must end with the table's key shape"):
        pairs.lookup(["a", "b", "c"])


def test_threads_share_a_table():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def fill(start):
        for i in range(start, start + 200, 10):
            table.insert(list(range(i, i + 10)), list(range(i, i + 10)))
            table.lookup([0, i])

    threads = [threading.Thread(target=fill, args=(k * 200,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(table.size()) == 800
    assert table.lookup(list(range(800))).numpy().tolist() == list(range(800))


def test_a_table_made_inside_a_function():
    @tf.function
    def f(x):
        table = static(["a"], [5], 0)
        return table.lookup(x)

    assert f(tf.constant(["a", "b"])).numpy().tolist() == [5, 0]
    assert f(tf.constant(["a", "b"])).numpy().tolist() == [5, 0]
