"""Matrix products: square ones that fit each cache, flat and narrow ones, batches, products with a vector, a layer.
Decompositions that do not need each other."""

from __future__ import annotations

from math import prod

from fusion import TF_MODES
from rows import Code, Row, Work, same

# Name -> the shapes of the operands.
SHAPES = {
    "32": ((32, 32), (32, 32)),
    "64": ((64, 64), (64, 64)),
    "128": ((128, 128), (128, 128)),
    "256": ((256, 256), (256, 256)),
    "1024": ((1024, 1024), (1024, 1024)),
    "2048": ((2048, 2048), (2048, 2048)),
    "32 x 784 x 128": ((32, 784), (784, 128)),
    "128 x 2048 x 10": ((128, 2048), (2048, 10)),
    "1024 x 16 x 1024": ((1024, 16), (16, 1024)),
    "64 of 64": ((64, 64, 64), (64, 64, 64)),
    "2048 by a vector": ((2048, 2048), (2048, 1)),
    "a vector by 2048": ((1, 2048), (2048, 2048)),
}
DATA = """
def operands(shapes, dtype):
    random = np.random.RandomState(3)
    return [arr(random.standard_normal(shape).astype(dtype)) for shape in shapes]
"""


# Without it jax computes in float32, whatever it is given.
X64 = "jax.config.update('jax_enable_x64', True)\n"


def codes(dtype: str) -> dict[str, Code]:
    found = same(Code(DATA + "run = function(lambda x, y: tf.matmul(x, y))", "run(*data)"), *TF_MODES)
    found |= same(Code(DATA + "run = jit(lambda x, y: xp.matmul(x, y))", "run(*data)"), "torch", "numpy")
    wide = X64 if dtype == "float64" else ""
    found["jax.jit"] = Code(wide + DATA + "run = jit(lambda x, y: xp.matmul(x, y))", "done(run(*data))")
    return found


def row(name: str, dtype: str) -> Row:
    shapes = SHAPES[name]
    wide = 2 if dtype == "float64" else 1
    elements = sum(prod(shape) for shape in shapes) + prod(shapes[0]) // shapes[0][-1] * shapes[1][-1]
    flops = 2.0 * prod(shapes[0]) * shapes[1][-1]
    return Row(
        f"{name}, {dtype}",
        codes(dtype),
        prepare=f"data = operands({shapes}, {dtype!r})",
        # Smaller ones fit the caches, and products with a vector the last one.
        work=Work(4.0 * wide * elements, wide * flops) if flops > 3e7 else None,
        tolerance=1e-3,
        mismatches=0.01,
    )


# A layer: x (256 x 784), weights, bias.
DENSE = ((256, 784), (784, 512), (512,))


def dense() -> Row:
    found = same(Code(DATA + "run = function(lambda x, w, b: tf.nn.relu(x @ w + b))", "run(*data)"), *TF_MODES)
    found["torch"] = Code(DATA + "run = jit(lambda x, w, b: xp.relu(xp.addmm(b, x, w)))", "run(*data)")
    found["jax.jit"] = Code(
        DATA + "import jax\nrun = jit(lambda x, w, b: jax.nn.relu(xp.matmul(x, w) + b))", "done(run(*data))"
    )
    return Row(
        "dense layer 256 x 784 x 512: product, bias, relu",
        found,
        prepare=f"data = operands({DENSE}, 'float32')",
        tolerance=1e-3,
        mismatches=0.01,
    )


POSITIVE = """
def positive(n, seed):
    a = np.random.RandomState(seed).standard_normal((n, n))
    return arr((a @ a.T + n * np.eye(n)).astype(np.float32))
"""


def two_factors() -> Row:
    found = same(
        Code(POSITIVE + "run = function(lambda x, y: tf.linalg.cholesky(x) + tf.linalg.cholesky(y))", "run(*data)"),
        *TF_MODES,
    )
    found |= same(
        Code(POSITIVE + "run = jit(lambda x, y: xp.linalg.cholesky(x) + xp.linalg.cholesky(y))", "run(*data)"),
        "torch",
        "numpy",
    )
    found["jax.jit"] = Code(
        POSITIVE + "run = jit(lambda x, y: xp.linalg.cholesky(x) + xp.linalg.cholesky(y))", "done(run(*data))"
    )
    return Row(
        "Cholesky factors of two matrices of 256 x 256",
        found,
        prepare="data = positive(256, 3), positive(256, 4)",
        tolerance=1e-3,
        mismatches=0.01,
    )


ROWS = [row(name, dtype) for dtype in ("float32", "float64") for name in SHAPES] + [dense(), two_factors()]
