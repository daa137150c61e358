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

PROGRAMS = {
    "variable": """
        v = tf.Variable(wf32); w = tf.Variable(1); u = tf.Variable(1.0, dtype=tf.float16)
        result = [v.dtype, w.dtype, v + 1, v + wi32, u + 1.5, u * wf32, 1 - v, wf32 / v, u + i8, abs(v), v == 1, v < 2, w + 1.5]
    """,
    "assign": """
        v = tf.Variable([1.0, 2.0]); v.assign(wf32); v.assign_add(wi32); v.assign_sub([1, 1]); v.assign([3, 4.5])
        result = v.value()
    """,
    "assign results": """
        v = tf.Variable(1.0); result = [v.assign(2), v.assign_add(1.5), v.assign_sub(tf.constant(1))]
    """,
    "assign of int": "v = tf.Variable([1, 2]); result = v.assign(wf32)",
    "assign_add of float64": "v = tf.Variable([1.0, 2.0]); result = v.assign_add(f64)",
    "assign_sub of int8": "v = tf.Variable([1.0, 2.0]); v.assign_sub(i8); result = v.value()",
    "assign of int32": "v = tf.Variable([1.0, 2.0]); v.assign(i32); result = v.value()",
    "assign of float16": "v = tf.Variable(f16); v.assign_add(1); v.assign_add(wf64); v.assign_add(2.5); result = v.value()",
    "assign of complex": "v = tf.Variable([1.0, 2.0]); result = v.assign(2j)",
    "variable of variable": "result = tf.Variable(tf.Variable(1)) + 1.5",
    "variable dtype": "result = tf.Variable(wi32, dtype=tf.float16).value()",
    "function": """
        @tf.function
        def f(x, y):
            return x + y, x * 2, y
        result = [f(wf32, f16), f(f16, wf32), f(wi32, wf32), f(i32, wi32)]
    """,
    "numbers that a function returns": "result = tf.function(lambda x, y: (x + y, y))(1, 2.5)",
    "function traces": """
        runs = []
        @tf.function
        def f(x):
            runs.append(x.dtype)
            return x + 1
        f(wf32); f(tf.constant([5.0, 6.0])); f(f32); f(wi32); f(i32)
        result = runs
    """,
    "inside": """
        seen = []
        @tf.function
        def f(x):
            c = tf.constant(2.5)
            seen.extend([type(x).__name__, type(c).__name__, type(x + 1).__name__, type(c * x).__name__, type(f32 + c).__name__])
            return c
        result = [f(wf32), seen, type(f(wf32)).__name__]
    """,
    "inside texts": """
        seen = []
        @tf.function
        def f(x):
            seen.extend([x.dtype, x.shape, tf.is_tensor(x), hasattr(x, 'numpy'), isinstance(x, tf.Tensor)])
            return x.shape[0] * x
        result = [f(wi32), seen]
    """,
    "traced iteration": """
        @tf.function(autograph=False)
        def f(x):
            return [y for y in x]
        result = f(wi32)
    """,
    "traced loop over": """
        @tf.function
        def f(x):
            total = tf.constant(0)
            for y in x:
                total += y
            return total
        result = f(wi32)
    """,
    "numbers of cond": "result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2))()",
    "numbers of cond with a float": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: [1, 2.0], lambda: [3, 4.0]))()
    """,
    "cond of a number and a strong tensor": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: tf.constant(2, tf.int64)))()
    """,
    "numbers of cond plus int8": """
        result = tf.function(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2) + tf.constant(1, tf.int8))()
    """,
    "numbers of case": """
        result = tf.function(lambda: tf.case([(tf.constant(False), lambda: 1.0)], default=lambda: 2.0))()
    """,
    "numbers of switch_case": """
        result = tf.function(lambda: tf.switch_case(tf.constant(1, tf.int32), [lambda: 1, lambda: 2]) + tf.constant(1, tf.int8))()
    """,
    "eager numbers of cond": "result = tf.cond(tf.constant(True), lambda: 1, lambda: 2)",
    "autograph if": """
        @tf.function
        def f(x):
            if x[0] > 2:
                y = x * 2
            else:
                y = x - 1
            return y
        result = [f(wf32), f(f32), f(wi32)]
    """,
    "autograph if of two kinds": """
        @tf.function
        def f(x):
            if x[0] > 2:
                y = x * 2
            else:
                y = f32
            return y
        result = f(wf32)
    """,
    "numbers of if": """
        @tf.function
        def f(x):
            if x[0] > 1:
                y, z = 1, [1.5, 2]
            else:
                y, z = 2, [2.5, 3]
            return y, z, f16 * y, x * z[0]
        result = [f(f32), f(wf32)]
    """,
    "numbers returned by branches": """
        @tf.function
        def f(x):
            if x[0] > 1:
                return 1
            return 2
        result = [f(f32), f(wf32)]
    """,
    "number of if beside the one before": """
        @tf.function
        def f(x):
            y = 0
            if x[0] > 1:
                y = 1
            return y
        result = f(f32)
    """,
    "if of a number and a strong tensor": """
        @tf.function
        def f(x):
            if x[0] > 1:
                y = x
            else:
                y = 1.0
            return y
        f(f32)
    """,
    "if of a number and a weak tensor": """
        @tf.function
        def f(x):
            y = tf.constant(1)
            if x[0] > 1:
                y = y + 1
            return y
        result = f(f32)
    """,
    "autograph while": """
        @tf.function
        def f(x):
            i = tf.constant(0)
            while i < 3:
                x = x + 1
                i += 1
            return x, i
        result = [f(wf32), f(f32), f(f16)]
    """,
    "cond": "result = [tf.cond(True, lambda: wf32, lambda: wf32 + 1), tf.cond(f32[0] > 5, lambda: wi32 * 2, lambda: wi32)]",
    "traced cond": """
        result = tf.function(lambda p: tf.cond(p, lambda: wf32 * 2, lambda: wf32))(tf.constant(True))
    """,
    "while_loop": """
        result = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (tf.constant(0), wf32))
    """,
    "traced while_loop": """
        result = tf.function(lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, x)))(wf32)
    """,
    "sizes in functions": """
        @tf.function
        def f(n):
            two = tf.constant(2)
            return tf.zeros(tf.constant([2, 1])), tf.ones([two, 1]), tf.zeros(n), tf.fill([two, n], 1.5)
        result = f(tf.constant(3))
    """,
    "numbers in results": """
        @tf.function
        def f(x):
            return {"a": [1, x * 2.5], "b": (True, 2j, None)}, "text", np.float32(3)
        result = f(wi32)
    """,
    "random numbers of numpy": """
        random = tnp.random
        result = [x.dtype for x in (random.rand(2), random.randn(2), random.random(), random.uniform(1, 2), random.standard_normal())]
        result += [random.poisson(2.0).dtype, random.randint(3).dtype, tnp.zeros(2, None).dtype, tnp.empty(2, None).dtype]
    """,
    "map_fn": "result = tf.map_fn(lambda x: x * 2, wf32)",
    "scan": "result = tf.scan(lambda a, x: a + x, f32)",
    "vectorized_map": "result = tf.vectorized_map(lambda x: x * 2, f32)",
    "switch_case": "result = tf.switch_case(1, [lambda: wf32, lambda: wf32 + 1])",
    "case": "result = tf.case([(f32[0] > 5, lambda: wf32)], default=lambda: wf32 * 3)",
    "gradient": """
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        result = [y, tape.gradient(y, x)]
    """,
    "gradient of strong": """
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(f16)
            y = f16 * 2.5 + wf32
            z = y * 3
        result = [y, tape.gradient(y, f16), tape.gradient(z, [f16])]
    """,
    "gradient of variable": """
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v * 3 + wi32)
        result = [y, tape.gradient(y, v)]
    """,
    "gradient of both": """
        x = tf.constant(2.0); v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x ** 2 * v
        result = tape.gradient(y, {"x": x, "v": v})
    """,
    "gradient through cast": """
        with tf.GradientTape() as tape:
            tape.watch(wf32)
            y = wf32 * f64
        result = [y, tape.gradient(y, wf32)]
    """,
    "gradient in function": """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * x * 2
            return tape.gradient(y, x)
        result = [f(wf32), f(f32)]
    """,
    "gradient of function": """
        f = tf.function(lambda x: x * x * 2)
        with tf.GradientTape() as tape:
            tape.watch(wf32)
            y = f(wf32)
        result = tape.gradient(y, wf32)
    """,
    "gradient of weak target alone": """
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(3.0)
        result = tape.gradient(y, v)
    """,
    "jacobian": """
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f32 * f32 * wi32
        result = tape.jacobian(y, f32)
    """,
    "output gradients": """
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f32 * 2
        result = tape.gradient(y, f32, output_gradients=wf32)
    """,
    "dataset": """
        result = [x for x in tf.data.Dataset.from_tensor_slices(wf32).map(lambda x: x + 1)]
    """,
    "dataset of numbers": "result = [x for x in tf.data.Dataset.range(2).map(lambda x: x * 2)]",
    "spec": """
        spec = wf32._type_spec
        result = [type(spec).__name__, spec.value_type.__name__, spec == tf.constant([7.0, 8.0])._type_spec,
                  spec == wi32._type_spec, spec.is_compatible_with(wf32), spec.is_compatible_with(wi32),
                  spec._to_components(wf32), spec._from_components([f32]), repr(spec)]
    """,
    "signature": """
        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def f(x):
            return x + 1
        result = [f(f32), f([1, 2.5]), f(wf32)]
    """,
    "signature of weak": """
        f = tf.function(lambda x: x + 1, input_signature=[wf32._type_spec])
        result = [f(wf32), f(tf.constant([8.0, 9.0]))]
    """,
    "concrete": "result = tf.function(lambda x: x + 1).get_concrete_function(wf32)(wf32)",
    "not allowed": "result = type(wf32).from_tensor(f16)",
    "not allowed bool": "result = type(wf32)(b8)",
    "made": "W = type(wf32); result = [W(f32), W.from_tensor(f32), W.from_tensor(i64), W([1.5, 2.5])]",
    "made of number": "result = type(wf32).from_tensor(1.5)",
    "immutable": "wf32.tensor = f32",
    "big int": "result = tf.constant(2 ** 40)",
    "big int in operator": "result = i64 + 2 ** 40",
    "big int with dtype": "result = tf.constant(2 ** 40, tf.int64)",
    "strings": "result = [tf.constant('a'), tf.constant(['a', 'b']) + 'c', tf.constant('a') == 'a']",
    "string and number": "result = tf.constant('a') + 1",
    "bool": "result = [tf.constant(True), tf.constant(True) + 1, tf.constant([True, False]) * 1.5, b8 & True, ~b8, b8 * b8]",
    "none": "result = tf.constant(None)",
    "nested": "result = [tf.constant([[1, 2], [3, 4]]), tf.constant([[1, 2.5]]), tf.constant((1, 2j)), tf.constant([])]",
    "mixed lists": "result = [tf.constant([1, wf32[0]]), tf.stack([1.0, wi32[0]]), tf.constant([f32[0], 1])]",
    "of numpy": "result = [tf.constant(np.float32(1)), tf.constant(np.array([1, 2])), tf.constant([np.float32(1), 2])]",
    "of range": "result = [tf.constant(range(3)), tnp.array(range(3))]",
    "sums": "result = [sum([wf32, f16]), sum([1, wf32]), max(wi32[0], wi32[1])]",
    "chain": "result = tf.nn.relu(wf32 * f16 + 1.5) ** 2 / 3",
    "sparse": "result = tf.abs(tf.sparse.from_dense([[1.0, 0.0]])).values",
    "ragged": "result = [tf.abs(tf.ragged.constant([[-1.0]])), tf.ragged.constant([[1.0]]) + 1]",
    "mode twice": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
        result = [tf.constant(1), wf32 + f16]
    """,
    "mode off": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
        try:
            result = [tf.constant(1), tf.abs(2.0), tf.add(1, 2), f32 + 1]
        finally:
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
    """,
    "mode legacy": """
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="legacy")
        try:
            result = [tf.constant(1), tf.abs(2.0), tf.add(1, 2), f32 + i32, f16 + 1.5, tnp.array(1), tnp.add(1, 2.5)]
        finally:
            tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
    """,
    "mode unknown": "tnp.experimental_enable_numpy_behavior(dtype_conversion_mode='x')",
    "keyword": "result = [tf.abs(x=wf32), tf.add(x=wf32, y=f16, name='n'), tf.reduce_sum(input_tensor=wf32), tf.constant(value=1)]",
    "names": "result = [tf.abs(wf32, 'n'), tf.abs(wf32, name='n'), tf.constant(1.0, name='n')]",
    "wrong keyword": "tf.abs(wf32, zz=1)",
    "missing argument": "tf.add(wf32)",
    "compat": """
        v1 = tf.compat.v1
        result = [v1.abs(wf32), v1.reduce_sum(wf32), v1.constant(1), v1.expand_dims(wf32, 0), v1.zeros_like(wf32),
                  v1.transpose(wf32), v1.squeeze(wf32), tf.compat.v2.abs(wf32), v1.nn.log_softmax(wf32)]
    """,
    "tensor array": "result = tf.TensorArray(tf.float32, 2).write(0, wf32[0]).write(1, 2.0).stack()",
    "custom gradient": """
        @tf.custom_gradient
        def f(x):
            return x * 2, lambda dy: dy * 7
        with tf.GradientTape() as tape:
            tape.watch(f32)
            y = f(f32)
        result = [y, tape.gradient(y, f32)]
    """,
    "py_function": "result = tf.py_function(lambda x: x + 1, [wf32], tf.float32)",
    "numpy_function": "result = tf.numpy_function(lambda x: x * 2, [wf32], tf.float32)",
    "asserts": "tf.debugging.assert_equal(wf32, f32 * 1.0); result = 'passed'",
    "assert of weak": "tf.debugging.assert_equal(wf32, wf32 + 0); tf.debugging.assert_greater(wf32, 0.0); result = 'passed'",
    "slices": "result = [f32[tf.constant(0)], f32[wi], f32[:wi], tf.gather(f32, wi)]",
    "shapes": "result = [tf.zeros(wi32).shape, tf.reshape(f32, wi32[0] - 1), tf.ones([wi32[0]]), tf.range(wi)]",
    "axis": "result = [tf.reduce_sum(m32, wi), tf.concat([f32, f32], tf.constant(0)), tf.expand_dims(f32, tf.constant(0))]",
    "dispatch": """
        class M(tf.experimental.ExtensionType):
            v: tf.Tensor
        @tf.experimental.dispatch_for_api(tf.abs, {"x": M})
        def absolute(x, name=None):
            return M(tf.abs(x.v))
        result = tf.abs(M([-1.5])).v
    """,
    "dispatch of elementwise functions": """
        class M(tf.experimental.ExtensionType):
            v: tf.Tensor
        @tf.experimental.dispatch_for_unary_elementwise_apis(M)
        def apply(api, x):
            return M(api(x.v))
        result = [tf.exp(M([0.0])).v, tf.nn.relu(M([-1.0])).v]
    """,
    "module": """
        class M(tf.Module):
            def __init__(self):
                self.w = tf.Variable([1.0, 2.0])
                self.c = tf.constant(2.0)
            @tf.function
            def __call__(self, x):
                return x * self.w + self.c
        result = [M()(f32), M()(wf32), M()(2.0)]
    """,
}


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
