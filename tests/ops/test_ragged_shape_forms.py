"""Other forms of a DynamicRaggedShape have the lengths that tensors of these shapes have."""

import pytest
import tracefn as tf
from tracefn.ops.ragged.dynamic_shape_forms import as_row_partitions, merge_axes, merged_shapes, with_row_partitions
from tracefn.ops.ragged.tensor import merge_dims

SHAPES = tf.experimental.DynamicRaggedShape
CASES = [
    ([2, (2, 1), 2, 3], 1),
    ([2, (2, 1), (1, 0, 2), 2], 2),
    ([2, 3, 4], 0),
    ([2, 3, 4], 1),
    ([2, 3, 4], 2),
    ([2, 2, (1, 0, 3, 1), 2], 2),
    ([0, 3, 2], 1),
    ([2, (0, 0), 2], 1),
]


@pytest.mark.parametrize("lengths, count", CASES)
@pytest.mark.parametrize("traced", [False, True])
def test_merged_axes(lengths, count, traced):
    shape = SHAPES.from_lengths(lengths, count)
    ones = tf.ones(shape)
    for outer in range(shape.rank):
        for inner in range(outer, shape.rank):

            def merged(shape, outer=outer, inner=inner):
                return merge_axes(shape, outer, inner)

            found = (tf.function(merged) if traced else merged)(shape)
            wanted = merge_dims(ones, outer, inner) if isinstance(ones, tf.RaggedTensor) else None
            if wanted is None:
                sizes = lengths[:outer] + [int(tf.reduce_prod(lengths[outer : inner + 1]))] + lengths[inner + 1 :]
                wanted = tf.ones(sizes)
            assert _lengths(found) == _lengths(SHAPES.from_tensor(wanted)), (outer, inner)


def _lengths(shape) -> list:
    """All lengths row by row, whichever dimensions are known to be uniform."""
    return tf.ones(with_row_partitions(shape, shape.rank - 1)).to_list() if shape.rank > 1 else shape.static_lengths()


@pytest.mark.parametrize("lengths, count", CASES)
def test_other_numbers_of_row_partitions(lengths, count):
    shape = SHAPES.from_lengths(lengths, count)
    most = with_row_partitions(shape, shape.rank - 1)
    assert len(as_row_partitions(shape)) == most.num_row_partitions == shape.rank - 1 and most.inner_rank == 1
    assert _lengths(most) == _lengths(shape) and _lengths(merged_shapes(shape, most)) == _lengths(shape)
    assert merged_shapes(shape, most).num_row_partitions == shape.rank - 1
    least = next(axis for axis in range(shape.rank - 1, -1, -1) if axis == 0 or not isinstance(lengths[axis], int))
    assert _lengths(with_row_partitions(most, least)) == _lengths(shape)


def test_shapes_that_differ():
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible row_splits"):
        merged_shapes(SHAPES.from_lengths([2, (1, 2)]), SHAPES.from_lengths([2, (2, 1)]))
    with pytest.raises(ValueError, match="incompatible row_splits"):
        merged_shapes(SHAPES.from_lengths([2, (1, 2)]), SHAPES.from_lengths([3, (2, 1, 1)]))
    with pytest.raises(ValueError, match="less than rank"):
        with_row_partitions(SHAPES.from_lengths([2]), 1)
    with pytest.raises(ValueError, match="ragged"):
        with_row_partitions(SHAPES.from_lengths([2, (1, 2)]), 0)
