"""Where files of weights that Keras writes have the values of a model: as Keras on TensorFlow has them."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__import__("tracefn").__file__).parents[1]
pytestmark = pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="Keras is not installed")

PROGRAM = """
import os, sys
import h5py
import tracefn as tf

keras = tf.keras
path = os.path.join(sys.argv[1], "m.weights.h5")
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(5)])
model.save_weights(path)
names = []
h5py.File(path).visit(names.append)
print(sorted({name.split("/")[0] for name in names}))
print([name for name in names if name.endswith("vars/0")])
other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(6)])
try:
    other.load_weights(path)
except ValueError as error:
    print("must match" in str(error))
"""


def test_groups_of_a_file(tmp_path):
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path, "KERAS_BACKEND": "tensorflow"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    groups, values, mismatch = done.stdout.strip().splitlines()
    assert groups == "['layers', 'vars']"
    assert values == "['layers/dense/vars/0', 'layers/dense_1/vars/0']"
    assert mismatch == "True"
