"""`tf.compat.v1.SparseConditionalAccumulator`: means of gradients that hold some of the rows."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def parts(tf):
    """An accumulator of gradients of shape (3, 2): (session, function that applies a gradient, accumulator)."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        accumulator = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2], name="acc")

        def apply(indices, values, shape=None, step=0):
            values = np.asarray(values, np.float32)
            return session.run(accumulator.apply_grad(indices, values, shape, local_step=step))

        yield session, apply, accumulator


def taken(session, accumulator, required=1):
    return [part.tolist() for part in session.run(accumulator.take_grad(required))]


def test_means_of_rows(tf, parts):
    session, apply, accumulator = parts
    assert (accumulator.name, accumulator.dtype) == ("acc", tf.float32)
    assert apply([0, 2], [[1, 2], [3, 4]]) is None
    apply([1, 2], [[7, 8], [5, 6]], [3, 2])
    rows = tf.IndexedSlices(tf.constant([[10.0, 11.0]]), tf.constant([2]))
    session.run(accumulator.apply_indexed_slices_grad(rows))
    assert session.run(accumulator.num_accumulated()) == 3
    assert taken(session, accumulator, 3) == [[0, 1, 2], [[1, 2], [7, 8], [6, 7]], [3, 2]]
    assert session.run(accumulator.num_accumulated()) == 0


def test_indexed_slices(tf, parts):
    session, apply, accumulator = parts
    found = accumulator.take_indexed_slices_grad(1)
    assert isinstance(found, tf.IndexedSlices) and found.indices.dtype == tf.int64
    apply(np.zeros([0], np.int64), np.zeros([0, 2]))
    value = session.run(found)
    assert value.values.shape == (0, 2) and value.dense_shape.tolist() == [3, 2] and value.indices.tolist() == []


def test_rows_in_another_order(parts):
    """They are merged as if they were in ascending order."""
    session, apply, accumulator = parts
    apply([1, 1, 0], [[1, 2], [3, 4], [0, 1]])
    apply([1], [[1, 2]])
    assert taken(session, accumulator) == [[1, 1, 0], [[1, 2], [3, 4], [0, 1]], [3, 2]]


def test_steps(parts):
    session, apply, accumulator = parts
    session.run(accumulator.set_global_step(5))
    apply([0], [[1, 1]], step=4)
    assert session.run(accumulator.num_accumulated()) == 0
    apply([0], [[1, 1]], step=5)
    assert session.run(accumulator.num_accumulated()) == 1


def test_sums_of_any_shape(tf, parts):
    session, _, _ = parts
    accumulator = tf.compat.v1.sparse.SparseConditionalAccumulator(tf.float32, reduction_type="SUM")
    session.run(accumulator.apply_grad([4], [[1.0, 2.0]]))
    session.run(accumulator.apply_grad([0, 4], [[5.0, 5.0], [1.0, 2.0]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected values dim 1 to be 2, got 3"):
        session.run(accumulator.apply_grad([4], [[1.0, 2.0, 3.0]]))
    assert taken(session, accumulator, 2) == [[0, 4], [[5, 5], [2, 4]], [-1, 2]]
    partly = tf.compat.v1.SparseConditionalAccumulator(tf.float32, shape=[None, 2])
    session.run(partly.apply_grad([4], [[1.0, 2.0]], [9, 2]))
    assert taken(session, partly) == [[4], [[1, 2]], [-1, 2]]


REFUSED = {
    "index of slice 0 exceeded limits of shape; index is 5 exceeded 3": ([5], [[1, 2]]),
    "expected values dim 1 to be 2, got 3": ([0], [[1, 2, 3]]),
    "Expected 2 non-empty input values, got 1": ([0, 1], [[1, 2]]),
    "expected shape dim 0 to be 3, got 4": ([0], [[1, 2]], [4, 2]),
    "expected shape rank at least 2, got 1": ([0], [[1, 2]], [3]),
    r"Input indices should be vector but received shape: \[1,1\]": ([[0]], [[1, 2]]),
    "expected values rank at least 2, got 1": ([0], [1]),
    "Values cannot be 0-dimensional": ([0], 1),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(tf, parts, text):
    _, apply, _ = parts
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        apply(*REFUSED[text])


def test_what_is_refused_at_once(tf, parts):
    session, apply, accumulator = parts
    apply([0], [[1, 2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected values rank 2, got 1"):
        apply([0], [1])
    make = tf.compat.v1.SparseConditionalAccumulator
    with pytest.raises(tf.errors.InvalidArgumentError, match="Argument num_required must be positive, but was 0"):
        session.run(accumulator.take_grad(0))
    with pytest.raises(ValueError, match="Attr 'reduction_type' of 'SparseConditionalAccumulator' Op passed string 'MAX'"):
        make(tf.float32, reduction_type="MAX")
    with pytest.raises(TypeError, match="Value passed to parameter 'dtype' has DataType string not in list of allowed"):
        make(tf.string)


def test_eager_accumulators(tf):
    with pytest.raises(RuntimeError, match="eager execution"):
        tf.compat.v1.SparseConditionalAccumulator(tf.float32)


@pytest.mark.parametrize("shape", [(), None])
def test_accumulators_of_any_shape(tf, v1, shape):
    with tf.Graph().as_default(), v1.Session() as session:
        accumulator = v1.SparseConditionalAccumulator(tf.float32, shape=shape)
        for slices in (
            tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([5]), tf.constant([3, 2])),
            tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([5])),
        ):
            session.run(accumulator.apply_indexed_slices_grad(slices))
        found = session.run(accumulator.take_indexed_slices_grad(2))
        assert found.values.tolist() == [[2.0, 3.0]] and found.indices.tolist() == [5] and found.dense_shape.tolist() == [-1, 2]
