"""Rows and elements picked, placed, counted and reduced by index; joins and paddings."""

from __future__ import annotations

from fusion import TF_MODES
from rows import Code, Row, same

DATA = """
random = np.random.RandomState(3)
def ints(most, size, dtype="int32"):
    return arr(random.randint(0, most, size).astype(dtype))
def floats(*size):
    return arr(random.standard_normal(size).astype("float32"))
"""
# Name -> the operands, and the call for tracefn and TensorFlow, for jax and numpy, and for torch; none: no such call.
CALLS = {
    "gather of 50,000 rows of 64": (
        "floats(100_000, 64), ints(100_000, 50_000)",
        "tf.gather(x, i)",
        "xp.take(x, i, 0)",
        "x[i]",
    ),
    "gather of 10^6 numbers": (
        "floats(1_000_000), ints(1_000_000, 1_000_000)",
        "tf.gather(x, i)",
        "xp.take(x, i)",
        "x[i]",
    ),
    "scatter add of 50,000 rows of 64": (
        "floats(100_000, 64), ints(100_000, 50_000), floats(50_000, 64)",
        "tf.tensor_scatter_nd_add(x, i[:, None], u)",
        None,
        "x.index_add(0, i, u)",
    ),
    "one-hot rows, 10^5 of 100": ("ints(100, 100_000)", "tf.one_hot(x, 100)", None, None),
    "unique of 10^6, a thousand values": (
        "ints(1000, 1_000_000)",
        "tf.unique(x)[1]",
        "np.unique(x, return_inverse=True)[1]",
        None,
    ),
    "unique of 10^6, most of them different": (
        "ints(2**31 - 1, 1_000_000)",
        "tf.unique(x)[1]",
        "np.unique(x, return_inverse=True)[1]",
        None,
    ),
    "places of 10^6 in 10^6 sorted": (
        "arr(np.sort(random.standard_normal(1_000_000).astype('float32'))), floats(1_000_000)",
        "tf.searchsorted(x, i)",
        "xp.searchsorted(x, i)",
        "torch.searchsorted(x, i)",
    ),
    "counts of 10^6, a thousand values": (
        "ints(1000, 1_000_000)",
        "tf.math.bincount(x)",
        "np.bincount(x)",
        "x.bincount()",
    ),
    "sums of 10^6 in a thousand sorted segments": (
        "floats(1_000_000), arr(np.sort(random.randint(0, 1000, 1_000_000)).astype('int32'))",
        "tf.math.segment_sum(x, i)",
        "np.bincount(i, x).astype('float32')",
        "torch.zeros(1000).index_add(0, i, x)",
    ),
    "sums of 10^5 rows of 64 in a thousand segments": (
        "floats(100_000, 64), ints(1000, 100_000)",
        "tf.math.unsorted_segment_sum(x, i, 1000)",
        None,
        "torch.zeros(1000, 64).index_add(0, i, x)",
    ),
    "places of the true among 10^6": (
        "arr(random.rand(1_000_000) > 0.5)",
        "tf.where(x)",
        "np.argwhere(x)",
        "x.nonzero()",
    ),
    "concat of two 4096 x 4096 along axis 1": (
        "floats(4096, 4096), floats(4096, 4096)",
        "tf.concat([x, i], 1)",
        "xp.concatenate([x, i], 1)",
        "torch.cat([x, i], 1)",
    ),
    "stack of two vectors of 10^6 as columns": (
        "floats(1_000_000), floats(1_000_000)",
        "tf.stack([x, i], 1)",
        "xp.stack([x, i], 1)",
        "torch.stack([x, i], 1)",
    ),
    "pad of 4096 x 4096": (
        "floats(4096, 4096)",
        "tf.pad(x, [[1, 1], [1, 1]])",
        "xp.pad(x, 1)",
        "torch.nn.functional.pad(x, (1, 1, 1, 1))",
    ),
}


def codes(call: tuple) -> dict[str, Code]:
    operands, ours, arrays, torch = call
    names = "x, i, u"[: 3 * (operands.count("floats(") + operands.count("ints(") + operands.count("arr(")) - 2]
    setup = DATA + f"operands = [{operands}]\n"
    found = same(Code(setup + f"run = function(lambda {names}: {ours})", "run(*operands)"), *TF_MODES)
    if arrays:
        found["numpy"] = Code(setup + f"run = lambda {names}: {arrays.replace('xp.', 'np.')}", "run(*operands)")
    if arrays and "np." not in arrays:
        found["jax.jit"] = Code(setup + f"run = jit(lambda {names}: {arrays})", "done(run(*operands))")
    if torch:
        found["torch"] = Code(setup + f"import torch\nrun = lambda {names}: {torch}", "run(*operands)")
    return found


# The order of the distinct values is another one in numpy.
WHY_NOT = {"numpy": "sorts the distinct values"}
ROWS = [
    Row(name, {k: v for k, v in codes(call).items() if not (name.startswith("unique") and k == "numpy")}, tolerance=1e-3,
        mismatches=0.01, why_not=WHY_NOT if name.startswith("unique") else {})
    for name, call in CALLS.items()
]  # fmt: skip
