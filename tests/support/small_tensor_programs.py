"""Random loops over small tensors, arrays and TensorArrays, as source text: the same program traced and eager."""

import random

# name -> shape; floats.
TENSORS = {"v": (3,), "w": (3,), "m": (2, 3), "s": ()}
SHAPED = {
    (): [
        "tf.reduce_sum({3})", "tf.reduce_max({3})", "tf.reduce_min({23})", "tf.reduce_mean({3})", "{3}[{i}]", "{3}[-1]",
        "{23}[{j}, {i}]", "tf.gather({3}, {i})", "{()} * 0.5", "tf.abs({()})", "tf.where({b}, {()}, {()})",
        "tf.cast({n}, tf.float32)", "tf.tensordot({3}, {3}, 1)", "xs[{k}]", "tf.sin({()})", "tf.math.cumsum({3})[1]",
        "ta.read({k})[{i}]", "tf.cast(tf.argmax({3}), tf.float32)", "tf.reduce_prod({3})", "rows[{k}, {i}]",
        "tf.gather_nd({23}, [{j}, {i}])", "tf.maximum({()}, {()})",
    ],
    (3,): [
        "{3} + {3}", "{3} * {()}", "{3} - {()}", "tf.where({3} > {3}, {3}, {3})", "tf.reverse({3}, [0])",
        "tf.roll({3}, 1, 0)", "tf.concat([{3}[1:], {3}[:1]], 0)", "tf.stack([{()}, {()}, {()}])", "{23}[{j}]",
        "tf.reduce_sum({23}, 0)", "tf.reduce_max({23}, axis=0)", "tf.linalg.matvec(tf.eye(3), {3})",
        "tf.tensor_scatter_nd_update({3}, [[{i}]], [{()}])", "tf.tensor_scatter_nd_add({3}, [[{i}]], [{()}])",
        "tf.math.cumsum({3}, exclusive=True)", "tf.nn.relu({3})", "{3} / ({3} + 2.0)",
        "tf.pad({3}[:2], [[1, 0]])", "tf.unstack({23})[1]", "tf.clip_by_value({3}, -1.0, 1.0)", "rows[{k}]",
        "tf.gather({23}, {i}, axis=1)[0] + {3}", "tf.zeros([3]) + {()}",
        "ta.read({k})", "tf.squeeze(tf.expand_dims({3}, 0), 0)", "tf.exp(-tf.abs({3}))", "tf.tile({3}[:1], [3])",
    ],
    (2, 3): [
        "{23} + {3}", "{23} * {()}", "tf.stack([{3}, {3}])", "tf.transpose(tf.reshape({23}, [3, 2]))",
        "tf.matmul(tf.reshape({23}[:, :2], [2, 2]), {23})", "tf.matmul({23}, tf.eye(3))", "tf.where({23} > 0.0, {23}, {()})",
        "{23}[::-1]", "tf.reverse({23}, [1])", "tf.broadcast_to({3}, [2, 3])", "tf.concat([{23}[:1], {23}[:1]], 0)",
        "tf.reshape({23}, [3, 2])[:2, :1] * {23}", "tf.math.cumsum({23}, 1)", "tf.square({23}) * 0.1",
        "tf.tensor_scatter_nd_update({23}, [[{j}, {i}]], [{()}])", "tf.tensor_scatter_nd_update({23}, [[{j}]], [{3}])",
    ],
}
NUMBERS = [
    "{n} + 1", "{n} * 3 - 1", "{n} // 2", "{n} % 5", "tf.cast({()}, tf.int32) % 7", "tf.where({b}, {n}, 2)",
    "tf.argmax({3}, output_type=tf.int32)", "tf.reduce_sum(tf.cast({3} > {()}, tf.int32))", "ids[{k}]",
    "tf.maximum({n}, -{n})", "tf.bitwise.bitwise_xor({n}, 5)", "tf.shape(xs)[0]", "ta.size()",
]
TRUTHS = ["{n} % 2 == 0", "{()} > {()}", "tf.reduce_all({3} > -1.0)", "tf.reduce_any({3} > 1.0)", "{n} < 3", "{()} != 0.0"]


class Writer:
    """Writes `program(v, w, m, s, n, xs, ids, steps)`: xs and ids have eight elements, of floats and integers."""

    HEAD = "def program(v, w, m, s, n, xs, ids, steps):"
    RESULTS = "v, w, m, s, n, xs, ids, rows, ta.stack()"
    TENSORS, SHAPED = TENSORS, SHAPED
    ROW = (3,)  # of the TensorArray and of `rows`
    TOKENS = {"()": (), "3": (3,), "23": (2, 3)}
    INDICES = {"i": 3, "j": 2, "k": 8}

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = [self.HEAD]
        self._loops = 0

    def text(self) -> str:
        self._line(1, f"ta = tf.TensorArray(tf.float32, size=8, element_shape={list(self.ROW)}, clear_after_read=False)")
        self._line(1, f"rows = tf.zeros([8, *{list(self.ROW)}])")
        self._line(1, "for step in tf.range(steps):")
        self._block(2, 0)
        self._line(2, "n = n % 1000")
        self._line(1, f"return {self.RESULTS}")
        return "\n".join(self._lines) + "\n"

    def _line(self, indent: int, text: str) -> None:
        self._lines.append("    " * indent + text)

    def _fill(self, form: str, depth: int) -> str:
        while "{" in form:
            begin = form.index("{")
            end = form.index("}", begin)
            form = form[:begin] + self._part(form[begin + 1 : end], depth + 1) + form[end + 1 :]
        return f"({form})" if depth else form

    def _part(self, kind: str, depth: int) -> str:
        if kind in self.TOKENS:
            return self._expression(self.TOKENS[kind], depth)
        if kind == "n":
            return "n" if depth > 2 or self._random.random() < 0.6 else self._fill(self._random.choice(NUMBERS), depth)
        if kind == "b":
            return self._fill(self._random.choice(TRUTHS), depth)
        size = self.INDICES[kind]
        if self._random.random() < 0.4:
            return str(self._random.randrange(size))
        return self._random.choice([f"n % {size}", f"step % {size}"])

    def _expression(self, shape: tuple, depth: int) -> str:
        if depth > 2 or self._random.random() < 0.35:
            return self._random.choice([name for name, has in self.TENSORS.items() if has == shape])
        return self._fill(self._random.choice(self.SHAPED[shape]), depth)

    def _block(self, indent: int, depth: int) -> None:
        for _ in range(self._random.randint(2, 4)):
            self._statement(indent, depth)

    def _statement(self, indent: int, depth: int) -> None:
        kind = self._random.random()
        if depth < 2 and kind < 0.12:
            self._line(indent, f"if {self._part('b', 1)}:")
            self._block(indent + 1, depth + 1)
            if self._random.random() < 0.6:
                self._line(indent, "else:")
                self._block(indent + 1, depth + 1)
        elif depth < 2 and kind < 0.2:
            self._loops += 1
            counter = f"c{self._loops}"
            self._line(indent, f"{counter} = 0")
            self._line(indent, f"while {counter} < {self._random.choice(['2', 'n % 3'])}:")
            self._block(indent + 1, depth + 1)
            self._line(indent + 1, f"{counter} += 1")
        elif kind < 0.3:
            self._line(indent, f"ta = ta.write({self._part('k', 1)}, {self._expression(self.ROW, 1)})")
        elif kind < 0.36:
            value = self._expression((), 1)
            self._line(indent, f"xs = tf.tensor_scatter_nd_update(xs, [[{self._part('k', 1)}]], [{value}])")
        elif kind < 0.42:
            value = self._expression(self.ROW, 1)
            self._line(indent, f"rows = tf.tensor_scatter_nd_update(rows, [[{self._part('k', 1)}]], [{value}])")
        elif kind < 0.47:
            self._line(indent, f"ids = tf.tensor_scatter_nd_add(ids, [[{self._part('k', 1)}]], [{self._part('n', 1)}])")
        elif kind < 0.57:
            self._line(indent, f"n = {self._fill(self._random.choice(NUMBERS), 0)}")
        else:
            name = self._random.choice(list(self.TENSORS))
            self._line(indent, f"{name} = {self._fill(self._random.choice(self.SHAPED[self.TENSORS[name]]), 0)}")
