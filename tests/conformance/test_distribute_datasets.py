"""`tf.distribute`: datasets split among replicas."""

import pytest

from replicas import make, one, strategy, two, two_cpus, values_of  # noqa: F401 - fixtures

pytestmark = [
    pytest.mark.rule("surface"),
    pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options"),
]


def elements(strategy, dataset):  # noqa: F811
    return [values_of(strategy, x) for x in dataset]


def test_splits(tf, strategy):  # noqa: F811
    dataset = tf.data.Dataset.range(6).batch(4)
    found = elements(strategy, strategy.experimental_distribute_dataset(dataset))
    if strategy.num_replicas_in_sync == 1:
        assert found == [[[0, 1, 2, 3]], [[4, 5]]]
    else:
        assert found == [[[0, 1], [2, 3]], [[4], [5]]]


def test_kinds(tf, one, two):  # noqa: F811
    for strategy in (one, two, make(tf, "one device")):  # noqa: F402
        distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        assert isinstance(distributed, tf.distribute.DistributedDataset)
        iterator = iter(distributed)
        assert isinstance(iterator, tf.distribute.DistributedIterator)
        assert not isinstance(iterator, tf.data.Iterator)
        assert len(values_of(strategy, next(iterator))) == strategy.num_replicas_in_sync
        assert len(values_of(strategy, iterator.get_next())) == strategy.num_replicas_in_sync
        with pytest.raises(StopIteration):
            next(iterator)
        with pytest.raises(tf.errors.OutOfRangeError):
            iterator.get_next()
    dataset = tf.data.Dataset.range(4)
    assert tf.distribute.get_strategy().experimental_distribute_dataset(dataset) is dataset


def test_specs(tf, one, two):  # noqa: F811
    dataset = tf.data.Dataset.from_tensor_slices({"x": [[1.0, 2.0]] * 4}).batch(4)
    assert one.experimental_distribute_dataset(dataset).element_spec == {"x": tf.TensorSpec([None, 2])}
    spec = two.experimental_distribute_dataset(dataset).element_spec["x"]
    assert type(spec).__name__ == "PerReplicaSpec"
    assert iter(two.experimental_distribute_dataset(dataset)).element_spec["x"] == spec


def test_uneven_batches(tf, two):  # noqa: F811
    found = elements(two, two.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(5)))
    assert found == [[[0, 1, 2], [3, 4]], [[5, 6, 7], [8, 9]]]
    found = elements(two, two.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(4)))
    assert found == [[[0, 1], [2, 3]], [[4], []]]
    found = elements(two, two.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4, drop_remainder=True)))
    assert found == [[[0, 1], [2, 3]]]


def test_other_steps_after_batching(tf, two):  # noqa: F811
    dataset = tf.data.Dataset.range(6).batch(4).prefetch(1).repeat(1).take(2)
    assert elements(two, two.experimental_distribute_dataset(dataset)) == [[[0, 1], [2, 3]], [[4], [5]]]


def test_batches_of_unknown_size(tf, two):  # noqa: F811
    dataset = tf.data.Dataset.range(7).batch(4).map(lambda x: x + 1)
    assert elements(two, two.experimental_distribute_dataset(dataset)) == [[[1, 2], [3, 4]], [[5, 6], [7]]]


def test_structures(tf, two):  # noqa: F811
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2, 3]}, ["x", "y", "z"])).batch(2)
    found = list(two.experimental_distribute_dataset(dataset))
    assert values_of(two, found[0][0]["a"]) == [[1], [2]]
    assert values_of(two, found[1][0]["a"]) == [[3], []]
    assert values_of(two, found[1][1]) == [[b"z"], []]


def test_loops_in_functions(tf, strategy, traces):  # noqa: F811
    distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    @tf.function
    def total(dataset):
        traces.append(None)
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return result

    assert int(total(distributed)) == 21
    assert int(total(distributed)) == 21
    assert len(traces) == 1


def test_iterators_in_functions(tf, strategy, traces):  # noqa: F811
    distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))

    @tf.function
    def step(iterator):
        traces.append(None)
        return strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(next(iterator),)), axis=None)

    for _ in range(2):  # one trace for all iterators
        iterator = iter(distributed)
        assert [int(step(iterator)), int(step(iterator))] == [6, 22]
        with pytest.raises(tf.errors.OutOfRangeError):
            step(iterator)
    assert len(traces) == 1


def test_optionals(tf, strategy):  # noqa: F811
    iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(2).batch(2)))
    first, second = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(first.has_value()) and not bool(second.has_value())
    values = values_of(strategy, first.get_value())
    assert values == ([[0, 1]] if strategy.num_replicas_in_sync == 1 else [[0], [1]])


def test_reduction(tf, one, two):  # noqa: F811
    for strategy in (one, two):  # noqa: F402
        distributed = strategy.experimental_distribute_dataset(tf.data.Dataset.range(6).batch(2))

        def add(state, x):
            return state + strategy.reduce("SUM", x, axis=0)  # noqa: B023

        assert int(distributed.reduce(tf.constant(0, tf.int64), add)) == 15


def test_from_functions(tf, strategy):  # noqa: F811
    contexts = []

    def make_dataset(context):
        contexts.append((context.num_replicas_in_sync, context.input_pipeline_id, context.num_input_pipelines))
        return tf.data.Dataset.range(6).batch(context.get_per_replica_batch_size(2))

    found = elements(strategy, strategy.distribute_datasets_from_function(make_dataset))
    count = strategy.num_replicas_in_sync
    assert contexts == [(count, 0, 1)]
    assert found == ([[[0, 1]], [[2, 3]], [[4, 5]]] if count == 1 else [[[0], [1]], [[2], [3]], [[4], [5]]])


def test_from_functions_for_each_replica(tf, two):  # noqa: F811
    options = tf.distribute.InputOptions(
        experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA, experimental_fetch_to_device=False
    )
    with pytest.raises(NotImplementedError, match="PER_REPLICA"):
        two.experimental_distribute_dataset(tf.data.Dataset.range(2).batch(2), options)
    with pytest.raises(NotImplementedError, match="PER_REPLICA"):
        make(tf, "one device").experimental_distribute_dataset(tf.data.Dataset.range(2).batch(2), options)


def test_next_in_replicas(tf, two):  # noqa: F811
    iterator = iter(two.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)))
    with pytest.raises(ValueError, match="should be called from outside of replica_fn"):
        two.run(lambda: next(iterator))


def test_cardinality(tf, one, two):  # noqa: F811
    for dataset, count in (
        (tf.data.Dataset.range(5).batch(4), 2),
        (tf.data.Dataset.range(8).batch(2), 4),
        (tf.data.Dataset.range(8).batch(2).repeat(), tf.data.INFINITE_CARDINALITY),
    ):
        for strategy in (one, two):  # noqa: F402
            found = strategy.experimental_distribute_dataset(dataset).cardinality
            assert found == count and not tf.is_tensor(found)
