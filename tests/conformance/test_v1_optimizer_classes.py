"""Optimizers of TensorFlow 1 that programs define: what their classes override, and what they call."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(191)


def _steps(tf, optimizer, loss_of, values, count=2):
    """The values of a Variable after steps in a graph, and after steps eagerly."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        variable = v1.get_variable("w", initializer=values)
        step = optimizer().minimize(loss_of(variable))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(count):
                session.run(step)
            in_graph = session.run(variable).tolist()
    variable, eager = tf.Variable(values), optimizer()
    for _ in range(count):
        assert eager.minimize(lambda: loss_of(variable), var_list=[variable]) is None
    assert variable.numpy().tolist() == pytest.approx(in_graph)
    return in_graph


def _momentum(tf):
    class Momentum(tf.compat.v1.train.Optimizer):
        def __init__(self, rate, name="Mine"):
            super().__init__(False, name)
            self._rate = rate

        def _prepare(self):
            self._rate_t = tf.convert_to_tensor(self._call_if_callable(self._rate), name="rate")

        def _create_slots(self, var_list):
            for variable in var_list:
                self._zeros_slot(variable, "m", self._name)

        def _resource_apply_dense(self, grad, handle):
            m = self.get_slot(handle, "m")
            m_t = m.assign(0.5 * m + grad)
            return tf.group(handle.assign_sub(tf.cast(self._rate_t, handle.dtype.base_dtype) * m_t), m_t)

        def _resource_apply_sparse(self, grad, handle, indices):
            return handle.scatter_sub(tf.IndexedSlices(self._rate_t * grad, indices))

    return Momentum


def test_steps_of_whole_variables_and_of_rows(tf):
    kind = _momentum(tf)
    assert _steps(tf, lambda: kind(0.1), lambda w: tf.reduce_sum(w**2), [1.0, -2.0]) == pytest.approx([0.54, -1.08])
    assert _steps(tf, lambda: kind(lambda: 0.1), lambda w: tf.reduce_sum(w**2), [1.0]) == pytest.approx([0.54])
    assert _steps(tf, lambda: kind(1.0), lambda w: tf.reduce_sum(tf.gather(w, [0, 0, 2])), [1.0, 1.0, 1.0], 1) == [-1, 1, 0]


def test_slots(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        optimizer, variable = _momentum(tf)(0.1), v1.get_variable("w", [2])
        optimizer.minimize(tf.reduce_sum(variable))
        slot = optimizer.get_slot(variable, "m")
        assert slot.name == "w/Mine:0" and optimizer.get_slot_names() == ["m"]
        assert optimizer._zeros_slot(variable, "m", "other") is slot
        ones = optimizer._get_or_make_slot(variable, tf.ones([2], tf.float64), "ones", "Ones")
        filled = optimizer._get_or_make_slot_with_initializer(
            variable, v1.constant_initializer(3), tf.TensorShape([4]), tf.int32, "filled", "Filled"
        )
        number = optimizer._create_non_slot_variable(0.5, "power", variable)
        assert optimizer._get_non_slot_variable("power", graph=tf.compat.v1.get_default_graph()) is number
        assert optimizer._get_non_slot_variable("none", graph=tf.compat.v1.get_default_graph()) is None
        assert list(optimizer._non_slot_variables()) == [number]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            values = session.run([ones, filled, number])
    assert [value.dtype for value in values] == [np.float64, np.int32, np.float32]
    assert [value.tolist() for value in values] == [[1.0, 1.0], [3, 3, 3, 3], 0.5]
    assert [slot.name for slot in (ones, filled)] == ["w/Ones:0", "w/Filled:0"]


def test_methods_that_are_not_there(tf):
    class Nothing(tf.compat.v1.train.Optimizer):
        def __init__(self):
            super().__init__(False, "Nothing")

    variable = tf.Variable([1.0, 2.0])
    for loss in (lambda: tf.reduce_sum(variable), lambda: tf.reduce_sum(tf.gather(variable, [0]))):
        with pytest.raises(NotImplementedError):
            Nothing().minimize(loss, var_list=[variable])


def test_tensors_of_the_numbers(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        loss = tf.reduce_sum(v1.get_variable("w", [2]))
        adam, momentum = v1.train.AdamOptimizer(0.25), v1.train.MomentumOptimizer(lambda: 0.5, 0.75)
        others = [v1.train.GradientDescentOptimizer(0.5), v1.train.AdagradOptimizer(0.5), v1.train.RMSPropOptimizer(0.5)]
        others += [v1.train.FtrlOptimizer(0.5), v1.train.ProximalGradientDescentOptimizer(0.5)]
        assert adam._lr == 0.25 and adam._beta1 == 0.9
        for optimizer in (adam, momentum, *others):
            optimizer.minimize(loss)
        assert adam._lr_t.op.name == "Adam/learning_rate" and adam._beta2_t.op.name == "Adam/beta2"
        assert momentum._momentum_tensor.op.name == "Momentum/momentum"
        assert momentum._learning_rate_tensor.op.name == "Momentum/learning_rate"
        assert others[2]._decay_tensor.op.name == "RMSProp/decay"
        with v1.Session() as session:
            assert session.run([adam._lr_t, momentum._learning_rate_tensor, momentum._momentum_tensor]) == [0.25, 0.5, 0.75]
            assert session.run([other._learning_rate_tensor for other in others]) == [0.5] * 5


def test_subclasses_of_optimizers(tf):
    class Clipped(tf.compat.v1.train.GradientDescentOptimizer):
        def _resource_apply_dense(self, grad, handle):
            return super()._resource_apply_dense(tf.clip_by_value(grad, -1.0, 1.0), handle)

        def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
            return super()._resource_apply_sparse_duplicate_indices(10.0 * grad, handle, indices)

    class Decayed(tf.compat.v1.train.AdamOptimizer):
        def _resource_apply_dense(self, grad, handle):
            decay = handle.assign_sub(0.5 * self._lr_t * handle)
            with tf.control_dependencies([decay]):
                return super()._resource_apply_dense(grad, handle)

    assert _steps(tf, lambda: Clipped(0.5), lambda w: tf.reduce_sum(9 * w), [1.0, 2.0]) == [0.0, 1.0]
    assert _steps(tf, lambda: Clipped(0.1), lambda w: tf.reduce_sum(tf.gather(w, [1, 1])), [1.0, 2.0], 1) == [1.0, 0.0]
    assert _steps(tf, lambda: Decayed(0.1), lambda w: tf.reduce_sum(9 * w), [1.0, 2.0], 1) == pytest.approx([0.85, 1.8])


def test_steps_are_asked_for_by_keywords(tf):
    class Doubled(tf.compat.v1.train.GradientDescentOptimizer):
        def compute_gradients(self, loss, var_list=None, **others):
            return super().compute_gradients(loss, var_list, **others)

        def apply_gradients(self, pairs, **others):
            return super().apply_gradients([(2.0 * gradient, variable) for gradient, variable in pairs], **others)

    assert _steps(tf, lambda: Doubled(0.25), lambda w: w * w, 3.0, 1) == 0.0


def test_powers_of_adam_are_those_that_a_subclass_has(tf):
    class Unbiased(tf.compat.v1.train.AdamOptimizer):
        def _get_beta_accumulators(self):
            made = super()._get_beta_accumulators()
            assert [power.name for power in made] == ["beta1_power:0", "beta2_power:0"]
            return self.powers

    v = tf.Variable([1.0, 2.0])
    optimizer = Unbiased(0.5)
    assert tf.compat.v1.train.AdamOptimizer()._get_beta_accumulators() == (None, None)
    optimizer.powers = tf.Variable(0.0), tf.Variable(0.75)
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    expected = 0.5 * 0.5 * 0.1 / np.sqrt(0.001)
    np.testing.assert_allclose(v.numpy(), [1 - expected, 2 - expected], rtol=1e-4)
    assert [float(power) for power in optimizer.powers] == [0.0, np.float32(0.75) * np.float32(0.999)]
