"""Checkpoints of Variables of strategies: they fit any number of replicas, and none."""

import pytest

from replicas import one, two, two_cpus  # noqa: F401 - fixtures

pytestmark = pytest.mark.rule("surface")

VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture
def strategies(two, one):  # noqa: F811
    return [two, one, None]


def made(tf, strategy, value):
    def variables():
        module = tf.Module()
        module.mirrored = tf.Variable([value, value], name="m")
        for name in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
            module_variable = tf.Variable(
                value, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation[name], name=name
            )
            setattr(module, name.lower(), module_variable)
        return module

    if strategy is None:
        return variables()
    with strategy.scope():
        return variables()


def test_between_strategies(tf, strategies, tmp_path):
    for i, first in enumerate(strategies):
        module = made(tf, first, 4.0)
        path = tf.train.Checkpoint(module).save(tmp_path / f"c{i}")
        assert [name for name, _ in tf.train.list_variables(path)][1:] == [
            f"{name}/{VALUE}" for name in ("mean", "mirrored", "only_first_replica", "save_counter", "sum")
        ]
        assert tf.train.load_variable(path, f"mirrored/{VALUE}").tolist() == [4.0, 4.0]
        for second in strategies:
            other = made(tf, second, 0.0)
            tf.train.Checkpoint(other).restore(path).assert_consumed()
            for name in ("sum", "mean", "only_first_replica", "mirrored"):
                assert getattr(other, name).numpy().tolist() == getattr(module, name).numpy().tolist()


def test_values_of_replicas(tf, strategies, tmp_path):
    strategy = strategies[0]
    module = made(tf, strategy, 0.0)

    def step():
        replica = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        for variable in (module.sum, module.mean, module.only_first_replica):
            variable.assign_add(replica + 1.0)

    strategy.run(step)
    path = tf.train.Checkpoint(module).write(tmp_path / "c")
    assert [float(tf.train.load_variable(path, f"{name}/{VALUE}")) for name in ("sum", "mean", "only_first_replica")] == [3.0, 1.5, 1.0]
    tf.train.Checkpoint(module).read(path).assert_consumed()
    assert [float(v) for v in module.sum.values] == [1.5, 1.5] and module.sum.numpy() == 3.0


def test_saved_models_in_scopes_of_strategies(tf, strategies, tmp_path):
    module = tf.Module()
    module.v = tf.Variable(3.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def add(x):
        module.v.assign_add(x)
        return module.v * 2.0

    module.add = add
    module.times = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, str(tmp_path))
    for strategy in strategies[:2]:
        with strategy.scope():
            loaded = tf.saved_model.load(str(tmp_path))
        copies = strategy.experimental_local_results
        count = strategy.num_replicas_in_sync
        assert loaded.times(tf.constant(2.0)) == 6.0
        assert list(copies(strategy.run(loaded.times, [tf.constant(2.0)]))) == [6.0] * count
        run = tf.function(lambda: strategy.run(loaded.add, [tf.constant(2.0)]))  # noqa: B023 - called here only
        assert list(copies(run())) == [10.0] * count
        assert [copy.numpy() for copy in copies(loaded.v)] == [5.0] * count

        def gradient(x):
            with tf.GradientTape() as tape:
                y = loaded.times(x)  # noqa: B023 - called here only
            return tape.gradient(y, loaded.v)  # noqa: B023

        assert list(copies(strategy.run(gradient, [tf.constant(4.0)]))) == [4.0] * count
