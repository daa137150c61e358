"""Errors of checkpoints and saved models whose files are damaged or missing: classes, and what their texts say."""

import os
import shutil

import pytest

pytestmark = pytest.mark.rule("surface")

KEY = "v/.ATTRIBUTES/VARIABLE_VALUE"
DATA = ".data-00000-of-00001"


def cut(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


def turned(path, at):
    with open(path, "r+b") as file:
        file.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 255]))


def folder_instead(path):
    os.remove(path)
    os.mkdir(path)


READERS = {
    "read": lambda tf, path: tf.train.Checkpoint(v=tf.Variable([0.0, 0.0])).read(path),
    "restore": lambda tf, path: tf.train.Checkpoint(v=tf.Variable([0.0, 0.0])).restore(path),
    "load_variable": lambda tf, path: tf.train.load_variable(path, KEY),
    "list_variables": lambda tf, path: tf.train.list_variables(path),
}
OF_INDEX = {
    "empty": (lambda path: cut(path, 0), "file is too short to be an sstable"),
    "cut": (lambda path: cut(path, os.path.getsize(path) - 10), "not an sstable"),
    "other_end": (lambda path: turned(path, -1), "not an sstable"),
    "other_bytes": (lambda path: turned(path, 5), "block checksum mismatch"),
    "folder": (folder_instead, "Is a directory"),
}


@pytest.fixture
def path(tf, tmp_path):
    return tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(tmp_path / "c"))


@pytest.mark.parametrize("damage", OF_INDEX)
@pytest.mark.parametrize("reader", READERS)
def test_damaged_indices(tf, path, damage, reader):
    damaged, text = OF_INDEX[damage]
    damaged(path + ".index")
    with pytest.raises(tf.errors.OpError) as caught:
        READERS[reader](tf, path)
    assert type(caught.value) is tf.errors.OpError and caught.value.error_code == tf.errors.UNKNOWN
    assert text in str(caught.value) and "function_node" not in str(caught.value)


@pytest.mark.parametrize("reader", ["read", "restore", "load_variable"])
def test_missing_data(tf, path, reader):
    os.remove(path + DATA)
    with pytest.raises(tf.errors.OpError) as caught:
        READERS[reader](tf, path)
    assert type(caught.value) is tf.errors.OpError
    assert str(caught.value) == f"{path}{DATA}; No such file or directory"


@pytest.mark.parametrize("reader", ["read", "restore", "load_variable"])
@pytest.mark.parametrize("size", [0, 3])
def test_short_data(tf, path, reader, size):
    cut(path + DATA, size)
    with pytest.raises(IndexError, match="^Read less bytes than requested"):
        READERS[reader](tf, path)


def test_other_data(tf, path):
    turned(path + DATA, 0)
    with pytest.raises(tf.errors.OpError, match=r"^TensorBundle at .* shard 0 \(8 bytes\): Checksum does not match") as caught:
        READERS["load_variable"](tf, path)
    assert type(caught.value) is tf.errors.OpError


def test_one_damaged_tensor_leaves_the_others_readable(tf, tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), w=tf.Variable(3)).write(str(tmp_path / "c"))
    reader = tf.train.load_checkpoint(path)
    damaged = "w/.ATTRIBUTES/VARIABLE_VALUE"
    turned(path + DATA, 9)
    assert reader.get_tensor(KEY).tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.OpError, match="Checksum does not match"):
        reader.get_tensor(damaged)


@pytest.mark.parametrize("reader", ["load_variable", "list_variables"])
@pytest.mark.parametrize("path", [3, None, ["c"]])
def test_what_is_no_path(tf, path, reader):
    with pytest.raises(TypeError, match="Expected binary or unicode string, got"):
        READERS[reader](tf, path)


def test_keys(tf, path):
    with pytest.raises(tf.errors.NotFoundError, match="^Key nope not found in checkpoint$"):
        tf.train.load_checkpoint(path).get_tensor("nope")
    with pytest.raises(tf.errors.NotFoundError, match="Unsuccessful TensorSliceReader constructor: Failed to find any matching"):
        tf.train.load_checkpoint(path + "x")


@pytest.fixture
def model(tf, tmp_path):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.f = tf.function(lambda x: x * module.v[0], input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path / "m"))
    return str(tmp_path / "m")


def test_models_with_damaged_values(tf, model):
    prefix = os.path.join(model, "variables", "variables")
    cut(prefix + DATA, 3)
    with pytest.raises(IndexError, match="Read less bytes than requested"):
        tf.saved_model.load(model)
    os.remove(prefix + DATA)
    with pytest.raises(tf.errors.OpError, match="No such file or directory") as caught:
        tf.saved_model.load(model)
    assert type(caught.value) is tf.errors.OpError


@pytest.mark.parametrize("part", ["variables", "variables/variables.index"])
def test_models_without_values_in_sessions(tf, model, part):
    path = os.path.join(model, part)
    (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
    text = "The passed save_path is not a valid checkpoint: .*variables/variables"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, pytest.raises(ValueError, match=text):
        tf.compat.v1.saved_model.loader.load(session, ["serve"], model)


def test_fingerprints(tf, model):
    file = os.path.join(model, "fingerprint.pb")
    cut(file, 3)
    with pytest.raises(RuntimeError, match=r"^SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file"):
        tf.saved_model.experimental.read_fingerprint(model)
    os.remove(file)
    with pytest.raises(FileNotFoundError) as caught:
        tf.saved_model.experimental.read_fingerprint(model)
    assert str(caught.value) == (
        f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {model}\nNOT_FOUND: {file} not found"
    )


@pytest.mark.parametrize("path", [3, None])
def test_what_is_no_path_of_a_model(tf, path):
    with pytest.raises(TypeError, match="Expected binary or unicode string, got"):
        tf.saved_model.load(path)


def test_models_that_are_not_there(tf, tmp_path):
    missing = str(tmp_path / "none")
    with pytest.raises(OSError, match=r"^SavedModel file does not exist at: .*none/\{saved_model.pbtxt\|saved_model.pb\}$"):
        tf.saved_model.load(missing)
    with pytest.raises(OSError, match=r"^SavedModel file does not exist at: b'.*none'/"):
        tf.saved_model.load(missing.encode())


def test_places_where_no_model_can_be_saved(tf, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(tf.errors.FailedPreconditionError, match="file is not a directory"):
        tf.saved_model.save(tf.Module(), str(file))
    with pytest.raises(tf.errors.NotFoundError, match="; No such file or directory"):
        tf.saved_model.save(tf.Module(), "/proc/none")
