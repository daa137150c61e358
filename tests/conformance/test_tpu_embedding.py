"""`tf.tpu.experimental.embedding` on a CPU: configurations, optimizers, lookups, tables and their checkpoints."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@pytest.fixture
def embedding(tf):
    return tf.tpu.experimental.embedding


def table_of(tf, embedding, **given):
    given = {"name": "t", "initializer": tf.constant_initializer([x for row in ROWS for x in row]), **given}
    return embedding.TableConfig(3, 2, **given)


def test_optimizers(tf, embedding):
    slots = {
        "SGD": {},
        "Adagrad": {"accumulators": 0.1},
        "AdagradMomentum": {"accumulators": 0, "momenta": 0},
        "Adam": {"momenta": 0, "velocities": 0},
        "FTRL": {"accumulators": 0.1, "linears": 0},
    }
    for name, wanted in slots.items():
        made = getattr(embedding, name)()
        values = [initializer.get_config()["value"] for initializer in made._slot_initializers()]
        assert dict(zip(made._slot_names(), values)) == wanted
        assert made == getattr(embedding, name)() and hash(made) == hash(getattr(embedding, name)())
        assert made != getattr(embedding, name)(0.5)
    assert embedding.SGD() != embedding.Adam()
    assert (embedding.SGD(clipvalue=2.0).clip_gradient_min, embedding.SGD(clipvalue=(-1.0, 3.0)).clip_gradient_max) == (-2.0, 3.0)


@pytest.mark.parametrize(
    "name, given, text",
    [
        ("Adagrad", {"initial_accumulator_value": 0}, "must be a positive float. Received: 0"),
        ("FTRL", {"initial_accumulator_value": -1}, "must be a positive float. Received: -1"),
        ("AdagradMomentum", {"exponent": 0}, "Precondition exponent must >0"),
        ("AdagradMomentum", {"epsilon": 0}, "epsilon must be positive"),
        ("Adam", {"beta_1": 1.0}, "`beta_1` must be >= 0 and < 1. Received: 1.0"),
        ("Adam", {"epsilon": -1}, "epsilon must be positive; got -1"),
        ("Adam", {"lazy_adam": False, "use_gradient_accumulation": False}, "gradient accumulation must be used"),
        ("SGD", {"clipvalue": 1.0, "use_gradient_accumulation": False}, "`clipvalue` should be left as None"),
        ("Adagrad", {"slot_variable_creation_fn": 3}, "must be either None or a callable"),
        ("QuantizationConfig", {"num_buckets": 1, "lower": 0, "upper": 1}, "must be at least 2"),
        ("TableConfig", {"vocabulary_size": 0, "dim": 1}, "`vocabulary_size` must be an int and must be >= 1"),
        ("TableConfig", {"vocabulary_size": 1, "dim": 1.5}, "must be an int and must be >= 1. Received: 1.5"),
        ("TableConfig", {"vocabulary_size": 1, "dim": 1, "combiner": "x"}, "must be in"),
        ("TableConfig", {"vocabulary_size": 1, "dim": 1, "initializer": 3}, "must be a callable"),
        ("TableConfig", {"vocabulary_size": 1, "dim": 1, "dtype": "float64"}, "must be either float32 or int32"),
        ("FeatureConfig", {"table": 1}, "invalid type <class 'int'>"),
    ],
)
def test_refused_arguments(tf, embedding, name, given, text):
    with pytest.raises(ValueError) as error:
        getattr(embedding, name)(**given)
    assert text in str(error.value)


def test_texts(tf, embedding):
    table = embedding.TableConfig(3, 4, name="q")
    text = (
        "TableConfig(vocabulary_size=3, dim=4, initializer=None, optimizer=None, combiner='mean', name='q', "
        "quantization_config=None)"
    )
    assert repr(table) == text
    feature = embedding.FeatureConfig(table=table, output_shape=[2, None])
    assert repr(feature) == (
        f"FeatureConfig(table={text}, max_sequence_length=0, validate_weights_and_indices=True, "
        "output_shape=TensorShape([2, None]), name=None)"
    )
    assert table.initializer([3, 4]).shape == [3, 4]
    rows = embedding.RowIdInitializer(2)([3, 2], tf.float32)
    assert rows.numpy().tolist() == [[2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_lookups(tf, embedding, combiner):
    table = table_of(tf, embedding, combiner=combiner)
    ids = tf.ragged.constant([[0], [2, 1], []], dtype=tf.int64)
    weights = tf.ragged.constant([[2.0], [1.0, 3.0], []])
    sum_of_two = [8.0, 10.0]
    divisor = {"sum": 1.0, "mean": 2.0, "sqrtn": 2.0**0.5}[combiner]
    wanted = [ROWS[0], [x / divisor for x in sum_of_two], [0.0, 0.0]]
    divisor = {"sum": 1.0, "mean": 4.0, "sqrtn": 10.0**0.5}[combiner]
    first = [2 * x / {"sum": 1.0, "mean": 2.0, "sqrtn": 2.0}[combiner] for x in ROWS[0]]
    weighted = [first, [x / divisor for x in (14.0, 18.0)], [0.0, 0.0]]
    for validated in (True, False):
        feature = embedding.FeatureConfig(table=table, validate_weights_and_indices=validated)
        for convert in (lambda x: x, lambda x: x.to_sparse()):
            given = {"x": convert(ids)}
            tables = {table: tf.Variable(ROWS)}
            look_up = embedding.serving_embedding_lookup
            count = 2 if not validated and convert(ids) is not ids else 3  # the last row is dropped then
            found = look_up(given, None, tables, {"x": feature, "y": feature})["x"].numpy()
            np.testing.assert_allclose(found[:count], wanted[:count], rtol=1e-6)
            found = look_up(given, {"x": convert(weights)}, tables, {"x": feature})["x"].numpy()
            np.testing.assert_allclose(found[:count], weighted[:count], rtol=1e-6)
    dense = embedding.serving_embedding_lookup([tf.constant([[2], [0]])], None, {table: tf.constant(ROWS)}, [feature])
    assert dense[0].numpy().tolist() == [[ROWS[2]], [ROWS[0]]]


def test_sequences_and_output_shapes(tf, embedding):
    table = table_of(tf, embedding)
    tables = {table: tf.Variable(ROWS)}
    ids = tf.ragged.constant([[0], [2, 1, 0], []], dtype=tf.int64)
    nothing = [0.0, 0.0]
    wanted = [[ROWS[0], nothing], [ROWS[2], ROWS[1]], [nothing, nothing]]
    feature = embedding.FeatureConfig(table=table, max_sequence_length=2)
    for given in (ids, ids.to_sparse()):
        look_up = tf.function(lambda x: embedding.serving_embedding_lookup(x, None, tables, feature))
        assert look_up(given).numpy().tolist() == wanted
    for shape, values in (([3, 1], [[ROWS[0]], [[3.0, 4.0]], [nothing]]), ([3, 2], wanted)):
        feature = embedding.FeatureConfig(table=table, output_shape=shape)
        assert embedding.serving_embedding_lookup(ids, None, tables, feature).numpy().tolist() == values
    feature = embedding.FeatureConfig(table=table, output_shape=[2, 2])
    with pytest.raises(ValueError, match="should be the factor of the input data batch size"):
        embedding.serving_embedding_lookup(ids, None, tables, feature)
    with pytest.raises(ValueError, match="Only rank 2 ragged tensor is supported, but got rank 3"):
        embedding.serving_embedding_lookup(tf.ragged.constant([[[1]]]), None, tables, feature)


def test_refused_lookups(tf, embedding):
    table = table_of(tf, embedding)
    features = {"a": embedding.FeatureConfig(table), "s": embedding.FeatureConfig(table, max_sequence_length=2)}
    ids = tf.constant([1])
    sparse = tf.sparse.from_dense([[1, 0], [2, 1]])
    for inputs, weights, text in (
        ({"z": ids}, None, "Inputs are not a subset of feature_config"),
        ({"s": ids}, None, "Feature s is a sequence feature but a dense tensor was passed"),
        ({"a": ids}, {"a": ids}, "Weight specified for a, but input is dense"),
        ({"a": sparse}, {"a": ids}, "does not match type of the input"),
        ({"s": sparse}, {"s": sparse}, "this is a sequence feature"),
        ({"a": "q"}, None, "Input a is type <class 'str'>"),
    ):
        with pytest.raises(ValueError, match=text):
            embedding.serving_embedding_lookup(inputs, weights, {table: tf.Variable(ROWS)}, features)


def test_tables(tf, embedding, tmp_path):
    table = table_of(tf, embedding)
    other = embedding.TableConfig(3, 2, combiner="sum", optimizer=embedding.SGD(2.0))
    features = {"a": embedding.FeatureConfig(table=table), "b": embedding.FeatureConfig(table=other)}
    served = embedding.TPUEmbeddingForServing(features, embedding.Adam())
    assert list(served.variables) == ["t", "table_1"]
    assert list(served.variables["t"]) == ["momenta", "velocities", "parameters"]
    assert [v.name for v in served.variables["t"].values()] == ["t/momenta:0", "t/velocities:0", "t:0"]
    assert [v.trainable for v in served.variables["t"].values()] == [False, False, True]
    assert served.embedding_tables[table].numpy().tolist() == ROWS
    ids = tf.constant([1, 1, 0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(served({"a": ids})["a"])
    gradient = tf.convert_to_tensor(tape.gradient(loss, served.embedding_tables[table]))
    assert gradient.numpy().tolist() == [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]
    path = tf.train.Checkpoint(m=served).save(tmp_path / "c")
    names = [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)]
    assert names[1:] == ["m/t.Smomenta", "m/t.Svelocities", "m/t", "m/table_1", "save_counter"]
    served.embedding_tables[table].assign(tf.zeros([3, 2]))
    again = embedding.TPUEmbeddingForServing(features, embedding.Adam())
    tf.train.Checkpoint(m=again).restore(path)  # before there are Variables
    assert again({"a": ids})["a"].numpy().tolist() == [ROWS[1], ROWS[1], ROWS[0]]


def test_refused_tables(tf, embedding):
    one, two = table_of(tf, embedding), table_of(tf, embedding)
    with pytest.raises(ValueError, match="Multiple tables with name t found"):
        embedding.TPUEmbeddingForServing([embedding.FeatureConfig(one), embedding.FeatureConfig(two)], None)
    with pytest.raises(ValueError, match="is an unsupported optimizer class"):
        embedding.TPUEmbeddingForServing(embedding.FeatureConfig(table_of(tf, embedding, optimizer="sgd")), None)
