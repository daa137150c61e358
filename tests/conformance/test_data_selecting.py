"""Transformations that choose, order and keep elements; facts about datasets."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


@pytest.mark.parametrize("change, found", [
    (lambda d: d.take(2), [0, 1]), (lambda d: d.take(-1), [0, 1, 2, 3, 4]), (lambda d: d.take(9), [0, 1, 2, 3, 4]),
    (lambda d: d.skip(3), [3, 4]), (lambda d: d.skip(-1), []), (lambda d: d.skip(0), [0, 1, 2, 3, 4]),
    (lambda d: d.shard(2, 1), [1, 3]), (lambda d: d.take(2).repeat(2), [0, 1, 0, 1]), (lambda d: d.repeat(0), []),
    (lambda d: d.cache(), [0, 1, 2, 3, 4]), (lambda d: d.prefetch(2), [0, 1, 2, 3, 4]),
    (lambda d: d.apply(lambda x: x.skip(4)), [4]),
])
def test_selections(tf, change, found):
    dataset = change(tf.data.Dataset.range(5))
    assert elements(dataset) == elements(dataset) == found and len(dataset) == len(found)
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)


def test_arguments_may_be_tensors(tf):
    assert elements(tf.data.Dataset.range(5).skip(tf.constant(3, tf.int64)).take(tf.constant(1, tf.int64))) == [3]


def test_bad_numbers(tf):
    dataset = tf.data.Dataset.range(3)
    for call, text in [
        (lambda: dataset.shard(2, 2), "Index must be between 0 and 1"),
        (lambda: dataset.shuffle(0), "buffer_size must be greater than zero"),
        (lambda: dataset.prefetch(-3), "buffer_size must be >= 0"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            call()
    with pytest.raises(TypeError, match="must return a `tf.data.Dataset` object"):
        dataset.apply(lambda d: 3)


def test_the_order_of_a_shuffle(tf):
    assert elements(tf.data.Dataset.range(8).shuffle(3, seed=1)) == elements(tf.data.Dataset.range(8).shuffle(3, seed=1))
    tf.random.set_seed(7)
    dataset = tf.data.Dataset.range(10).shuffle(10, seed=3)
    first, second = elements(dataset), elements(dataset)
    assert sorted(first) == list(range(10)) and first != second
    same = tf.data.Dataset.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False)
    assert elements(same) == elements(same)


def test_unique(tf):
    assert elements(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()) == [1, 37, 2]
    assert elements(tf.data.Dataset.from_tensor_slices(["a", "b", "a"]).unique()) == [b"a", b"b"]
    with pytest.raises(TypeError, match="does not support type"):
        tf.data.Dataset.from_tensors(1.0).unique()


def test_cache_computes_once(tf):
    calls = []

    def count(x):
        calls.append(1)
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(count, [x], tf.int64)).cache()
    assert elements(dataset) == elements(dataset) == [0, 1, 2] and len(calls) == 3


def test_ignore_errors(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "no"))
    assert elements(dataset.ignore_errors()) == [1.0, 0.25]


def test_lengths(tf):
    dataset = tf.data.Dataset.range(42)
    assert int(dataset.cardinality()) == len(dataset) == 42 and dataset.cardinality().dtype == tf.int64
    assert len(dataset.batch(5)) == 9 and len(dataset.batch(5, drop_remainder=True)) == 8
    with pytest.raises(TypeError, match="The dataset is infinite"):
        len(dataset.repeat())
    with pytest.raises(TypeError, match="The dataset length is unknown"):
        len(dataset.filter(lambda x: True))
    assert bool(tf.data.Dataset.range(0)) is True


def test_texts(tf):
    dataset = tf.data.Dataset.range(3)
    assert repr(dataset) == "<_RangeDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert repr(dataset.map(lambda x: (x, 1.0))).startswith("<_MapDataset element_spec=(TensorSpec(shape=(),")
    assert repr(dataset.batch(2)).startswith("<_BatchDataset") and repr(dataset.as_numpy_iterator()).startswith("NumpyIterator(")


def test_iterators(tf):
    iterator = iter(tf.data.Dataset.range(3))
    assert isinstance(iterator, tf.data.Iterator) and iter(iterator) is iterator
    assert iterator.element_spec == tf.TensorSpec([], tf.int64)
    assert int(next(iterator)) == 0 and int(iterator.get_next()) == 1
    assert int(iterator.get_next_as_optional().get_value()) == 2
    assert not bool(iterator.get_next_as_optional().has_value())
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    assert next(iterator, None) is None and list(iterator) == []


def test_numpy_iterators(tf):
    rows = list(tf.data.Dataset.from_tensor_slices({"a": [[1], [2]]}).as_numpy_iterator())
    assert [row["a"].tolist() for row in rows] == [[1], [2]] and not rows[0]["a"].flags.writeable
    with pytest.raises(TypeError, match="is not supported for datasets that produce values of type"):
        tf.data.Dataset.range(4).window(2).as_numpy_iterator()


def test_numpy_iterators_fill_sparse_tensors(tf):
    def arrays(indices, values, shape):
        sparse = tf.SparseTensor(indices, values, shape)
        return list(tf.data.Dataset.from_tensors({"s": sparse, "n": 1}).as_numpy_iterator())

    (row,) = arrays([[1, 0], [0, 1]], [1, 2], [2, 2])
    assert (row["s"].tolist(), row["s"].dtype, int(row["n"])) == ([[0, 2], [1, 0]], "int32", 1)
    assert not row["s"].flags.writeable
    assert arrays([[1]], [True], [3])[0]["s"].tolist() == [False, True, False]
    assert arrays(np.zeros([0, 2]), np.zeros([0]), [2, 1])[0]["s"].tolist() == [[0], [0]]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        arrays([[7]], [1], [3])


def test_single_elements(tf):
    assert tf.data.Dataset.range(3).batch(3).get_single_element().numpy().tolist() == [0, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one element"):
        tf.data.Dataset.range(3).get_single_element()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dataset was empty"):
        tf.data.Dataset.range(0).get_single_element()


def test_graphs_have_no_iteration_in_python(tf):
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(3)
        with pytest.raises(RuntimeError, match="only supports Python-style iteration in eager mode or within tf.function"):
            iter(dataset)
        with pytest.raises(TypeError, match="only supports `len` in eager mode"):
            len(dataset)
        with pytest.raises(RuntimeError, match="is only supported in eager mode"):
            dataset.as_numpy_iterator()


def test_what_a_condition_returns_instead_of_a_bool(tf):
    d = tf.data.Dataset.range(3)
    with pytest.raises(ValueError, match=r"`tf\.bool` scalar tensor, but its return type is TensorSpec"):
        d.filter(lambda x: x)
    with pytest.raises(ValueError, match=r"`tf\.bool` scalar tensor but its return type isTensorSpec"):
        d.take_while(lambda x: x)


def test_any_value_says_whether_the_order_is_kept(tf):
    d = tf.data.Dataset.range(3, foo=1)
    assert list(d.map(lambda x: x, num_parallel_calls=2, deterministic="yes").as_numpy_iterator()) == [0, 1, 2]
    inner = d.interleave(lambda x: tf.data.Dataset.from_tensors(x), num_parallel_calls=2, deterministic=1)
    assert list(inner.as_numpy_iterator()) == [0, 1, 2]
