"""Feature columns: their names, specs and values, and the layers of TensorFlow 1 that take them."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def fc(tf):
    return tf.feature_column


@pytest.fixture
def cache(tf):
    features = {
        "pair": [[1.0, 2.0], [3.0, 4.0]],
        "one": [5.0, 7.0],
        "id": [[1, 2], [-1, 9]],
        "word": [["a", ""], ["b", "zz"]],
        "other": ["x", "y"],
        "weight": [[0.5, 2.0], [0.0, 1.0]],
        "sparse": tf.sparse.from_dense([["a", "b", ""], ["", "", "c"]]),
        "weights": tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [1.0, 2.0, 3.0], [2, 3]),
        "steps": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 0], [2, 2]),
        "levels": tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], [1.0, 2.0, 3.0, 4.0], [2, 4]),
        "scalar": 3,
    }
    return tf.__internal__.feature_column.FeatureTransformationCache(features)


def dense(column, cache):
    return column.get_dense_tensor(cache, None).numpy().tolist()


def ids(column, cache):
    found = column.get_sparse_tensors(cache, None).id_tensor
    return found.indices.numpy().tolist(), found.values.numpy().tolist()


def test_texts_of_columns(tf, fc):
    column = fc.numeric_column("n", 2, default_value=0)
    assert repr(column) == "NumericColumn(key='n', shape=(2,), default_value=(0, 0), dtype=tf.float32, normalizer_fn=None)"
    assert column.parse_example_spec == {"n": tf.io.FixedLenFeature((2,), tf.float32, (0, 0))}
    assert repr(fc.bucketized_column(fc.numeric_column("n"), [1, 2])).endswith(", boundaries=(1, 2))")
    words = fc.categorical_column_with_vocabulary_list("w", ["a", "b"], num_oov_buckets=2)
    assert repr(words) == (
        "VocabularyListCategoricalColumn(key='w', vocabulary_list=('a', 'b'), dtype=tf.string, default_value=-1, "
        "num_oov_buckets=2)"
    )
    assert (words.name, words.num_buckets, words.parents) == ("w", 4, ["w"])
    assert fc.crossed_column(["z", words, fc.crossed_column(["c", "d"], 3)], 10).name == "c_X_d_X_w_X_z"
    assert fc.weighted_categorical_column(words, "k").name == "w_weighted_by_k"
    assert fc.embedding_column(words, 3).name == "w_embedding"
    assert fc.indicator_column(words).variable_shape.as_list() == [1, 4]
    assert min(fc.numeric_column("b"), fc.numeric_column("a")).key == "a"


def test_numbers(tf, fc, cache):
    assert dense(fc.numeric_column("pair", 2), cache) == [[1.0, 2.0], [3.0, 4.0]]
    assert dense(fc.numeric_column("one", normalizer_fn=lambda x: x - 5.0), cache) == [[0.0], [2.0]]
    assert dense(fc.numeric_column("id", 2, dtype=tf.int64), cache) == [[1.0, 2.0], [-1.0, 9.0]]
    for key, text in {
        "nothing": "Feature nothing is not in features dictionary.",
        "scalar": r"Feature \(key: scalar\) cannot have rank 0",
        "weights": "SparseTensor is not supported. key: weights",
    }.items():
        with pytest.raises(ValueError, match=text):
            dense(fc.numeric_column(key), cache)


def test_buckets(fc, cache):
    column = fc.bucketized_column(fc.numeric_column("pair", 2), [1.0, 2.5, 4.0])
    assert np.argmax(dense(column, cache), -1).tolist() == [[1, 1], [2, 3]]
    assert ids(column, cache) == ([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 5, 2, 7])
    assert (column.name, column.num_buckets, column.variable_shape.as_list()) == ("pair_bucketized", 8, [2, 4])
    assert dense(fc.bucketized_column(fc.numeric_column("one"), (6,)), cache) == [[[1.0, 0.0]], [[0.0, 1.0]]]


def test_identity(fc, cache):
    places = [[0, 0], [0, 1], [1, 1]]
    assert ids(fc.categorical_column_with_identity("id", 10), cache) == (places, [1, 2, 9])
    assert ids(fc.categorical_column_with_identity("id", 4, 0), cache) == (places, [1, 2, 0])
    counts = dense(fc.indicator_column(fc.categorical_column_with_identity("id", 4, 0)), cache)
    assert counts == [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="Invalid input, not integer. key: word"):
        ids(fc.categorical_column_with_identity("word", 4), cache)


def test_hashes(tf, fc, cache):
    hashes = tf.strings.to_hash_bucket_fast(["a", "b", "zz"], 10).numpy().tolist()
    assert ids(fc.categorical_column_with_hash_bucket("word", 10), cache) == ([[0, 0], [1, 0], [1, 1]], hashes)
    assert ids(fc.categorical_column_with_hash_bucket("sparse", 10), cache)[0] == [[0, 0], [0, 1], [1, 2]]
    numbers = ids(fc.categorical_column_with_hash_bucket("id", 10, tf.int64), cache)[1]
    assert numbers == tf.strings.to_hash_bucket_fast(["1", "2", "9"], 10).numpy().tolist()
    with pytest.raises(ValueError, match="Column dtype and SparseTensors dtype must be compatible. key: id"):
        ids(fc.categorical_column_with_hash_bucket("id", 10), cache)


@pytest.mark.parametrize(
    ("others", "found"), [({}, [0, 1, -1]), ({"default_value": 1}, [0, 1, 1]), ({"num_oov_buckets": 1}, [0, 1, 2])]
)
def test_vocabularies(tf, fc, cache, tmp_path, others, found):
    places = [[0, 0], [1, 0], [1, 1]]
    assert ids(fc.categorical_column_with_vocabulary_list("word", ["a", "b"], **others), cache) == (places, found)
    lines, records = str(tmp_path / "lines.txt"), str(tmp_path / "words.tfrecord.gz")
    tf.io.write_file(lines, "a\nb\n")
    with tf.io.TFRecordWriter(records, "GZIP") as writer:
        writer.write(b"a")
        writer.write(b"b")
    for path in lines, records:
        column = fc.categorical_column_with_vocabulary_file("word", path, **others)
        assert ids(column, cache) == (places, found)
        assert column.num_buckets == 2 + others.get("num_oov_buckets", 0)
    numbers = fc.categorical_column_with_vocabulary_list("id", [1, 2], **others)
    assert ids(numbers, cache) == ([[0, 0], [0, 1], [1, 1]], found)


def test_weights(fc, cache):
    column = fc.weighted_categorical_column(fc.categorical_column_with_hash_bucket("sparse", 5), "weights")
    assert column.get_sparse_tensors(cache, None).weight_tensor.values.numpy().tolist() == [1.0, 2.0, 3.0]
    assert np.sum(dense(fc.indicator_column(column), cache), 1).tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="Bad dtype, expected <dtype: 'float32'>, but got <dtype: 'int32'>."):
        fc.weighted_categorical_column(column, "id").get_sparse_tensors(cache, None)


def test_crosses(tf, fc, cache):
    column = fc.crossed_column(["sparse", "other"], 7)
    expected = tf.sparse.cross_hashed([cache.get("sparse", None), cache.get("other", None)], 7)
    assert ids(column, cache) == (expected.indices.numpy().tolist(), expected.values.numpy().tolist())
    buckets = fc.bucketized_column(fc.numeric_column("one"), [6.0])
    nested = fc.crossed_column([fc.crossed_column(["word", "other"], 5), buckets], 50, hash_key=3)
    assert len(ids(nested, cache)[1]) == 4
    assert sorted(nested.parse_example_spec) == ["one", "other", "word"]


def test_sequences(fc, cache):
    column = fc.indicator_column(fc.sequence_categorical_column_with_identity("steps", 3))
    values, lengths = column.get_sequence_dense_tensor(cache, None)
    assert np.argmax(values, -1).tolist() == [[1, 2], [0, 0]]
    assert np.sum(values, -1).tolist() == [[1.0, 1.0], [1.0, 0.0]]
    assert lengths.numpy().tolist() == [2, 1]
    values, lengths = fc.sequence_numeric_column("levels", 2, -1.0).get_sequence_dense_tensor(cache, None)
    assert values.numpy().tolist() == [[[1.0, 2.0], [3.0, -1.0]], [[4.0, -1.0], [-1.0, -1.0]]]
    assert lengths.numpy().tolist() == [2, 1]
    with pytest.raises(ValueError, match="must not be of type SequenceCategoricalColumn"):
        dense(column, cache)
    with pytest.raises(ValueError, match="must be of type SequenceCategoricalColumn to use SequenceFeatures"):
        fc.indicator_column(fc.categorical_column_with_identity("id", 3)).get_sequence_dense_tensor(cache, None)


def test_embeddings(tf, fc, cache):
    class State(tf.__internal__.feature_column.StateManager):
        def create_variable(self, feature_column, name, shape, **_):
            rows = tf.reshape(tf.range(float(shape[0] * shape[1])), shape)
            self._cols_to_vars_map[feature_column][name] = tf.Variable(rows)

    words = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
    for arguments, expected in (
        ({}, [[0.0, 1.0], [2.0, 3.0]]),
        ({"combiner": "sum", "max_norm": 1.0}, [[0.0, 1.0], [2 / 13**0.5, 3 / 13**0.5]]),
    ):
        column, state = fc.embedding_column(words, 2, **arguments), State(None, True)
        column.create_state(state)
        np.testing.assert_allclose(column.get_dense_tensor(cache, state), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="Variable does not exist."):
        column.get_dense_tensor(cache, State(None, True))
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        fc.shared_embeddings([words], 3)


def test_wrong_arguments(tf, fc):
    word, number = fc.categorical_column_with_hash_bucket("w", 3), fc.numeric_column("n")
    for make, kind, text in (
        (lambda: fc.numeric_column("n", default_value=0.5, dtype=tf.int64), TypeError, "must be compatible with dtype"),
        (lambda: fc.numeric_column("n", 2, default_value=[1]), ValueError, "must be equal to given shape"),
        (lambda: fc.numeric_column("n", 0), ValueError, "shape dimensions must be greater than 0"),
        (lambda: fc.numeric_column("n", 1.5), TypeError, "shape dimensions must be integer"),
        (lambda: fc.numeric_column(3), ValueError, "key must be a string. Got: type <class 'int'>. Given key: 3."),
        (lambda: fc.numeric_column("n", dtype=tf.string), ValueError, "dtype must be convertible to float"),
        (lambda: fc.bucketized_column(word, [1]), ValueError, "source_column must be a column generated with"),
        (lambda: fc.bucketized_column(number, [2, 1]), ValueError, "boundaries must be a sorted list."),
        (lambda: fc.categorical_column_with_identity("i", 2, 2), ValueError, r"not in range \[0, 2\), column_name i"),
        (lambda: fc.categorical_column_with_hash_bucket("w", 0), ValueError, "hash_bucket_size must be at least 1"),
        (lambda: fc.categorical_column_with_vocabulary_list("w", ["a", "a"]), ValueError, "Duplicate keys"),
        (lambda: fc.categorical_column_with_vocabulary_list("w", [1.5]), ValueError, "must be string or integer"),
        (lambda: fc.categorical_column_with_vocabulary_file("w", "/no/such/file"), ValueError, "in w does not exist"),
        (lambda: fc.weighted_categorical_column(word, "k", None), ValueError, "dtype None is not convertible to float."),
        (lambda: fc.crossed_column(["w", word], 3), ValueError, "is not supported for crossing"),
        (lambda: fc.crossed_column(["w"], 3), ValueError, "keys must be a list with length > 1"),
        (lambda: fc.indicator_column(number), ValueError, "Input must be a CategoricalColumn"),
        (lambda: fc.embedding_column(word, 0), ValueError, "Invalid dimension 0."),
        (lambda: fc.make_parse_example_spec([3]), ValueError, "must be FeatureColumn instances. Given: 3"),
        (lambda: fc.make_parse_example_spec([word, fc.numeric_column("w")]), ValueError, "different parse_spec for key w"),
    ):
        with pytest.raises(kind, match=text):
            make()


def test_examples_are_parsed_by_specs(tf, fc):
    columns = [fc.numeric_column("n", 2), fc.embedding_column(fc.categorical_column_with_hash_bucket("w", 9), 2)]
    spec = fc.make_parse_example_spec(columns)
    assert spec == {"n": tf.io.FixedLenFeature((2,), tf.float32), "w": tf.io.VarLenFeature(tf.string)}
    features = {
        "n": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    parsed = tf.io.parse_example([example], spec)
    cache = tf.__internal__.feature_column.FeatureTransformationCache(parsed)
    assert dense(columns[0], cache) == [[1.0, 2.0]]


def test_configs(tf, fc):
    inner = tf.__internal__.feature_column
    number = fc.numeric_column("n")
    buckets = fc.bucketized_column(number, [1, 2])
    plain = inner.serialize_feature_column(buckets)
    assert plain["config"]["source_column"]["config"]["dtype"] == "float32"
    crossed = fc.crossed_column([buckets, "w"], 5)
    for column in buckets, crossed, fc.indicator_column(crossed), fc.sequence_numeric_column("s"):
        assert inner.deserialize_feature_column(inner.serialize_feature_column(column)) == column
    table = inner.deserialize_feature_column(inner.serialize_feature_column(fc.embedding_column(crossed, 4)))
    assert table.initializer.get_config()["stddev"] == 0.5


def test_columns_in_functions(tf, fc):
    number = fc.numeric_column("n")
    word = fc.indicator_column(fc.categorical_column_with_vocabulary_list("w", ["a", "b"]))

    @tf.function
    def made(features):
        cache = tf.__internal__.feature_column.FeatureTransformationCache(features)
        return number.get_dense_tensor(cache, None), word.get_dense_tensor(cache, None)

    numbers, words = made({"n": tf.constant([1.0, 2.0]), "w": tf.constant(["b", "c"])})
    assert numbers.numpy().tolist() == [[1.0], [2.0]]
    assert words.numpy().tolist() == [[0.0, 1.0], [0.0, 0.0]]


@pytest.mark.filterwarnings("ignore:`layer.add_variable` is deprecated")
def test_layers_of_tensorflow_1(tf):
    tf1 = tf.compat.v1
    fc = tf1.feature_column
    word = fc.categorical_column_with_vocabulary_list("w", ["a", "b"], num_oov_buckets=1)
    number = fc.numeric_column("n")
    with tf.Graph().as_default(), tf1.Session() as session:
        features = {"n": tf.constant([[2.0], [3.0]]), "w": tf.constant([["a", "b"], ["c", ""]])}
        table = fc.embedding_column(word, 2, initializer=tf1.constant_initializer(0.5))
        variables = {}
        inputs = fc.input_layer(features, [table, number, fc.indicator_column(word)], cols_to_vars=variables)
        sums = fc.linear_model(features, [number, word], units=2)
        gradients = tf1.gradients(sums * [[1.0, 2.0], [3.0, 4.0]], tf1.trainable_variables()[1:])
        assert [v.name for v in tf1.global_variables()] == [
            "input_layer/w_embedding/embedding_weights:0",
            "linear_model/n/weights:0",
            "linear_model/w/weights:0",
            "linear_model/bias_weights:0",
        ]
        assert [v.name for v in variables[table]] == ["input_layer/w_embedding/embedding_weights:0"]
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        assert session.run(inputs).tolist() == [[2.0, 0.5, 0.5, 1.0, 1.0, 0.0], [3.0, 0.5, 0.5, 0.0, 0.0, 1.0]]
        assert session.run(sums).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        found = [session.run(tf.convert_to_tensor(gradient)).tolist() for gradient in gradients]
        assert found == [[[11.0, 16.0]], [[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]], [4.0, 6.0]]
        with pytest.raises(ValueError, match="Items of feature_columns must be a _DenseColumn."):
            fc.input_layer(features, [word])
        with pytest.raises(ValueError, match="Duplicate feature column name found for columns"):
            fc.linear_model(features, [number, number])


def test_shared_embeddings(tf):
    tf1, fc = tf.compat.v1, tf.feature_column
    with tf.Graph().as_default(), tf1.Session() as session:
        first, second = fc.shared_embeddings(
            [fc.categorical_column_with_identity(key, 3) for key in ("a", "b")], 2, initializer=tf1.ones_initializer()
        )
        cache = tf.__internal__.feature_column.FeatureTransformationCache({"a": tf.constant([0]), "b": tf.constant([2])})
        values = [column.get_dense_tensor(cache, None) for column in (first, second)]
        assert (first.name, [v.name for v in tf1.global_variables()]) == ("a_shared_embedding", ["a_b_shared_embedding:0"])
        session.run(tf1.global_variables_initializer())
        assert session.run(values)[1].tolist() == [[1.0, 1.0]]


def shared_columns(tf, *keys, **options):
    fc = tf.compat.v1.feature_column
    ids = [fc.categorical_column_with_identity(key, 3) for key in keys]
    return fc.shared_embedding_columns(ids, 2, initializer=tf.compat.v1.ones_initializer(), **options)


@pytest.mark.filterwarnings("ignore:`layer.add_variable` is deprecated")
def test_shared_columns_of_tensorflow_1(tf):
    tf1, features = tf.compat.v1, {"a": [[0], [1]], "b": [[2], [2]]}
    fc = tf1.feature_column
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        columns = shared_columns(tf, "b", "a")
        assert [column.name for column in columns] == ["b_shared_embedding", "a_shared_embedding"]
        assert columns[0].shared_embedding_collection_name == "a_b_shared_embedding"
        variables, outputs = {}, {}
        inputs = fc.input_layer(features, columns, cols_to_vars=variables, cols_to_output_tensors=outputs)
        assert inputs.shape.as_list() == [2, 4] and len(outputs) == 2
        (table,) = tf1.global_variables()
        assert table.name == "input_layer/a_b_shared_embedding/embedding_weights:0"
        assert [[v.name for v in variables[column]] for column in columns] == [[], [table.name]]
        assert graph.get_collection("a_b_shared_embedding") == [table]
        fc.linear_model(features, columns)
        fc.input_layer(features, columns)
        assert [v.name for v in tf1.global_variables()][1:] == [
            "linear_model/a_b_shared_embedding/weights:0",
            "linear_model/a_b_shared_embedding_1/weights:0",
            "linear_model/bias_weights:0",
        ]
        session.run(tf1.global_variables_initializer())
        assert session.run(inputs).tolist() == [[1.0] * 4] * 2
        fc.input_layer(features, shared_columns(tf, "b", "a", shared_embedding_collection_name="mine", trainable=False))
        assert tf1.global_variables()[-1].name == "input_layer_2/mine/embedding_weights:0"
        assert tf1.global_variables()[-1] not in tf1.trainable_variables()


def test_shared_columns_that_do_not_fit(tf):
    fc = tf.compat.v1.feature_column
    with pytest.raises(RuntimeError, match="shared_embedding_columns are not supported when eager execution is enabled"):
        shared_columns(tf, "a")
    with tf.Graph().as_default() as graph:
        one, other = fc.categorical_column_with_identity("a", 3), fc.categorical_column_with_identity("b", 4)
        for make, text in (
            (lambda: fc.shared_embedding_columns([one, other], 2), "must have the same number of buckets. ven column: "),
            (lambda: fc.shared_embedding_columns([one], 0), "Invalid dimension 0."),
            (lambda: fc.shared_embedding_columns([one], 1, initializer=3), "initializer must be callable if specified."),
            (lambda: shared_columns(tf, "a", ckpt_to_load_from="x"), "Must specify both `ckpt_to_load_from` and"),
        ):
            with pytest.raises(ValueError, match=text):
                make()
        graph.add_to_collection("mine", tf.compat.v1.get_variable("v", [3, 3]))
        columns = shared_columns(tf, "a", shared_embedding_collection_name="mine")
        with pytest.raises(ValueError, match=r"collection mine contains variable v:0 of unexpected shape \(3, 3\)"):
            fc.input_layer({"a": [[0]]}, columns)
        graph.add_to_collection("mine", tf.compat.v1.get_variable("w", [3, 2]))
        with pytest.raises(ValueError, match="can only contain one variable. Suggested fix A"):
            fc.input_layer({"a": [[0]]}, columns)


@pytest.mark.filterwarnings("ignore:`layer.add_variable` is deprecated")
def test_columns_of_different_numbers_of_examples(tf, v1):
    fc, v1fc = tf.feature_column, v1.feature_column
    columns = [fc.numeric_column("x"), fc.numeric_column("y")]
    features = {"x": [[1.0], [2.0]], "y": [[1.0]]}
    for make in (v1fc.input_layer, v1fc.linear_model):
        with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
            make(features, columns)
        assert str(caught.value) == (
            "Batch size (first dimension) of each feature must be same. Batch size of columns (x, y): (2, 1)"
        )


@pytest.mark.filterwarnings("ignore:`layer.add_variable` is deprecated")
def test_variables_of_a_linear_model_in_order(tf, v1):
    column = tf.feature_column.embedding_column(tf.feature_column.categorical_column_with_identity("a", 3), 2)
    with tf.Graph().as_default():
        v1.feature_column.linear_model({"a": [[0], [2]]}, [column])
        names = [variable.name.split("/")[-1] for variable in v1.global_variables()]
    assert names == ["weights:0", "embedding_weights:0", "bias_weights:0"]
