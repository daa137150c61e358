"""Cholesky factors of matrices of many sizes, which are decomposed in panels, against numpy's in double precision."""

import numpy as np
import pytest
import tracefn as tf

SIZES = [0, 1, 7, 31, 32, 33, 63, 64, 100, 129, 257, 500]


def positive(n: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(n)
    x = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal((n, n))
    return (x @ x.conj().T + n * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", SIZES)
def test_factors(n, dtype):
    a = positive(n, dtype)
    got = tf.linalg.cholesky(a).numpy()
    wide = np.linalg.cholesky(a.astype(np.result_type(dtype, np.float64)))
    assert (np.triu(got, 1) == 0).all()
    np.testing.assert_allclose(got, wide, rtol=0, atol=20 * np.finfo(dtype).eps * max(np.sqrt(2 * n), 1))


@pytest.mark.parametrize("place", [0, 40, 99])
def test_a_matrix_with_another_pivot_has_no_factor(place):
    good = positive(100, "float64")
    bad = good.copy()
    bad[place, place] = -1
    factors = tf.linalg.cholesky(np.stack([good, bad])).numpy()
    np.testing.assert_array_equal(factors[0], tf.linalg.cholesky(good))
    lower = np.tri(100, dtype=bool)
    assert np.isnan(factors[1][lower]).all() and (factors[1][~lower] == 0).all()


def test_what_is_above_the_diagonal_is_not_read():
    a = positive(90, "float32")
    other = a + np.triu(np.full_like(a, np.nan), 1)
    np.testing.assert_array_equal(tf.linalg.cholesky(other), tf.linalg.cholesky(a))
