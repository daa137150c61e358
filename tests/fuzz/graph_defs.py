"""Imports GraphDefs that were changed at random, and runs and differentiates those that are taken. See README.md.

    python tests/fuzz/graph_defs.py --cases 100000
"""

from __future__ import annotations

import base64
import functools
import json
import os
import pathlib
import pickle
import random
import sys
import zlib

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]
os.environ.setdefault("TRACEFN_PASSES", "verify")

import numpy as np
import runner
import tracefn as tf
from mutations import Mutator, changed_bytes
from support.graph_def_messages import decode
from support.op_samples import caller, calls, samples
from tracefn import _core
from tracefn._graph.parts import UnliftableError

RECORDED = HERE.parents[1] / "oracle" / "graph_defs.json"
# What users are to see where a graph is wrong.
EXPECTED = (
    tf.errors.OpError, ValueError, TypeError, OverflowError, NotImplementedError, LookupError, UnliftableError
)  # fmt: skip
MOST_FETCHES = 6
LARGEST_FEED = 10_000


def _graphs_of_functions() -> list[bytes]:
    """Loops, conditionals, calls and their gradients."""

    @tf.function
    def inner(x, n):
        return x * 2.0, n + 1

    @tf.function
    def nested(x, n):
        y, m = inner(x, n)
        if m > 2:
            y = y + inner(y, m)[0]
        for i in tf.range(m):
            y = tf.where(y > 1.0, y - tf.cast(i, tf.float32), y * 1.5)
            if tf.reduce_sum(y) > 100.0:
                break
        return y

    @tf.function
    def gradient(x, n):
        return tf.gradients(tf.reduce_sum(nested(x, n) * x), x)

    @tf.function
    def lists(x, n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, tf.sort(x) * tf.cast(i, tf.float32))
        return tf.gradients(tf.reduce_sum(array.stack()), x)[0], array.concat()

    @tf.function
    def chosen(x, n):
        return tf.switch_case(n, [lambda: x, lambda: x * x, lambda: tf.cumsum(x)])

    @tf.function
    def scalars(x, n):
        total = tf.reduce_sum(x)
        while total < 50.0:
            total = total * 1.5 + 1.0
            n = n - 1
            if n < -20:
                break
        return total, n

    @tf.function
    def row_by_row(x, n):
        y = tf.nn.softmax(tf.reshape(x, [1, -1]) * 2.0 + 1.0)
        return tf.reduce_max(tf.exp(y) / (1.0 + tf.abs(y)), 1), tf.matmul(y, y, transpose_b=True), tf.one_hot(n, 4)

    specs = tf.TensorSpec([None], name="x"), tf.TensorSpec([], tf.int32, name="n")
    functions = (nested, gradient, lists, chosen, scalars, row_by_row)
    return [f.get_concrete_function(*specs).graph.as_graph_def().SerializeToString() for f in functions]


def _graph_of_sample(run) -> bytes:
    traced = tf.function(functools.partial(run)).get_concrete_function()
    return traced.graph.as_graph_def().SerializeToString()


def _graph_with_feeds(op: str, arguments: dict) -> bytes:
    """A sample whose arrays of floats are placeholders of unknown sizes."""
    fed = {n: v for n, v in arguments.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"}
    specs = [tf.TensorSpec([None] * v.ndim, v.dtype, name=n) for n, v in fed.items()]

    def call(*values):
        return caller(op, {**arguments, **dict(zip(fed, values, strict=True))})()

    return tf.function(call).get_concrete_function(*specs).graph.as_graph_def().SerializeToString()


def prepare() -> bytes:
    """The graphs to be changed, and the names of all ops."""
    graphs = _graphs_of_functions() * 8
    recorded = json.loads(RECORDED.read_text())["graphs"].values()
    graphs += [zlib.decompress(base64.b64decode(entry["graph_def"])) for entry in recorded] * 4
    for op in _core.op_names():
        graphs += [_graph_of_sample(run) for run in samples(op)]
        for arguments in calls(op):
            try:
                graphs.append(_graph_with_feeds(op, arguments))
            except EXPECTED:
                continue  # it wants constants
    return pickle.dumps((graphs, [name.encode() for name in _core.op_names()]))


def load(data: bytes) -> tuple:
    """The graphs, their trees, and the names."""
    graphs, ops = pickle.loads(data)
    return graphs, [decode(graph) for graph in graphs], ops


def _feed(rng: random.Random, tensor):
    """A small value for a placeholder; None where there is none."""
    if tensor.shape.rank is None:
        dims = [rng.choice((0, 1, 2, 3)) for _ in range(rng.choice((0, 1, 2)))]
    else:
        dims = [rng.choice((0, 1, 2, 3)) if d is None else d for d in tensor.shape.as_list()]
    if max([1, *dims, np.prod(dims, dtype=object)]) > LARGEST_FEED:
        return None
    generator = np.random.default_rng(rng.randrange(2**32))
    if tensor.dtype == tf.string:
        return tf.constant(generator.choice(np.array([b"a", b"", b"1.5"], object), dims), tf.string)
    if tensor.dtype in (tf.resource, tf.variant):
        return None
    return tf.cast(tf.constant(generator.integers(-2, 4, dims)), tensor.dtype)


def _import(data: bytes, with_gradients: bool) -> None:
    tf.import_graph_def(data, name="")
    if not with_gradients:
        return
    graph = tf.compat.v1.get_default_graph()
    floats = [t for op in graph.get_operations() for t in op.outputs if t.dtype.is_floating]
    sources = [t for t in floats if t.op.type in ("Placeholder", "Const")][:4]
    if sources and floats:
        tf.gradients(floats[-3:], sources)


def run(loaded: tuple, seed: int) -> str:
    """One case: a graph, changed, imported, and run where it is taken."""
    graphs, trees, ops = loaded
    rng = random.Random(seed)
    tf.random.set_seed(seed)
    if rng.random() < 0.3:
        data = changed_bytes(rng, rng.choice(graphs), graphs)
    else:
        data = Mutator(rng, trees, ops).changed(rng.choice(trees))
    with_gradients = rng.random() < 0.25
    try:
        wrapped = tf.compat.v1.wrap_function(lambda: _import(data, with_gradients), [])
    except EXPECTED as error:
        _refuse_internal(error)
        return f"import refused: {type(error).__name__}"
    operations = wrapped.graph.get_operations()
    tensors = [t for op in operations for t in op.outputs if op.type != "Placeholder"]
    feeds = {t.name: _feed(rng, t) for op in operations if op.type == "Placeholder" for t in op.outputs}
    feeds = {name: value for name, value in feeds.items() if value is not None}
    chosen = rng.sample(tensors, min(MOST_FETCHES, len(tensors))) + tensors[-2:]
    effects = [op for op in operations if not op.outputs][:MOST_FETCHES]
    try:
        again = wrapped.graph.as_graph_def().SerializeToString()
        function = wrapped.prune(list(feeds), [*chosen, *effects])
        function(*feeds.values())
        with tf.Graph().as_default():
            tf.import_graph_def(again)
    except EXPECTED as error:
        _refuse_internal(error)
        return f"run refused: {type(error).__name__}"
    return "ran"


def _refuse_internal(error: BaseException) -> None:
    if isinstance(error, tf.errors.InternalError) or "is a bug" in str(error):
        raise error


if __name__ == "__main__":
    sys.exit(runner.main(prepare, load, run, __file__, __doc__.splitlines()[0]))
