"""Random loops over tensors of 17 to 64 elements, as source text: the same program traced and eager."""

from support import small_tensor_programs

# name -> shape; floats.
TENSORS = {"v": (20,), "w": (20,), "m": (3, 20), "q": (6, 6), "s": ()}
SHAPED = {
    (): [
        "tf.reduce_sum({20})", "tf.reduce_max({20})", "tf.reduce_min({Q})", "{20}[{i}]", "{20}[-1]", "{A}[{j}, {i}]",
        "{Q}[{g}, {g}]", "{()} * 0.5", "tf.where({b}, {()}, {()})", "tf.cast({n}, tf.float32)", "xs[{k}]", "ta.read({k})[{i}]",
        "tf.cast(tf.argmax({20}), tf.float32)", "rows[{k}, {i}]", "tf.tensordot({20}, {20}, 1)", "tf.linalg.trace({Q})",
    ],
    (20,): [
        "{20} + {20}", "{20} * {()}", "{20} - {()}", "tf.where({20} > {20}, {20}, {20})", "tf.reverse({20}, [0])", "tf.tanh({20})",
        "tf.roll({20}, {shift}, 0)", "tf.concat([{20}[9:], {20}[:9]], 0)", "{A}[{j}]", "tf.reduce_sum({A}, 0)",
        "tf.tensor_scatter_nd_update({20}, [[{i}]], [{()}])", "tf.sigmoid({20})", "tf.exp(-tf.abs({20}))", "tf.math.cumsum({20})",
        "tf.pad({20}[:12], [[3, 5]])", "rows[{k}]", "ta.read({k})", "tf.clip_by_value({20}, -1.0, 1.0)", "tf.sort({20})",
        "tf.gather({20}, tf.range(20) % 7)", "tf.reshape(tf.stack([{20}[:10], {20}[10:]], 1), [20])", "tf.reduce_max({A}, 0)",
        "tf.cast(tf.cast({20} * 4.0, tf.int32) % 3, tf.float32)", "{20} / (tf.abs({20}) + 2.0)", "tf.sqrt(tf.abs({20}))",
    ],
    (3, 20): [
        "{A} + {20}", "{A} * {()}", "{A} - {A}[:, {i}][:, None]", "tf.stack([{20}] * 3)", "tf.where({A} > 0.0, {A}, {()})",
        "{A}[::-1]", "tf.concat([{A}[1:], {A}[:1]], 0)", "tf.concat([{A}[:, 1:], {A}[:, -1:]], 1)", "tf.nn.softmax({A})",
        "tf.tensor_scatter_nd_update({A}, [[{j}]], [{20}])", "tf.transpose(tf.reshape(tf.transpose({A}), [20, 3]))",
    ],
    (6, 6): [
        "{Q} + {Q}", "tf.minimum({Q}, {Q}[:, {g}][:, None] + {Q}[{g}][None, :])", "tf.matmul({Q}, {Q}) * 0.1", "{Q} * {()}",
        "tf.transpose({Q})", "tf.roll({Q}, (1, -1), (0, 1))", "{Q} - {Q}[{g}]", "tf.tensor_scatter_nd_add({Q}, [[{g}, {g}]], [{()}])",
        "tf.pad({Q}[1:-1, 1:-1], [[1, 1], [1, 1]])", "tf.linalg.band_part({Q}, 1, 0)", "tf.reduce_max({Q}, 1, keepdims=True) - {Q}",
        "tf.where({Q} > tf.transpose({Q}), {Q}, {()})", "tf.reshape({A}[:2, :18], [6, 6])",
    ],
}  # fmt: skip


class Writer(small_tensor_programs.Writer):
    """Writes `program(v, w, m, q, s, n, xs, ids, steps)`: xs and ids have eight elements, of floats and integers."""

    HEAD = "def program(v, w, m, q, s, n, xs, ids, steps):"
    RESULTS = "v, w, m, q, s, n, xs, ids, rows, ta.stack()"
    TENSORS, SHAPED = TENSORS, SHAPED
    ROW = (20,)
    TOKENS = {"()": (), "3": (20,), "20": (20,), "A": (3, 20), "Q": (6, 6)}
    INDICES = {"i": 20, "j": 3, "k": 8, "g": 6, "shift": 9}
