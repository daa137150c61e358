"""Expressions that `tf.experimental.numpy` and NumPy compute alike: `python numpy_cases.py IMPL` prints what IMPL makes of them.

It is a program of its own, because `experimental_enable_numpy_behavior` changes tensors for good. In an expression `m` is the
module, and the arrays are those of `arrays`. After "#" stands the dtype of the results where TensorFlow departs from NumPy.
"""

import importlib
import json
import os
import sys

import numpy as np

NAN, INF = float("nan"), float("inf")


def arrays(convert) -> dict:
    """The names in expressions."""
    f = np.array([[0.5, -1.25, 2.0], [3.0, 0.25, -0.75]])
    values = {
        "f": f,
        "g": f.astype(np.float32),
        "i": np.array([[3, 1, 2], [6, 5, 4]]),
        "j": np.array([2, 4, 5], np.int32),
        "s": np.array([5, -7, 2], np.int8),
        "u": np.array([7, 3, 250], np.uint8),
        "b": np.array([True, False, True]),
        "c": np.array([1 + 2j, -3j, 2.5]),
        "n": np.array([1.0, NAN, 3.0, INF]),
        "x": np.arange(24.0).reshape(2, 3, 4),
        "v": np.array([1.0, 2.0, 4.0, 8.0]),
        "e": np.zeros([0, 3]),
    }
    return {name: convert(value) for name, value in values.items()}


CASES = """
m.abs(s)
m.absolute(c)
m.fabs(f)
m.add(i, f)
m.add(b, b)
m.add(s, 1)
m.add(u, s)
m.add(j, 1.5)
m.add(g, 1.5)
m.add(g, f)
m.subtract(i, j)
m.multiply(b, b)
m.multiply(c, 2)
m.true_divide(i, j)
m.true_divide(b, b)
m.divide(s, s)  # float32
m.floor_divide(i, -2)
m.floor_divide(f, 0.5)
m.mod(s, 3)
m.mod(f, 0.7)
m.remainder(i, -4)
m.divmod(i, 4)
m.power(i, 2)
m.power(f[0, 0], 3)
m.float_power(v, 2.0)
m.maximum(i, 3)
m.maximum(f, 0)
m.maximum(b, False)
m.minimum(j, 3.5)
m.clip(f, -1, 1)
m.clip(i, 2, None)
m.clip(i, None, [3, 2, 2])
m.arctan2(f, 2.0)
m.hypot(f, g)
m.hypot(3, 4)
m.hypot([3, 4, 5], g)  # float64
m.heaviside(f, 0.5)
m.heaviside(i, 1)
m.logaddexp(f, g)
m.logaddexp(-INF, -INF)
m.logaddexp2(f, 1.0)
m.logaddexp(g, g)
m.logaddexp2(g, g)  # float64
m.nextafter(f, 0.0)
m.gcd(i, 4)
m.gcd(s, 6)
m.lcm(i, j)
m.lcm(0, i)
m.bitwise_and(i, 6)
m.bitwise_or(b, False)
m.bitwise_xor(s, 3)
m.bitwise_not(u)
m.bitwise_not(b)
m.polyval([1.0, 0, -2], f)
m.polyval([3], i)
m.diff(i)
m.diff(f, n=2)
m.diff(x, axis=0)
m.diff(b)
m.exp(f)
m.exp(j)
m.exp(b)  # float64
m.exp2(j)
m.expm1(g)
m.log(v)
m.log1p(v)
m.log2(v)
m.log2(m.abs(g))  # float64
m.log10(v)
m.log10(m.abs(g))  # float64
m.sqrt(v)
m.sqrt(j)
m.cbrt(f)
m.sin(f)
m.cos(c)
m.tan(g)
m.sinh(f)
m.cosh(f)
m.tanh(f)
m.arcsin(f[0, :1])
m.arccos(f[0, :1])
m.arctan(f)
m.arcsinh(f)
m.arccosh(v)
m.arctanh(f[0, :1])
m.deg2rad(f)
m.rad2deg(f)
m.sinc(f)
m.ceil(f)
m.ceil(i)  # float64
m.floor(f)
m.fix(f)
m.negative(s)
m.positive(f)
m.square(i)
m.reciprocal(v)
m.conj(c)
m.conjugate(f)
m.signbit(f)
m.sign(f)
m.sign(s)
m.sign(c)
m.real(c)
m.imag(c)
m.imag(f)
m.angle(c)
m.angle(c, deg=True)
m.around(f, 1)
m.round(f)
m.equal(i, [3.0, 5, 2])
m.not_equal(b, True)
m.greater(f, 0)
m.greater_equal(i, j)
m.less(b, True)
m.less_equal(u, s)
m.logical_and(i, [0, 1, 2])
m.logical_or(b, [0.0, 0, 1])
m.logical_xor(b, True)
m.logical_not(f)
m.isnan(n)
m.isinf(n)
m.isfinite(n)
m.isposinf(n)
m.isneginf(n)
m.isnan(j)
m.iscomplex(c)
m.isreal(c)
m.iscomplexobj(c)
m.isrealobj(c)
m.isclose(f, g)
m.isclose(n[:3], n[:3], equal_nan=True)
m.allclose(f, g)
m.array_equal(i, i)
m.array_equal(i, f)
m.array_equal(i, j)
m.all(b)
m.all(f, axis=1)
m.any(b, axis=0, keepdims=True)
m.sum(f)
m.sum(f, axis=(0, 1))
m.sum(i, axis=0, keepdims=True)
m.sum(b)
m.sum(u)
m.sum(s)
m.sum(f, dtype=np.float32)
m.sum(e, axis=0)
m.prod(i, axis=1)
m.prod(u)
m.mean(i)
m.mean(g, axis=-1)
m.mean(c)
m.mean(i, dtype=np.float32)
m.amax(i, axis=0)
m.amin(b)
m.max(f)
m.min(f, axis=1, keepdims=True)
m.ptp(i, axis=1)
m.var(f)
m.var(i, axis=0)
m.var(f, ddof=1, dtype=np.float64)
m.std(f, axis=1)
m.std(g)
m.average(f, axis=0)
m.average(i, axis=1, weights=j)
m.average(f, weights=i, returned=True)
m.count_nonzero(b)
m.count_nonzero(f, axis=0)
m.cumsum(i)
m.cumsum(s, axis=0)
m.cumsum(f, axis=-1)
m.cumsum(i, axis=1, dtype=np.float32)
m.cumprod(i, axis=0)
m.nansum(n[:3])
m.nanprod(n[:3])
m.nanmean(n[:3])
m.sort(i)
m.sort(f, axis=0)
m.sort(f, axis=None)
m.argsort(i)
m.argsort(f, axis=0, kind="stable")
m.argmax(i)
m.argmax(f, axis=0)
m.argmin(f, axis=1)
m.dot(f, j)
m.dot(2, i)
m.dot(x, v)
m.dot(i, f.T)
m.inner(i, j)
m.inner(f, f)
m.vdot(c, c)
m.vdot(f, i)
m.outer(j, s)
m.matmul(f, j)
m.matmul(j, f.T)
m.matmul(x, x[0].T)
m.matmul(j, j)
m.tensordot(x, f, axes=[[0, 1], [0, 1]])
m.tensordot(f, f.T, axes=1)
m.kron(i, j)
m.kron([1, 2], f)
m.cross(i, j)
m.einsum("ij,ij->i", f, i)
m.einsum("ij->ji", i)
m.trace(i)
m.trace(f, offset=1)
m.trace(x, axis1=1, axis2=2)
m.reshape(i, (3, 2))
m.reshape(i, (3, 2), order="F")
m.reshape(i, -1)
m.ravel(f)
m.transpose(x)
m.transpose(x, (1, 0, 2))
m.swapaxes(x, 0, -1)
m.moveaxis(x, 0, -1)
m.moveaxis(x, (0, 1), (2, 0))
m.flip(x)
m.flip(x, 1)
m.flipud(i)
m.fliplr(i)
m.roll(i, 1)
m.roll(i, 2, axis=1)
m.rot90(i)
m.rot90(i, 2)
m.rot90(i, 3)
m.rot90(x, axes=(1, 2))
m.expand_dims(i, 1)
m.squeeze(i[None])
m.squeeze(i[None, :, None], 0)
m.broadcast_to(j, (2, 3))
m.broadcast_arrays(j, i)
m.atleast_1d(3)
m.atleast_2d(j)
m.atleast_3d(i)
m.atleast_3d(j)
m.concatenate([i, f])
m.concatenate([i, j[None]], axis=0)
m.append(i, j)
m.append(i, i, axis=1)
m.stack([j, s])
m.stack([i, i], axis=-1)
m.hstack([j, s])
m.hstack([i, f])
m.vstack([j, i])
m.dstack([j, s])
m.dstack([i, f])
m.split(i, 3, axis=1)
m.split(v, [1, 3])
m.vsplit(i, 2)
m.hsplit(v, 2)
m.hsplit(i, [1])
m.dsplit(x, 2)
m.repeat(i, 2)
m.repeat(i, [1, 0, 2], axis=1)
m.repeat(3, 2)
m.tile(j, 2)
m.tile(i, (2, 1, 2))
m.pad(i, [[1, 0], [0, 2]], "constant", constant_values=7)
m.pad(f, [[1, 1], [0, 2]], "reflect")
m.pad(f, [[1, 1], [0, 2]], "symmetric")
m.where(b, j, 1.5)
m.where(b)
m.nonzero(i > 2)
m.select([i > 4, i > 2], [i, 2.5 * i], -1)
m.take(v, [2, 0])
m.take(i, [2, 0], axis=1)
m.take(v, [5, -1], mode="wrap")
m.take(v, [9], mode="clip")
m.take_along_axis(i, m.array([[2], [0]]), 1)
m.take_along_axis(f, m.argsort(i, axis=0), 0)
m.compress([True, False, True], i, axis=1)
m.compress([False, True], f)
m.ix_([0, 1], [2, 0])
m.diag(j)
m.diag(j, -2)
m.diag(i)
m.diag(i, 2)
m.diag(i, -5)
m.diagonal(x)
m.diagonal(x, 1, 1, 2)
m.diagflat(i[:, :2], 1)
m.tri(2, 3)
m.tri(3, k=-1, dtype=int)
m.tri(2, 4, 7)
m.tril(i)
m.triu(x, 1)
m.tril(f, -1)
m.vander(j)  # int32
m.vander(v, 2, increasing=True)
m.eye(3)
m.eye(2, 4, 1, dtype=np.int32)
m.eye(4, 2, -1)
m.eye(2, k=5)
m.identity(2)
m.zeros((2, 1))
m.zeros(3, int)
m.ones(2, np.float16)
m.full((2, 2), 3)
m.full(2, [1.5, 2])
m.full_like(i, 2.5)
m.zeros_like(i)
m.ones_like(f, dtype=np.int8)
m.array([1, 2.5])
m.array([[True], [False]])
m.array(3, ndmin=2)
m.array([1, 2], np.float32)
m.asarray([1.9], int)
m.arange(5)
m.arange(1, 2, 0.25)
m.arange(5, 0, -2)
m.arange(3, 1)
m.arange(2, dtype=np.float32)
m.linspace(0, 1, 5)
m.linspace(g[0, 0], 2, 3)
m.linspace(1, 2, 4, endpoint=False)
m.linspace(0, 3, 1)
m.logspace(0, 2, 3)
m.logspace(1, 2, 2, base=2.0)
m.geomspace(1, 1000, 4)
m.geomspace(-1.0, -8.0, 4)
m.geomspace([1.0, -2.0], [10.0, -20.0], 3, axis=1)
m.geomspace([1.0, 2.0], [10.0, 20.0], 3, axis=-1)
m.meshgrid(j, [1, 2, 3])
m.meshgrid(v, v, indexing="ij")
m.result_type(np.int8, np.uint8)
m.promote_types(np.int32, np.float32)
m.size(i)
m.ndim(x)
m.isscalar(3)
f.T
f.ndim
f.ravel()
f.reshape(3, 2)
f.reshape((3, 2), order="F")
x.transpose((2, 0, 1))
f.flatten()
f.clip(-1, 1)
i.astype(np.float32)
f.max()
f.min(axis=0)
i.mean()
f.tolist()
+f
x[1]
x[..., 0]
x[:, None, 1:, ::2]
x[[1, 0]]
x[[[1, 0], [0, 1]], :1]
x[:, [2, 0]]
x[:, [0, -1], [1, 2]]
x[[0, 1], :, [1, 2]]
x[..., [0, 1]]
x[..., [0, 1], 0]
x[:, [[0, 1], [1, 2]]]
x[x > 12]
x[[True, False]]
i[:, [True, False, True]]
x[1:, [0, 2], 1]
i[j[:1] - 2, j[:2] - 3]
v[m.array([1, -1])]
v[m.array(2)]
i + f
i + 1.5
1.5 - i
s * 2
u + s
j / 2
b * b
b + 1
c - i
i // 2
i % 4.5
2 ** v
i ** 2
i @ f.T
x @ v
[1.5, 2, 3] + i
i < 2.5
f == i
i != 3
i & 6
b | False
s ^ 3
-i
~i
abs(s)
"""

# Their results are Python's own, which a Function would make tensors.
EAGER_ONLY = ("tolist", "_type", "ndim", "m.size")


def cases() -> list[tuple[str, str]]:
    """(expression, dtype of TensorFlow's result or "")."""
    lines = (line.partition("  # ") for line in CASES.strip().splitlines())
    return [(expression, dtype) for expression, _, dtype in lines]


def value(result):
    """A result as lists of (dtype, shape, elements)."""
    if isinstance(result, (list, tuple)) and not isinstance(result, (float, int)):
        return [value(part) for part in result]
    if isinstance(result, (type, np.dtype)) or hasattr(result, "as_numpy_dtype"):
        return ["dtype", [], np.dtype(getattr(result, "as_numpy_dtype", result)).name]
    array = np.asarray(result)
    elements = array.ravel().tolist()
    if array.dtype.kind == "c":
        elements = [[x.real, x.imag] for x in elements]
    return [array.dtype.name, list(array.shape), elements]


def evaluate(expression: str, module, names: dict):
    return eval(expression, {"m": module, "np": np, "INF": INF, "NAN": NAN, "abs": abs, **names})


def outcome(compute):
    """A result, or the error instead."""
    try:
        return value(compute())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(impl: str) -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module(impl)
    tf.get_logger().setLevel("ERROR")
    module = tf.experimental.numpy
    module.experimental_enable_numpy_behavior()
    names = arrays(tf.constant)
    report = {}
    for expression, _ in cases():
        eager = outcome(lambda expression=expression: evaluate(expression, module, names))
        traced = eager
        if not any(word in expression for word in EAGER_ONLY):
            used = {name: names[name] for name in names if name in expression}
            function = tf.function(
                lambda used, expression=expression: evaluate(expression, module, used), autograph=False
            )
            traced = outcome(lambda function=function, used=used: function(used))
        report[expression] = [eager, traced]
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
