"""Section R of the tracing rules: gradients of and in Functions."""

import pytest

pytestmark = pytest.mark.needs("gradient")


@pytest.mark.rule(195)
def test_gradient_of_a_function(tf):
    v, watched = tf.Variable(3.0), tf.constant(5.0)
    f = tf.function(lambda x: x * x * v + watched * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, watched])
        y = f(x)
    assert [g.numpy() for g in tape.gradient(y, [x, v, watched])] == [17.0, 4.0, 2.0]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(195)
def test_gradient_through_nested_functions(tf):
    inner = tf.function(lambda x: x**3.0)
    outer = tf.function(lambda x: inner(x) + inner(2.0 * x))
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    assert tape.gradient(y, x).numpy() == 3.0 + 24.0


@pytest.mark.rule(195, 69)
def test_gradient_of_a_concrete_function(tf):
    concrete = tf.function(lambda x: tf.exp(x)).get_concrete_function(tf.TensorSpec([None], tf.float32))
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = concrete(x)
    assert tape.gradient(y, x).numpy() == pytest.approx([1.0, 2.7182817], rel=1e-6)


@pytest.mark.rule(196)
def test_a_tape_inside(tf):
    v, frozen = tf.Variable(2.0), tf.Variable(2.0, trainable=False)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * v * frozen
        return tape.gradient(y, x), tape.gradient(y, v), tape.gradient(y, frozen)

    dx, dv, dfrozen = f(tf.constant(3.0))
    assert (dx.numpy(), dv.numpy(), dfrozen) == (4.0, 6.0, None)


@pytest.mark.rule(196)
def test_variables_of_nested_functions_are_watched(tf):
    v, w = tf.Variable(2.0), tf.Variable(4.0, trainable=False)
    inner = tf.function(lambda x: x * v + w)
    with tf.GradientTape() as tape:
        y = tf.function(lambda x: inner(x) * 2.0)(tf.constant(3.0))
    assert [x is v for x in tape.watched_variables()] == [True]
    assert tape.gradient(y, v).numpy() == 6.0


@pytest.mark.rule(197)
@pytest.mark.needs("autograph")
def test_through_staged_statements(tf):
    def with_if(x):
        if x > 0.0:
            y = x * x
        else:
            y = -3.0 * x
        return y

    def with_while(x):
        y = x
        while y < 100.0:
            y = y * x
        return y

    def with_for(x):
        y = tf.constant(1.0)
        for i in tf.range(4):
            y = y * x + tf.cast(i, tf.float32)
        return y

    def gradient(f, value):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(f)(x)
        return tape.gradient(y, x).numpy()

    assert gradient(with_if, 3.0) == 6.0 and gradient(with_if, -3.0) == -3.0
    assert gradient(with_while, 3.0) == 5 * 3.0**4
    assert gradient(with_for, 2.0) == 4 * 2.0**3 + 2 * 2.0 + 2.0  # x**4 + x**2 + 2x + 3


@pytest.mark.rule(197)
def test_through_tf_cond_and_while_loop(tf):
    @tf.function(autograph=False)
    def f(x, n):
        y = tf.cond(x > 0.0, lambda: x * x, lambda: -x)
        _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), (0, y))
        return y

    for value, expected in ((3.0, 48.0), (-3.0, -8.0)):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(3))
        assert tape.gradient(y, x).numpy() == expected


@pytest.mark.rule(198)
def test_unconnected_sources(tf):
    x, z = tf.constant(1.0), tf.constant(2.0)
    f = tf.function(lambda x, z: x * 2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = f(x, z)
    assert tape.gradient(y, z) is None
    dx, others = tape.gradient(y, [x, {"z": z}])
    assert dx.numpy() == 2.0 and others == {"z": None}
    zero = tape.gradient(y, z, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy() == 0.0


@pytest.mark.rule(199)
def test_a_tape_used_twice(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError) as error:
        tape.gradient(y, x)
    assert "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)" in str(
        error.value
    )


@pytest.mark.rule(200)
def test_higher_orders(tf):
    f = tf.function(lambda x: x**4.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = f(x)
        slope = first.gradient(y, x)
    assert slope.numpy() == 32.0 and second.gradient(slope, x).numpy() == 48.0


@pytest.mark.rule(200)
def test_higher_orders_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.sin(x) * x
            slope = first.gradient(y, x)
        return slope, second.gradient(slope, x)

    slope, curvature = f(tf.constant(0.0))
    assert (slope.numpy(), curvature.numpy()) == (0.0, 2.0)


@pytest.mark.rule(201)
def test_structure_of_the_sources(tf):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda: a * a * b)()
    gradients = tape.gradient(y, {"b": b, "list": [a]})
    assert gradients["b"].numpy() == 1.0 and gradients["list"][0].numpy() == 4.0


@pytest.mark.rule(202)
def test_a_training_step(tf):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    y = 2.0 * x + 1.0

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - y) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    losses = [float(step(x, y)) for _ in range(300)]
    assert losses[0] == 21.0 and losses[-1] < 1e-4
    assert abs(w.numpy() - 2.0) < 0.01 and abs(b.numpy() - 1.0) < 0.02 and step.experimental_get_tracing_count() == 1


@pytest.mark.rule(196)
def test_variables_of_a_tape_used_again(tf):
    v, x = tf.Variable(2.0), tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        y = v * v
    tape.gradient(y, v)
    assert [w is v for w in tape.watched_variables()] == [True]
    with tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0 and tape.watched_variables() == ()
