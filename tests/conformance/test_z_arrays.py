"""Scans, segments, counts and distinct elements: values, static shapes, gradients, and errors."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

INF = float("inf")
X = np.random.default_rng(8).normal(size=(4, 5)).astype(np.float32)


def fails(tf, text, f, *args, **kwargs):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        f(*args, **kwargs)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumulative_logsumexp(tf, axis, exclusive, reverse):
    x = np.flip(X, axis) if reverse else X
    want = np.logaddexp.accumulate(x, axis)
    if exclusive:
        first = np.full_like(np.take(want, [0], axis), -np.inf)
        want = np.concatenate([first, np.delete(want, -1, axis)], axis)
    got = tf.math.cumulative_logsumexp(X, axis, exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(got, np.flip(want, axis) if reverse else want, rtol=1e-5, atol=1e-6)


def test_cumulative_logsumexp_of_infinities(tf):
    f = tf.math.cumulative_logsumexp
    np.testing.assert_allclose(f([-INF, -INF, 1.0]), [-INF, -INF, 1])
    np.testing.assert_allclose(f([INF, 1.0, 2.0]), [INF, INF, INF])
    np.testing.assert_allclose(f([1e38, 1e38]), np.float32([1e38, 1e38]))
    assert f(np.zeros((0, 3), np.float32)).shape == (0, 3)
    fails(tf, r"ScanOp: Expected scan axis in the range \[-1, 1\), but got 3", f, [1.0], 3)
    fails(tf, "'T' of int32 is not in the list of allowed values: bfloat16, half, float, double", f, [1], 0)


@pytest.mark.parametrize("exclusive", [False, True])
def test_gradient_of_cumulative_logsumexp(tf, exclusive):
    x = tf.constant([1.0, 2.0, 3.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumulative_logsumexp(x, exclusive=exclusive)
    got = tape.gradient(y, x, tf.constant([1.0, -1.0, 0.0, 2.0]))
    e = np.exp(x.numpy())
    weights = np.tril(np.ones((4, 4)), -1 if exclusive else 0) * e
    shares = weights / np.maximum(weights.sum(1, keepdims=True), 1e-30)
    np.testing.assert_allclose(got, np.float64([1, -1, 0, 2]) @ shares, rtol=1e-4, atol=1e-6)


def test_segments(tf):
    x = tf.constant([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0], [7.0, 8.0]])
    ids = tf.constant([0, 0, 2, 2])
    for name, first, second, none in (
        ("sum", [4, -2], [12, 14], 0),
        ("mean", [2, -1], [6, 7], 0),
        ("prod", [3, -8], [35, 48], 1),
        ("max", [3, 2], [7, 8], 0),
        ("min", [1, -4], [5, 6], 0),
    ):
        np.testing.assert_allclose(getattr(tf.math, f"segment_{name}")(x, ids), [first, [none, none], second])
    for name, none in (("sum", 0), ("prod", 1), ("max", tf.float32.min), ("min", tf.float32.max)):
        y = getattr(tf.math, f"unsorted_segment_{name}")(x, [1, -1, 1, 3], 4)
        np.testing.assert_array_equal(y[0], [none, none])
        np.testing.assert_array_equal(y[3], [7, 8])
    assert tf.math.unsorted_segment_max(tf.constant([3], tf.int8), [1], 2).numpy().tolist() == [-128, 3]
    assert tf.math.segment_mean([1, 2, -3, -4], ids).numpy().tolist() == [1, 0, -3]


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_errors_of_sorted_segments(tf, name):
    f, x = getattr(tf.math, f"segment_{name}"), [1.0, 2.0, 3.0, 4.0]
    fails(tf, "segment ids are not increasing", f, x, [0, 2, 1, 2])
    fails(tf, r"Segment id -1 out of range \[0, 2\), possibly because 'segment_ids' input is not", f, x, [-1, 0, 1, 1])
    fails(tf, "segment ids must be >= 0", f, x, [-3, -2, -2, -1])
    fails(tf, "segment_ids should be the same size as dimension 0 of input", f, x, [0, 1])
    fails(tf, "segment_ids should be a vector", f, x, [[0, 1, 2, 3]])
    fails(tf, "input must be at least rank 1", f, 1.0, [0])


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_errors_of_unsorted_segments(tf, name):
    f, x = getattr(tf.math, f"unsorted_segment_{name}"), [1.0, 2.0, 3.0, 4.0]
    fails(tf, r"segment_ids\[2\] = 5 is out of range \[0, 4\)", f, x, [0, 2, 5, 2], 4)
    fails(tf, "Input num_segments == -4 must not be negative", f, x, [0, 2, 5, 2], -4)
    fails(tf, r"num_segments should be a scalar, not shape \[1\]", f, x, [0, 2, 1, 2], [4])
    fails(tf, r"data.shape = \[4\] does not start with segment_ids.shape = \[2\]", f, x, [0, 2], 4)


@pytest.mark.parametrize("kind", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize("unsorted", [False, True])
def test_gradients_of_segments(tf, kind, unsorted):
    data = np.float64([[1, 0], [3, -4], [3, 0], [7, 8]])
    ids = [0, 0, 2, 2]
    if unsorted:
        f = lambda x: getattr(tf.math, f"unsorted_segment_{kind}")(x, ids, 3)
    else:
        f = lambda x: getattr(tf.math, f"segment_{kind}")(x, ids)
    x = tf.constant(data)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    got = tape.gradient(y, x, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], tf.float64))
    want = {
        "sum": [[1, 2], [1, 2], [5, 6], [5, 6]],
        "mean": [[0.5, 1], [0.5, 1], [2.5, 3], [2.5, 3]],
        "prod": [[3, -8], [1, 0], [35, 48], [15, 0]],
        "max": [[0, 2], [1, 0], [0, 0], [5, 6]],
        "min": [[1, 0], [0, 2], [5, 6], [0, 0]],
    }[kind]
    np.testing.assert_allclose(got, want)


def test_segments_of_picked_rows(tf):
    x = tf.constant(np.arange(8.0, dtype=np.float32).reshape(4, 2))
    args = (x, [0, 1, 3], [0, 0, 2])
    np.testing.assert_allclose(tf.sparse.segment_sum(*args), [[2, 4], [0, 0], [6, 7]])
    np.testing.assert_allclose(tf.sparse.segment_mean(*args), [[1, 2], [0, 0], [6, 7]])
    np.testing.assert_allclose(tf.sparse.segment_sqrt_n(*args), [[2**0.5, 8**0.5], [0, 0], [6, 7]], rtol=1e-6)
    assert tf.sparse.segment_sum(*args, num_segments=5).shape == (5, 2)
    fails(tf, "segment ids must be < num_segments", tf.sparse.segment_sum, *args, num_segments=2)
    fails(tf, "segment ids must be >= 0", tf.sparse.segment_sum, *args, num_segments=-2)
    fails(tf, r"Bad: indices\[1\] == 4 out of range \[0, 4\)", tf.sparse.segment_mean, x, [0, 4, 3], [0, 0, 1])
    fails(tf, "segment ids are not increasing", tf.sparse.segment_sqrt_n, x, [0, 1, 3], [0, 1, 0])
    fails(tf, "segment_ids and indices should have same size", tf.sparse.segment_sum, x, [0, 1], [0, 0, 1])
    for sparse in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sparse.segment_mean(*args, sparse_gradient=sparse)
        g = tape.gradient(y, x, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        assert isinstance(g, tf.IndexedSlices) == sparse
        np.testing.assert_allclose(tf.convert_to_tensor(g), [[0.5, 1], [0.5, 1], [0, 0], [5, 6]])


def test_static_shapes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)])
    def f(x, ids):
        sums = tf.math.segment_sum(x, ids), tf.sparse.segment_mean(x, ids, ids, num_segments=7)
        return *sums, tf.math.unsorted_segment_max(x, ids, 4), tf.math.cumulative_logsumexp(x)

    shapes = [s.as_list() for s in f.get_concrete_function().output_shapes]
    assert shapes == [[None, 3], [7, 3], [4, 3], [None, 3]]


def test_a_result_without_elements_is_computed_all_the_same(tf):
    negative = tf.constant([-1])

    def plain():
        return tf.math.bincount(negative)

    def through_an_identity():
        return tf.identity(tf.math.bincount(negative))

    def joined():
        return tf.concat([tf.math.bincount(negative), tf.zeros([0], tf.int32)], 0)

    def of_a_shape():
        return tf.shape(tf.reduce_sum(tf.math.bincount(negative)))

    for of in (plain, through_an_identity, joined):
        fails(tf, "Input arr must be non-negative!", tf.function(of))
    assert tf.function(of_a_shape)().numpy().tolist() == []


def test_bincount(tf):
    f = tf.math.bincount
    assert f([1, 1, 3]).numpy().tolist() == [0, 2, 0, 1]
    assert f([]).numpy().tolist() == []
    assert f(5).numpy().tolist() == [0, 0, 0, 0, 0, 1]
    assert f([1.5, 2.7]).numpy().tolist() == [0, 1, 1]
    rows = [[1, 1], [0, 5]]
    assert f(rows, axis=-1).numpy().tolist() == [[0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1]]
    assert f(rows, weights=[[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == [3, 3, 0, 0, 0, 4]
    assert f(rows, minlength=8, maxlength=3).numpy().tolist() == [1, 2, 0]
    assert f(rows, minlength=-3).numpy().tolist() == [1, 2, 0, 0, 0, 1]
    assert f(rows, binary_output=True).numpy().tolist() == [1, 1, 0, 0, 0, 1]
    assert f(rows, dtype=tf.float64).dtype == tf.float64
    fails(tf, "Input arr must be non-negative!", f, [-1, 2])
    fails(tf, r"size \(-3\) must be non-negative", f, rows, maxlength=-3)
    fails(tf, "`weights` must be the same shape as `arr` or a length-0 `Tensor`", f, rows, weights=[1.0, 2.0])
    fails(tf, "'Tidx' of int8 is not in the list of allowed values: int32, int64", f, np.int8([1]))
    with pytest.raises(ValueError, match="Unsupported value for argument axis=1"):
        f(rows, axis=1)
    with pytest.raises(ValueError, match="`binary_output` and `weights` are mutually exclusive"):
        f(rows, weights=rows, binary_output=True)


def test_histogram_fixed_width(tf):
    f = tf.histogram_fixed_width
    assert f([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy().tolist() == [2, 1, 1, 0, 2]
    assert f([1, 2, 3], [0, 5], nbins=5, dtype="int64").numpy().tolist() == [0, 1, 1, 1, 0]
    assert f([0.1, 0.2, 0.3], [0.0, 0.3]).shape == (100,)
    fails(
        tf, r"value_range should satisfy value_range\[0\] < value_range\[1\], but got '\[5, 0\]'", f, [1.0], [5.0, 0.0]
    )
    fails(tf, "Histogram values must not contain NaN", f, [float("nan")], [0.0, 5.0])
    fails(tf, "nbins should be a positive number, but got '0'", f, [1.0], [0.0, 5.0], nbins=0)
    fails(tf, "value_range should be a vector of 2 elements", f, [1.0], [0.0, 1.0, 5.0])


def test_unique_slices(tf):
    x = tf.constant([[1, 0, 0], [1, 0, 0], [2, 0, 0]])
    f = tf.raw_ops.UniqueWithCountsV2
    y, idx, count = f(x=x, axis=[0])
    assert [t.numpy().tolist() for t in (y, idx, count)] == [[[1, 0, 0], [2, 0, 0]], [0, 0, 1], [2, 1]]
    assert f(x=x, axis=[-1])[0].numpy().tolist() == [[1, 0], [1, 0], [2, 0]]
    fails(tf, r"axis has to be between \[0, 2\)", f, x=x, axis=[5])
    fails(tf, "unique expects a 1D vector", f, x=x, axis=np.zeros(0, np.int64))
    fails(tf, "axis does not support input tensors larger than 1 elements", f, x=x, axis=[0, 1])
    fails(tf, "axis expects a 1D vector", f, x=x, axis=0)


def test_repeat(tf):
    x = np.arange(6).reshape(2, 3)
    for axis in (None, 0, 1, -1):
        np.testing.assert_array_equal(tf.repeat(x, 3, axis), np.repeat(x, 3, axis))
        np.testing.assert_array_equal(tf.repeat(x, [2], axis), np.repeat(x, 2, axis))
        np.testing.assert_array_equal(tf.repeat(x, 0, axis), np.repeat(x, 0, axis))
    np.testing.assert_array_equal(tf.repeat(x, [1, 2], 0), np.repeat(x, [1, 2], 0))
    np.testing.assert_array_equal(tf.repeat(5, 3), [5, 5, 5])

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.int64), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return tf.repeat(x, n, 0), tf.repeat(x, n, 1)

    np.testing.assert_array_equal(f(x, 2)[0], np.repeat(x, 2, 0))
    np.testing.assert_array_equal(f(x, 2)[1], np.repeat(x, 2, 1))


# A row of numbers, then the places of its largest and its smallest number: NaN and what lies beyond all finite numbers at
# the start count for nothing.
NAN = float("nan")
EXTREMES = [
    ([NAN, 1, 2, NAN], 2, 1),
    ([1, NAN, 2, 0], 2, 3),
    ([NAN, NAN], 0, 0),
    ([-INF, NAN, -INF, 1], 3, 0),
    ([-INF, -INF, NAN], 0, 0),
    ([NAN, -INF, NAN, 1], 3, 1),
    ([NAN, -INF, -INF, NAN], 0, 1),
    ([NAN, INF, INF], 1, 0),
    ([INF, NAN, INF, 2], 0, 3),
    ([0.0, -0.0], 0, 0),
]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("row", "largest", "smallest"), EXTREMES)
def test_places_of_extremes_among_special_numbers(tf, row, largest, smallest, dtype):
    x = tf.cast(tf.constant(row, tf.float64), dtype)
    for copies in (1, 3, 40):
        rows = tf.tile(x[None], [copies, 1])
        columns = tf.transpose(rows)
        for given, axis in ((rows, 1), (columns, 0)):
            np.testing.assert_array_equal(tf.argmax(given, axis), [largest] * copies)
            np.testing.assert_array_equal(tf.argmin(given, axis), [smallest] * copies)


def test_sorts_of_unknown_rank(tf):
    sorts = tf.function(
        lambda x: (tf.sort(x, 0), tf.argsort(x, -2), tf.sort(x, 1), tf.sort(x)),
        input_signature=[tf.TensorSpec(None, "float32")],
        autograph=False,
    )
    x = np.float32([[3, 1, 2], [0, 5, 1]])
    found = sorts(x)
    for got, want in zip(found, (np.sort(x, 0), np.argsort(x, 0), np.sort(x, 1), np.sort(x)), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [1, 5, -2])
def test_sorts_along_an_axis_that_is_not_there(tf, axis):
    for f in (tf.sort, tf.argsort):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"slice index -?\d+ of dimension 0 out of bounds"):
            f([3, 1], axis)
        with pytest.raises(ValueError, match=r"slice index -?\d+ of dimension 0 out of bounds"):
            tf.function(lambda f=f: f([3, 1], axis), autograph=False)()
    with pytest.raises(ValueError, match="`direction` should be one of ASCENDING, DESCENDING. Received: direction=up"):
        tf.sort([3, 1], direction="up")


@pytest.mark.parametrize(
    ("dtype", "mean"),
    [("int8", "float32"), ("uint16", "float32"), ("int32", "float64"), ("int64", "float64"), ("float16", "float16")],
)
def test_means_of_segments_of_integers(tf, dtype, mean):
    found = tf.math.unsorted_segment_mean(tf.constant([1, 2, 5], dtype), [0, 0, 1], 3)
    assert found.dtype == mean
    np.testing.assert_array_equal(found, [1.5, 5, 0])


@pytest.mark.parametrize("nbins", [0, -1])
def test_histograms_have_bins(tf, nbins):
    fails(
        tf, f"nbins should be a positive number, but got '{nbins}'", tf.histogram_fixed_width, [1.0], [0.0, 5.0], nbins
    )
    with pytest.raises(ValueError, match=f"Requires nbins > 0: {nbins}"):
        tf.function(lambda: tf.histogram_fixed_width([1.0], [0.0, 5.0], nbins), autograph=False)()
    bins = tf.histogram_fixed_width_bins
    fails(tf, rf"nbins tf.Tensor\({nbins}, shape=\(\), dtype=int32\) must > 0", bins, [1.0], [0.0, 5.0], nbins)
    fails(tf, "assertion failed: .*must > 0", tf.function(lambda: bins([1.0], [0.0, 5.0], nbins), autograph=False))


def test_confusion_of_matrices(tf):
    labels = [[1, 2], [3, 4]]
    found = tf.math.confusion_matrix(labels, labels).numpy()
    assert found.shape == (5, 5) and found[1, 2] == found[3, 4] == 2 and found.sum() == 4
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        tf.math.confusion_matrix([1, 2], [2, 2], weights=[1, 2, 3])


RANGES = {
    "of mixed dtypes": (lambda tf: tf.range(1, 5.0), (4,)),
    "with a step": (lambda tf: tf.range(1, 10, 2.5), (4,)),
    "downwards": (lambda tf: tf.range(10, 1, -1.5), (6,)),
    "of an other dtype": (lambda tf: tf.range(1, 5, dtype=tf.float64), (4,)),
    "to a sum": (lambda tf: tf.range(tf.constant(1.0) + tf.constant(2.0)), (3,)),
    "to a quotient": (lambda tf: tf.range(tf.cast(tf.constant(5), tf.float32) / 2.0), (3,)),
    "of none": (lambda tf: tf.range(1, 1.0), (0,)),
    "to an unknown limit": (lambda tf: tf.range(1, 2.0 + tf.random.uniform([])), (None,)),
}


@pytest.mark.parametrize("case", RANGES)
def test_lengths_of_ranges_while_tracing(tf, case):
    program, expected = RANGES[case]
    shapes = []

    @tf.function
    def f():
        numbers = program(tf)
        shapes.append(tuple(numbers.shape))
        return tf.size(numbers)

    size = int(f())
    assert shapes == [expected]
    assert expected[0] in (None, size)


@pytest.mark.parametrize("limit, delta", [(float("inf"), 1.0), (1e30, 1.0), (3.0, -1.0), (3.0, 0.0)])
def test_ranges_without_an_end(tf, limit, delta):
    """They are refused with an error of this package, also where the bounds are known while a function is traced."""
    numbers = tf.function(lambda: tf.range(*(tf.cast(x, tf.float64) for x in (0.0, limit, delta))))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="Requires"):
        numbers()


def test_ranges_of_bfloat16(tf):
    numbers = tf.function(lambda: tf.cast(tf.range(tf.cast(0.0, tf.bfloat16), tf.cast(3.0, tf.bfloat16)), tf.float32))
    assert numbers().numpy().tolist() == [0.0, 1.0, 2.0]
