"""Imports the graphs that export_samples.py wrote into TensorFlow, runs them there, and compares values and static shapes.

Run by tools/conformance, in TensorFlow's environment, with the folder in TRACEFN_SAMPLES.
"""

from __future__ import annotations

import json
import os
import pathlib
import re

import numpy as np
import pytest
import tensorflow as tf

FOLDER = pathlib.Path(os.environ["TRACEFN_SAMPLES"])
ENTRIES = json.loads((FOLDER / "index.json").read_text())

# Graphs of unknown shapes that TensorFlow's own shape rules refuse, with the reason.
REFUSED = dict.fromkeys(
    ("MatrixDiagV2_0_sizes", "MatrixDiagV3_0_sizes"), "the rule takes an unknown number of diagonals for a wrong one"
)
# Ops that TensorFlow no longer takes in graphs.
REMOVED = {f"Batch{kind}FFT{axes}" for kind in ("", "I") for axes in ("", "2D", "3D")}


# No constant folding, no rewriting: each op's own kernel runs, on one thread.
SERIAL = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
SERIAL.graph_options.rewrite_options.disable_meta_optimizer = True
SERIAL.graph_options.optimizer_options.opt_level = tf.compat.v1.OptimizerOptions.L0
RELATIVE = {"bfloat16": 2e-2, "float16": 2e-3, "float64": 1e-12, "complex128": 1e-12}


NO_KERNEL = re.compile("No OpKernel was registered|data type is not supported|must be int32 or int64")
# What TensorFlow answers there is no model: why.
DIFFERS = {
    "ScatterNd_Tindices_int16": "its shape rule reads int32 and int64 only",
    "ArgMax_Tidx_int16": "its shape rule reads int32 and int64 only",
    "SplitV_Tlen_int8": "its shape rule ends the process",
    "Range_Tidx_float16": "its shape rule does not know halves",
    "Where_T_float16": "it has no kernel for halves",
    "CTCLoss_T_float64": "its kernel adds probabilities in single precision",
    "CTCBeamSearchDecoder_T_float64": "its kernel adds probabilities in single precision",
    "StatelessRandomUniformFullInt_Tseed_uint32": "its kernel takes signed seeds only",
    "StatelessRandomUniformFullInt_Tseed_uint64": "its kernel takes signed seeds only",
    **{
        f"NonDeterministicInts_shape_dtype_{dtype}": "its shape rule takes int32 and int64 only"
        for dtype in (
            *("bfloat16", "float16", "float32", "float64", "complex64", "complex128", "bool"),
            *("int8", "int16", "uint8", "uint16", "uint32", "uint64"),
        )
    },
    "Round_T_int32": "its kernel gives zeros; tf.round never calls it for integers",
    "Round_T_int64": "its kernel gives zeros; tf.round never calls it for integers",
    "ClipByValue_T_complex64": "complex numbers have no order; refused here",
    "ClipByValue_T_complex128": "complex numbers have no order; refused here",
    "StatefulRandomBinomial": "a read after it in a graph finds the state as before; eagerly it has moved on",
    "ApproxTopK_0": "its shape rule refuses unknown sizes",
    **dict.fromkeys(
        (
            "BatchDataset",
            "ExperimentalRandomDataset",
            "FixedLengthRecordDataset",
            "PaddedBatchDataset",
            "ParallelFilterDataset",
            "TFRecordDatasetV2",
        ),
        "it writes datasets of graphs anew, and not those of this op",
    ),
    "AnonymousRandomSeedGenerator": "its kernel reads an input that the op does not have",
    "DeleteSeedGenerator": "the sample makes its generator by AnonymousRandomSeedGenerator",
    "DeleteRandomSeedGenerator": "the sample makes its generator by AnonymousRandomSeedGenerator",
    "DeleteMemoryCache": "its kernel does not delete the caches that AnonymousMemoryCache makes",
    "RaggedCross": "its kernel ends the process",
    "SparseCrossHashed": "its kernel ends the process where hashes are keyed",
}

# Their shape rules take the number of windows for that of their ends, or forget a dimension where sizes are unknown, or do
# not know the shapes of a table's keys and values, or do not look at the axes or at
# a size that is a constant.
MISTAKEN_SHAPES = frozenset({"ExtractVolumePatches", "FractionalAvgPool", "FractionalMaxPool"})
MISTAKEN_SHAPES |= {"FFTND", "IFFTND", "RFFTND", "IRFFTND", "Fact", "RaggedBincount", "RaggedFillEmptyRows"}
MISTAKEN_SHAPES |= {"BroadcastGradientArgs"}  # known here where the shapes are constants
MISTAKEN_SHAPES |= {"AnonymousHashTable", "HashTableV2", "InitializeTableFromTextFileV2", "InitializeTableV2"}


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
    if entry["op"] in REMOVED:
        with pytest.raises(tf.errors.UnimplementedError, match="It has been removed in version 15"):
            imported(entry)
        return
    reason = DIFFERS.get(entry["file"].removesuffix(".pb").rpartition("_")[0])
    if reason:
        pytest.skip(reason)
    graph = imported(entry)
    outputs = [graph.get_tensor_by_name(name) for name in entry["outputs"]]
    if entry["op"] not in MISTAKEN_SHAPES:
        assert [dims(t.shape) for t in outputs] == entry["shapes"]
    if not entry["run"]:
        return
    with tf.compat.v1.Session(graph=graph, config=SERIAL) as session:
        if "refused" in entry:
            with pytest.raises(tf.errors.OpError):
                session.run([outputs, graph.get_operations()])
            return
        try:
            values, _ = session.run([outputs, graph.get_operations()])
        except tf.errors.OpError as error:
            # More dtypes run here than TensorFlow has CPU kernels for.
            assert NO_KERNEL.search(error.message), error.message
            return
    expected = list(np.load(FOLDER / entry["values"]).values())
    assert len(values) == len(expected)
    for value, wanted in zip(values, expected, strict=True):
        compare(np.asarray(value), wanted)


def compare(value: np.ndarray, wanted: np.ndarray) -> None:
    assert value.shape == wanted.shape
    if value.dtype == object:
        assert value.tolist() == wanted.astype(object).tolist()
    elif wanted.dtype.kind in "fc" or value.dtype.name == "bfloat16":
        rtol = RELATIVE.get(value.dtype.name, 2e-6)
        np.testing.assert_allclose(value.astype(wanted.dtype), wanted, rtol=rtol, atol=rtol)
    else:
        assert value.dtype == wanted.dtype
        np.testing.assert_array_equal(value, wanted)
