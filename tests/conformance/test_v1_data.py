"""tf.compat.v1.data: iterators as parts of a graph, and datasets with the methods of TensorFlow 1."""

import numpy as np
import pytest

pytestmark = [pytest.mark.rule(27, "surface"), pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")]


@pytest.fixture
def data(tf):
    return tf.compat.v1.data


@pytest.fixture
def session(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as opened:
        yield opened


def rest(tf, session, step) -> list:
    """What further runs give, up to the end."""
    found = []
    while True:
        try:
            found.append(session.run(step))
        except tf.errors.OutOfRangeError:
            return found


# Iterators that begin by themselves


def test_one_shot(tf, data, session):
    dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    step = data.make_one_shot_iterator(dataset).get_next()
    assert step.shape.as_list() == [None] and step.dtype == tf.int64
    assert [x.tolist() for x in rest(tf, session, step)] == [[0, 1], [4, 9], [16]]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        session.run(step)


def test_each_session_has_its_own(tf, data):
    with tf.Graph().as_default():
        step = data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
        one, other = tf.compat.v1.Session(), tf.compat.v1.Session()
        assert [one.run(step), one.run(step), other.run(step), one.run(step)] == [0, 1, 0, 2]


def test_two_parts_of_one_run(tf, data, session):
    iterator = data.make_one_shot_iterator(tf.data.Dataset.range(6))
    first, second = iterator.get_next(), iterator.get_next(name="again")
    assert second.op.name == "again"
    assert sorted(session.run([first, second])) == [0, 1]
    assert session.run(first + 10) == 12


def test_elements_with_structure(tf, data, session):
    dataset = data.Dataset.from_tensor_slices({"a": [1, 2], "b": (np.float32([[1, 2], [3, 4]]), ["x", "y"])})
    step = dataset.make_one_shot_iterator().get_next()
    found = session.run(step)
    assert found["a"] == 1 and found["b"][0].tolist() == [1, 2] and found["b"][1] == b"x"
    ragged = tf.data.Dataset.range(3).map(tf.range).ragged_batch(3)
    assert session.run(data.make_one_shot_iterator(ragged).get_next()).to_list() == [[], [0], [0, 1]]


def test_errors_midway(tf, data, session):
    checked = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "no"))
    step = data.make_one_shot_iterator(checked).get_next()
    assert session.run(step) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
        session.run(step)
    assert rest(tf, session, step) == [0.25]
    empty = data.make_one_shot_iterator(tf.data.Dataset.range(0)).get_next()
    assert rest(tf, session, empty) == []


def test_what_one_shot_refuses(tf, data, session):
    stop = tf.compat.v1.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        data.make_one_shot_iterator(tf.data.Dataset.range(stop))
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([0], [1]), -1)
    with pytest.raises(ValueError, match="Cannot capture a stateful node"):
        data.make_one_shot_iterator(data.Dataset.from_tensors(0).map(table.lookup))
    iterator = data.make_one_shot_iterator(tf.data.Dataset.range(2))
    with pytest.raises(ValueError, match="does not have an initializer"):
        print(iterator.initializer)
    dataset = data.Dataset.range(2)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="is different from the graph"):
        data.make_one_shot_iterator(dataset)


def test_eagerly(tf, data):
    iterator = data.make_one_shot_iterator(tf.data.Dataset.range(2))
    assert [int(x) for x in iterator] == [0, 1]
    assert [int(x) for x in data.Dataset.range(3).make_one_shot_iterator()] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="not supported in eager mode"):
        data.make_initializable_iterator(tf.data.Dataset.range(2))


# Iterators that begin when they are told to


def test_initializable(tf, data, session):
    stop = tf.compat.v1.placeholder(tf.int64, [])
    iterator = data.make_initializable_iterator(tf.data.Dataset.range(stop))
    step = iterator.get_next()
    with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
        session.run(step)
    session.run(iterator.initializer, {stop: 2})
    assert rest(tf, session, step) == [0, 1]
    session.run(iterator.initializer, {stop: 3})
    assert rest(tf, session, step) == [0, 1, 2]


def test_variables_in_functions(tf, data, session):
    factor = tf.compat.v1.get_variable("factor", initializer=3, use_resource=True)
    iterator = data.Dataset.from_tensor_slices([1, 2]).map(lambda x: x * factor).make_initializable_iterator()
    session.run(tf.compat.v1.global_variables_initializer())
    session.run(iterator.initializer)
    assert rest(tf, session, iterator.get_next()) == [3, 6]


def test_by_structure(tf, data, session):
    iterator = data.Iterator.from_structure(tf.int64, [None])
    step = iterator.get_next()
    begin = iterator.make_initializer(tf.data.Dataset.range(3).batch(2))
    other = iterator.make_initializer(tf.data.Dataset.range(9, 11).batch(1), name="other")
    assert other.name == "other"
    session.run(begin)
    assert session.run(step).tolist() == [0, 1]
    session.run(other)
    assert [x.tolist() for x in rest(tf, session, step)] == [[9], [10]]
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(tf.data.Dataset.from_tensors([1.5]))
    with pytest.raises(TypeError, match="Expected output shapes compatible"):
        iterator.make_initializer(tf.data.Dataset.range(2))
    with pytest.raises(TypeError, match="Expected output classes"):
        data.Iterator.from_structure(tf.int64).make_initializer(
            tf.data.Dataset.from_tensors(tf.sparse.from_dense(np.int64([1])))
        )
    with pytest.raises(ValueError, match="does not have an initializer"):
        print(iterator.initializer)


def test_by_name(tf, data, session):
    handle = tf.compat.v1.placeholder(tf.string, [])
    step = data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    one = data.make_one_shot_iterator(tf.data.Dataset.range(4))
    other = data.make_one_shot_iterator(tf.data.Dataset.range(10, 14))
    names = session.run([one.string_handle(), other.string_handle("named")])
    found = [int(session.run(step, {handle: names[i]})) for i in (0, 1, 1, 0)]
    assert found == [0, 10, 11, 1]
    with pytest.raises(tf.errors.OpError):
        session.run(step, {handle: "nothing"})


def test_optionals(tf, data, session):
    optional = data.make_one_shot_iterator(tf.data.Dataset.range(1)).get_next_as_optional()
    has_value = optional.has_value()
    assert [bool(session.run(has_value)) for _ in range(2)] == [True, False]


def test_many_steps_are_warned_of(tf, data, session):
    iterator = data.make_one_shot_iterator(tf.data.Dataset.range(2))
    for _ in range(32):
        iterator.get_next()
    with pytest.warns(UserWarning, match="unusually high number of `Iterator.get_next"):
        iterator.get_next()


# Structures


def test_structures(tf, data, session):
    dataset = data.Dataset.from_tensors((tf.sparse.from_dense([[1, 0]]), {"b": np.float32([1, 2])}))
    assert dataset.output_types == (tf.int32, {"b": tf.float32}) == data.get_output_types(dataset)
    assert dataset.output_classes == (tf.sparse.SparseTensor, {"b": tf.Tensor}) == data.get_output_classes(dataset)
    shapes = data.get_output_shapes(dataset)
    assert shapes[0].as_list() == [1, 2] and shapes[1]["b"].as_list() == [2]
    iterator = dataset.make_one_shot_iterator()
    assert iterator.output_types == dataset.output_types and iterator.element_spec == dataset.element_spec
    assert iterator.output_classes == dataset.output_classes
    found = session.run(iterator.get_next())
    assert found[0].values.tolist() == [1] and found[1]["b"].tolist() == [1, 2]
    ragged = tf.data.Dataset.range(2).map(tf.range).ragged_batch(2)
    assert data.get_output_classes(ragged) == ragged.element_spec
    with pytest.raises(ValueError, match="must be specified to create an iterator"):
        data.Iterator(iterator._iterator_resource, None, None, None, None)


# Datasets


def test_methods_keep_the_class(tf, data):
    dataset = data.Dataset.range(8)
    made = [
        dataset.map(lambda x: x + 1),
        dataset.filter(lambda x: x > 2),
        dataset.batch(2),
        dataset.shuffle(3, seed=1),
        dataset.flat_map(lambda x: tf.data.Dataset.from_tensors(x)),
        dataset.apply(lambda d: d.take(2)),
        dataset.with_options(tf.data.Options()),
        data.Dataset.zip((dataset, dataset)),
        data.experimental.Counter(),
        data.experimental.sample_from_datasets([dataset, dataset], seed=1),
        dataset.concatenate(dataset).prefetch(1).repeat(2).skip(1).take(3).cache(),
    ]
    assert all(isinstance(one, data.Dataset) and hasattr(one, "make_one_shot_iterator") for one in made)
    assert repr(dataset.map(lambda x: x)).startswith("<_MapDataset element_spec=")
    # An OutOfRangeError in the function ends the dataset, so that nobody knows how many elements there are.
    assert int(dataset.map(lambda x: x).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert [int(x) for x in dataset.map_with_legacy_function(lambda x: -x).filter_with_legacy_function(lambda x: x < -5)] == [
        -6,
        -7,
    ]


def test_files(tf, data, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("a\nb\n")
    dataset = data.TextLineDataset(str(path))
    assert isinstance(dataset, data.Dataset) and [x.numpy() for x in dataset] == [b"a", b"b"]
    assert [x.numpy() for x in data.FixedLengthRecordDataset(str(path), 2)] == [b"a\n", b"b\n"]
    columns = data.experimental.CsvDataset(str(path), [tf.string])
    assert [x.numpy() for x, in columns] == [b"a", b"b"]
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"r")
    assert [x.numpy() for x in data.TFRecordDataset(str(tmp_path / "records"))] == [b"r"]


def test_sparse_slices(tf, data):
    sparse = tf.sparse.SparseTensor([[0, 0], [2, 1]], [1.5, 2.5], [3, 2])
    found = [tuple(part.tolist() for part in row) for row in data.Dataset.from_sparse_tensor_slices(sparse).as_numpy_iterator()]
    assert found == [([[0]], [1.5], [2]), ([], [], [2]), ([[1]], [2.5], [2])]
    with pytest.raises(TypeError, match="must be a `tf.sparse.SparseTensor`"):
        data.Dataset.from_sparse_tensor_slices([1])


def test_names(tf, data):
    old = data.experimental
    assert old.TensorStructure(tf.int32, [2]) == tf.TensorSpec([2], tf.int32)
    assert old.SparseTensorStructure(tf.int32, [2]) == tf.SparseTensorSpec([2], tf.int32)
    assert old.RaggedTensorStructure(tf.int32, [2, None], 1) == tf.RaggedTensorSpec([2, None], tf.int32, 1)
    assert old.Structure is tf.TypeSpec and old.DatasetStructure is tf.data.DatasetSpec
    assert old.OptionalStructure is tf.OptionalSpec
    assert old.unique is tf.data.experimental.unique and old.AUTOTUNE == -1
    assert not hasattr(old, "at") and not hasattr(old, "save")
