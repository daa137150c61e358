"""Reductions along each axis, places of extremes, scans, sorting, transposes and random numbers."""

from __future__ import annotations

from fusion import TF_MODES
from rows import Code, Row, Work, same

DATA = """
random = np.random.RandomState(3)
wide = arr(random.standard_normal((4096, 4096)).astype("float32"))
rows = arr(random.standard_normal((512, 512)).astype("float32"))
mask = arr(random.standard_normal((4096, 4096)) > -1)
line = arr(random.standard_normal(1_000_000).astype("float32"))
"""
# Name -> the operand, and the call for tracefn and TensorFlow, for jax and numpy, and for torch; none: no such call.
CALLS = {
    "sum of 4096 x 4096 over axis 0": ("wide", "tf.reduce_sum(x, 0)", "xp.sum(x, 0)", "x.sum(0)"),
    "sum of 4096 x 4096 over axis 1": ("wide", "tf.reduce_sum(x, 1)", "xp.sum(x, 1)", "x.sum(1)"),
    "sum of 4096 x 4096": ("wide", "tf.reduce_sum(x)", "xp.sum(x)", "x.sum()"),
    "mean of 4096 x 4096 over axis 0": ("wide", "tf.reduce_mean(x, 0)", "xp.mean(x, 0)", "x.mean(0)"),
    "mean of 4096 x 4096 over axis 1": ("wide", "tf.reduce_mean(x, 1)", "xp.mean(x, 1)", "x.mean(1)"),
    "product of 4096 x 4096 over axis 0": ("wide", "tf.reduce_prod(x, 0)", "xp.prod(x, 0)", "x.prod(0)"),
    "product of 4096 x 4096 over axis 1": ("wide", "tf.reduce_prod(x, 1)", "xp.prod(x, 1)", "x.prod(1)"),
    "min of 4096 x 4096 over axis 0": ("wide", "tf.reduce_min(x, 0)", "xp.min(x, 0)", "x.amin(0)"),
    "min of 4096 x 4096 over axis 1": ("wide", "tf.reduce_min(x, 1)", "xp.min(x, 1)", "x.amin(1)"),
    "all of 4096 x 4096 over axis 0": ("mask", "tf.reduce_all(x, 0)", "xp.all(x, 0)", "x.all(0)"),
    "any of 4096 x 4096 over axis 1": ("mask", "tf.reduce_any(x, 1)", "xp.any(x, 1)", "x.any(1)"),
    "max of 4096 x 4096 over axis 0": ("wide", "tf.reduce_max(x, 0)", "xp.max(x, 0)", "x.amax(0)"),
    "max of 4096 x 4096 over axis 1": ("wide", "tf.reduce_max(x, 1)", "xp.max(x, 1)", "x.amax(1)"),
    "argmax of 4096 x 4096 over axis 0": ("wide", "tf.argmax(x, 0)", "xp.argmax(x, 0)", "x.argmax(0)"),
    "argmax of 4096 x 4096 over axis 1": ("wide", "tf.argmax(x, 1)", "xp.argmax(x, 1)", "x.argmax(1)"),
    "cumsum of 4096 x 4096 over axis 0": ("wide", "tf.cumsum(x, 0)", "xp.cumsum(x, 0)", "x.cumsum(0)"),
    "cumsum of 4096 x 4096 over axis 1": ("wide", "tf.cumsum(x, 1)", "xp.cumsum(x, 1)", "x.cumsum(1)"),
    "logcumsumexp of 4096 x 4096 over axis 0": (
        "wide", "tf.math.cumulative_logsumexp(x, 0)", None, "x.logcumsumexp(0)"
    ),
    "logcumsumexp of 4096 x 4096 over axis 1": (
        "wide", "tf.math.cumulative_logsumexp(x, 1)", None, "x.logcumsumexp(1)"
    ),
    "transpose of 4096 x 4096": ("wide", "tf.transpose(x)", "xp.transpose(x).copy()", "x.T.contiguous()"),
    "sort of 512 rows of 512": ("rows", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "sort of 10^6": ("line", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "argsort of 512 rows of 512": ("rows", "tf.argsort(x)", "xp.argsort(x)", "x.argsort()"),
    "top 10 of 512 rows of 512": ("rows", "tf.math.top_k(x, 10)[0]", None, "x.topk(10)[0]"),
}
BYTES = {"sum": 1, "mean": 1, "product": 1, "min": 1, "max": 1, "transpose": 2, "cumsum": 2, "all": 0.25, "any": 0.25}


MILLION = 1_000_000
# Name -> the call for tracefn and TensorFlow, jax, torch, and numpy; none: no such call.
DRAWS = {
    "10^6 normals": (
        "tf.random.normal([million])",
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
RANDOM = f"""
million = {MILLION}
logits = arr(np.random.RandomState(4).standard_normal((1000, 100)).astype("float32"))
"""


def draws(calls: tuple) -> dict[str, Code]:
    ours, jax, torch, numpy = calls
    found = same(Code(DATA + RANDOM + f"run = function(lambda: {ours})"), *TF_MODES)
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
    moved = BYTES.get(name.split()[0], 0) * 4.0 * 4096 * 4096 if "4096" in name else 0
    # Cumulative sums of one line add up the rounding of all before.
    tolerance = 1e-2 if "cumsum" in name else 1e-3
    return Row(name, codes(CALLS[name]), work=Work(moved, 0) if moved else None, tolerance=tolerance, mismatches=0.01)


# The generators differ, so only the shapes are compared.
ROWS = [
    *(row(name) for name in CALLS),
    *(Row(name, draws(calls), mismatches=1.0) for name, calls in DRAWS.items()),
]
