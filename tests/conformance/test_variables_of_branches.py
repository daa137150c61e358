"""Variables that a function makes in its first call, in a branch or loop: they get their initial values at once."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(114, 115, 117)


@pytest.fixture
def kept():
    """What the functions below make once."""
    return []


def test_in_a_conditional(tf, kept, traces):
    @tf.function
    def f(x):
        if x > 0:
            traces.append(len(kept))
            if not kept:
                kept.append(tf.Variable(1.0))
            y = kept[0] + x
        else:
            y = x
        return y

    assert float(f(tf.constant(1.0))) == 2.0 and traces == [0, 1]
    kept[0].assign(5.0)
    assert float(f(tf.constant(1.0))) == 6.0 and float(f(tf.constant(-1.0))) == -1.0


def test_in_a_branch_that_does_not_run(tf, kept):
    def branch():
        if not kept:
            kept.append(tf.Variable(3.0))
        return kept[0] * 2.0

    f = tf.function(lambda x: tf.cond(x > 0, branch, lambda: x))
    assert float(f(tf.constant(-1.0))) == -1.0
    assert kept[0].numpy() == 3.0 and float(f(tf.constant(1.0))) == 6.0


def test_in_a_loop(tf, kept):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(2.0 * tf.ones([x.shape[-1], x.shape[-1]]), name="w")
            return x @ self.w

    layer = Layer()

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = layer(x)
        return x

    assert f(tf.ones([1, 2]), tf.constant(2)).numpy().tolist() == [[16.0, 16.0]]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(tf.ones([1, 2]), tf.constant(1)))
    assert tape.gradient(y, layer.w).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert len(layer.trainable_variables) == 1


def test_loops_and_branches_of_functions(tf):
    def scaling():
        made = []

        def scaled(x):
            if not made:
                made.append(tf.Variable(3.0))
            return x * made[0]

        return scaled

    scaled = scaling()
    loop = tf.function(lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, scaled(y)), (0, x))[1])
    assert float(loop.get_concrete_function(tf.TensorSpec([]))(tf.constant(1.0))) == 9.0
    scaled2 = scaling()
    select = tf.function(lambda i: tf.switch_case(i, [lambda: scaled2(1.0), lambda: 0.0]))
    assert float(select(tf.constant(0))) == 3.0
    scaled3 = scaling()
    rows = tf.function(lambda x: tf.map_fn(scaled3, x))
    assert rows(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]


def test_initial_values(tf, kept):
    @tf.function
    def f(x):
        base = tf.ones([2]) * 3.0
        y = tf.zeros([2])
        for _ in tf.range(1):
            if x > 1:
                if not kept:
                    kept.append(tf.Variable(base + tf.random.uniform([2]) * 0.0))
                    kept.append(tf.Variable(lambda: tf.zeros([2]) + 1.0))
                    kept.append(tf.Variable(np.ones(2, np.float32)))
                    kept.append(tf.Variable(x * 2.0))
                y = kept[0] * kept[1] + kept[2] + kept[3]
        return y

    assert f(tf.constant(2.0)).numpy().tolist() == [8.0, 8.0]
    assert [v.numpy().tolist() for v in kept] == [[3.0, 3.0], [1.0, 1.0], [1.0, 1.0], 4.0]


@pytest.mark.rule(116)
def test_in_each_call(tf):
    def branch(x):
        if x > 0:
            v = tf.Variable(1)
            x = x + v
        return x

    def loop(x):
        for _ in tf.range(x):
            v = tf.Variable(1)
            x = x + v
        return x

    for function in (branch, loop):
        with pytest.raises(ValueError, match="only supports singleton tf.Variables created on the first call"):
            tf.function(function)(tf.constant(2))


@pytest.mark.rule(117)
def test_an_initial_value_without_its_argument(tf, kept):
    @tf.function
    def f(x):
        if not kept:
            kept.append(tf.Variable(x * 2.0))
        return kept[0] + 1.0

    refused = r"Unable to lift tensor <tf.Tensor 'mul:0'.* because it depends transitively on placeholder <tf.Operation 'x' type"
    with pytest.raises(Exception, match=refused) as caught:
        f.get_concrete_function(tf.TensorSpec([]))
    assert type(caught.value).__name__ == "UnliftableError"
    kept.clear()
    with pytest.raises(Exception, match="Unable to lift tensor") as caught:
        tf.data.Dataset.range(3).map(lambda x: tf.Variable(x))
    assert type(caught.value).__name__ == "UnliftableError"


@pytest.mark.rule(114)
def test_a_first_call_with_a_batch_of_an_iterator_takes_it_once(tf):
    made = []

    @tf.function
    def step(x):
        if not made:
            made.append(tf.Variable(2.0))
        return x * made[0]

    @tf.function
    def run(iterator):
        return step(next(iterator))

    iterator = iter(tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]))
    assert [float(run(iterator)) for _ in range(3)] == [2.0, 4.0, 6.0]
