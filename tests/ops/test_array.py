"""The array functions: values against NumPy for each dtype, eager against traced, static shape against result."""

import numpy as np
import pytest
import tracefn as tf
from support.array_samples import MATRIX

CASES = [(name, dtype) for name, (_, _, dtypes) in MATRIX.items() for dtype in dtypes]


def _argument(dtype):
    x = np.arange(6).reshape(2, 3)
    return x % 2 == 0 if dtype == "bool" else x.astype(dtype) + (1j if dtype.startswith("complex") else 0)


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values_equal_numpys(name, dtype):
    function, reference, _ = MATRIX[name]
    x = _argument(dtype).astype(dtype)
    result = function(tf.constant(x)).numpy()
    expected = np.asarray(reference(x))
    assert result.shape == expected.shape
    rtol = 2e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(result.astype(expected.dtype), expected, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("name", MATRIX)
@pytest.mark.parametrize("shape", [[2, 3], [None, 3], [None, None]], ids=str)
def test_traced_equals_eager_and_the_static_shape_fits(name, shape):
    function, _, dtypes = MATRIX[name]
    x = tf.constant(_argument(dtypes[-1]).astype(dtypes[-1]))
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec(shape, x.dtype)])
    def traced(x):
        result = function(x)
        shapes.append(result.shape)
        return result

    if name == "unstack" and shape[1] is None:  # the number of results is the size
        with pytest.raises(ValueError, match="Cannot infer argument `num`"):
            traced(x)
        return
    eager, result = function(x), traced(x)
    assert eager.dtype == result.dtype
    np.testing.assert_array_equal(eager.numpy(), result.numpy())
    assert shapes[0].is_compatible_with(result.shape)
    if None not in shape and name not in {"where_indices", "boolean_mask", "repeat"}:
        assert shapes[0] == result.shape


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: tf.zeros([2]), "zeros:0"),
        (lambda x: tf.ones([2]), "ones:0"),
        (lambda x: tf.zeros_like(x), "zeros_like:0"),
        (lambda x: tf.fill([2], 1), "Fill:0"),
        (lambda x: tf.range(3), "range:0"),
        (lambda x: tf.eye(2), "eye/diag:0"),
        (lambda x: tf.one_hot([1], 3), "one_hot:0"),
        (lambda x: tf.shape(x), "Shape:0"),
        (lambda x: tf.size(x), "Size:0"),
        (lambda x: tf.rank(x), "Rank:0"),
        (lambda x: tf.reshape(x, [-1]), "Reshape:0"),
        (lambda x: tf.squeeze(x), "Squeeze:0"),
        (lambda x: tf.expand_dims(x, 0), "ExpandDims:0"),
        (lambda x: tf.transpose(x), "transpose:0"),
        (lambda x: tf.concat([x, x], 0), "concat:0"),
        (lambda x: tf.stack([x, x]), "stack:0"),
        (lambda x: tf.unstack(x)[0], "unstack:0"),
        (lambda x: tf.split(x, 2)[0], "split:0"),
        (lambda x: tf.tile(x, [1, 1]), "Tile:0"),
        (lambda x: tf.pad(x, [[0, 0], [1, 1]]), "Pad:0"),
        (lambda x: tf.gather(x, [0]), "GatherV2:0"),
        (lambda x: tf.gather_nd(x, [[0]]), "GatherNd:0"),
        (lambda x: tf.slice(x, [0, 0], [1, 1]), "Slice:0"),
        (lambda x: tf.where(x > 0, x, x), "SelectV2:0"),
        (lambda x: tf.where(x > 0), "Where:0"),
        (lambda x: tf.reduce_sum(x), "Sum:0"),
        (lambda x: tf.reduce_mean(x), "Mean:0"),
        (lambda x: tf.reduce_max(x, 0), "Max:0"),
        (lambda x: tf.argmax(x), "ArgMax:0"),
        (lambda x: tf.matmul(x, x, transpose_b=True), "MatMul:0"),
        (lambda x: tf.identity(x), "Identity:0"),
        (lambda x: tf.nn.softmax(x), "Softmax:0"),
        (lambda x: tf.cumsum(x), "Cumsum:0"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_node_names(function, name):
    names = []

    @tf.function
    def traced(x):
        names.append(function(x).name)

    traced(tf.ones([2, 3]))
    assert names == [name]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda: tf.reshape([1, 2, 3], [2]),
            "Input to reshape is a tensor with 3 values, but the requested shape has 2",
        ),
        (lambda: tf.gather([1, 2], [5]), r"indices\[0\] = 5 is not in \[0, 2\)"),
        (lambda: tf.concat([[[1]], [2]], 0), "Ranks of all input tensors should match"),
        (
            lambda: tf.matmul([[1.0, 2.0]], [[1.0, 2.0]]),
            r"Matrix size-incompatible: In\[0\]: \[1,2\], In\[1\]: \[1,2\]",
        ),
        (lambda: tf.linalg.inv([[0.0]]), "Input is not invertible."),
        (lambda: tf.reduce_sum([1.0], 1), "Invalid reduction dimension"),
        (lambda: tf.transpose([1, 2], [1]), "is out of range"),
        (lambda: tf.range(0, 5, 0), "Requires delta != 0: 0"),
        (lambda: tf.fill([-1], 0), "must be >= 0"),
        (lambda: tf.argmax([[1]], 2), r"Expected dimension in the range \[-2, 2\), but got 2"),
    ],
)
def test_run_time_errors(function, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        function()


def test_huge_sizes_are_refused_before_allocation():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([1 << 30, 1 << 20])
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.tile([[1.0]], [1 << 25, 1 << 25])


@pytest.mark.parametrize("dtype", ["string", "bool", "float32"])
def test_creation_of_each_kind(dtype):
    zeros = tf.zeros([2], dtype).numpy().tolist()
    assert zeros == {"string": [b"", b""], "bool": [False, False], "float32": [0.0, 0.0]}[dtype]
    assert tf.zeros([0, 3], dtype).shape == [0, 3]
    assert tf.zeros([], dtype).shape == []


def test_strings_move_like_numbers():
    x = tf.constant([["a", "b"], ["c", "d"]])
    assert tf.transpose(x).numpy().tolist() == [[b"a", b"c"], [b"b", b"d"]]
    assert tf.gather(x, 1).numpy().tolist() == [b"c", b"d"]
    assert tf.concat([x, x], 1).shape == [2, 4]
    assert tf.reverse(x, [0])[0, 0].numpy() == b"c"


def test_ranges_and_grids():
    assert tf.range(5).numpy().tolist() == [0, 1, 2, 3, 4]
    assert tf.range(1.0, 2.0, 0.5).dtype == tf.float32
    assert tf.range(0, 3, dtype=tf.int64).dtype == tf.int64
    assert tf.linspace(0.0, 1.0, 5).numpy().tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    np.testing.assert_allclose(tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1), np.linspace([0, 1], [1, 3], 3, axis=-1))
    for indexing in ("xy", "ij"):
        ours = tf.meshgrid([1, 2], [3, 4, 5], indexing=indexing)
        for a, b in zip(ours, np.meshgrid([1, 2], [3, 4, 5], indexing=indexing), strict=True):
            np.testing.assert_array_equal(a, b)
    assert tf.eye(2, 3, batch_shape=[2]).shape == [2, 2, 3]


def test_linear_systems():
    a = np.array([[4.0, 1.0], [2.0, 3.0]])
    b = np.array([[1.0], [2.0]])
    np.testing.assert_allclose(tf.linalg.solve(a, b), np.linalg.solve(a, b))
    np.testing.assert_allclose(tf.linalg.inv(a), np.linalg.inv(a))
    np.testing.assert_allclose(tf.linalg.det(a), np.linalg.det(a))
    spd = a @ a.T
    np.testing.assert_allclose(tf.linalg.cholesky(spd), np.linalg.cholesky(spd))


def test_any_byte_but_zero_is_true():
    condition = np.uint8([255, 0, 2]).view(bool)
    for dtype in (np.uint8, np.int32, np.float32, np.float64):
        x, y = np.array([200, 1, 7], dtype), np.array([3, 4, 5], dtype)
        for where in (tf.where, tf.function(lambda c, a, b: tf.where(c, a + b, b))):
            expected = x if where is tf.where else x + y
            np.testing.assert_array_equal(where(condition, x, y), np.where([True, False, True], expected, y))


def test_sums_keep_their_digits():
    x = np.full(1_000_000, 0.1, np.float32)
    # Equal numbers are the worst case: all roundings go one way. TensorFlow is off by 0.2.
    assert abs(float(tf.reduce_sum(x)) - x.sum(dtype=np.float64)) < 0.05
    half = tf.constant(np.full(3000, 0.1, np.float16))
    assert abs(float(tf.reduce_mean(half)) - 0.1) < 1e-4


@pytest.mark.parametrize("axis", [-(2**63), 2**63 - 1, -2, 2**33])
@pytest.mark.parametrize("traced", [False, True])
def test_axes_far_outside(axis, traced):
    calls = [
        lambda a: tf.raw_ops.GatherV2(params=[1, 2], indices=[0], axis=a),
        lambda a: tf.raw_ops.ConcatV2(values=[[1], [2]], axis=a),
    ]
    for call in calls:
        run = tf.function(call, input_signature=[tf.TensorSpec([], tf.int64)]) if traced else call
        with pytest.raises(tf.errors.InvalidArgumentError, match="hape must be at least rank|Expected concatenating dimensions in the range"):
            run(tf.constant(axis, tf.int64))


def test_a_claimed_shape_is_not_what_is_allocated():
    """set_shape is the user's word; the executor goes by the inputs."""

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec(None, tf.float32)])
    def f(n, x):
        numbers, rows = tf.range(n), tf.gather(x, tf.range(n))
        numbers.set_shape([2])
        rows.set_shape([2, 2])
        return numbers * 2, tf.reduce_sum(rows, 1), tf.matmul(rows, rows, transpose_b=True)

    for n in (5, 2, 0):
        numbers, sums, products = f(n, tf.ones([6, 3]))
        assert numbers.numpy().tolist() == list(range(0, 2 * n, 2))
        assert sums.numpy().tolist() == [3.0] * n
        assert products.numpy().tolist() == [[3.0] * n] * n


@pytest.mark.parametrize("op", [tf.cumsum, lambda x, axis: tf.reverse(x, [axis]), lambda x, axis: tf.roll(x, 1, axis)])
def test_an_axis_that_comes_at_run_time_is_checked(op):
    """The result's shape is known without the axis; the axis is checked all the same."""
    f = tf.function(op, input_signature=[tf.TensorSpec([3, 4]), tf.TensorSpec([], tf.int32)])
    x = tf.reshape(tf.range(12.0), [3, 4])
    for axis in (0, 1):
        np.testing.assert_array_equal(f(x, axis).numpy(), op(x, axis).numpy())
    for axis in (2, -3, 2**30, -(2**31)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(x, axis)
