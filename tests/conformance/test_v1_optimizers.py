"""The optimizers, decaying rates and global steps of tf.compat.v1.train."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)


# By name: how it is made, its slots, and the weights after two steps along the gradient 2 * w from w = [1, -2].
OPTIMIZERS = {
    "gradient descent": (lambda t: t.GradientDescentOptimizer(0.1), [], [0.64, -1.28]),
    "momentum": (lambda t: t.MomentumOptimizer(0.1, 0.5), ["momentum"], [0.54, -1.08]),
    "nesterov": (lambda t: t.MomentumOptimizer(0.1, 0.5, use_nesterov=True), ["momentum"], [0.44, -0.88]),
    "adagrad": (lambda t: t.AdagradOptimizer(0.1), ["accumulator"], None),
    "adadelta": (lambda t: t.AdadeltaOptimizer(0.1), ["accum", "accum_update"], None),
    "rmsprop": (lambda t: t.RMSPropOptimizer(0.1, momentum=0.5), ["momentum", "rms"], None),
    "centered rmsprop": (lambda t: t.RMSPropOptimizer(0.1, centered=True), ["mg", "momentum", "rms"], None),
    "ftrl": (lambda t: t.FtrlOptimizer(0.1, l1_regularization_strength=0.01), ["accum", "linear"], None),
    "ftrl with shrinkage": (lambda t: t.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1, beta=0.1), ["accum", "linear"], None),
    "proximal": (lambda t: t.ProximalGradientDescentOptimizer(0.1, 0.0, 0.0), [], [0.64, -1.28]),
    "proximal adagrad": (lambda t: t.ProximalAdagradOptimizer(0.1), ["accumulator"], None),
    "adam": (lambda t: t.AdamOptimizer(0.1), ["m", "v"], None),
}


def numpy_step(name, w, g, s, t):
    """One step of the optimizers whose weights are not given above."""
    if name in ("adagrad", "proximal adagrad"):
        s["a"] = s.get("a", 0.1) + g * g
        return w - 0.1 * g / np.sqrt(s["a"])
    if name == "adadelta":
        s["a"] = 0.95 * s.get("a", 0.0) + 0.05 * g * g
        update = np.sqrt(s.get("u", 0.0) + 1e-8) / np.sqrt(s["a"] + 1e-8) * g
        s["u"] = 0.95 * s.get("u", 0.0) + 0.05 * update * update
        return w - 0.1 * update
    if name in ("rmsprop", "centered rmsprop"):
        s["r"] = 0.9 * s.get("r", 1.0) + 0.1 * g * g
        s["g"] = 0.9 * s.get("g", 0.0) + 0.1 * g
        centered = name != "rmsprop"
        divisor = np.sqrt(s["r"] - (s["g"] ** 2 if centered else 0) + 1e-10)
        s["m"] = (0.0 if centered else 0.5) * s.get("m", 0.0) + 0.1 * g / divisor
        return w - s["m"]
    if name == "adam":
        s["m"] = 0.9 * s.get("m", 0.0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0.0) + 0.001 * g * g
        return w - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * s["m"] / (np.sqrt(s["v"]) + 1e-8)
    shrinks = name == "ftrl with shrinkage"
    l1, l2, shrink = (0.0, 0.1 / (2 * 0.1), 0.1) if shrinks else (0.01, 0.0, 0.0)
    before = s.get("n", 0.1)
    s["n"] = before + g * g
    s["z"] = s.get("z", 0.0) + g + 2 * shrink * w - (np.sqrt(s["n"]) - np.sqrt(before)) / 0.1 * w
    return np.where(np.abs(s["z"]) > l1, (l1 * np.sign(s["z"]) - s["z"]) / (np.sqrt(s["n"]) / 0.1 + 2 * l2), 0.0)


def expected_weights(name):
    given = OPTIMIZERS[name][2]
    if given is not None:
        return given
    w, state = np.array([1.0, -2.0]), {}
    for t in (1, 2):
        w = numpy_step(name, w, 2 * w, state, t)
    return w


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_in_a_graph(tf, v1, name):
    with tf.Graph().as_default() as graph:
        w = v1.get_variable("w", [2], initializer=v1.constant_initializer([1.0, -2.0]))
        step = v1.train.get_or_create_global_step()
        optimizer = OPTIMIZERS[name][0](v1.train)
        train = optimizer.minimize(tf.reduce_sum(w * w), step)
        assert isinstance(train, tf.Operation) and train.name == optimizer.get_name()
        assert graph.get_collection("train_op") == [train] and optimizer.get_slot_names() == OPTIMIZERS[name][1]
        slots = [optimizer.get_slot(w, slot) for slot in optimizer.get_slot_names()]
        assert all(slot.name.startswith(f"w/{optimizer.get_name()}") and not slot.trainable for slot in slots)
        assert optimizer.get_slot(w, "nothing") is None and v1.trainable_variables() == [w]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train)
            session.run(train)
            np.testing.assert_allclose(session.run(w), expected_weights(name), rtol=2e-5)
            assert session.run(step) == 2 and v1.train.global_step(session, step) == 2


def stepper(tf, optimizer, w):
    def step():
        optimizer.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])

    return step


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_in_a_function_and_eagerly(tf, v1, name):
    for compiled in (False, True):
        w = tf.Variable([1.0, -2.0])
        step = stepper(tf, OPTIMIZERS[name][0](v1.train), w)
        run = tf.function(step) if compiled else step
        run()
        run()
        np.testing.assert_allclose(w.numpy(), expected_weights(name), rtol=2e-5)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if "adadelta" not in name])
def test_indexed_slices(tf, v1, name):
    """A row that comes twice is stepped once, along the sum; the other rows stay."""
    with tf.Graph().as_default():
        w = v1.get_variable("w", [3, 2], initializer=v1.constant_initializer([[5.0, 5.0], [1.0, -2.0], [7.0, 7.0]]))
        v = v1.get_variable("v", [2], initializer=v1.constant_initializer([1.0, -2.0]))
        optimizer = OPTIMIZERS[name][0](v1.train)
        row = tf.gather(w, [1, 1])
        train = optimizer.minimize(tf.reduce_sum(row * row) / 2 + tf.reduce_sum(v * v))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(2):
                session.run(train)
            values, dense = session.run([w, v])
    np.testing.assert_allclose(values[1], dense, rtol=2e-5)
    np.testing.assert_allclose(values[[0, 2]], [[5, 5], [7, 7]])


def test_gradients_can_be_changed_on_the_way(tf, v1):
    with tf.Graph().as_default():
        w = v1.get_variable("w", [2], initializer=v1.constant_initializer([3.0, -0.1]))
        u = v1.get_variable("u", [], initializer=v1.zeros_initializer())
        optimizer = v1.train.GradientDescentOptimizer(lambda: 1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(w * w), [w, u])
        assert pairs[1][0] is None and [v for _, v in pairs] == [w, u]
        train = optimizer.apply_gradients([(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in pairs[:1]])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train)
            np.testing.assert_allclose(session.run(w), [2, 0.1], rtol=1e-6)


def test_constraints(tf, v1):
    with tf.Graph().as_default():
        w = v1.get_variable("w", [2], initializer=v1.ones_initializer(), constraint=lambda v: tf.clip_by_value(v, 0.5, 1.0))
        train = v1.train.GradientDescentOptimizer(10.0).minimize(tf.reduce_sum(w))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train)
            assert session.run(w).tolist() == [0.5, 0.5]


def test_what_optimizers_refuse(tf, v1):
    optimizer = v1.train.GradientDescentOptimizer(0.1)
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="should be a function when eager execution is enabled"):
        optimizer.minimize(v * 2)
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(ValueError, match="No gradients provided for any variable, check your graph"):
        optimizer.minimize(lambda: tf.constant(1.0), var_list=[v])
    with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.constant(1.0))])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="must be positive"):
        v1.train.AdagradOptimizer(0.1, 0.0)
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        v1.train.GradientDescentOptimizer(0.1, name="")


RATES = {
    0: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    3: [2**-1.5, 0.5, np.exp(-0.75), 1 / 1.75, 0.541, 0.541, 1.0, 0.1 + 0.9 * 0.5 * (1 + np.cos(0.3 * np.pi)),
        0.5 * (1 + np.cos(0.75 * np.pi)), 0.7 * 0.5 * (1 + np.cos(0.3 * np.pi)) + 0.001],
    12: [2**-6.0, 2**-6.0, np.exp(-3), 1 / 4, 0.1, 0.9 * 0.4**2 + 0.1, 0.1, 0.1, 1.0, 0.001],
}  # fmt: skip
RATES[0][9] = 1.001


@pytest.mark.parametrize("step", RATES)
def test_decaying_rates(tf, v1, step):
    t = v1.train

    def rates(step):
        return [
            t.exponential_decay(1.0, step, 2, 0.5),
            t.exponential_decay(1.0, step, 2, 0.5, staircase=True),
            t.natural_exp_decay(1.0, step, 2, 0.5),
            t.inverse_time_decay(1.0, step, 2, 0.5),
            t.polynomial_decay(1.0, step, 10, 0.1, 2.0),
            t.polynomial_decay(1.0, step, 10, 0.1, 2.0, cycle=True),
            t.piecewise_constant(step, [3, 10], [1.0, 0.5, 0.1]),
            t.cosine_decay(1.0, step, 10, 0.1),
            t.cosine_decay_restarts(1.0, step, 4),
            t.linear_cosine_decay(1.0, step, 10),
        ]

    np.testing.assert_allclose([float(rate()) for rate in rates(tf.constant(step, tf.int64))], RATES[step], rtol=1e-4)
    with tf.Graph().as_default(), v1.Session() as session:
        np.testing.assert_allclose(session.run(rates(tf.constant(step, tf.int64))), RATES[step], rtol=1e-4)
    with pytest.raises(ValueError, match="must have the same dtype as x"):
        t.piecewise_constant(tf.constant(1), [1.0], [1.0, 2.0])


def test_global_steps(tf, v1):
    with tf.Graph().as_default() as graph:
        assert v1.train.get_global_step() is None
        step = v1.train.create_global_step()
        assert v1.train.get_or_create_global_step() is step and graph.get_collection("global_step") == [step]
        assert step.name == "global_step:0" and step.dtype == tf.int64 and not step.trainable
        with pytest.raises(ValueError, match="already exists"):
            v1.train.create_global_step()
        v1.train.assert_global_step(step)
        with pytest.raises(TypeError, match="does not have integer type"):
            v1.train.assert_global_step(tf.constant(1.0))


def test_gradients_of_replicas(tf, v1):
    weights = tf.Variable(1.0)
    optimizer = v1.train.GradientDescentOptimizer(0.5)
    for option in ({}, {"skip_gradients_aggregation": True}, {"skip_gradients_aggregation": False}):
        weights.assign(1.0)
        optimizer.apply_gradients([(tf.constant(1.0), weights)], **option)
        assert float(weights) == 0.5
