"""tf.train.CheckpointManager, the file "checkpoint", and functions of checkpoints as files."""

import os
import time

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

VALUE = "v/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture
def checkpoint(tf):
    return tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))


def indexes(directory) -> list:
    return sorted(name.removesuffix(".index") for name in os.listdir(directory) if name.endswith(".index"))


def test_keeps_the_latest(tf, checkpoint, tmp_path):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert manager.directory == str(tmp_path) and manager.latest_checkpoint is None and manager.checkpoints == []
    assert manager.checkpoint is checkpoint and manager.checkpoint_interval is None
    paths = [manager.save() for _ in range(4)]
    assert paths == [str(tmp_path / f"ckpt-{i}") for i in (1, 2, 3, 4)]
    assert manager.checkpoints == paths[2:] and manager.latest_checkpoint == paths[3]
    assert indexes(tmp_path) == ["ckpt-3", "ckpt-4"] and tf.train.latest_checkpoint(tmp_path) == paths[3]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert list(state.all_model_checkpoint_paths) == paths[2:] and len(state.all_model_checkpoint_timestamps) == 2
    assert state.model_checkpoint_path == paths[3] and 0 < state.last_preserved_timestamp <= time.time()
    manager.sync()


def test_goes_on(tf, checkpoint, tmp_path):
    first = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3, checkpoint_name="model")
    paths = [first.save() for _ in range(3)]
    again = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3, checkpoint_name="model")
    assert again.checkpoints == paths and again.latest_checkpoint == paths[2]
    paths.append(again.save())
    assert paths[3].endswith("model-4") and again.checkpoints == paths[1:]


def test_all_are_kept(tf, checkpoint, tmp_path):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=None)
    assert [manager.save(checkpoint_number=number) for number in (5, tf.Variable(7), 5)][1] == str(tmp_path / "ckpt-7")
    assert indexes(tmp_path) == ["ckpt-5", "ckpt-7"] and manager.latest_checkpoint == str(tmp_path / "ckpt-5")


def test_some_are_kept_for_ever(tf, checkpoint, tmp_path):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for _ in range(3):
        manager.save()
        time.sleep(0.01)
    assert indexes(tmp_path) == ["ckpt-1", "ckpt-2", "ckpt-3"] and len(manager.checkpoints) == 1
    hours = tf.train.CheckpointManager(checkpoint, tmp_path / "other", max_to_keep=1, keep_checkpoint_every_n_hours=2)
    for _ in range(3):
        hours.save()
    assert len(indexes(tmp_path / "other")) == 1


def test_intervals(tf, checkpoint, tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=2)
    saved = []
    for _ in range(5):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert saved == [True, False, True, False, True] and manager.checkpoint_interval == 2
    step.assign(4)
    assert manager.save(check_interval=False) is None
    step.assign(5)
    assert manager.save(check_interval=False) is not None
    with pytest.raises(ValueError, match="`step_counter` should be passed if `checkpoint_interval` is not None"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 3, checkpoint_interval=2)
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`"):
            tf.train.CheckpointManager(checkpoint, tmp_path, wrong)


def test_restore_or_initialize(tf, checkpoint, tmp_path):
    called = []
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None and called == [1]
    path = manager.save()
    checkpoint.v.assign([0.0, 0.0])
    assert manager.restore_or_initialize() == path and checkpoint.v.numpy().tolist() == [1.0, 2.0] and called == [1]


def test_text_of_the_file(tf, checkpoint, tmp_path):
    path = checkpoint.save(tmp_path / 'a "b"')
    text = (tmp_path / "checkpoint").read_text()
    assert text == 'model_checkpoint_path: "a \\"b\\"-1"\nall_model_checkpoint_paths: "a \\"b\\"-1"\n'
    assert tf.train.latest_checkpoint(tmp_path) == path


FORMS = {
    'model_checkpoint_path: "\u00fc-1"': ("\u00fc-1", [], 0.0),
    'model_checkpoint_path: "a" all_model_checkpoint_paths: ["a", "b]"]': ("a", ["a", "b]"], 0.0),
    "model_checkpoint_path: 'a' last_preserved_timestamp: 1f": ("a", [], 1.0),
    'model_checkpoint_path: "\\u0041" "\\x42\\103"': ("ABC", [], 0.0),
}


@pytest.mark.parametrize("text", FORMS)
def test_forms_of_the_file(tf, tmp_path, text):
    (tmp_path / "checkpoint").write_text(text, encoding="utf-8")
    state = tf.train.get_checkpoint_state(str(tmp_path))
    paths = [path.removeprefix(f"{tmp_path}/") for path in (state.model_checkpoint_path, *state.all_model_checkpoint_paths)]
    assert (paths[0], paths[1:], state.last_preserved_timestamp) == FORMS[text]


def test_names_that_are_no_ascii(tf, checkpoint, tmp_path):
    path = checkpoint.save(tmp_path / "\u00fc\t")
    assert (tmp_path / "checkpoint").read_text(encoding="utf-8").startswith('model_checkpoint_path: "\u00fc\\t-1"\n')
    assert tf.train.latest_checkpoint(tmp_path) == path


def test_files_by_hand(tf, checkpoint, tmp_path):
    path = checkpoint.write(tmp_path / "x")
    file = tmp_path / "checkpoint"
    file.write_text("# a comment\nmodel_checkpoint_path: 'x' all_model_checkpoint_paths: \"x\"\n last_preserved_timestamp : 3\n")
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == path and state.last_preserved_timestamp == 3.0
    file.write_text(f'model_checkpoint_path: "{path}"\nall_model_checkpoint_timestamps: 1.5\n')
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    for wrong in ("model_checkpoint_path: x", "other: 3", "model_checkpoint_path"):
        file.write_text(wrong)
        assert tf.train.get_checkpoint_state(tmp_path) is None
    file.write_text("all_model_checkpoint_paths: 'x'")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.get_checkpoint_state(str(tmp_path))
    file.write_text('model_checkpoint_path: "gone"')
    assert tf.train.latest_checkpoint(tmp_path) is None
    file.unlink()
    assert tf.train.latest_checkpoint(tmp_path) is None and tf.train.get_checkpoint_state(tmp_path) is None
    file.with_name("mine").write_text('model_checkpoint_path: "x"')
    assert tf.train.latest_checkpoint(tmp_path, "mine") == path


def test_relative_paths(tf, checkpoint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert checkpoint.save("c") == "c-1" and tf.train.latest_checkpoint(".") == "./c-1"
    assert checkpoint.save("below/c") == "below/c-2" and tf.train.latest_checkpoint("below") == "below/c-2"
    manager = tf.train.CheckpointManager(checkpoint, "managed", 2)
    assert manager.save() == "managed/ckpt-3" and tf.train.latest_checkpoint("managed") == "managed/ckpt-3"


def test_reading(tf, checkpoint, tmp_path):
    path = checkpoint.save(tmp_path / "c")
    for where in (path, str(tmp_path), tmp_path):
        reader = tf.train.load_checkpoint(where)
        assert reader.has_tensor(VALUE) and not reader.has_tensor("v")
        assert reader.get_variable_to_shape_map()[VALUE] == [2]
        assert reader.get_variable_to_dtype_map()[VALUE] == tf.float32
        value = reader.get_tensor(VALUE)
        assert isinstance(value, np.ndarray) and value.tolist() == [1.0, 2.0]
        assert tf.train.load_variable(where, VALUE).tolist() == [1.0, 2.0]
        counter = reader.get_tensor("save_counter/.ATTRIBUTES/VARIABLE_VALUE")
        assert counter == 1 and counter.dtype == np.int64
        assert isinstance(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"), bytes)
        assert f"{VALUE} (DT_FLOAT) [2]\n" in reader.debug_string().decode()
        with pytest.raises(tf.errors.NotFoundError, match="Key other not found in checkpoint"):
            reader.get_tensor("other")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.load_checkpoint(path + "0")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        tf.train.list_variables(str(tmp_path / "empty"))


def test_waiting_for_checkpoints(tf, checkpoint, tmp_path):
    seen = []
    for path in tf.train.checkpoints_iterator(str(tmp_path), timeout=0, timeout_fn=lambda: True):
        seen.append(path)
    assert seen == []
    first = checkpoint.save(tmp_path / "c")
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0):
        seen.append(path)
        if len(seen) < 3:
            checkpoint.save(tmp_path / "c")
    assert [os.path.basename(path) for path in seen] == ["c-1", "c-2", "c-3"] and seen[0] == first


def test_old_functions(tf, checkpoint, tmp_path):
    train = tf.compat.v1.train
    path = checkpoint.save(tmp_path / "c")
    assert train.checkpoint_exists(path) and not train.checkpoint_exists(path + "0")
    (when,) = train.get_checkpoint_mtimes([path, path + "0"])
    assert abs(when - time.time()) < 60
    assert train.NewCheckpointReader(path).has_tensor(VALUE)
    train.update_checkpoint_state(str(tmp_path), path, [path], all_model_checkpoint_timestamps=[1.0])
    assert train.latest_checkpoint(str(tmp_path)) == path
    with pytest.raises(ValueError, match="Checkpoint timestamps, if provided, must match checkpoint paths"):
        train.generate_checkpoint_state_proto(str(tmp_path), path, ["a", path], [1.0])
    state = train.generate_checkpoint_state_proto(str(tmp_path), path, ["a"])
    assert list(state.all_model_checkpoint_paths) == ["a", path]
    train.remove_checkpoint(path)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint"]
