"""The ops that write and read checkpoints: SaveV2, RestoreV2, MergeV2Checkpoints, and the names of files."""

import os
import pathlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "complex64", "complex128", "bool"]  # fmt: skip


@pytest.fixture
def save(tf, tmp_path):
    def run(name="a", slices=None, **tensors):
        prefix = str(tmp_path / name)
        tf.raw_ops.SaveV2(
            prefix=prefix,
            tensor_names=list(tensors),
            shape_and_slices=slices or [""] * len(tensors),
            tensors=[tf.convert_to_tensor(value) for value in tensors.values()],
        )
        return prefix

    return run


@pytest.fixture
def restore(tf):
    def run(prefix, names, dtypes, slices=None):
        names = [names] if isinstance(names, str) else names
        dtypes = dtypes if isinstance(dtypes, list) else [dtypes] * len(names)
        found = tf.raw_ops.RestoreV2(
            prefix=prefix, tensor_names=names, shape_and_slices=slices or [""] * len(names), dtypes=dtypes
        )
        return found if len(found) > 1 else found[0]

    return run


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(tf, save, restore, dtype):
    values = tf.cast([[1, 0, 3], [4, 5, 6]], dtype)
    prefix = save(x=values, scalar=values[0, 2], empty=values[:0])
    x, scalar, empty = restore(prefix, ["x", "scalar", "empty"], values.dtype)
    assert x.dtype == values.dtype and x.numpy().tolist() == values.numpy().tolist()
    assert scalar.shape == [] and scalar.numpy() == values[0, 2].numpy() and empty.shape == [0, 3]


def test_strings(tf, save, restore):
    values = [b"one", b"", b"\x00\xff", b"x" * 1000]
    prefix = save(words=values, word=b"single", none=tf.zeros([0], tf.string))
    words, word, none = restore(prefix, ["words", "word", "none"], tf.string)
    assert words.numpy().tolist() == values and word.numpy() == b"single" and none.shape == [0]


def test_files(tmp_path, save):
    save("below/a", x=[1.0])
    assert sorted(os.listdir(tmp_path / "below")) == ["a.data-00000-of-00001", "a.index"]
    save("below/a", x=[2.0, 3.0])
    assert sorted(os.listdir(tmp_path / "below")) == ["a.data-00000-of-00001", "a.index"]


def test_bytes_of_files(tmp_path, save):
    """They are TensorFlow's."""
    save(x=np.float32([1, 2, 3]), y=np.int64(7), s=[b"ab", b"", b"cde"], e=np.zeros((0, 3), np.int32), b=[True, False])
    data = (tmp_path / "a.data-00000-of-00001").read_bytes()
    assert data == b"\0\0\x80?\0\0\0@\0\0@@\x07\0\0\0\0\0\0\0\x02\0\x03\x1bB\x8b\xcaabcde\x01\0"
    index = (tmp_path / "a.index").read_bytes()
    assert index.startswith(b"\0\0\x06\x08\x01\x1a\x02\x08\x01\0\x01\x11b\x08\n\x12\x04\x12\x02\x08\x02  (\x025_\xb0\xce\x81")
    assert index.endswith(b"\0W\xfb\x80\x8b$uG\xdb") and len(index) == 201


def test_many_tensors(tf, save, restore):
    values = {f"layer_{i % 7}/part/{i}": np.full([i % 3], i, np.int32) for i in range(400)}
    prefix = save(**values)
    for value, read in zip(values.values(), restore(prefix, list(values), tf.int32), strict=True):
        assert read.numpy().tolist() == value.tolist()


def test_slices(tf, save, restore):
    prefix = save(x=np.arange(12, dtype=np.float32).reshape(3, 4))
    assert restore(prefix, "x", tf.float32, ["3 4 1,2:-"]).numpy().tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    assert restore(prefix, "x", tf.float32, ["3 4 -:1,2"]).numpy().tolist() == [[1, 2], [5, 6], [9, 10]]
    assert restore(prefix, "x", tf.float32, ["3 4 -:-"]).shape == [3, 4]
    assert restore(prefix, "x", tf.float32, ["3 4 2,1:3,1"]).numpy().tolist() == [[11]]


def test_tensors_in_parts(tf, tmp_path, restore):
    prefix = str(tmp_path / "a")
    parts = [np.float32([1, 2, 3]), np.arange(7, dtype=np.float32)]
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["x", "x"], shape_and_slices=["10 0,3", "10 3,7"], tensors=parts)
    assert restore(prefix, "x", tf.float32).numpy().tolist() == [1, 2, 3, 0, 1, 2, 3, 4, 5, 6]
    assert restore(prefix, "x", tf.float32, ["10 2,4"]).numpy().tolist() == [3, 0, 1, 2]
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["x"], shape_and_slices=["10 0,3"], tensors=parts[:1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Does not have sufficient slices for partitioned tensor x"):
        restore(prefix, "x", tf.float32)


def test_parts_that_overlap(tf, tmp_path, restore):
    prefix = str(tmp_path / "a")
    parts = [np.full(5, 1, np.float32), np.full(5, 2, np.float32)]
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["x", "x"], shape_and_slices=["10 0,5", "10 1,5"], tensors=parts)
    for slices in (None, ["10 2,3"]):
        with pytest.raises(tf.errors.InternalError, match="Overlapping slices: existing slice = 0,5, new slice = 1,5"):
            restore(prefix, "x", tf.float32, slices)


def test_what_is_not_there(tf, save, restore, tmp_path):
    prefix = save(x=[1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.NotFoundError, match="Key z not found in checkpoint"):
        restore(prefix, ["x", "z"], tf.float32)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for .*other"):
        restore(str(tmp_path / "other"), "x", tf.float32)
    os.remove(prefix + ".data-00000-of-00001")
    with pytest.raises(tf.errors.NotFoundError, match="a.data-00000-of-00001; No such file or directory"):
        restore(prefix, "x", tf.float32)


SPECS = {
    "q": ("InvalidArgumentError", "Need least two elements in shape_and_slice specification: q"),
    "3 1": ("InvalidArgumentError", "Expected a pair of numbers or '-' but got '1': string = 1"),
    "3 a,9": ("InvalidArgumentError", "Expected a pair of numbers or '-' but got 'a,9': string = a,9"),
    "a 1,9": ("InvalidArgumentError", "Non numerical dimension in shape_and_slice: a 1,9"),
    "3 3,0": ("InvalidArgumentError", "Expected non-negative start and positive length but got start = 3, length = 0"),
    "3 1,9": ("InternalError", r"Extent in dimension 0 out of bounds: shape = \[3\], slice = 1,9"),
    "3 -:-": ("InternalError", r"Mismatching ranks: shape = \[3\], slice = -:-"),
    "4 1,2": ("InvalidArgumentError", r"spec \[4\] does not match the shape stored in checkpoint: \[3\]"),
}


@pytest.mark.parametrize("spec", SPECS)
def test_bad_slices(tf, save, restore, spec):
    kind, words = SPECS[spec]
    prefix = save(x=[1.0, 2.0, 3.0])
    with pytest.raises(getattr(tf.errors, kind), match=words):
        restore(prefix, "x", tf.float32, [spec])


def test_arguments(tf, save, restore):
    prefix = save(x=[1.0], y=np.int32(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor_name = x; expected dtype int32 does not equal original dtype float"):
        restore(prefix, "x", tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input prefix should have a single element, got 2 instead"):
        restore([prefix, prefix], "x", tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got 2 tensor names, but 1 expected dtypes"):
        restore(prefix, ["x", "y"], [tf.float32])
    raw = tf.raw_ops
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"should be an 1-D tensors, got \[1,1\] and \[1,1\] instead"):
        raw.RestoreV2(prefix=prefix, tensor_names=[["x"]], shape_and_slices=[[""]], dtypes=[tf.float32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="different number of elements: 1 vs. 2"):
        raw.SaveV2(prefix=prefix, tensor_names=["x"], shape_and_slices=["", ""], tensors=[1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Adding duplicate key: x"):
        raw.SaveV2(prefix=prefix, tensor_names=["x", "x"], shape_and_slices=["", ""], tensors=[1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not match the shape of the tensor to  save: 10 0,4, tensor"):
        raw.SaveV2(prefix=prefix, tensor_names=["x"], shape_and_slices=["10 0,4"], tensors=[[1.0, 2.0]])


def flip(path, place):
    data = bytearray(pathlib.Path(path).read_bytes())
    data[place] ^= 1
    pathlib.Path(path).write_bytes(bytes(data))


DAMAGE = {
    ("index", 2): "block checksum mismatch",
    ("index", -1): "not an sstable",
    ("data-00000-of-00001", 1): r"shard 0 \(12 bytes\): Checksum does not match: stored \d+ vs. calculated on the restored bytes",
    ("data-00000-of-00001", 14): "The length checksum does not match: expected",
    ("data-00000-of-00001", 22): "Checksum does not match",
}


@pytest.mark.parametrize("place", DAMAGE, ids=str)
def test_damaged_files(tf, save, restore, place):
    prefix = save(x=np.float32([1, 2, 3]), s=[b"ab", b"", b"cde"])
    flip(f"{prefix}.{place[0]}", place[1])
    with pytest.raises(tf.errors.DataLossError, match=DAMAGE[place]):
        restore(prefix, ["x", "s"], [tf.float32, tf.string])


def test_files_cut_off(tf, save, restore):
    prefix = save(x=np.float32([1, 2, 3]))
    os.truncate(prefix + ".data-00000-of-00001", 8)
    with pytest.raises(tf.errors.OutOfRangeError, match="Read less bytes than requested"):
        restore(prefix, "x", tf.float32)
    os.truncate(prefix + ".index", 8)
    with pytest.raises(tf.errors.DataLossError, match="file is too short to be an sstable"):
        restore(prefix, "x", tf.float32)


def test_merged(tf, save, restore, tmp_path):
    parts = [save("m_temp/part0", x=1.0), save("m_temp/part1", y=2.0)]
    whole = str(tmp_path / "m")
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=whole)
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"]
    x, y = restore(whole, ["x", "y"], tf.float32)
    assert (float(x), float(y)) == (1.0, 2.0)


def test_merged_wrongly(tf, save, tmp_path):
    whole = str(tmp_path / "m")
    merge = tf.raw_ops.MergeV2Checkpoints
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match="Duplicate tensor keyed by x encountered, when merging prefix: .*b"):
        merge(checkpoint_prefixes=[save("a", x=1.0), save("b", x=2.0)], destination_prefix=whole)
    with pytest.raises(error, match="allow_missing_files was set to false and .*none did not exist"):
        merge(checkpoint_prefixes=[str(tmp_path / "none")], destination_prefix=whole)
    with pytest.raises(error, match="At least one prefix checkpoint file must exist, but none existed"):
        merge(checkpoint_prefixes=tf.zeros([0], tf.string), destination_prefix=whole)
    merge(checkpoint_prefixes=[str(tmp_path / "none"), save("c", z=1.0)], destination_prefix=whole, allow_missing_files=True)
    assert os.path.exists(whole + ".index")


def test_names_of_files(tf):
    raw = tf.raw_ops
    assert raw.ShardedFilename(basename="foo", shard=1, num_shards=12).numpy() == b"foo-00001-of-00012"
    assert raw.ShardedFilespec(basename="foo", num_shards=12).numpy() == b"foo-?????-of-00012"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"basename must be a scalar, got shape \[1\]"):
        raw.ShardedFilename(basename=["foo"], shard=1, num_shards=1)


def test_in_functions(tf, tmp_path):
    prefix = str(tmp_path / "a")

    @tf.function
    def save(x):
        tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["x"], shape_and_slices=[""], tensors=[x])

    @tf.function
    def restore():
        return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=["x", "x"], shape_and_slices=["", "2 1,1"], dtypes=[tf.float32] * 2)

    save(tf.constant([1.0, 2.0]))
    whole, part = restore.get_concrete_function().outputs
    assert whole.shape.rank is None and part.shape == [1]
    assert [x.numpy().tolist() for x in restore()] == [[1.0, 2.0], [2.0]]


def test_shape_rules(tf):
    raw = tf.raw_ops

    def refused(words, build):
        with pytest.raises(ValueError, match=words):
            tf.function(build).get_concrete_function()

    def names(count):
        return {"tensor_names": ["x"] * count, "shape_and_slices": [""] * count}

    def scalar(prefix, count):
        return lambda: raw.RestoreV2(prefix=prefix, dtypes=[tf.float32], **names(count))

    def save(prefix, count):
        return lambda: raw.SaveV2(prefix=prefix, tensors=[1.0], **names(count))

    refused("Shape must be rank 0 but is rank 1", scalar(["a"], 1))
    refused("The number of shape_and_slice doesn't match tensor outputs", scalar("a", 2))
    refused("Dimension must be 1 but is 2", save("a", 2))
    refused("Shape must be rank 0 but is rank 1", save(["a"], 1))
    refused("Shape must be rank 1 but is rank 0", lambda: raw.MergeV2Checkpoints(checkpoint_prefixes="a", destination_prefix="b"))
