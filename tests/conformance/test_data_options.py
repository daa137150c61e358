"""`tf.data.Options` and the options in it."""

import warnings

import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_properties_are_checked(tf):
    options = tf.data.Options()
    assert options.deterministic is None and options.threading.private_threadpool_size is None
    options.deterministic = False
    options.threading.private_threadpool_size = 2
    options.autotune.enabled = False
    options.experimental_optimization.map_fusion = True
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    with pytest.raises(TypeError, match='Property "deterministic" must be of type'):
        options.deterministic = 3
    with pytest.raises(TypeError, match='Property "threading" must be of type'):
        options.threading = 3
    with pytest.raises(AttributeError, match="Cannot set the property speed on Options"):
        options.speed = 3
    with pytest.raises(AttributeError, match="speed"):
        _ = options.speed
    with pytest.raises(AttributeError, match="Cannot set the property size on ThreadingOptions"):
        options.threading.size = 3


def test_equality(tf):
    one, other = tf.data.Options(), tf.data.Options()
    assert one == other
    one.threading.max_intra_op_parallelism = 1
    assert one != other and not one == 3
    other.threading = one.threading
    assert one == other


def test_options_of_datasets(tf):
    options = tf.data.Options()
    options.deterministic = False
    options.autotune.cpu_budget = 2
    dataset = tf.data.Dataset.range(5).with_options(options)
    assert elements(dataset) == [0, 1, 2, 3, 4]
    found = dataset.map(lambda x: x).options()
    assert found.deterministic is False and found.autotune.cpu_budget == 2
    more = tf.data.Options()
    more.experimental_slack = True
    found = tf.data.Dataset.zip(dataset, tf.data.Dataset.range(3).with_options(more)).options()
    assert found.deterministic is False and found.experimental_slack is True
    with pytest.raises(ValueError, match="has no effect"):
        found.deterministic = True
    assert tf.data.Dataset.range(3).options() == tf.data.Options()


def test_merging(tf):
    one, other = tf.data.Options(), tf.data.Options()
    one.autotune.enabled, other.threading.private_threadpool_size = False, 3
    merged = one.merge(other)
    assert merged.autotune.enabled is False and merged.threading.private_threadpool_size == 3
    with pytest.raises(TypeError, match="incompatible options"):
        one.merge(tf.data.ThreadingOptions())


def test_old_names(tf):
    options = tf.data.Options()
    options.experimental_deterministic = True
    assert options.deterministic is True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options.experimental_threading.private_threadpool_size = 1
    assert options.threading.private_threadpool_size == 1


def test_enumerations(tf):
    experimental = tf.data.experimental
    assert experimental.AutoShardPolicy.OFF == -1 and experimental.AutotuneAlgorithm.STAGE_BASED.value == 4
    assert experimental.ExternalStatePolicy.FAIL.value == 2 and experimental.SHARD_HINT == -1
    assert (tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY) == (-1, -1, -2)


def test_the_order_may_be_given_up(tf):
    """Whatever the order, there are the same elements; without the option they keep it."""
    options = tf.data.Options()
    options.deterministic = False
    slow = tf.data.Dataset.range(40).map(lambda x: tf.reduce_sum(tf.range(x * 100)) * 0 + x, num_parallel_calls=4)
    assert sorted(int(x) for x in slow.with_options(options)) == list(range(40))
    assert [int(x) for x in slow] == list(range(40))
    turns = tf.data.Dataset.range(4).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(5), cycle_length=4, num_parallel_calls=4
    )
    assert sorted(int(x) for x in turns.with_options(options)) == sorted(list(range(4)) * 5)
    assert [int(x) for x in turns] == list(range(4)) * 5
    options.deterministic = True
    assert [int(x) for x in slow.with_options(options)] == list(range(40))
