"""Matrix products of all sizes, orders and dtypes equal NumPy's in a wider type, for any number of threads."""

import itertools

import numpy as np
import pytest
import tracefn as tf

# Around the sizes of tiles and vectors, of parts of sums and of blocks, odd ones.
SIZES = [1, 2, 3, 7, 8, 17, 31, 48, 49, 63, 64, 65, 97, 128, 130, 257, 352, 353, 390, 417]
EPSILON = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}


def given(random, shape, dtype):
    """Numbers of `dtype` and the same numbers as doubles."""
    x = tf.cast(tf.constant(random.normal(size=shape)), dtype)
    return x, tf.cast(x, tf.float64).numpy()


def check(product, a, b, dtype):
    """A sum of k products in the dtype, or in floats that are rounded once; a double reference has an error of its own.

    Half of the least subnormal number of float16 is added: below its normal numbers the rounding error is absolute."""
    exact, magnitude = a @ b, np.abs(a) @ np.abs(b)
    steps = (a.shape[-1] + 4) * EPSILON["float32" if dtype in ("float16", "bfloat16") else dtype]
    bound = magnitude * steps + np.abs(exact) * EPSILON[dtype] + (2**-25 if dtype == "float16" else 0)
    assert (np.abs(tf.cast(product, tf.float64).numpy() - exact) <= bound).all()


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("transposed", list(itertools.product([False, True], repeat=2)), ids=str)
def test_products_of_all_sizes(dtype, transposed):
    random = np.random.default_rng(1)
    for _ in range(40):
        m, k, n = (int(random.choice(SIZES)) for _ in range(3))
        a, b = (
            given(random, shape[::-1] if t else shape, dtype)
            for shape, t in zip(((m, k), (k, n)), transposed, strict=True)
        )
        product = tf.matmul(a[0], b[0], transpose_a=transposed[0], transpose_b=transposed[1])
        check(product, *(x[1].T if t else x[1] for x, t in zip((a, b), transposed, strict=True)), dtype)


@pytest.mark.parametrize("dtype", EPSILON)
def test_large_products(dtype):
    random = np.random.default_rng(2)
    for m, k, n in [(700, 900, 530), (20, 2100, 1030), (2100, 130, 20), (1, 2000, 1500), (1500, 2000, 1), (1, 5000, 1)]:
        a, b = given(random, (m, k), dtype), given(random, (k, n), dtype)
        check(tf.matmul(a[0], b[0]), a[1], b[1], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 3, 4), (5, 4, 6)),
        ((2, 1, 9, 7), (3, 7, 5)),
        ((6, 70, 80), (80, 90)),
        ((1, 130, 90), (4, 90, 50)),
        ((3, 1, 8), (8, 9)),
    ],
    ids=str,
)
def test_batches(shapes, dtype):
    random = np.random.default_rng(3)
    a, b = (given(random, shape, dtype) for shape in shapes)
    check(tf.matmul(a[0], b[0]), a[1], b[1], dtype)
    swapped = tf.matmul(*(tf.linalg.matrix_transpose(x[0]) for x in (a, b)), transpose_a=True, transpose_b=True)
    check(swapped, a[1], b[1], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_matrices_in_batches(dtype):
    random = np.random.default_rng(4)
    a, b = given(random, (3, 310, 420), dtype), given(random, (3, 420, 330), dtype)
    check(tf.matmul(a[0], b[0]), a[1], b[1], dtype)


@pytest.mark.parametrize("dtype", EPSILON)
def test_empty_products(dtype):
    for a, b in [((0, 3), (3, 4)), ((2, 3), (3, 0)), ((2, 0), (0, 4)), ((0, 2, 3), (3, 4)), ((5, 2, 0), (5, 0, 4))]:
        product = tf.matmul(tf.zeros(a, dtype), tf.zeros(b, dtype))
        assert product.shape == (*a[:-1], b[-1])
        assert not np.any(tf.cast(product, tf.float64).numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [5, 60, 700])
def test_infinities_and_nan_propagate(dtype, size):
    """Zeros are multiplied, too."""
    a, b = np.zeros((size, size), dtype), np.ones((size, size), dtype)
    b[1, 2], b[2, 3], a[3, 4] = np.inf, np.nan, -np.inf
    product = tf.matmul(tf.constant(a), tf.constant(b)).numpy()
    column = np.arange(size)
    assert np.isnan(product[:, 2:4]).all()
    assert (product[3, (column < 2) | (column > 3)] == -np.inf).all()
    rest = np.delete(np.delete(product, 3, axis=0), [2, 3], axis=1)
    assert not rest.any()


@pytest.fixture
def threads():
    before = tf.config.threading.get_intra_op_parallelism_threads()
    yield tf.config.threading.set_intra_op_parallelism_threads
    tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.parametrize(
    "shapes",
    [
        ((300, 500), (500, 410)),
        ((3000, 90), (90, 30)),
        ((30, 90), (90, 3000)),
        ((1, 2000), (2000, 3000)),
        ((1, 8300), (8300, 4200)),
        ((40, 64, 64), (40, 64, 64)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_bits_for_any_number_of_threads(shapes, dtype, threads):
    random = np.random.default_rng(5)
    a, b = (tf.constant(random.normal(size=shape).astype(dtype)) for shape in shapes)
    traced = tf.function(tf.matmul)
    results = []
    for n in (1, 2, 3):
        threads(n)
        results += [tf.matmul(a, b).numpy().tobytes(), traced(a, b).numpy().tobytes()]
    assert len(set(results)) == 1


def test_long_vectors_are_summed_in_steps():
    x = np.random.default_rng(0).standard_normal((1, 2_200_000))
    y = np.random.default_rng(1).standard_normal((2_200_000, 3))
    np.testing.assert_allclose(tf.matmul(x, y), x @ y, rtol=1e-10, atol=1e-7)
    np.testing.assert_allclose(tf.matmul(x, y[:, :1].copy()), x @ y[:, :1], rtol=1e-10, atol=1e-7)
    np.testing.assert_allclose(tf.matmul(y, x, transpose_a=True, transpose_b=True), (x @ y).T, rtol=1e-10, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", [33, 64, 200])
@pytest.mark.parametrize("columns", [16, 64, 128, 144, 320, 1000])
def test_products_far_deeper_than_wide(rows, columns, dtype):
    random = np.random.default_rng(2)
    a, b = given(random, (5001, rows), dtype), given(random, (5001, columns), dtype)
    before = tf.config.threading.get_intra_op_parallelism_threads()
    products = []
    try:
        for threads in (1, 2, 3, 8):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            products.append(tf.matmul(a[0], b[0], transpose_a=True))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    check(products[0], a[1].T, b[1], dtype)
    assert len({x.numpy().tobytes() for x in products}) == 1
