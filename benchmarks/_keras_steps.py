"""One contender of keras_backends.py: imports Keras, trains small networks, and prints what that took as JSON.

python benchmarks/_keras_steps.py tracefn|tensorflow|jax|torch STEPS
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time

BATCH = 32


def mlp(keras):
    """A perceptron of three layers on 784 numbers."""
    layers = [
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(10),
    ]
    return keras.Sequential([keras.layers.Input((784,)), *layers]), (784,)


def convolutional(keras):
    """Two convolutions and a dense layer on images of 28 x 28."""
    layers = [
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(10),
    ]
    return keras.Sequential([keras.layers.Input((28, 28, 1)), *layers]), (28, 28, 1)


def recurrent(keras):
    """An LSTM of 32 units over 20 steps of 16 numbers."""
    return keras.Sequential([keras.layers.Input((20, 16)), keras.layers.LSTM(32), keras.layers.Dense(10)]), (20, 16)


def transformer(keras):
    """A block of attention over 16 places of 32 numbers."""
    inputs = keras.layers.Input((16, 32))
    attended = keras.layers.MultiHeadAttention(2, 16)(inputs, inputs)
    x = keras.layers.LayerNormalization()(inputs + attended)
    wide = keras.layers.Dense(32)(keras.layers.Dense(64, activation="gelu")(x))
    x = keras.layers.LayerNormalization()(x + wide)
    return keras.Model(inputs, keras.layers.Dense(10)(keras.layers.GlobalAveragePooling1D()(x))), (16, 32)


NETWORKS = {"MLP": mlp, "convolutions": convolutional, "LSTM": recurrent, "transformer": transformer}


def prepared(keras, build, seed: int, steps: int):
    """The compiled network, and images and labels for some steps: the same weights and data with every backend, which draw other
    random numbers.
    """
    import numpy as np

    model, shape = build(keras)
    random = np.random.RandomState(seed)
    model.set_weights([random.normal(0, 0.05, w.shape).astype("float32") for w in model.get_weights()])
    x = random.normal(size=(BATCH * steps, *shape)).astype("float32")
    y = random.randint(0, 10, BATCH * steps)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, x, y


def main() -> None:
    name, steps = sys.argv[1], int(sys.argv[2])
    os.environ["KERAS_BACKEND"] = "tensorflow" if name == "tracefn" else name
    start = time.perf_counter()
    if name == "tracefn":
        import tracefn

        tracefn.install_as_tensorflow()
    import keras

    found: dict = {"import keras": time.perf_counter() - start}

    losses = {}
    for network, build in NETWORKS.items():
        keras.utils.set_random_seed(1)
        model, x, y = prepared(keras, build, 3, steps)
        first = model.fit(x, y, BATCH, epochs=1, shuffle=False, verbose=0)
        start = time.perf_counter()
        model.fit(x, y, BATCH, epochs=1, shuffle=False, verbose=0)
        found[network] = (time.perf_counter() - start) / steps
        losses[network] = first.history["loss"][0]
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"figures": found, "losses": losses}))


if __name__ == "__main__":
    main()
