"""Variables as arguments of functions: in the trace for a call they are the Variables themselves."""

import pytest

pytestmark = pytest.mark.rule(27)


def test_an_argument_is_the_variable(tf):
    v, w = tf.Variable(1.0, name="first"), tf.Variable([2.0])
    seen = []

    @tf.function
    def read(x, named):
        y = named["y"]
        seen.append((x is v, y is w, x.ref() == v.ref(), x.handle is v.handle, {v.ref(): 7}[x.ref()]))
        return x + y

    assert read(v, {"y": w}).numpy().tolist() == [3.0]
    assert seen == [(True, True, True, True, 7)]
    concrete = read.get_concrete_function(v, {"y": w})
    assert not concrete.captured_inputs and len(concrete.inputs) == 2


def test_another_variable_takes_its_place(tf):
    v, w = tf.Variable(1.0), tf.Variable(10.0)
    traces = []

    @tf.function
    def add(x):
        traces.append(x is v)
        x.assign_add(1.0)
        return x * 2.0

    assert [add(v).numpy(), add(w).numpy(), add(v).numpy()] == [4.0, 22.0, 6.0]
    assert traces == [True] and [v.numpy(), w.numpy()] == [3.0, 11.0]


def test_tables_by_variable(tf):
    """As optimizers written by hand have."""
    variables = [tf.Variable([1.0, 2.0]), tf.Variable(3.0)]
    momenta = {v.ref(): tf.Variable(tf.zeros_like(v)) for v in variables}

    @tf.function
    def step(parameters):
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(p * p) for p in parameters)
        for p, g in zip(parameters, tape.gradient(loss, parameters), strict=True):
            momentum = momenta[p.ref()]
            momentum.assign(0.5 * momentum + g)
            p.assign_sub(0.1 * momentum)
        return loss

    losses = [float(step(variables)) for _ in range(3)]
    assert losses == pytest.approx([14.0, 8.96, 4.0824], rel=1e-5)


def test_gradients_know_the_variable_by_either_name(tf):
    v = tf.Variable(3.0)

    @tf.function
    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            y, z = x * x, v * v * v
        return tape.gradient(y, v), tape.gradient(z, x)

    assert [g.numpy() for g in gradients(v)] == [6.0, 27.0]


def test_branches_and_inner_functions(tf):
    v = tf.Variable(2.0)

    @tf.function
    def inner(x):
        return x * 10.0

    @tf.function
    def outer(x, up):
        if up:
            x.assign_add(1.0)
        else:
            v.assign_sub(1.0)
        for _ in tf.range(2):
            x.assign_add(0.5)
        return inner(x)

    assert outer(v, tf.constant(True)).numpy() == 40.0 and outer(v, tf.constant(False)).numpy() == 40.0
    w = tf.Variable(0.0)
    assert outer(w, tf.constant(True)).numpy() == 20.0 and v.numpy() == 4.0


def test_int_of_a_variable_is_the_variable(tf):
    v = tf.Variable(2)

    @tf.function
    def read_late():
        number = int(v)
        v.assign_add(1)
        return number + 0

    assert read_late().numpy() == 3
