"""Elementwise chains, with and without a reduction: small, middling, and as large as memory bandwidth counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from rows import Code, Row, Work, same

SIZES = {1_000: "10^3", 100_000: "10^5", 10_000_000: "10^7"}
# Operations that a polynomial of float32 precision takes, counted low: what the fraction of the peak is taken of.
EXP, LOG, ERF, TANH, SIN = 14, 18, 24, 22, 16


@dataclass(frozen=True)
class Function:
    """A function in the languages of the contenders.

    `arrays` is how many arrays it reads and writes, `flops` per element what it computes at least. `tf` defines f(...) on
    tf, `xp` on the common names of numpy, jax.numpy, torch and mlx; `numba` a loop over flat arrays or rows; `numexpr` an
    expression. `own` overrides per contender.
    """

    inputs: int
    arrays: int
    flops: int
    tf: str
    xp: str
    numba: str
    numexpr: str = ""
    own: dict[str, str] = field(default_factory=dict)
    rows: bool = False
    why_not: dict[str, str] = field(default_factory=dict)


FUNCTIONS = {
    "Black-Scholes": Function(
        3,
        4,
        LOG + EXP + 2 * ERF + 20,
        tf="""
def cdf(x):
    return 0.5 * (1.0 + tf.math.erf(x * 0.70710678))
def f(s, k, t):
    root = 0.3 * tf.sqrt(t)
    d1 = (tf.math.log(s / k) + 0.065 * t) / root
    return s * cdf(d1) - k * tf.exp(-0.02 * t) * cdf(d1 - root)
""",
        xp="""
def cdf(x):
    return 0.5 * (1.0 + erf(x * 0.70710678))
def f(s, k, t):
    root = 0.3 * xp.sqrt(t)
    d1 = (xp.log(s / k) + 0.065 * t) / root
    return s * cdf(d1) - k * xp.exp(-0.02 * t) * cdf(d1 - root)
""",
        numba="""
def f(ss, ks, ts):
    out = np.empty_like(ss)
    for i in prange(ss.size):
        s, k, t = ss[i], ks[i], ts[i]
        root = f32(0.3) * math.sqrt(t)
        d1 = (math.log(s / k) + f32(0.065) * t) / root
        d2 = d1 - root
        n1 = f32(0.5) * (f32(1) + math.erf(d1 * f32(0.70710678)))
        n2 = f32(0.5) * (f32(1) + math.erf(d2 * f32(0.70710678)))
        out[i] = s * n1 - k * math.exp(f32(-0.02) * t) * n2
    return out
""",
        why_not={"numexpr": "has no erf"},
    ),
    "GELU": Function(
        1,
        2,
        TANH + 8,
        tf="def f(x): return 0.5 * x * (1.0 + tf.tanh(0.79788456 * (x + 0.044715 * (x * x * x))))",
        xp="def f(x): return 0.5 * x * (1.0 + xp.tanh(0.79788456 * (x + 0.044715 * (x * x * x))))",
        numba="""
def f(xs):
    out = np.empty_like(xs)
    for i in prange(xs.size):
        x = xs[i]
        out[i] = f32(0.5) * x * (f32(1) + math.tanh(f32(0.79788456) * (x + f32(0.044715) * (x * x * x))))
    return out
""",
        numexpr="c0 * x0 * (c1 + tanh(c2 * (x0 + c3 * (x0 * x0 * x0)))) : 0.5, 1, 0.79788456, 0.044715",
        own={"torch": 'def f(x): return torch.nn.functional.gelu(x, approximate="tanh")'},
    ),
    "scaled ELU": Function(
        1,
        2,
        EXP + 4,
        tf="def f(x): return 1.0507 * tf.where(x > 0.0, x, 1.67326 * (tf.exp(x) - 1.0))",
        xp="def f(x): return 1.0507 * xp.where(x > 0.0, x, 1.67326 * (xp.exp(x) - 1.0))",
        numba="""
def f(xs):
    out = np.empty_like(xs)
    for i in prange(xs.size):
        x = xs[i]
        out[i] = f32(1.0507) * (x if x > f32(0) else f32(1.67326) * (math.exp(x) - f32(1)))
    return out
""",
        numexpr="c0 * where(x0 > c1, x0, c2 * (exp(x0) - c3)) : 1.0507, 0, 1.67326, 1",
        own={"torch": "def f(x): return torch.selu(x)"},
    ),
    "sin^2 + cos^2": Function(
        1,
        2,
        2 * SIN + 3,
        tf="def f(x): return tf.sin(x) ** 2 + tf.cos(x) ** 2",
        xp="def f(x): return xp.sin(x) ** 2 + xp.cos(x) ** 2",
        numba="""
def f(xs):
    out = np.empty_like(xs)
    for i in prange(xs.size):
        x = xs[i]
        out[i] = math.sin(x) ** 2 + math.cos(x) ** 2
    return out
""",
        numexpr="sin(x0) ** 2 + cos(x0) ** 2 : ",
    ),
    "softmax": Function(
        1,
        2,
        EXP + 4,
        tf="def f(x): return tf.nn.softmax(x)",
        xp="""
def f(x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)
""",
        numba="""
def f(xs):
    out = np.empty_like(xs)
    for i in prange(xs.shape[0]):
        top = xs[i, 0]
        for j in range(xs.shape[1]):
            top = max(top, xs[i, j])
        total = f32(0)
        for j in range(xs.shape[1]):
            e = math.exp(xs[i, j] - top)
            out[i, j] = e
            total += e
        total = f32(1) / total
        for j in range(xs.shape[1]):
            out[i, j] *= total
    return out
""",
        own={
            "torch": "def f(x): return torch.softmax(x, -1)",
            "torch.compile": "def f(x): return torch.softmax(x, -1)",
            "jax.jit": "def f(x): return jax.nn.softmax(x)",
            "mlx.compile": "def f(x): return mx.softmax(x, axis=-1)",
        },
        rows=True,
        why_not={"numexpr": "cannot use a reduction in what follows it"},
    ),
    "layernorm": Function(
        1,
        2,
        8,
        tf="""
def f(x):
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    d = x - mean
    return d * tf.math.rsqrt(tf.reduce_mean(d * d, axis=-1, keepdims=True) + 1e-5)
""",
        xp="""
def f(x):
    d = x - xp.mean(x, axis=-1, keepdims=True)
    return d / xp.sqrt(xp.mean(d * d, axis=-1, keepdims=True) + 1e-5)
""",
        numba="""
def f(xs):
    out = np.empty_like(xs)
    n = xs.shape[1]
    for i in prange(xs.shape[0]):
        mean = f32(0)
        for j in range(n):
            mean += xs[i, j]
        mean /= f32(n)
        squares = f32(0)
        for j in range(n):
            d = xs[i, j] - mean
            squares += d * d
        scale = f32(1) / math.sqrt(squares / f32(n) + f32(1e-5))
        for j in range(n):
            out[i, j] = (xs[i, j] - mean) * scale
    return out
""",
        own={
            "torch": "def f(x): return torch.nn.functional.layer_norm(x, x.shape[-1:])",
            "torch.compile": "def f(x): return torch.nn.functional.layer_norm(x, x.shape[-1:])",
            "mlx.compile": "def f(x): return mx.fast.layer_norm(x, None, None, 1e-5)",
        },
        rows=True,
        why_not={"numexpr": "cannot use a reduction in what follows it"},
    ),
    "mse loss": Function(
        2,
        2,
        3,
        tf="def f(x, y): return tf.reduce_mean(tf.square(x - y))",
        xp="def f(x, y): return xp.mean((x - y) ** 2)",
        numba="""
def f(xs, ys):
    total = f32(0)
    for i in prange(xs.size):
        d = xs[i] - ys[i]
        total += d * d
    return total / f32(xs.size)
""",
        numexpr="sum((x0 - x1) ** 2) : ",
        own={"torch": "def f(x, y): return torch.nn.functional.mse_loss(x, y)"},
    ),
}
DATA = """
def inputs(count, shape):
    random = np.random.RandomState(7)
    return [arr((random.rand(*shape) * 4 + 0.5).astype(np.float32)) for _ in range(count)]
"""
TF_MODES = ("tracefn", "tf.function", "TF XLA", "TF eager")
XP_MODES = ("jax.jit", "torch", "torch.compile", "mlx.compile", "numpy")


def numexpr(function: Function) -> str:
    """An expression on x0, x1 and constants c0, c1 of single precision (its `float`), which literals would not have."""
    expression, constants = function.numexpr.split(" : ")
    values = [c for c in constants.split(", ") if c]
    names = [f"x{i}" for i in range(function.inputs)] + [f"c{i}" for i in range(len(values))]
    mean = " / f32(data[0].size)" if expression.startswith("sum") else ""
    return (
        f"f32 = np.float32\ncompiled = ne.NumExpr({expression!r}, [(n, float) for n in {names}])\n"
        f"constants = [np.array(c, np.float32) for c in ({''.join(v + ', ' for v in values)})]\n"
        f"def run(*x): return compiled(*x, *constants){mean}\n"
    )


def codes(function: Function) -> dict[str, Code]:
    expression = "run(*data)"
    found = same(Code(DATA + function.tf + "\nrun = function(f)", expression), *TF_MODES)
    for name in XP_MODES:
        source = DATA + function.own.get(name, function.xp) + "\nrun = jit(f)"
        found[name] = Code(source, "done(run(*data))" if name in ("jax.jit", "mlx.compile") else expression)
    if function.numexpr:
        found["numexpr"] = Code(DATA + numexpr(function), expression)
    # Threads do not pay for a thousand elements.
    compiled = "serial, parallel = njit(fastmath=True)(f), njit(parallel=True, fastmath=True)(f)\n"
    pick = "def run(*x): return (serial if x[0].size < 10_000 else parallel)(*x)\n"
    found["numba"] = Code(DATA + function.numba + compiled + pick, expression)
    return found


def row(name: str, size: int) -> Row:
    function = FUNCTIONS[name]
    width = min(1000, size // 10)
    shape = (size // width, width) if function.rows else (size,)
    work = Work(4.0 * function.arrays * size, float(function.flops) * size) if size == 10_000_000 else None
    return Row(
        f"{name}, {SIZES[size]}",
        codes(function),
        prepare=f"data = inputs({function.inputs}, {shape})",
        work=work,
        why_not=function.why_not,
        # Long sums in single precision differ by their order.
        tolerance=2e-3 if name in ("mse loss", "layernorm") else 2e-4,
    )


ROWS = [row(name, size) for name in FUNCTIONS for size in SIZES]
