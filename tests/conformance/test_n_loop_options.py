"""Section N of the tracing rules: `tf.autograph.experimental.set_loop_options`."""

import pytest

pytestmark = pytest.mark.needs("autograph")


@pytest.mark.rule(162)
def test_set_loop_options(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))], parallel_iterations=1
            )
            x = tf.concat([x, x], 0)
        return x

    assert f(tf.constant(3)).shape.as_list() == [8]


@pytest.mark.rule(162)
def test_set_loop_options_outside_of_a_loop(tf):
    @tf.function
    def f(x):
        tf.autograph.experimental.set_loop_options(maximum_iterations=1)
        return x + 1

    assert f(tf.constant(1)).numpy() == 2


@pytest.mark.rule(162)
def test_options_of_other_names(tf):
    @tf.function
    def staged():
        x = tf.constant(0)
        for i in tf.range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += i
        return x

    @tf.function
    def checked_first():
        x = tf.constant(0)
        while x < 3:
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += 1
        return x

    for f in staged, checked_first:
        with pytest.raises(TypeError, match=r"while_loop\(\) got an unexpected keyword argument 'max_iterations'"):
            f()

    @tf.function
    def unrolled_and_over_a_dataset():
        x = tf.constant(0, tf.int64)
        for _ in range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += 1
        for i in tf.data.Dataset.range(3):
            tf.autograph.experimental.set_loop_options(max_iterations=2)
            x += i
        return x

    assert int(unrolled_and_over_a_dataset()) == 6
