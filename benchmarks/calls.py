"""What a call costs: traced functions by the kinds of their arguments, and an eager addition."""

from __future__ import annotations

from rows import Code, Goal, Row, same

# Written once for all libraries, on the names of their preludes.
FUNCTIONS = """
def vector(*values):
    return arr(np.array(values, np.float32))
x, other = vector(1.0, 2.0), vector(3.0, 4.0)
scalar = arr(np.float32(1))
vectors = [vector(i, i + 1) for i in range(100)]
nested = {"a": vectors[:5], "b": {"c": vectors[5:10], "d": [vectors[10:15], vectors[15:20]]}}
array = np.array([1, 2], np.float32)
class Model:
    def __init__(self):
        self.weight = x
    def __call__(self, value):
        return value * self.weight
"""
CALLS = {
    "call, a scalar": ("run = jit(lambda x: x + 1)", "run(scalar)"),
    "call, 10 tensors": ("run = jit(lambda *t: t[0] + t[-1])\nten = vectors[:10]", "run(*ten)"),
    "call, 100 tensors": ("run = jit(lambda *t: t[0] + t[-1])", "run(*vectors)"),
    "call, a nest of 20 leaves": ('run = jit(lambda n: n["a"][0] + n["b"]["d"][1][4])', "run(nested)"),
    "call, literals and keywords": (
        'run = jit(lambda x, n, scale=1.0, name="": x * scale + n, static=(1,))',
        'run(x, 2, scale=3.0, name="row")',
    ),
    "call, a method": ("class M(Model):\n    run = jit(Model.__call__, static=(0,))\nmodel = M()", "model.run(x)"),
    "call, a numpy array": ("run = jit(lambda x: x + 1)", "run(array)"),
    "eager a + b": ("", "x + other"),
}
COMPILED = ("tracefn", "tf.function", "TF XLA", "jax.jit", "torch.compile", "mlx.compile", "numba")
EAGER = ("TF eager", "torch", "numpy")
JAX_KEYWORDS = 'run = jax.jit(lambda x, n, scale=1.0, name="": x * scale + n, static_argnames=("n", "scale", "name"))'
NO_ANSWER = {
    "call, a nest of 20 leaves": {"numba": "does not support nested dicts of lists"},
    "call, literals and keywords": {"mlx.compile": "accepts only arrays where a literal may change"},
    "call, a method": {"numba": "does not compile methods of Python classes", "mlx.compile": "does not accept self"},
    "call, a numpy array": {
        "mlx.compile": "does not accept numpy arrays",
        "torch": "does not add numpy arrays",
        "TF eager": "is a plain Python function here, so numpy does the addition",
    },
    "eager a + b": {"numba": "has no eager arrays"},
}
GOALS = {
    "call, a scalar": Goal(
        "under 1 us and a fifth of jax.jit",
        lambda t: t["tracefn"] < 1e-6 and t["tracefn"] < t.get("jax.jit", float("inf")) / 5,
    ),
    "call, 100 tensors": Goal("under 1 us and 30 ns a tensor", lambda t: t["tracefn"] < 1e-6 + 99 * 30e-9),
    "eager a + b": Goal("half of torch", lambda t: t["tracefn"] < t.get("torch", float("inf")) / 2),
}


def row(name: str) -> Row:
    definition, expression = CALLS[name]
    eager_only = name == "eager a + b"
    names = ("tracefn", "jax.jit", "mlx.compile", *EAGER) if eager_only else COMPILED + EAGER
    codes = {}
    for contender in names:
        if contender in NO_ANSWER.get(name, {}):
            continue
        own = JAX_KEYWORDS if contender == "jax.jit" and "keywords" in name else definition
        codes |= same(Code(FUNCTIONS + own, expression), contender)
    return Row(name, codes, goal=GOALS.get(name), why_not=NO_ANSWER.get(name, {}))


ROWS = [row(name) for name in CALLS]
