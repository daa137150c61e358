"""Random programs of nested conditionals, loops and functions: their gradients are the eager ones in every way."""

import tracefn as tf
from grad.ways import assert_equal_ways, second
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNARY = {
    "sin": tf.sin,
    "tanh": tf.tanh,
    "square": lambda x: 0.5 * x * x / (1.0 + tf.abs(x)),
    "scale": lambda x: 0.9 * x - 0.1,
    "stop": lambda x: x + tf.stop_gradient(tf.cos(x)),
}
BINARY = {"mul": lambda x, y: tf.tanh(x * y), "add": lambda x, y: 0.5 * (x + y), "max": lambda x, y: tf.maximum(x, y + 0.01)}

names = st.integers(0, 1)
simple = st.one_of(
    st.tuples(st.just("unary"), st.sampled_from(sorted(UNARY)), names, names),
    st.tuples(st.just("binary"), st.sampled_from(sorted(BINARY)), names),
)
programs = st.recursive(
    st.lists(simple, min_size=1, max_size=3),
    lambda inner: st.lists(
        st.one_of(
            simple,
            st.tuples(st.just("if"), names, st.floats(-1.0, 1.0), inner, inner),
            st.tuples(st.just("for"), st.integers(0, 3), inner),
            st.tuples(st.just("while"), inner),
            st.tuples(st.just("call"), inner),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=8,
)


def run(program, state):
    """The two variables after the statements of a program."""
    for kind, *rest in program:
        state = STATEMENTS[kind](state, *rest)
    return state


def unary(state, name, source, target):
    state = list(state)
    state[target] = UNARY[name](state[source])
    return tuple(state)


def binary(state, name, target):
    state = list(state)
    state[target] = BINARY[name](*state)
    return tuple(state)


def conditional(state, which, threshold, yes, no):
    return tf.cond(state[which] > threshold, lambda: run(yes, state), lambda: run(no, state))


def counted(state, steps, body):
    return tf.while_loop(lambda i, *s: i < steps, lambda i, *s: (i + 1, *run(body, s)), (tf.constant(0), *state))[1:]


def uncounted(state, body):
    def step(left, *s):
        return (left * 0.5, *run(body, s))

    return tf.while_loop(lambda left, *s: left > 0.2, step, (tf.constant(1.0), *state))[1:]


def call(state, body):
    return tf.function(lambda *s: run(body, s))(*state)


STATEMENTS = {"unary": unary, "binary": binary, "if": conditional, "for": counted, "while": uncounted, "call": call}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(programs, st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_gradients_of_random_programs(program, x, y):
    def function(x, y):
        a, b = run(program, (x, y))
        return a + 2.0 * b

    arguments = [tf.constant(x, tf.float64), tf.constant(y, tf.float64)]
    assert_equal_ways(function, arguments, rtol=1e-9, atol=1e-9)
    assert_equal_ways(function, arguments, second, rtol=1e-7, atol=1e-7)

