"""`tf.distribute`: values of replicas, and how they are combined."""

import numpy as np
import pytest

from replicas import one, strategy, two, two_cpus, values_of  # noqa: F401 - fixtures

pytestmark = pytest.mark.rule("surface")


def numbers(tf, strategy):  # noqa: F811
    """1.0 on the first replica, 2.0 on the second."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(context.replica_id_in_sync_group + 1.0)
    )


def test_values_from_functions(tf, strategy):  # noqa: F811
    count = strategy.num_replicas_in_sync
    assert values_of(strategy, numbers(tf, strategy)) == [1.0, 2.0][:count]
    plain = strategy.experimental_distribute_values_from_function(lambda context: context.num_replicas_in_sync)
    assert strategy.experimental_local_results(plain) == (count,) * count


def test_text(tf, two):  # noqa: F811
    value = numbers(tf, two)
    assert str(value) == "PerReplica:{\n  0: tf.Tensor(1.0, shape=(), dtype=float32),\n  1: tf.Tensor(2.0, shape=(), dtype=float32)\n}"
    assert repr(value).startswith("PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=1.0>,\n  1: <tf.Tensor")
    assert isinstance(value, tf.distribute.DistributedValues)
    assert isinstance(value, tf.types.experimental.distributed.PerReplica)
    assert not isinstance(value, tf.types.experimental.distributed.Mirrored)
    assert isinstance(value, tf.__internal__.CompositeTensor)
    assert [float(x) for x in value.values] == [1.0, 2.0]
    assert len(tf.nest.flatten(value, expand_composites=True)) == 2


def test_single_values_are_not_wrapped(tf, one):  # noqa: F811
    found = one.run(lambda: (tf.constant(1.0), {"a": [tf.constant(2)]}, "text", None))
    assert float(found[0]) == 1.0 and int(found[1]["a"][0]) == 2 and found[2:] == ("text", None)
    wrapped = numbers(tf, one)
    assert isinstance(wrapped, tf.distribute.DistributedValues)


def test_structures(tf, two):  # noqa: F811
    from collections import namedtuple

    Pair = namedtuple("Pair", "x y")

    def step():
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        return Pair(number, [number + 1]), {"b": number, "a": (number, "same")}

    pair, named = two.run(step)
    assert type(pair) is Pair and values_of(two, pair.y[0]) == [1.0, 2.0]
    assert values_of(two, named["a"][0]) == [0.0, 1.0]
    assert named["a"][1] == "same"
    per_replica = two.experimental_local_results(named)
    assert float(per_replica[1]["b"]) == 1.0


def test_arguments_are_split(tf, strategy):  # noqa: F811
    value = numbers(tf, strategy)
    count = strategy.num_replicas_in_sync
    for run in (strategy.run, tf.function(strategy.run)):
        found = run(lambda x, y, z: x + y + z["k"], args=(value, 10.0), kwargs={"z": {"k": value}})
        assert values_of(strategy, found) == [12.0, 14.0][:count]


def test_per_replica_values_as_arguments(tf, two):  # noqa: F811
    @tf.function
    def outer(value):
        return two.run(lambda x: x * 2, args=(value,))

    assert values_of(two, outer(numbers(tf, two))) == [2.0, 4.0]
    assert outer.experimental_get_tracing_count() == 1
    outer(numbers(tf, two))
    assert outer.experimental_get_tracing_count() == 1


def test_per_replica_values_outside(tf, two):  # noqa: F811
    with pytest.raises(ValueError, match="not inside a replica context"):
        tf.add(numbers(tf, two), 1.0)
    with two.scope(), pytest.raises(ValueError, match="not inside a replica context"):
        tf.convert_to_tensor(numbers(tf, two))


def test_reduce(tf, strategy):  # noqa: F811
    value = numbers(tf, strategy)
    count = strategy.num_replicas_in_sync
    if count == 1 and isinstance(value, tf.distribute.DistributedValues):
        value = strategy.run(lambda x: x, args=(value,))
    total = [1.0, 3.0][count - 1]
    for op in ("SUM", "sum", tf.distribute.ReduceOp.SUM):
        assert float(strategy.reduce(op, value, axis=None)) == total
    assert float(strategy.reduce("MEAN", value, axis=None)) == total / count
    assert float(tf.function(lambda: strategy.reduce("SUM", value, axis=None))()) == total
    nested = strategy.reduce("SUM", {"a": value, "b": [value]}, axis=None)
    assert float(nested["b"][0]) == total


def test_reduce_along_axes(tf, two):  # noqa: F811
    parts = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0]])]
    value = two.experimental_distribute_values_from_function(lambda context: parts[context.replica_id_in_sync_group])
    whole = np.concatenate([part.numpy() for part in parts])
    for axis in (0, -2):
        np.testing.assert_allclose(two.reduce("SUM", value, axis=axis), whole.sum(0))
        np.testing.assert_allclose(two.reduce("MEAN", value, axis=axis), whole.mean(0))
    np.testing.assert_allclose(two.reduce("SUM", value, axis=(0, 1)), whole.sum())
    np.testing.assert_allclose(two.reduce("MEAN", value, axis=(0, 1)), whole.mean())
    traced = tf.function(lambda value: two.reduce("MEAN", value, axis=0))
    np.testing.assert_allclose(traced(value), whole.mean(0))
    with pytest.raises(ValueError, match="Invalid reduction dimension"):
        two.reduce("MEAN", value, axis=2)
    with pytest.raises(TypeError):
        two.reduce("MEAN", value, axis="rows")


def test_reduce_of_shared_values(tf, two):  # noqa: F811
    assert float(two.reduce("MEAN", tf.constant(3.0), axis=None)) == 3.0
    with pytest.raises(ValueError, match="cannot be reduced with the given reduce op"):
        two.reduce("SUM", tf.constant(3.0), axis=None)


def test_gather(tf, strategy):  # noqa: F811
    def rows():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.fill([1, 2], tf.cast(number, tf.float32))

    value = strategy.run(rows)
    count = strategy.num_replicas_in_sync
    expected = [[0.0, 0.0], [1.0, 1.0]][:count]
    assert strategy.gather(value, axis=0).numpy().tolist() == expected
    assert tf.function(lambda: strategy.gather(strategy.run(rows), axis=0))().numpy().tolist() == expected
    assert strategy.gather(value, axis=1).shape == [1, 2 * count]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    with pytest.raises(NotImplementedError, match="IndexedSlices"):
        strategy.gather(slices, axis=0)


@pytest.mark.parametrize("op", ["SUM", "MEAN"])
def test_all_reduce(tf, strategy, op):  # noqa: F811
    count = strategy.num_replicas_in_sync

    def step():
        context = tf.distribute.get_replica_context()
        x = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0
        single = context.all_reduce(op, x)
        nested = context.all_reduce(tf.distribute.ReduceOp[op], {"a": x, "b": [x * 2]})
        return single, nested["a"], nested["b"][0]

    total = [1.0, 3.0][count - 1] / (count if op == "MEAN" else 1)
    for run in (strategy.run, tf.function(strategy.run)):
        single, a, b = run(step)
        assert values_of(strategy, single) == [total] * count
        assert values_of(strategy, a) == [total] * count
        assert values_of(strategy, b) == [2 * total] * count


def test_all_reduce_of_shared_values(tf, strategy):  # noqa: F811
    shared = tf.constant(3.0)
    found = strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", shared))
    assert {float(x) for x in strategy.experimental_local_results(found)} == {3.0}  # it is not a sum


def test_all_reduce_of_slices(tf, strategy):  # noqa: F811
    def step():
        context = tf.distribute.get_replica_context()
        number = tf.cast(context.replica_id_in_sync_group, tf.float32)
        slices = tf.IndexedSlices(tf.reshape(number + 1.0, [1, 1]), tf.constant([1]), tf.constant([3, 1]))
        return tf.convert_to_tensor(context.all_reduce("SUM", slices))

    count = strategy.num_replicas_in_sync
    total = [1.0, 3.0][count - 1]
    assert values_of(strategy, strategy.run(step)) == [[[0.0], [total], [0.0]]] * count


def test_gradients_of_all_reduce(tf, strategy):  # noqa: F811
    def step():
        context = tf.distribute.get_replica_context()
        x = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = context.all_reduce("SUM", x * x)
        return tape.gradient(y, x)

    count = strategy.num_replicas_in_sync
    for run in (strategy.run, tf.function(strategy.run)):
        assert values_of(strategy, run(step)) == [2.0 * count, 4.0 * count][:count]


def test_all_gather(tf, strategy):  # noqa: F811
    def step():
        context = tf.distribute.get_replica_context()
        number = context.replica_id_in_sync_group
        rows = tf.fill([number + 1, 2], tf.cast(number, tf.float32))
        with tf.GradientTape() as tape:
            tape.watch(rows)
            gathered = context.all_gather(rows, axis=0)
            y = tf.reduce_sum(gathered * gathered)
        return gathered, tape.gradient(y, rows)

    count = strategy.num_replicas_in_sync
    expected = [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]][: 1 + 2 * (count - 1)]
    gathered, gradients = strategy.run(step)
    assert values_of(strategy, gathered) == [expected] * count
    assert values_of(strategy, gradients) == [[[0.0, 0.0]], [[4.0, 4.0]] * 2][:count]


def test_cross_device_ops(tf):
    d = tf.distribute
    for ops in (d.ReductionToOneDevice(), d.HierarchicalCopyAllReduce(num_packs=2), d.NcclAllReduce()):
        assert isinstance(ops, d.CrossDeviceOps)
    with pytest.raises(ValueError, match="num_packs"):
        d.NcclAllReduce(num_packs=-1)
    mirrored = d.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=d.ReductionToOneDevice())
    value = mirrored.run(lambda: tf.constant([1.0, 2.0]))
    assert mirrored.reduce("SUM", value, axis=None).numpy().tolist() == [2.0, 4.0]


def test_reduce_to(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(0.0)
        value = two.run(lambda: tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32))
        mirrored = two.extended.reduce_to("SUM", value, v)
        assert isinstance(mirrored, tf.types.experimental.distributed.Mirrored)
        assert values_of(two, mirrored) == [1.0, 1.0]
        assert float(mirrored + 1.0) == 2.0
        assert float(two.extended.reduce_to("MEAN", value, "/cpu:0")) == 0.5
        first, second = two.extended.batch_reduce_to("SUM", [(value, v), (value, v)])
        assert values_of(two, second) == [1.0, 1.0]
        assert values_of(two, first) == [1.0, 1.0]
