"""The end of a training step: losses with the gradient of their logits, and updates of many variables."""

from __future__ import annotations

from rows import Code, Row, same

SHAPES = {"128 x 10": (128, 10), "64 x 1000": (64, 1000), "32 x 50257": (32, 50257)}
LOGITS = """
random = np.random.RandomState(0)
def data(rows, classes):
    return arr(random.randn(rows, classes).astype("f")), arr(random.randint(0, classes, rows).astype({integer!r}))
"""
TF_LOSS = """
loss = function(lambda x, y: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y))
def run(x, y):
    return loss(x, y)[1]
"""
JAX_LOSS = """
def total(x, y):
    return -jnp.sum(jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1))
run = jax.jit(jax.grad(total))
"""
TORCH_LOSS = """
def run(x, y):
    with torch.enable_grad():
        x.requires_grad_()
        return torch.autograd.grad(torch.nn.functional.cross_entropy(x, y, reduction="sum"), x)[0]
"""

# One step of Adam on 50 variables of 1,000 to 100,000 elements.
ADAM = """
random = np.random.RandomState(0)
sizes = [int(n) for n in np.geomspace(1000, 100000, 50)]
weights, slopes = ([random.randn(n).astype("f") for n in sizes] for _ in range(2))
"""
TF_ADAM = """
values, means, squares = ([tf.Variable(f(x)) for x in weights] for f in (lambda x: x, np.zeros_like, np.ones_like))
slopes = [tf.constant(x) for x in slopes]
"""
TF_BY_HAND = """
def step(*slopes):
    for v, m, s, g in zip(values, means, squares, slopes):
        m.assign(0.9 * m + 0.1 * g)
        s.assign(0.999 * s + 0.001 * g * g)
        v.assign_sub(0.001 * m / (tf.sqrt(s) + 1e-7))
step = function(step)
"""
TF_OP = """
def step(*slopes):
    for v, m, s, g in zip(values, means, squares, slopes):
        tf.raw_ops.ResourceApplyAdam(
            var=v.handle, m=m.handle, v=s.handle, beta1_power=0.9, beta2_power=0.999, lr=0.001, beta1=0.9, beta2=0.999,
            epsilon=1e-7, grad=g)
step = function(step)
"""
JAX_ADAM = """
def adam(values, means, squares, slopes):
    means = [0.9 * m + 0.1 * g for m, g in zip(means, slopes)]
    squares = [0.999 * s + 0.001 * g * g for s, g in zip(squares, slopes)]
    values = [v - 0.001 * m / (jnp.sqrt(s) + 1e-7) for v, m, s in zip(values, means, squares)]
    return values, means, squares
adam = jax.jit(adam, donate_argnums=(0, 1, 2))
state = [[jnp.array(f(x)) for x in weights] for f in (lambda x: x, np.zeros_like, np.ones_like)]
slopes = [jnp.array(x) for x in slopes]
def step():
    global state
    state = jax.block_until_ready(adam(*state, slopes))
"""
TORCH_ADAM = """
parameters = [torch.nn.Parameter(torch.tensor(x)) for x in weights]
for p, g in zip(parameters, slopes):
    p.grad = torch.tensor(g)
optimizer = torch.optim.Adam(parameters, {kind}=True)
def step():
    optimizer.step()
"""
TF_MODES = ("tracefn", "tf.function", "TF XLA", "TF eager")


def cross_entropy(name: str) -> Row:
    logits = LOGITS.format(integer="i")
    return Row(
        f"sparse cross-entropy with its gradient, {name}",
        same(Code(logits + TF_LOSS, "run(*given)"), *TF_MODES)
        | {
            "torch": Code(LOGITS.format(integer="int64") + TORCH_LOSS, "run(*given)"),
            "jax.jit": Code(logits + JAX_LOSS, "done(run(*given))"),
        },
        prepare=f"given = data{SHAPES[name]}",
    )


def adam(name: str, tf_step: str, tf_modes: tuple[str, ...], torch_kind: str) -> Row:
    return Row(
        f"Adam {name}, 50 variables",
        same(Code(ADAM + TF_ADAM + tf_step, "step(*slopes) or 0"), *tf_modes)
        | {
            "torch": Code(ADAM + TORCH_ADAM.format(kind=torch_kind), "step() or 0"),
            "jax.jit": Code(ADAM + JAX_ADAM, "step() or 0"),
        },
    )


ROWS = [cross_entropy(name) for name in SHAPES] + [
    adam("by hand", TF_BY_HAND, TF_MODES, "foreach"),
    adam("by its op", TF_OP, ("tracefn", "tf.function", "TF eager"), "fused"),
]
