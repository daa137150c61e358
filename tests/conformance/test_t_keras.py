"""Section T of the tracing rules: layers and models in Functions."""

import numpy as np
import pytest

pytestmark = pytest.mark.needs("keras")


@pytest.mark.rule(208, 114)
def test_a_layer_builds_its_weights_in_the_first_call(tf):
    layer = tf.keras.layers.Dense(3)
    f = tf.function(lambda x: layer(x))
    x = tf.constant([[1.0, 2.0]])
    traced = f(x)
    assert len(layer.trainable_weights) == 2
    assert np.allclose(traced.numpy(), layer(x).numpy())
    assert np.allclose(f(x).numpy(), traced.numpy())


@pytest.mark.rule(209)
def test_a_model_with_a_decorated_call(tf, traces):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        @tf.function
        def call(self, x, training=False):
            traces.append(training)
            y = self.dense(x)
            if training:
                y = y * 100.0
            return y

    model = Model()
    x = tf.ones([1, 4])
    plain, training = model(x, training=False), model(x, training=True)
    assert np.allclose(training.numpy(), 100.0 * plain.numpy(), rtol=1e-5)
    assert set(traces) == {True, False}


@pytest.mark.rule(210)
def test_variables_before_and_after_the_first_call(tf):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    model = Model()
    assert model.variables == []
    tf.function(lambda x: model(x))(tf.ones([1, 4]))
    assert [tuple(v.shape) for v in model.variables] == [(4, 2), (2,)]


@pytest.mark.rule(212)
def test_defaults_of_layers(tf):
    dense = tf.keras.layers.Dense(50)
    dense(tf.ones([1, 40]))
    kernel, bias = (np.asarray(w) for w in dense.weights)
    limit = (6.0 / (40 + 50)) ** 0.5
    assert kernel.shape == (40, 50) and 0.9 * limit < np.abs(kernel).max() <= limit and not bias.any()
    conv = tf.keras.layers.Conv2D(5, 3)
    assert tuple(conv(tf.ones([1, 8, 8, 2])).shape) == (1, 6, 6, 5)
    assert [tuple(w.shape) for w in conv.weights] == [(3, 3, 2, 5), (5,)]


@pytest.mark.rule(208, 191)
def test_errors_of_a_layer_keep_their_type(tf):
    """Keras makes an error of the same class with a longer text."""

    class Layer(tf.keras.layers.Layer):
        def call(self, x):
            return x.numpy()

    with pytest.raises(AttributeError, match="has no attribute 'numpy'"):
        tf.function(Layer())(tf.ones([1, 2]))
    model = tf.keras.Sequential([Layer()])
    with pytest.raises(AttributeError, match="has no attribute 'numpy'"):
        model.predict(np.ones([2, 2]), verbose=0)
