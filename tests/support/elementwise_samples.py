"""NumPy references of the elementwise ops, where to draw their arguments from, and their dtypes from the oracle."""

from __future__ import annotations

import functools
import json
import math
import pathlib
import statistics

import ml_dtypes
import numpy as np

OP_DEFS = json.loads((pathlib.Path(__file__).parents[1] / "oracle" / "op_defs.json").read_text())["ops"]

# Dtypes that TensorFlow declares and has no CPU kernel for; here they raise NotFoundError, as there.
WITHOUT_KERNEL = {
    "Reciprocal": ("int8", "int16", "int32", "int64"),
    "Round": ("complex64", "complex128"),
    "FloorDiv": ("complex64", "complex128"),
    "TruncateDiv": ("complex64", "complex128"),
    "RealDiv": (),
    "ApproximateEqual": ("complex64", "complex128", "int8", "int16", "int32", "int64")
    + ("uint8", "uint16", "uint32", "uint64"),
    "ClipByValue": ("complex64", "complex128"),
    "Conj": ("variant",),
    "Add": ("string",),
}

_normal = statistics.NormalDist()


def _each(function):
    return np.vectorize(function, otypes=[np.float64])


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _elu(x):
    return np.where(x < 0, np.expm1(x), x)


def _selu(x):
    return 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)


def _erfinv(x):
    guess = _normal.inv_cdf((x + 1) / 2) / math.sqrt(2)
    return guess - (math.erf(guess) - x) * math.sqrt(math.pi) / 2 * math.exp(guess * guess)  # one step of Newton's


def _truncated(x, y):
    return np.trunc(x / y) if x.dtype.kind == "f" else (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y)))


def _bessel(order):
    """exp(-|x|) I(x) by Bessel's integral, whose trapezoidal rule converges geometrically."""
    angles = np.linspace(0, 2 * np.pi, 256, endpoint=False)
    weights = np.cos(order * angles)
    return _each(lambda x: np.mean(np.exp(x * np.cos(angles) - abs(x)) * weights))


# op: (reference, range the arguments are drawn from)
UNARY = {
    "Abs": (np.abs, (-3, 3)),
    "Neg": (np.negative, (-3, 3)),
    "Sign": (lambda x: np.divide(x, np.abs(x)) if x.dtype.kind == "c" else np.sign(x), (-3, 3)),
    "Square": (np.square, (-3, 3)),
    "Reciprocal": (lambda x: 1 / x, (0.3, 3)),
    "Exp": (np.exp, (-3, 3)),
    "Expm1": (np.expm1, (-3, 3)),
    "Log": (np.log, (0.1, 5)),
    "Log1p": (np.log1p, (-0.8, 5)),
    "Sqrt": (np.sqrt, (0, 9)),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), (0.1, 9)),
    "Sin": (np.sin, (-6, 6)),
    "Cos": (np.cos, (-6, 6)),
    "Tan": (np.tan, (-1.4, 1.4)),
    "Asin": (np.arcsin, (-0.9, 0.9)),
    "Acos": (np.arccos, (-0.9, 0.9)),
    "Atan": (np.arctan, (-6, 6)),
    "Sinh": (np.sinh, (-3, 3)),
    "Cosh": (np.cosh, (-3, 3)),
    "Tanh": (np.tanh, (-3, 3)),
    "Asinh": (np.arcsinh, (-3, 3)),
    "Acosh": (np.arccosh, (1.1, 5)),
    "Atanh": (np.arctanh, (-0.9, 0.9)),
    "Sigmoid": (_sigmoid, (-3, 3)),
    "Relu": (lambda x: np.maximum(x, 0), (-3, 3)),
    "Relu6": (lambda x: np.clip(x, 0, 6), (-9, 9)),
    "Elu": (_elu, (-3, 3)),
    "Selu": (_selu, (-3, 3)),
    "Softplus": (lambda x: np.log1p(np.exp(x)), (-9, 9)),
    "Softsign": (lambda x: x / (1 + np.abs(x)), (-3, 3)),
    "Floor": (np.floor, (-9, 9)),
    "Ceil": (np.ceil, (-9, 9)),
    "Round": (np.round, (-9, 9)),
    "Rint": (np.rint, (-9, 9)),
    "IsNan": (np.isnan, (-9, 9)),
    "IsInf": (np.isinf, (-9, 9)),
    "IsFinite": (np.isfinite, (-9, 9)),
    "Erf": (_each(math.erf), (-2, 2)),
    "Erfc": (_each(math.erfc), (-2, 2)),
    "Erfinv": (_each(_erfinv), (-0.9, 0.9)),
    "Ndtri": (_each(_normal.inv_cdf), (0.05, 0.95)),
    "BesselI0e": (_bessel(0), (-20, 20)),
    "BesselI1e": (_bessel(1), (-20, 20)),
    "Lgamma": (_each(math.lgamma), (2.5, 9)),
    "Invert": (np.invert, (-9, 9)),
    "LogicalNot": (np.logical_not, (0, 1)),
    "Conj": (np.conj, (-3, 3)),
}
BINARY = {
    "AddV2": (np.add, (-3, 3)),
    "Add": (np.add, (-3, 3)),
    "Sub": (np.subtract, (-3, 3)),
    "Mul": (np.multiply, (-3, 3)),
    "RealDiv": (lambda x, y: _truncated(x, y).astype(x.dtype) if x.dtype.kind in "iu" else x / y, (1, 9)),
    "Div": (lambda x, y: _truncated(x, y).astype(x.dtype) if x.dtype.kind in "iu" else x / y, (1, 9)),
    "DivNoNan": (np.divide, (1, 9)),
    "MulNoNan": (np.multiply, (1, 9)),
    "FloorDiv": (np.floor_divide, (1, 9)),
    "FloorMod": (np.mod, (1, 9)),
    "TruncateDiv": (_truncated, (1, 9)),
    "TruncateMod": (np.fmod, (1, 9)),
    "Mod": (np.fmod, (1, 9)),
    "Pow": (np.power, (0.5, 3)),
    "Maximum": (np.maximum, (-9, 9)),
    "Minimum": (np.minimum, (-9, 9)),
    "SquaredDifference": (lambda x, y: (x - y) * np.conj(x - y), (-3, 3)),
    "Xlogy": (lambda x, y: x * np.log(y), (0.3, 3)),
    "Xlog1py": (lambda x, y: x * np.log1p(y), (0.3, 3)),
    "Xdivy": (np.divide, (0.3, 3)),
    "Atan2": (np.arctan2, (-3, 3)),
    "NextAfter": (np.nextafter, (-3, 3)),
    "BitwiseAnd": (np.bitwise_and, (-9, 9)),
    "BitwiseOr": (np.bitwise_or, (-9, 9)),
    "BitwiseXor": (np.bitwise_xor, (-9, 9)),
    "LeftShift": (np.left_shift, (0, 5)),
    "RightShift": (np.right_shift, (0, 5)),
    "Equal": (np.equal, (-2, 2)),
    "NotEqual": (np.not_equal, (-2, 2)),
    "Less": (np.less, (-2, 2)),
    "LessEqual": (np.less_equal, (-2, 2)),
    "Greater": (np.greater, (-2, 2)),
    "GreaterEqual": (np.greater_equal, (-2, 2)),
    "LogicalAnd": (np.logical_and, (0, 1)),
    "LogicalOr": (np.logical_or, (0, 1)),
}

_ALL = "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"
# Relative tolerances: two units in the last place, and four for complex functions, whose parts cancel.
TOLERANCE = {
    "bfloat16": 2**-7,
    "float16": 2**-10,
    "float32": 2**-22,
    "float64": 2**-51,
    "complex64": 2**-20,
    "complex128": 2**-49,
}


def numpy_dtype(name: str):
    """The NumPy dtype of TensorFlow's name."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def dtypes_of(op: str) -> list[str]:
    """The dtypes an op takes and has a kernel for, by TensorFlow's record of it."""
    attrs = {a["name"]: a for a in OP_DEFS[op]["attrs"]}
    if "T" not in attrs:
        return ["bool"]
    allowed = attrs["T"].get("allowed") or _ALL.split()
    return [d for d in dict.fromkeys(allowed) if d in _ALL.split() and d not in WITHOUT_KERNEL.get(op, ())]


def sample(op: str, dtype: str, shape: tuple, place: int) -> np.ndarray:
    """Argument number `place` of an op, the same on every call."""
    low, high = (UNARY.get(op) or BINARY[op])[1]
    random = np.random.default_rng([place, *op.encode(), *dtype.encode()])
    kind = numpy_dtype(dtype)
    if dtype == "bool":
        return np.asarray(random.integers(0, 2, shape), kind)
    if kind.kind in "iu":
        return np.asarray(random.integers(max(math.ceil(low), 0 if kind.kind == "u" else -99), high + 1, shape), kind)
    values = random.uniform(low, high, shape)
    if kind.kind == "c":
        values = values + 1j * random.uniform(-0.5, 0.5, shape)
    return np.asarray(values, kind)


def expected(op: str, *arguments: np.ndarray) -> np.ndarray:
    """The reference's result, computed in a wider type where there is one and rounded once."""
    reference = (UNARY.get(op) or BINARY[op])[0]
    given = arguments[0].dtype
    wide = {"bfloat16": np.float32, "float16": np.float32, "float32": np.float64, "complex64": np.complex128}
    exact = op == "NextAfter"
    with np.errstate(all="ignore"):
        result = reference(*(a if exact else a.astype(wide.get(given.name, given)) for a in arguments))
    result = np.asarray(result)
    return result if result.dtype == bool else result.astype(given)


def assert_close(got: np.ndarray, wanted: np.ndarray, dtype: str, op: str = "") -> None:
    """Equal for integers and bools, within TOLERANCE otherwise."""
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    if wanted.dtype.kind in "iub":
        np.testing.assert_array_equal(got, wanted)
        return
    wider = np.complex128 if wanted.dtype.kind == "c" else np.float64
    rtol = TOLERANCE[dtype] * (8 if op == "Lgamma" else 1)  # math.lgamma itself is off by several units
    np.testing.assert_allclose(got.astype(wider), wanted.astype(wider), rtol=rtol, atol=rtol / 4)


@functools.cache
def cases(table: str) -> list[tuple[str, str]]:
    """(op, dtype) of every op in UNARY or BINARY."""
    return [(op, d) for op in {"unary": UNARY, "binary": BINARY}[table] for d in dtypes_of(op)]
