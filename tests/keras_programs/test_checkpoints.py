"""Keras models and optimizers in tf.train.Checkpoint: TensorFlow's checkpoints are read, and the same ones are written."""

import numpy as np
import pytest
import tracefn as tf
from support import checkpoint_programs as programs

pytest.importorskip("keras")


def values(checkpoint) -> list:
    return [v.numpy() for v in (*checkpoint.model.variables, *checkpoint.optimizer.variables, checkpoint.step)]


def test_checkpoints_of_tensorflow(tmp_path):
    checkpoint, expected = programs.keras_model(tf, 0), programs.keras_model(tf, 2)
    checkpoint.read(programs.FOLDER / "keras").assert_consumed()
    for mine, other in zip(values(checkpoint), values(expected), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)
    path = checkpoint.write(tmp_path / "c")
    for end in (".index", ".data-00000-of-00001"):
        assert (tmp_path / ("c" + end)).read_bytes() == (programs.FOLDER / ("keras" + end)).read_bytes()
    again = programs.keras_model(tf, 0)
    again.read(path).assert_consumed()
    for mine, other in zip(values(again), values(checkpoint), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_managers_and_training(tmp_path):
    checkpoint = programs.keras_model(tf, 1)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1)
    before = values(checkpoint)
    manager.save()
    for variable in checkpoint.model.variables:
        variable.assign(variable + 1.0)
    assert manager.restore_or_initialize() == manager.latest_checkpoint
    for mine, other in zip(values(checkpoint), before, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_weights_of_a_part(tmp_path):
    checkpoint = programs.keras_model(tf, 1)
    path = tf.train.Checkpoint(model=checkpoint.model).write(tmp_path / "c")
    other = programs.keras_model(tf, 0)
    tf.train.Checkpoint(model=other.model).read(path).assert_consumed()
    x = tf.ones([3, 2])
    np.testing.assert_array_equal(other.model(x), checkpoint.model(x))
    first = tf.train.Checkpoint(first=tf.train.Checkpoint(kernel=tf.Variable(tf.zeros([2, 3]))))
    assert tf.train.list_variables(path)[0][0] == "_CHECKPOINTABLE_OBJECT_GRAPH"
    first.read(path).expect_partial()
