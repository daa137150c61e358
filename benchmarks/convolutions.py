"""Convolutions of images: the seed documents' shape, a first layer, and the shapes of a residual network."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from fusion import TF_MODES
from rows import Code, Row, Work, same

# Name -> the shapes of images (NHWC) and filters (HWIO).
SEED = "1 x 200 x 200 x 100 by 3 x 3 x 100"
SHAPES = {
    SEED: ((1, 200, 200, 100), (3, 3, 100, 100)),
    "8 x 56 x 56 x 32 by 3 x 3 x 64": ((8, 56, 56, 32), (3, 3, 32, 64)),
    "8 x 56 x 56 x 64 by 3 x 3 x 64": ((8, 56, 56, 64), (3, 3, 64, 64)),
    "8 x 28 x 28 x 128 by 3 x 3 x 128": ((8, 28, 28, 128), (3, 3, 128, 128)),
    "8 x 14 x 14 x 256 by 3 x 3 x 256": ((8, 14, 14, 256), (3, 3, 256, 256)),
    "8 x 7 x 7 x 512 by 3 x 3 x 512": ((8, 7, 7, 512), (3, 3, 512, 512)),
    "8 x 56 x 56 x 64 by 1 x 1 x 256": ((8, 56, 56, 64), (1, 1, 64, 256)),
    "8 x 56 x 56 x 256 by 1 x 1 x 64": ((8, 56, 56, 256), (1, 1, 256, 64)),
    "8 x 28 x 28 x 128 by 1 x 1 x 512": ((8, 28, 28, 128), (1, 1, 128, 512)),
    "8 x 14 x 14 x 1024 by 1 x 1 x 256": ((8, 14, 14, 1024), (1, 1, 1024, 256)),
    "8 x 7 x 7 x 512 by 1 x 1 x 2048": ((8, 7, 7, 512), (1, 1, 512, 2048)),
}
DATA = """
random = np.random.RandomState(3)
def operands(shapes):
    return [arr(random.standard_normal(shape).astype("float32")) for shape in shapes]
"""
# Torch's images have the same memory; only its names of the axes differ.
TORCH = """
def run(x, w):
    y = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding=w.shape[0] // 2)
    return y.permute(0, 2, 3, 1)
"""
JAX = """
import jax
run = jit(lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
"""


def codes() -> dict[str, Code]:
    found = same(Code(DATA + "run = function(lambda x, w: tf.nn.conv2d(x, w, 1, 'SAME'))", "run(*data)"), *TF_MODES)
    found["torch"] = Code(DATA + TORCH, "run(*data)")
    found["jax.jit"] = Code(DATA + JAX, "done(run(*data))")
    return found


def eager(name: str) -> Row:
    """Without tf.function, jax.jit or torch.compile."""
    call = Code(DATA + "run = lambda x, w: tf.nn.conv2d(x, w, 1, 'SAME')", "run(*data)")
    found = same(call, "tracefn", "TF eager")
    found["torch"] = Code(DATA + TORCH, "run(*data)")
    found["jax.jit"] = Code(DATA + JAX.replace("run = jit(lambda", "run = (lambda"), "done(run(*data))")
    return replace(row(name), name=f"{name}, eager", codes=found)


def row(name: str) -> Row:
    images, filters = SHAPES[name]
    outputs = prod(images[:3]) * filters[3]
    work = Work(4.0 * (prod(images) + prod(filters) + outputs), 2.0 * outputs * prod(filters[:3]))
    return Row(name, codes(), prepare=f"data = operands({SHAPES[name]})", work=work, tolerance=1e-2, mismatches=0.01)


# Images, filters, bias.
LAYER = ((8, 56, 56, 64), (3, 3, 64, 64), (64,))


def layer() -> Row:
    found = same(
        Code(DATA + "run = function(lambda x, w, b: tf.nn.relu(tf.nn.conv2d(x, w, 1, 'SAME') + b))", "run(*data)"),
        *TF_MODES,
    )
    found["torch"] = Code(
        DATA
        + """
def run(x, w, b):
    y = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), b, padding=1)
    return torch.relu_(y).permute(0, 2, 3, 1)
""",
        "run(*data)",
    )
    jax_layer = JAX.replace("x, w:", "x, w, b: jax.nn.relu(").rstrip().removesuffix(")") + " + b))\n"
    found["jax.jit"] = Code(DATA + jax_layer, "done(run(*data))")
    return Row(
        "layer of 8 x 56 x 56 x 64: 3 x 3 x 64, bias, relu",
        found,
        prepare=f"data = operands({LAYER})",
        tolerance=1e-2,
        mismatches=0.01,
    )


ROWS = [*(row(name) for name in SHAPES), eager(SEED), layer()]
