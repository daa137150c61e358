"""Random differentiable programs of more kinds: Variables, tables of rows, early returns, tf.cond and its relatives, loops over
elements, scans, tapes and custom gradients inside. `text_of(seed)` writes one, with the names and arguments of float_programs.py."""

from __future__ import annotations

import linecache

from grad.float_programs import SCALARS, Writer

TABLE = [[0.2, -0.4, 0.6], [1.1, 0.3, -0.7], [-0.5, 0.8, 0.1], [0.9, -0.2, 0.4]]


class WideWriter(Writer):
    """Writes one program over two scalars, a vector of three, a scalar Variable `w` and a Variable `table` of four rows."""

    def text(self) -> str:
        self._line(0, "def program(x, y, v):")
        for number in range(self._random.randint(0, 2)):
            self._function(number)
        self._line(1, "a, b, c = x, y, 0.5 * x * w")
        self._block(1, depth=0, in_loop=False)
        for _ in range(self._random.randint(1, 2)):
            self._random.choice([self._early_return, self._inner_tape, self._element_loop, self._table])(1)
        self._line(1, "return a + 2.0 * b - c + tf.reduce_sum(v * v)")
        return "\n".join(self._lines) + "\n"

    def _function(self, number: int) -> None:
        """An inner function: plain, with a gradient of its own, or computed again for its gradient."""
        kind = self._random.random()
        if kind < 0.6:
            super()._function(number)
            return
        name = f"inner{number}"
        if kind < 0.8:
            self._line(1, "@tf.custom_gradient")
            self._line(1, f"def {name}(a, b):")
            self._line(2, "c = tf.sin(a) * b")
            self._line(2, "return c, lambda dy: (dy * tf.cos(a) * b * 0.5, dy * c * 0.3)")
        else:
            self._line(1, "@tf.recompute_grad")
            self._line(1, f"def {name}(a, b):")
            self._line(
                2, "return tf.sin(a) * b * w" if self._random.random() < 0.5 else "return tf.tanh(a * b) + 0.1 * b"
            )
        self._functions.append(name)

    def _scalar(self, vectors: bool = True) -> str:
        if self._random.random() < 0.75:
            return super()._scalar(vectors)
        p, q = self._random.choice(SCALARS), self._random.choice(SCALARS)
        choices = [f"tf.sin({p} * w)", f"w * 0.5 + {q} * 0.3", f"tf.cond({p} > w, lambda: {p} * 0.4, lambda: {q} * w)"]
        if vectors:
            choices += [
                f"tf.reduce_sum(tf.gather(table, [0, 2, 0]) * v) * 0.1 + {p} * 0.2",
                f"tf.cond({p} > 0.1, lambda: tf.reduce_mean(tf.gather(table, 1)) * {q}, lambda: {p} * 0.3)",
                f"tf.foldl(lambda s, e: s * 0.5 + tf.sin(e), v) * 0.4 + {p} * 0.1",
                f"tf.switch_case(tf.cast({p} > 0.3, tf.int32), [lambda: tf.tanh(v[0]), lambda: {q} * w])",
                f"tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s * 0.6 + w * v[i]), (0, {p}))[1]",
            ]
        return self._random.choice(choices)

    def _vector(self) -> str:
        if self._random.random() < 0.6:
            return super()._vector()
        p = self._random.choice(SCALARS)
        return self._random.choice(
            [
                f"tf.gather(table, tf.cast({p} > 0.2, tf.int32) + 1) * 0.5 + v * 0.3",
                "table[3] * v",
                "tf.linalg.matvec(table, v)[:3] * 0.4",
                f"tf.map_fn(lambda e: tf.sin(e) * {p}, v)",
                "tf.scan(lambda s, e: 0.5 * s + e * w, v)",
                f"tf.tensor_scatter_nd_add(v * 0.5, [[0], [2], [0]], tf.stack([{p}, w, 0.1 * {p}]))",
            ]
        )

    def _early_return(self, indent: int) -> None:
        self._line(indent, f"if {self._condition()}:")
        self._line(indent + 1, f"return {self._scalar()}")

    def _inner_tape(self, indent: int) -> None:
        p, q = self._random.sample(SCALARS, 2)
        self._line(indent, f"with tf.GradientTape(persistent={self._random.random() < 0.5}) as tape:")
        self._line(indent + 1, f"tape.watch({p})")
        self._line(indent + 1, f"z = tf.sin({p} * {q}) * w + {self._scalar()}")
        self._line(indent, f"{q} = 0.5 * tape.gradient(z, {p}, unconnected_gradients='zero')")

    def _element_loop(self, indent: int) -> None:
        self._line(indent, "for e in v:")
        self._line(indent + 1, f"if {self._condition()}:")
        self._line(indent + 2, self._random.choice(["continue", "break", "b = b * 0.5 + e"]))
        self._line(indent + 1, f"a = 0.6 * a + e * {self._random.choice(['w', 'b', 'tf.cos(e)'])}")

    def _table(self, indent: int) -> None:
        self._line(indent, f"rows = tf.gather(table, [1, {self._random.randint(0, 3)}])")
        self._line(indent, f"if {self._condition()}:")
        self._line(indent + 1, "v = v + 0.2 * tf.reduce_sum(rows, 0)")


def text_of(seed: int) -> str:
    """The source of program number `seed`."""
    return WideWriter(seed + 7000).text()


def program_of(text: str, tf) -> tuple:
    """(the function that a text defines, its Variables), for a module in the place of `tf`."""
    file = f"<wide program {abs(hash(text))} of {tf.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    variables = [tf.Variable(0.6, dtype=tf.float64), tf.Variable(TABLE, dtype=tf.float64)]
    scope: dict = {"tf": tf, "w": variables[0], "table": variables[1]}
    exec(compile(text, file, "exec"), scope)  # written above
    return scope["program"], variables


# Programs whose second gradients are recorded: TensorFlow takes minutes for each.
WITH_SECOND = 7


def gradients(function, arguments, variables, tf, second_too: bool = True) -> tuple:
    """The gradients with respect to arguments and Variables, by a persistent tape, and those of the sum of their squares; None
    where there is none. In the place of the second ones None, or the error that asking for them raises."""
    sources = [*arguments, *variables]
    with tf.GradientTape() as outer:
        outer.watch(arguments)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(arguments)
            y = function(*arguments)
        first = [None if g is None else tf.convert_to_tensor(g) for g in inner.gradient(y, sources)]
        if not second_too:
            return first, None
        loss = tf.add_n([tf.reduce_sum(g * g) for g in first if g is not None])
    try:
        second = outer.gradient(loss, sources)
    except Exception as error:  # TensorFlow's own: it has no second derivative of some loops
        return first, error
    return first, [None if g is None else tf.convert_to_tensor(g) for g in second]
