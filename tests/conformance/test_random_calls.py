"""Calls of Functions with random arguments: whichever way they are answered, each value reaches its parameter."""

import collections
import random

import numpy as np
import pytest

Pair = collections.namedtuple("Pair", "first second")
_SEEDS = range(40)


class Arguments:
    """Random nests over few leaves, so that many are given twice."""

    def __init__(self, tf, seed):
        self.random = random.Random(seed)
        number = self.random.randint
        tensors = [tf.constant(float(number(1, 99))) for _ in range(3)]
        variables = [tf.Variable(float(number(1, 99))) for _ in range(2)]
        arrays = [np.array(float(number(1, 99)), np.float32) for _ in range(2)]
        scalars = [np.float32(number(1, 99)) for _ in range(2)]
        self.kinds = [tensors, *self.random.sample([variables, arrays, scalars, [1, 2.0]], number(0, 2))]

    def leaf(self):
        return self.random.choice(self.random.choice(self.kinds))

    def nest(self, depth=0):
        kind = self.random.random()
        if depth > 1 or kind < 0.6:
            return self.leaf()
        few = range(self.random.randint(1, 2))
        if kind < 0.7:
            return [self.nest(depth + 1) for _ in few]
        if kind < 0.8:
            return tuple(self.nest(depth + 1) for _ in few)
        if kind < 0.9:
            return {key: self.nest(depth + 1) for key in self.random.sample("xyz", len(few))}
        return Pair(self.nest(depth + 1), self.nest(depth + 1))

    def with_other_leaves(self, value):
        """The same structure, its dicts in another order, with leaves of the same kinds."""
        if isinstance(value, dict):
            items = list(value.items())
            self.random.shuffle(items)
            return {key: self.with_other_leaves(item) for key, item in items}
        if isinstance(value, Pair):
            return Pair(*map(self.with_other_leaves, value))
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.with_other_leaves, value))
        alike = [kind for kind in self.kinds if any(value is leaf for leaf in kind)]
        return self.random.choice([leaf for leaf in alike[0] if type(leaf) is type(value)])


def weighted(leaves):
    return sum((10.0 ** (i % 7) + i) * leaf for i, leaf in enumerate(leaves))


@pytest.mark.parametrize("seed", _SEEDS)
@pytest.mark.rule(12, 28)
def test_every_value_reaches_its_parameter(tf, seed):
    arguments = Arguments(tf, seed)
    default = arguments.kinds[0][0]

    def leaves(a, b=default, *args, c=3.0, **rest):
        return tf.nest.flatten([a, b, list(args), c, rest])

    reduce_retracing = arguments.random.random() < 0.3
    f = tf.function(
        lambda *args, **kwargs: weighted(tf.cast(leaf, tf.float64) for leaf in leaves(*args, **kwargs)),
        reduce_retracing=reduce_retracing,
    )
    calls = []
    for _ in range(3):
        positional = [arguments.nest() for _ in range(arguments.random.randint(1, 4))]
        calls.append((positional, {key: arguments.nest() for key in arguments.random.sample("cpq", 2)}))
    for _ in range(10):
        positional, keywords = map(arguments.with_other_leaves, arguments.random.choice(calls))
        want = weighted(float(leaf) for leaf in leaves(*positional, **keywords))
        np.testing.assert_allclose(f(*positional, **keywords).numpy(), want, rtol=1e-12)
