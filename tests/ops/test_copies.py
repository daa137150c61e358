"""Ops that move elements, at the widths at which their loops change, against numpy."""

import numpy as np
import pytest
import tracefn as tf

DTYPES = ["int8", "float16", "float32", "complex64", "complex128", "str"]
# Elements of the last dimension: one, few, a vector, a cache line, more.
WIDTHS = [1, 2, 3, 4, 5, 15, 16, 17, 100, 3000]


def numbers(shape, dtype, seed=0):
    x = np.random.default_rng(seed).integers(-100, 100, shape)
    return np.vectorize(lambda v: str(v).encode(), otypes=[object])(x) if dtype == "str" else x.astype(dtype)


def check(got, want):
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pads(width, dtype):
    for shape in ((width,), (40, width), (7, width, 3), (2, 3, 1, width)):
        x = numbers(shape, dtype)
        for pads in ([(0, 0)] * (x.ndim - 1) + [(1, 2)], [(2, 1)] + [(0, 0)] * (x.ndim - 1), [(1, 1)] * x.ndim):
            zero = b"" if dtype == "str" else 0
            check(tf.pad(x, pads), np.pad(x, pads, constant_values=zero))
            fill = b"x" if dtype == "str" else np.array(7, x.dtype)
            check(tf.pad(x, pads, constant_values=fill), np.pad(x, pads, constant_values=fill))
            if dtype == "str":
                continue
            check(tf.pad(x, np.minimum(pads, np.array(shape)[:, None]), "SYMMETRIC"),
                  np.pad(x, np.minimum(pads, np.array(shape)[:, None]), "symmetric"))  # fmt: skip
            least = np.minimum(pads, np.array(shape)[:, None] - 1)
            check(tf.pad(x, least, "REFLECT"), np.pad(x, least, "reflect"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_joins_and_splits(width, dtype):
    parts = [numbers((50, n), dtype, n) for n in (width, 1, 2 * width)]
    joined = np.concatenate(parts, 1)
    check(tf.concat(parts, 1), joined)
    check(tf.concat([p.T.copy() for p in parts], 0), joined.T)
    for got, want in zip(tf.split(joined, [width, 1, 2 * width], 1), parts, strict=True):
        check(got, want)
    same = [numbers((30, width), dtype, n) for n in range(3)]
    for axis in range(3):
        stacked = np.stack(same, axis)
        check(tf.stack(same, axis), stacked)
        for got, want in zip(tf.unstack(tf.constant(stacked), axis=axis), same, strict=True):
            check(got, want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_picks(width, dtype):
    x = numbers((40, width), dtype)
    for index in ("int16", "int32", "int64"):
        at = np.random.default_rng(1).integers(0, 40, 77).astype(index)
        check(tf.gather(x, at), x[at])
        columns = (at % width).astype(index)
        check(tf.gather(x, columns, axis=1), x[:, columns])
        check(tf.gather_nd(x, at[:, None]), x[at])
        check(tf.gather_nd(x, np.stack([at, columns], 1)), x[at, columns])
        each = np.random.default_rng(2).integers(0, width, (40, 9)).astype(index)
        check(tf.gather(x, each, batch_dims=1), np.take_along_axis(x, each.astype(np.int64), 1))
    for bad in (40, -1, 2**62, -(2**63)):
        at = np.zeros(5000, np.int64)
        at[4321] = bad
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"indices\[4321\] = {bad} is not in \[0, 40\)"):
            tf.gather(x, at)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_repetitions_and_slices(width, dtype):
    x = numbers((9, width), dtype)
    for count in (1, 2, 3, 17):
        check(tf.repeat(x, count, 1), np.repeat(x, count, 1))
        check(tf.tile(x, [2, count]), np.tile(x, (2, count)))
    check(tf.transpose(x), x.T)
    check(tf.reverse(x, [1]), x[:, ::-1])
    check(tf.constant(x)[::-2, ::3], x[::-2, ::3])
    check(tf.broadcast_to(x[:, :1], [4, 9, 5]), np.broadcast_to(x[:, :1], (4, 9, 5)))


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(63, 64), (64, 65), (129, 200), (3, 70, 130), (64, 5, 64), (1000, 3)], ids=str)
def test_transposes(shape, dtype):
    x = numbers(shape, dtype)
    for perm in ([*range(len(shape))][::-1], [len(shape) - 1, *range(len(shape) - 1)], [1, 0, *range(2, len(shape))]):
        check(tf.transpose(x, perm), x.transpose(perm))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex128", "str"])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("depth", [0, 1, 5, 33])
def test_one_hot(depth, axis, dtype):
    at = np.random.default_rng(3).integers(-2, depth + 2, (13, 70))
    on, off = (b"on", b"off") if dtype == "str" else (np.array(v, dtype) for v in (1, 0))
    want = np.where(np.moveaxis(at[..., None] == np.arange(depth), -1, axis), on, off)
    if dtype == "str":
        want = want.astype(object)
    for index in ("int8", "int32", "int64"):
        check(tf.one_hot(at.astype(index), depth, on, off, axis), want)


@pytest.mark.parametrize("value", [0, 7])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex64", "bool"])
def test_fills(dtype, value):
    for n in (0, 1, 7, 16, 100_001):
        check(tf.fill([n], tf.cast(value, dtype)), np.full(n, value, tf.as_dtype(dtype).as_numpy_dtype))


def test_all_and_any_end_early():
    x = np.ones((5, 100_000), bool)
    assert tf.reduce_all(x)
    for place in (0, 127, 128, 4096, 99_999):
        y = x.copy()
        y[:, place] = False
        assert not tf.reduce_all(y)
        assert tf.reduce_any(~y)
        np.testing.assert_array_equal(tf.reduce_all(y, 1), [False] * 5)
        np.testing.assert_array_equal(tf.reduce_any(~y, 1), [True] * 5)
    assert not tf.reduce_any(~x)


@pytest.mark.parametrize("n", [1, 2, 7, 15, 16, 31, 32, 33])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64"])
def test_short_rows(dtype, n):
    x = numbers((77, n), dtype)
    for name, f in (("max", np.max), ("min", np.min), ("sum", np.sum), ("prod", np.prod)):
        got = getattr(tf, f"reduce_{name}")(x[:, : 3 if name == "prod" else n], 1)
        with np.errstate(over="ignore"):
            want = f(x[:, : 3 if name == "prod" else n].astype("float64" if "float" in dtype else dtype), 1).astype(
                dtype
            )
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(tf.argmax(x, 1), np.argmax(x, 1))
    np.testing.assert_array_equal(tf.argmin(x, 1), np.argmin(x, 1))
