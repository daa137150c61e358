"""Conditions of several parts in compiled loops: `and`, `or`, `not`, chained comparisons, with breaks and branches."""

import numpy as np
import pytest
import tracefn as tf


def both(a, b, n):
    i = 0
    while i < n and a[i] < 3 and b[i] < 3:
        i += 1
    return i


def either(a, b, n):
    i = 0
    while i < n and (a[i] < 4 or b[i] < 2):
        i += 1
    return i


def negated(a, b, n):
    i = 0
    while not (i >= n or (a[i] > 3 and b[i] > 2)):
        i += 1
    return i


def chained(a, b, n):
    i = count = 0
    while i < n:
        if 1 <= a[i] < 4 or (b[i] == 5 and a[i] != 0):
            count += 1
        elif a[i] > b[i] and b[i] != 2:
            count += 10
        i += 1
    return count


def left_early(a, b, n):
    i = total = 0
    while i < n and total < 40:
        if a[i] == 5 and b[i] == 5:
            break
        if a[i] == 0 or b[i] == 0:
            i += 1
            continue
        total += a[i] if a[i] > b[i] and b[i] > 1 else b[i]
        i += 1
    return i, total


def nested(a, b, n):
    k = steps = 0
    for i in range(n):
        while k > 0 and a[i] != b[k]:
            k = b[k - 1] if b[k - 1] < k and b[k - 1] >= 0 else k - 1
            steps += 1
        if a[i] == b[k] and k < 5:
            k += 1
    return k, steps


def kept(a, b, n):
    """The conditions are read again."""
    i = count = 0
    last = False
    while i < n:
        small = a[i] < 3 and b[i] < 3
        if small or last:
            count += 1
        if small:
            count += 2
        last = small
        i += 1
    return count, last


@pytest.mark.parametrize("function", [both, either, negated, chained, left_early, nested, kept])
def test_conditions(function):
    compiled = tf.function(function)
    random = np.random.default_rng(3)
    for _ in range(60):
        n = int(random.integers(1, 12))
        a, b = random.integers(0, 6, (2, 12)).astype(np.int32)
        found = compiled(tf.constant(a), tf.constant(b), tf.constant(n))
        assert tf.nest.map_structure(lambda x: x.numpy().item(), found) == function(a.tolist(), b.tolist(), n)
    concrete = compiled.get_concrete_function(tf.constant(a), tf.constant(b), tf.constant(n))
    assert "compiled as a whole" in concrete.explain_compilation()


def test_a_part_of_a_condition_is_a_jump():
    concrete = tf.function(both).get_concrete_function(
        tf.TensorSpec([12], tf.int32), tf.TensorSpec([12], tf.int32), tf.TensorSpec([], tf.int32)
    )
    concrete(tf.zeros([12], tf.int32), tf.zeros([12], tf.int32), tf.constant(5))
    code = concrete.code()
    assert code.count(" unless Less(") == 3 and code.count(" if Less(") == 1 and " unless r" not in code


SHORT_BRANCHES = {
    "swapped": lambda a, b, x: (b, a) if x > a else (a, b),
    "swapped either way": lambda a, b, x: (b, a) if x > a else (x, a),
    "one from the other": lambda a, b, x: (x, a) if x > a else (a, b),
    "the other from the one": lambda a, b, x: (b, x) if x > b else (a + b, a),
    "both the same": lambda a, b, x: (b, b) if x > a else (a, a),
    "moved twice": lambda a, b, x: (b + x, b) if x > a else (b, a - x),
    "the condition's own": lambda a, b, x: (x, b) if a < b else (b, x),
}


@pytest.mark.parametrize("name", SHORT_BRANCHES)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8])
def test_short_branches_read_what_was_before(name, dtype):
    branch = SHORT_BRANCHES[name]
    values = np.random.default_rng(0).integers(-9, 9, 40).astype(dtype)

    def loop(values, a, b):
        for i in tf.range(40):
            a, b = branch(a, b, values[i])
        return a, b

    a, b = dtype(1), dtype(2)
    with np.errstate(over="ignore"):
        for x in values:
            a, b = branch(a, b, x)
    made = tf.function(loop)(values, tf.constant(1, dtype), tf.constant(2, dtype))
    assert [int(x) for x in made] == [int(a), int(b)]
