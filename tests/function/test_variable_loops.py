"""Loops that read and update Variables: the values of op by op, in the Variables and in what is returned."""

import random
import threading

import numpy as np
import pytest
import tracefn as tf
from support.compile_modes import printed
from support.program_runs import bits, program_of, seeds

SHAPES = [(), (3,), (70,), (4, 20)]


def variables() -> list[tf.Variable]:
    rng = np.random.default_rng(1)
    return [tf.Variable(rng.normal(size=shape).astype(np.float32)) for shape in SHAPES]


def explained(f, *given) -> str:
    return f.get_concrete_function(*given).explain_compilation()


def outcome(function, *given) -> list:
    """Bits of the results and of all Variables after two calls."""
    own = variables()
    first = bits(function(own, *given))
    return [first, bits(function(own, *given)), bits(own)]


def check(program, *given) -> None:
    traced = tf.function(program)
    found = outcome(traced, *given)
    tf.config.run_functions_eagerly(True)
    try:
        wanted = outcome(tf.function(program), *given)
    finally:
        tf.config.run_functions_eagerly(False)
    assert found == wanted


class Programs:
    """Random bodies of loops over Variables v0 to v3 and tensors x0 to x3 of the same shapes."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []

    def expression(self, k: int) -> str:
        j = self.random.randrange(len(SHAPES))
        forms = [f"x{k}", f"v{k}", f"v{k}.read_value()", f"v{k} * 0.5 + x{k}", f"tf.maximum(x{k}, v{k}.value()) * 0.3",
                 f"tf.sin(x{k}) - v{k}", f"x{k} * tf.reduce_mean(v{j})", f"v{k} + tf.reduce_max(x{j})",
                 f"tf.cast(i, tf.float32) * v{k}"]  # fmt: skip
        if k > 0:
            forms += [f"tf.reverse(v{k}, [0])", f"tf.roll(x{k}, 1, 0) + v{k}", f"v{k} * x0", f"x{k} + v{k}[0]"]
        return f"tf.tanh({self.random.choice(forms)})"

    def statement(self, indent: int, depth: int) -> None:
        pad = " " * indent
        k = self.random.randrange(len(SHAPES))
        kind = self.random.randrange(10)
        if kind < 5:
            method = self.random.choice(["assign", "assign_add", "assign_sub"])
            self.lines.append(f"{pad}v{k}.{method}({self.expression(k)})")
        elif kind < 8 or depth == 2:
            source = self.random.choice([self.expression(k), f"v{k}.read_value()", f"x{k} + 0.0"])
            self.lines.append(f"{pad}x{k} = {source}")
        elif kind == 8:
            self.lines.append(f"{pad}if {self.random.choice(['i % 2 == 0', 'x0 > v0', 'tf.reduce_sum(v2) > 0.0'])}:")
            self.block(indent + 4, depth + 1)
            if self.random.randrange(2):
                self.lines.append(f"{pad}else:")
                self.block(indent + 4, depth + 1)
        else:
            self.lines.append(f"{pad}for _ in tf.range({self.random.randrange(4)}):")
            self.block(indent + 4, depth + 1)

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.random.randrange(1, 5)):
            self.statement(indent, depth)

    def text(self) -> str:
        self.lines = ["def program(vs, n):", "    v0, v1, v2, v3 = vs", "    x0, x1, x2, x3 = [0.5 * v for v in vs]",
                      "    for i in tf.range(n):"]  # fmt: skip
        self.block(8, 0)
        return "\n".join([*self.lines, "    return x0, x1, x2, x3", ""])


@pytest.mark.parametrize("seed", seeds(60))
def test_random_programs(seed):
    text = Programs(seed).text()
    try:
        check(program_of(text, f"<variable program {seed}>"), tf.constant(4))
    except AssertionError as error:
        raise AssertionError(f"in\n{text}") from error


def test_loops_are_compiled():
    v, count = tf.Variable(tf.zeros([100])), tf.Variable(0)

    @tf.function
    def f(n):
        for _ in tf.range(n):
            v.assign_add(tf.ones([100]))
            count.assign_add(1)
            v.assign(v * 0.5)
        return v.read_value()

    assert f(tf.constant(3))[0] == 0.875
    assert explained(f, tf.constant(3)) == "while: compiled as a whole"
    assert count.numpy() == 3


def test_training_inside_a_function():
    x = tf.constant(np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32))
    y = x @ tf.constant([[1.0], [-2.0], [0.5]]) + 0.25

    def trained(eagerly):
        tf.config.run_functions_eagerly(eagerly)
        w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(tf.zeros([1]))

        @tf.function
        def train(n):
            loss = tf.constant(0.0)
            for _ in tf.range(n):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(x @ w + b - y))
                for variable, gradient in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                    variable.assign_sub(0.1 * gradient)
            return loss

        try:
            return [train(tf.constant(200)), w.numpy(), b.numpy()]
        finally:
            tf.config.run_functions_eagerly(False)

    for found, wanted in zip(trained(False), trained(True), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(trained(False)[1], [[1.0], [-2.0], [0.5]], atol=1e-3)


def test_values_that_were_read_stay():
    v = tf.Variable([1.0, 2.0])
    large = tf.Variable(tf.zeros([200]))

    @tf.function
    def f(n):
        old, before = v.read_value(), large.read_value()
        for _ in tf.range(n):
            old, before = v.read_value(), large.read_value()
            v.assign_add([10.0, 10.0])
            large.assign(before + 1.0)
            before += 0.25
        return old, before

    old, before = f(tf.constant(3))
    np.testing.assert_array_equal(old, [21.0, 22.0])
    np.testing.assert_array_equal(before, np.full(200, 2.25))
    np.testing.assert_array_equal(v, [31.0, 32.0])
    np.testing.assert_array_equal(large, np.full(200, 3.0))


def test_a_value_is_assigned_to_two_variables_and_changes_in_the_loop():
    a, b = tf.Variable(tf.zeros([100])), tf.Variable(tf.zeros([100]))

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x * 2.0
            a.assign(x)
            b.assign(x)
            x = x + 1.0
            a.assign_add(x)
        return x

    x = tf.ones([100])
    assert f(x, tf.constant(2))[5] == 7.0
    assert (a.numpy() == 13.0).all() and (b.numpy() == 6.0).all() and (x.numpy() == 1.0).all()


def test_one_variable_under_two_names():
    v = tf.Variable(1.0)

    @tf.function
    def f(a, b, n):
        for _ in tf.range(n):
            a.assign_add(1.0)
            b.assign(b * 2.0)

    f(v, tf.Variable(3.0), tf.constant(2))
    f(v, v, tf.constant(3))
    assert v.numpy() == 38.0


def test_an_error_leaves_what_was_done_before():
    v, table = tf.Variable(0), tf.constant([5, 6, 7])

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign_add(table[i])
        return v.value()

    assert f(tf.constant(2)) == 11
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 3 of dimension 0 out of bounds"):
        f(tf.constant(5))
    assert v.numpy() == 29


def test_deleted_and_unset_variables():
    v = tf.Variable(1.0)

    @tf.function
    def f(n):
        for _ in tf.range(n):
            v.assign_add(1.0)
        return v.value()

    assert f(tf.constant(2)) == 3.0
    tf.raw_ops.DestroyResourceOp(resource=v.handle)
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        f(tf.constant(2))
    v.assign(5.0)
    assert f(tf.constant(1)) == 6.0


def test_shapes_that_change():
    v = tf.Variable([1.0], shape=tf.TensorShape([None]))

    @tf.function
    def f(n):
        for _ in tf.range(n):
            v.assign(tf.concat([v, v], 0))
        return tf.size(v)

    assert f(tf.constant(5)) == 32
    assert "op by op" in explained(f, tf.constant(5))


@pytest.mark.parametrize("dtype", [tf.int64, tf.float64, tf.bool, tf.complex64, tf.float16, tf.uint8])
def test_dtypes(dtype):
    v = tf.Variable(tf.zeros([5], dtype))

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign(tf.cast(tf.cast(v, tf.complex64) + tf.cast(i, tf.complex64), dtype))
        return v.value()

    wanted = {tf.bool: 1}.get(dtype, 6)
    np.testing.assert_array_equal(f(tf.constant(4)), np.full(5, wanted, dtype.as_numpy_dtype))


def test_rows_are_scattered_and_gathered():
    table = tf.Variable(tf.zeros([6, 2]))

    @tf.function
    def f(n):
        for i in tf.range(n):
            table.scatter_nd_add([[i % 6]], [tf.gather(table, (i + 5) % 6) + 1.0])
            table[0].assign([7.0, 8.0])
        return table.value()

    found = f(tf.constant(9)).numpy()
    table.assign(tf.zeros([6, 2]))
    tf.config.run_functions_eagerly(True)
    try:
        np.testing.assert_array_equal(found, f(tf.constant(9)))
    finally:
        tf.config.run_functions_eagerly(False)


def test_threads_lose_no_update():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        for _ in tf.range(n):
            v.assign_add(1)

    f(tf.constant(0))
    threads = [threading.Thread(target=f, args=(tf.constant(20_000),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy() == 80_000


def test_verifying_has_no_effect_twice():
    program = """
import tracefn as tf
v = tf.Variable(0.0)
@tf.function
def f(n):
    for _ in tf.range(n):
        v.assign_add(1.0)
    return v.value()
print(f(tf.constant(3)).numpy(), f.get_concrete_function(tf.constant(3)).explain_compilation())
"""
    assert printed("off", program) == ["3.0 while: op by op: TRACEFN_COMPILE=off"]
    assert printed("always", program) == ["3.0 while: compiled as a whole"]
    assert printed("verify", program) == ["3.0 while: op by op: an op with side effects, which would have them twice"]
