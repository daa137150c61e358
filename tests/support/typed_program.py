"""A user's program, as type checkers see the package: checked with it by mypy (tests/test_codebase.py), never run."""

from typing import assert_type

import tracefn as tf


@tf.function(reduce_retracing=True)
def f(x: tf.Tensor, n: int) -> tf.Tensor:
    y = tf.math.exp(x) + tf.reduce_sum(x, axis=0)
    for _ in tf.range(n):
        y = tf.where(y > 0, y, tf.zeros_like(y))
    return tf.concat([y, y], 0)


variable = tf.Variable(1.0, name="v")
variable.assign_add(2.0)
dtype: tf.DType = tf.float32
spec = tf.TensorSpec([None, 2], dtype)

assert_type(tf.math.exp(1.0), tf.Tensor)
assert_type(tf.nn.relu([1.0]), tf.Tensor)
assert_type(tf.raw_ops.Sum(input=variable, axis=0), tf.Tensor)
assert_type(tf.raw_ops.Unpack(value=[1, 2], num=2), list[tf.Tensor])

with tf.GradientTape() as tape:
    z = -variable * 2.0 + 1.0
print(tape.gradient(z, variable), f(tf.constant([1.0]), 3)[0], f.pretty_printed_concrete_signatures())
