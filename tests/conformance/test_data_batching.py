"""Transformations between elements and batches."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def rows(tf):
    """Vectors of lengths 1 to 3: [1], [2, 2], [3, 3, 3]."""
    return tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))


@pytest.mark.parametrize("calls", [None, 2])
def test_batch(tf, calls):
    dataset = tf.data.Dataset.range(5)
    batches = dataset.batch(2, num_parallel_calls=calls)
    assert elements(batches) == [[0, 1], [2, 3], [4]] and batches.element_spec == tf.TensorSpec([None], tf.int64)
    full = dataset.batch(2, drop_remainder=True, num_parallel_calls=calls)
    assert elements(full) == [[0, 1], [2, 3]] and full.element_spec == tf.TensorSpec([2], tf.int64)
    named = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}).batch(3, num_parallel_calls=calls)
    assert elements(named) == [{"a": [1, 2], "b": [b"x", b"y"]}]
    with pytest.raises(tf.errors.InvalidArgumentError, match="[Bb]atch.size must be greater than zero"):
        dataset.batch(0, num_parallel_calls=calls)


# The threads of a joined op may end in either order, and the first to end gives the batch its shape.
JOINED = r"number of elements does not match. Shapes are: (\[tensor\]: \[2\], \[batch\]: \[1\]|\[tensor\]: \[1\], \[batch\]: \[2\])"
APART = r"different shapes in component 0. First element had shape \[1\] and element 1 had shape \[2\]"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda rows: rows.batch(2), JOINED),
        (lambda rows: rows.map(lambda x: x + 1, num_parallel_calls=2).batch(2, drop_remainder=True), JOINED),
        (lambda rows: rows.prefetch(1).batch(2), APART),
        (lambda rows: rows.batch(2, num_parallel_calls=2), APART),
        (lambda rows: rows.take(2).batch(2), APART),
    ],
)
def test_batch_of_other_shapes(tf, rows, make, text):
    """A map and the batch behind it are one op, whose text is another."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        list(make(rows))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"apply_default_optimizations": False}, APART),
        ({"map_and_batch_fusion": False}, APART),
        ({"map_and_batch_fusion": True, "apply_default_optimizations": False}, JOINED),
    ],
)
def test_options_keep_a_map_and_a_batch_apart(tf, rows, settings, text):
    options = tf.data.Options()
    for name, value in settings.items():
        setattr(options.experimental_optimization, name, value)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        list(rows.batch(2).with_options(options))


@pytest.mark.parametrize("calls", [None, 2])
def test_batch_of_as_many_elements_in_other_shapes(tf, calls):
    shapes = tf.data.Dataset.from_generator(lambda: iter([np.zeros([2, 3]), np.zeros([3, 2])]), output_types=tf.float64)
    text = r"First element had shape \[2,3\] and element 1 had shape \[3,2\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        list(shapes.batch(2, num_parallel_calls=calls))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        list(shapes.window(2).flat_map(lambda window: window.batch(2)))


def test_map_after_and_before_batch(tf):
    dataset = tf.data.Dataset.range(100).map(lambda x: (x * 2, x % 3 == 0)).batch(32)
    assert [len(x) for x, _ in elements(dataset)] == [32, 32, 32, 4]
    assert sum(sum(x) for x, _ in elements(dataset)) == 9900 and sum(sum(y) for _, y in elements(dataset)) == 34


def test_padded_batch(tf, rows):
    assert elements(rows.padded_batch(2)) == [[[1, 0], [2, 2]], [[3, 3, 3]]]
    fixed = rows.padded_batch(2, padded_shapes=[4], padding_values=tf.constant(-1, tf.int64), drop_remainder=True)
    assert elements(fixed) == [[[1, -1, -1, -1], [2, 2, -1, -1]]] and fixed.element_spec.shape.as_list() == [2, 4]
    pairs = tf.data.Dataset.zip(rows, tf.data.Dataset.range(3)).padded_batch(3, padded_shapes=([None], []))
    assert elements(pairs) == [([[1, 0, 0], [2, 2, 0], [3, 3, 3]], [0, 1, 2])]
    words = tf.data.Dataset.from_tensors(["a"]).concatenate(tf.data.Dataset.from_tensors(["b", "c"])).padded_batch(2)
    assert elements(words) == [[[b"a", b""], [b"b", b"c"]]]


def test_padding_that_does_not_fit(tf, rows):
    with pytest.raises(ValueError, match="is not compatible with the shape"):
        tf.data.Dataset.range(3).padded_batch(2, padded_shapes=[1])
    with pytest.raises(TypeError, match="does not match type"):
        rows.padded_batch(2, padding_values=1.5)
    with pytest.raises(ValueError, match="values should be scalars"):
        rows.padded_batch(2, padding_values=tf.constant([1], tf.int64))
    with pytest.raises(tf.errors.DataLossError, match="Attempted to pad to a smaller size than the input element"):
        list(rows.padded_batch(3, padded_shapes=[2]))
    with pytest.raises(TypeError, match="is not supported for datasets of datasets"):
        tf.data.Dataset.range(3).window(2).padded_batch(2)


def test_ragged_batch(tf, rows):
    batches = rows.ragged_batch(2)
    assert [batch.to_list() for batch in batches] == [[[1], [2, 2]], [[3, 3, 3]]]
    assert batches.element_spec == tf.RaggedTensorSpec([None, None], tf.int64, 1)


def test_sparse_batch(tf, rows):
    batches = rows.sparse_batch(2, [3])
    assert [tf.sparse.to_dense(batch).numpy().tolist() for batch in batches] == [[[1, 0, 0], [2, 2, 0]], [[3, 3, 3]]]
    assert batches.element_spec == tf.SparseTensorSpec([None, 3], tf.int64)


def test_unbatch(tf):
    dataset = tf.data.Dataset.range(6)
    assert elements(dataset.batch(4).unbatch()) == list(range(6))
    assert elements(tf.data.Dataset.zip(dataset, dataset).batch(4).unbatch())[4:] == [(4, 4), (5, 5)]
    with pytest.raises(ValueError, match="Cannot unbatch an input with scalar components"):
        dataset.unbatch()


def test_rebatch(tf):
    dataset = tf.data.Dataset.range(7).batch(3)
    assert elements(dataset.rebatch(2)) == [[0, 1], [2, 3], [4, 5], [6]]
    assert elements(dataset.rebatch([1, 2])) == [[0], [1, 2], [3], [4, 5], [6]]
    assert elements(dataset.rebatch(2, drop_remainder=True)) == [[0, 1], [2, 3], [4, 5]]
    assert dataset.rebatch(2, drop_remainder=True).element_spec.shape.as_list() == [2]
    with pytest.raises(ValueError, match="Expected dataset with rank of >= 1"):
        tf.data.Dataset.range(3).rebatch(2)


def test_window(tf):
    dataset = tf.data.Dataset.range(7)
    for args, found in [
        ({"size": 3}, [[0, 1, 2], [3, 4, 5], [6]]), ({"size": 3, "drop_remainder": True}, [[0, 1, 2], [3, 4, 5]]),
        ({"size": 3, "shift": 2}, [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6]]), ({"size": 2, "stride": 2}, [[0, 2], [2, 4], [4, 6], [6]]),
    ]:
        assert [elements(window) for window in dataset.window(**args)] == found
    windows = dataset.window(3)
    assert windows.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    assert elements(windows.flat_map(lambda window: window.batch(3))) == [[0, 1, 2], [3, 4, 5], [6]]
    named = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]}).window(2)
    assert [elements(window["a"]) for window in named] == [[1, 2], [3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Window size must be greater than zero"):
        dataset.window(0)


def test_rebatching_rows_of_different_shapes(tf):
    dataset = tf.data.Dataset.range(4).map(lambda x: tf.fill([2, x + 1], x)).rebatch(3)
    with pytest.raises(tf.errors.FailedPreconditionError, match="source and dst shapes arenot compatible"):
        list(dataset)


def test_padding_values_of_another_structure(tf, rows):
    pairs = rows.map(lambda x: (tf.size(x), x))
    text = "Input structure has length 2, while shallow structure has length 1"
    with pytest.raises(ValueError, match=text):
        pairs.padded_batch(3, padding_values=(tf.constant(0),))


def test_padded_shapes_as_tensors(tf):
    dataset = tf.data.Dataset.from_tensors([1])
    for dtype in (tf.int32, tf.int64, tf.uint8):
        padded = dataset.padded_batch(1, tf.constant([3], dtype))
        assert padded.element_spec.shape.as_list() == [None, 3]
        assert [batch.numpy().tolist() for batch in padded] == [[[1, 0, 0]]]
    assert dataset.padded_batch(1, tf.constant([-1], tf.int64)).element_spec.shape.as_list() == [None, None]
    with pytest.raises(TypeError, match="must be a `tf.int64` vector tensor, but its element type was int32"):
        dataset.padded_batch(1, tf.constant([-1]))
    with pytest.raises(ValueError, match="must be a `tf.int64` vector tensor, but its shape was"):
        dataset.padded_batch(1, tf.constant([[3]]))
