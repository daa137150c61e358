"""How far the resident memory of a process rises in one call."""

from __future__ import annotations

from gradients import DATA, JAX_STEP, TF_STEP
from rows import MEMORY_MARGIN, Code, Goal, Row, same

CHAIN = """
def f(x):
    for i in range(10):
        x = x * 1.5 - 0.25 * i
    return x
run = jit(f)
small, large = arr(np.ones(1000, np.float32)), arr(np.ones(10_000_000, np.float32))
done(run(small))
"""
BUFFER = 4 * 10_000_000
TRAINED = DATA.format(batch=20_000)


def at_most_tensorflow(figures: dict[str, float]) -> bool:
    least = min((value for name, value in figures.items() if name.startswith(("tf.", "TF"))), default=0)
    return figures["tracefn"] <= least + MEMORY_MARGIN


ROWS = [
    Row(
        "peak of a 20-op chain on 10^7 floats",
        same(Code(CHAIN, "done(run(large))"), "tracefn", "tf.function", "TF XLA", "TF eager", "jax.jit", "torch")
        | same(Code(CHAIN, "done(run(large))"), "torch.compile", "mlx.compile", "numpy"),
        kind="memory",
        goal=Goal("at most 2 buffers of 40 MB", lambda figures: figures["tracefn"] <= 2 * BUFFER + MEMORY_MARGIN),
        why_not={
            "numba": "runs loops written by hand, so it allocates only what they say",
            "numexpr": "runs one expression written by hand",
        },
    ),
    Row(
        "peak of a training step, batch 20,000",
        same(Code(TRAINED + TF_STEP, "train(images, labels)"), "tracefn", "tf.function", "TF XLA", "TF eager")
        | {"jax.jit": Code(TRAINED + JAX_STEP, "train(images, labels)")},
        kind="memory",
        goal=Goal("at most TensorFlow's", at_most_tensorflow),
    ),
]
