"""Random differentiable programs as source text: nested conditionals, loops with jumps, TensorArrays, inner functions.

`text_of(seed)` writes one; its functions take two scalars and a vector of three, all float64, and return a scalar.
"""

from __future__ import annotations

import linecache
import random

SCALARS = ("a", "b", "c")
ARGUMENTS = [(0.7, -0.4, (0.3, -0.6, 1.1)), (-1.2, 0.9, (1.4, 0.2, -0.8))]


class Writer:
    """Writes one program; every loop is bounded, every value stays moderate."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._loops = 0
        self._functions: list[str] = []

    def text(self) -> str:
        self._line(0, "def program(x, y, v):")
        for number in range(self._random.randint(0, 2)):
            self._function(number)
        self._line(1, "a, b, c = x, y, 0.5 * x * y")
        self._block(1, depth=0, in_loop=False)
        self._line(1, "return a + 2.0 * b - c + tf.reduce_sum(v * v)")
        return "\n".join(self._lines) + "\n"

    def _line(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _function(self, number: int) -> None:
        """An inner function of two scalars that uses the arguments of the outer one too."""
        name = f"inner{number}"
        self._line(1, "@tf.function")
        self._line(1, f"def {name}(a, b):")
        self._line(2, "c = tf.sin(x) * b")
        for _ in range(self._random.randint(1, 2)):
            self._assign(2, vectors=False)
        if self._random.random() < 0.5:
            self._line(2, f"if {self._condition(vectors=False)}:")
            self._assign(3, vectors=False)
        if self._random.random() < 0.4:
            self._line(2, "for _ in tf.range(2):")
            self._assign(3, vectors=False)
        self._line(2, self._random.choice(["return a * c + y", "return tf.tanh(c) + b", "return a - 0.3 * c"]))
        self._functions.append(name)

    def _scalar(self, vectors: bool = True) -> str:
        p, q = self._random.choice(SCALARS), self._random.choice(SCALARS)
        choices = [
            f"tf.sin({p}) + 0.5 * {q}",
            f"tf.tanh({p} * {q})",
            f"0.9 * {p} - 0.1",
            f"{p} / (1.0 + {q} * {q})",
            f"tf.maximum({p}, {q} + 0.01)",
            f"tf.sqrt({p} * {p} + 1.0) * 0.7",
            f"tf.exp(-{p} * {p}) + {q} * 0.2",
            f"tf.where({p} > 0.2, {p} * 0.5, {q})",
            f"tf.stop_gradient({p}) * 0.3 + {q} * 0.6",
        ]
        if vectors:
            choices += ["tf.reduce_sum(v * v) * 0.2", f"v[1] * {p}", f"tf.reduce_logsumexp(v) * 0.3 + {p} * 0.1"]
            choices += [f"{f}({p}, {q})" for f in self._functions] * 2
        return self._random.choice(choices)

    def _vector(self) -> str:
        p = self._random.choice(SCALARS)
        return self._random.choice(
            [
                f"tf.tanh(v * {p})",
                f"tf.concat([v[1:], [{p}]], 0)",
                f"tf.where(v > {p}, v * 0.5, tf.sin(v))",
                "tf.gather(v, [2, 0, 1]) * 0.8",
                f"tf.cumsum(v) * 0.4 + {p} * 0.1",
                "tf.nn.softmax(v) + 0.1 * v",
                f"tf.linalg.matvec(tf.reshape(tf.range(9.0, dtype=tf.float64), [3, 3]) * 0.05, v) + {p} * 0.2",
            ]
        )

    def _assign(self, indent: int, vectors: bool = True) -> None:
        if vectors and self._random.random() < 0.3:
            self._line(indent, f"v = {self._vector()}")
        else:
            self._line(indent, f"{self._random.choice(SCALARS)} = {self._scalar(vectors)}")

    def _condition(self, vectors: bool = True) -> str:
        p, q = self._random.choice(SCALARS), self._random.choice(SCALARS)
        choices = [f"{p} > {round(self._random.uniform(-0.5, 0.8), 2)}", f"{p} * {q} < 0.1", f"{p} < {q} + 0.05"]
        if vectors:
            choices.append(f"tf.reduce_sum(v) > {p}")
        return self._random.choice(choices)

    def _block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self._random.randint(1, 3)):
            self._statement(indent, depth, in_loop)

    def _statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kind = self._random.random()
        if depth < 3 and kind < 0.3:
            self._line(indent, f"if {self._condition()}:")
            self._block(indent + 1, depth + 1, in_loop)
            if self._random.random() < 0.6:
                self._line(indent, "else:")
                self._block(indent + 1, depth + 1, in_loop)
        elif depth < 2 and kind < 0.55:
            self._loop(indent, depth)
        elif depth < 2 and kind < 0.62:
            self._array(indent)
        elif in_loop and kind < 0.7:
            self._line(indent, f"if {self._condition()}:")
            self._line(indent + 1, self._random.choice(["break", "continue"]))
        else:
            self._assign(indent)

    def _loop(self, indent: int, depth: int) -> None:
        self._loops += 1
        counter, steps = f"i{self._loops}", self._random.randint(1, 4)
        if self._random.random() < 0.6:
            self._line(indent, f"for {counter} in tf.range({steps}):")
            if self._random.random() < 0.5:
                self._line(indent + 1, f"a = a + 0.1 * tf.cast({counter}, tf.float64) * b")
        else:
            self._line(indent, f"{counter} = tf.constant(0)")
            self._line(indent, f"while {counter} < {steps} and {self._random.choice(SCALARS)} < 3.0:")
            self._line(indent + 1, f"{counter} = {counter} + 1")
        self._block(indent + 1, depth + 1, True)

    def _array(self, indent: int) -> None:
        self._loops += 1
        array, counter = f"t{self._loops}", f"i{self._loops}"
        self._line(indent, f"{array} = tf.TensorArray(tf.float64, size=3)")
        self._line(indent, f"for {counter} in tf.range(3):")
        self._line(indent + 1, f"{array} = {array}.write({counter}, {self._scalar()} * v[{counter}])")
        self._line(indent, f"v = {array}.stack()")


def text_of(seed: int) -> str:
    """The source of program number `seed`."""
    return Writer(seed).text()


def function_of(text: str, tf):
    """The function that a text defines, with a module in the place of `tf`; AutoGraph finds the text by linecache."""
    file = f"<program {abs(hash(text))} of {tf.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict = {"tf": tf}
    exec(compile(text, file, "exec"), scope)  # written above
    return scope["program"]


def tensors(values, tf) -> list:
    """One element of ARGUMENTS as tensors."""
    return [tf.constant(v, tf.float64) for v in values]


def gradients(function, arguments, tf) -> tuple[list, list]:
    """The gradients of a function's result, and those of the sum of their squares; zeros where there are none."""
    with tf.GradientTape() as outer:
        outer.watch(arguments)
        with tf.GradientTape() as inner:
            inner.watch(arguments)
            y = function(*arguments)
        found = inner.gradient(y, arguments, unconnected_gradients="zero")
        first = [tf.convert_to_tensor(g) for g in found]  # of a gather they are rows
        loss = tf.add_n([tf.reduce_sum(g * g) for g in first])
    second = outer.gradient(loss, arguments, unconnected_gradients="zero")
    return first, [tf.convert_to_tensor(g) for g in second]
