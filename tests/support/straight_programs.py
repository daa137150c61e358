"""Random functions without loops, as source text: the same program traced and eager."""

from support import array_programs, small_tensor_programs


def _without_loops(base):
    class Writer(base):
        """Writes `program` of the base's arguments but `steps`."""

        HEAD = base.HEAD.replace(", steps):", "):")

        def text(self) -> str:
            row = list(self.ROW)
            self._line(1, f"ta = tf.TensorArray(tf.float32, size=8, element_shape={row}, clear_after_read=False)")
            self._line(1, f"rows, step = tf.zeros([8, *{row}]), 3")
            for _ in range(4):
                self._block(1, 0)
            self._line(1, f"return {self.RESULTS}")
            return "\n".join(self._lines) + "\n"

        def _statement(self, indent: int, depth: int) -> None:
            before = len(self._lines)
            super()._statement(indent, depth)
            for k in range(before, len(self._lines)):
                line = self._lines[k]
                if line.strip().startswith("while "):
                    self._lines[k] = line[: len(line) - len(line.lstrip())] + "if n % 3 > 1:"

    return Writer


SmallWriter = _without_loops(small_tensor_programs.Writer)
ArrayWriter = _without_loops(array_programs.Writer)
