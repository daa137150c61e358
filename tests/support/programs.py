"""Random programs of if, for, while, break, continue and return over integers, as source text."""

import random

NAMES = ("a", "b", "c")


class Writer:
    """Writes one function `program(n)`; every variable has a value from the start, every loop is bounded."""

    def __init__(self, seed: int, everything: bool = True) -> None:
        """`everything`: also what TensorFlow does not convert: a return in a loop, an else after one, walrus."""
        self._random = random.Random(seed)
        self._everything = everything
        self._lines = ["def program(n, limit):"]
        self._loops = 0
        self._jumps = ["break", "continue", "break", *(["return a + b * 3"] if everything else [])]

    def text(self) -> str:
        self._line(1, "a, b, c = n + 1, n * 2, n - n")
        self._block(1, depth=0, in_loop=False)
        self._line(1, "return a * 10007 + b * 101 + c")
        return "\n".join(self._lines) + "\n"

    def _line(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _name(self) -> str:
        return self._random.choice(NAMES)

    def _value(self) -> str:
        return self._random.choice([self._name(), str(self._random.randint(0, 5)), f"{self._name()} % 7"])

    def _condition(self) -> str:
        operator = self._random.choice(["<", ">", "==", "!=", "<="])
        simple = f"{self._name()} % 5 {operator} {self._random.randint(0, 4)}"
        kind = self._random.random()
        if kind < 0.15:
            return f"not {simple}"
        if kind < 0.3:
            return f"{simple} {self._random.choice(['and', 'or'])} {self._name()} % 3 == 1"
        if kind < 0.4:
            return f"0 <= {self._name()} % 6 < {self._random.randint(1, 6)}"
        return simple

    def _block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self._random.randint(1, 3)):
            self._statement(indent, depth, in_loop)

    def _statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kind = self._random.random()
        if depth < 3 and kind < 0.35:
            self._line(indent, f"if {self._condition()}:")
            self._block(indent + 1, depth + 1, in_loop)
            while self._random.random() < 0.2:
                self._line(indent, f"elif {self._condition()}:")
                self._block(indent + 1, depth + 1, in_loop)
            if self._random.random() < 0.6:
                self._line(indent, "else:")
                self._block(indent + 1, depth + 1, in_loop)
        elif depth < 3 and kind < 0.55:
            self._loop(indent, depth)
        elif in_loop and kind < 0.63:
            self._line(indent, f"if {self._condition()}:")
            self._line(indent + 1, self._random.choice(self._jumps))
        elif depth == 0 and kind < 0.62:
            self._line(indent, f"if {self._condition()}:")
            self._line(indent + 1, f"return {self._value()} - {self._name()}")
        elif kind < 0.66:
            name = self._name()
            self._line(indent, f"{name} {self._random.choice(['+', '-'])}= {self._value()}")
            self._line(indent, f"{name} %= 1000")  # what is int32 in a graph must not overflow
        elif kind < 0.7:
            first, second = self._random.sample(NAMES, 2)
            self._line(indent, f"{first}, {second} = {self._value()}, {first} % 100")
        elif self._everything and kind < 0.73:
            self._line(indent, f"if (t := {self._value()} % 4) > 1:")
            self._line(indent + 1, f"{self._name()} = t")
        elif kind < 0.77:
            self._line(indent, f"{self._name()} = {self._value()} if {self._condition()} else {self._value()}")
        else:
            operator = self._random.choice(["+", "-", "*"])
            self._line(indent, f"{self._name()} = ({self._name()} {operator} {self._value()}) % 1000")

    def _loop(self, indent: int, depth: int) -> None:
        self._loops += 1
        counter = f"i{self._loops}"
        if self._random.random() < 0.5:
            self._line(indent, f"for {counter} in range(limit):")
            self._line(indent + 1, f"{self._name()} = {self._name()} + {counter}")
            self._block(indent + 1, depth + 1, True)
        else:
            self._line(indent, f"{counter} = n - n")
            self._line(indent, f"while {counter} < limit:")
            self._line(indent + 1, f"{counter} = {counter} + 1")
            self._block(indent + 1, depth + 1, True)
        if self._everything and self._random.random() < 0.2:
            self._line(indent, "else:")
            self._block(indent + 1, depth + 1, False)


def function_of(seed: int, everything: bool = True):
    """(function, its text); the text is kept where linecache finds it."""
    import linecache

    text = Writer(seed, everything).text()
    file = f"<program {seed} {everything}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict = {}
    exec(compile(text, file, "exec"), scope)  # the text was written above
    return scope["program"], text
