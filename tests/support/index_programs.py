"""Random dynamic programs, as source text: nested loops whose counters are indices of arrays, lists and tables."""

import random


class Writer:
    """Writes `program(a, b, table, n)`: vectors of 9 and 7 int32, a table of 9 x 7, and a number.

    Some indices leave their array, in one end or the other.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = ["def program(a, b, table, n):"]
        self._counters: list[str] = []
        self._loops = 0

    def text(self) -> str:
        self._line(1, "x = n")
        self._line(1, "last = tf.zeros([8], tf.int32)")
        self._loop(1)
        if self._random.random() < 0.4:
            self._loop(1)
        self._line(1, "return x, a, b, table, last")
        return "\n".join(self._lines) + "\n"

    def _line(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _choice(self, *forms: str) -> str:
        return self._random.choice(forms)

    def _loop(self, indent: int) -> None:
        self._loops += 1
        counter = f"i{self._loops}"
        makes_row = len(self._counters) == 0 and self._random.random() < 0.6
        kind = self._random.random()
        if kind < 0.6:
            self._line(indent, f"for {counter} in tf.range({self._choice('7', '9', '1, 8', 'n % 8', '6, -1, -1', '0, 9, 2')}):")
        elif kind < 0.8:
            self._line(indent, f"{counter} = tf.constant({self._choice('0', '-2', '3')})")
            self._line(indent, f"while {counter} < {self._choice('7', '5', 'x % 8', 'tf.size(b)')}:")
        else:
            self._line(indent, f"{counter} = tf.constant({self._choice('6', '8')})")
            self._line(indent, f"while {counter} {self._choice('> 0', '>= 0', '!= 0')}:")
        self._counters.append(counter)
        if makes_row:
            self._line(indent + 1, f"row = tf.TensorArray(tf.int32, size={self._choice('8', '8', 'n % 4 + 5')})")
            self._line(indent + 1, "row = row.write(0, x)")
        for _ in range(self._random.randint(1, 3)):
            self._statement(indent + 1, makes_row)
        if makes_row:
            self._loops += 1
            inner = f"i{self._loops}"
            self._counters.append(inner)
            self._line(indent + 1, f"for {inner} in tf.range({self._choice('7', '7', '6', 'n % 8')}):")
            for _ in range(self._random.randint(1, 3)):
                self._statement(indent + 2, False)
            self._line(indent + 2, f"row = row.write({self._choice(inner, f'{inner} + 1', f'{inner} + 1')}, x)")
            self._counters.pop()
            self._line(indent + 1, "last = tf.reshape(tf.concat([row.stack(), last], 0)[:8], [8])")
        if kind >= 0.6:
            self._line(indent + 1, f"{counter} {'+' if kind < 0.8 else '-'}= 1")
        self._counters.pop()

    def _statement(self, indent: int, in_row: bool) -> None:
        kind = self._random.random()
        if kind < 0.2 and len(self._counters) < 3 and not in_row:
            self._loop(indent)
        elif kind < 0.45:
            self._line(indent, f"if {self._truth()}:")
            self._line(indent + 1, f"x = {self._number()}")
            if self._random.random() < 0.7:
                self._line(indent, "else:")
                self._line(indent + 1, f"x = {self._number()}")
        elif kind < 0.55:
            array, size = self._random.choice([("a", 9), ("b", 7)])
            self._line(indent, f"{array} = tf.tensor_scatter_nd_update({array}, [[{self._index(size)} % {size}]], [x])")
        elif kind < 0.65:
            place = f"[{self._index(9)} % 9, {self._index(7)} % 7]"
            self._line(indent, f"table = tf.tensor_scatter_nd_add(table, [{place}], [{self._number()} % 5])")
        else:
            self._line(indent, f"x = {self._number()}")

    def _index(self, size: int) -> str:
        counter = self._random.choice(self._counters)
        if self._random.random() < 0.04:
            return self._choice(f"{counter} + {size}", f"{counter} - {2 * size}", f"x % {size + 1}")
        return self._choice(
            f"{counter} % {size}", f"{counter} % {size}", f"({counter} + 1) % {size}", f"x % {size}", f"tf.minimum({counter}, {size - 1})",
            f"{counter} - {size // 2 - 1}", f"tf.maximum({counter} - 1, 0) % {size}", f"({counter} * 2 + 1) % {size}", "0", f"{size - 1}", "-1",
        )  # fmt: skip

    def _number(self) -> str:
        element = self._choice(
            f"a[{self._index(9)}]", f"b[{self._index(7)}]", f"table[{self._index(9)}, {self._index(7)}]", f"last[{self._index(8)}]",
            "a[x % 9]", "x", self._random.choice(self._counters),
        )  # fmt: skip
        other = self._choice(f"b[{self._index(7)}]", "x", "1", self._random.choice(self._counters))
        return self._choice(
            f"{element} + {other}", f"tf.minimum({element}, {other})", f"tf.maximum({element} + 1, {other})", f"{element} - {other}",
            f"({element} * 3 + {other}) % 97", f"tf.where({element} > {other}, x, {other})", element,
        )  # fmt: skip

    def _truth(self) -> str:
        return self._choice(
            f"a[{self._index(9)}] == b[{self._index(7)}]", f"{self._number()} > {self._number()}", "x % 2 == 0",
            f"{self._random.choice(self._counters)} < 4", f"table[{self._index(9)}, {self._index(7)}] > x",
        )  # fmt: skip
