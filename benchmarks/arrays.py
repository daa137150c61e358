"""Reductions along each axis, places of extremes, scans, sorting, transposes and random numbers."""

from __future__ import annotations

from fusion import TF_MODES
from rows import Code, Row, Work, same

DATA = """
random = np.random.RandomState(3)
wide = arr(random.standard_normal((4096, 4096)).astype("float32"))
rows = arr(random.standard_normal((512, 512)).astype("float32"))
line = arr(random.standard_normal(1_000_000).astype("float32"))
"""
# Name -> the operand, and the call for tracefn and TensorFlow, for jax and numpy, and for torch; none: no such call.
CALLS = {
    "sum of 4096 x 4096 over axis 0": ("wide", "tf.reduce_sum(x, 0)", "xp.sum(x, 0)", "x.sum(0)"),
    "sum of 4096 x 4096 over axis 1": ("wide", "tf.reduce_sum(x, 1)", "xp.sum(x, 1)", "x.sum(1)"),
    "sum of 4096 x 4096": ("wide", "tf.reduce_sum(x)", "xp.sum(x)", "x.sum()"),
    "max of 4096 x 4096 over axis 0": ("wide", "tf.reduce_max(x, 0)", "xp.max(x, 0)", "x.amax(0)"),
    "max of 4096 x 4096 over axis 1": ("wide", "tf.reduce_max(x, 1)", "xp.max(x, 1)", "x.amax(1)"),
    "argmax of 4096 x 4096 over axis 0": ("wide", "tf.argmax(x, 0)", "xp.argmax(x, 0)", "x.argmax(0)"),
    "argmax of 4096 x 4096 over axis 1": ("wide", "tf.argmax(x, 1)", "xp.argmax(x, 1)", "x.argmax(1)"),
    "cumsum of 4096 x 4096 over axis 0": ("wide", "tf.cumsum(x, 0)", "xp.cumsum(x, 0)", "x.cumsum(0)"),
    "cumsum of 4096 x 4096 over axis 1": ("wide", "tf.cumsum(x, 1)", "xp.cumsum(x, 1)", "x.cumsum(1)"),
    "transpose of 4096 x 4096": ("wide", "tf.transpose(x)", "xp.transpose(x) + 0", "x.T.contiguous()"),
    "sort of 512 rows of 512": ("rows", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "sort of 10^6": ("line", "tf.sort(x)", "xp.sort(x)", "x.sort()[0]"),
    "top 10 of 512 rows of 512": ("rows", "tf.math.top_k(x, 10)[0]", None, "x.topk(10)[0]"),
}
BYTES = {"sum": 1, "max": 1, "transpose": 2, "cumsum": 2}


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
    tolerance = 1e-2 if name.startswith("cumsum") else 1e-3
    return Row(name, codes(CALLS[name]), work=Work(moved, 0) if moved else None, tolerance=tolerance, mismatches=0.01)


ROWS = [row(name) for name in CALLS]
