"""Samples of ops that few programs call: later versions of others, places and times, functions called many times."""

import pathlib
import tempfile

import numpy as np
import tracefn as tf

from support.families.files import CALLS as _FILES
from support.families.files import word
from support.sample_values import f32, grid, i32

raw = tf.raw_ops
_FOLDER = pathlib.Path(tempfile.gettempdir()) / "tracefn_sample_files"
_FILE = _FOLDER / "constant.bin"
_FILE.write_bytes(np.arange(8, dtype=np.int32).tobytes())
_IMAGES = grid(2, 4, 4, 1)


def _example_v1() -> dict:
    call = dict(_FILES["ParseExampleV2"][1])
    for name in ("ragged_keys", "ragged_value_types", "ragged_split_types", "num_sparse"):
        del call[name]
    return call | {"sparse_keys": [word(b"s")], "dense_keys": [word(b"f")]}


_LATER = _FILES["ParseSequenceExampleV2"][0]
_SEQUENCE_KEYS = {
    "context_sparse_keys": b"t",
    "context_dense_keys": b"c",
    "feature_list_sparse_keys": b"v",
    "feature_list_dense_keys": b"x",
}
_OF_SEQUENCES = {
    name: value for name, value in _LATER.items()
    if "ragged" not in name and name not in _SEQUENCE_KEYS and name != "feature_list_dense_missing_assumed_empty"
} | {"Tcontext_dense": [tf.int64]}  # fmt: skip
_ONE_SEQUENCE = {name: value for name, value in _OF_SEQUENCES.items() if name != "Nfeature_list_dense"}

CALLS = {
    "Einsum": [
        {"inputs": [grid(2, 3), grid(3, 4)], "equation": "ij,jk->ik"},
        {"inputs": [grid(2, 3, 3)], "equation": "bii->b"},
        {"inputs": [grid(2)], "equation": "i->ii"},
        {"inputs": [grid(2, 1, 3), grid(4, 3)], "equation": "a...b,...b->...a"},
        {"inputs": [grid(2, 3), grid(2, 4)], "equation": "ij,ik->i"},
    ],
    "BatchMatMulV3": [
        {"x": grid(2, 2, 3), "y": grid(3, 2), "Tout": "float32"},
        {"x": np.array([[1, -2]], np.int8), "y": np.array([[3], [4]], np.int8), "Tout": "int32"},
    ],
    "ApproxTopK": [{"input": f32([3, 1, 2], [0.5, 7, 6]), "k": 2}],
    "Conv": [
        {"input": _IMAGES, "filter": grid(2, 2, 1, 2), "strides": [1, 2, 1, 1], "padding": "SAME"},
        {"input": grid(1, 2, 3, 3, 1), "filter": grid(2, 2, 2, 1, 1), "strides": [1] * 5, "padding": "VALID"},
        {"input": _IMAGES, "filter": grid(2, 2, 1, 1), "strides": [1] * 4, "padding": "EXPLICIT",
         "explicit_paddings": [0, 0, 1, 0, 0, 1, 0, 0], "dilations": [1, 2, 1, 1]},
    ],
    "ScatterNdNonAliasingAdd": [{"input": grid(4), "indices": i32([2], [0], [2]), "updates": f32(5, -7, 1)}],
    "SobolSample": [
        {"dim": np.int32(5), "num_results": np.int32(9), "skip": np.int32(0)},
        {"dim": np.int32(40), "num_results": np.int32(3), "skip": np.int32(1000), "dtype": "float64"},
    ],
    "ImmutableConst": [{"dtype": "int32", "shape": [2, 3], "memory_region_name": str(_FILE)}],
    "FakeParam": [{"dtype": "float32", "shape": [0, 2]}],
    "DeviceIndex": [{"device_names": ["GPU", "CPU"]}],
    "SyncDevice": [{}],
    "ControlTrigger": [{}],
    "Timestamp": [{}],
    "ParseExample": [_example_v1()],
    "ParseSequenceExample": [
        _OF_SEQUENCES | {name: [key.decode()] for name, key in _SEQUENCE_KEYS.items()}
        | {"feature_list_dense_missing_assumed_empty": [], "Ncontext_dense": 1},
    ],
    "ParseSingleSequenceExample": [
        _ONE_SEQUENCE | {name: [word(key)] for name, key in _SEQUENCE_KEYS.items()}
        | {"serialized": word(_LATER["serialized"][0]), "debug_name": word(b"one"),
           "feature_list_dense_missing_assumed_empty": np.zeros([0], "S1")},
    ],
}  # fmt: skip


def _for():
    @tf.function
    def body(i, x):
        return x * 2 + tf.cast(i, tf.float32)

    body = body.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([3]))
    return raw.For(start=0, limit=3, delta=1, input=[grid(3)], body=body)


def _map():
    @tf.function
    def product(x, factor):
        return x * factor

    product = product.get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([]))
    return raw.MapDefun(
        arguments=[grid(2, 3)],
        captured_inputs=[np.float32(2)],
        output_types=["float32"],
        output_shapes=[[3]],
        f=product,
    )


def _disabled():
    handle = raw.VarHandleOp(dtype="float32", shape=[2])
    raw.AssignVariableOp(resource=handle, value=grid(2))
    raw.DisableCopyOnRead(resource=handle)
    return [raw.ReadVariableOp(resource=handle, dtype="float32")]


PROGRAMS = {"For": _for, "MapDefun": _map, "DisableCopyOnRead": _disabled}

# The time is another one there.
NOT_RUN = {"Timestamp"}
