"""Datasets that begin pipelines, and those that join datasets."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_from_tensors(tf):
    dataset = tf.data.Dataset.from_tensors({"a": [1, 2], "b": (3.0, "x")})
    assert elements(dataset) == [{"a": [1, 2], "b": (3.0, b"x")}]
    assert dataset.element_spec == {"a": tf.TensorSpec([2], tf.int32),
                                    "b": (tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.string))}
    assert len(dataset) == 1


@pytest.mark.parametrize("given, rows", [
    ([1, 2, 3], [1, 2, 3]), (([1, 2], [3.0, 4.0]), [(1, 3.0), (2, 4.0)]), ({"a": [1], "b": [[2]]}, [{"a": 1, "b": [2]}]),
    ([(1, 2), (3, 4)], [[1, 2], [3, 4]]), (np.zeros([0, 2]), []), (range(3), [0, 1, 2]),
])
def test_from_tensor_slices(tf, given, rows):
    dataset = tf.data.Dataset.from_tensor_slices(given)
    assert elements(dataset) == rows and len(dataset) == len(rows)


@pytest.mark.parametrize("given, text", [
    (3, "Unbatching a tensor is only supported for rank >= 1"), ({"a": [1], "b": [1, 2]}, "Dimensions 1 and 2 are not compatible"),
    ((), "should not be empty"),
])
def test_slices_of_what_has_no_rows(tf, given, text):
    with pytest.raises(ValueError, match=text):
        tf.data.Dataset.from_tensor_slices(given)


@pytest.mark.parametrize("args", [(5,), (2, 5), (1, 10, 3), (5, 0, -2), (3, 3), (0, -3)])
def test_range(tf, args):
    assert elements(tf.data.Dataset.range(*args)) == list(range(*args))
    assert len(tf.data.Dataset.range(*args)) == len(range(*args))


def test_range_of_another_dtype(tf):
    dataset = tf.data.Dataset.range(3, output_type=tf.float32)
    assert dataset.element_spec == tf.TensorSpec([], tf.float32) and elements(dataset) == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="length of `args` should be between 1 and 3"):
        tf.data.Dataset.range()
    with pytest.raises(tf.errors.InvalidArgumentError, match="step"):
        tf.data.Dataset.range(0, 3, 0)


def test_counter(tf):
    assert elements(tf.data.Dataset.counter(2, 3).take(3)) == [2, 5, 8]
    assert elements(tf.data.Dataset.counter(start=1.0, step=-0.5, dtype=tf.float32).take(2)) == [1.0, 0.5]
    assert int(tf.data.Dataset.counter().cardinality()) == tf.data.INFINITE_CARDINALITY


def test_random_numbers_of_a_seed(tf):
    tf.random.set_seed(None)
    assert elements(tf.data.Dataset.random(seed=5).take(3)) == [3568415791, 2798973839, 2476249224]
    dataset = tf.data.Dataset.random(seed=5, rerandomize_each_iteration=True).take(3)
    assert elements(dataset) != elements(dataset)


def test_zip(tf):
    a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(5, 7)
    assert elements(tf.data.Dataset.zip(a, b)) == elements(tf.data.Dataset.zip((a, b))) == [(0, 5), (1, 6)]
    assert elements(tf.data.Dataset.zip(datasets=(a, b))) == [(0, 5), (1, 6)]
    assert elements(tf.data.Dataset.zip({"x": a, "y": (b, b)})) == [{"x": 0, "y": (5, 5)}, {"x": 1, "y": (6, 6)}]
    assert elements(tf.data.Dataset.zip(a)) == [0, 1, 2]


def test_zip_of_something_else(tf):
    dataset = tf.data.Dataset.range(3)
    for call, text in [
        (lambda: tf.data.Dataset.zip([dataset, dataset]), "Python `list` is not supported"),
        (lambda: tf.data.Dataset.zip(dataset, 3), "object of type <class 'int'>"),
        (lambda: tf.data.Dataset.zip(), "Must pass at least one dataset"),
        (lambda: tf.data.Dataset.zip(dataset, datasets=(dataset,)), "cannot be set"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()


def test_concatenate(tf):
    a = tf.data.Dataset.range(2)
    assert elements(a.concatenate(tf.data.Dataset.range(5, 7))) == [0, 1, 5, 6]
    batches = a.batch(2, drop_remainder=True).concatenate(tf.data.Dataset.range(3).batch(3, drop_remainder=True))
    assert batches.element_spec == tf.TensorSpec([None], tf.int64) and elements(batches) == [[0, 1], [0, 1, 2]]
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        a.concatenate(tf.data.Dataset.from_tensors(1.0))
    with pytest.raises(TypeError, match="Incompatible dataset elements"):
        a.concatenate(tf.data.Dataset.zip(a, a))


def test_enumerate(tf):
    assert elements(tf.data.Dataset.from_tensor_slices([7, 8]).enumerate(start=5)) == [(5, 7), (6, 8)]


def test_list_files(tf, tmp_path):
    for name in "bca":
        (tmp_path / f"{name}.txt").write_text(name)
    names = [str(tmp_path / f"{name}.txt").encode() for name in "abc"]
    pattern = str(tmp_path / "*.txt")
    assert elements(tf.data.Dataset.list_files(pattern, shuffle=False)) == names
    assert sorted(elements(tf.data.Dataset.list_files(pattern))) == names
    both = tf.data.Dataset.list_files([str(tmp_path / "a*"), str(tmp_path / "c*")], shuffle=False)
    assert elements(both) == [names[0], names[2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        tf.data.Dataset.list_files(str(tmp_path / "*.png"))
