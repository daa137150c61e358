"""Ragged tensors in functions that consist of others, in assertions, and as arguments that may not be ragged."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def rows(tf):
    """Two ragged tensors with the same row lengths; the second is as large or larger."""
    return tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ragged.constant([[1.0, 2.0], [4.0]])


def listed(value):
    return value.to_list() if hasattr(value, "to_list") else value.numpy().tolist()


ASSERTIONS = {
    "equal": False,
    "greater": False,
    "greater_equal": False,
    "less": False,
    "less_equal": True,
    "near": False,
    "none_equal": False,
}


@pytest.mark.parametrize("place", ["debugging", "compat.v1"])
@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions(tf, rows, place, name):
    function = getattr(tf.debugging if place == "debugging" else tf.compat.v1, f"assert_{name}")

    @tf.function(autograph=False)
    def in_graph(x, y):
        with tf.control_dependencies([function(x, y)]):
            return tf.constant(1)

    for run in (function, in_graph):
        if ASSERTIONS[name]:
            run(*rows)
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                run(*rows)
    if name == "equal":
        assert function(rows[0], rows[0]) is None and int(in_graph(rows[0], rows[0])) == 1


def test_composed_functions(tf, rows):
    x, y = rows
    assert listed(tf.clip_by_value(tf.ones([2, 1]), x, y)) == [[1.0, 2.0], [3.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.clip_by_value(x, x, y)
    with pytest.raises(ValueError, match=r"Shapes \(\) and \(2, None\) are incompatible"):
        tf.clip_by_value(2.0, x, y)
    assert listed(tf.compat.v1.floor_div(y, x)) == [[1.0, 1.0], [1.0]]
    assert bool(tf.math.is_non_decreasing(x)) and bool(tf.math.is_strictly_increasing(x))
    assert not bool(tf.math.is_non_decreasing(tf.ragged.constant([[3], [1, 2]])))
    assert float(tf.nn.scale_regularization_loss(x)) == 6.0


def test_normalization(tf, rows):
    x = rows[0]
    found = tf.nn.batch_normalization(x, 1.0, 4.0, 0.5, 2.0, 0.0)
    np.testing.assert_allclose(found.flat_values, [0.5, 1.5, 2.5])
    assert listed(found.row_lengths()) == [2, 1]
    np.testing.assert_allclose(tf.nn.batch_normalization(x, 1.0, 4.0, None, None, 0.0).flat_values, [0.0, 0.5, 1.0])
    mean, variance = tf.nn.moments(x, [0, 1])
    assert (float(mean), mean.shape.rank) == (2.0, 0)
    np.testing.assert_allclose(variance, 2 / 3, rtol=1e-6)


def test_products_with_adjoints(tf, rows):
    for options in ({}, {"adjoint_a": True}, {"transpose_a": True}, {"adjoint_b": True}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="may not be ragged in their innermost dimension"):
            tf.matmul(tf.ones([2, 2]), rows[0], **options)
    batch = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)
    assert listed(tf.matmul(batch, batch, adjoint_a=True)) == [[[10.0, 14.0], [14.0, 20.0]], [[25.0, 30.0], [30.0, 36.0]]]


def test_products_by_the_operator(tf, rows):
    batch = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [1.0, 2.0]]], ragged_rank=1)
    x, wanted = tf.ones([2, 1, 2]), [[[4.0, 6.0]], [[6.0, 8.0]]]
    assert listed(x @ batch) == wanted and listed(tf.Variable(x) @ batch) == wanted
    assert listed(tf.function(lambda a, b: a @ b)(x, batch)) == wanted
    with pytest.raises(tf.errors.InvalidArgumentError, match="may not be ragged in their innermost dimension"):
        tf.ones([2, 2]) @ rows[0]
    for other in (batch, [[[1.0, 1.0]], [[1.0, 1.0]]]):
        with pytest.raises(TypeError, match="unsupported operand type"):
            other @ batch


def test_specs_of_what_is_no_tensor(tf, rows):
    spec = tf.RaggedTensorSpec([2, None], tf.float32)
    assert spec.is_compatible_with(rows[0]) and not spec.is_compatible_with("a") and not spec.is_compatible_with(None)
    for value in (object(), [[1], [2, 3]], {"a": 1}):
        for each in (spec, tf.SparseTensorSpec([2], tf.float32), tf.data.DatasetSpec(tf.TensorSpec([]))):
            with pytest.raises(TypeError, match="Could not build a TypeSpec for "):
                each.is_compatible_with(value)


# Functions that take ragged tensors elsewhere, with one in a place that takes none.
MISPLACED = {
    "unsorted_segment_sum": lambda tf, r: tf.math.unsorted_segment_sum(tf.ones([2, 2]), [0, 1], r),
    "unsorted_segment_mean": lambda tf, r: tf.math.unsorted_segment_mean(r, [0, 1], r),
    "one_hot": lambda tf, r: tf.one_hot([0, 1], r),
    "one_hot of ragged": lambda tf, r: tf.one_hot(r, 4, on_value=r),
    "tile": lambda tf, r: tf.tile([1, 2], r),
    "embedding_lookup": lambda tf, r: tf.nn.embedding_lookup(r, [0]),
    "expand_dims": lambda tf, r: tf.expand_dims([1], r),
    "reduce_sum": lambda tf, r: tf.reduce_sum([[1.0]], r),
    "reverse": lambda tf, r: tf.reverse([1.0], r),
    "split": lambda tf, r: tf.split([1, 2], r),
    "split axis": lambda tf, r: tf.split([1, 2], 2, r),
    "reduce_join": lambda tf, r: tf.strings.reduce_join(["a"], r),
    "stateless_dropout": lambda tf, r: tf.nn.experimental.stateless_dropout(tf.ones([2]), 0.5, r),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_misplaced(tf, name):
    with pytest.raises(ValueError, match="object of type 'RaggedTensor' has no len"):
        MISPLACED[name](tf, tf.ragged.constant([[1, 2], [3]]))


@pytest.mark.parametrize("name", ["max", "mean", "sqrt_n", "sum"])
def test_segments_of_other_rows(tf, name):
    segments = getattr(tf.math, f"unsorted_segment_{name}")
    with pytest.raises(ValueError, match="segment_ids is ragged and data is not"):
        segments(tf.ones([2, 2]), tf.ragged.constant([[0, 1], [1]]), 2)


@pytest.mark.parametrize(
    ("form", "part"),
    [("row_splits", [0, 2, 4]), ("row_lengths", [2, 2]), ("value_rowids", [0, 0, 1, 1]), ("uniform_row_length", 2)],
)
def test_the_dtype_of_an_array_is_that_of_the_partition(tf, form, part):
    make = getattr(tf.RaggedTensor, f"from_{form}")
    assert make([1, 2, 3, 4], np.array(part, np.int32)).row_splits.dtype == tf.int32
    assert make([1, 2, 3, 4], np.array(part, np.int64)).row_splits.dtype == tf.int64
    assert make([1, 2, 3, 4], part).row_splits.dtype == tf.int64
