"""Static shapes of ops of two tensors whose sizes are not known, and what is said of shapes that do not fit."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.mark.parametrize(
    ("x", "y", "shape"),
    [
        ([None], [None], [None]), ([None, None], [None, None], [None, None]), ([None, None], [None], [None, None]),
        ([None, 3], [None, 1], [None, 3]), ([None, None], [None, 1], [None, None]), ([2, 3], [3], [2, 3]),
        ([None], [1], [None]), ([], [None], [None]), ([None], [3], None), ([None], None, None), ([2], [3], []),
    ],
)  # fmt: skip
def test_static_shapes(tf, x, y, shape):
    found = []

    @tf.function(input_signature=[tf.TensorSpec(x), tf.TensorSpec(y)])
    def f(a, b):
        found.extend([(a == b).shape, (a != b).shape])

    f.get_concrete_function()
    for one in found:
        assert one.rank is None if shape is None else one.as_list() == shape


def test_a_mask_by_equality(tf):
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def f(x, y):
        return x[x == y], tf.boolean_mask(x, x != y)

    equal, others = f(tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 5.0, 3.0]))
    assert equal.numpy().tolist() == [1.0, 3.0] and others.numpy().tolist() == [2.0]


@pytest.mark.parametrize("sizes", [(2, 3), (0, 2), (2, 0)])
def test_sizes_that_do_not_fit_when_it_runs(tf, sizes):
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def f(x, y):
        return x == y, x != y, tf.where(x == y, 1.0, 2.0), tf.cast(x != y, tf.int32) * 3 + 1

    found = f(tf.ones([sizes[0]]), tf.ones([sizes[1]]))
    assert [value.numpy().item() for value in found] == [False, True, 2.0, 4]


@pytest.mark.parametrize(
    ("x", "y", "sizes"),
    [([2, 3], [3, 2], "2 and 3"), ([3, 2], [2, 3], "3 and 2"), ([4, 2, 3], [5, 4], "2 and 5"), ([2], [4, 3], "2 and 3")],
)
def test_the_first_sizes_that_do_not_fit_are_told(tf, x, y, sizes):
    def traced(function):
        tf.function(function).get_concrete_function(tf.TensorSpec(x), tf.TensorSpec(y))

    for function in (tf.add, tf.less, tf.math.atan2, lambda a, b: tf.where(a > 0, b, 1.0)):
        with pytest.raises(ValueError, match=f"Dimensions must be equal, but are {sizes} for"):
            traced(function)


@pytest.mark.parametrize(
    ("op", "x", "y", "shape"),
    [
        ("solve", None, [4, None, 2], [4, None, 2]), ("solve", [None, None], [None, 3], [None, 3]),
        ("solve", None, None, None), ("triangular_solve", None, [4, None, 2], None),
        ("set_diag", None, [5, 4], [5, None, None]), ("set_diag", [None, 3, 3], [2, None], [2, 3, 3]),
        ("set_diag", None, None, None),
    ],
)  # fmt: skip
def test_static_shapes_of_linear_algebra(tf, op, x, y, shape):
    concrete = tf.function(getattr(tf.linalg, op)).get_concrete_function(tf.TensorSpec(x), tf.TensorSpec(y))
    found = concrete.outputs[0].shape
    assert found.rank is None if shape is None else found.as_list() == shape


@pytest.mark.parametrize("matrix", [[[float("nan")] * 2] * 2, [[float("nan")]]])
def test_matrices_that_begin_with_nan_are_not_invertible(tf, matrix):
    matrix = tf.constant(matrix)
    for function in (tf.linalg.inv, lambda x: tf.linalg.solve(x, x), tf.linalg.lu):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            function(matrix)


def test_a_later_nan_is_passed_over(tf):
    factors, places = tf.linalg.lu(tf.constant([[1.0, 0.0], [0.0, float("nan")]]))
    assert factors.numpy()[0].tolist() == [1.0, 0.0] and places.numpy().tolist() == [0, 1]
