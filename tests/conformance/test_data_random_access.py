"""Elements of datasets by their numbers: tf.data.experimental.at; and fingerprints."""

import numpy as np
import pytest

from data_values import elements, plain

pytestmark = pytest.mark.rule("surface")


# Recorded with TensorFlow 2.21.
ORDER = [7, 5, 12, 14, 19, 16, 10, 18, 9, 2]


@pytest.fixture(autouse=True)
def no_seed_of_other_tests(tf):
    tf.random.set_seed(None)


def same_as_iterated(tf, dataset) -> bool:
    wanted = elements(dataset)
    return [plain(tf.data.experimental.at(dataset, i)) for i in range(len(wanted))] == wanted


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d,
        lambda d: d.map(lambda x: x * x),
        lambda d: d.map(lambda x: (x, {"twice": x + x}), num_parallel_calls=2),
        lambda d: d.batch(4),
        lambda d: d.batch(4, drop_remainder=True),
        lambda d: d.take(3),
        lambda d: d.take(-1),
        lambda d: d.skip(2),
        lambda d: d.skip(99),
        lambda d: d.repeat(3),
        lambda d: d.shard(3, 1),
        lambda d: d.concatenate(d.map(lambda x: -x)),
        lambda d: d.prefetch(2),
        lambda d: d.cache(),
        lambda d: d.filter(lambda x: x % 2 == 0).cache(),
        lambda d: d.batch(3).map(lambda x: {"a": x, "b": (x[0],)}).skip(1).repeat(2),
    ],
)
def test_chains(tf, make):
    assert same_as_iterated(tf, make(tf.data.Dataset.range(10)))


def test_sources(tf):
    assert same_as_iterated(tf, tf.data.Dataset.from_tensors(([1, 2], "x")))
    assert same_as_iterated(tf, tf.data.Dataset.from_tensor_slices({"a": np.arange(6).reshape(3, 2), "b": list("xyz")}))
    assert same_as_iterated(tf, tf.data.experimental.from_list([(1, [1]), (2, [2, 3])]))
    assert same_as_iterated(tf, tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [], [2, 3]])))
    assert same_as_iterated(tf, tf.data.Dataset.range(9, 1, -2))


def test_a_shuffled_dataset_has_one_order(tf):
    dataset = tf.data.Dataset.range(20).shuffle(5, seed=3)
    found = [int(tf.data.experimental.at(dataset, i)) for i in range(20)]
    assert found[:10] == ORDER
    assert found == [int(tf.data.experimental.at(dataset, i)) for i in range(20)]


def test_in_traced_functions(tf):
    dataset = tf.data.Dataset.range(10).map(lambda x: x + 1)

    @tf.function
    def total(dataset, indices):
        found = tf.constant(0, tf.int64)
        for i in indices:
            found += tf.data.experimental.at(dataset, i)
        return found

    assert int(total(dataset, tf.constant([1, 4, 9], tf.int64))) == 17


@pytest.mark.superset("Y2")
def test_of_endless_parts(tf):
    """TensorFlow refuses them where one of the datasets side by side has no end."""
    assert same_as_iterated(tf, tf.data.Dataset.range(4).enumerate(5))
    assert same_as_iterated(tf, tf.data.Dataset.range(6).batch(2, num_parallel_calls=2))


@pytest.mark.parametrize("index", [-1, 3, 99])
def test_no_such_element(tf, index):
    for dataset in (tf.data.Dataset.range(3), tf.data.Dataset.range(6).batch(2), tf.data.Dataset.range(3).cache()):
        with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range|out of range"):
            tf.data.experimental.at(dataset, index)


def test_elements_without_numbers(tf):
    numbers = tf.data.Dataset.range(6)
    for dataset in (numbers.filter(lambda x: x > 1), numbers.flat_map(tf.data.Dataset.from_tensors), numbers.unique()):
        with pytest.raises(tf.errors.UnimplementedError, match="not implemented"):
            tf.data.experimental.at(dataset, 0)


def test_errors_of_functions(tf):
    dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1 / x, "no"))
    assert float(tf.data.experimental.at(dataset, 0)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="no"):
        tf.data.experimental.at(dataset, 1)


# Fingerprints


def test_fingerprints(tf):
    def make(factor=2, size=3, name=None):
        return tf.data.Dataset.range(6).map(lambda x: x * factor, name=name).batch(size)

    one = make().fingerprint()
    assert one.dtype == tf.uint64 and one.shape == []
    assert int(one) == int(make().fingerprint())
    others = [make(3), make(size=2), make().take(1), tf.data.Dataset.range(7).map(lambda x: x * 2).batch(3)]
    assert len({int(one), *(int(other.fingerprint()) for other in others)}) == 5
    slices = [int(tf.data.Dataset.from_tensor_slices(x).fingerprint()) for x in ([1, 2], [1, 3], [1, 2], ["a", "b"])]
    assert slices[0] == slices[2] and len(set(slices)) == 3
