"""What the first call costs: tracing, optimizing and compiling, new shapes, and AutoGraph's conversion."""

from __future__ import annotations

from rows import Code, Row, same, under

PROGRAM = """
x, y = arr(np.array([0.5, 0.25], np.float32)), arr(np.array([1.5, 0.75], np.float32))
def mixed(x, y, n):
    for _ in range(n // 4):
        x = (x * y - y) * 0.5 + 1.0
    return x
def adds(x, n):
    for _ in range(n):
        x = x + 1.0
    return x
"""
TF = """
def graph(f):
    return function(f) if function is not tf.function else tf.function(f, autograph=False)
"""
FIRST = {
    "tf": TF + "def run(): return graph(lambda x, y: mixed(x, y, 1000))(x, y)",
    "any": "def run(): return done(jit(lambda x, y: mixed(x, y, 1000))(x, y))",
    # It keeps what it compiled by the code object, and on disk.
    "torch.compile": """
import torch._dynamo, torch._inductor.config
torch._inductor.config.force_disable_caches = True
def run():
    torch._dynamo.reset()
    return jit(lambda x, y: mixed(x, y, 1000))(x, y)
""",
}
TRACE = {
    "tf": TF + "def run(): return len(graph(lambda x: adds(x, 1000)).get_concrete_function(x).inputs)",
    "jax.jit": "def run(): return len(jax.jit(lambda x: adds(x, 1000)).trace(x).jaxpr.jaxpr.invars)",
}
# A shape that was not met before at each call; the result does not depend on which.
SHAPES = """
import itertools
lengths = itertools.count(2)
def zeros():
    return arr(np.zeros(next(lengths), np.float32))
"""
NEW_SHAPE = {
    "tf": TF + SHAPES + "shaped = graph(lambda x: adds(x, 40))\ndef run(): return shaped(zeros())[:1]",
    "any": SHAPES + "shaped = jit(lambda x: adds(x, 40))\ndef run(): return done(shaped(zeros())[:1])",
}
CONVERTED = """
import types
def thirty_lines(x, n, flag=None):
    total = 0
    count = 0
    best = x
    for i in range(n):
        if i % 3 == 0:
            continue
        if x > i and flag is not None:
            total += i * x
            best = max(best, total)
        elif x < -i or not flag:
            total -= i
        else:
            break
    values = [v * 2 for v in (1, 2, 3) if v > 1]
    while total > 100:
        total = total // 2
        count += 1
        if count > 10:
            break
    result = max(len(values), count)
    for row, weight in zip(values, [0.5, 0.25]):
        if 0 < row < 10:
            result = result + int(row * weight)
    if result == 0:
        return total
    assert count < 1000, "too many"
    found = {"k": result, "best": best}
    found["k"] += 1
    return result + found["k"]
numbers = iter(range(10**9))
def run():
    # Conversion is kept by code object: each time another one, that has a constant more.
    code = thirty_lines.__code__
    code = code.replace(co_consts=(*code.co_consts, ("new", next(numbers))))
    return tf.autograph.to_graph(types.FunctionType(code, globals(), "thirty_lines", (None,)))(3, 7, True)
"""
CONDITIONS = """
def conditions(n, low, high):
    found = 0
    for _ in range(n):
        if low < high:
            found = 1
        if high < low:
            found = 2
        if low:
            found = 3
        if not low:
            found = 4
    return found
"""
COMPILERS = ("jax.jit", "torch.compile", "mlx.compile")


def codes(sources: dict[str, str]) -> dict[str, Code]:
    result = same(Code(PROGRAM + sources["tf"]), "tracefn", "tf.function", "TF XLA")
    if "any" in sources:
        result |= same(Code(PROGRAM + sources["any"]), *COMPILERS)
    for name in sources.keys() & set(COMPILERS):
        result[name] = Code(PROGRAM + sources[name])
    return result


NO_TRACE_ONLY = {"torch.compile": "traces and compiles in one step", "mlx.compile": "traces and compiles in one step"}
ROWS = [
    Row("trace, per op of 1,000", codes(TRACE), scale=1000, goal=under(2e-6, "2 us"), why_not=NO_TRACE_ONLY),
    Row("first call of a 1,000-op function", codes(FIRST), goal=under(12e-3, "12 ms")),
    Row("a new shape of a 40-op function", codes(NEW_SHAPE), goal=under(0.4e-3, "0.4 ms")),
    Row("AutoGraph, converting 30 lines", same(Code(CONVERTED), "tracefn", "tf.function")),
    Row(
        "AutoGraph, a Python condition",
        {
            **same(
                Code(
                    CONDITIONS
                    + "converted = tf.autograph.to_graph(conditions)\ndef run(): return converted(5000, 1, 2)"
                ),
                "tracefn",
                "tf.function",
            ),
        },
        scale=20000,
    ),
]
