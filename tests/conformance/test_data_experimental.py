"""`tf.data.experimental`: transformations for `Dataset.apply`, and further functions."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def dataset(tf):
    return tf.data.Dataset.range(6)


def test_transformations(tf, dataset):
    x = tf.data.experimental
    for change, found in [
        (x.take_while(lambda v: v < 2), [0, 1]), (x.unique(), [0, 1, 2, 3, 4, 5]), (x.ignore_errors(), [0, 1, 2, 3, 4, 5]),
        (x.scan(np.int64(0), lambda s, v: (s + v, s)), [0, 0, 1, 3, 6, 10]), (x.enumerate_dataset(9), list(zip(range(9, 15), range(6)))),
        (x.map_and_batch(lambda v: v * 2, 4), [[0, 2, 4, 6], [8, 10]]), (x.copy_to_device("/cpu:0"), [0, 1, 2, 3, 4, 5]),
        (x.group_by_window(lambda v: v % 2, lambda k, d: d.batch(3), 3), [[0, 2, 4], [1, 3, 5]]),
        (x.parallel_interleave(lambda v: tf.data.Dataset.from_tensors(v).repeat(2), 2), [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5]),
        (x.assert_cardinality(6), [0, 1, 2, 3, 4, 5]),
    ]:
        assert elements(dataset.apply(change)) == found
    assert elements(dataset.batch(4).apply(x.unbatch())) == list(range(6))
    assert sorted(elements(dataset.apply(x.shuffle_and_repeat(3, 2)))) == sorted(2 * list(range(6)))


def test_cardinalities(tf, dataset):
    x = tf.data.experimental
    assert int(x.cardinality(dataset)) == 6
    known = dataset.filter(lambda v: v < 2).apply(x.assert_cardinality(2))
    assert len(known) == 2 and elements(known) == [0, 1]
    for count in (1, 3):
        with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain|cardinality"):
            list(dataset.filter(lambda v: v < 2).apply(x.assert_cardinality(count)))


def test_sources(tf):
    x = tf.data.experimental
    assert elements(x.Counter(5, -1).take(2)) == [5, 4]
    assert x.RandomDataset(seed=1).element_spec == tf.TensorSpec([], tf.int64)
    assert elements(x.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    ragged = x.from_list([tf.constant([1]), tf.constant([2, 3])])
    assert elements(ragged) == [[1], [2, 3]] and ragged.element_spec.shape.as_list() == [None]
    with pytest.raises(ValueError):
        x.from_list([])


def test_single_elements(tf, dataset):
    x = tf.data.experimental
    assert int(x.at(dataset, 3)) == 3 and int(x.at(dataset.skip(2), 0)) == 2
    with pytest.raises(tf.errors.OutOfRangeError):
        x.at(dataset, 6)
    assert int(x.get_single_element(dataset.take(1))) == 0
    with pytest.raises(TypeError, match="Invalid `dataset`. Expected a `tf.data.Dataset` object but got"):
        x.get_single_element(3)
    assert int(x.get_next_as_optional(iter(dataset)).get_value()) == 0


def test_group_by_reducer(tf, dataset):
    x = tf.data.experimental
    mean = x.Reducer(lambda key: (np.int64(0), np.int64(0)), lambda state, v: (state[0] + v, state[1] + 1),
                     lambda total, count: total * 10 + count)
    assert elements(dataset.apply(x.group_by_reducer(lambda v: v % 2, mean))) == [63, 93]
    with pytest.raises(ValueError, match="scalar tf.int64 tensor"):
        dataset.apply(x.group_by_reducer(lambda v: tf.cast(v, tf.float32), mean))


def test_pad_to_cardinality(tf):
    x = tf.data.experimental
    padded = tf.data.Dataset.from_tensor_slices({"a": [5, 6]}).apply(x.pad_to_cardinality(3))
    assert elements(padded) == [{"a": 5, "valid": True}, {"a": 6, "valid": True}, {"a": 0, "valid": False}]
    with pytest.raises(ValueError, match="requires its input dataset to be a dictionary"):
        tf.data.Dataset.range(2).apply(x.pad_to_cardinality(3))


def test_tables(tf):
    x = tf.data.experimental
    pairs = tf.data.Dataset.from_tensor_slices((tf.range(3, dtype=tf.int64), tf.range(3, dtype=tf.int64) * 7))
    table = tf.lookup.StaticHashTable(x.DatasetInitializer(pairs), default_value=-1)
    assert table.lookup(tf.constant([0, 2, 5], tf.int64)).numpy().tolist() == [0, 14, -1]
    words = x.index_table_from_dataset(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    assert words.lookup(tf.constant(["b", "z"])).numpy().tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"must produce elements in the form \(key, value\)"):
        x.DatasetInitializer(tf.data.Dataset.zip(pairs, pairs, pairs))


def test_structure_of_what_has_none(tf):
    with pytest.raises(TypeError, match="must be a `tf.data.Dataset` or tf.data.Iterator object, but got"):
        tf.data.experimental.get_structure(3)


def test_names(tf):
    assert set(tf.data.__all__ if hasattr(tf.data, "__all__") else dir(tf.data)) >= {
        "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator", "IteratorSpec",
        "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "UNKNOWN_CARDINALITY",
        "experimental"}
    assert tf.data.experimental.Optional is tf.experimental.Optional
