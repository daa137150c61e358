"""What differentiation costs: a training step, the gradient of a loop, the tape itself; against TensorFlow and JAX in turns.

Run: PYTHONPATH=python python benchmarks/gradients.py      (peers that are not installed are left out and named)
"""

from __future__ import annotations

import os
import statistics
import sys

from _timing import text
from peers import Worker, environment

DATA = """
import numpy as np
random = np.random.RandomState(0)
layers = [random.randn(784, 256).astype("f") * 0.05, np.zeros(256, "f"),
          random.randn(256, 10).astype("f") * 0.05, np.zeros(10, "f")]
images, labels = random.rand(64, 784).astype("f"), random.randint(0, 10, 64).astype("i")
"""
PROGRAM = DATA + """
variables = [tf.Variable(x) for x in layers]
w1, b1, w2, b2 = variables
images, labels, x = tf.constant(images), tf.constant(labels), tf.constant(1.5)

@tf.function
def train(images, labels):
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(images @ w1 + b1) @ w2 + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(0.01 * gradient)
    return loss

@tf.function(autograph=False)
def loop(x):
    return tf.while_loop(lambda i, y: i < 100, lambda i, y: (i + 1, tf.sin(y) * x), (0, x))[1]

def loop_gradient():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loop(x)
    return tape.gradient(y, x)

def chain():
    y = x
    for _ in range(100):
        y = y * x
    return y

def taped_chain():
    with tf.GradientTape() as tape:
        tape.watch(x)
        chain()

train(images, labels); loop_gradient(); taped_chain()
"""
JAX = DATA + """
import jax, jax.numpy as jnp

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
    value.block_until_ready()

train(images, labels)
"""
# question: (expression, evaluations a round, operations in one, who can answer)
QUESTIONS = {
    "training step, MLP 784-256-10, batch 64": ("train(images, labels)", 50, 1, ("tracefn", "tensorflow", "jax")),
    "gradient of a loop of 100 steps": ("loop_gradient()", 20, 1, ("tracefn", "tensorflow")),
    "eager op": ("chain()", 20, 100, ("tracefn", "tensorflow")),
    "eager op under a tape": ("taped_chain()", 20, 100, ("tracefn", "tensorflow")),
}
ROUNDS = 9


def workers() -> dict:
    """name -> Worker, of the libraries that are there."""
    setups = {
        "tracefn": (sys.executable, "import tracefn as tf\n" + PROGRAM),
        "tensorflow": (environment("tf"), "import tensorflow as tf\n" + PROGRAM),
        "jax": (environment("misc"), JAX),
    }
    found = {}
    for name, (python, setup) in setups.items():
        if not os.path.exists(python):
            print(f"{name}: not installed, left out")
            continue
        found[name] = Worker(python)
        found[name].setup(setup)
    return found


def main() -> None:
    there = workers()
    for question, (expression, number, operations, names) in QUESTIONS.items():
        times: dict = {name: [] for name in names if name in there}
        for _ in range(ROUNDS):
            for name, values in times.items():
                values.append(there[name].time(expression, number) / operations)
        print(question)
        for name, values in times.items():
            low, _, high = statistics.quantiles(values, n=4)
            print(f"  {name:>10}: median {text(statistics.median(values))}, best {text(min(values))}, "
                  f"spread {text((high - low) / 2)}")
    for worker in there.values():
        worker.close()


if __name__ == "__main__":
    main()
