"""Loaded functions whose loops and branches read Variables: the file does not tell a handle's dtype, gradients need it."""

import pytest

pytestmark = pytest.mark.rule("surface")


def loop(tf, w, x):
    s = 0.0
    for e in x:
        s += w * e
    return s


def branch(tf, w, x):
    return w * x[0] if x[0] > 0 else x[0]


def choice(tf, w, x):
    return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: w * 2.0, lambda: w * w, lambda: x[0]])


def read_after_the_loop(tf, w, x):
    s = tf.constant(0.0)
    while s < 5.0:
        s += tf.reduce_sum(w * x)
    return s * w


def call_in_a_loop(tf, w, x):
    inner = tf.function(lambda x: tf.reduce_sum(w * x))
    s = 0.0
    for _ in tf.range(3):
        s += inner(x)
    return s


def loop_in_a_branch(tf, w, x):
    s = 0.0
    if x[0] > 0:
        for k in tf.range(2):
            s += w * x[0] * tf.cast(k, tf.float32)
    return s


def loop_in_a_branch_in_a_loop(tf, w, x):
    s = 0.0
    for e in x:
        if e > 1:
            for k in tf.range(2):
                s += w * e * tf.cast(k, tf.float32)
    return s


PROGRAMS = [
    loop,
    branch,
    choice,
    read_after_the_loop,
    call_in_a_loop,
    loop_in_a_branch,
    pytest.param(loop_in_a_branch_in_a_loop, marks=pytest.mark.superset("TensorFlow's loaded function has gradient 0")),
]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient_of_the_variable(tf, tmp_path, program, traced):
    module = tf.Module()
    module.w = tf.Variable(2.0)
    w = module.w

    # Not the program itself: its global names are not the user's.
    def function(x):
        return program(tf, w, x)

    module.f = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))

    def value_and_gradient(model):
        with tf.GradientTape() as tape:
            y = model.f(tf.constant([1.0, 2.0, 3.0]))
        return y, tape.gradient(y, model.w)

    def numbers(model):
        run = tf.function(lambda: value_and_gradient(model)) if traced else lambda: value_and_gradient(model)
        return [float(t) for t in run()]

    assert numbers(loaded) == numbers(module)
    loaded.w.assign(3.0)
    module.w.assign(3.0)
    assert numbers(loaded) == numbers(module)
