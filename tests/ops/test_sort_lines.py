"""Sorting of rows of every length and kind: order, places, signs of zeros and bits of NaN, as a stable sort has them."""

import numpy as np
import pytest
import tracefn as tf

SHAPES = [(1,), (17,), (65,), (129,), (256,), (257,), (512,), (513,), (1000,), (5000,), (200_000,), (3, 300)]
SHAPES += [(40, 16), (40, 17), (40, 40), (40, 41), (9, 511), (40, 1000), (7, 0)]
DTYPES = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


def numbers(kind: str, dtype: str, shape, rng) -> np.ndarray:
    if np.dtype(dtype).kind == "f":
        special = np.array([np.nan, -np.nan, 0.0, -0.0, 1, -1, np.inf, -np.inf])
        x = rng.standard_normal(shape)
    else:
        limits = np.iinfo(dtype)
        special = np.array([limits.min, limits.max, 0], dtype=dtype)
        x = rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    if kind == "few":
        x = rng.integers(0, 3, shape)
    elif kind == "special":
        x = rng.choice(special, shape)
    elif kind == "subnormal" and np.dtype(dtype).kind == "f":
        x = rng.integers(-5, 6, shape) * np.finfo(dtype).smallest_subnormal.astype(np.float64)
    elif kind == "same":
        x = np.full(shape, 3)
    elif kind == "ascending":
        x = np.sort(x, -1)
    elif kind == "descending":
        x = np.sort(x, -1)[..., ::-1]
    elif kind == "organ pipe":
        half = np.sort(x, -1)
        x = np.concatenate([half[..., ::2], half[..., 1::2][..., ::-1]], -1)
    return np.ascontiguousarray(x.astype(dtype))


def stable_order(x: np.ndarray) -> np.ndarray:
    """Places in descending order; NaN last."""
    if x.dtype.kind != "f":
        return np.argsort(np.invert(x), -1, kind="stable")
    nan = np.isnan(x)
    return np.lexsort((np.where(nan, 0, -x.astype(np.float64)), nan), -1)


@tf.function(reduce_retracing=True)
def values_only(x, k):
    return tf.math.top_k(x, k)[0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "kind", ["random", "few", "special", "subnormal", "same", "ascending", "descending", "organ pipe"]
)
def test_rows(kind, dtype):
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        x = numbers(kind, dtype, shape, rng)
        order = stable_order(x)
        expected = np.take_along_axis(x, order, -1)
        values, places = tf.math.top_k(x, x.shape[-1])
        assert (places.numpy() == order).all(), shape
        assert values.numpy().tobytes() == expected.tobytes(), shape
        part = x.shape[-1] - x.shape[-1] // 3
        for k in (x.shape[-1], part):
            got = values_only(tf.constant(x), tf.constant(k)).numpy()
            assert got.tobytes() == np.ascontiguousarray(expected[..., :k]).tobytes(), (shape, k)
