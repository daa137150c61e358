"""Dataset.save with checkpoints. What was written so, TensorFlow cannot load: see tests/unit/test_dataset_saving.py."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_checkpoints_while_elements_are_written(tf, tmp_path):
    counter = tf.Variable(0, dtype=tf.int64)
    dataset = tf.data.Dataset.range(7).map(lambda x: x * x)
    dataset.save(
        str(tmp_path / "data"),
        checkpoint_args={
            "directory": str(tmp_path / "checkpoints"),
            "step_counter": counter,
            "checkpoint_interval": 3,
            "max_to_keep": 10,
        },
    )
    assert int(counter) == 7
    assert len(list((tmp_path / "checkpoints").glob("ckpt-*.index"))) == 3


def test_refusals(tf, tmp_path):
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        tf.data.Dataset.range(2).save(
            str(tmp_path / "data"), checkpoint_args={"directory": str(tmp_path), "checkpoint": tf.train.Checkpoint()}
        )


@pytest.mark.parametrize("shards", [False, True])
def test_a_loaded_dataset_knows_its_number_of_elements(tf, tmp_path, shards):
    dataset = tf.data.Dataset.range(10).filter(lambda x: x % 3 == 0)
    dataset.save(str(tmp_path), shard_func=(lambda x: x % 2) if shards else None)
    loaded = tf.data.Dataset.load(str(tmp_path))
    assert int(loaded.cardinality()) == len(loaded) == len(list(loaded)) == 4
    assert len(loaded.batch(3)) == 2
    part = tf.data.Dataset.load(str(tmp_path), reader_func=lambda files: files.flat_map(lambda file: file.take(1)))
    assert int(part.cardinality()) == 4  # whatever the function does
    tf.data.Dataset.range(0).save(str(tmp_path / "empty"))
    assert len(tf.data.Dataset.load(str(tmp_path / "empty"))) == 0
