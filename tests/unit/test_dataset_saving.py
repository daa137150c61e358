"""Dataset.save with checkpoints: a program that was stopped goes on where it was."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf


def fails_at(stop: int):
    return lambda x: x + 0 * (1 // (x - stop))


def arguments(folder, **more) -> dict:
    return {"directory": str(folder), "max_to_keep": 2, "step_counter": tf.Variable(0), "checkpoint_interval": 3, **more}


def save(tmp_path, stop: int, n: int = 20, **kwargs) -> int:
    """Saves range(n) until the element `stop`; the number of elements that this run wrote."""
    args = arguments(tmp_path / "checkpoints")
    dataset = tf.data.Dataset.range(n).map(fails_at(stop))
    if 0 <= stop < n:
        with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero"):
            dataset.save(tmp_path / "data", checkpoint_args=args, **kwargs)
    else:
        dataset.save(tmp_path / "data", checkpoint_args=args, **kwargs)
    return int(args["step_counter"])


def load(tmp_path, compression=None) -> list:
    return sorted(int(x) for x in tf.data.Dataset.load(tmp_path / "data", compression=compression))


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB"])
@pytest.mark.parametrize("shard_func", [None, lambda x: x % 3, lambda x: x // 8])
def test_a_stopped_program_goes_on(tmp_path, compression, shard_func):
    kwargs = {"compression": compression, "shard_func": shard_func}
    # Checkpoints are at steps 1, 4, 7, 10 of each run: what was written after one is written again.
    assert save(tmp_path, 9, **kwargs) == 9
    assert not list((tmp_path / "data").glob("*.elements"))
    assert save(tmp_path, 16, **kwargs) == 16 - 7
    assert save(tmp_path, -1, **kwargs) == 20 - 14
    assert load(tmp_path, compression) == list(range(20))
    assert not list((tmp_path / "data").glob("*.partial"))


def test_a_complete_program_writes_the_last_elements_again(tmp_path):
    assert save(tmp_path, -1) == 20
    assert load(tmp_path) == list(range(20))
    assert save(tmp_path, -1) == 1
    assert load(tmp_path) == list(range(20))


def test_without_an_interval_there_is_a_checkpoint_for_each_element(tmp_path):
    dataset = tf.data.Dataset.from_tensor_slices({"a": np.float32([1, 2, 3]), "b": np.array(["x", "y", "z"])})
    dataset.save(tmp_path / "data", checkpoint_args={"directory": tmp_path / "checkpoints", "max_to_keep": 50})
    assert len(list((tmp_path / "checkpoints").glob("*.index"))) == 3
    loaded = list(tf.data.Dataset.load(tmp_path / "data"))
    assert [(float(x["a"]), x["b"].numpy()) for x in loaded] == [(1.0, b"x"), (2.0, b"y"), (3.0, b"z")]


PROGRAM = """
import os, sys
import tracefn as tf

class Counter(type(tf.Variable(0))):
    def assign_add(self, *args, **kwargs):
        super().assign_add(*args, **kwargs)
        if int(self) == int(sys.argv[2]):
            os._exit(3)

tf.data.Dataset.range(20).save(sys.argv[1] + "/data", checkpoint_args=dict(
    directory=sys.argv[1] + "/checkpoints", max_to_keep=1, step_counter=Counter(0), checkpoint_interval=2))
"""


def test_a_program_that_was_killed(tmp_path):
    def run(steps):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path), str(steps)], env=environment).returncode

    assert [run(6), run(6), run(1000)] == [3, 3, 0]
    assert load(tmp_path) == list(range(20))


def test_refusals(tmp_path):
    dataset = tf.data.Dataset.range(3)
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        dataset.save(tmp_path / "a", checkpoint_args={"directory": tmp_path, "checkpoint": tf.train.Checkpoint()})
    with pytest.raises(TypeError, match="max_to_keep"):
        dataset.save(tmp_path / "a", checkpoint_args={"directory": tmp_path})
    stateful = dataset.map(lambda x: tf.py_function(lambda x: x, [x], tf.int64))
    with pytest.raises(tf.errors.FailedPreconditionError, match="stateful"):
        stateful.save(tmp_path / "a", checkpoint_args=arguments(tmp_path / "checkpoints"))


def test_the_arguments_stay_as_they_are(tmp_path):
    args = arguments(tmp_path / "checkpoints")
    names = set(args)
    tf.data.Dataset.range(3).save(tmp_path / "data", checkpoint_args=args)
    assert set(args) == names


def test_a_partial_file_that_is_too_short(tmp_path):
    save(tmp_path, 9)
    (partial,) = (tmp_path / "data").glob("*.partial")
    partial.write_bytes(partial.read_bytes()[:10])
    with pytest.raises(tf.errors.DataLossError, match="has 10 bytes, but"):
        save(tmp_path, -1)


def test_a_snapshot_goes_on(tmp_path):
    """The position of an iterator that writes a snapshot, taken up by another one."""

    def elements():
        return iter(tf.data.Dataset.range(10).snapshot(str(tmp_path / "data"), shard_func=lambda x: x % 2))

    first = elements()
    assert [int(next(first)) for _ in range(4)] == [0, 1, 2, 3]
    path = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "position"))
    del first
    second = elements()
    tf.train.Checkpoint(iterator=second).restore(path)
    assert [int(x) for x in second] == [4, 5, 6, 7, 8, 9]
    assert sorted(int(x) for x in elements()) == list(range(10))


def test_datasets_that_tensorflow_saved_are_refused(tmp_path):
    tf.data.Dataset.range(3).save(str(tmp_path))
    for file in [*tmp_path.glob("*.elements"), tmp_path / "num_elements"]:
        file.unlink()
    (tmp_path / "snapshot.metadata").write_bytes(b"")
    with pytest.raises(tf.errors.UnimplementedError, match="was saved by TensorFlow, whose files this cannot read"):
        list(tf.data.Dataset.load(str(tmp_path)))


def test_a_damaged_number_of_elements(tmp_path):
    tf.data.Dataset.range(3).save(str(tmp_path))
    (tmp_path / "num_elements").write_text("three")
    with pytest.raises(tf.errors.DataLossError, match="does not hold a number of elements"):
        tf.data.Dataset.load(str(tmp_path))
    (tmp_path / "num_elements").unlink()  # as earlier versions wrote them
    assert int(tf.data.Dataset.load(str(tmp_path)).cardinality()) == tf.data.UNKNOWN_CARDINALITY
