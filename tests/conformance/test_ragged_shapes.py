"""`tf.experimental.DynamicRaggedShape`: what `tf.shape` of a ragged tensor returns, and the functions that take it."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def shapes(tf):
    return tf.experimental.DynamicRaggedShape


@pytest.fixture
def rows(tf):
    return tf.ragged.constant([[1, 2], [3], []])


def test_shape_of_a_ragged_tensor(tf, rows):
    shape = tf.shape(rows)
    assert repr(shape) == "<DynamicRaggedShape lengths=[3, (2, 1, 0)] num_row_partitions=1>"
    assert (shape.rank, shape.inner_rank, shape.num_row_partitions, shape.dtype) == (2, 1, 1, tf.int32)
    assert shape.inner_shape.numpy().tolist() == [3] and shape.row_partitions[0].row_splits().numpy().tolist() == [0, 2, 3, 3]
    assert tf.shape(rows, out_type=tf.int64).dtype == tf.int64


CASES = [
    ([[1, 2], [3], []], {}, [3, (2, 1, 0)], [True, False]),
    ([[[1], [2, 3]], [[4, 5, 6]]], {}, [2, (2, 1), (1, 2, 3)], [True, False, False]),
    ([[[1, 2], [3, 4]], [[5, 6]]], {"inner_shape": (2,)}, [2, (2, 1), 2], [True, False, True]),
]


@pytest.mark.parametrize("value, options, lengths, uniform", CASES)
def test_lengths(tf, shapes, value, options, lengths, uniform):
    shape = shapes.from_tensor(tf.ragged.constant(value, **options))
    assert shape.static_lengths() == lengths and shape.rank == len(lengths) and shape.dtype == tf.int64
    assert [shape.is_uniform(axis) for axis in range(shape.rank)] == uniform
    assert shape.static_lengths(ragged_lengths=False) == [n if isinstance(n, int) else None for n in lengths]
    again = shapes.from_lengths(lengths)
    assert again.static_lengths() == lengths and again.num_row_partitions == shape.num_row_partitions
    assert bool(again == shape) and not bool(again == shapes.from_lengths([1, (1,)]))


def test_shapes_of_tensors(tf, shapes):
    assert shapes.from_tensor(tf.zeros([2, 3])).static_lengths() == [2, 3]
    assert shapes.from_tensor(tf.constant(1)).static_lengths() == []
    assert shapes.from_lengths([]).rank == 0
    assert shapes.from_lengths([2, 3, 4], num_row_partitions=2).num_row_partitions == 2
    partition = tf.experimental.RowPartition.from_row_lengths([1, 2])
    assert shapes.from_row_partitions([partition]).static_lengths() == [2, (1, 2)]
    assert shapes([partition], [3, 4]).static_lengths() == [2, (1, 2), 4]


def test_subscripts(tf, shapes):
    shape = shapes.from_lengths([2, (3, 2), 4])
    assert [int(shape[i]) for i in (0, 2, -1)] == [2, 4, 4]
    assert shape[:2].static_lengths() == [2, (3, 2)] and shape[:1].static_lengths() == [2]
    assert shape[:].static_lengths() == [2, (3, 2), 4] and shape[:-1].static_lengths() == [2, (3, 2)]
    assert shape[0:0].static_lengths() == []
    uniform = shapes.from_lengths([2, 3, 4], num_row_partitions=1)
    assert [int(uniform[i]) for i in range(3)] == [2, 3, 4]
    assert uniform[1:].static_lengths() == [3, 4] and uniform[1:2].static_lengths() == [3]
    assert shape.with_dtype(tf.int32).dtype == tf.int32


def test_tensors_of_a_shape(tf, shapes):
    shape = shapes.from_lengths([2, (2, 1), 2])
    assert tf.ones(shape).to_list() == [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0]]]
    assert tf.zeros(shape, tf.int32).to_list() == [[[0, 0], [0, 0]], [[0, 0]]]
    assert tf.fill(shape, 7).to_list() == [[[7, 7], [7, 7]], [[7, 7]]]
    assert tf.reshape(tf.range(6), shape).to_list() == [[[0, 1], [2, 3]], [[4, 5]]]
    assert tf.ones(shapes.from_lengths([2, 2])).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert isinstance(tf.ones(shapes.from_lengths([2, 2], num_row_partitions=1)), tf.RaggedTensor)


def test_flat_again(tf, shapes, rows):
    np.testing.assert_array_equal(tf.reshape(rows, shapes.from_lengths([3])), [1, 2, 3])


def test_broadcasting(tf, shapes, rows):
    shape = tf.shape(rows)
    assert tf.broadcast_to(5, shape).to_list() == [[5, 5], [5], []]
    assert tf.broadcast_to([[1], [2], [3]], shape).to_list() == [[1, 1], [2], []]
    ragged, column = shapes.from_lengths([3, (2, 1, 0)]), shapes.from_lengths([3, 1])
    assert tf.broadcast_dynamic_shape(ragged, column).static_lengths() == [3, (2, 1, 0)]
    assert tf.broadcast_dynamic_shape(ragged, shapes.from_lengths([])).static_lengths() == [3, (2, 1, 0)]
    assert tf.broadcast_dynamic_shape(shapes.from_lengths([4]), shapes.from_lengths([2, 1])).static_lengths() == [2, 4]


def test_in_functions(tf, rows):
    @tf.function
    def shape_of(x):
        shape = tf.shape(x)
        seen.append((shape.rank, shape.static_lengths(ragged_lengths=False)))
        return shape

    seen = []
    shape = shape_of(rows)
    assert seen == [(2, [3, None])] and shape.static_lengths() == [3, (2, 1, 0)]
    assert tf.function(lambda shape: tf.ones(shape))(shape).to_list() == [[1.0, 1.0], [1.0], []]
    assert int(tf.function(lambda shape: shape[0])(shape)) == 3


def test_types(tf, shapes):
    spec = tf.type_spec_from_value(shapes.from_lengths([2, (3, 2), 4]))
    assert isinstance(spec, shapes.Spec) and spec.rank == 3 and spec.dtype == tf.int64
    assert spec == tf.type_spec_from_value(shapes.from_lengths([2, (1, 4), 4]))
    assert spec != tf.type_spec_from_value(shapes.from_lengths([2, (1, 4), 5]))


MISTAKES = [
    (lambda s: s.from_lengths([2, (1, 2, 3)]), ValueError, "Shape not consistent"),
    (lambda s: s.from_lengths((2, 3)), ValueError, "lengths should be a list"),
    (lambda s: s.from_lengths([2, "a"]), ValueError, "int or tuple of ints"),
    (lambda s: s.from_lengths([2, 3], num_row_partitions=2), ValueError, "should be less than"),
    (lambda s: s.from_lengths([], num_row_partitions=1), ValueError, "for a scalar shape"),
    (lambda s: s.from_lengths([(1, 2), 3]), ValueError, "non-rectangular"),
    (lambda s: s.from_row_partitions([]), ValueError, "cannot be empty"),
    (lambda s: s([1], [4]), TypeError, "which is not a RowPartition"),
    (lambda s: s.from_lengths([2, (3, 2)])[1], ValueError, "is not uniform"),
    (lambda s: s.from_lengths([2, (3, 2)])[1:], ValueError, "must be uniform"),
    (lambda s: s.from_lengths([2, 3])[2], IndexError, "too big"),
    (lambda s: s.from_lengths([2, 3])[::2], IndexError, "Cannot stride"),
    (lambda s: s.from_lengths([2, 3])["a"], TypeError, "not an int or a slice"),
    (lambda s: s.from_lengths([2, 3]).is_uniform(5), IndexError, "Expected axis=5 < rank=2"),
    (lambda s: s.from_lengths([2, 3]).is_uniform(-1), IndexError, "Negative axis"),
    (lambda s: s.from_lengths([2, 3]).is_uniform(1.0), TypeError, "must be an integer"),
]


@pytest.mark.parametrize("make, error, words", MISTAKES)
def test_mistakes(shapes, make, error, words):
    with pytest.raises(error, match=words):
        make(shapes)


def test_values_that_do_not_fit(tf, shapes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reshape(tf.range(5), shapes.from_lengths([2, (3, 2), 4]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.broadcast_to([1, 2], tf.shape(tf.ragged.constant([[1, 2], [3], []])))
