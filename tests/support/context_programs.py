"""Small programs that enter every kind of context: tracing, conversion, gradients, callbacks.

Each is a function without arguments that makes what it needs and returns a callable; calling that returns a nest of
tensors, the same each time.
"""

from __future__ import annotations

import numpy as np
import tracefn as tf

PROGRAMS: dict = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


class Object:
    pass


@program
def branches():
    @tf.function
    def f(x, n):
        y = x
        if x > 0:
            if n > 1:  # noqa: SIM108
                z = x * 2
            else:
                z = x
            y = z + 1
        elif n > 5:
            y = -x
        return y if n > 0 else x

    return lambda: [f(tf.constant(v), tf.constant(n)) for v in (1, -1) for n in (0, 3)]


@program
def loops():
    @tf.function
    def f(x):
        total = 0
        for i in tf.range(x):
            if i == 2:
                continue
            if i > 4:
                break
            j = i
            while j > 0:
                total += j
                j -= 1
        return total

    return lambda: f(tf.constant(8))


@program
def lists():
    @tf.function
    def f(x):
        rows = []
        for i in tf.range(3):
            inner = []
            for j in tf.range(2):
                inner.append(x * i + j)
            rows.append(tf.stack(inner))
        return tf.stack(rows)

    return lambda: f(tf.constant(2))


@program
def returns():
    @tf.function
    def f(x):
        for row in x:
            if row > 2.0:
                return row
        return tf.constant(-1.0)

    return lambda: (f(tf.constant([1.0, 3.0])), f(tf.constant([1.0])))


@program
def objects_in_branches():
    @tf.function
    def f(x):
        if x > 0:
            o = Object()
            for i in tf.range(3):
                o.value = i
                p = Object()
            while x < 5:
                p = Object()  # noqa: F841
                x += 1
        return x

    return lambda: f(tf.constant(1))


@program
def caught_in_the_trace():
    @tf.function
    def f(x):
        try:
            if x > 0:
                for i in tf.range(3):
                    if i > 1:
                        raise ValueError("on purpose")
        except ValueError:
            x += 1
        with Swallow():
            if x > 0:
                raise ValueError("on purpose")
        return x + 1

    return lambda: f(tf.constant(1))


class Swallow:
    def __enter__(self):
        pass

    def __exit__(self, *exc):
        return True


@program
def functional_control_flow():
    @tf.function(autograph=False)
    def f(x):
        y = tf.cond(x > 0, lambda: x * 2, lambda: x)
        z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + i), (0, y))[1]
        s = tf.switch_case(x % 2, [lambda: z, lambda: z + 1])
        return tf.case([(s > 100, lambda: s), (s > 1, lambda: -s)], default=lambda: s)

    return lambda: f(tf.constant(3))


@program
def rows():
    @tf.function
    def f(x):
        a = tf.map_fn(lambda r: r * 2.0 if tf.reduce_sum(r) > 1.0 else r, x)
        b = tf.scan(lambda s, r: s + r, x)
        c = tf.vectorized_map(lambda r: tf.reduce_sum(r), x)
        return a + b, c, tf.foldl(lambda s, r: s + r, x)

    return lambda: f(tf.constant([[1.0, 2.0], [0.1, 0.2]]))


@program
def a_tape_in_a_function():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = y * x * v
            with tape.stop_recording():
                z = y * 1.0
        return z, tape.gradient(y, [x, v]), tape.jacobian(y, x)

    return lambda: f(tf.constant(1.5))


@program
def a_function_in_a_tape():
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0:
            return tf.sin(x)
        return x * x

    def run():
        x = tf.constant([0.5, 0.7])
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            slope = inner.gradient(y, x)
        return slope, outer.gradient(slope, x), outer.jacobian(y, x)

    return run


@program
def custom_gradients():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def square(x):
        y = x * x

        def grad(dy):
            with tf.GradientTape() as tape:
                tape.watch(x)
                again = x * x
            return dy * tape.gradient(again, x)

        return y, grad

    again = tf.recompute_grad(lambda x: tf.sin(x) * v)
    through = tf.grad_pass_through(tf.round)

    def body(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x) + again(x) + through(x)
        return tape.gradient(y, [x, v])

    f = tf.function(body)
    return lambda: (body(tf.constant(1.5)), f(tf.constant(1.5)))


@program
def forward():
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.exp(x) * x
            inside = acc.jvp(y)
            z = y * 2.0
        return inside, acc.jvp(z)

    def run():
        x = tf.constant([0.5, 0.7])
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.exp(x)
        return f(x), acc.jvp(y)

    return run


@program
def surroundings():
    @tf.function
    def f(x):
        with tf.name_scope("a"), tf.device("/CPU:0"):
            y = x + 1
            with tf.control_dependencies([y]), tf.init_scope():
                eager = tf.constant(5) + 1
            with tf.control_dependencies(None):
                z = tf.identity(y, name="z")
        return z + eager

    def run():
        with tf.name_scope("outer"), tf.device("/CPU:0"), tf.control_dependencies([tf.constant(1)]), tf.init_scope():
            return f(tf.constant(1))

    return run


@program
def variables():
    made = []

    def creator(next_creator, **kwargs):
        return next_creator(**kwargs)

    @tf.function
    def f(x):
        if not made:
            with tf.variable_creator_scope(creator):
                made.append(tf.Variable(tf.ones([]) * 2.0))
        made[0].assign(made[0] * 1.0)
        return made[0] * x

    return lambda: f(tf.constant(2.0))


@program
def callbacks():
    @tf.function
    def f(x):
        y = tf.py_function(lambda a: tf.sin(a) * 2.0, [x], tf.float32)
        z = tf.numpy_function(lambda a: np.cos(a), [x], tf.float32)
        return y + z

    def run():
        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, x)

    return run


@program
def nested_functions():
    @tf.function
    def inner(x, n):
        for _ in tf.range(n):
            x = x * 2
        return x

    @tf.function
    def outer(x):
        if x > 3:
            return inner(x, 2)
        return inner(x, 3) + inner(x + 1, tf.constant(1))

    return lambda: (outer(tf.constant(5)), outer(tf.constant(1)))


@program
def graphs():
    def run():
        graph = tf.Graph()
        with graph.as_default(), graph.name_scope("g"), graph.device("/CPU:0"):
            a = tf.constant(1)
            with graph.control_dependencies([a]):
                b = tf.constant(2) + a
            with tf.Graph().as_default():
                tf.constant(3)
        wrapped = tf.compat.v1.wrap_function(lambda x: tf.identity(x * 2, name="y") + 1, [tf.TensorSpec([], tf.int32)])
        return tf.constant(len(graph.get_operations())), wrapped(tf.constant(3)), tf.constant(b.op.name == "g/add")

    return run


@program
def registered_gradients():
    @tf.function
    def f(x):
        with x.graph.gradient_override_map({"Square": "TenfoldOfContexts"}):
            y = tf.square(x)
        return tf.gradients(y, x)[0]

    return lambda: f(tf.constant(3.0))


@tf.RegisterGradient("TenfoldOfContexts")
def tenfold(op, dy):
    with tf.name_scope("tenfold"):
        return 20.0 * dy * op.inputs[0]


@program
def generators():
    def scopes():
        with tf.name_scope("held"):
            yield 1
            yield 2

    @tf.function
    def f(x):
        held = scopes()
        next(held)
        y = tf.identity(x, name="in_it")
        held.close()
        left = scopes()
        next(left)
        return y + 1

    return lambda: f(tf.constant(1))


@program
def refused_retracing():
    f = tf.function(lambda x: x + 1)

    def run():
        result = f(tf.constant(1))
        with tf.no_retrace():
            return result, f(tf.constant(2))

    return run
