"""Groups by key, and draws from several datasets."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_group_by_window(tf):
    dataset = tf.data.Dataset.range(7)
    grouped = dataset.group_by_window(lambda x: x % 2, lambda key, rows: rows.batch(2), window_size=2)
    assert elements(grouped) == [[0, 2], [1, 3], [4, 6], [5]]
    by_size = dataset.group_by_window(lambda x: x % 2, lambda key, rows: rows.map(lambda x: x + 100 * key).batch(9),
                                      window_size_func=lambda key: 1 + key)
    assert elements(by_size) == [[0], [2], [101, 103], [4], [6], [105]]
    with pytest.raises(ValueError, match="Either the `window_size` argument or the `window_size_func` argument"):
        dataset.group_by_window(lambda x: x, lambda k, d: d)
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        dataset.group_by_window(lambda x: x, lambda k, d: k, window_size=2)


def test_bucket_by_sequence_length(tf):
    rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
    length = lambda x: tf.shape(x)[0]
    buckets = rows.bucket_by_sequence_length(length, [3], [2, 2])
    assert elements(buckets) == [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
    fixed = rows.take(2).bucket_by_sequence_length(length, [4], [2, 2], pad_to_bucket_boundary=True,
                                                   padding_values=tf.constant(-1, tf.int64))
    assert elements(fixed) == [[[1, -1, -1], [2, 2, -1]]]
    with pytest.raises(ValueError, match="must equal"):
        rows.bucket_by_sequence_length(length, [3], [2])


def test_sample_from_datasets(tf):
    a, b = tf.data.Dataset.from_tensors(1).repeat(3), tf.data.Dataset.from_tensors(2).repeat(3)
    sample = tf.data.Dataset.sample_from_datasets
    assert sorted(elements(sample([a, b]))) == [1, 1, 1, 2, 2, 2]
    assert elements(sample([a, b], weights=[0.0, 1.0])) == [2, 2, 2]
    tf.random.set_seed(None)
    one = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
    assert elements(sample(one, [0.5, 0.5], seed=3)) == [10, 11, 12, 0, 1, 2]
    many = tf.data.Dataset.from_tensors([0.0, 1.0]).repeat()
    assert elements(sample([a, b], weights=many, stop_on_empty_dataset=True)) == [2, 2, 2]
    for datasets, weights, kind, text in [
        ([], None, ValueError, "`datasets` should not be empty"), ([a, b], [1.0], ValueError, "same length as `datasets`"),
        ([a, b], [1, 1], TypeError, "must be either `tf.float32` or `tf.float64`"),
        ([a, tf.data.Dataset.from_tensors("x")], None, TypeError, "must have compatible element specs"),
    ]:
        with pytest.raises(kind, match=text):
            sample(datasets, weights)


def test_choose_from_datasets(tf):
    words = [tf.data.Dataset.from_tensors(word).repeat(2) for word in ("a", "b", "c")]
    choice = tf.data.Dataset.from_tensor_slices(np.array([0, 2, 1, 2, 2, 0]))
    choose = tf.data.Dataset.choose_from_datasets
    assert elements(choose(words, choice)) == [b"a", b"c", b"b", b"c"]
    assert elements(choose(words, choice, stop_on_empty_dataset=False)) == [b"a", b"c", b"b", b"c", b"a"]
    with pytest.raises(TypeError, match="must be scalar `tf.int64` tensors"):
        choose(words, tf.data.Dataset.from_tensors(1))
    with pytest.raises(TypeError, match="should be a `tf.data.Dataset`"):
        choose(words, [0, 1])


def test_rejection_resample(tf):
    dataset = tf.data.Dataset.from_tensor_slices([0, 1]).repeat(50)
    pairs = elements(dataset.rejection_resample(lambda x: x, [0.0, 1.0], [0.5, 0.5], seed=1))
    assert set(pairs) == {(1, 1)} and len(pairs) == 50
    estimated = elements(dataset.rejection_resample(lambda x: x, [0.2, 0.8], seed=1))
    assert all(kind == x for kind, x in estimated) and np.mean([kind for kind, _ in estimated]) > 0.6


def test_lengths_for_buckets_are_int32(tf):
    rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
    for length in (lambda x: 3, lambda x: np.int64(3), lambda x: tf.size(x)):
        assert len(elements(rows.bucket_by_sequence_length(length, [2], [4, 4]))) in (1, 2)
    with pytest.raises(TypeError, match="'LessEqual' Op has type int64 that does not match type int32"):
        rows.bucket_by_sequence_length(lambda x: tf.size(x, tf.int64), [2], [4, 4])


def test_elements_longer_than_the_last_boundary(tf):
    rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
    batches = rows.bucket_by_sequence_length(lambda x: tf.size(x), [3], [2, 2], pad_to_bucket_boundary=True)
    text = r"elements must have length < max\(bucket_boundaries\)\.\] \[Condition x < y did not hold element-wise:\]"
    with pytest.raises((tf.errors.InternalError, tf.errors.InvalidArgumentError), match=text):
        elements(batches)
