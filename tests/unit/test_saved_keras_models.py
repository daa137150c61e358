"""Models of tf_keras as saved models: their classes, values and functions come back."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("tf_keras") is None, reason="tf_keras is not installed")

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf

K, path = tf.keras, sys.argv[1]
x = np.linspace(-1, 1, 12).reshape(3, 4).astype("float32")


class Scaled(K.layers.Layer):
    def build(self, shape):
        self.k = self.add_weight("k", (shape[-1],))

    def call(self, x):
        return x * self.k


class Net(K.Model):
    def __init__(self):
        super().__init__()
        self.parts = [K.layers.Dense(2), K.layers.Dropout(0.5)]

    def call(self, x, training=False):
        for part in self.parts:
            x = part(x)
        return x


i = K.Input((4,))
models = [
    K.Sequential([i, K.layers.Dense(3, "relu", kernel_regularizer="l2"), K.layers.Dense(1)]),
    K.Model(i, K.layers.BatchNormalization()(K.layers.Dense(2)(i))),
    K.Sequential([i, Scaled()]),
    Net(),
]
models[0].compile("adam", "mse", metrics=["mae"])
models[0].fit(x, np.zeros((3, 1)), verbose=0)
for number, model in enumerate(models):
    expected = model.predict(x, verbose=0)
    model.save(f"{path}/{number}", save_format="tf")
    loaded = K.models.load_model(f"{path}/{number}")
    raw = tf.saved_model.load(f"{path}/{number}")
    np.testing.assert_allclose(loaded.predict(x, verbose=0), expected, rtol=1e-5)
    np.testing.assert_allclose(raw(x), expected, rtol=1e-5)
    print(type(loaded).__name__, len(loaded.variables) == len(model.variables))
    if number == 0:
        loaded.fit(x, np.zeros((3, 1)), verbose=0)
"""


def test_saved_models_of_tf_keras(tmp_path):
    variables = {**os.environ, "TRACEFN_AS_TENSORFLOW": "1", "TF_USE_LEGACY_KERAS": "1"}
    command = [sys.executable, "-m", "tracefn.as_tensorflow", "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == "Sequential True Functional True Sequential True Net True".split()
