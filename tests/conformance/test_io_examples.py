"""Parsing of Example and SequenceExample messages: every kind of feature, batched and single, traced, and its errors."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


class Make:
    """Serialized messages of the module under test."""

    def __init__(self, tf):
        self.train = tf.train

    def ints(self, *values):
        return self.train.Feature(int64_list=self.train.Int64List(value=values))

    def floats(self, *values):
        return self.train.Feature(float_list=self.train.FloatList(value=values))

    def texts(self, *values):
        return self.train.Feature(bytes_list=self.train.BytesList(value=values))

    def example(self, **features):
        features = self.train.Features(feature=features)
        return self.train.Example(features=features).SerializeToString()

    def sequence(self, context=None, **lists):
        train = self.train
        lists = {name: train.FeatureList(feature=rows) for name, rows in lists.items()}
        return train.SequenceExample(
            context=train.Features(feature=context or {}), feature_lists=train.FeatureLists(feature_list=lists)
        ).SerializeToString()


@pytest.fixture
def make(tf):
    return Make(tf)


@pytest.fixture
def batch(make):
    return [
        make.example(a=make.ints(1, 2), f=make.floats(0.5), s=make.texts(b"x", b"y")),
        make.example(a=make.ints(3, -4), s=make.texts()),
        make.example(a=make.ints(5, 6), f=make.train.Feature(), s=make.texts(b"\xff")),
    ]


def plain(tf, value):
    """Tensors of any kind as lists."""
    if isinstance(value, dict):
        return {key: plain(tf, v) for key, v in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(tf, v) for v in value)
    if isinstance(value, tf.SparseTensor):
        return value.indices.numpy().tolist(), value.values.numpy().tolist(), value.dense_shape.numpy().tolist()
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def everywhere(tf, function, serialized):
    """The results eagerly, traced, and traced with an unknown batch; they must be equal."""
    serialized = tf.constant(serialized)
    found = plain(tf, function(serialized))
    assert plain(tf, tf.function(function)(serialized)) == found
    spec = tf.TensorSpec([None] * serialized.shape.rank, tf.string)
    assert plain(tf, tf.function(function, input_signature=[spec])(serialized)) == found
    return found


def test_features(tf, batch):
    features = {
        "a": tf.io.FixedLenFeature([2], tf.int64),
        "f": tf.io.FixedLenFeature([], tf.float32, 9.0),
        "s": tf.io.VarLenFeature(tf.string),
        "q": tf.io.FixedLenFeature([1, 2], tf.string, [["u", "v"]]),
    }
    found = everywhere(tf, lambda x: tf.io.parse_example(x, features), batch)
    assert found == {
        "a": [[1, 2], [3, -4], [5, 6]],
        "f": [0.5, 9.0, 9.0],
        "s": ([[0, 0], [0, 1], [2, 0]], [b"x", b"y", b"\xff"], [3, 2]),
        "q": [[[b"u", b"v"]]] * 3,
    }
    found = everywhere(tf, lambda x: tf.io.parse_single_example(x, features), batch[0])
    assert found == {"a": [1, 2], "f": 0.5, "s": ([[0], [1]], [b"x", b"y"], [2]), "q": [[b"u", b"v"]]}
    empty = plain(tf, tf.io.parse_example(tf.constant([], tf.string), features))
    assert empty == {"a": [], "f": [], "s": ([], [], [0, 0]), "q": []}


def test_blocks(tf, make):
    feature = tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True, default_value=7)
    examples = [make.example(a=make.ints(1, 2)), make.example(), make.example(a=make.ints(1, 2, 3, 4))]
    found = everywhere(tf, lambda x: tf.io.parse_example(x, {"a": feature}), examples)
    assert found["a"] == [[[1, 2], [7, 7]], [[7, 7], [7, 7]], [[1, 2], [3, 4]]]
    words = tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True)
    examples = [make.example(a=make.texts(b"p", b"q")), make.example(a=make.texts(b"r"))]
    assert plain(tf, tf.io.parse_example(examples, {"a": words}))["a"] == [[b"p", b"q"], [b"r", b""]]
    assert plain(tf, tf.io.parse_single_example(examples[0], {"a": words}))["a"] == [b"p", b"q"]
    with pytest.raises(ValueError, match="FixedLenSequenceFeature requires allow_missing to be True"):
        tf.io.parse_example(examples, {"a": tf.io.FixedLenSequenceFeature([], tf.string)})


def test_sparse_features(tf, make):
    examples = [
        make.example(v=make.floats(0.5, -1.0), x=make.ints(20, 3), y=make.ints(0, 1)),
        make.example(v=make.floats(0.25), x=make.ints(42), y=make.ints(2)),
    ]
    one = {"sp": tf.io.SparseFeature("x", "v", tf.float32, 100)}
    found = everywhere(tf, lambda x: tf.io.parse_example(x, one), examples)
    assert found["sp"] == ([[0, 3], [0, 20], [1, 42]], [-1.0, 0.5, 0.25], [2, 100])
    sorted_already = {"sp": tf.io.SparseFeature("x", "v", tf.float32, 100, already_sorted=True)}
    assert plain(tf, tf.io.parse_example(examples, sorted_already))["sp"][0] == [[0, 20], [0, 3], [1, 42]]
    two = {"sp": tf.io.SparseFeature(["y", "x"], "v", tf.float32, [5, 100])}
    assert plain(tf, tf.io.parse_example(examples, two))["sp"] == (
        [[0, 0, 20], [0, 1, 3], [1, 2, 42]], [0.5, -1.0, 0.25], [2, 5, 100])
    assert plain(tf, tf.io.parse_single_example(examples[0], one))["sp"] == ([[3], [20]], [-1.0, 0.5], [100])


def test_ragged_features(tf, make):
    Ragged = tf.io.RaggedFeature
    ints = make.ints
    examples = [
        make.example(v=ints(3, 1, 4, 1, 5, 9), splits=ints(0, 2, 3, 3, 6), outer=ints(0, 2, 3, 4), lengths=ints(2, 1, 0, 3),
                     starts=ints(0, 2, 3, 3), limits=ints(2, 3, 3, 6), ids=ints(0, 0, 1, 3, 3, 3)),
        make.example(v=ints(2, 7, 1, 8), splits=ints(0, 3, 4), outer=ints(0, 1, 1, 2), lengths=ints(3, 1),
                     starts=ints(0, 3), limits=ints(3, 4), ids=ints(0, 0, 0, 1)),
    ]
    rows = [[[3, 1], [4], [], [1, 5, 9]], [[2, 7, 1], [8]]]
    features = {
        "v": Ragged(tf.int64),
        "by_splits": Ragged(tf.int64, "v", [Ragged.RowSplits("splits")]),
        "by_lengths": Ragged(tf.int64, "v", [Ragged.RowLengths("lengths")], validate=True),
        "by_starts": Ragged(tf.int64, "v", [Ragged.RowStarts("starts")]),
        "by_limits": Ragged(tf.int64, "v", [Ragged.RowLimits("limits")]),
        "by_ids": Ragged(tf.int64, "v", [Ragged.ValueRowIds("ids")]),
        "nested": Ragged(tf.int64, "v", [Ragged.RowSplits("outer"), Ragged.RowSplits("splits")]),
        "pairs": Ragged(tf.int64, "v", [Ragged.UniformRowLength(2)]),
        "ragged_pairs": Ragged(tf.int64, "v", [Ragged.UniformRowLength(2), Ragged.RowLengths("lengths")]),
    }
    found = everywhere(tf, lambda x: tf.io.parse_example(x, features), examples)
    assert found.pop("v") == [[3, 1, 4, 1, 5, 9], [2, 7, 1, 8]]
    assert found.pop("nested") == [[[[3, 1], [4]], [[]], [[1, 5, 9]]], [[[2, 7, 1]], [], [[8]]]]
    assert found.pop("pairs") == [[[3, 1], [4, 1], [5, 9]], [[2, 7], [1, 8]]]
    assert found.pop("ragged_pairs") == [[[[3, 1], [4]], [[], [1, 5, 9]]], [[[2, 7, 1], [8]]]]
    assert list(found.values()) == [rows] * 5
    single = everywhere(tf, lambda x: tf.io.parse_single_example(x, features), examples[0])
    assert single.pop("v") == [3, 1, 4, 1, 5, 9]
    assert single.pop("nested") == [[[3, 1], [4]], [[]], [[1, 5, 9]]]
    assert single.pop("pairs") == [[3, 1], [4, 1], [5, 9]]
    assert single.pop("ragged_pairs") == [[[3, 1], [4]], [[], [1, 5, 9]]]
    assert list(single.values()) == [rows[0]] * 5
    parsed = tf.io.parse_example(examples, {"v": Ragged(tf.int64, row_splits_dtype=tf.int64)})["v"]
    assert parsed.row_splits.dtype == tf.int64


def test_shapes_while_tracing(tf):
    features = {
        "a": tf.io.FixedLenFeature([2], tf.int64),
        "b": tf.io.VarLenFeature(tf.float32),
        "c": tf.io.RaggedFeature(tf.string),
        "d": tf.io.FixedLenSequenceFeature([2], tf.int64, True),
    }
    shapes = {}

    def trace(parse, spec):
        @tf.function
        def function(x):
            shapes.clear()
            shapes.update(parse(x, features))
            return 0

        function.get_concrete_function(spec)
        return {key: shapes[key].shape.as_list() for key in "abcd"}

    found = trace(tf.io.parse_example, tf.TensorSpec([3], tf.string))
    assert found == {"a": [3, 2], "b": [None, None], "c": [3, None], "d": [3, None, 2]}
    assert shapes["b"].indices.shape.as_list() == [None, 2] and shapes["c"].row_splits.shape.as_list() == [4]
    found = trace(tf.io.parse_example, tf.TensorSpec([None], tf.string))
    assert found == {"a": [None, 2], "b": [None, None], "c": [None, None], "d": [None, None, 2]}
    found = trace(tf.io.parse_single_example, tf.TensorSpec([], tf.string))
    assert found == {"a": [2], "b": [None], "c": [None], "d": [None, 2]}
    with pytest.raises(ValueError, match="serialized must have statically-known rank to parse ragged features"):
        trace(tf.io.parse_example, tf.TensorSpec(None, tf.string))


@pytest.mark.parametrize(
    ("key", "kind", "words"),
    [
        ("a", ("Fixed", [3], "int64"), r"Name: <unknown>, Key: a, Index: \d+.  Number of int64 values != expected.  Values size: 2 but output shape: \[3\]"),
        ("z", ("Fixed", [2], "int64"), r"Name: <unknown>, Feature: z \(data type: int64\) is required but could not be found"),
        ("a", ("Fixed", [2], "float32"), r"Key: a, Index: \d+.  Data types don't match. Data type: int64 but expected type: float"),
        ("a", ("Sparse", None, "float32"), r"Key: a, Index: \d+.  Data types don't match. Expected type: float, Actual type: int64"),
        ("a", ("Ragged", None, "string"), r"Key: a, Index: \d+.  Data types don't match. Expected type: string, Actual type: int64"),
        ("a", ("Blocks", [3], "int64"), r"Number of int64 values is not a multiple of stride length. Saw 2 values but output shape is: \[\?,3\]"),
    ],
)
def test_batches_refuse(tf, batch, key, kind, words):
    form, shape, dtype = kind
    dtype = tf.as_dtype(dtype)
    feature = {
        "Fixed": lambda: tf.io.FixedLenFeature(shape, dtype),
        "Sparse": lambda: tf.io.VarLenFeature(dtype),
        "Ragged": lambda: tf.io.RaggedFeature(dtype),
        "Blocks": lambda: tf.io.FixedLenSequenceFeature(shape, dtype, True),
    }[form]()
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_example(batch, {key: feature})
    if form in ("Fixed", "Blocks"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"Name: n1, .*{key}"):
            tf.io.parse_example(batch[:1], {key: feature}, example_names=["n1"])


@pytest.mark.parametrize(
    ("key", "shape", "dtype", "words"),
    [
        ("a", [3], "int64", "Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed"),
        ("a", [1], "int64", "Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed"),
        ("s", [1], "string", "Key: s.  Can't parse serialized Example: Parsing bytes_list failed"),
        ("z", [2], "int64", r"Feature: z \(data type: int64\) is required but could not be found"),
        ("a", [2], "float32", "Key: a.  Data types don't match. Data type: int64 but expected type: float"),
    ],
)
def test_single_examples_refuse(tf, batch, key, shape, dtype, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.parse_single_example(batch[0], {key: tf.io.FixedLenFeature(shape, tf.as_dtype(dtype))})


def test_arguments_refuse(tf, batch):
    Fixed, errors = tf.io.FixedLenFeature, tf.errors
    a = {"a": Fixed([2], tf.int64)}
    for features, words in (
        ({}, "cannot be None or falsy"),
        ({"a": Fixed([None], tf.int64)}, "First dimension of shape for feature a unknown"),
        ({"a": Fixed([2, None], tf.int64)}, "All dimensions of shape for feature a need to be known"),
        ({"a": 3}, "Unsupported int 3 for key 'a'"),
        ({**a, "sp": tf.io.SparseFeature("a", "f", tf.float32, 3)}, "must not intersect"),
        ({"s": tf.io.VarLenFeature(tf.string), "r": tf.io.RaggedFeature(tf.string, "s")}, "Ragged and sparse keys must not intersect"),
    ):
        with pytest.raises(ValueError, match=words):
            tf.io.parse_example(batch, features)
    with pytest.raises(errors.InvalidArgumentError, match="Expected serialized to be a scalar or vector, got shape"):
        tf.io.parse_example([batch], a)
    with pytest.raises(errors.InvalidArgumentError, match="Expected names have the same shape as serialized"):
        tf.io.parse_example(batch, a, example_names=["n1"])
    with pytest.raises(errors.InvalidArgumentError, match="values"):
        tf.io.parse_example(batch, {"a": Fixed([2], tf.int64, [1, 2, 3])})
    with pytest.raises(ValueError, match="Input serialized must be a scalar"):
        tf.io.parse_single_example(batch, a)
    with pytest.raises(ValueError, match="features cannot be empty"):
        tf.io.parse_single_example(batch[0], {})
    with pytest.raises(errors.InvalidArgumentError, match="Could not parse example input, value: '"):
        tf.io.parse_example([batch[0], batch[0][:-3]], a)
    with pytest.raises(ValueError, match="`dtype` must be int64, float32, or bytes"):
        tf.io.RaggedFeature(tf.int32)
    with pytest.raises(TypeError, match="`partitions` cannot be cast"):
        tf.io.RaggedFeature(tf.int64, partitions=["a"])


def test_of_two_entries_the_last_counts(tf):
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def entry(key, feature):
        return field(1, field(1, key) + field(2, feature))

    twice = field(1, entry(b"a", field(3, field(1, b"\x01\x02"))) + entry(b"a", field(3, field(1, b"\x07\x08"))))
    unpacked = field(1, entry(b"a", field(3, b"\x08\x05\x08\x06")))
    features = {"a": tf.io.FixedLenFeature([2], tf.int64)}
    assert tf.io.parse_example([twice, unpacked], features)["a"].numpy().tolist() == [[7, 8], [5, 6]]
    merged = field(1, entry(b"a", field(3, field(1, b"\x01")))) + field(1, entry(b"b", field(3, field(1, b"\x02"))))
    features = {key: tf.io.FixedLenFeature([], tf.int64) for key in "ab"}
    assert plain(tf, tf.io.parse_example([merged], features)) == {"a": [1], "b": [2]}


@pytest.fixture
def sequences(make):
    ints, floats = make.ints, make.floats
    return [
        make.sequence({"c": ints(1), "t": make.texts(b"a")}, x=[ints(1, 2), ints(3, 4)], v=[floats(0.5), floats(), floats(1, 2)]),
        make.sequence({"c": ints(2)}, x=[ints(5, 6)], v=[]),
    ]


def test_sequences(tf, sequences):
    context = {"c": tf.io.FixedLenFeature([], tf.int64), "t": tf.io.VarLenFeature(tf.string), "d": tf.io.FixedLenFeature([], tf.int64, 5)}
    lists = {
        "x": tf.io.FixedLenSequenceFeature([2], tf.int64),
        "v": tf.io.VarLenFeature(tf.float32),
        "z": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    }
    found = everywhere(tf, lambda x: tf.io.parse_sequence_example(x, context, lists), sequences)
    assert found == (
        {"c": [1, 2], "t": ([[0, 0]], [b"a"], [2, 1]), "d": [5, 5]},
        {
            "x": [[[1, 2], [3, 4]], [[5, 6], [0, 0]]],
            "v": ([[0, 0, 0], [0, 2, 0], [0, 2, 1]], [0.5, 1.0, 2.0], [2, 3, 2]),
            "z": [[], []],
        },
        {"x": [2, 1], "z": [0, 0]},
    )
    found = everywhere(tf, lambda x: tf.io.parse_single_sequence_example(x, context, lists), sequences[0])
    assert found == (
        {"c": 1, "t": ([[0]], [b"a"], [1]), "d": 5},
        {"x": [[1, 2], [3, 4]], "v": ([[0, 0], [2, 0], [2, 1]], [0.5, 1.0, 2.0], [3, 2]), "z": []},
    )


def test_ragged_sequences(tf, make, sequences):
    Ragged = tf.io.RaggedFeature
    context, lists = {"t": Ragged(tf.string)}, {"x": Ragged(tf.int64), "v": Ragged(tf.float32, row_splits_dtype=tf.int64)}
    found = everywhere(tf, lambda x: tf.io.parse_sequence_example(x, context, lists), sequences)
    assert found == ({"t": [[b"a"], []]}, {"x": [[[1, 2], [3, 4]], [[5, 6]]], "v": [[[0.5], [], [1.0, 2.0]], []]}, {})
    found = everywhere(tf, lambda x: tf.io.parse_single_sequence_example(x, context, lists), sequences[0])
    assert found == ({"t": [b"a"]}, {"x": [[1, 2], [3, 4]], "v": [[0.5], [], [1.0, 2.0]]})
    parted = [make.sequence(v=[make.ints(1, 2, 3), make.ints(4)], n=[make.ints(2, 1), make.ints(0, 1)])]
    feature = {"v": Ragged(tf.int64, partitions=[Ragged.RowLengths("n")], validate=True)}
    found = everywhere(tf, lambda x: tf.io.parse_sequence_example(x, None, feature), parted)
    assert found[1] == {"v": [[[[1, 2], [3]], [[], [4]]]]}


def test_sequence_shapes(tf):
    context = {"c": tf.io.FixedLenFeature([2], tf.int64), "t": tf.io.VarLenFeature(tf.string)}
    lists = {"x": tf.io.FixedLenSequenceFeature([2], tf.int64), "v": tf.io.VarLenFeature(tf.float32), "w": tf.io.RaggedFeature(tf.int64)}

    def shapes(spec):
        found = []

        @tf.function
        def function(x):
            of_context, of_lists, lengths = tf.io.parse_sequence_example(x, context, lists)
            found[:] = [of_context["c"], of_context["t"], of_lists["x"], of_lists["v"], of_lists["w"], lengths["x"]]
            return 0

        function.get_concrete_function(spec)
        return [x.shape.as_list() for x in found]

    assert shapes(tf.TensorSpec([3], tf.string)) == [[3, 2], [None] * 2, [3, None, 2], [None] * 3, [3, None, None], [3]]
    assert shapes(tf.TensorSpec([], tf.string)) == [[2], [None], [None, 2], [None] * 2, [None, None], []]


def test_sequences_refuse(tf, make, sequences):
    Fixed, List, Any = tf.io.FixedLenFeature, tf.io.FixedLenSequenceFeature, tf.io.VarLenFeature
    odd = [sequences[0], make.sequence({"c": make.ints(1, 2)}, x=[make.ints(5, 6), make.ints(3)])]
    for serialized, context, lists, words in (
        (sequences, {"z": Fixed([], tf.int64)}, None, "Inconsistent max number of elements for feature z: expected 1, but found 0"),
        (sequences, {"c": Fixed([3], tf.int64)}, None, "feature c: expected 3, but found 1"),
        (odd, {"c": Fixed([2], tf.int64)}, None, "Unexpected number of elements in example <unknown>"),
        (sequences, {"t": Fixed([], tf.string)}, None, r"Feature: t \(data type: string\) is required but could not be found"),
        (sequences, {"c": Fixed([], tf.float32)}, None, "Context feature: c.  Data types don't match. Expected type: float"),
        (sequences, None, {"z": List([], tf.int64)}, "Feature list 'z' is required but could not be found"),
        (sequences, None, {"x": List([], tf.int64)}, r"Key: x, Index: 0.  Number of values != expected.  values size: 2 but output shape: \[\]"),
        (odd, None, {"x": List([2], tf.int64)}, "Key: x, Index: 1.  Number of values != expected.  values size: 1"),
        (sequences, None, {"x": List([2], tf.float32)}, "Feature list: x, Index: 0.  Data types don't match. Expected type: float"),
        (sequences, None, {"v": Any(tf.int64)}, "Feature list: v, Index: 0.  Data types don't match. Expected type: int64"),
        ([sequences[0], b"\xff"], None, {"v": Any(tf.float32)}, "Invalid protocol message input, example id: <unknown>"),
        ([sequences], None, {"v": Any(tf.float32)}, "Expected serialized to be a scalar or vector"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            tf.io.parse_sequence_example(serialized, context, lists)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Feature list 'x' has an unexpected number of values.  Total values size: 3"):
        tf.io.parse_single_sequence_example(odd[1], None, {"x": List([2], tf.int64)})
    with pytest.raises(ValueError, match="at least one should have values"):
        tf.io.parse_sequence_example(sequences)
    with pytest.raises(ValueError, match="must be None"):
        tf.io.parse_sequence_example(sequences, None, {"x": List([2], tf.int64, default_value=4)})
    with pytest.raises(ValueError, match="Input serialized must be a scalar"):
        tf.io.parse_single_sequence_example(sequences, None, {"x": List([2], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="example_names must be empty or have the correct number"):
        tf.io.parse_sequence_example(sequences, None, {"x": List([2], tf.int64)}, example_names=["a"])


def test_many_values(tf, make):
    values = np.random.default_rng(3).normal(size=(7, 1000)).astype(np.float32)
    examples = [make.example(x=make.floats(*row)) for row in values]
    found = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([10, 100], tf.float32)})["x"]
    np.testing.assert_array_equal(found.numpy(), values.reshape(7, 10, 100))


def test_old_names(tf, batch):
    old = tf.compat.v1
    features = {"a": old.FixedLenFeature([2], tf.int64)}
    assert old.parse_example(batch, features, "name")["a"].shape.as_list() == [3, 2]
    assert old.io.parse_single_example(batch[0], features, None)["a"].numpy().tolist() == [1, 2]


def test_protobuf_reads_and_writes_them_as_text(tf):
    text_format = pytest.importorskip("google.protobuf.text_format")
    text = """features {
      feature { key: "colors" value { bytes_list { value: ["red", "blue"] } } }
      feature { key: "sizes" value { int64_list { value: [7, -1] } } }
      feature { key: "none" value { float_list { } } }
    }"""
    example = text_format.Merge(text, tf.train.Example())
    assert list(example.features.feature["colors"].bytes_list.value) == [b"red", b"blue"]
    assert list(example.features.feature["sizes"].int64_list.value) == [7, -1]
    assert example.features.feature["none"].WhichOneof("kind") == "float_list"
    again = text_format.Parse(text_format.MessageToString(example), tf.train.Example())
    assert again == example and 'key: "colors"' in text_format.MessageToString(example, as_one_line=True)
    assert tf.train.Example.FromString(again.SerializeToString()) == example
    with pytest.raises(text_format.ParseError, match='"tensorflow.Example" has no field named "other"'):
        text_format.Parse("other { }", tf.train.Example())

    rows = 'feature_lists { feature_list { key: "x" value { feature { float_list { value: 1.5 } } feature { } } } }'
    sequence = text_format.Parse(rows, tf.train.SequenceExample())
    first, second = sequence.feature_lists.feature_list["x"].feature
    assert list(first.float_list.value) == [1.5] and second.WhichOneof("kind") is None


def test_protobuf_reads_and_writes_them_as_json(tf, make):
    json_format = pytest.importorskip("google.protobuf.json_format")
    example = tf.train.Example.FromString(make.example(a=make.ints(1, 2), s=make.texts(b"xy")))
    text = json_format.MessageToJson(example)
    assert json_format.MessageToDict(example)["features"]["feature"]["a"] == {"int64List": {"value": ["1", "2"]}}
    assert json_format.Parse(text, tf.train.Example()) == example
    read = tf.io.decode_json_example(text)
    assert tf.train.Example.FromString(read.numpy()) == example


def test_descriptors(tf):
    pytest.importorskip("google.protobuf")
    descriptor = tf.train.Example.DESCRIPTOR
    assert descriptor.full_name == "tensorflow.Example" and [f.name for f in descriptor.fields] == ["features"]
    kind = tf.train.Feature().DESCRIPTOR.oneofs_by_name["kind"]
    assert [f.name for f in kind.fields] == ["bytes_list", "float_list", "int64_list"]
    assert tf.train.SequenceExample.DESCRIPTOR.fields_by_name["feature_lists"].message_type.name == "FeatureLists"


@pytest.mark.parametrize(
    ("keys", "sizes", "error", "words"),
    [
        ("x", [100], TypeError, "vocab_size has to be a Tensor or Python int. Found <class 'list'>"),
        ("x", "a", TypeError, "vocab_size has to be a Tensor or Python int. Found <class 'str'>"),
        (["x"], 100, TypeError, "vocab_size has to be a list of Tensors or Python ints. Found <class 'int'>"),
        (["x", "y"], [5, "a"], TypeError, "vocab_size has to be a list of Tensors or Python ints. Found <class 'str'>"),
        (["x", "y"], [5], ValueError, "sp_ids and vocab_size have to have equal lengths."),
    ],
)
def test_sizes_of_sparse_features_are_checked(tf, make, keys, sizes, error, words):
    one = make.example(x=make.ints(3, 1), y=make.ints(0, 2), v=make.texts(b"p", b"q"))
    feature = {"sp": tf.io.SparseFeature(keys, "v", tf.string, sizes)}
    for parse in tf.io.parse_single_example, tf.function(tf.io.parse_single_example, autograph=False):
        with pytest.raises(error) as raised:
            parse(tf.constant(one), feature)
        assert words in str(raised.value)


def test_indices_and_values_of_a_sparse_feature_are_as_many(tf, make):
    one = make.example(x=make.ints(3, 1), v=make.texts(b"p"))
    feature = {"sp": tf.io.SparseFeature("x", "v", tf.string, 5)}
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        tf.io.parse_single_example(one, feature)
    parse = tf.function(lambda text: tf.io.parse_single_example(text, feature)["sp"].values)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Number of elements in indices \(2\) and values \(1\) do not match"):
        parse(tf.constant(one))


@pytest.mark.parametrize("message", ["Example", "SequenceExample", "Features"])
def test_bytes_that_are_no_message(tf, message):
    with pytest.raises(Exception, match="Error parsing message") as error:
        getattr(tf.train, message).FromString(b"bad")
    assert str(error.value) == f"Error parsing message with type 'tensorflow.{message}': Wire format was corrupt"
    assert type(error.value).__name__ == "DecodeError"


@pytest.mark.parametrize("values", [3, 1.5, True, object()])
def test_values_of_features_that_are_no_lists(tf, values):
    for kind in tf.train.Int64List, tf.train.FloatList, tf.train.BytesList:
        with pytest.raises(TypeError, match="must assign iterable"):
            kind(value=values)
        with pytest.raises(TypeError, match="must assign iterable"):
            kind().value.extend(values)
    with pytest.raises(TypeError, match="must assign iterable"):
        tf.train.Int64List(value=tf.constant(1))
