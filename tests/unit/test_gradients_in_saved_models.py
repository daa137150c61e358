"""Gradient functions inside control flow, in saved models; TensorFlow does not save those that capture tensors there."""

import logging

import pytest
import tracefn as tf


def saved_and_loaded(tmp_path, function, **attributes):
    """The function, traced, and the one of a loaded model."""
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    module.f = tf.function(function, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(module, str(tmp_path), options=tf.saved_model.SaveOptions(experimental_custom_gradients=True))
    return module, tf.saved_model.load(str(tmp_path))


def gradient(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


def loaded_gradient(tmp_path, function, x=(1.0, 2.0, 3.0)):
    """The gradient of a loaded function; that of the function itself is the same."""
    module, loaded = saved_and_loaded(tmp_path, function)
    after = gradient(loaded.f, x)
    assert after == gradient(module.f, x)
    return after


def test_in_a_loop(tmp_path):
    @tf.custom_gradient
    def halved(x):
        y = x * 2.0
        return y, lambda dy: dy * 0.5 * y

    def f(x):
        i = tf.constant(0)
        while i < 3:
            x = halved(x)
            i += 1
        return x

    assert loaded_gradient(tmp_path, f) == [8.0, 64.0, 216.0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_in_a_branch(tmp_path, sign):
    @tf.custom_gradient
    def one(x):
        return x * 2.0, lambda dy: dy * 11.0 * x

    @tf.custom_gradient
    def other(x):
        return x * 2.0, lambda dy: dy * 13.0

    def f(x):
        if tf.reduce_sum(x) > 0.0:  # noqa: SIM108
            y = one(x)
        else:
            y = other(x)
        return y

    expected = 11.0 if sign > 0 else 13.0
    assert loaded_gradient(tmp_path, f, [sign]) == [expected]


def test_tensor_of_another_trace(tmp_path, caplog):
    """Its gradient function is not saved, and the log says so."""

    def f(x):
        @tf.custom_gradient
        def inner(y):
            return y * 2.0, lambda dy: dy * x

        return tf.function(inner)(x + 1.0)

    with caplog.at_level(logging.WARNING, logger="tracefn"):
        _, loaded = saved_and_loaded(tmp_path, f)
    assert "is not saved: it captures" in caplog.text
    assert loaded.f(tf.constant([1.0])).numpy().tolist() == [4.0]
    with pytest.raises(LookupError, match="CustomGradient"):
        gradient(loaded.f, [1.0])


def test_eager_tensor(tmp_path):
    """TensorFlow refuses to save what no object of the model holds; here it is a constant of the model."""
    factor = tf.constant(5.0)

    @tf.custom_gradient
    def scaled(x):
        return x * 2.0, lambda dy: dy * factor

    assert loaded_gradient(tmp_path, scaled, [1.0]) == [5.0]
