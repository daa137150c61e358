"""Datasets of ragged, sparse and other composite elements in files: save, load, cache, snapshot."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def dataset(tf):
    return tf.data.Dataset.from_tensor_slices({
        "rows": tf.ragged.constant([[1], [2, 3], []]),
        "sparse": tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]]),
        "text": ["x", "y", "z"],
    })  # fmt: skip


def plain(element):
    dense = np.zeros(element["sparse"].dense_shape, int)
    for place, value in zip(element["sparse"].indices.numpy(), element["sparse"].values.numpy(), strict=True):
        dense[tuple(place)] = value
    return element["rows"].numpy().tolist(), dense.tolist(), element["text"].numpy()


WHOLE = [([1], [1, 0], b"x"), ([2, 3], [0, 2], b"y"), ([], [0, 0], b"z")]


def check(dataset, found):
    assert found.element_spec == dataset.element_spec
    assert [plain(element) for element in found] == WHOLE
    (batch,) = found.batch(3)
    assert batch["rows"].to_list() == [[1], [2, 3], []] and batch["sparse"].shape == [3, 2]


def test_saved_and_loaded(tf, dataset, tmp_path):
    dataset.save(str(tmp_path))
    check(dataset, tf.data.Dataset.load(str(tmp_path)))


def test_functions_see_the_elements(tf, dataset, tmp_path):
    dataset.save(str(tmp_path), shard_func=lambda x: tf.size(x["rows"], tf.int64), compression="GZIP")
    loaded = tf.data.Dataset.load(str(tmp_path), compression="GZIP", reader_func=lambda files: files.flat_map(lambda x: x))
    assert sorted(map(plain, loaded), key=lambda x: x[2]) == WHOLE
    pairs = tf.data.Dataset.zip((dataset, tf.data.Dataset.range(3)))
    found = pairs.snapshot(
        str(tmp_path / "s"), shard_func=lambda x, number: number % 2, reader_func=lambda files: files.interleave(lambda x: x)
    )
    for _ in range(2):
        assert sorted(int(number) for _, number in found) == [0, 1, 2]
    with pytest.raises(TypeError, match="must return `tf.int64` scalar tensor"):
        pairs.snapshot(str(tmp_path / "t"), shard_func=lambda x, number: x["rows"])


def test_cached_in_a_file(dataset, tmp_path):
    cached = dataset.cache(str(tmp_path / "c"))
    for _ in range(2):
        check(dataset, cached)
    check(dataset, dataset.filter(lambda x: False).cache(str(tmp_path / "c")))


def test_snapshot(dataset, tmp_path):
    found = dataset.snapshot(str(tmp_path))
    for _ in range(2):
        assert [plain(element) for element in found] == WHOLE


def test_values_of_an_extension_type(tf, tmp_path):
    class Pair(tf.experimental.BatchableExtensionType):
        a: tf.Tensor
        b: int = 3

    dataset = tf.data.Dataset.from_tensors(Pair(tf.constant([1, 2])))
    (found,) = dataset.cache(str(tmp_path / "c"))
    assert isinstance(found, Pair) and found.a.numpy().tolist() == [1, 2] and found.b == 3
