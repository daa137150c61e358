"""Damaged positions of iterators: each is refused, or goes on with elements of the dataset's; the process lives."""

import itertools

import pytest
import tracefn as tf

DATASETS = {
    "slices": lambda: tf.data.Dataset.from_tensor_slices([str(i) * 50 for i in range(10)]).shuffle(3, seed=1),
    "numbers": lambda: tf.data.Dataset.range(20).map(lambda x: (x, tf.cast(x, tf.float32))).shuffle(4, seed=1).batch(3),
    "window": lambda: tf.data.Dataset.from_tensor_slices(["a", "b", "c", "d", "e"])
    .window(4)
    .flat_map(lambda w: w.shuffle(3, seed=1)),
    "windows": lambda: tf.data.Dataset.range(9).window(2).window(2).flat_map(lambda w: w.flat_map(lambda v: v.batch(2))),
    "groups": lambda: tf.data.Dataset.range(20).group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 3),
    "cache": lambda: tf.data.Dataset.range(9).cache().prefetch(2),
}


def cell(value):
    """A part of a position that holds any tensor."""
    return tf.data.Dataset.range(1).scan(value, lambda s, x: (s, x)).as_numpy_iterator().save()[-1]


WRONG = {
    "far": lambda: cell(tf.constant(99_999_999_999, tf.int64)),
    "near": lambda: cell(tf.constant(1000, tf.int64)),
    "negative": lambda: cell(tf.constant(-1, tf.int64)),
    "dtype": lambda: cell(tf.constant(1.5)),
    "text": lambda: cell(tf.constant("x")),
    "shape": lambda: cell(tf.zeros([2, 3], tf.int64)),
    "missing": lambda: None,
}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("wrong", WRONG)
def test_one_part_is_wrong(name, wrong):
    dataset = DATASETS[name]()
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    parts = list(tf.unstack(iterator.save()))
    refused = 0
    for place in range(len(parts)):
        other = WRONG[wrong]()
        damaged = parts[:place] + ([] if other is None else [other]) + parts[place + 1 :]
        again = dataset.as_numpy_iterator()
        try:
            again.restore(tf.stack(damaged))
            found = list(itertools.islice(again, 40))
        except tf.errors.OpError:
            refused += 1
        else:
            assert len(found) <= 40
    assert refused > 0
