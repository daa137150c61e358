"""Products of matrices of every small size, and of some larger ones, against NumPy in double precision."""

import itertools

import numpy as np
import pytest
import tracefn as tf

SMALL = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47]
LARGE = [(200, 200, 1), (129, 301, 1), (1, 301, 129), (64, 784, 96), (784, 64, 256), (40, 1030, 300), (700, 33, 700)]


def check(m: int, k: int, n: int, dtype: type, transpose_a: bool, transpose_b: bool) -> None:
    """Small integers, whose products are exact."""
    random = np.random.RandomState(m * 10007 + k * 101 + n)
    a = random.randint(-8, 9, (m, k)).astype(dtype)
    b = random.randint(-8, 9, (k, n)).astype(dtype)
    x = tf.constant(np.ascontiguousarray(a.T) if transpose_a else a)
    y = tf.constant(np.ascontiguousarray(b.T) if transpose_b else b)
    found = tf.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b).numpy()
    assert (found == a.astype(np.float64) @ b.astype(np.float64)).all(), (m, k, n)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_small_size(dtype, transpose_a, transpose_b):
    for m, n in itertools.product(SMALL, SMALL):
        for k in (1, 6, 33):
            check(m, k, n, dtype, transpose_a, transpose_b)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", LARGE)
def test_larger_sizes(size, dtype, transpose_a, transpose_b):
    check(*size, dtype, transpose_a, transpose_b)


def test_what_is_no_number_stays_in_its_row_and_column():
    a, b = np.ones((20, 30), np.float32), np.ones((30, 21), np.float32)
    a[3, 4], b[5, 20] = np.nan, np.inf
    found = (tf.constant(a) @ tf.constant(b)).numpy()
    assert np.isnan(found[3]).all()
    assert np.isinf(np.delete(found, 3, axis=0)[:, 20]).all()
    assert (np.delete(found, 3, axis=0)[:, :20] == 30).all()
