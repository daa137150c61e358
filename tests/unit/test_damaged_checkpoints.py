"""Damaged files of checkpoints that TensorFlow has written end in errors, or their values are the same all the same."""

import random
import shutil

import pytest
import tracefn as tf
from support import checkpoint_programs as programs

FILES = {
    "objects-1": ["objects-1.index", "objects-1.data-00000-of-00001"],
    "parts": ["parts.index", "parts.data-00001-of-00002"],
    "older": ["older"],
}


def values(prefix: str) -> dict:
    """The values that can be read, by their names."""
    reader = tf.train.load_checkpoint(prefix)
    found = {}
    for name in reader.get_variable_to_shape_map():
        try:
            value = reader.get_tensor(name)
        except (tf.errors.OpError, IndexError):
            continue
        found[name] = value if isinstance(value, bytes) else (value.dtype, value.tolist())
    return found


@pytest.mark.parametrize(("prefix", "name"), [(prefix, name) for prefix, names in FILES.items() for name in names])
def test_damage(tmp_path, prefix, name):
    folder = shutil.copytree(programs.FOLDER, tmp_path / "recorded")
    path, whole = folder / name, (programs.FOLDER / name).read_bytes()
    expected = values(str(folder / prefix))
    generator = random.Random(1)
    for _ in range(120):
        data = bytearray(whole)
        if generator.random() < 0.2:
            data = data[: generator.randrange(len(data))]
        else:
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        path.write_bytes(data)
        try:
            found = values(str(folder / prefix))
        except (tf.errors.OpError, IndexError, UnicodeError, TypeError):
            continue
        for key, value in found.items():
            assert expected.get(key) == value


def test_damaged_objects(tmp_path):
    """What the checkpoint says about objects may be damaged although its checksum is right."""
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "c")
    for message in (b"", b"\xff", b"\x0a\x7f", b"\x0a\x05\x0a\x03\x08\x09\x12"):
        tf.raw_ops.SaveV2(
            prefix=path, tensor_names=["_CHECKPOINTABLE_OBJECT_GRAPH"], shape_and_slices=[""], tensors=[tf.constant(message)]
        )
        with pytest.raises(ValueError, match="object graph of the checkpoint"):
            tf.train.Checkpoint(v=tf.Variable(1.0)).read(path)
