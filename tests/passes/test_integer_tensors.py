"""Graphs work with integer tensors as with shapes: what they find out beforehand is what eager ops compute. Random programs of
shapes, stacks, slices and the like over tensors of any rank, empty ones too."""

import random

import numpy as np
import pytest
import tracefn as tf

DTYPES = ["int32", "int64"]


def concat(rng, pool):
    x = rng.choice(pool)
    if x.shape.rank == 0:
        return tf.concat([x[None], x[None]], 0)
    return tf.concat([x] * rng.randint(1, 3), rng.randrange(-x.shape.rank, x.shape.rank))


def stack(rng, pool):
    x = rng.choice(pool)
    return tf.stack([x] * rng.randint(1, 3), rng.randrange(-x.shape.rank - 1, x.shape.rank + 1))


def stack_two(rng, pool):
    x = rng.choice(pool)
    alike = [y for y in pool if y.shape == x.shape and y.dtype == x.dtype]
    return tf.stack([x, rng.choice(alike)], rng.randrange(0, x.shape.rank + 1))


def concat_two(rng, pool):
    x = rng.choice([y for y in pool if y.shape.rank])
    alike = [y for y in pool if y.shape.rank == x.shape.rank and y.shape[1:] == x.shape[1:] and y.dtype == x.dtype]
    return tf.concat([x, rng.choice(alike)], 0)


def part(rng, pool):
    x = rng.choice([y for y in pool if y.shape.rank])
    start, stop = rng.choice([None, 0, 1, -1, 5]), rng.choice([None, 0, 1, 2, -1, 9])
    step = rng.choice([None, 1, 2, 2**31 - 1, -1])
    return x[start:stop:step]


def element(rng, pool):
    x = rng.choice([y for y in pool if y.shape.rank and y.shape[0]])
    return x[rng.randrange(-x.shape[0], x.shape[0])]


def stitched(rng, pool):
    x, y = rng.choice(pool), rng.choice(pool)
    x = tf.reshape(x, [-1])
    n = x.shape[0]
    return tf.dynamic_stitch([list(range(n)), n], [tf.cast(x, "int32"), tf.cast(tf.size(y), "int32")])


def stitched_rows(rng, pool):
    x = rng.choice(pool)
    return tf.dynamic_stitch([0, [1, 2]], [x, tf.stack([x, x])])


OPS = [
    concat,
    stack,
    stack_two,
    concat_two,
    part,
    element,
    stitched,
    stitched_rows,
    lambda rng, pool: tf.shape(rng.choice(pool)),
    lambda rng, pool: tf.shape(rng.choice(pool), "int64"),
    lambda rng, pool: tf.size(rng.choice(pool)),
    lambda rng, pool: tf.rank(rng.choice(pool)),
    lambda rng, pool: tf.reshape(rng.choice(pool), [-1]),
    lambda rng, pool: (lambda x: tf.reshape(x, tf.shape(x)))(rng.choice(pool)),
    lambda rng, pool: (lambda x: tf.reshape(x, tf.shape(x)[::-1]))(rng.choice(pool)),
    lambda rng, pool: tf.cast(rng.choice(pool), rng.choice(DTYPES)),
    lambda rng, pool: tf.expand_dims(rng.choice(pool), rng.choice([0, -1])),
    lambda rng, pool: tf.squeeze(rng.choice(pool)),
    lambda rng, pool: tf.transpose(rng.choice(pool)),
    lambda rng, pool: tf.identity(rng.choice(pool)),
    lambda rng, pool: tf.zeros_like(rng.choice(pool)),
    lambda rng, pool: rng.choice(pool) * 2 - 1,
    lambda rng, pool: tf.reduce_sum(rng.choice(pool), 0) if rng.choice(pool).shape.rank else tf.constant(1),
    lambda rng, pool: (lambda x: tf.broadcast_to(x, tf.shape(tf.stack([x, x]))))(rng.choice(pool)),
    lambda rng, pool: tf.broadcast_dynamic_shape(tf.shape(rng.choice(pool)), tf.constant([1], "int32")),
    lambda rng, pool: tf.gather(tf.reshape(rng.choice(pool), [-1]), tf.zeros([2, 0], "int32")),
    lambda rng, pool: (lambda x: tf.tile(x, [2] * x.shape.rank))(rng.choice(pool)),
]


def program(seed, arguments, length=8):
    """Which ops are taken depends on the shapes, so a traced run with known shapes takes those of the eager one."""
    rng = random.Random(seed)
    pool = [*arguments, tf.constant([[1, 2, 3], [4, 5, 6]]), tf.zeros([2, 0], "int64")]
    made = []
    while len(made) < length:
        try:
            y = rng.choice(OPS)(rng, pool)
        except (IndexError, ValueError, tf.errors.InvalidArgumentError):
            continue
        if y.shape.rank <= 4 and y.shape.num_elements() <= 300:
            made.append(y)
            pool.append(y)
    return made


def arguments_of(seed):
    rng = random.Random(seed)
    shapes = [[rng.choice([0, 1, 2, 3]) for _ in range(rng.randint(0, 3))] for _ in range(2)]
    return [tf.constant(np.arange(np.prod(s)).reshape(s), rng.choice(DTYPES)) for s in shapes]


@pytest.mark.parametrize("block", range(10))
def test_programs(block):
    for seed in range(block * 25, block * 25 + 25):
        arguments = arguments_of(seed)
        want = program(seed, arguments)
        got = tf.function(lambda *x, seed=seed: program(seed, x), autograph=False)(*arguments)
        for k, (a, b) in enumerate(zip(want, got, strict=True)):
            np.testing.assert_array_equal(a.numpy(), b.numpy(), err_msg=f"seed {seed}, value {k}", strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[4, 0], [0, 4], [0, 0], [2, 0, 3], [0], [1, 0, 0, 2]])
@pytest.mark.parametrize("known", [True, False])
def test_empty_tensors_keep_their_shape(dtype, shape, known):
    z = tf.zeros(shape, dtype)
    rank = len(shape)
    cases = {
        "concat": lambda z: [tf.concat([z, z], axis) for axis in range(rank)],
        "stack": lambda z: [tf.stack([z, z], axis) for axis in range(rank + 1)],
        "rows": lambda z: [z[1:], z[:0], z[::2], z[..., :1], z[None]],
        "stitch": lambda z: tf.dynamic_stitch([[0, 1], 2], [tf.stack([z, z]), z]),
        "gather": lambda z: tf.gather(z[None], [[0, 0]]),
    }
    for name, f in cases.items():
        spec = tf.TensorSpec(shape if known else None, dtype)
        want, got = f(z), tf.function(f, input_signature=[spec])(z)
        for a, b in zip(tf.nest.flatten(want), tf.nest.flatten(got), strict=True):
            assert a.shape == b.shape, name


def test_shapes_side_by_side():
    """A matrix of shapes is none itself."""

    def f(x, y):
        a, b = tf.shape(x), tf.shape(y)
        return (
            tf.stack([a, b], 1),
            tf.stack([a, b]),
            tf.concat([a[None], b[None]], 0),
            tf.dynamic_stitch([0, 1], [a, b]),
        )

    x, y = tf.zeros([2, 3]), tf.zeros([4, 5])
    for spec in (tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3]), tf.TensorSpec([None, None]), tf.TensorSpec(None)):
        for a, b in zip(f(x, y), tf.function(f, input_signature=[spec, tf.TensorSpec(None)])(x, y), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy(), strict=True)


@pytest.mark.parametrize("step", [2**63 - 1, 2**62, 2**31])
def test_a_long_step_over_a_shape(step):
    def f(x):
        return tf.strided_slice(tf.shape(x, "int64"), np.int64([0]), np.int64([9]), np.int64([step]))

    traced = tf.function(f, input_signature=[tf.TensorSpec([None, 3, None])])
    assert traced(tf.zeros([2, 3, 4])).numpy().tolist() == [2]
