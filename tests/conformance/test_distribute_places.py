"""`tf.distribute`: where in a strategy the program is, and what is refused there."""

import copy
import subprocess
import sys

import numpy as np
import pytest

from replicas import strategy, two, two_cpus  # noqa: F401 - fixtures

pytestmark = pytest.mark.rule("surface")


def places(tf):
    """(is there a strategy, across replicas, in a replica)."""
    d = tf.distribute
    return d.has_strategy(), d.in_cross_replica_context(), d.get_replica_context() is not None


def test_outside(tf):
    assert places(tf) == (False, False, True)
    context = tf.distribute.get_replica_context()
    assert context.strategy is tf.distribute.get_strategy()
    assert context.num_replicas_in_sync == 1
    assert context.replica_id_in_sync_group == 0
    assert isinstance(context, tf.distribute.ReplicaContext)
    assert isinstance(tf.distribute.get_strategy(), tf.distribute.Strategy)
    assert isinstance(tf.distribute.get_strategy().extended, tf.distribute.StrategyExtended)
    assert context.merge_call(lambda s, x: (x, tf.distribute.in_cross_replica_context()), args=(3,)) == (3, True)


def test_inside(tf, strategy):  # noqa: F811
    is_default = strategy is tf.distribute.get_strategy()
    with strategy.scope() as entered:
        assert entered is strategy
        assert tf.distribute.get_strategy() is strategy
        assert places(tf) == ((False, False, True) if is_default else (True, True, False))
        seen = []
        strategy.run(lambda: seen.append(places(tf)))
        assert seen == [(not is_default, False, True)] * strategy.num_replicas_in_sync
        with strategy.scope():  # again
            assert tf.distribute.get_strategy() is strategy
        assert tf.distribute.get_strategy() is strategy
    assert places(tf) == (False, False, True)


def test_inside_traces(tf, strategy):  # noqa: F811
    seen = []

    @tf.function
    def outer():
        seen.append(places(tf))

        def step():
            seen.append(places(tf))
            context = tf.distribute.get_replica_context()
            return context.replica_id_in_sync_group + 1

        return strategy.run(step)

    found = outer()
    is_default = strategy is tf.distribute.get_strategy()
    assert [int(x) for x in strategy.experimental_local_results(found)] == list(
        range(1, strategy.num_replicas_in_sync + 1)
    )
    assert seen == [(False, False, True)] + [(not is_default, False, True)] * strategy.num_replicas_in_sync


def test_functions_are_traced_for_their_place(tf, two, traces):  # noqa: F811
    @tf.function
    def where():
        traces.append(None)
        return tf.constant(tf.distribute.in_cross_replica_context())

    assert not bool(where())
    with two.scope():
        assert bool(where())
        assert bool(where())
    assert not bool(where())
    assert len(traces) == 2


def test_merge_calls(tf, strategy):  # noqa: F811
    def step(x):
        def merge(s, value):
            assert s is strategy
            assert tf.distribute.in_cross_replica_context()
            return s.reduce("SUM", value, axis=None)

        context = tf.distribute.get_replica_context()
        return context.merge_call(merge, args=(x + 1.0,))

    count = strategy.num_replicas_in_sync
    for run in (strategy.run, tf.function(strategy.run)):
        found = strategy.experimental_local_results(run(step, args=(tf.constant(1.0),)))
        assert [float(x) for x in found] == [2.0 * count]  # the same for all


def test_replicas_have_to_meet(tf, two):  # noqa: F811
    def step():
        context = tf.distribute.get_replica_context()
        if int(context.replica_id_in_sync_group) == 0:
            context.merge_call(lambda s: None)

    with pytest.raises(RuntimeError, match="different number of replica_context"):
        two.run(step)


def test_errors_of_replicas_come_out(tf, two):  # noqa: F811
    def step():
        tf.distribute.get_replica_context().merge_call(lambda s: None)
        raise KeyError("found")

    with pytest.raises(KeyError, match="found"):
        two.run(step)

    def merge(s):
        raise KeyError("merged")

    with pytest.raises(KeyError, match="merged"):
        two.run(lambda: tf.distribute.get_replica_context().merge_call(merge))


def test_merge_calls_in_other_graphs(tf, two):  # noqa: F811
    @tf.function
    def inner():
        return tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0))

    with pytest.raises(RuntimeError, match="`merge_call` called while defining a new graph or a tf.function"):
        two.run(lambda: inner())


def test_strategies_are_not_mixed(tf, strategy):  # noqa: F811
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    with other.scope():
        if strategy is not tf.distribute.get_strategy():
            with pytest.raises(RuntimeError, match=r"Mixing different tf.distribute.Strategy|Must not nest"):
                strategy.scope().__enter__()
        assert tf.distribute.get_strategy() is other


def test_scopes_in_replicas(tf, two):  # noqa: F811
    def step():
        with two.scope():
            pass

    with pytest.raises(RuntimeError, match="Method requires being in cross-replica context"):
        two.run(step)
    with pytest.raises(RuntimeError, match="cross-replica context"):
        two.run(lambda: two.reduce("SUM", tf.constant(1.0), axis=None))
    with pytest.raises(RuntimeError, match="all_gather"):
        two.run(lambda: two.gather(tf.constant([1.0]), axis=0))


def test_contexts_of_other_replicas(tf, two):  # noqa: F811
    contexts = []
    two.run(lambda: contexts.append(tf.distribute.get_replica_context()))
    with pytest.raises(RuntimeError, match=r"Mismatching tf.distribute.Strategy objects"):
        contexts[0].merge_call(lambda s: None)
    with two.scope(), pytest.raises(RuntimeError, match="Need to be inside `call_for_each_replica"):
        contexts[0].merge_call(lambda s: None)
    with pytest.raises(ValueError, match="can only be an integer"):
        tf.distribute.ReplicaContext(two, "0")


def test_set_strategy(tf, two):  # noqa: F811
    d = tf.distribute
    d.experimental_set_strategy(two)
    assert d.get_strategy() is two
    d.experimental_set_strategy(d.OneDeviceStrategy("/cpu:0"))
    assert isinstance(d.get_strategy(), d.OneDeviceStrategy)
    d.experimental_set_strategy(None)
    assert not d.has_strategy()
    with two.scope(), pytest.raises(RuntimeError, match="Must not be called inside"):
        d.experimental_set_strategy(two)


def test_summaries_are_of_the_first_replica(tf, strategy, tmp_path):  # noqa: F811
    writer = tf.summary.create_file_writer(str(tmp_path))

    def step():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.summary.scalar("number", tf.cast(number, tf.float32))

    with writer.as_default(step=3):
        recorded = strategy.run(step)
        traced = tf.function(strategy.run)(step)
    writer.close()
    expected = [True] + [False] * (strategy.num_replicas_in_sync - 1)
    assert [bool(x) for x in strategy.experimental_local_results(recorded)] == expected
    assert [bool(x) for x in strategy.experimental_local_results(traced)] == expected


def test_arguments(tf, strategy):  # noqa: F811
    with pytest.raises(ValueError, match="positional args must be a list or tuple"):
        strategy.run(lambda x: x, args=3)
    with pytest.raises(TypeError):
        strategy.reduce("SUM", tf.constant(1.0))
    with pytest.raises(ValueError, match="MAX"):
        strategy.reduce("MAX", tf.constant(1.0), axis=None)


def test_copies(tf, two):  # noqa: F811
    copied = copy.deepcopy(two)
    assert copied.num_replicas_in_sync == 2
    with copied.scope():
        assert tf.distribute.get_strategy() is copied
    with pytest.raises(RuntimeError, match="Must only deepcopy"):
        copy.copy(two)
    with pytest.raises(RuntimeError, match="single instance"):
        copy.deepcopy(tf.distribute.get_strategy())


def test_devices(tf, two):  # noqa: F811
    names = tuple(f"/job:localhost/replica:0/task:0/device:CPU:{i}" for i in range(2))
    assert two.extended.worker_devices == names
    assert two.extended.parameter_devices == names
    assert two.extended.non_slot_devices([]) == names
    assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 2
    assert tf.distribute.OneDeviceStrategy("/cpu:1").extended.worker_devices == names[1:]
    with pytest.raises(RuntimeError, match="worker_devices"):
        _ = tf.distribute.get_strategy().extended.worker_devices
    with pytest.raises(AssertionError, match="No duplicates"):
        tf.distribute.MirroredStrategy(["CPU:0", "CPU:0"])


def test_conversion_of_functions(tf, strategy):  # noqa: F811
    def step(x):
        if x > 0:
            result = x
        else:
            result = -x
        return result

    found = tf.function(lambda x: strategy.run(step, args=(x,)))(tf.constant(-3.0))
    assert {float(x) for x in strategy.experimental_local_results(found)} == {3.0}
    assert {float(x) for x in strategy.experimental_local_results(strategy.run(tf.function(step), (tf.constant(-2.0),)))} == {2.0}


def test_the_small_classes(tf):
    d = tf.distribute
    context = d.InputContext(2, 1, 4)
    assert (context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync) == (2, 1, 4)
    assert context.get_per_replica_batch_size(8) == 2
    assert str(context) == "tf.distribute.InputContext(input pipeline id 1, total: 2)"
    with pytest.raises(ValueError, match="not divisible"):
        context.get_per_replica_batch_size(7)
    value = d.experimental.ValueContext(1, 3)
    assert str(value) == "tf.distribute.ValueContext(replica id 1,  total replicas in sync: 3)"
    assert d.RunOptions()[:2] == (True, False)
    assert d.RunOptions(experimental_xla_options=3).experimental_xla_options == 3
    options = d.InputOptions(experimental_per_replica_buffer_size=3)
    assert options == (True, d.InputReplicationMode.PER_WORKER, False, 3)
    assert [mode.value for mode in d.InputReplicationMode] == ["PER_WORKER", "PER_REPLICA"]
    assert [op.name for op in d.ReduceOp] == ["SUM", "MEAN"]
    assert d.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN) is d.ReduceOp.MEAN
    with pytest.raises(ValueError, match="Could not convert from `tf.VariableAggregation`"):
        d.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE)


def test_communication_options(tf):
    e = tf.distribute.experimental
    options = e.CommunicationOptions(bytes_per_pack=3, timeout_seconds=2.0, implementation="ring")
    assert options.implementation is e.CommunicationImplementation.RING
    assert str(options) == "Options(bytes_per_pack=3,timeout_seconds=2.0, implementation=CommunicationImplementation.RING)"
    merged = options.merge(e.CommunicationOptions(bytes_per_pack=5))
    assert (merged.bytes_per_pack, merged.timeout_seconds) == (5, 2.0)
    assert e.CollectiveCommunication is e.CommunicationImplementation
    with pytest.raises(ValueError, match="must be >=0"):
        e.CommunicationOptions(bytes_per_pack=-1)
    with pytest.raises(ValueError, match="CommunicationImplementation"):
        e.CommunicationOptions(implementation=3)


def test_names_for_other_machines(tf):
    d = tf.distribute
    here = d.get_strategy()
    for kind in (
        d.TPUStrategy, d.MultiWorkerMirroredStrategy, d.ParameterServerStrategy, d.experimental.TPUStrategy,
        d.experimental.MultiWorkerMirroredStrategy, d.experimental.ParameterServerStrategy,
        d.experimental.CentralStorageStrategy,
    ):  # fmt: skip
        assert issubclass(kind, d.Strategy)
        assert not isinstance(here, kind)
    assert d.cluster_resolver.TPUClusterResolver.__name__ == "TPUClusterResolver"
    assert d.coordinator.ClusterCoordinator and d.experimental.coordinator.ClusterCoordinator
    assert d.experimental.partitioners.MinSizePartitioner and d.Server


def test_names_of_tensorflow_1(tf, two):  # noqa: F811
    old = tf.compat.v1.distribute
    assert not old.has_strategy() and old.get_replica_context() is not None
    with two.scope():
        assert old.get_strategy() is two and old.in_cross_replica_context()
    assert old.ReduceOp.SUM is tf.distribute.ReduceOp.SUM
    assert issubclass(old.NcclAllReduce, old.CrossDeviceOps)


def test_strategies_of_tensorflow_1(tf):
    d, x = tf.compat.v1.distribute, tf.constant([1.0, 2.0])
    for make, name in (
        (lambda: d.OneDeviceStrategy("/cpu:0"), "OneDeviceStrategyV1"),
        (lambda: d.MirroredStrategy(["/cpu:0"]), "MirroredStrategyV1"),
        (lambda: d.experimental.CentralStorageStrategy(["/cpu:0"], "/cpu:0"), "CentralStorageStrategyV1"),
    ):
        made = make()
        assert isinstance(made, d.Strategy) and type(made).__name__ == name
        assert made.reduce("SUM", x).numpy().tolist() == [1.0, 2.0]
        assert float(made.reduce(tf.distribute.ReduceOp.MEAN, x, axis=0)) == 1.5
        with pytest.raises(TypeError, match=r"StrategyV1.reduce\(\) missing 1 required positional argument: 'value'"):
            made.reduce("SUM")
        rows = made.experimental_make_numpy_dataset((np.ones([2, 3]), np.array([1, 2])))
        assert [(row.shape.as_list(), int(n)) for row, n in rows] == [([3], 1), ([3], 2)]
        with made.scope():
            assert d.get_strategy() is made and d.get_loss_reduction() is tf.distribute.ReduceOp.SUM
    assert not isinstance(tf.distribute.OneDeviceStrategy("/cpu:0"), d.Strategy)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'axis'"):
        tf.distribute.OneDeviceStrategy("/cpu:0").reduce("SUM", x)


def test_programs_that_look_for_a_tpu_do_without(tf):
    resolvers = tf.distribute.cluster_resolver
    for connect in (resolvers.TPUClusterResolver, resolvers.TPUClusterResolver.connect, tf.distribute.TPUStrategy):
        with pytest.raises(ValueError, match="Please provide a TPU Name to connect to."):
            connect()
    with pytest.raises(ValueError, match="Please provide a TPU Name"):
        resolvers.TPUClusterResolver(tpu="")


@pytest.mark.parametrize("name", ["MultiWorkerMirroredStrategy", "experimental.MultiWorkerMirroredStrategy",
                                  "experimental.CentralStorageStrategy"])  # fmt: skip
def test_strategies_for_several_places_with_one(tf, name):
    kind = tf.distribute
    for part in name.split("."):
        kind = getattr(kind, part)
    made = kind()
    assert made.num_replicas_in_sync == 1 and isinstance(made, tf.distribute.Strategy)
    assert not isinstance(made, tf.distribute.MirroredStrategy)
    with made.scope():
        v = tf.Variable(1.0)
    dataset = made.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    assert [made.run(lambda x: x + 1, args=(x,)).numpy().tolist() for x in dataset] == [[1, 2], [3, 4]]
    results = made.run(lambda: v.assign_add(2.0) * 2.0)
    assert made.reduce("SUM", results, axis=None).numpy() == 6.0 and v.numpy() == 3.0
    assert made.extended.worker_devices[0].endswith("CPU:0")


def test_resolvers(tf, monkeypatch):
    resolvers = tf.distribute.cluster_resolver
    monkeypatch.delenv("TF_CONFIG", raising=False)
    alone = resolvers.TFConfigClusterResolver()
    assert not alone.cluster_spec() and alone.master() == "" and alone.task_type is None and alone.task_id is None
    monkeypatch.setenv(
        "TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "task": {"type": "worker", "index": "1"}}'
    )
    several = resolvers.TFConfigClusterResolver()
    assert (several.task_type, several.task_id, several.rpc_layer) == ("worker", 1, None)
    assert several.master() == "b:2" and several.master("ps", 0) == "c:3"
    spec = several.cluster_spec()
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": ["c:3"]} and spec.num_tasks("worker") == 2
    told = resolvers.SimpleClusterResolver(spec, master="m:1", task_type="ps", task_id=0)
    assert told.master() == "m:1" and told.master("worker", 0) == "a:1" and told.cluster_spec() == spec
    with pytest.raises(TypeError, match=r"cluster_spec must be a `tf.train.ClusterSpec`"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})


def test_cluster_specs(tf):
    spec = tf.train.ClusterSpec({"worker": {1: "b:2", 3: "d:4"}, "ps": ["c:3"]})
    assert spec and sorted(spec.jobs) == ["ps", "worker"] and spec.task_indices("worker") == [1, 3]
    assert spec.as_dict() == {"worker": {1: "b:2", 3: "d:4"}, "ps": ["c:3"]}
    assert spec.job_tasks("worker") == [None, "b:2", None, "d:4"] and spec.task_address("worker", 3) == "d:4"
    assert tf.train.ClusterSpec(spec) == spec and not tf.train.ClusterSpec({})
    assert str(tf.train.ClusterSpec({"worker": ["a:1"]})) == "ClusterSpec({'worker': ['a:1']})"
    with pytest.raises(ValueError, match="No such job in cluster: 'chief'"):
        spec.num_tasks("chief")
    with pytest.raises(ValueError, match="No task with index 0 in job 'worker'"):
        spec.task_address("worker", 0)
    with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
        tf.train.ClusterSpec(["a:1"])
    with pytest.raises(TypeError, match="Task address 1 must be bytes or unicode"):
        tf.train.ClusterSpec({"worker": ["a:1", 1]})


def test_eager_replicas_are_warned_of_five_times(tf):
    program = f"""
import {tf.__name__} as tf

strategy = tf.distribute.MirroredStrategy(["cpu:0"])
for call in tf.function(lambda: 1), *[lambda: 1] * 7:
    strategy.run(call)
strategy.extended.call_for_each_replica(lambda: 1)
tf.function(lambda: strategy.run(tf.zeros, [[]]))()
tf.distribute.OneDeviceStrategy("cpu:0").run(lambda: 1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    text = (
        ":Using MirroredStrategy eagerly has significant overhead currently. We will be working on improving this in the "
        "future, but for now please wrap `call_for_each_replica` or `experimental_run` or `run` inside a tf.function to get the "
        "best performance."
    )
    assert done.stderr.count(f"WARNING:{tf.__name__}{text}") == done.stderr.count("eagerly") == 5
