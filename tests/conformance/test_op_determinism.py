"""`tf.config.experimental.enable_op_determinism`: random ops without a seed are refused."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(autouse=True)
def determinism(tf, internal):
    config = internal("framework.config")
    tf.config.experimental.enable_op_determinism()
    assert config.is_op_determinism_enabled()
    yield
    config.disable_op_determinism()


UNSEEDED = {
    "uniform": lambda tf, **seed: tf.random.uniform([2], **seed),
    "integers": lambda tf, **seed: tf.random.uniform([2], 0, 9, tf.int32, **seed),
    "normal": lambda tf, **seed: tf.random.normal([2], **seed),
    "truncated": lambda tf, **seed: tf.random.truncated_normal([2], **seed),
    "shuffle": lambda tf, **seed: tf.random.shuffle([1, 2], **seed),
    "categorical": lambda tf, **seed: tf.random.categorical([[1.0, 1.0]], 2, **seed),
    "gamma": lambda tf, **seed: tf.random.gamma([1], 1.0, **seed),
    "poisson": lambda tf, **seed: tf.random.poisson([1], 1.0, **seed),
    "flip": lambda tf, **seed: tf.image.random_flip_up_down([[[1.0]]], **seed),
    "dropout": lambda tf, **seed: tf.nn.dropout([1.0, 2.0], 0.5, **seed),
    "initializer": lambda tf, **seed: tf.random_uniform_initializer(**seed)([2]),
    "dataset": lambda tf, **seed: next(iter(tf.data.Dataset.range(3).shuffle(3, **seed))),
}


@pytest.mark.parametrize("name", UNSEEDED)
def test_random_ops_need_a_seed(tf, name):
    draw = UNSEEDED[name]
    for run in draw, tf.function(draw, autograph=False):
        with pytest.raises(RuntimeError, match="Random ops require a seed to be set when determinism is enabled"):
            run(tf)
    assert draw(tf, seed=3) is not None
    tf.random.set_seed(1)
    assert draw(tf) is not None


@pytest.mark.parametrize(
    "draw",
    [
        lambda tf, **seed: tf.nn.fractional_max_pool(tf.ones([1, 4, 4, 1]), 1.5, **seed),
        lambda tf, **seed: tf.image.sample_distorted_bounding_box([9, 9, 3], [[[0.2, 0.2, 0.8, 0.8]]], **seed),
    ],
)
def test_functions_whose_zero_seed_means_none(tf, draw):
    for seed in ({}, {"seed": 0}):
        with pytest.raises(ValueError, match="requires a non-zero seed to be passed in when determinism is enabled, but got seed=0"):
            draw(tf, **seed)
    assert len(draw(tf, seed=1)) == 3
    assert len(tf.nn.fractional_avg_pool(tf.ones([1, 4, 4, 1]), [1, 1.5, 1.5, 1])) == 3


def test_generators_need_a_state(tf):
    with pytest.raises(RuntimeError, match='"from_non_deterministic_state" cannot be called when determinism is enabled.'):
        tf.random.Generator.from_non_deterministic_state()
    tf.random.set_global_generator(None)
    with pytest.raises(RuntimeError, match='"get_global_generator" cannot be called if determinism is enabled, unless'):
        tf.random.get_global_generator()
    seeded = tf.random.Generator.from_seed(1)
    tf.random.set_global_generator(seeded)
    assert tf.random.get_global_generator() is seeded
    tf.random.set_global_generator(None)
    assert tf.random.stateless_uniform([2], [1, 2]).shape == [2]
