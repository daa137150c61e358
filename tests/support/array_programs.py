"""Random loops over larger arrays, as source text: the same program traced and eager."""

from support import small_tensor_programs

# name -> shape; floats.
TENSORS = {"v": (70,), "w": (70,), "m": (5, 70), "q": (13, 11), "s": ()}
SHAPED = {
    (): [
        "tf.reduce_sum({70})", "tf.reduce_max({A})", "tf.reduce_min({Q})", "tf.reduce_mean({70})", "{70}[{i}]", "{70}[-1]",
        "{A}[{j}, {i}]", "{Q}[{h}, {g}]", "tf.gather({70}, {i})", "{()} * 0.5", "tf.abs({()})", "tf.where({b}, {()}, {()})",
        "tf.cast({n}, tf.float32)", "xs[{k}]", "ta.read({k})[{i}]", "tf.cast(tf.argmax({70}), tf.float32)", "rows[{k}, {i}]",
        "tf.tensordot({70}, {70}, 1)", "tf.sin({()})", "tf.math.cumsum({70})[3]", "tf.reduce_sum({70}[:20])",
    ],
    (70,): [
        "{70} + {70}", "{70} * {()}", "{70} - {()}", "tf.where({70} > {70}, {70}, {70})", "tf.reverse({70}, [0])",
        "tf.roll({70}, {shift}, 0)", "tf.concat([{70}[30:], {70}[:30]], 0)", "{A}[{j}]", "tf.reduce_sum({A}, 0)",
        "tf.reduce_max({A}, axis=0)", "tf.tensor_scatter_nd_update({70}, [[{i}]], [{()}])", "tf.exp(-tf.abs({70}))",
        "tf.tensor_scatter_nd_add({70}, [[{i}]], [{()}])", "tf.math.cumsum({70}, exclusive=True)", "tf.nn.relu({70})",
        "{70} / (tf.abs({70}) + 2.0)", "tf.pad({70}[:60], [[4, 6]])", "tf.unstack({A})[1]", "rows[{k}]",
        "tf.clip_by_value({70}, -1.0, 1.0)", "tf.zeros([70]) + {()}", "ta.read({k})", "tf.squeeze(tf.expand_dims({70}, 0), 0)",
        "tf.tile({70}[:7], [10])", "tf.sort({70})", "tf.gather({A}, {j})", "tf.gather({70}, tf.range(70) % 7)",
        "tf.repeat({70}[:35], 2)", "tf.cast({70} > {()}, tf.float32)", "tf.cast(tf.cast({70} * 4.0, tf.int32) % 3, tf.float32)",
        "tf.reshape({A}[1:3, :35], [70])",
        "tf.linalg.matvec(tf.reshape(tf.tile({70}, [70]), [70, 70]), {70})", "tf.maximum({70}, tf.reverse({70}, [0]))", "{70}[::-1]",
    ],
    (5, 70): [
        "{A} + {70}", "{A} * {()}", "{A} - {A}[:, {i}][:, None]", "tf.minimum({A}, {70})", "tf.stack([{70}] * 5)",
        "tf.where({A} > 0.0, {A}, {()})", "{A}[::-1]", "tf.reverse({A}, [1])", "tf.broadcast_to({70}, [5, 70])",
        "tf.concat([{A}[:2], {A}[:3]], 0)", "tf.concat([{A}[:, 30:], {A}[:, :30]], 1)", "tf.roll({A}, [1, {shift}], [0, 1])",
        "tf.math.cumsum({A}, 1)", "tf.square({A}) * 0.1", "tf.tensor_scatter_nd_update({A}, [[{j}, {i}]], [{()}])",
        "tf.tensor_scatter_nd_update({A}, [[{j}]], [{70}])", "tf.transpose(tf.reshape(tf.transpose({A}), [70, 5]))",
        "tf.pad({A}[1:4, 2:], [[1, 1], [0, 2]])", "{A}[:, :1] * {70}", "tf.nn.softmax({A})", "tf.reshape(tf.reshape({A}, [5, 7, 10]) * 0.5, [5, 70])",
        "tf.concat([{A}[:, 1:], {A}[:, :1]], 1)", "tf.repeat({A}[:, :1], 70, axis=1)", "{A} - tf.reduce_mean({A}, 1, keepdims=True)",
    ],
    (13, 11): [
        "{Q} + {Q}", "tf.minimum({Q}, {Q}[:, {g}][:, None] + {Q}[{h}][None, :])", "tf.roll({Q}, (1, -1), (0, 1))",
        "tf.roll({Q}, 1, 0) + tf.roll({Q}, -1, 0)", "{Q} * {()}", "tf.transpose(tf.reshape({Q}, [11, 13]))", "{Q}[::-1, ::-1]",
        "tf.pad({Q}[1:-1, 1:-1], [[1, 1], [1, 1]])", "tf.matmul({Q}, tf.reshape({A}[:1], [1, 70])[0, :1] * {Q}[:11]) * 0.1",
        "tf.where(tf.roll({Q}, 1, 1) > {Q}, {()}, {Q})", "tf.reverse({Q}, [0])", "tf.abs({Q})", "{Q} - {Q}[{h}]",
        "tf.tensor_scatter_nd_add({Q}, [[{h}, {g}]], [{()}])", "tf.concat([{Q}[:6], {Q}[6:]], 0)", "tf.reshape(tf.pad({70}, [[0, 73]]), [13, 11])",
        "tf.tensor_scatter_nd_update({Q}, [[{h}]], [{Q}[{h}]])", "tf.reduce_max({Q}, 1, keepdims=True) - {Q}",
    ],
}  # fmt: skip


class Writer(small_tensor_programs.Writer):
    """Writes `program(v, w, m, q, s, n, xs, ids, steps)`: xs and ids have eight elements, of floats and integers."""

    HEAD = "def program(v, w, m, q, s, n, xs, ids, steps):"
    RESULTS = "v, w, m, q, s, n, xs, ids, rows, ta.stack()"
    TENSORS, SHAPED = TENSORS, SHAPED
    ROW = (70,)
    TOKENS = {"()": (), "3": (70,), "70": (70,), "A": (5, 70), "Q": (13, 11)}
    INDICES = {"i": 70, "j": 5, "k": 8, "g": 11, "h": 13, "shift": 9}
