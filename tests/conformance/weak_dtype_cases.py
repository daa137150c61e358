"""Expressions over weak and strong dtypes, and what they give in one promotion mode. Run in a process of its own: a mode
is for the whole process.

    python tests/conformance/weak_dtype_cases.py tensorflow all      prints {expression: result} as JSON

A result is text: "weak float32 [1.5]", "float32 [1.5]", or the class of the error, with its text if it is about promotion.
"""

from __future__ import annotations

import importlib
import itertools
import json
import logging
import os
import sys
import tempfile
import textwrap
import warnings

import numpy as np

from weak_dtype_programs import PROGRAMS

STRONG = ["b8", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "c64", "c128"]
WEAK = ["wi32", "wi64", "wf32", "wf64", "wc128"]
PYTHON = ["True", "3", "1.5", "2j"]

OPERATORS = ["-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]
OF_OPERATORS = ["b8", "i8", "i32", "f16", "f32", "f64", "wi32", "wf32", "wf64", "wc128", "3", "1.5"]

PAIRS = [
    ("wi32", "wi32"), ("wf32", "wf32"), ("wi32", "wf32"), ("wf32", "wf64"), ("f32", "wf32"), ("wf32", "f16"),
    ("i32", "wf32"), ("i8", "wi32"), ("wf32", "2"), ("2", "wf32"), ("1.5", "2"), ("2", "3"), ("[1, 2]", "[1.5, 2.5]"),
    ("np.float64(1.5)", "wf32"), ("f32", "f64"), ("vf32", "wf32"), ("wi32", "vf16"), ("f32", "f32"),
]
BINARY = [
    "tf.add", "tf.math.add", "tf.subtract", "tf.math.subtract", "tf.multiply", "tf.math.multiply", "tf.divide",
    "tf.math.divide", "tf.truediv", "tf.math.truediv", "tf.math.floordiv", "tf.math.mod", "tf.math.floormod", "tf.pow",
    "tf.math.pow", "tf.maximum", "tf.minimum", "tf.math.maximum", "tf.math.divide_no_nan", "tf.math.multiply_no_nan",
    "tf.realdiv", "tf.truncatediv", "tf.truncatemod", "tf.scalar_mul", "tf.equal", "tf.not_equal", "tf.less",
    "tf.greater_equal", "tf.math.squared_difference", "tf.math.atan2", "tf.math.xlogy", "tf.math.xdivy",
    "tf.math.zeta", "tf.math.igamma", "tf.math.nextafter", "tf.math.approximate_equal", "tf.complex",
    "tf.bitwise.bitwise_and", "tf.logical_and", "tf.meshgrid", "tf.nn.sigmoid_cross_entropy_with_logits",
    "tf.nn.log_poisson_loss", "tf.clip_by_norm", "tf.nn.silu", "tf.nn.swish",
    "tnp.add", "tnp.subtract", "tnp.multiply", "tnp.divide", "tnp.true_divide", "tnp.floor_divide", "tnp.mod",
    "tnp.remainder", "tnp.power", "tnp.float_power", "tnp.maximum", "tnp.minimum", "tnp.arctan2", "tnp.hypot",
    "tnp.heaviside", "tnp.logaddexp", "tnp.nextafter", "tnp.equal", "tnp.not_equal", "tnp.less", "tnp.greater_equal",
    "tnp.outer", "tnp.inner", "tnp.vdot", "tnp.dot", "tnp.matmul", "tnp.kron", "tnp.isclose", "tnp.allclose",
    "tnp.array_equal", "tnp.gcd", "tnp.lcm", "tnp.bitwise_and", "tnp.bitwise_or", "tnp.logical_and", "tnp.append",
    "tnp.broadcast_arrays", "tnp.meshgrid", "tnp.geomspace", "tnp.logaddexp2", "tnp.divmod", "tnp.result_type", "tnp.polyval", "tnp.linspace", "tnp.full_like",
]

VALUES = ["wi32", "wf32", "wf64", "wc128", "2", "0.5", "[1, 2]", "[0.5, 0.25]", "np.array([0.5], 'float32')", "f32", "b8"]
UNARY = [
    *(f"tf.{name}({{}})" for name in (
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "floor", "identity", "negative",
        "ones_like", "zeros_like", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
        "reduce_sum", "round", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "squeeze", "stop_gradient", "tan",
        "tanh", "transpose", "constant", "convert_to_tensor", "is_tensor", "shape", "rank", "size", "sort", "argmax",
        "argsort", "reduce_all", "range", "Variable", "grad_pass_through(lambda x: x)", "guarantee_const",
        "unstack",
    )),
    *(f"tf.math.{name}({{}})" for name in (
        "angle", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "ceil", "conj", "digamma", "erf", "erfc",
        "erfcinv", "erfinv", "expm1", "imag", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax", "ndtri", "real",
        "reciprocal", "reciprocal_no_nan", "reduce_euclidean_norm", "reduce_std", "reduce_variance", "rint", "rsqrt",
        "softplus", "special.bessel_j0", "special.bessel_j1", "special.bessel_k0", "special.bessel_k0e",
        "special.bessel_k1", "special.bessel_k1e", "special.bessel_y0", "special.bessel_y1", "special.dawsn",
        "special.expint", "special.fresnel_cos", "special.fresnel_sin", "special.spence", "cumsum", "cumprod", "is_nan",
        "is_finite", "l2_normalize", "count_nonzero", "cumulative_logsumexp", "softmax", "softsign", "zero_fraction",
        "bincount", "logical_not",
    )),
    *(f"tf.nn.{name}({{}})" for name in (
        "gelu", "leaky_relu", "relu6", "silu", "swish", "relu", "elu", "selu", "softsign", "softmax", "l2_loss",
        "sigmoid", "tanh", "log_softmax", "softplus", "scale_regularization_loss",
    )),
    *(f"tnp.{name}({{}})" for name in (
        "abs", "absolute", "amax", "amin", "angle", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
        "arctanh", "around", "array", "asanyarray", "asarray", "ascontiguousarray", "average", "bitwise_not", "cbrt",
        "ceil", "conj", "conjugate", "copy", "cos", "cosh", "cumprod", "cumsum", "deg2rad", "diag", "diagflat", "diff",
        "empty_like", "exp", "exp2", "expm1", "fabs", "fix", "flatten", "flip", "floor", "imag", "log", "log10", "log1p",
        "log2", "max", "mean", "min", "nanmean", "nansum", "nanprod", "negative", "ones_like", "positive", "prod",
        "rad2deg", "ravel", "real", "reciprocal", "round", "sign", "sin", "sinc", "sinh", "sort", "sqrt", "square",
        "squeeze", "std", "sum", "tan", "tanh", "transpose", "var", "vander", "zeros_like", "atleast_1d", "atleast_2d",
        "atleast_3d", "ptp", "ix_", "argmax", "argsort", "nonzero", "isnan", "isfinite", "iscomplex", "isreal",
        "logical_not", "signbit", "size", "ndim", "shape", "isscalar", "all", "any", "count_nonzero", "result_type",
        "meshgrid", "iscomplexobj", "broadcast_arrays",
    )),
    "tf.reshape({}, [-1])", "tf.expand_dims({}, 0)", "tf.clip_by_value({}, 0, 2)", "tf.clip_by_value({}, 0.0, 2.0)",
    "tf.debugging.check_numerics({}, 'm')", "tf.linalg.diag({})", "tf.cast({}, tf.float16)", "tf.cast({}, tf.float32)",
    "tf.constant({}, tf.float32)", "tf.constant({}, tf.float16)", "tf.constant({}, shape=[2])",
    "tf.convert_to_tensor({}, tf.float32)", "tf.convert_to_tensor({}, dtype_hint=tf.float32)",
    "tf.zeros_like({}, tf.float16)", "tf.ones_like({}, dtype=tf.int8)", "tf.reduce_sum({}, axis=0)",
    "tf.reduce_max({}, keepdims=True)", "tf.stack([{}, {}])", "tf.concat([[1.0], [2.0]], 0) + {}", "tf.add_n([{}, {}])",
    "tf.fill([2], {})", "tf.tile([1.0], [2]) * {}", "tf.where([True, False], {}, {})", "tf.broadcast_to({}, [2])",
    "tf.linspace(0.0, {}, 2)", "tf.gather({}, 0)", "tf.one_hot({}, 2)", "tf.norm({})", "tf.clip_by_norm({}, 1.0)",
    "tf.pad([1.0], [[1, 1]]) + {}", "tf.saturate_cast({}, tf.int8)", "tf.bitcast({}, tf.int32)", "tf.zeros([2]) + {}",
    "tf.bitwise.invert({})", "-f32 + {}", "+f16 * {}", "tf.nest.flatten({})",
    "tnp.array({}, dtype=tf.float16)", "tnp.array({}, dtype='int32')", "tnp.sum({}, dtype='float32')", "tnp.repeat({}, 2)",
    "tnp.reshape({}, [-1, 1])", "tnp.expand_dims({}, 0)", "tnp.full_like({}, 7)", "tnp.full([2], {})", "tnp.tile({}, 2)",
    "tnp.clip({}, 0, 1)", "tnp.clip({}, 0.5, wf64)", "tnp.zeros_like({}, dtype=float)", "tnp.sum({}, keepdims=True)",
    "tnp.stack([{}, {}])", "tnp.concatenate([[1.0], [2.0]]) + {}", "tnp.where([True, False], {}, {})", "tnp.tri(2) * {}",
    "tnp.broadcast_to({}, [2, 2])", "tnp.mean({}, axis=0)", "tnp.var({}, ddof=1)", "tnp.ones(2) + {}", "tnp.eye(2) + {}",
    "tnp.arange(3) * {}", "tnp.result_type({}, f16)", "tnp.result_type({}, 'float32')", "tnp.zeros(2, dtype=int) + {}",
]
MATRICES = ["wm", "wmi", "m32", "[[1, 2], [3, 4]]", "[[0.5, 0.25], [0.125, 0.75]]", "np.eye(2)"]
OF_MATRICES = [
    "tf.linalg.trace({})", "tf.linalg.diag_part({})", "tf.linalg.tensor_diag_part({})", "tf.linalg.matrix_transpose({})",
    "tf.transpose({}, [1, 0])", "tf.linalg.matvec({}, {}[0])", "tf.linalg.det({})", "tf.linalg.inv({})", "tf.matmul({}, wm)",
    "tf.linalg.matmul({}, wmi)", "tf.matmul({}, m16)", "tf.tensordot({}, wm, 1)", "tf.einsum('ij,jk->ik', {}, wm)",
    "tf.nn.moments({}, [0])", "tf.nn.moments({}, 0)", "tf.reduce_mean({}, 1)", "tf.squeeze({}, [])", "tf.linalg.norm({})",
    "tf.linalg.band_part({}, 0, 0)", "tf.concat({}, 0)", "tf.nn.log_softmax({}, axis=0)", "tf.reverse({}, [0])",
    "tf.expand_dims({}, axis=-1)", "tf.slice({}, [0, 0], [1, 1])", "tf.split({}, 2)", "tf.sets.size({})",
    "tnp.trace({})", "tnp.diagonal({})", "tnp.fliplr({})", "tnp.flipud({})", "tnp.flip({}, 0)", "tnp.moveaxis({}, 0, 1)",
    "tnp.swapaxes({}, 0, 1)", "tnp.rot90({})", "tnp.triu({})", "tnp.tril({})", "tnp.matmul({}, wm)", "tnp.dot({}, wmi)",
    "tnp.matmul({}, m16)", "tnp.cumsum({}, 0)", "tnp.sort({}, axis=0)", "tnp.average({}, 0)", "tnp.einsum('ij->ji', {})",
    "tnp.average({}, weights={})", "tnp.tensordot({}, wm, 1)", "tnp.amax({}, axis=1)", "tnp.roll({}, 1)",
    "tnp.split({}, 2)", "tnp.vstack([{}, wm])", "tnp.hstack([{}, {}])", "tnp.take({}, [0], 0)", "tnp.diff({}, axis=0)",
    "{} @ wm", "wmi @ {}", "m16 @ {}",
]
IMAGES = ["wim", "im32", "np.full([1, 2, 2, 4], 0.5)"]
OF_IMAGES = [
    "tf.nn.depth_to_space({}, 2)", "tf.nn.space_to_depth({}, 2)",
    "tf.image.extract_patches({}, [1, 1, 1, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')", "tf.image.adjust_brightness({}, 0.25)", "tf.image.adjust_gamma({}, 2)",
    "tf.nn.avg_pool({}, 2, 1, 'VALID')", "tf.nn.relu({})",
]

ATTRIBUTES = [
    "{}", "repr({})", "str({})", "{}.dtype", "{}.shape", "{}.numpy()", "type({}).__name__", "isinstance({}, tf.Tensor)",
    "tf.is_tensor({})", "{}._type_spec", "{}.to_tensor()", "{}[0]", "{}[-1:]", "{}[None]", "{}[tf.newaxis, ..., 0]",
    "{}[[0, 0]]", "{}[wi]", "list({})", "len({})", "{}.T", "{}.ndim", "int({}.size)", "{}.data", "{}.tolist()", "{}.astype('int8')",
    "{}.astype(tf.float64)", "{}.reshape([2, 1])", "{}.reshape(2, 1)", "{}.ravel()", "{}.flatten()", "{}.transpose()",
    "{}.clip(0, 1)", "{}.max()", "{}.min()", "{}.mean()", "+{}", "-{}", "abs({})", "~{}", "round({})", "bool({}[0])",
    "int({}[0])", "float({}[0])", "complex({}[0])", "format({}[0], '')", "np.array({})", "np.asarray({}, 'float16')",
    "np.add({}, 1)", "hash({}) == 0", "{}.experimental_ref().deref()", "{}.device == f32.device", "{}.get_shape()", "{}.shape.rank",
    "f32 in [{}]", "copy.copy({})", "copy.deepcopy({})", "tf.type_spec_from_value({})",
    "tf.TensorSpec.from_tensor({})", "tf.get_static_value({})", "tf.rank({})", "tf.nest.flatten({}, expand_composites=True)",
    "tf.nest.map_structure(lambda x: x + 1, ({}, 1))", "tf.print({}, output_stream='file:///dev/null')", "{}.is_tensor_like",
    "{}.tensor", "{}.no_such", "{} is None", "{} == None", "{} != None", "{} + None",
    "{} + 'a'", "'a' + {}", "{} + []", "{} + object()", "[1.0, 2.0] + {}", "np.array([1, 2]) + {}", "{} + np.array([1, 2])",
    "{} + np.float16(2)", "np.float64(2) * {}", "{} - tf.IndexedSlices(f32, [0, 1])", "{} + tf.ragged.constant([[1.0]])",
]


def cases():
    """Yields (expression, source): what is evaluated, or a program that assigns `result`."""
    for x, y in itertools.product(STRONG + WEAK, repeat=2):
        yield f"tf.add({x}, {y})", None
    for x, y in itertools.product(STRONG + WEAK + PYTHON, repeat=2):
        if not (x in PYTHON and y in PYTHON):
            yield f"{x} + {y}", None
    for op, x, y in itertools.product(OPERATORS, OF_OPERATORS, OF_OPERATORS):
        if not (x[0].isdigit() and y[0].isdigit()):
            yield f"{x} {op} {y}", None
    for function, (x, y) in itertools.product(BINARY, PAIRS):
        yield f"{function}({x}, {y})", None
    for template, value in itertools.product(UNARY, VALUES):
        yield template.replace("{}", value), None
    for templates, values in ((OF_MATRICES, MATRICES), (OF_IMAGES, IMAGES), (ATTRIBUTES, ["wf32", "wi32", "f32"])):
        for template, value in itertools.product(templates, values):
            yield template.replace("{}", value), None
    for name, source in PROGRAMS.items():
        yield name, textwrap.dedent(source)


def names(tf, mode: str) -> dict:
    """The names that the expressions use."""
    import copy

    held = {"tf": tf, "np": np, "tnp": tf.experimental.numpy, "copy": copy, "MODE": mode}
    for name, dtype in zip(STRONG, (
        tf.bool, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.int8, tf.int16, tf.int32, tf.int64, tf.bfloat16, tf.float16,
        tf.float32, tf.float64, tf.complex64, tf.complex128,
    ), strict=True):
        held[name] = tf.cast(tf.convert_to_tensor([1, 2] if name != "b8" else [1, 0]), dtype)
    weak = type(tf.constant(1))
    held["wi"] = tf.constant(1)
    held["wi32"] = tf.constant([3, 4])
    held["wi64"] = weak.from_tensor(tf.cast([3, 4], tf.int64))
    held["wf32"] = tf.constant([1.5, 2.5])
    held["wf64"] = weak.from_tensor(tf.cast([1.5, 2.5], tf.float64))
    held["wc128"] = tf.constant([1j, 2 + 0.5j])
    held["wm"] = tf.constant([[0.5, 0.25], [0.125, 0.75]])
    held["wmi"] = tf.constant([[1, 2], [3, 4]])
    held["m32"] = tf.convert_to_tensor([[0.5, 0.25], [0.125, 0.75]], tf.float32)
    held["m16"] = tf.cast(held["m32"], tf.float16)
    held["wim"] = tf.constant(np.full([1, 2, 2, 4], 0.5).tolist())
    held["im32"] = tf.convert_to_tensor(np.full([1, 2, 2, 4], 0.5, "float32"))
    held["vf32"], held["vf16"] = tf.Variable(held["f32"]), tf.Variable(held["f16"])
    return held


def _number(value) -> str:
    if isinstance(value, complex):
        return f"{value.real:.3g}{value.imag:+.3g}j"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _numbers(value) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_numbers, value)) + "]"
    return _number(value)


def _of_tensor(tf, value) -> str:
    if not hasattr(value, "numpy") or tf.is_symbolic_tensor(value):
        return f"symbolic {value.dtype.name} {value.shape}"
    dtype = value.dtype.name
    array = value.numpy()
    if dtype == "bfloat16":
        array = np.asarray(array, "float32")
    return f"{dtype} {_numbers(np.asarray(array).tolist())}"


def described(tf, value) -> str:
    """A result as text."""
    if any(cls.__name__ == "WeakTensor" for cls in type(value).__mro__):
        return "weak " + _of_tensor(tf, value.to_tensor())
    if isinstance(value, tf.Tensor):
        return _of_tensor(tf, value)
    if isinstance(value, tf.Variable):
        return "variable " + _of_tensor(tf, value.value())
    if isinstance(value, np.ndarray | np.generic):
        return f"{type(value).__name__} {value.dtype} {_numbers(value.tolist())}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {described(tf, item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + "; ".join(described(tf, item) for item in value) + "]"
    if type(value).__module__.split(".")[0] in ("tensorflow", "tracefn") and not isinstance(value, tf.DType | tf.TensorShape):
        return type(value).__name__
    return _number(value) if isinstance(value, int | float | complex) else repr(value)


def _of_error(error: Exception) -> str:
    text = str(error)
    about = "promotion mode" in text or "immutable" in text or "as a weak type" in text or "too large to convert" in text
    return f"{type(error).__name__}: {text}" if about else type(error).__name__


def _run(source: str, held: dict, folder: str):
    """Runs a program from a file, which AutoGraph reads; gives back its `result`."""
    path = os.path.join(folder, f"program{len(os.listdir(folder))}.py")
    with open(path, "w") as file:
        file.write(source)
    local = dict(held)
    exec(compile(source, path, "exec"), local)
    return local.get("result")


def result_of(tf, held: dict, expression: str, source: str | None, folder: str) -> str:
    """What one case gives."""
    try:
        return described(tf, eval(expression, held) if source is None else _run(source, held, folder))
    except Exception as error:
        return _of_error(error)


def main(implementation: str, mode: str) -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    warnings.simplefilter("ignore")
    tf = importlib.import_module(implementation)
    tf.get_logger().setLevel("CRITICAL")
    logging.getLogger().setLevel("CRITICAL")
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    held = names(tf, mode)
    with tempfile.TemporaryDirectory() as folder:
        results = {expression: result_of(tf, held, expression, source, folder) for expression, source in cases()}
    print(json.dumps(results, indent=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
