"""Reductions of rows by a number for each, sorted or not, of picked rows too, against numpy."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "uint64"]
# Rows, the elements of each, segments: narrow rows and wide ones, few and so many that threads share them.
SIZES = [(0, 3, 2), (1, 1, 1), (7, 1, 4), (50, 3, 9), (3000, 1, 5), (400, 20, 30), (6000, 100, 70), (200_000, 1, 3)]
REDUCTIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, shape) if dtype.startswith("u") else rng.integers(-2, 3, shape)
    return x.astype(tf.as_dtype(dtype).as_numpy_dtype)


def reduced(name, x, ids, segments, empty):
    """The rows of each segment, reduced one after the other with numpy, in x's dtype or in float64."""
    wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x
    y = np.full((segments, *x.shape[ids.ndim :]), {"sum": 0, "prod": 1}.get(name, 0), wide.dtype)
    rows = wide.reshape(-1, *x.shape[ids.ndim :])
    flat = ids.ravel()
    for s in range(segments):
        mine = rows[flat == s]
        y[s] = REDUCTIONS[name].reduce(mine, axis=0, dtype=wide.dtype) if len(mine) else empty
    with np.errstate(over="ignore"):
        return y.astype(x.dtype)


def empty_of(name, dtype, unsorted):
    kind = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
    if name in ("sum", "prod") or not unsorted:
        return {"prod": 1}.get(name, 0)
    if kind.kind in "iu":
        return np.iinfo(kind).min if name == "max" else np.iinfo(kind).max
    most = {"float16": 65504.0, "bfloat16": float.fromhex("0x1.fep127")}.get(dtype) or float(np.finfo(kind).max)
    return -most if name == "max" else most


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows, width, segments", SIZES, ids=str)
def test_reductions(rows, width, segments, dtype, name):
    if name == "prod" and rows > 100:
        rows = 100
    x = numbers(dtype, (rows, width))
    ids = np.random.default_rng(1).integers(-1, segments, rows).astype(np.int32)
    got = getattr(tf.math, f"unsorted_segment_{name}")(x, ids, segments)
    want = reduced(name, x, ids, segments, empty_of(name, dtype, True))
    np.testing.assert_array_equal(got.numpy().astype(np.float64), want.astype(np.float64))
    ids = np.sort(np.abs(ids)).astype(np.int64)
    got = getattr(tf.math, f"segment_{name}")(x, ids)
    want = reduced(name, x, ids, int(ids[-1]) + 1 if rows else 0, empty_of(name, dtype, False))
    np.testing.assert_array_equal(got.numpy().astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64", "int32", "int8"])
def test_means(dtype):
    x = np.arange(-6, 6).reshape(6, 2).astype(dtype)
    got = tf.math.segment_mean(x, [0, 0, 0, 2, 2, 3]).numpy()
    exact = np.stack([x[:3].sum(0) / 3, x[:1].sum(0) * 0, x[3:5].sum(0) / 2, x[5]])
    np.testing.assert_allclose(got, np.trunc(exact) if np.dtype(dtype).kind == "i" else exact, rtol=1e-3)


def test_ids_of_several_dimensions_and_scalars():
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    ids = np.int32([[0, 1, 0], [3, -1, 1]])
    np.testing.assert_array_equal(tf.math.unsorted_segment_sum(x, ids, 4), reduced("sum", x, ids, 4, 0))
    np.testing.assert_array_equal(tf.math.unsorted_segment_max([1.0, 2.0], 1, 2)[1], [1.0, 2.0])


@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_is_propagated(name):
    x = np.float32([np.nan, 2, 3, np.nan, 5])
    got = getattr(tf.math, f"segment_{name}")(x, [0, 0, 1, 1, 2])
    np.testing.assert_array_equal(got, np.float32([np.nan, np.nan, 5]))
    got = getattr(tf.math, f"unsorted_segment_{name}")(x, [0, 0, 1, 1, 2], 3)
    np.testing.assert_array_equal(got, np.float32([np.nan, np.nan, 5]))


def test_rows_without_elements():
    assert tf.math.segment_sum(np.zeros((3, 0), np.float32), [0, 0, 2]).shape == (3, 0)
    assert tf.math.unsorted_segment_prod(np.zeros((3, 0), np.float32), [0, 0, 2], 5).shape == (5, 0)
    np.testing.assert_array_equal(
        tf.math.unsorted_segment_prod(np.zeros((0, 2), np.float32), np.int32([]), 2), np.ones((2, 2))
    )


@pytest.mark.parametrize("norm", ["sum", "mean", "sqrt_n"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("rows, width, picks", [(5, 2, 7), (300, 1, 4000), (500, 70, 9000)], ids=str)
def test_picked_rows(rows, width, picks, dtype, norm):
    rng = np.random.default_rng(2)
    x = numbers(dtype, (rows, width))
    indices = rng.integers(0, rows, picks).astype(np.int32)
    ids = np.sort(rng.integers(0, 20, picks)).astype(np.int64)
    sums = reduced("sum", x[indices].astype(np.float64), ids, int(ids[-1]) + 1, 0)
    counts = np.maximum(np.bincount(ids), 1)[:, None]
    want = sums / {"sum": 1, "mean": counts, "sqrt_n": np.sqrt(counts)}[norm]
    f = getattr(tf.sparse, f"segment_{norm}")
    tolerance = {"float32": 1e-6, "float64": 1e-14, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    np.testing.assert_allclose(f(x, indices, ids).numpy().astype(np.float64), want, rtol=tolerance, atol=1e-6)
    padded = f(x, indices, ids, num_segments=25).numpy().astype(np.float64)
    np.testing.assert_allclose(padded[: len(want)], want, rtol=tolerance, atol=1e-6)
    assert not padded[len(want) :].any()


@pytest.mark.parametrize("norm", ["sum", "mean", "sqrt_n"])
def test_dense_and_sparse_gradients_of_picked_rows_agree(norm):
    x = tf.constant(np.arange(10.0, dtype=np.float32).reshape(5, 2))
    gradients = []
    for sparse in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.sparse, f"segment_{norm}")(x, [4, 0, 0, 2], [0, 0, 2, 2], sparse_gradient=sparse)
            loss = tf.reduce_sum(y * y)
        gradients.append(tape.gradient(loss, x))
    assert isinstance(gradients[1], tf.IndexedSlices)
    np.testing.assert_array_equal(gradients[1].indices, [0, 2, 4])
    np.testing.assert_allclose(tf.convert_to_tensor(gradients[1]), gradients[0], rtol=1e-6)


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(4)
    wide, line = rng.standard_normal((40_000, 32)).astype(np.float32), rng.standard_normal(900_000).astype(np.float32)
    rows, ids = rng.integers(0, 90, 40_000).astype(np.int32), np.sort(rng.integers(0, 7, 900_000)).astype(np.int32)
    indices = rng.integers(0, 500, (40_000, 1)).astype(np.int32)
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            results = [
                tf.math.unsorted_segment_sum(wide, rows, 90),
                tf.math.segment_sum(line, ids),
                tf.math.segment_mean(wide, np.sort(rows)),
                tf.sparse.segment_mean(wide, rows, np.sort(rows)),
                tf.tensor_scatter_nd_add(wide[:500], indices, wide),
                tf.tensor_scatter_nd_update(wide[:500], indices, wide),
                tf.math.bincount(ids, line),
                tf.math.cumulative_logsumexp(line),
                tf.math.cumulative_logsumexp(wide),
            ]
            found.append(b"".join(r.numpy().tobytes() for r in results))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    assert found[0] == found[1] == found[2]


def test_updates_are_made_in_order():
    # So many that threads share them: the last one wins, and sums are those of one after the other.
    rng = np.random.default_rng(5)
    to = rng.integers(0, 300, 20_000).astype(np.int32)
    x = rng.standard_normal((20_000, 40)).astype(np.float32)
    base = np.zeros((300, 40), np.float32)
    want = base.copy()
    want[to] = x
    np.testing.assert_array_equal(tf.tensor_scatter_nd_update(base, to[:, None], x), want)
    want = base.copy()
    np.add.at(want, to, x)
    np.testing.assert_array_equal(tf.tensor_scatter_nd_add(base, to[:, None], x), want)


HUGE = [2**31, 2**40, 2**62, 2**63 - 1]


@pytest.mark.parametrize("count", HUGE)
def test_huge_ids_and_numbers_of_segments(count):
    errors = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
    x = np.ones((2, 2**20), np.float32)
    with pytest.raises(errors):
        tf.math.segment_sum(x, np.int64([0, count]))
    with pytest.raises(errors):
        tf.math.unsorted_segment_max(x, np.int64([0, 1]), np.int64(count))
    with pytest.raises(errors):
        tf.sparse.segment_sum(x, [0, 1], np.int64([0, count]))
    with pytest.raises(errors):
        raw.SparseSegmentMeanWithNumSegments(data=x, indices=[0, 1], segment_ids=[0, 0], num_segments=np.int64(count))


@pytest.mark.parametrize("kind", ["Sum", "Mean", "SqrtN"])
def test_gradients_of_no_rows_are_zeros(kind):
    # TensorFlow's mean and square root leave the memory as it was.
    empty = np.zeros(0, np.int32)
    g = getattr(raw, f"SparseSegment{kind}Grad")(
        grad=np.ones((3, 2), np.float32), indices=empty, segment_ids=empty, output_dim0=4
    )
    np.testing.assert_array_equal(g, np.zeros((4, 2)))


def test_the_second_derivative_of_a_product_with_a_zero_is_finite():
    x = tf.constant([0.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.math.unsorted_segment_prod(x, [0, 0, 0], 1)
        g = inner.gradient(y, x)
    np.testing.assert_array_equal(g, [6, 0, 0])
    assert np.isfinite(outer.gradient(g, x)).all()
