"""Functions of tensorflow.python.eager: values and gradients of functions, operations that only tapes know."""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(scope="module")
def backprop(tf):
    return importlib.import_module(f"{tf.__name__}.python.eager.backprop")


@pytest.fixture(scope="module")
def record(tf):
    return importlib.import_module(f"{tf.__name__}.python.eager.record")


def test_gradients_of_arguments(tf, backprop):
    gradients = backprop.gradients_function(lambda x, y: x * y)
    for x in (tf.constant(2.0), 2.0, np.float32(2.0), tf.Variable(2.0)):
        assert [float(g) for g in gradients(x, x)] == [2.0, 2.0]
    assert float(backprop.gradients_function(lambda x: x * x)(1.0, dy=2.0)[0]) == 4.0
    assert backprop.gradients_function(lambda x: x + x)(tf.constant(1))[0] is None
    assert float(backprop.gradients_function(lambda x: (x, 2 * x))(1.0)[0]) == 3.0
    assert [float(g) for g in backprop.gradients_function(lambda x, y: x * y, [1])(2.0, 3.0)] == [2.0]
    assert [float(g) for g in backprop.gradients_function(lambda x, y: x * y, ["x"])(2.0, 3.0)] == [3.0]
    assert float(backprop.gradients_function(lambda *args: args[0] ** 2)(3.0)[0]) == 6.0
    with pytest.raises(ValueError, match="params must be all strings or all integers; got"):
        backprop.gradients_function(lambda x, y: x * y, [0, "y"])(2.0, 3.0)
    for function in (backprop.gradients_function, backprop.val_and_grad_function):
        with pytest.raises(ValueError, match="Functions to be differentiated cannot receive keyword arguments."):
            function(lambda x: x)(2.0, y=3.0)
    with pytest.raises(AssertionError, match="The gradient function can't take keyword arguments."):
        backprop.make_vjp(lambda x: x)(2.0, y=3.0)


def test_higher_orders(tf, backprop):
    first = backprop.gradients_function(lambda x: x**3)
    second = backprop.gradients_function(lambda x: first(x)[0])
    assert float(second(tf.constant(2.0))[0]) == 12.0

    @tf.function
    def traced(x):
        return backprop.gradients_function(lambda y: first(y)[0])(x)[0]

    assert float(traced(tf.constant(2.0))) == 12.0


def test_products(tf, backprop):
    value, vjp = backprop.make_vjp(lambda x: x * x)(tf.constant(3.0))
    assert (float(value), float(vjp(2.0)[0]), float(vjp()[0])) == (9.0, 12.0, 6.0)
    value, vjp = backprop.make_vjp(lambda x: x * x, persistent=False)(tf.constant(3.0))
    assert float(vjp(2.0)[0]) == 12.0
    value, gradients = backprop.val_and_grad_function(lambda a, b: a * b, params=[1])(2.0, 3.0)
    assert (float(value), [float(g) for g in gradients]) == (6.0, [2.0])


def test_gradients_of_variables(tf, backprop):
    first, second, fixed = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(5.0, trainable=False)
    pairs = backprop.implicit_grad(lambda: fixed * second * second + first)()
    assert [float(g) for g, _ in pairs] == [1.0, 20.0]
    assert pairs[0][1] is first
    value, pairs = backprop.implicit_val_and_grad(lambda x: x * second)(3.0)
    assert (float(value), float(pairs[0][0])) == (6.0, 3.0)
    with pytest.raises(ValueError, match="No trainable variables were accessed while the function was being computed."):
        backprop.implicit_val_and_grad(lambda: fixed * 2.0)()


def test_functions_without_results(tf, backprop):
    def fn(x, y):
        x * y

    for made in (backprop.implicit_val_and_grad(fn), backprop.val_and_grad_function(fn)):
        with pytest.raises(ValueError, match="returns None; did you forget to return a value from fn?"):
            made(tf.constant(1.0), tf.constant(2.0))


def test_recorded_operations(tf, record):
    x, y = tf.constant(1.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        record.record_operation("Times", [y], [x], lambda dy: [3 * dy])
        z = y * y
    assert (float(tape.gradient(y, x)), float(tape.gradient(z, x))) == (3.0, 30.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        record.record_operation("Wrong", [y], [x], lambda dy: [])
    with pytest.raises(tf.errors.InternalError, match="Wrong.*too few gradients"):
        tape.gradient(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert record.could_possibly_record()
        with record.stop_recording():
            y = x * 2.0
    assert tape.gradient(y, x) is None


def test_what_tapes_track(tf, record):
    should = record.should_record_backprop
    x, y, count, v = tf.constant(1.0), tf.constant(2.0), tf.constant(1), tf.Variable(1.0)
    assert not should([x])
    with tf.GradientTape() as tape:
        assert not should([x, y])
        tape.watch(x)
        assert should([y, x]) and should([x * y]) and should([v + 1.0]) and not should([y, count]) and not should([])
        with tape.stop_recording():
            assert not should([x])
    assert not should([x])
    with tf.autodiff.ForwardAccumulator(x, y):
        assert not should([x])

    @tf.function
    def traced(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            return should([x * 2.0]), should([tf.constant(1.0)])

    assert [bool(answer) for answer in traced(x)] == [True, False]


def test_recomputed_functions_in_functions(tf):
    @tf.recompute_grad
    @tf.function
    def outer(x):
        @tf.function
        def middle(y):
            @tf.function
            def inner(z):
                return z + 1.0

            return tf.while_loop(lambda y, i: i < 10, lambda y, i: (inner(y), i + 1), [y, 0])[0]

        return middle(x)

    x = tf.Variable(1.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = outer(x)
        assert (float(y), float(tape.gradient(y, x))) == (11.0, 1.0)
