"""Records GraphDefs that TensorFlow made of ordinary functions, with its answers, as tests/oracle/graph_defs.json.

Run with the oracle's interpreter (TensorFlow 2.21), from anywhere:

    python tests/oracle/record_graph_defs.py

tests/ops/test_graphs_of_tensorflow.py imports and runs them. A graph is compressed and in base64; an array is its dtype, its
shape and its bytes in base64, or the texts of its strings.
"""

from __future__ import annotations

import base64
import json
import pathlib
import zlib

import numpy as np
import tensorflow as tf

OUTPUT = pathlib.Path(__file__).with_name("graph_defs.json")
RANDOM = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


def mlp(x):
    for width in (16, 8, 3):
        w = tf.constant(floats(x.shape[-1], width))
        x = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), tf.constant(floats(width))))
    return tf.nn.softmax(x), tf.argmax(x, -1), tf.reduce_sum(x)


def branches(x, n):
    if n > 2:
        x = x * 2.0
        if tf.reduce_sum(x) > 0.0:
            x = -x
    elif n < 0:
        x = x / tf.cast(n, tf.float32)
    return x, tf.switch_case(n, [lambda: x + 1.0, lambda: x + 2.0], default=lambda: x)


def loop(x, n):
    total = tf.zeros_like(x)
    for i in tf.range(n):
        if i == 3:
            continue
        if tf.reduce_max(total) > 40.0:
            break
        total += x * tf.cast(i, tf.float32)
    k = tf.constant(0)
    while k * k < n:
        k += 1
    return total, k


def arrays(x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(tf.shape(x)[0]):
        array = array.write(i, tf.cumsum(x[i]))
    mapped = tf.map_fn(lambda row: tf.sort(row)[::-1], x)
    return array.stack(), mapped, tf.scan(lambda a, row: a + row, x)


def text(words):
    parts = tf.strings.strip(words)
    return (
        tf.strings.upper(parts),
        tf.strings.join([parts, tf.constant("é!")], separator="-"),
        tf.strings.substr(words, 0, 2),
        tf.strings.length(words, unit="UTF8_CHAR"),
        tf.strings.as_string(tf.strings.length(words) * 3),
    )


def constants(x):
    kinds = [
        tf.constant([1.5, -2.5], tf.float16),
        tf.constant([1.5, -2.5], tf.bfloat16),
        tf.constant([[1 + 2j], [3j]], tf.complex64),
        tf.constant(7, tf.int8),
        tf.constant([], tf.int64),
        tf.constant([True, False, True]),
        tf.constant(2**63 + 5, tf.uint64),
        tf.constant(["a", "", "ü"]),
        tf.zeros([300, 7], tf.int16),
        tf.constant(3.25, shape=[40, 2], dtype=tf.float64),
    ]
    return [*kinds, tf.pad(x, [[1, 0], [0, 2]]), tf.transpose(x)[..., tf.newaxis, 1:], tf.one_hot([1, 0], 3)]


def calls(x, y):
    @tf.function
    def outer(a, b):
        @tf.function
        def inner(c):
            return c * b, c

        first, same = inner(a)
        return first + inner(b)[0], same

    return outer(x, y)


def gradients(x, n):
    y = x
    for _ in tf.range(n):
        y = tf.where(y > 0.0, tf.sin(y) * 2.0, y - 1.0)
    if n > 1:
        y = y * x
    return y, tf.gradients(tf.reduce_sum(y * y), x)[0]


def checked(x):
    with tf.control_dependencies([tf.debugging.assert_less(x, 100.0), tf.debugging.assert_rank(x, 2)]):
        return tf.ensure_shape(tf.identity(x), [None, 3]) + 1.0


def arithmetic(x, k):
    return (
        tf.matmul(x, x, transpose_b=True),
        tf.linalg.band_part(x, 1, 0),
        tf.math.top_k(x, 2).values,
        tf.math.segment_sum(x, tf.constant([0, 0, 1])),
        tf.gather(x, [2, 0], axis=1),
        tf.concat([x, tf.reverse(x, [0])], 1),
        tf.bitwise.bitwise_xor(k, 5) // 3,
        tf.tensor_scatter_nd_update(x, [[1, 1]], [9.0]),
        *tf.split(x, 3, axis=1),
        *tf.unstack(x),
        tf.random.stateless_uniform([2], [1, 2]),
    )


def ragged_sizes(x):
    shape = tf.shape(x)
    flat = tf.reshape(x, [shape[0] * shape[1]])
    return flat, tf.reshape(flat, [-1, 2]), tf.stack([shape[1], shape[0]]), tf.fill(shape, 2.0), tf.range(shape[0])


X, ROWS = floats(2, 4), floats(3, 3)
# name -> function, specs of its arguments, feeds
CASES = {
    "mlp": (mlp, [tf.TensorSpec([None, 4])], [X]),
    "branches": (branches, [tf.TensorSpec([2, 4]), tf.TensorSpec([], tf.int32)], [X, np.int32(1)]),
    "loop": (loop, [tf.TensorSpec([None, 4]), tf.TensorSpec([], tf.int32)], [X, np.int32(9)]),
    "arrays": (arrays, [tf.TensorSpec([None, 3])], [ROWS]),
    "text": (text, [tf.TensorSpec([None], tf.string)], [np.array([b" Ab ci ", b"", "üo".encode()], object)]),
    "constants": (constants, [tf.TensorSpec([2, 4])], [X]),
    "calls": (calls, [tf.TensorSpec([2, 4]), tf.TensorSpec(None)], [X, np.float32(3)]),
    "gradients": (gradients, [tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)], [ROWS, np.int32(3)]),
    "checked": (checked, [tf.TensorSpec(None)], [ROWS]),
    "arithmetic": (arithmetic, [tf.TensorSpec([3, 3]), tf.TensorSpec([], tf.int64)], [ROWS, np.int64(14)]),
    "ragged_sizes": (ragged_sizes, [tf.TensorSpec([None, None])], [X]),
}


def plain(value) -> dict:
    """An array as JSON."""
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        return {"strings": [base64.b64encode(s).decode() for s in array.ravel()], "shape": list(array.shape)}
    data = base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()
    return {"dtype": tf.as_dtype(array.dtype).name, "shape": list(array.shape), "data": data}


def packed(graph_def) -> str:
    return base64.b64encode(zlib.compress(graph_def.SerializeToString(deterministic=True), 9)).decode()


def shapes(graph_def, names) -> list:
    """The static shapes that TensorFlow finds on import."""
    with tf.Graph().as_default():
        found = tf.import_graph_def(graph_def, return_elements=names)
    return [None if t.shape.rank is None else t.shape.as_list() for t in found]


def record(function, specs, feeds) -> dict:
    traced = tf.function(function).get_concrete_function(*specs)
    results = tf.nest.flatten(traced(*map(tf.constant, feeds)))
    graph_def = traced.graph.as_graph_def()
    names = [t.name for t in traced.outputs]
    return {
        "graph_def": packed(graph_def),
        "inputs": [t.name for t in traced.inputs],
        "outputs": names,
        "shapes": shapes(graph_def, names),
        "feeds": [plain(v) for v in feeds],
        "results": [plain(r) for r in results],
    }


def with_variables() -> dict:
    """A function of Variables, whose handles are arguments of its graph: to be mapped."""
    weights, count = tf.Variable(floats(4, 2)), tf.Variable(3)

    def step(x):
        count.assign_add(2)
        if count > 4:
            weights.assign_sub(0.5 * tf.ones_like(weights))
        return tf.matmul(x, weights) * tf.cast(count, tf.float32)

    traced = tf.function(step).get_concrete_function(tf.TensorSpec([2, 4]))
    before = {v.handle.ref(): plain(v) for v in (weights, count)}
    handles = [before[t.ref()] for t in traced.captured_inputs]
    results = [traced(tf.constant(X))]
    after = {v.handle.ref(): plain(v) for v in (weights, count)}
    return {
        "graph_def": packed(traced.graph.as_graph_def()),
        "inputs": [t.name for t in traced.inputs],
        "outputs": [t.name for t in traced.outputs],
        "feeds": [plain(X)],
        "variables": handles,
        "after": [after[t.ref()] for t in traced.captured_inputs],
        "results": [plain(r) for r in results],
    }


def old_loop() -> dict:
    """A loop of TensorFlow 1, which is made of nodes in a cycle."""
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.disable_control_flow_v2()
        tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [tf.constant(0)])
        tf.compat.v1.enable_control_flow_v2()
    return {"graph_def": packed(graph.as_graph_def())}


def main() -> None:
    records = {name: record(*case) for name, case in CASES.items()}
    records["with_variables"] = with_variables()
    records["old_loop"] = old_loop()
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in records.items()]
    text = ",\n".join(lines)
    OUTPUT.write_text(f'{{"tensorflow": "{tf.__version__}",\n"graphs": {{\n{text}\n}}}}\n')


if __name__ == "__main__":
    main()
