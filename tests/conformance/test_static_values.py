"""What is known of values and shapes while a function is traced."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def traced(tf, function, *shapes):
    """The outputs of a function's graph for one tensor of each shape; the last is an int32 scalar."""
    specs = [tf.TensorSpec(shape) for shape in shapes]
    return tf.function(function).get_concrete_function(*specs, tf.TensorSpec([], tf.int32)).outputs


@pytest.mark.parametrize(
    ("stacked", "expected"),
    [
        (lambda tf, n: tf.stack([n, 1]), [None, 1]),
        (lambda tf, n: tf.stack([n, n]), [None, None]),
        (lambda tf, n: tf.stack([[0, n], [2, 3]]), [[0, None], [2, 3]]),
        (lambda tf, n: tf.identity(tf.convert_to_tensor([n, 1])), [None, 1]),
        (lambda tf, n: tf.stack([n, 1], axis=-1), None),
        (lambda tf, n: tf.concat([[n], [1]], 0), None),
        (lambda tf, n: n + 1, None),
    ],
)
def test_partly_known_values(tf, stacked, expected):
    def f(n):
        tensor = stacked(tf, n)
        assert tf.get_static_value(tensor) is None
        found = tf.get_static_value(tensor, partial=True)
        if expected is None:
            assert found is None
        else:
            assert np.vectorize(lambda x: x if x is None else int(x), otypes=[object])(found).tolist() == expected
        return tensor

    traced(tf, f)


@pytest.mark.parametrize(
    ("paddings", "expected"),
    [
        (lambda tf, n: [[0, n], [0, 0], [1, 2]], [None, 5, 6]),
        (lambda tf, n: [[0, 0], [n, 0], (1, 2)], [None, None, 6]),
        (lambda tf, n: tf.stack([[0, n], [0, 0], [1, 2]]), [None, 5, 6]),
        (lambda tf, n: [[n, n], tf.constant([0, 2]), tf.stack([n, 2])], [None, 7, None]),
        (lambda tf, n: tf.fill([3, 2], n), [None, None, None]),
    ],
)
@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT"])
def test_sizes_of_what_is_padded(tf, paddings, expected, mode):
    (padded,) = traced(tf, lambda x, n: tf.pad(x, paddings(tf, n), mode), [None, 5, 3])
    assert padded.shape.as_list() == expected


def test_sizes_of_images(tf):
    (resized,) = traced(tf, lambda x, n: tf.image.resize(x, [n, 7]), [None, 5, 5, 3])
    assert resized.shape.as_list() == [None, None, 7, 3]


@pytest.mark.parametrize(
    ("make", "known"),
    [
        (lambda tf, n: tf.eye(n, 3), [None, 3]),
        (lambda tf, n: tf.eye(3, n), [3, None]),
        (lambda tf, n: tf.eye(n, 3, batch_shape=[2]), [2, None, 3]),
        (lambda tf, n: tf.eye(n), [None, None]),
    ],
)
def test_known_sizes_of_identities(tf, make, known):
    f = tf.function(lambda x: make(tf, tf.shape(x)[0]), autograph=False)
    concrete = f.get_concrete_function(tf.TensorSpec([None, 3]))
    assert concrete.outputs[0].shape.as_list() == known
    rows = concrete(tf.zeros([2, 3])).numpy()
    assert rows.sum() == min(rows.shape[-2:]) * rows[..., 0, 0].size
