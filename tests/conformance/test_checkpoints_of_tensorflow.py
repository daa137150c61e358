"""Checkpoints that TensorFlow has written (tests/oracle/record_checkpoints.py) are read, and written again in the same way."""

import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support import checkpoint_programs as programs

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def folder(tmp_path):
    """A copy, for a test that fails must not leave its own files."""
    return shutil.copytree(programs.FOLDER, tmp_path / "recorded")


def values(checkpoint) -> list:
    root = checkpoint.root
    table = dict(zip(*(part.numpy().tolist() for part in root.table.export()), strict=True))
    return [v.numpy().tolist() for v in root.variables] + [table, int(checkpoint.step), int(checkpoint.save_counter)]


def test_objects(tf, folder):
    expected = programs.objects(tf, 3)
    expected.save_counter.assign(1)
    checkpoint = programs.objects(tf, 0)
    checkpoint.restore(folder / "objects-1").assert_consumed()
    assert values(checkpoint) == values(expected)


def test_objects_are_written_as_they_were(tf, folder, tmp_path):
    """The bytes of all files are the same."""
    path = programs.objects(tf, 3).save(tmp_path / "objects")
    for end in (".index", ".data-00000-of-00001"):
        mine = (tmp_path / ("objects-1" + end)).read_bytes()
        assert mine == (folder / ("objects-1" + end)).read_bytes()
    assert (tmp_path / "checkpoint").read_bytes() == (folder / "state_of_objects").read_bytes()
    assert tf.train.latest_checkpoint(tmp_path) == path


def test_optimizers(tf, folder):
    checkpoint, expected = programs.slots(tf, 0), programs.slots(tf, 2)
    status = checkpoint.read(folder / "slots")
    assert checkpoint.w.numpy().tolist() == expected.w.numpy().tolist()
    checkpoint.optimizer.minimize(lambda: tf.reduce_sum(checkpoint.w * 1.0), var_list=[checkpoint.w])
    expected.optimizer.minimize(lambda: tf.reduce_sum(expected.w * 1.0), var_list=[expected.w])
    status.assert_consumed()
    for name in ("m", "v"):
        mine, other = (one.optimizer.get_slot(one.w, name) for one in (checkpoint, expected))
        assert mine.numpy().tolist() == other.numpy().tolist()
    assert checkpoint.w.numpy().tolist() == expected.w.numpy().tolist()


def test_names(tf, folder):
    variables = programs.named(tf, 0)
    tf.compat.v1.train.Saver(variables).restore(None, str(folder / "named"))
    assert [v.numpy().tolist() for v in variables] == [[3.0, 2.0], 3]
    assert tf.train.list_variables(folder / "named") == [("layer/w", [2]), ("n", [])]
    again = programs.named(tf, 0)
    tf.train.Checkpoint(vars=again).read(folder / "named").assert_consumed()
    assert [v.numpy().tolist() for v in again] == [[3.0, 2.0], 3]


def test_names_are_written_as_they_were(tf, folder, tmp_path):
    tf.compat.v1.train.Saver(programs.named(tf, 3)).save(None, str(tmp_path / "named"), write_state=False)
    for end in (".index", ".data-00000-of-00001"):
        assert (tmp_path / ("named" + end)).read_bytes() == (folder / ("named" + end)).read_bytes()


def test_parts(tf, folder, tmp_path):
    assert tf.train.list_variables(folder / "parts") == [("x", [5, 2])]
    x = tf.Variable(tf.zeros([5, 2], tf.int32), name="x")
    tf.compat.v1.train.Saver([x]).restore(None, str(folder / "parts"))
    assert x.numpy().ravel().tolist() == list(range(10))
    programs.write_parts(tf, str(tmp_path / "parts"))
    for end in (".index", ".data-00000-of-00002", ".data-00001-of-00002"):
        assert (tmp_path / ("parts" + end)).read_bytes() == (folder / ("parts" + end)).read_bytes()


def test_the_format_before(tf, folder):
    path = str(folder / "older")
    assert dict(tf.train.list_variables(path)) == {
        "words": [3], "numbers": [16, 64], "scope/whole": [2], "flag": [], "half": [2], "nothing": [2, 0], "pieces/x": [3, 2]
    }  # fmt: skip
    for name, value in programs.OLDER.items():
        if name != "half":  # TensorFlow's reader does not take it
            assert tf.train.load_variable(path, name).tolist() == value
    half = tf.raw_ops.RestoreV2(prefix=path, tensor_names=["half"], shape_and_slices=[""], dtypes=[tf.float16])[0]
    assert half.numpy().tolist() == programs.OLDER["half"]
    pieces = tf.raw_ops.RestoreV2(prefix=path, tensor_names=["pieces/x"], shape_and_slices=[""], dtypes=[tf.float32])[0]
    assert pieces.numpy().tolist() == [[1.0, 1.0]] * 3
    numbers, whole = tf.Variable(tf.zeros([16, 64]), name="numbers"), tf.Variable([0, 0], dtype=tf.int64, name="scope/whole")
    tf.compat.v1.train.Saver([numbers, whole]).restore(None, path)
    assert numbers.numpy().tolist() == programs.OLDER["numbers"] and whole.numpy().tolist() == [-3, 2**40]
    part = tf.raw_ops.RestoreV2(prefix=path, tensor_names=["numbers"], shape_and_slices=["16 64 2,3:5,2"], dtypes=[tf.float32])[0]
    assert part.numpy().tolist() == [[5.0, 6.0]] * 3
    with pytest.raises(tf.errors.NotFoundError, match="not found in checkpoint"):
        tf.train.load_variable(path, "other")
    with pytest.raises(tf.errors.NotFoundError, match="not found in checkpoint"):
        tf.raw_ops.RestoreV2(prefix=path, tensor_names=["other"], shape_and_slices=[""], dtypes=[tf.float32])


@pytest.mark.parametrize("name", [5, None, ["a"]])
def test_names_are_text(tf, tmp_path, name):
    reader = tf.train.load_checkpoint(tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c")))
    for method in (reader.get_tensor, reader.has_tensor):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got "):
            method(name)
    assert reader.has_tensor(b"v/.ATTRIBUTES/VARIABLE_VALUE") and reader.get_tensor(b"v/.ATTRIBUTES/VARIABLE_VALUE") == 1
