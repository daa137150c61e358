"""Eager raw ops that hold functions: conditionals, loops and calls, under tapes and accumulators."""

from __future__ import annotations

import gc
import weakref

import pytest
import tracefn as tf

SCALAR = tf.TensorSpec([], tf.float32)


def body(function, *specs):
    return tf.function(function).get_concrete_function(*(specs or (SCALAR,)))


SQUARE, CUBE = body(lambda x: x * x), body(lambda x: x * x * x)
BELOW = body(lambda x: x < 10.0)
RAW = {
    "If": lambda x: tf.raw_ops.If(cond=True, input=[x], Tout=[tf.float32], then_branch=CUBE, else_branch=SQUARE),
    "StatelessIf": lambda x: tf.raw_ops.StatelessIf(
        cond=x > 5.0, input=[x], Tout=[tf.float32], then_branch=SQUARE, else_branch=CUBE
    ),
    "Case": lambda x: tf.raw_ops.Case(branch_index=1, input=[x], Tout=[tf.float32], branches=[SQUARE, CUBE]),
    "StatelessCase": lambda x: tf.raw_ops.StatelessCase(
        branch_index=7, input=[x], Tout=[tf.float32], branches=[SQUARE, CUBE]
    ),
    "PartitionedCall": lambda x: tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=CUBE),
    "StatefulPartitionedCall": lambda x: tf.raw_ops.StatefulPartitionedCall(args=[x], Tout=[tf.float32], f=CUBE),
    # (x ** 2) ** 2 from x = 2 on.
    "While": lambda x: tf.raw_ops.While(input=[x], cond=BELOW, body=SQUARE),
    "StatelessWhile": lambda x: tf.raw_ops.StatelessWhile(input=[x], cond=BELOW, body=SQUARE),
}


@pytest.mark.parametrize("op", RAW)
def test_two_orders_and_forward(op):
    power = 4 if "While" in op else 3
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc, tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            (y,) = RAW[op](x)
        slope = inner.gradient(y, x)
    assert float(y) == 2.0**power
    assert float(slope) == float(acc.jvp(y)) == power * 2.0 ** (power - 1)
    assert float(outer.gradient(slope, x)) == float(acc.jvp(slope)) == power * (power - 1) * 2.0 ** (power - 2)


def test_effects_happen_once_and_variables_are_watched():
    v = tf.Variable(3.0)
    count = tf.Variable(0.0, trainable=False)

    @tf.function
    def counted(x):
        count.assign_add(1.0)
        return x * v

    concrete = counted.get_concrete_function(SCALAR)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = tf.raw_ops.StatefulPartitionedCall(args=[x, *concrete.captured_inputs], Tout=[tf.float32], f=concrete)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [3.0, 2.0] and float(count) == 1.0


def test_shapes_and_functions_are_told_apart():
    double, triple = (body(lambda x, k=k: x * k, tf.TensorSpec(None, tf.float32)) for k in (2.0, 3.0))
    for x in (tf.constant(1.0), tf.constant([1.0, 2.0]), tf.constant([[1.0]])):
        for f, k in ((double, 2.0), (triple, 3.0), (double, 2.0)):
            with tf.GradientTape() as tape:
                tape.watch(x)
                (y,) = tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=f)
            gradient = tape.gradient(y, x)
            assert gradient.shape == x.shape and float(tf.reduce_sum(gradient)) == k * float(tf.size(x))


def test_what_nobody_watches_is_not_recorded():
    with tf.GradientTape() as tape:
        (y,) = RAW["If"](tf.constant(2.0))
    assert float(y) == 8.0 and len(tape._tape) == 0


def test_few_functions_are_kept():
    seen = []
    for k in range(40):
        concrete = body(lambda x, k=k: x * float(k))
        seen.append(weakref.ref(concrete.graph))
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=concrete)
        assert float(tape.gradient(y, x)) == k
        del concrete, tape, y
    gc.collect()
    assert sum(graph() is not None for graph in seen) <= 17
