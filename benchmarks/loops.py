"""Loops whose number of steps the data decides: scalar, by arrays, with matrices, with lists of tensors."""

from __future__ import annotations

from rows import Code, Row, same

TF_MODES = ("tracefn", "tf.function", "TF XLA", "TF eager")
NO_LOOPS = {
    "torch.compile": "leaves data-dependent loops to Python",
    "mlx.compile": "has no data-dependent loops",
    "numexpr": "has no loops",
}

# Both for libraries that trace Python and for Python itself.
COLLATZ_PYTHON = """
def f(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps
"""
COLLATZ = {
    "tf": COLLATZ_PYTHON + "run, data = function(f), tf.constant(6171)\n",
    "jax.jit": """
def step(state):
    n, steps = state
    return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1
run = jax.jit(lambda n: lax.while_loop(lambda s: s[0] != 1, step, (n, jnp.int32(0)))[1])
data = jnp.int32(6171)
""",
    "python": COLLATZ_PYTHON + "run, data = jit(f), 6171\n",
}
COLLATZ["torch"] = COLLATZ["python"].replace("6171", "torch.tensor(6171)")

NEWTON = {
    "tf": """
def f(a):
    x = a
    while tf.abs(x * x - a) > 1e-5 * a:
        x = 0.5 * (x + a / x)
    return x
run, data = function(f), tf.constant(1e6)
""",
    "jax.jit": """
def f(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-5 * a, lambda x: 0.5 * (x + a / x), a)
run, data = jax.jit(f), jnp.float32(1e6)
""",
    "python": """
def f(a):
    x = a
    while abs(x * x - a) > np.float32(1e-5) * a:
        x = np.float32(0.5) * (x + a / x)
    return x
run, data = jit(f), np.float32(1e6)
""",
    "torch": """
def run(a):
    x = a
    while abs(x * x - a) > 1e-5 * a:
        x = 0.5 * (x + a / x)
    return x
data = torch.tensor(1e6)
""",
}

RANGE_SUM = {
    "tf": """
def f(n):
    total = 0.0
    for i in tf.range(n):
        total += tf.cast(i, tf.float32) * 0.5
    return total
run, data = function(f), tf.constant(1_000_000)
""",
    "jax.jit": """
def f(n):
    return lax.fori_loop(0, n, lambda i, total: total + i.astype(jnp.float32) * 0.5, jnp.float32(0))
run, data = jax.jit(f), jnp.int32(1_000_000)
""",
    "numba": """
def f(n):
    total = np.float32(0)
    for i in range(n):
        total += np.float32(i) * np.float32(0.5)
    return total
run, data = jit(f), 1_000_000
""",
}

GRID = """
def grid(n=400):
    x, y = np.meshgrid(np.linspace(-2, 0.6, n), np.linspace(-1.2, 1.2, n))
    return x.astype(np.float32), y.astype(np.float32)
"""
MANDELBROT = {
    "tf": GRID
    + """
def f(cx, cy, n):
    zx, zy, count = tf.zeros_like(cx), tf.zeros_like(cy), tf.zeros_like(cx)
    for _ in tf.range(n):
        inside = zx * zx + zy * zy < 4.0
        count += tf.cast(inside, tf.float32)
        zx, zy = tf.where(inside, zx * zx - zy * zy + cx, zx), tf.where(inside, 2.0 * zx * zy + cy, zy)
    return count
run, data = function(f), (*map(tf.constant, grid()), tf.constant(50))
""",
    "jax.jit": GRID
    + """
def f(cx, cy, n):
    def step(_, state):
        zx, zy, count = state
        inside = zx * zx + zy * zy < 4.0
        return (jnp.where(inside, zx * zx - zy * zy + cx, zx), jnp.where(inside, 2.0 * zx * zy + cy, zy),
                count + inside.astype(jnp.float32))
    zero = jnp.zeros_like(cx)
    return lax.fori_loop(0, n, step, (zero, zero, zero))[2]
run, data = jax.jit(f), (*map(jnp.asarray, grid()), 50)
""",
    "numba": GRID
    + """
@njit(parallel=True, fastmath=True)
def run(cxs, cys, n):
    out = np.empty_like(cxs)
    for i in prange(cxs.shape[0]):
        for j in range(cxs.shape[1]):
            cx, cy, x, y, count = cxs[i, j], cys[i, j], f32(0), f32(0), 0
            while count < n and x * x + y * y < f32(4):
                x, y = x * x - y * y + cx, f32(2) * x * y + cy
                count += 1
            out[i, j] = count
    return out
data = (*grid(), 50)
""",
    "arrays": GRID
    + """
def run(cx, cy, n):
    zx, zy, count = xp.zeros_like(cx), xp.zeros_like(cy), xp.zeros_like(cx)
    for _ in range(n):
        inside = zx * zx + zy * zy < 4.0
        count += inside
        zx, zy = xp.where(inside, zx * zx - zy * zy + cx, zx), xp.where(inside, 2.0 * zx * zy + cy, zy)
    return count
data = (*map(arr, grid()), 50)
""",
}

MATRIX = """
def matrix(n=200):
    a = np.random.RandomState(3).rand(n, n).astype(np.float32)
    return (a + a.T) / n, np.ones((n, 1), np.float32)
"""
POWER = {
    "tf": MATRIX
    + """
def f(a, v, n):
    for _ in tf.range(n):
        v = a @ v
        v = v / tf.norm(v)
    return v
run, data = function(f), (*map(tf.constant, matrix()), tf.constant(100))
""",
    "jax.jit": MATRIX
    + """
def step(a, v):
    v = a @ v
    return v / jnp.linalg.norm(v)
run = jax.jit(lambda a, v, n: lax.fori_loop(0, n, lambda _, v: step(a, v), v))
data = (*map(jnp.asarray, matrix()), 100)
""",
    "numba": MATRIX
    + """
@njit(fastmath=True)
def run(a, v, n):
    for _ in range(n):
        v = a @ v
        v = v / np.float32(np.linalg.norm(v))
    return v
data = (*matrix(), 100)
""",
    "arrays": MATRIX
    + """
def run(a, v, n):
    for _ in range(n):
        v = a @ v
        v = v / xp.linalg.norm(v)
    return v
data = (*map(arr, matrix()), 100)
""",
}

WEIGHTS = """
def rnn_data(steps=100, batch=32, width=64):
    random = np.random.RandomState(5)
    f = lambda *shape: (random.randn(*shape) * 0.1).astype(np.float32)
    return f(steps, batch, width), f(batch, width), f(width, width), f(width, width)
"""
RNN = {
    "tf": WEIGHTS
    + """
def f(x, h, w, u):
    outputs = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        h = tf.tanh(x[i] @ w + h @ u)
        outputs = outputs.write(i, h)
    return outputs.stack()
run, data = function(f), [tf.constant(a) for a in rnn_data()]
""",
    "jax.jit": WEIGHTS
    + """
def f(x, h, w, u):
    def step(h, row):
        h = jnp.tanh(row @ w + h @ u)
        return h, h
    return lax.scan(step, h, x)[1]
run, data = jax.jit(f), [jnp.asarray(a) for a in rnn_data()]
""",
    "arrays": WEIGHTS
    + """
def run(x, h, w, u):
    outputs = []
    for i in range(x.shape[0]):
        h = xp.tanh(x[i] @ w + h @ u)
        outputs.append(h)
    return xp.stack(outputs)
data = [arr(a) for a in rnn_data()]
""",
    "numba": WEIGHTS
    + """
@njit(fastmath=True)
def run(x, h, w, u):
    outputs = np.empty((x.shape[0], *h.shape), np.float32)
    for i in range(x.shape[0]):
        h = np.tanh(x[i] @ w + h @ u)
        outputs[i] = h
    return outputs
data = rnn_data()
""",
}


def row(name: str, sources: dict[str, str], star: bool, mismatches: float = 0.0) -> Row:
    expression = "run(*data)" if star else "run(data)"
    found = same(Code(sources["tf"], expression), *TF_MODES)
    found["jax.jit"] = Code(sources["jax.jit"], f"done({expression})")
    if "python" in sources:
        found |= same(Code(sources["python"], expression), "numba", "numpy")
    if "torch" in sources:
        found["torch"] = Code(sources["torch"], expression)
    if "numba" in sources:
        found["numba"] = Code(sources["numba"], expression)
    if "arrays" in sources:
        found |= same(Code(sources["arrays"], expression), "torch", "numpy")
        found["mlx.compile"] = Code(sources["arrays"], f"done({expression})")
    why_not = {name: why for name, why in NO_LOOPS.items() if name not in found}
    if sources is RANGE_SUM:
        del found["TF eager"]
        why_not["TF eager"] = "runs three million ops one by one, for about 15 s"
    return Row(name, found, mismatches=mismatches, tolerance=1e-3, why_not=why_not)


ROWS = [
    row("Collatz, 261 steps", COLLATZ, star=False),
    row("Newton's square root", NEWTON, star=False),
    row("sum over tf.range(1_000_000)", RANGE_SUM, star=False),
    # Points at the border leave one step earlier or later, by how a product is rounded.
    row("Mandelbrot, 400 x 400, 50 steps", MANDELBROT, star=True, mismatches=0.02),
    row("power iteration, 200 x 200, 100 steps", POWER, star=True),
    row("dynamic RNN, 100 steps of 32 x 64", RNN, star=True),
]
