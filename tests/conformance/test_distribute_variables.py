"""`tf.distribute`: Variables made in the scope of a strategy."""

import copy

import numpy as np
import pytest

from replicas import one, strategy, two, two_cpus, values_of  # noqa: F401 - fixtures

pytestmark = pytest.mark.rule("surface")


def replica_number(tf):
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def copies(variable) -> list:
    return [part.numpy().tolist() for part in variable.values]


def test_kinds(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable(1.0, name="v")
    assert isinstance(v, tf.Variable)
    assert isinstance(v, tf.__internal__.tracking.Trackable)
    is_mirrored = isinstance(strategy, tf.distribute.MirroredStrategy)
    assert isinstance(v, tf.distribute.DistributedValues) == is_mirrored
    assert strategy.extended.variable_created_in_scope(v)
    assert not tf.distribute.OneDeviceStrategy("/cpu:0").extended.variable_created_in_scope(v)
    assert len(strategy.experimental_local_results(v)) == strategy.num_replicas_in_sync
    assert v.name == "v:0" and v.dtype == tf.float32 and v.shape == [] and v.trainable
    assert v.numpy() == 1.0


def test_text(tf, two, one):  # noqa: F811
    with two.scope():
        v = tf.Variable([1.0], name="v")
    line = "  {}: <tf.Variable '{}' shape=(1,) dtype=float32, numpy=array([1.], dtype=float32)>"
    assert repr(v) == "MirroredVariable:{\n" + line.format(0, "v:0") + ",\n" + line.format(1, "v/replica_1:0") + "\n}"
    with two.scope(), tf.name_scope("outer"):
        inner = tf.Variable(1.0, name="w")
    assert [part.name for part in inner.values] == ["outer/w:0", "outer/w/replica_1:0"]
    assert [part.device[-5:] for part in inner.values] == ["CPU:0", "CPU:1"]
    with one.scope():
        assert repr(tf.Variable(1, name="n")).startswith("MirroredVariable:{\n  0: <tf.Variable 'n:0'")


def test_reads(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    assert (v + 1.0).numpy().tolist() == [2.0, 3.0]
    assert (3.0 * v)[0] == 3.0
    assert float(v[1]) == 2.0
    assert tf.reduce_sum(v).numpy() == 3.0
    assert np.asarray(v).tolist() == [1.0, 2.0]
    assert v.value().numpy().tolist() == v.read_value().numpy().tolist() == [1.0, 2.0]
    assert values_of(strategy, strategy.run(lambda: v * 2.0)) == [[2.0, 4.0]] * strategy.num_replicas_in_sync
    traced = tf.function(lambda: strategy.run(lambda: v * 2.0))
    assert values_of(strategy, traced()) == [[2.0, 4.0]] * strategy.num_replicas_in_sync
    assert tf.function(lambda: v + 1.0)().numpy().tolist() == [2.0, 3.0]
    assert bool(v.is_initialized())
    assert v.ref().deref() is v


def test_assignments_outside(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable(1.0)
    count = strategy.num_replicas_in_sync
    assert values_of(strategy, v.assign(2.0)) == [2.0] * count
    assert values_of(strategy, v.assign_add(1.0)) == [3.0] * count
    assert values_of(strategy, v.assign_sub(0.5)) == [2.5] * count
    with strategy.scope():
        v.assign(7.0)
    tf.function(lambda: v.assign_add(1.0))()
    assert [float(x) for x in strategy.experimental_local_results(v)] == [8.0] * strategy.num_replicas_in_sync
    v.assign_add(1.0, read_value=False)
    assert v.numpy() == 9.0


@pytest.mark.parametrize(("aggregation", "expected"), [("SUM", 4.0), ("MEAN", 2.5), ("ONLY_FIRST_REPLICA", 2.0)])
def test_assignments_in_replicas(tf, two, aggregation, expected):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation[aggregation])
    assert v.aggregation is tf.VariableAggregation[aggregation]
    two.run(lambda: v.assign_add(replica_number(tf) + 1.0))
    assert copies(v) == [expected] * 2
    v.assign(1.0)
    tf.function(lambda: two.run(lambda: v.assign_add(replica_number(tf) + 1.0)))()
    assert copies(v) == [expected] * 2
    v.assign(1.0)
    two.run(tf.function(lambda: v.assign_add(replica_number(tf) + 1.0)))
    assert copies(v) == [expected] * 2


def test_results_of_assignments(tf, one, two):  # noqa: F811
    for strategy in (one, two):  # noqa: F402
        with strategy.scope():
            v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        found = strategy.run(lambda: v.assign_add(replica_number(tf)))  # noqa: B023
        count = strategy.num_replicas_in_sync
        assert values_of(strategy, found) == [float(count)] * count
    with pytest.raises(ValueError, match="cannot be reduced with the given reduce op"):
        two.run(lambda: v.assign_add(1.0))


def test_assignments_without_aggregation(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0)
    two.run(lambda: v.assign(replica_number(tf)))  # each its own
    assert copies(v) == [0.0, 1.0]


def test_mean_of_integers(tf, two):  # noqa: F811
    with two.scope(), pytest.raises(ValueError, match="aggregation=MEAN and a non-floating dtype"):
        tf.Variable(1, aggregation=tf.VariableAggregation.MEAN)


@pytest.mark.parametrize(
    ("aggregation", "read"), [("SUM", 3.0), ("MEAN", 1.5), ("ONLY_FIRST_REPLICA", 1.0)]
)
def test_synchronized_on_read(tf, two, aggregation, read):  # noqa: F811
    with two.scope():
        v = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation[aggregation],
        )
    assert not v.trainable
    assert v.synchronization is tf.VariableSynchronization.ON_READ
    two.run(lambda: v.assign_add(replica_number(tf) + 1.0))
    assert copies(v) == [1.0, 2.0]
    assert v.numpy() == read
    assert float(v + 0.0) == read
    with two.scope():
        assert float(v.read_value()) == read
    assert values_of(two, two.run(lambda: v + 0.0)) == [1.0, 2.0]
    assert float(tf.function(lambda: v.read_value())()) == read
    v.assign(6.0)
    assert copies(v) == ([3.0, 3.0] if aggregation == "SUM" else [6.0, 6.0])
    if aggregation == "SUM":
        with pytest.raises(ValueError, match="does not support `assign_add` in cross-replica context"):
            v.assign_add(1.0)
    else:
        v.assign_add(1.0)
        assert copies(v) == [7.0, 7.0]
    with pytest.raises(NotImplementedError, match="ON_READ"):
        v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))


def test_synchronized_reads_in_replicas(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    def read():
        with tf.__internal__.distribute.variable_sync_on_read_context():
            return tf.convert_to_tensor(v) + 10.0

    assert values_of(two, two.run(read)) == [12.0, 12.0]
    assert values_of(two, two.run(lambda: tf.convert_to_tensor(v) + 10.0)) == [11.0, 11.0]


def test_synchronizations(tf, two):  # noqa: F811
    with two.scope(), pytest.raises(ValueError, match="`NONE` variable synchronization mode is not supported"):
        tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)
    with two.scope():
        assert tf.Variable(1.0).synchronization is tf.VariableSynchronization.ON_WRITE


def test_handles(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0)
    with two.scope(), pytest.raises(ValueError, match="handle is not available outside the replica context"):
        _ = v.handle
    assert two.run(lambda: v.handle.dtype) == tf.resource
    assert v.values[0].handle is not None
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)


def test_training_steps(tf, strategy):  # noqa: F811
    """Gradients in replicas, reduced, and applied across them."""
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
        b = tf.Variable(0.5)

    def step(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w * x) + b
        gradients = tape.gradient(y, [w, b])
        assert len(tape.watched_variables()) == 2

        def apply(s, *gradients):
            for v, g in zip((w, b), gradients, strict=True):
                s.extended.update(v, lambda v, g: v.assign_sub(0.1 * g), args=(g,))

        context = tf.distribute.get_replica_context()
        context.merge_call(apply, args=context.all_reduce("MEAN", gradients))
        return y

    for run in (strategy.run, tf.function(lambda *args, **kwargs: strategy.run(*args, **kwargs))):
        w.assign([1.0, 2.0])
        b.assign(0.5)
        y = run(step, args=(tf.constant([3.0, 4.0]),))
        assert values_of(strategy, y) == [11.5] * strategy.num_replicas_in_sync
        np.testing.assert_allclose(w.numpy(), [0.7, 1.6], rtol=1e-6)
        np.testing.assert_allclose(b.numpy(), 0.4, rtol=1e-6)


def test_updates(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable(1.0)
        extended = strategy.extended
        found = extended.update(v, lambda v, x, y: v.assign_add(x * y), args=(2.0,), kwargs={"y": 3.0})
        count = strategy.num_replicas_in_sync
        assert values_of(strategy, found) == [7.0] * count
        ungrouped = extended.update(v, lambda v: v.assign_add(1.0), group=False)
        assert [float(x) for x in ungrouped] == [8.0] * count
    assert values_of(strategy, strategy.extended.update(v, lambda v: v.assign(1.0))) == [1.0] * count
    with strategy.scope():
        assert float(strategy.extended.read_var(v)) == 1.0
        assert strategy.extended.value_container(v) is v
    first = strategy.experimental_local_results(v)[0]
    assert strategy.extended.value_container(first) is v


def test_colocation(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0)
        with two.extended.colocate_vars_with(v):
            w = tf.Variable(2.0)
        assert isinstance(w, tf.distribute.DistributedValues)
        with pytest.raises(ValueError, match="must only be passed a variable created in this"):
            two.extended.colocate_vars_with(v.values[0])
    with pytest.raises(RuntimeError, match="Need to be inside"):
        two.extended.colocate_vars_with(v)


def test_made_in_replicas(tf, two):  # noqa: F811
    made = []

    def step():
        if len(made) < 2:
            made.append(tf.Variable(3.0, aggregation=tf.VariableAggregation.SUM))
        return made[-1].assign_add(replica_number(tf) + 1.0)

    two.run(step)
    assert made[0] is made[1]
    assert copies(made[0]) == [6.0, 6.0]


def test_made_in_functions(tf, strategy):  # noqa: F811
    made = []

    @tf.function
    def function():
        if not made:
            made.append(tf.Variable(1.0))
        return made[0] + 1.0

    with strategy.scope():
        assert float(function()) == 2.0
    assert isinstance(made[0], tf.distribute.DistributedValues) == isinstance(strategy, tf.distribute.MirroredStrategy)


def test_as_arguments(tf, two):  # noqa: F811
    with two.scope():
        v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def plus_one(x):
        return x + 1.0

    assert float(plus_one(v)) == 2.0
    assert float(tf.function(lambda: v)()) == 1.0
    assert values_of(two, two.run(lambda x: x + 1.0, args=(w,))) == [3.0, 3.0]


def test_creators(tf, two):  # noqa: F811
    seen = []

    def note(next_creator, **kwargs):
        seen.append(kwargs["name"])
        return next_creator(**kwargs)

    with two.scope(), tf.variable_creator_scope(note):
        v = tf.Variable(1.0, name="v")
    assert isinstance(v, tf.distribute.DistributedValues)
    assert seen == ["v"]


def test_initial_values_are_made_once(tf, two):  # noqa: F811
    calls = []

    def value():
        calls.append(None)
        return tf.random.normal([2])

    with two.scope():
        v = tf.Variable(value)
    assert len(calls) == 1
    assert copies(v)[0] == copies(v)[1]


def test_scatters(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable([1.0, 2.0, 3.0], aggregation=tf.VariableAggregation.SUM)

    def rows():
        return tf.IndexedSlices(tf.reshape(replica_number(tf) + 10.0, [1]), tf.constant([1]))

    two.run(lambda: v.scatter_add(rows()))
    assert copies(v) == [[1.0, 23.0, 3.0]] * 2
    with pytest.raises(NotImplementedError, match="scatter_update is only supported for mirrored variable"):
        two.run(lambda: v.scatter_update(rows()))


def test_copies_of_variables(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0)
    copied = copy.deepcopy(v)
    copied.assign(2.0)
    assert (v.numpy(), copied.numpy()) == (1.0, 2.0)
    other = tf.distribute.OneDeviceStrategy("/cpu:0")
    with other.scope(), pytest.raises(RuntimeError, match="Mixing different|is not"):
        copy.deepcopy(v)


def test_modules(tf, two):  # noqa: F811
    with two.scope():
        module = tf.Module()
        module.w = [tf.Variable(1.0), tf.Variable(2.0, trainable=False)]
    assert len(module.variables) == 2
    assert len(module.trainable_variables) == 1


def test_functions_inside_replicas(tf, two, traces):  # noqa: F811
    """A nested tf.function has a trace for each replica, which reads the replica's own copies."""
    with two.scope():
        v = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )

    @tf.function
    def inner(x):
        traces.append(None)
        v.assign_add(x)
        return v.value()

    def step():
        return inner(replica_number(tf) + 1.0)

    assert values_of(two, two.run(step)) == [1.0, 2.0]
    assert values_of(two, two.run(step)) == [2.0, 4.0]
    assert len(traces) == 2
    assert values_of(two, tf.function(lambda: two.run(step))()) == [3.0, 6.0]


def test_control_flow_inside_replicas(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable(2.0)

    def step(limit):
        total = tf.constant(0.0)
        for i in tf.range(limit):
            if i > 0:
                total += v * tf.cast(i, tf.float32)
        return total

    found = tf.function(lambda: strategy.run(step, args=(tf.constant(3),)))()
    assert values_of(strategy, found) == [6.0] * strategy.num_replicas_in_sync


def test_results_of_updates_across_replicas(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable([1.0, 2.0])
    result = v.assign_add([1.0, 1.0])
    v.assign([9.0, 9.0])
    assert result.numpy().tolist() == [2.0, 3.0]  # the values then
    parts = two.extended.update(v, lambda copy, value: copy.assign(value), args=([7.0, 7.0],), group=False)
    v.assign([8.0, 8.0])
    assert [part.numpy().tolist() for part in parts] == [[8.0, 8.0]] * 2


def test_members_of_eager_variables(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable([1.0, 2.0])
        assert v.initializer is None and v._initializer_op is None
        assert v._in_graph_mode is False and v._as_graph_element() is None
        assert v._dense_var_to_tensor().numpy().tolist() == [1.0, 2.0]
        with pytest.raises(ValueError, match="float64"):
            v._dense_var_to_tensor(dtype=tf.float64)
        with pytest.raises(ValueError):
            v._dense_var_to_tensor(as_ref=True)
        for name in ("graph", "op"):
            with pytest.raises(AttributeError, match="undefined when eager execution is enabled"):
                getattr(v, name)
        with pytest.raises(RuntimeError):
            v.initial_value
        with pytest.raises(RuntimeError):
            v.eval()
        v.load([5.0, 6.0])
        assert copies(v) == [[5.0, 6.0]] * 2


def test_in_a_graph(tf, two):  # noqa: F811
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        with two.scope():
            v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        assert v.graph is graph and v.op.type == "VarHandleOp" and v._in_graph_mode
        assert v.initial_value.shape == [2]
        session.run(v.initializer)
        assert v.eval().tolist() == [1.0, 2.0]
        with two.scope():
            assert v.op.name == "v" and v.op.type == "VarHandleOp" and v.op.graph is graph
            assert v.op == v.op
            added = v.assign_add([2.0, 2.0])
        assert session.run(added).tolist() == [3.0, 4.0]
        assert [value.tolist() for value in session.run(v.values)] == [[3.0, 4.0]] * 2  # one part runs all updates
        operation = v.assign([0.0, 0.0], read_value=False)
        assert session.run(operation) is None
        assert [value.tolist() for value in session.run(v.values)] == [[0.0, 0.0]] * 2
        assert session.run(v).tolist() == [0.0, 0.0]


def test_sums_in_a_graph(tf, two):  # noqa: F811
    kept = {"synchronization": tf.VariableSynchronization.ON_READ, "aggregation": tf.VariableAggregation.SUM}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with two.scope():
            v = tf.compat.v1.get_variable("v", initializer=3.0, use_resource=True, **kept)
        session.run(v.initializer)
        parts = session.run(v.values)
        with two.scope():
            assert session.run(v) == sum(parts)


def test_assignments_returned_by_a_function_are_values(tf, two):  # noqa: F811
    """A function gives the values that the replicas assigned, not their Variables."""
    with two.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    @tf.function
    def step():
        return {"v": two.run(lambda: v.assign_add(1.0 + replica_number(tf)))}

    result = step()["v"]
    assert values_of(two, result) == [2.5, 2.5]
    assert not any(isinstance(part, tf.Variable) for part in result.values)
    v.assign(0.0)
    assert values_of(two, result) == [2.5, 2.5]


def test_updates_are_grouped(tf, two):  # noqa: F811
    with two.scope():
        v = tf.Variable(1.0)
    kinds = []

    @tf.function
    def update():
        with two.scope():
            first = v.assign(5.0)
            kinds.append(isinstance(first, tf.distribute.DistributedValues))
            assert isinstance(tf.group(first, [v.assign_add(1.0)], tf.constant(1)), tf.Operation)
            tf.group(two.run(lambda: tf.constant(1.0)))
            with pytest.raises(TypeError, match="should be zero or more .nested. Tensors"):
                tf.group(first, object())

    update()
    assert kinds == [True] and copies(v) == [6.0, 6.0]


def test_a_wrapper_that_is_a_variable_too(tf, strategy):  # noqa: F811
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    class Base(tf.Variable):
        def __init__(self, wrapped):
            self.wrapped = wrapped

        def __getattr__(self, name):
            if name == "wrapped":
                raise AttributeError(name)
            return getattr(self.wrapped, name)

    class Wrapper(Base, type(v)):
        pass

    assert strategy.extended.variable_created_in_scope(Wrapper(v))
    is_default = strategy is tf.distribute.get_strategy()
    assert strategy.extended.variable_created_in_scope(tf.Variable(1.0)) == is_default
    assert tf.Variable(1.0)._distribute_strategy is None
