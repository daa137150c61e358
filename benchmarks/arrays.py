"""Reductions along each axis, places of extremes, scans, sorting, transposes and random numbers."""

from __future__ import annotations

from fusion import TF_MODES
from rows import Code, Row, Work, same

DATA = """
random = np.random.RandomState(3)
wide = arr(random.standard_normal((4096, 4096)).astype("float32"))
rows = arr(random.standard_normal((512, 512)).astype("float32"))
# So that no library finds its answer before the end.
mask = arr(np.ones((4096, 4096), bool))
blank = arr(np.zeros((4096, 4096), bool))
line = arr(random.standard_normal(1_000_000).astype("float32"))
"""
# Name -> the operand, and the names of the function in tracefn and TensorFlow, in jax and numpy, and in torch.
REDUCTIONS = {
    "sum": ("wide", "reduce_sum", "sum", "sum"),
    "mean": ("wide", "reduce_mean", "mean", "mean"),
    "product": ("wide", "reduce_prod", "prod", "prod"),
    "min": ("wide", "reduce_min", "min", "amin"),
    "max": ("wide", "reduce_max", "max", "amax"),
    "all": ("mask", "reduce_all", "all", "all"),
    "any": ("blank", "reduce_any", "any", "any"),
    "variance": ("wide", "math.reduce_variance", "var", "var"),
}


def reductions() -> dict[str, tuple]:
    """Each over the rows, the columns and all."""
    found: dict[str, tuple] = {}
    for name, (operand, ours, arrays, torch) in REDUCTIONS.items():
        unbiased = ", correction=0" if torch == "var" else ""
        for axis in (0, 1):
            call = (f"tf.{ours}(x, {axis})", f"xp.{arrays}(x, {axis})", f"x.{torch}({axis}{unbiased})")
            found[f"{name} of 4096 x 4096 over axis {axis}"] = (operand, *call)
        call = (f"tf.{ours}(x)", f"xp.{arrays}(x)", f"x.{torch}({unbiased.removeprefix(', ')})")
        found[f"{name} of 4096 x 4096"] = (operand, *call)
    return found


# Name -> the operand, and the call for tracefn and TensorFlow, for jax and numpy, and for torch; none: no such call.
CALLS = {
    **reductions(),
    "argmax of 4096 x 4096 over axis 0": ("wide", "tf.argmax(x, 0)", "xp.argmax(x, 0)", "x.argmax(0)"),
    "argmax of 4096 x 4096 over axis 1": ("wide", "tf.argmax(x, 1)", "xp.argmax(x, 1)", "x.argmax(1)"),
    "cumsum of 4096 x 4096 over axis 0": ("wide", "tf.cumsum(x, 0)", "xp.cumsum(x, 0)", "x.cumsum(0)"),
    "cumsum of 4096 x 4096 over axis 1": ("wide", "tf.cumsum(x, 1)", "xp.cumsum(x, 1)", "x.cumsum(1)"),
    "logcumsumexp of 4096 x 4096 over axis 0": (
        "wide",
        "tf.math.cumulative_logsumexp(x, 0)",
        None,
        "x.logcumsumexp(0)",
    ),
    "logcumsumexp of 4096 x 4096 over axis 1": (
        "wide",
        "tf.math.cumulative_logsumexp(x, 1)",
        None,
        "x.logcumsumexp(1)",
    ),
    "transpose of 4096 x 4096": ("wide", "tf.transpose(x)", "xp.transpose(x).copy()", "x.T.contiguous()"),
    "sort of 512 rows of 512": ("rows", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "sort of 10^6": ("line", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "argsort of 512 rows of 512": ("rows", "tf.argsort(x)", "xp.argsort(x)", "x.argsort()"),
    "top 10 of 512 rows of 512": ("rows", "tf.math.top_k(x, 10)[0]", None, "x.topk(10)[0]"),
}
BYTES = {"transpose": 2, "cumsum": 2, "argmax": 1, "all": 0.25, "any": 0.25}


MILLION = 1_000_000
# Name -> the call for tracefn and TensorFlow, jax, torch, and numpy; none: no such call.
DRAWS = {
    "10^6 normals": (
        "tf.random.normal([million])",
        "jax.random.normal(key, (million,))",
        "torch.randn(million)",
        "generator.standard_normal(million, dtype='float32')",
    ),
    "10^6 stateless normals": (
        "tf.random.stateless_normal([million], key)",
        "jax.random.normal(key, (million,))",
        "torch.randn(million)",
        "generator.standard_normal(million, dtype='float32')",
    ),
    "10^6 normals of float64": (
        "tf.random.normal([million], dtype='float64')",
        None,
        "torch.randn(million, dtype=torch.float64)",
        "generator.standard_normal(million)",
    ),
    "10^6 uniform numbers": (
        "tf.random.uniform([million])",
        "jax.random.uniform(key, (million,))",
        "torch.rand(million)",
        "generator.random(million, dtype='float32')",
    ),
    "10^6 uniform integers below 1000": (
        "tf.random.uniform([million], maxval=1000, dtype='int32')",
        "jax.random.randint(key, (million,), 0, 1000)",
        "torch.randint(1000, (million,), dtype=torch.int32)",
        "generator.integers(1000, size=million, dtype='int32')",
    ),
    "10^6 truncated normals": (
        "tf.random.truncated_normal([million])",
        "jax.random.truncated_normal(key, -2.0, 2.0, (million,))",
        "torch.nn.init.trunc_normal_(torch.empty(million), a=-2.0, b=2.0)",
        None,
    ),
    "10^6 gamma numbers": (
        "tf.random.gamma([million], 2.5)",
        "jax.random.gamma(key, 2.5, (million,))",
        "torch._standard_gamma(torch.full((million,), 2.5))",
        "generator.standard_gamma(2.5, million, dtype='float32')",
    ),
    "a shuffle of 10^6": (
        "tf.random.shuffle(line)",
        "jax.random.permutation(key, line)",
        "line[torch.randperm(million)]",
        "generator.permutation(line)",
    ),
    "1000 samples of 1000 rows of 100 classes": (
        "tf.random.categorical(logits, 1000)",
        "jax.random.categorical(key, logits[:, None], shape=(1000, 1000))",
        "torch.multinomial(torch.softmax(logits, 1), 1000, replacement=True)",
        None,
    ),
}
# The key is an argument, for TensorFlow folds draws of constant seeds into constants.
RANDOM = f"""
million = {MILLION}
logits = arr(np.random.RandomState(4).standard_normal((1000, 100)).astype("float32"))
"""


def draws(calls: tuple) -> dict[str, Code]:
    ours, jax, torch, numpy = calls
    source = f"key = arr(np.array([1, 2], 'int32'))\nrun = function(lambda key: {ours})"
    found = same(Code(DATA + RANDOM + source, "run(key)"), *TF_MODES)
    if jax:
        source = f"import jax\nkey = jax.random.key(5)\nrun = jit(lambda key: {jax})"
        found["jax.jit"] = Code(DATA + RANDOM + source, "done(run(key))")
    found["torch"] = Code(DATA + RANDOM + f"run = lambda: {torch}")
    if numpy:
        found["numpy"] = Code(DATA + RANDOM + f"generator = np.random.default_rng(5)\nrun = lambda: {numpy}")
    return found


def codes(call: tuple) -> dict[str, Code]:
    operand, ours, arrays, torch = call
    found = same(Code(DATA + f"run = function(lambda x: {ours})", f"run({operand})"), *TF_MODES)
    if arrays:
        found["numpy"] = Code(DATA + f"run = lambda x: {arrays}", f"run({operand})")
        found["jax.jit"] = Code(DATA + f"run = jit(lambda x: {arrays})", f"done(run({operand}))")
    found["torch"] = Code(DATA + f"run = lambda x: {torch}", f"run({operand})")
    return found


def row(name: str) -> Row:
    kind = name.split()[0]
    reads = kind in REDUCTIONS or kind == "argmax"
    moved = BYTES.get(kind, 1 if reads else 0) * 4.0 * 4096 * 4096
    # Cumulative sums of one line add up the rounding of all before.
    tolerance = 1e-2 if "cumsum" in name else 1e-3
    return Row(
        name, codes(CALLS[name]), work=Work(moved, 0, reads) if moved else None, tolerance=tolerance, mismatches=0.01
    )


# The generators differ, so only the shapes are compared.
ROWS = [
    *(row(name) for name in CALLS),
    *(Row(name, draws(calls), mismatches=1.0) for name, calls in DRAWS.items()),
]
