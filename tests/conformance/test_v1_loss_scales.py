"""Loss scales of TensorFlow 1, and the optimizer that uses them."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)


@pytest.fixture
def precision(tf, v1):
    yield v1.mixed_precision
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": None})


def test_fixed_scales(tf, precision):
    scale = precision.FixedLossScale(8)
    assert float(scale()) == 8.0 and scale().dtype == tf.float32 and repr(scale) == "FixedLossScale(8.0)"
    assert scale.update([tf.constant(np.inf)])[1] is True
    assert precision.FixedLossScale.from_config(scale.get_config()).get_config() == {"loss_scale_value": 8.0}
    with pytest.raises(ValueError, match="loss_scale_value must be at least 1"):
        precision.FixedLossScale(0.5)
    with pytest.raises(ValueError, match="loss_scale_value must be a Python int or float"):
        precision.FixedLossScale("8")
    with pytest.raises(TypeError, match="abstract class LossScale"):
        precision.LossScale()


def test_dynamic_scales(tf, precision):
    scale = precision.DynamicLossScale(initial_loss_scale=4, increment_period=2, multiplier=3)
    steps = [([1.0], True, 4.0, 1), ([1.0, None], True, 12.0, 0), ([np.inf], False, 4.0, 0), ([[1.0, np.nan]], False, 4 / 3, 0),
             ([-np.inf], False, 1.0, 0), ([], True, 1.0, 1), ([2.0], True, 3.0, 0)]  # fmt: skip
    for gradients, finite, factor, good in steps:
        _, applies = scale.update([None if g is None else tf.constant(g) for g in gradients])
        assert bool(applies) is finite and float(scale()) == pytest.approx(factor)
        assert f"num_good_steps={good}," in repr(scale)
    largest = precision.DynamicLossScale(3e38, 1, 10.0)
    largest.update([tf.constant(1.0)])
    assert float(largest()) == pytest.approx(3e38)
    with tf.Graph().as_default():
        text = "DynamicLossScale(initial_loss_scale=32768.0, increment_period=2000, multiplier=2.0)"
        assert repr(precision.DynamicLossScale()) == text


def test_scales_inside_functions(tf, precision):
    scale = precision.DynamicLossScale(8.0, 1)

    @tf.function
    def step(gradient):
        return scale.update({"a": gradient})[1]

    assert [bool(step(tf.constant(g))) for g in (1.0, np.nan, 1.0)] == [True, False, True]
    assert float(scale()) == 16.0


@pytest.mark.parametrize("factor", [8, "dynamic"])
def test_steps_in_a_graph(tf, v1, precision, factor):
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=[1.0, -2.0], use_resource=True)
        x, step = v1.placeholder(tf.float32, []), v1.train.get_or_create_global_step()
        optimizer = precision.MixedPrecisionLossScaleOptimizer(v1.train.MomentumOptimizer(0.1, 0.5), factor)
        pairs = optimizer.compute_gradients(tf.reduce_sum(w * w) * x)
        train = optimizer.apply_gradients(pairs, global_step=step)
        assert len(optimizer.variables()) == (1 if factor == 8 else 3) and optimizer.get_name() == "Momentum"
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train, {x: 1.0})
            np.testing.assert_allclose(session.run(pairs[0][0], {x: 1.0}), [1.6, -3.2], rtol=1e-6)
            if factor == "dynamic":
                session.run(train, {x: np.inf})
                assert session.run([step, optimizer._loss_scale()]) == [1, 2.0**14]
            session.run(train, {x: 1.0})
            np.testing.assert_allclose(session.run(w), [0.54, -1.08], rtol=1e-6)
            assert session.run(step) == 2


def test_steps_that_run_eagerly(tf, v1, precision):
    rows = tf.Variable(tf.ones([3, 2]))
    optimizer = precision.MixedPrecisionLossScaleOptimizer(v1.train.GradientDescentOptimizer(0.5), "dynamic")
    assert optimizer.minimize(lambda: tf.reduce_sum(tf.gather(rows, [1, 2])), var_list=[rows]) is None
    assert rows.numpy().tolist() == [[1.0, 1.0], [0.5, 0.5], [0.5, 0.5]]
    optimizer.minimize(lambda: tf.reduce_sum(rows) * np.inf, var_list=[rows])
    assert rows.numpy().tolist() == [[1.0, 1.0], [0.5, 0.5], [0.5, 0.5]] and float(optimizer._loss_scale()) == 2.0**14


def test_checkpoints_of_scaling_optimizers(tf, v1, precision, tmp_path):
    def make(start, factor):
        w = tf.Variable(start)
        return w, precision.MixedPrecisionLossScaleOptimizer(v1.train.MomentumOptimizer(0.1, 0.5), factor)

    w, optimizer = make([1.0, -2.0], "dynamic")
    optimizer.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])
    path = tf.train.Checkpoint(optimizer=optimizer, w=w).save(str(tmp_path / "c"))
    other, restored = make([0.0, 0.0], precision.DynamicLossScale(7.0))
    status = tf.train.Checkpoint(optimizer=restored, w=other).restore(path)
    assert float(restored._loss_scale()) == 2.0**15
    restored.minimize(lambda: tf.reduce_sum(other * other), var_list=[other])
    status.assert_consumed()
    np.testing.assert_allclose(other, [0.54, -1.08], rtol=1e-6)


def test_what_scaling_optimizers_refuse(tf, v1, precision):
    wrap, plain = precision.MixedPrecisionLossScaleOptimizer, v1.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match='"opt" must be an instance of Optimizer, but got'):
        wrap(3, 8)
    with pytest.raises(ValueError, match="loss_scale cannot be None"):
        wrap(plain, None)
    with pytest.raises(ValueError, match="Could not interpret loss scale identifier: static"):
        wrap(plain, "static")
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope(), pytest.raises(ValueError, match="must be called in a replica context"):
        wrap(plain, 8).apply_gradients([])


def test_the_rewrite_of_graphs(tf, v1, precision):
    get = tf.config.optimizer.get_experimental_options
    optimizer = precision.enable_mixed_precision_graph_rewrite(v1.train.GradientDescentOptimizer(0.1))
    assert isinstance(optimizer, precision.MixedPrecisionLossScaleOptimizer) and get()["auto_mixed_precision"] is True
    with pytest.raises(ValueError, match='"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer'):
        precision.enable_mixed_precision_graph_rewrite(optimizer)
    with pytest.raises(ValueError, match='"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer'):
        precision.enable_mixed_precision_graph_rewrite(3)
    v1.train.experimental.disable_mixed_precision_graph_rewrite()
    assert get()["auto_mixed_precision"] is False
