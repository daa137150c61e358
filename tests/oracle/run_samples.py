"""Imports the graphs that export_samples.py wrote into TensorFlow, runs them there, and compares values and static shapes.

Run by tools/conformance, in TensorFlow's environment, with the folder in TRACEFN_SAMPLES.
"""

from __future__ import annotations

import json
import os
import pathlib

import numpy as np
import pytest
import tensorflow as tf

FOLDER = pathlib.Path(os.environ["TRACEFN_SAMPLES"])
ENTRIES = json.loads((FOLDER / "index.json").read_text())

# Graphs of unknown shapes that TensorFlow's own shape rules refuse, with the reason.
REFUSED = {"MatrixDiagV3_0_sizes": "the rule takes an unknown number of diagonals for a wrong one"}


def imported(entry: dict) -> tf.Graph:
    definition = tf.compat.v1.GraphDef.FromString((FOLDER / entry["file"]).read_bytes())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return graph


def dims(shape: tf.TensorShape) -> list | None:
    return None if shape.rank is None else shape.as_list()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["file"].removesuffix(".pb"))
def test_sample(entry):
    if entry["file"].removesuffix(".pb") in REFUSED:
        with pytest.raises(ValueError, match="doesn't match the number of diagonals"):
            imported(entry)
        return
    graph = imported(entry)
    outputs = [graph.get_tensor_by_name(name) for name in entry["outputs"]]
    assert [dims(t.shape) for t in outputs] == entry["shapes"]
    if not entry["run"]:
        return
    expected = list(np.load(FOLDER / entry["values"]).values())
    options = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf.compat.v1.Session(graph=graph, config=options) as session:
        values, _ = session.run([outputs, graph.get_operations()])
    assert len(values) == len(expected)
    for value, wanted in zip(values, expected, strict=True):
        compare(np.asarray(value), wanted)


def compare(value: np.ndarray, wanted: np.ndarray) -> None:
    assert value.shape == wanted.shape
    if value.dtype == object:
        assert value.tolist() == wanted.astype(object).tolist()
    elif wanted.dtype.kind in "fc" or value.dtype.name == "bfloat16":
        np.testing.assert_allclose(value.astype(wanted.dtype), wanted, rtol=2e-6, atol=1e-6)
    else:
        assert value.dtype == wanted.dtype
        np.testing.assert_array_equal(value, wanted)
