"""What differentiation costs: training steps, the gradient of a loop, the tape itself."""

from __future__ import annotations

from rows import Code, Row, same

# The first call is made on a small batch, so that what it brings into memory for good is there afterwards.
DATA = """
random = np.random.RandomState(0)
layers = [random.randn(784, 256).astype("f") * 0.05, np.zeros(256, "f"),
          random.randn(256, 10).astype("f") * 0.05, np.zeros(10, "f")]
images, labels = random.rand({batch}, 784).astype("f"), random.randint(0, 10, {batch}).astype("i")
"""
TF_STEP = """
variables = [tf.Variable(x) for x in layers]
w1, b1, w2, b2 = variables
def train(images, labels):
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(images @ w1 + b1) @ w2 + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(0.01 * gradient)
    return loss
train = function(train)
train(tf.constant(images[:8]), tf.constant(labels[:8]))
images, labels = tf.constant(images), tf.constant(labels)
"""
JAX_STEP = """
def loss(p, images, labels):
    logits = jax.nn.relu(images @ p[0] + p[1]) @ p[2] + p[3]
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))
@jax.jit
def step(p, images, labels):
    value, slopes = jax.value_and_grad(loss)(p, images, labels)
    return value, [a - 0.01 * b for a, b in zip(p, slopes)]
parameters = [jnp.array(x) for x in layers]
images, labels = jnp.array(images), jnp.array(labels)
def train(images, labels):
    global parameters
    value, parameters = step(parameters, images, labels)
    return value.block_until_ready()
train(images[:8], labels[:8])
"""
TORCH_STEP = """
torch.set_grad_enabled(True)
parameters = [torch.tensor(x, requires_grad=True) for x in layers]
w1, b1, w2, b2 = parameters
images, labels = torch.tensor(images), torch.tensor(labels).long()
def forward(images, labels):
    return torch.nn.functional.cross_entropy(torch.relu(images @ w1 + b1) @ w2 + b2, labels)
forward = jit(forward)
def train(images, labels):
    value = forward(images, labels)
    slopes = torch.autograd.grad(value, parameters)
    with torch.no_grad():
        for parameter, slope in zip(parameters, slopes):
            parameter -= 0.01 * slope
    return value.detach()
train(images[:8], labels[:8])
"""
MLX_STEP = """
def loss(p, images, labels):
    logits = mx.maximum(images @ p[0] + p[1], 0) @ p[2] + p[3]
    return mx.mean(mx.logsumexp(logits, axis=1) - mx.take_along_axis(logits, labels[:, None], 1)[:, 0])
@mx.compile
def step(p, images, labels):
    value, slopes = mx.value_and_grad(loss)(p, images, labels)
    return value, [a - 0.01 * b for a, b in zip(p, slopes)]
parameters = [mx.array(x) for x in layers]
images, labels = mx.array(images), mx.array(labels)
def train(images, labels):
    global parameters
    value, parameters = step(parameters, images, labels)
    mx.eval(value, parameters)
    return value
train(images[:8], labels[:8])
"""
LOOP = """
x = tf.constant(1.5)
def loop(x):
    return tf.while_loop(lambda i, y: i < 100, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]
loop = function(loop)
def run():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loop(x)
    return tape.gradient(y, x)
"""
JAX_LOOP = """
x = jnp.float32(1.5)
def loop(x):
    return lax.scan(lambda y, _: (jnp.sin(y) * x, None), x, None, length=100)[0]
run = jax.jit(jax.grad(loop))
"""
TORCH_LOOP = """
torch.set_grad_enabled(True)
x = torch.tensor(1.5, requires_grad=True)
def run():
    y = x
    for _ in range(100):
        y = torch.sin(y) * x
    return torch.autograd.grad(y, x)[0]
"""
CHAIN = """
x = arr(np.float32(1.01))
def chain():
    y = x
    for _ in range(100):
        y = y * x
    return y
"""
TF_TAPED = (
    CHAIN
    + """
def run():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chain()
    return y
"""
)
TORCH_TAPED = CHAIN + "torch.set_grad_enabled(True)\nx.requires_grad_()\ndef run(): return chain().detach()\n"
STEP = DATA.format(batch=64)
TF_MODES = ("tracefn", "tf.function", "TF XLA", "TF eager")

ROWS = [
    Row(
        "training step, MLP 784-256-10, batch 64",
        same(Code(STEP + TF_STEP, "train(images, labels)"), *TF_MODES)
        | same(Code(STEP + TORCH_STEP, "train(images, labels)"), "torch", "torch.compile")
        | {
            "jax.jit": Code(STEP + JAX_STEP, "train(images, labels)"),
            "mlx.compile": Code(STEP + MLX_STEP, "train(images, labels)"),
        },
    ),
    Row(
        "gradient of a loop of 100 steps",
        same(Code(LOOP), "tracefn", "tf.function", "TF eager")
        | {"jax.jit": Code(JAX_LOOP, "done(run(x))"), "torch": Code(TORCH_LOOP)},
        why_not={"TF XLA": "does not pass lists between compiled functions"},
    ),
    Row(
        "eager op of a chain of 100",
        same(Code(CHAIN, "chain()"), "tracefn", "TF eager", "torch", "numpy")
        | same(Code(CHAIN, "done(chain())"), "jax.jit", "mlx.compile"),
        scale=100,
    ),
    Row(
        "eager op of a chain of 100, under a tape",
        same(Code(TF_TAPED), "tracefn", "TF eager") | {"torch": Code(TORCH_TAPED)},
        scale=100,
    ),
]
