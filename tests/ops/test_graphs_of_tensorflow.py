"""GraphDefs that TensorFlow made: imported here they give TensorFlow's answers (tests/oracle/record_graph_defs.py)."""

from __future__ import annotations

import base64
import json
import pathlib
import zlib

import numpy as np
import pytest
import tracefn as tf

ORACLE = pathlib.Path(__file__).parents[1] / "oracle" / "graph_defs.json"
GRAPHS = json.loads(ORACLE.read_text())["graphs"]
RUN = [name for name, entry in GRAPHS.items() if "results" in entry and "variables" not in entry]


def array(record: dict) -> np.ndarray:
    if "strings" in record:
        values = np.array([base64.b64decode(s) for s in record["strings"]] + [None], object)[:-1]
        return values.reshape(record["shape"])
    data = zlib.decompress(base64.b64decode(record["data"]))
    return np.frombuffer(data, tf.as_dtype(record["dtype"]).as_numpy_dtype).reshape(record["shape"])


def graph_def(name: str) -> bytes:
    return zlib.decompress(base64.b64decode(GRAPHS[name]["graph_def"]))


def compare(results, wanted) -> None:
    assert len(results) == len(wanted)
    for result, record in zip(results, wanted, strict=True):
        value, expected = np.asarray(result.numpy()), array(record)
        assert value.shape == expected.shape
        if value.dtype.kind in "fc":
            assert value.dtype == expected.dtype
            np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6)
        else:
            assert value.tolist() == expected.tolist()


@pytest.mark.parametrize("name", RUN)
def test_results_and_shapes(name):
    entry = GRAPHS[name]
    data = graph_def(name)
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(data, name=""), [])
    function = wrapped.prune(entry["inputs"], entry["outputs"])
    feeds = [tf.constant(array(record)) for record in entry["feeds"]]
    compare(function(*feeds), entry["results"])
    for name, shape in zip(entry["outputs"], entry["shapes"], strict=True):
        found = wrapped.graph.get_tensor_by_name(name).shape
        assert tf.TensorShape(shape).is_compatible_with(found)
        assert shape is None or found.rank == len(shape)
        assert all(a == b for a, b in zip(shape or (), found.as_list() if shape else (), strict=True) if a is not None)


@pytest.mark.parametrize("name", RUN)
def test_exported_again(name):
    entry = GRAPHS[name]
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def(name), name="")
    again = graph.as_graph_def()
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(again, name=""), [])
    feeds = [tf.constant(array(record)) for record in entry["feeds"]]
    compare(wrapped.prune(entry["inputs"], entry["outputs"])(*feeds), entry["results"])


def test_variables_take_the_place_of_handles():
    entry = GRAPHS["with_variables"]
    variables = [tf.Variable(array(record)) for record in entry["variables"]]
    handles = dict(zip(entry["inputs"][1:], [v.handle for v in variables], strict=True))

    @tf.function
    def step(x):
        mapped = {entry["inputs"][0]: x, **handles}
        return tf.import_graph_def(graph_def("with_variables"), mapped, entry["outputs"])

    compare(step(tf.constant(array(entry["feeds"][0]))), entry["results"])
    compare([v.read_value() for v in variables], entry["after"])


def test_a_loop_of_nodes_in_a_cycle_is_refused_by_name():
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError, match="'(Enter|Switch|Merge|Exit)'"):
        tf.import_graph_def(graph_def("old_loop"))


def test_messages_are_read():
    read = tf.compat.v1.GraphDef.FromString(graph_def("constants"))
    arrays = {n.name: tf.make_ndarray(n.attr["value"].tensor) for n in read.node if n.op == "Const"}
    assert {a.dtype.name for a in arrays.values()} >= {"float16", "complex64", "int8", "bool", "uint64", "object"}
    # Entries of maps may come in another order.
    assert tf.compat.v1.GraphDef.FromString(read.SerializeToString()) == read and read.ByteSize() == len(graph_def("constants"))
    loop = tf.compat.v1.GraphDef.FromString(graph_def("loop"))
    bodies = {f.signature.name: f for f in loop.library.function}
    node = next(n for n in loop.node if n.op == "StatelessWhile")
    assert node.attr["body"].func.name in bodies
    assert len(node.attr["T"].list.type) == len(node.input)
    assert node.attr["parallel_iterations"].i == 10
    assert {n.op for n in bodies[node.attr["cond"].func.name].node_def} >= {"Less", "Identity"}
