"""`tf.array_api.fft` against array-api-strict, eagerly and traced."""

import numpy as np
import pytest
import tracefn as tf

strict = pytest.importorskip("array_api_strict")
xp = tf.array_api

RANDOM = np.random.default_rng(5)
TOLERANCE = {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-12, "complex128": 1e-12}

OF_COMPLEX = """
m.fft.fft(x)
m.fft.fft(x, n=3)
m.fft.fft(x, n=9, axis=1)
m.fft.fft(x, axis=0, norm="ortho")
m.fft.fft(x, axis=-2, norm="forward")
m.fft.ifft(x)
m.fft.ifft(x, n=7, axis=-3)
m.fft.ifft(x, n=2, norm="ortho")
m.fft.ifft(x, norm="forward")
m.fft.irfft(x)
m.fft.irfft(x, n=5, axis=1)
m.fft.irfft(x, n=12, norm="ortho")
m.fft.irfft(x, n=1, norm="forward")
m.fft.hfft(x)
m.fft.hfft(x, n=7, axis=1, norm="forward")
m.fft.hfft(x, n=4, norm="ortho")
m.fft.fftn(x)
m.fft.fftn(x, s=(3, 4), axes=(1, 2))
m.fft.fftn(x, axes=(0, 2), norm="ortho")
m.fft.fftn(x, s=(7, 2), axes=(1, 0), norm="forward")
m.fft.ifftn(x)
m.fft.ifftn(x, s=(2,), axes=(1,), norm="ortho")
m.fft.irfftn(x)
m.fft.irfftn(x, s=(3, 5), axes=(0, 1), norm="forward")
m.fft.fftshift(x)
m.fft.ifftshift(x, axes=(0, 2))
"""
OF_REAL = """
m.fft.rfft(x)
m.fft.rfft(x, n=3, axis=0)
m.fft.rfft(x, n=8, norm="ortho")
m.fft.rfft(x, norm="forward")
m.fft.ihfft(x)
m.fft.ihfft(x, n=6, axis=1, norm="forward")
m.fft.ihfft(x, norm="ortho")
m.fft.rfftn(x)
m.fft.rfftn(x, s=(2, 6), axes=(-2, -1))
m.fft.rfftn(x, axes=(2, 0), norm="ortho")
m.fft.fftshift(x, axes=1)
m.fft.ifftshift(x)
"""


def cases(text, dtypes):
    return [(line, dtype) for line in text.strip().splitlines() for dtype in dtypes]


@pytest.mark.parametrize(
    "expression, dtype", cases(OF_COMPLEX, ["complex64", "complex128"]) + cases(OF_REAL, ["float32", "float64"])
)
def test_transforms(expression, dtype):
    x = RANDOM.normal(size=(2, 5, 6))
    if dtype.startswith("complex"):
        x = x + 1j * RANDOM.normal(size=x.shape)
    x = x.astype(dtype)
    code = compile(expression, "<expression>", "eval")
    want = np.asarray(eval(code, {"m": strict, "x": strict.asarray(x)}))

    def compute(x):
        return eval(code, {"m": xp, "x": x})

    unknown = [tf.TensorSpec([None] * 3, dtype)]
    for function in (compute, tf.function(compute), tf.function(compute, input_signature=unknown)):
        got = function(tf.constant(x))
        assert got.dtype.name == want.dtype.name and tuple(got.shape) == want.shape
        np.testing.assert_allclose(got, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies(n):
    for name in ("fftfreq", "rfftfreq"):
        for arguments in ({}, {"d": 0.25}):
            want = np.asarray(getattr(strict.fft, name)(n, **arguments))
            got = getattr(xp.fft, name)(n, **arguments, dtype=tf.float64)
            np.testing.assert_allclose(got, want, rtol=1e-15)
            assert getattr(xp.fft, name)(n, **arguments).dtype == tf.float32


def test_shapes_are_static():
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.complex64)])
    def transformed(x):
        shapes.append((xp.fft.fft(x, n=8).shape, xp.fft.fft(x, axis=0).shape, xp.fft.irfft(x, n=5).shape))
        return x

    shapes = []
    transformed(tf.zeros([2, 4], tf.complex64))
    assert [shape.as_list() for shape in shapes[0]] == [[None, 8], [None, 4], [None, 5]]


def test_errors():
    x = tf.zeros([2, 3])
    with pytest.raises(TypeError, match="fft"):
        xp.fft.fft(x)
    with pytest.raises(TypeError, match="rfft"):
        xp.fft.rfft(tf.cast(x, tf.complex64))
    with pytest.raises(IndexError, match="axis 2"):
        xp.fft.rfft(x, axis=2)
    with pytest.raises(ValueError, match="at least 1"):
        xp.fft.rfft(x, n=0)
    with pytest.raises(ValueError, match="norm"):
        xp.fft.rfft(x, norm="x")
    with pytest.raises(ValueError, match="1 sizes for 2 axes"):
        xp.fft.rfftn(x, s=(2,), axes=(0, 1))
    with pytest.raises(ValueError, match="dtype"):
        xp.fft.fftfreq(3, dtype=tf.int32)


def test_gradients():
    x = tf.constant(RANDOM.normal(size=6))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.abs(xp.fft.rfft(x, n=9, norm="ortho")) ** 2)
    found = tape.gradient(y, x)

    def value(x):
        return np.sum(np.abs(np.fft.rfft(x, n=9, norm="ortho")) ** 2)

    steps = np.eye(6) * 1e-6
    np.testing.assert_allclose(found, [(value(x.numpy() + s) - value(x.numpy() - s)) / 2e-6 for s in steps], rtol=1e-6)
