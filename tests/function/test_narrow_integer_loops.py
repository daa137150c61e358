"""Compiled loops over integers of 8 and 16 bits: the values of eager execution, at the ends of their ranges too."""

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import check_bits

N = 60


def program(dtype):
    """A loop with each op that machine code has for such integers: loads, stores, casts, selects, branches, lists."""

    def loop(a, b, start):
        total = start
        kept = [tf.TensorArray(kept_as, N) for kept_as in (dtype, tf.int64, tf.float32, tf.int32, tf.bool)]
        n = tf.constant(0)
        for i in tf.range(N):
            x, y = a[i], b[i]
            z = x * y + total - x
            if x < y:
                z, n = tf.maximum(z, y), n + 1
            elif x >= tf.constant(7, dtype):
                z = tf.minimum(z, x)
            z = tf.bitwise.bitwise_xor(z, total)
            if z != y and z > total:
                n += 2
            z = tf.bitwise.bitwise_or(tf.bitwise.bitwise_and(z, y), tf.cast(x <= z, dtype))
            total = tf.where(z == x, total + x, z + total)
            a = tf.tensor_scatter_nd_update(a, [[i]], [z])
            values = (total, tf.cast(z, tf.int64), tf.cast(total, tf.float32), tf.cast(tf.cast(i * 999 - 9, dtype), tf.int32),
                      tf.cast(x, tf.bool))  # fmt: skip
            kept = [array.write(i, value) for array, value in zip(kept, values, strict=True)]
        return total, n, a, *[array.stack() for array in kept]

    return loop


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16"])
def test_values(name):
    dtype, ends = getattr(tf, name), np.iinfo(name)
    rng = np.random.default_rng(0)
    for _ in range(8):
        a, b = rng.integers(ends.min, ends.max, [2, N], endpoint=True).astype(name)
        a[:4], b[:4] = [ends.min, ends.max, 0, 1], [ends.max, ends.min, ends.max, ends.min]
        given = [tf.constant(a), tf.constant(b), tf.constant(rng.integers(0, 100), dtype)]
        check_bits(program(dtype), given, name)
    concrete = tf.function(program(dtype)).get_concrete_function(*given)
    concrete(*given)
    assert "compiled as a whole" in str(concrete.explain_compilation())
