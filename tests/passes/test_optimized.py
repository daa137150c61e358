"""What the passes make of programs that users write: the ops that are left, and the same results bit for bit."""

import random
import re

import numpy as np
import pytest
import tracefn as tf
from support.program_runs import seeds
from tracefn import _core

ALL_OFF = {"disable_meta_optimizer": True}


@pytest.fixture(autouse=True)
def passes():
    """All passes on; what the process had comes back afterwards."""
    optimizer = tf.config.optimizer
    kept = optimizer.get_experimental_options()
    optimizer.set_experimental_options(dict.fromkeys(kept))
    yield optimizer
    optimizer.set_experimental_options({**dict.fromkeys(optimizer.get_experimental_options()), **kept})


def ops(function, *args):
    """The op types of the optimized graph and of the functions inside it."""
    graph = function.get_concrete_function(*args).graph
    return re.findall(r" = (\w+)\[", _core.optimized_text(graph))


def same_without(passes, make, *args):
    """The results of make() compiled with all passes and with none, which have the same bits."""
    expected = [t.numpy() for t in tf.nest.flatten(make()(*args))]
    passes.set_experimental_options(ALL_OFF)
    plain = [t.numpy() for t in tf.nest.flatten(make()(*args))]
    passes.set_experimental_options({"disable_meta_optimizer": None})
    for a, b in zip(expected, plain, strict=True):
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes()
    return expected


def numbers(*shape, seed=1):
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


def test_training_with_an_unknown_batch_size_has_no_shape_arithmetic(passes):
    def make():
        weights = [tf.Variable(numbers(20, 32)), tf.Variable(numbers(32, 10, seed=2))]
        biases = [tf.Variable(numbers(32, seed=3)), tf.Variable(numbers(10, seed=4))]

        @tf.function(input_signature=[tf.TensorSpec([None, 20]), tf.TensorSpec([None], tf.int32)])
        def step(x, labels):
            with tf.GradientTape() as tape:
                hidden = tf.nn.relu(x @ weights[0] + biases[0])
                logits = hidden @ weights[1] + biases[1]
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
                loss = tf.reduce_mean(losses)
            variables = weights + biases
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
                variable.assign_sub(0.1 * gradient)
            return [loss, *(variable.read_value() for variable in variables)]

        return step

    found = ops(make())
    assert not {"BroadcastGradientArgs", "DynamicStitch", "BroadcastTo", "Shape", "Identity"} & set(found)
    same_without(passes, make, numbers(8, 20), tf.range(8))


@pytest.mark.parametrize("batch", [0, 1, 5])
def test_gradient_of_layer_normalization(passes, batch):
    def make():
        @tf.function(input_signature=[tf.TensorSpec([None, 64]), tf.TensorSpec([64]), tf.TensorSpec([64])])
        def gradient(x, scale, offset):
            with tf.GradientTape() as tape:
                tape.watch([x, scale, offset])
                centred = x - tf.reduce_mean(x, -1, keepdims=True)
                variance = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
                y = centred * tf.math.rsqrt(variance + 1e-5) * scale + offset
                total = tf.reduce_sum(y * y)
            return tape.gradient(total, [x, scale, offset])

        return gradient

    assert not {"BroadcastGradientArgs", "DynamicStitch", "Size", "AddN"} & set(ops(make()))
    x, scale, offset = numbers(batch, 64), numbers(64, seed=2), numbers(64, seed=3)
    same_without(passes, make, x, scale, offset)


def test_calls_are_put_in_place_with_their_effects_in_order(passes, capsys):
    def make():
        total = tf.Variable(0.0)

        @tf.function
        def add(x):
            tf.print("adding", x)
            total.assign_add(x)
            return total * 2.0

        @tf.function
        def both(x):
            first = add(x)
            tf.print("between", total)
            return first, add(x + 1.0), total.read_value()

        return both

    assert "StatefulPartitionedCall" not in ops(make(), tf.constant(1.0))
    same_without(passes, make, tf.constant(1.0))
    lines = capsys.readouterr().err.split("\n")[:-1]
    assert lines == ["adding 1", "between 1", "adding 2"] * 2


def test_errors_name_the_node_and_line_of_the_function_called():
    @tf.function
    def check(x):
        return tf.debugging.check_numerics(x, "bad") + 1.0

    @tf.function
    def twice(x):
        return check(x) + check(x / 0.0)

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        twice(tf.constant(1.0))
    text = str(caught.value)
    assert "{{node CheckNumerics}}" in text
    assert "Detected at node CheckNumerics defined at" in text
    assert "in check" in text


def test_products_transpose_themselves(passes):
    def f(x):
        return tf.matmul(x, tf.transpose(x)), tf.linalg.matmul(x[None], tf.transpose(x)[None])

    x = numbers(30, 40)
    assert ops(tf.function(f), x).count("Transpose") <= 1
    results = tf.function(f)(x)
    passes.set_experimental_options(ALL_OFF)
    for a, b in zip(results, tf.function(f)(x), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-4)  # another order of additions


def test_decided_branches_and_loops_without_iterations(passes):
    def make():
        @tf.function
        def f(x):
            if tf.constant(2) > tf.constant(1):  # noqa: SIM108
                x = tf.exp(x)
            else:
                x = tf.tanh(x)
            for _ in tf.range(tf.constant(3) - 3):
                x = tf.sin(x)
            return x

        return f

    found = ops(make(), tf.constant(1.0))
    assert "Exp" in found
    assert not {"Tanh", "Sin", "StatelessIf", "StatelessWhile", "While"} & set(found)
    same_without(passes, make, tf.constant(1.0))


def test_a_loop_computes_invariants_once(passes):
    def make():
        @tf.function
        def f(x, w, n):
            for _ in tf.range(n):
                x = x @ tf.exp(tf.transpose(w) * 0.5)
            return x

        return f

    x, w = numbers(2, 3), numbers(3, 3, seed=2)
    text = _core.optimized_text(make().get_concrete_function(x, w, tf.constant(2)).graph)
    outer, bodies = text.split("While[", 1)
    assert "fused" in outer or "Exp" in outer
    assert " Exp[" not in bodies.split("graph while_body", 1)[1].split("graph ", 1)[0]
    for n in (0, 1, 3):
        same_without(passes, make, x, w, tf.constant(n))


def test_an_invariant_that_fails_does_not_fail_a_loop_without_iterations():
    @tf.function
    def f(x, n):
        total = tf.constant(0)
        for _ in tf.range(n):
            total += 7 // x
        return total

    assert f(tf.constant(0), tf.constant(0)).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(0), tf.constant(1))


def test_a_trace_keeps_what_it_was_compiled_with(passes):
    f = tf.function(lambda x: tf.exp(x) + 1.0)
    f(tf.constant([1.0]))
    passes.set_experimental_options(ALL_OFF)
    assert ops(f, tf.constant([1.0])).count("Identity") == 1
    passes.set_experimental_options({"disable_meta_optimizer": False})
    assert "Identity" not in ops(f, tf.constant([1.0]))


UNARY = [tf.abs, tf.negative, tf.square, tf.tanh, tf.identity, lambda x: x * 1.0, lambda x: x / 4.0, lambda x: x - 0.0]
SHAPED = [
    tf.transpose,
    lambda x: tf.reshape(x, [-1, 1]),
    lambda x: tf.reshape(x, tf.shape(x)),
    lambda x: tf.squeeze(tf.expand_dims(x, 0), 0),
    lambda x: tf.zeros_like(x) + x,
    lambda x: tf.ones_like(x) * x,
    lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
    lambda x: tf.where(True, x, tf.zeros_like(x)),
    lambda x: tf.pad(x, [[0, 0], [0, 0]]),
    lambda x: x[:, :],
    lambda x: tf.broadcast_to(tf.reduce_max(x), tf.shape(x)) - x,
    lambda x: tf.add_n([x, x, tf.abs(x)]),
]


def random_program(seed):
    """A function of a matrix made of random ops, some of them inside functions, branches and loops."""
    choose = random.Random(seed)
    steps = [choose.choice(UNARY + SHAPED) for _ in range(choose.randint(4, 14))]
    frame = [choose.choice(["plain", "call", "loop", "cond"]) for _ in steps]

    def f(x):
        values = [x]
        for step, kind in zip(steps, frame, strict=True):
            x = values[-1]
            if kind == "call":
                x = tf.function(step)(x)
            elif kind == "cond":
                x = tf.cond(tf.constant(True), lambda x=x, step=step: step(x), lambda x=x: x * 2.0)
            elif kind == "loop" and step in UNARY:
                x = tf.while_loop(
                    lambda i, _: i < 2, lambda i, v, x=x, step=step: (i + 1, v + step(x)), (tf.constant(0), x)
                )[1]
            else:
                x = step(x)
            values.append(tf.clip_by_value(x, -1e3, 1e3))
        return values[-1], tf.shape(values[-1])

    return f


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs(passes, seed):
    x = numbers(3, 4, seed=seed)
    spec = tf.TensorSpec([None, 4] if seed % 2 else [3, 4])
    same_without(passes, lambda: tf.function(random_program(seed), input_signature=[spec]), x)


@pytest.mark.parametrize(
    "sizes",
    [
        lambda x, n: tf.reshape(x, [n]),
        lambda x, n: tf.reshape(tf.reshape(x, [n]), [-1]),
        lambda x, n: tf.reshape(tf.reshape(x, [n, 1]), [-1]),
        lambda x, n: tf.reshape(tf.expand_dims(x, 0), [n]),
    ],
)
def test_a_computed_size_that_does_not_fit_is_an_error(passes, sizes):
    f = tf.function(sizes, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
    x = tf.constant([1.0, 2.0, 3.0])
    assert f(x, 3).numpy().tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape is a tensor with 3 values"):
        f(x, 2)


def divided(x, y):
    # Enough steps in the branch that a block where no element takes it leaves them out.
    return tf.where(tf.equal(y, 0), x, ((x + 3) * (x - 5) * (x + y) - x * y) // y)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_integers_of_a_branch_that_no_element_takes(passes, dtype):
    def make():
        return tf.function(lambda x, c: tf.where(c, x, ((x + 3) * (x - 5) * (x + 7) - x * x) * (x + 11)))

    x = tf.range(5000, dtype=dtype)
    for taken in (x < 0, x >= 0, x < 2500, x % 2 == 0):
        (result,) = same_without(passes, make, x, taken)
        n = np.arange(5000, dtype=dtype.as_numpy_dtype)
        with np.errstate(over="ignore"):
            other = ((n + 3) * (n - 5) * (n + 7) - n * n) * (n + 11)
        np.testing.assert_array_equal(result, np.where(taken.numpy(), n, other))


@pytest.mark.parametrize("zeros", ["none", "some", "all"])
def test_a_division_by_zero_fails_in_a_branch_that_no_element_takes(passes, zeros):
    x = tf.range(5000)
    y = {"none": x + 1, "some": tf.maximum(x, 2500) - 2500, "all": x * 0}[zeros]
    if zeros == "none":
        (result,) = same_without(passes, lambda: tf.function(divided), x, y)
        np.testing.assert_array_equal(result, divided(x, y).numpy())
        return
    for f in (divided, tf.function(divided)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            f(x, y)


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.bfloat16, tf.complex64])
def test_one_hot_of_few_elements_is_compared_and_selected(passes, axis, dtype):
    indices = tf.constant([[0, 2, -1], [4, 5, 1]])

    def make():
        return tf.function(lambda i: tf.one_hot(i, 5, on_value=tf.cast(3, dtype), off_value=tf.cast(2, dtype), axis=axis))

    assert "OneHot" not in ops(make(), indices)
    (found,) = same_without(passes, make, indices)
    assert np.array_equal(found, tf.one_hot(indices, 5, tf.cast(3, dtype), tf.cast(2, dtype), axis).numpy())


def test_one_hot_of_many_elements_or_of_other_values_keeps_its_kernel(passes):
    many = tf.zeros([100], tf.int32)
    assert "OneHot" in ops(tf.function(lambda i: tf.one_hot(i, 100)), many)
    assert "OneHot" in ops(tf.function(lambda i: tf.one_hot(i, 3, "a", "b")), many)
    # 200 is not an int8.
    assert "OneHot" in ops(tf.function(lambda i: tf.one_hot(i, 200)), tf.constant([-56], tf.int8))
