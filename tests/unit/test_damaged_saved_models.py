"""Damaged files of saved models end in errors, or the model works all the same."""

import random
import shutil

import pytest
import tracefn as tf
from support import saved_model_programs as programs

# What a damaged file may lead to: errors that say what is wrong with it, or what does not fit an op or a call.
ERRORS = (ValueError, TypeError, NotImplementedError, OSError, IndexError, AttributeError, KeyError, tf.errors.OpError)


def use(folder) -> None:
    loaded = tf.saved_model.load(str(folder))
    loaded(tf.constant([[1.0, 1.0]]))
    loaded.choose(tf.constant(3.0))
    loaded.loop(tf.constant(7))
    loaded.signatures["serving_default"](x=tf.ones([1, 2]))


@pytest.mark.parametrize("writer", ["tensorflow", "tracefn"])
@pytest.mark.parametrize("name", ["saved_model.pb", "variables/variables.index"])
def test_damage(tmp_path, writer, name):
    source = programs.FOLDER / writer / "parts"
    folder = shutil.copytree(source, tmp_path / "model")
    whole = (source / name).read_bytes()
    generator = random.Random(1)
    failed = 0
    for _ in range(60):
        data = bytearray(whole)
        if generator.random() < 0.2:
            data = data[: generator.randrange(len(data))]
        else:
            for _ in range(generator.randrange(1, 4)):
                data[generator.randrange(len(data))] = generator.randrange(256)
        (folder / name).write_bytes(data)
        try:
            use(folder)
        except ERRORS as error:
            assert str(error)
            failed += 1
    assert failed


@pytest.mark.parametrize("missing", ["saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001"])
def test_missing_files(tmp_path, missing):
    folder = shutil.copytree(programs.FOLDER / "tracefn" / "parts", tmp_path / "model")
    (folder / missing).unlink()
    with pytest.raises((ValueError, OSError, IndexError, tf.errors.OpError)):
        use(folder)


def test_values_may_be_missing_if_the_program_says_so(tmp_path):
    folder = shutil.copytree(programs.FOLDER / "tracefn" / "parts", tmp_path / "model")
    tf.train.Checkpoint(other=tf.Variable(1.0)).write(str(folder / "variables" / "variables"))
    loaded = tf.saved_model.load(str(folder), options=tf.saved_model.LoadOptions(allow_partial_checkpoint=True))
    assert loaded.kernel.shape == (2, 2)
