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
    with pytest.raises(ValueError, match="Got `tags=None`, but there are 0 MetaGraphs in the SavedModel"):
        tf.saved_model.load(str(model))


@pytest.mark.parametrize("content", ["garbage", "meta_graphs {", "meta_graphs { no_field: 1 }", "saved_model_schema_version: x"])
def test_a_damaged_text(tf, tmp_path, content):
    (tmp_path / "saved_model.pbtxt").write_text(content)
    with pytest.raises(OSError, match=r"Cannot parse file b'.*saved_model.pbtxt': 1:\d+ : .*\.$"):
        tf.saved_model.load(str(tmp_path))
    with pytest.raises(OSError, match=r"Cannot parse file b'.*saved_model.pbtxt': 1:\d+ : .*\.$"):
        tf.compat.v1.saved_model.load(None, ["serve"], str(tmp_path))


@pytest.mark.parametrize("count", [1, 12])
def test_values_of_variables_that_are_missing(tf, tmp_path, count):
    whole, part = tf.Module(), tf.Module()
    whole.kept = part.kept = tf.Variable([1.0, 2.0])
    whole.others = [tf.Variable(float(number)) for number in range(count)]
    for name, module in {"whole": whole, "part": part}.items():
        tf.saved_model.save(module, str(tmp_path / name))
    shutil.copytree(tmp_path / "part" / "variables", tmp_path / "whole" / "variables", dirs_exist_ok=True)
    shown = min(count, 10)
    text = rf"Found {count} Python objects that were not bound to checkpointed values, .* Showing {shown} of {count} unmatched"
    with pytest.raises(AssertionError, match=text):
        tf.saved_model.load(str(tmp_path / "whole"))
    loaded = tf.saved_model.load(str(tmp_path / "whole"), options=tf.saved_model.LoadOptions(allow_partial_checkpoint=True))
    assert loaded.kept.numpy().tolist() == [1.0, 2.0] and len(loaded.others) == count


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
