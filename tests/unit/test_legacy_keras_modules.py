"""Modules below `tensorflow.python.keras`: names of tf_keras where it is installed, else public ones of Keras 3."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

PACKAGE = pathlib.Path(__import__("tracefn").__file__).parents[1]


def output(code: str, folder: pathlib.Path | None = None) -> str:
    """What a program prints that imports TensorFlow's modules."""
    path = [str(folder)] if folder else []
    path = os.pathsep.join([*path, str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "tracefn.as_tensorflow", "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def tf_keras(tmp_path):
    """A folder with modules that lie where tf_keras has them; each class says its own place."""
    places = {
        "layers": ["Dense"],
        "layers.core.dense": [],
        "layers.rnn.legacy_cells": ["RNNCell", "GRUCell", "_concat"],
        "layers.rnn.legacy_cell_wrappers": ["DropoutWrapper"],
        "engine.input_spec": ["InputSpec"],
        "engine.input_layer": ["Input"],
        "models": ["Model"],
        "optimizers.legacy.adam": ["Adam"],
        "optimizers.schedules.learning_rate_schedule": ["ExponentialDecay"],
        "saving.legacy.saved_model.load": ["KerasObjectLoader"],
        "testing_infra.test_utils": ["layer_test"],
        "testing_infra.test_combinations": ["run_all_keras_modes"],
    }
    for place, names in places.items():
        folder = tmp_path.joinpath("tf_keras", "src", *place.split("."))
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"class {name}:\n    place = {place!r}\n" for name in names]
        (folder / "__init__.py").write_text("".join(lines))
        for parent in folder.relative_to(tmp_path).parents:
            (tmp_path / parent / "__init__.py").touch()
    return tmp_path


def test_names_of_tf_keras(tf_keras):
    code = """
        from tensorflow.python.keras import Model, keras_parameterized, testing_utils
        from tensorflow.python.keras.engine.base_layer import InputSpec
        from tensorflow.python.keras.layers import Dense
        from tensorflow.python.keras.layers.core import Dense as same
        from tensorflow.python.keras.optimizer_v2.adam import Adam
        from tensorflow.python.keras.optimizer_v2.learning_rate_schedule import ExponentialDecay
        from tensorflow.python.keras.saving.saved_model.load import KerasObjectLoader
        import tensorflow.python.keras.testing_utils as again

        assert again is testing_utils and same is Dense
        for one in (Model, Dense, Adam, ExponentialDecay, KerasObjectLoader, testing_utils.layer_test):
            print(one.place)
        print(keras_parameterized.run_all_keras_modes.place)
    """
    assert output(code, tf_keras).splitlines() == [
        "models",
        "layers",
        "optimizers.legacy.adam",
        "optimizers.schedules.learning_rate_schedule",
        "saving.legacy.saved_model.load",
        "testing_infra.test_utils",
        "testing_infra.test_combinations",
    ]


def test_recurrent_cells(tf_keras):
    code = """
        import tensorflow.python.ops.rnn_cell_impl as cells
        from tensorflow.python.ops import rnn_cell
        from tensorflow.python.ops.rnn_cell_impl import GRUCell

        for one in (cells.RNNCell, GRUCell, rnn_cell.DropoutWrapper, cells._concat):
            print(one.place)
        assert rnn_cell.RNNCell is cells.RNNCell and rnn_cell.assert_like_rnncell is cells.assert_like_rnncell
        assert {"RNNCell", "LSTMStateTuple", "ResidualWrapper"} <= set(rnn_cell.__all__)
        for module, name in ((cells, "NoCell"), (rnn_cell, "NoCell"), (rnn_cell, "_concat")):
            assert not hasattr(module, name)
    """
    cells, wrappers = "layers.rnn.legacy_cells", "layers.rnn.legacy_cell_wrappers"
    assert output(code, tf_keras).splitlines() == [cells, cells, wrappers, cells]


def test_names_that_neither_has(tf_keras):
    code = """
        import importlib.util
        from tensorflow.python.keras.backend import batch_dot

        for statement in ("from tensorflow.python.keras import nothing", "from tensorflow.python.keras.layers import Nothing"):
            try:
                exec(statement)
            except ImportError as error:
                print(error.msg.partition(" (")[0])
        print(importlib.util.find_spec("tensorflow.python.keras.nothing"))
        try:
            batch_dot(1, 2)
        except NotImplementedError as error:
            print("python.keras.backend.batch_dot" in str(error))
    """
    assert output(code, tf_keras).splitlines() == [
        "cannot import name 'nothing' from 'tensorflow.python.keras'",
        "cannot import name 'Nothing' from 'tensorflow.python.keras.layers'",
        "None",
        "True",
    ]


@pytest.mark.skipif(
    importlib.util.find_spec("keras") is None or importlib.util.find_spec("tf_keras") is not None,
    reason="needs Keras 3 alone",
)
def test_names_of_keras_3():
    code = """
        import keras
        from tensorflow.python.keras import Sequential, backend
        from tensorflow.python.keras.callbacks import EarlyStopping
        from tensorflow.python.keras.engine.training import Model
        from tensorflow.python.keras.layers import Dense
        from tensorflow.python.keras.optimizer_v2.adam import Adam

        print(Sequential is keras.Sequential, EarlyStopping is keras.callbacks.EarlyStopping, Model is keras.Model)
        print(Dense is keras.layers.Dense, Adam is keras.optimizers.Adam, backend.floatx())
    """
    assert output(code).splitlines() == ["True True True", "True True float32"]


def test_the_call_of_a_model_of_any_keras():
    code = """
        import tensorflow as tf
        from tensorflow.python.keras.saving import saving_utils

        class Model:
            output_names = None
            specs = [tf.TensorSpec([None, 2], name="x")]
            def _get_save_spec(self, dynamic_batch):
                return self.specs
            def call(self, x, training):
                return {"sum": [tf.reduce_sum(x), tf.constant(training)], "x": x}
            __call__ = call

        class OfTwo(Model):
            specs = (tf.TensorSpec([2], name="x"), tf.TensorSpec([3]))
            def __call__(self, inputs, training):
                return list(inputs)

        model = Model()
        traced = saving_utils.trace_model_call(model)
        print({k: v.shape.rank for k, v in traced.get_concrete_function().structured_outputs.items()})
        print({k: v.numpy().tolist() for k, v in traced(tf.ones([1, 2])).items()})
        print(saving_utils.model_input_signature(OfTwo()))
        model.output_names = ["a", "b", "c"]
        print(list(saving_utils.trace_model_call(model, [tf.TensorSpec([3])])(tf.ones([3]))))
        pair = OfTwo()
        print(list(saving_utils.trace_model_call(pair, [tf.TensorSpec([2]), tf.TensorSpec([3])])(tf.ones([2]), tf.ones([3]))))
        model.specs = None
        try:
            saving_utils.trace_model_call(model)
        except ValueError as error:
            print(str(error).split(". ")[-1])
    """
    assert output(code).splitlines() == [  # as on TensorFlow
        "{'sum_1': 0, 'sum_2': 0, 'x': 2}",
        "{'sum_1': 2.0, 'sum_2': False, 'x': [[1.0, 1.0]]}",
        "[(TensorSpec(shape=(2,), dtype=tf.float32, name=None), TensorSpec(shape=(3,), dtype=tf.float32, name=None))]",
        "['a', 'b', 'c']",
        "['output_1', 'output_2']",
        "To manually set the shapes, call `model.build(input_shape)`.",
    ]
