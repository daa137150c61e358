"""Saved models and checkpoints of which files are missing or damaged, and paths that hold none."""

import os
import shutil

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def model(tf, tmp_path):
    """The directory of a saved model of one function."""
    module = tf.Module()
    module.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, str(tmp_path / "model"))
    return tmp_path / "model"


@pytest.mark.parametrize("content", [b"garbage", b"\x00\x01", None])
def test_a_damaged_saved_model(tf, model, content):
    path = model / "saved_model.pb"
    path.write_bytes(path.read_bytes()[:-7] if content is None else content)
    text = r"Cannot parse file b'.*saved_model.pb': Error parsing message with type 'tensorflow.SavedModel': Wire format"
    with pytest.raises(OSError, match=text):
        tf.saved_model.load(str(model))


def test_an_empty_saved_model(tf, model):
    (model / "saved_model.pb").write_bytes(b"")
    with pytest.raises(ValueError):
        tf.saved_model.load(str(model))


def test_a_saved_model_without_its_checkpoint(tf, model):
    shutil.rmtree(model / "variables")
    text = "Failed to find any matching files for .*\n You may be trying to load on a different device"
    with pytest.raises(FileNotFoundError, match=text):
        tf.saved_model.load(str(model))
    loaded = tf.saved_model.load(str(model), options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True))
    assert float(loaded.double(3.0)) == 6


def test_an_asset_that_is_missing(tf, tmp_path):
    module = tf.Module()
    module.file = tf.saved_model.Asset(str(tmp_path / "none.txt"))
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.file.asset_path.numpy() == os.fsencode(tmp_path / "model" / "assets" / "none.txt")


@pytest.mark.parametrize("method", ["restore", "read"])
def test_a_directory_in_place_of_a_checkpoint(tf, tmp_path, method):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(str(tmp_path / "ck"))
    text = "Unable to open table file .*: FAILED_PRECONDITION: .*; Is a directory: perhaps your file is in a different file format"
    with pytest.raises(tf.errors.DataLossError, match=text):
        getattr(checkpoint, method)(str(tmp_path))
    with pytest.raises(tf.errors.DataLossError, match="perhaps your file is in a different file format"):
        getattr(checkpoint, method)(str(tmp_path / "checkpoint"))
