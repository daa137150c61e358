"""One small use or more of every recorded op: what the tests that walk the registry run, eagerly and traced, and what is
exported for TensorFlow to run. An op without a sample fails tests/ops/test_registry.py."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import pkgutil
from collections.abc import Callable

import numpy as np
import tracefn as tf

from support.elementwise_samples import BINARY, UNARY, dtypes_of, numpy_dtype, sample
from support.resource_samples import GENERATOR_PROGRAMS, LIST_PROGRAMS, VARIABLE_PROGRAMS
from support.sample_values import f32, grid, i32, i64
from support.window_samples import WINDOW_CALLS

raw = tf.raw_ops

UNIT = f32(0.1, 0.3, 0.6, 0.9)
COMPLEX = np.array([1 + 2j, -0.5 - 1j, 3j], np.complex64)
SQUARE = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 5]], np.float32)
KEY, COUNTER = np.array([7], np.uint64), np.array([11, 3], np.uint64)
WORDS = np.array([b" Ab ", b"cDe", b"", "é".encode()], object)
STRIDES = {"begin": i32(0, 2), "end": i32(2, 0), "strides": i32(1, -1)}
REDUCED = [
    {"input": grid(2, 3, 4), "axis": i32(1)},
    {"input": grid(2, 3, 4), "axis": i32(0, -1), "keep_dims": True},
    {"input": grid(0, 3), "axis": i32(0)},
]
_OF_OUTPUT = [{"y": UNIT, "dy": f32(1, -2, 0.5, 3)}]
_OF_FEATURES = [{"gradients": f32(1, -2, 0.5, 3), "features": f32(-1, 0.5, 2, 8)}]
_OF_ACTIVATIONS = [{"gradients": f32(1, -2, 0.5, 3), "outputs": f32(-0.5, 0.5, 2, 8)}]
_ALL_ANY = [{"input": np.array([[True, False], [True, True]]), "axis": i32(1)}]
_STATELESS = [{"shape": i32(2, 3), "seed": i32(1, 2)}]
_STATELESS_V2 = [{"shape": i32(2, 3), "key": KEY, "counter": COUNTER, "alg": np.int32(1)}]
_SCATTERED = [
    {"tensor": grid(4), "indices": i32([2], [0]), "updates": f32(5, -7)},
    {"tensor": grid(2, 3), "indices": i64([1], [1]), "updates": grid(2, 3)},
]
_NORMS = ("Sum", "Mean", "SqrtN")
_PICKED = {"data": grid(5, 2), "indices": i32(4, 0, 0, 2), "segment_ids": i32(0, 0, 2, 2)}
_OF_PICKED = {"grad": grid(3, 2), "indices": i32(4, 0, 0, 2), "segment_ids": i32(0, 0, 2, 2)}

# op: keyword arguments of one call each; arrays are tensor inputs, lists of arrays are inputs that are lists.
CALLS: dict[str, list[dict]] = {
    "Inv": [{"x": f32(0.5, -2)}],
    "ReciprocalGrad": _OF_OUTPUT,
    "InvGrad": _OF_OUTPUT,
    "SigmoidGrad": _OF_OUTPUT,
    "TanhGrad": _OF_OUTPUT,
    "SqrtGrad": _OF_OUTPUT,
    "RsqrtGrad": _OF_OUTPUT,
    "ReluGrad": _OF_FEATURES,
    "Relu6Grad": _OF_FEATURES,
    "LeakyReluGrad": _OF_FEATURES,
    "SoftplusGrad": _OF_FEATURES,
    "SoftsignGrad": _OF_FEATURES,
    "EluGrad": _OF_ACTIVATIONS,
    "SeluGrad": _OF_ACTIVATIONS,
    "Digamma": [{"x": f32(0.5, 2, 7.5)}],
    "Polygamma": [{"a": f32(1, 2, 3), "x": f32(0.5, 2, 7.5)}],
    "Zeta": [{"x": f32(1.5, 2, 3), "q": f32(0.5, 2, 7.5)}],
    "LeakyRelu": [{"features": f32(-1, 0, 2), "alpha": 0.3}],
    "PopulationCount": [{"x": i32(0, 7, -1)}],
    "Real": [{"input": COMPLEX}],
    "Imag": [{"input": COMPLEX}],
    "Angle": [{"input": COMPLEX}],
    "ComplexAbs": [{"x": COMPLEX}],
    "Complex": [{"real": f32(1, 2), "imag": f32(3, -4)}],
    "ApproximateEqual": [{"x": f32(1, 2), "y": f32(1.001, 3), "tolerance": 0.01}],
    "SelectV2": [{"condition": np.array([[True], [False]]), "t": grid(2, 3), "e": np.float32(9)}],
    "Select": [{"condition": np.array([True, False]), "x": grid(2, 3), "y": -grid(2, 3)}],
    "ClipByValue": [{"t": grid(4), "clip_value_min": np.float32(-1), "clip_value_max": np.float32(1)}],
    "Cast": [
        {"x": f32(-1.7, 0, 300.2), "DstT": "int32"},
        {"x": i32(-1, 0, 300), "DstT": "bfloat16"},
        {"x": i32(0, 2), "DstT": "bool"},
        {"x": f32(1, 2), "DstT": "complex128"},
    ],
    "Bitcast": [{"input": f32(1, -2), "type": "int32"}, {"input": f32(1, -2), "type": "uint8"}],
    "AddN": [{"inputs": [grid(3), grid(3), f32(1, 2, 3)]}],
    "AccumulateNV2": [{"inputs": [grid(3), f32(1, 2, 3)], "shape": [3]}],
    "Const": [{"value": grid(2, 3), "dtype": "float32"}, {"value": WORDS, "dtype": "string"}],
    "Fill": [{"dims": i32(2, 3), "value": np.float32(7)}, {"dims": i64(0), "value": np.int32(7)}],
    "Range": [{"start": np.int32(2), "limit": np.int32(11), "delta": np.int32(3)}],
    "LinSpace": [{"start": np.float32(0), "stop": np.float32(1), "num": np.int32(5)}],
    "ZerosLike": [{"x": grid(2, 3)}],
    "OnesLike": [{"x": grid(2, 3)}],
    "OneHot": [{"indices": i32(2, 0, 9), "depth": np.int32(3), "on_value": np.float32(5), "off_value": np.float32(-1)}],
    "Identity": [{"input": grid(2, 3)}],
    "IdentityN": [{"input": [grid(2, 3), i32(1, 2)]}],
    "Snapshot": [{"input": grid(2, 3)}],
    "StopGradient": [{"input": grid(2, 3)}],
    "PreventGradient": [{"input": grid(2, 3), "message": "no"}],
    "EnsureShape": [{"input": grid(2, 3), "shape": [None, 3]}],
    "Shape": [{"input": grid(2, 3)}, {"input": grid(2, 3), "out_type": "int64"}],
    "ShapeN": [{"input": [grid(2, 3), grid(4)]}],
    "Size": [{"input": grid(2, 3)}],
    "Rank": [{"input": grid(2, 3)}],
    "BroadcastArgs": [{"s0": i32(2, 1, 3), "s1": i32(4, 1)}],
    "BroadcastGradientArgs": [{"s0": i32(2, 1, 3), "s1": i32(4, 1)}],
    "Reshape": [{"tensor": grid(2, 3), "shape": i32(3, -1)}],
    "Squeeze": [{"input": grid(1, 3, 1)}, {"input": grid(1, 3, 1), "axis": [0]}],
    "ExpandDims": [{"input": grid(2, 3), "axis": np.int32(1)}],
    "Transpose": [{"x": grid(2, 3, 4), "perm": i32(2, 0, 1)}],
    "ConjugateTranspose": [{"x": np.stack([COMPLEX, COMPLEX * 2]), "perm": i32(1, 0)}],
    "Sum": REDUCED,
    "Prod": REDUCED,
    "Max": REDUCED[:2],
    "Min": REDUCED[:2],
    "Mean": REDUCED[:2],
    "EuclideanNorm": REDUCED,
    "All": _ALL_ANY,
    "Any": _ALL_ANY,
    "MatMul": [
        {"a": grid(2, 3), "b": grid(3, 4)},
        {"a": grid(3, 2), "b": grid(4, 3), "transpose_a": True, "transpose_b": True},
    ],
    "BatchMatMulV2": [
        {"x": grid(2, 1, 2, 3), "y": grid(5, 3, 4)},
        {"x": grid(2, 3, 2), "y": grid(2, 3, 4), "adj_x": True},
    ],
    "ConcatV2": [{"values": [grid(2, 3), grid(2, 1)], "axis": np.int32(1)}],
    "ConcatOffset": [{"concat_dim": np.int32(1), "shape": [i32(2, 3), i32(2, 1)]}],
    "Pack": [{"values": [grid(3), grid(3)], "axis": 1}],
    "Split": [{"axis": np.int32(1), "value": grid(2, 4), "num_split": 2}],
    "SplitV": [{"value": grid(2, 4), "size_splits": i32(1, -1), "axis": np.int32(1), "num_split": 2}],
    "Unpack": [{"value": grid(2, 3), "num": 3, "axis": 1}],
    "Tile": [{"input": grid(2, 3), "multiples": i32(2, 1)}],
    "BroadcastTo": [{"input": grid(3), "shape": i32(2, 3)}],
    "Pad": [{"input": grid(2, 3), "paddings": i32([1, 0], [0, 2])}],
    "PadV2": [{"input": grid(2, 3), "paddings": i32([1, 0], [0, 2]), "constant_values": np.float32(9)}],
    "MirrorPad": [{"input": grid(2, 3), "paddings": i32([1, 0], [0, 2]), "mode": "REFLECT"}],
    "MirrorPadGrad": [{"input": grid(3, 5), "paddings": i32([1, 0], [0, 2]), "mode": "SYMMETRIC"}],
    "ReverseV2": [{"tensor": grid(2, 3), "axis": i32(1)}],
    "ReverseSequence": [{"input": grid(2, 3), "seq_lengths": i32(2, 3), "seq_dim": 1, "batch_dim": 0}],
    "Roll": [{"input": grid(2, 3), "shift": i32(1, -1), "axis": i32(0, 1)}],
    "InvertPermutation": [{"x": i32(2, 0, 1)}],
    "StridedSlice": [
        {"input": grid(2, 3), **STRIDES},
        {
            "input": grid(2, 3, 4),
            "begin": i32(0, 1),
            "end": i32(0, 2),
            "strides": i32(1, 1),
            "ellipsis_mask": 1,
            "shrink_axis_mask": 2,
        },
    ],
    "StridedSliceGrad": [{"shape": i32(2, 3), **STRIDES, "dy": grid(2, 2)}],
    "TensorStridedSliceUpdate": [{"input": grid(2, 3), **STRIDES, "value": np.full((2, 2), 9, np.float32)}],
    "Slice": [{"input": grid(2, 3), "begin": i32(0, 1), "size": i32(-1, 2)}],
    "GatherV2": [
        {"params": grid(2, 3), "indices": i32(2, 0), "axis": np.int32(1)},
        {"params": grid(2, 3), "indices": i64([2, 0], [1, 1]), "axis": np.int32(1), "batch_dims": 1},
    ],
    "GatherNd": [{"params": grid(2, 3), "indices": i32([1, 2], [0, 0])}],
    "Where": [{"condition": np.array([[True, False], [True, True]])}],
    "ScatterNd": [{"indices": i32([2], [0], [2]), "updates": f32(5, 7, 1), "shape": i32(4)}],
    "TensorScatterUpdate": _SCATTERED[:1],
    "TensorScatterAdd": _SCATTERED,
    "TensorScatterSub": _SCATTERED,
    "TensorScatterMin": _SCATTERED,
    "TensorScatterMax": _SCATTERED,
    **{
        name: [
            {"data": grid(4, 2), "segment_ids": i32(2, 0, -1, 2), "num_segments": np.int32(3)},
            {"data": grid(4), "segment_ids": i64(1, 3, 1, 1), "num_segments": np.int64(4)},
        ]
        for name in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin")
    },
    **{
        name: [
            {"data": grid(4, 2), "segment_ids": i32(0, 0, 2, 2)},
            {"data": f32(0, 2, 2, 0, 0), "segment_ids": i64(0, 0, 0, 1, 1)},
        ]
        for name in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin")
    },
    **{f"SparseSegment{kind}": [_PICKED, {**_PICKED, "sparse_gradient": True}] for kind in _NORMS},
    **{f"SparseSegment{kind}WithNumSegments": [{**_PICKED, "num_segments": np.int32(4)}] for kind in _NORMS},
    **{f"SparseSegment{kind}Grad": [{**_OF_PICKED, "output_dim0": np.int32(5)}] for kind in _NORMS},
    **{f"SparseSegment{kind}GradV2": [{**_OF_PICKED, "dense_output_dim0": np.int32(5)}] for kind in _NORMS},
    "Bincount": [
        {"arr": i32(3, 1, 1), "size": np.int32(4), "weights": f32()},
        {"arr": i32(3, 1, 1), "size": np.int32(3), "weights": f32(1, 2, 0.5)},
    ],
    "DenseBincount": [
        {"input": i32(3, 1, 1), "size": np.int32(4), "weights": i32()},
        {"input": i64([3, 1, 1], [0, 0, 2]), "size": np.int64(3), "weights": grid(2, 3)},
        {"input": i32([3, 1, 1], [0, 0, 2]), "size": np.int32(5), "weights": f32(), "binary_output": True},
    ],
    "HistogramFixedWidth": [
        {"values": f32(-1, 0, 1.5, 2, 5, 15), "value_range": f32(0, 5), "nbins": np.int32(5)},
        {"values": i32([-1, 0], [3, 9]), "value_range": i32(0, 5), "nbins": np.int32(3), "dtype": "int64"},
    ],
    "DynamicStitch": [{"indices": [i32(0, 3), i32(1, 2)], "data": [grid(2, 2), grid(2, 2) * 2]}],
    "ParallelDynamicStitch": [{"indices": [i32(0, 3), i32(1, 2)], "data": [grid(2, 2), grid(2, 2) * 2]}],
    "DynamicPartition": [{"data": grid(4, 2), "partitions": i32(1, 0, 1, 1), "num_partitions": 2}],
    "ArgMax": [{"input": grid(2, 3), "dimension": np.int32(1)}],
    "ArgMin": [{"input": grid(2, 3), "dimension": np.int32(0), "output_type": "int32"}],
    "TopKV2": [{"input": grid(2, 5), "k": np.int32(2)}],
    "Unique": [{"x": i32(3, 1, 3, 2, 1)}, {"x": np.array(["b", "a", "b"], object), "out_idx": "int64"}],
    "UniqueWithCounts": [{"x": i32(3, 1, 3, 2, 1)}],
    "UniqueV2": [
        {"x": i32([1, 0, 0], [1, 0, 0], [2, 0, 0]), "axis": i64(0)},
        {"x": i32([1, 0, 0], [1, 0, 0], [2, 0, 0]), "axis": i32(-1), "out_idx": "int64"},
        {"x": i32(3, 1, 3), "axis": i64()},
    ],
    "UniqueWithCountsV2": [{"x": i32([1, 0, 0], [1, 0, 0], [2, 0, 0]), "axis": i64(1)}],
    "LowerBound": [{"sorted_inputs": np.sort(grid(2, 4)), "values": grid(2, 3)}],
    "UpperBound": [{"sorted_inputs": np.sort(grid(2, 4)), "values": grid(2, 3), "out_type": "int64"}],
    "CumulativeLogsumexp": [
        {"x": grid(2, 3), "axis": np.int32(1)},
        {"x": grid(2, 3), "axis": np.int32(-2), "exclusive": True, "reverse": True},
    ],
    "Cumsum": [
        {"x": grid(2, 3), "axis": np.int32(1)},
        {"x": grid(2, 3), "axis": np.int32(0), "exclusive": True, "reverse": True},
    ],
    "Cumprod": [{"x": grid(2, 3), "axis": np.int32(1)}],
    "MatrixSolve": [{"matrix": SQUARE, "rhs": grid(3, 2)}],
    "MatrixInverse": [{"input": SQUARE}],
    "MatrixDeterminant": [{"input": np.stack([SQUARE, 2 * SQUARE])}],
    "Cholesky": [{"input": SQUARE}],
    "MatrixTriangularSolve": [{"matrix": SQUARE, "rhs": grid(3, 2), "lower": False, "adjoint": True}],
    "MatrixDiagV3": [
        {
            "diagonal": grid(2, 3),
            "k": i32(0, 1),
            "num_rows": np.int32(-1),
            "num_cols": np.int32(-1),
            "padding_value": np.float32(9),
        },
    ],
    "MatrixDiagPartV3": [{"input": grid(3, 4), "k": i32(-1, 1), "padding_value": np.float32(9), "align": "LEFT_LEFT"}],
    "MatrixSetDiagV3": [{"input": grid(3, 4), "diagonal": f32(1, 2, 3), "k": i32(1)}],
    "MatrixBandPart": [{"input": grid(3, 4), "num_lower": np.int32(1), "num_upper": np.int32(0)}],
    "BiasAdd": [
        {"value": grid(2, 3, 4), "bias": grid(4)},
        {"value": grid(2, 3, 4, 5), "bias": grid(3), "data_format": "NCHW"},
    ],
    "BiasAddGrad": [{"out_backprop": grid(2, 3, 4)}],
    "L2Loss": [{"t": grid(2, 3)}],
    "Softmax": [{"logits": grid(2, 3)}],
    "LogSoftmax": [{"logits": grid(2, 3)}],
    "SoftmaxCrossEntropyWithLogits": [{"features": grid(2, 2), "labels": np.eye(2, dtype=np.float32)}],
    "SparseSoftmaxCrossEntropyWithLogits": [{"features": grid(2, 3), "labels": i32(2, 0)}],
    "StringJoin": [{"inputs": [WORDS, np.array(b"x", object)], "separator": "-"}],
    "ReduceJoin": [{"inputs": WORDS.reshape(2, 2), "reduction_indices": i32(1), "separator": "+"}],
    "StringLower": [{"input": WORDS}],
    "StringUpper": [{"input": WORDS}],
    "StringLength": [{"input": WORDS}, {"input": WORDS, "unit": "UTF8_CHAR"}],
    "Substr": [{"input": np.array([b"hello", b"world"], object), "pos": i32(1, 2), "len": i32(3, 2)}],
    "StringStrip": [{"input": WORDS}],
    "AsString": [
        {"input": f32(1.5, -2)},
        {"input": i32(1, -20), "width": 5, "fill": "0"},
        {"input": f32(3.14159), "precision": 2},
    ],
    "StringFormat": [{"inputs": [grid(2, 3), i32(1, 2)], "template": "a {} b {}", "placeholder": "{}"}],
    "StringToNumber": [{"string_tensor": np.array([b"1.5", b"-2e3"], object)}],
    "PrintV2": [{"input": np.array(b"printed", object)}],
    "Assert": [{"condition": np.array(True), "data": [i32(1)]}],
    "CheckNumerics": [{"tensor": grid(3), "message": "m"}],
    "CheckNumericsV2": [{"tensor": grid(3), "message": "m"}],
    "NoOp": [{}],
    "RandomUniform": [{"shape": i32(2, 3), "seed": 3, "seed2": 5, "dtype": "float32"}],
    "RandomStandardNormal": [{"shape": i32(2, 3), "seed": 3, "seed2": 5, "dtype": "float32"}],
    "TruncatedNormal": [{"shape": i32(2, 3), "seed": 3, "seed2": 5, "dtype": "float32"}],
    "RandomUniformInt": [
        {"shape": i32(2, 3), "minval": np.int32(-5), "maxval": np.int32(100), "seed": 3, "seed2": 5},
    ],
    "RandomShuffle": [{"value": grid(5), "seed": 3, "seed2": 5}],
    "Multinomial": [{"logits": grid(2, 3), "num_samples": np.int32(4), "seed": 3, "seed2": 5}],
    "StatelessRandomUniform": _STATELESS,
    "StatelessRandomNormal": _STATELESS,
    "StatelessTruncatedNormal": _STATELESS,
    "StatelessRandomUniformInt": [{**_STATELESS[0], "minval": np.int32(-5), "maxval": np.int32(100)}],
    "StatelessRandomUniformFullInt": [{**_STATELESS[0], "dtype": "int32"}],
    "StatelessRandomUniformV2": _STATELESS_V2,
    "StatelessRandomNormalV2": _STATELESS_V2,
    "StatelessTruncatedNormalV2": _STATELESS_V2,
    "StatelessRandomUniformIntV2": [{**_STATELESS_V2[0], "minval": np.int32(-5), "maxval": np.int32(100)}],
    "StatelessRandomUniformFullIntV2": [{**_STATELESS_V2[0], "dtype": "int32"}],
    "StatelessRandomGetKeyCounter": [{"seed": i32(1, 2)}],
    "StatelessRandomGetAlg": [{}],
    "StatelessRandomGetKeyCounterAlg": [{"seed": i32(1, 2)}],
    "StatelessMultinomial": [{"logits": grid(2, 3), "num_samples": np.int32(4), "seed": i32(1, 2)}],
    "StatelessShuffle": [{"value": grid(5), "key": KEY, "counter": COUNTER, "alg": np.int32(1)}],
    "RandomIndexShuffle": [{"index": i32(0, 3, 2), "seed": i32(1, 2, 3), "max_index": np.int32(9)}],
    "RandomGamma": [{"shape": i32(3), "alpha": f32(0.5, 1, 2.5), "seed": 3, "seed2": 5}],
    "RandomGammaGrad": [{"alpha": f32(0.5, 1, 2.5), "sample": f32(0.25, 1.5, 3)}],
    "StatelessRandomGammaV2": [{"shape": i32(2, 3), "seed": i32(1, 2), "alpha": f32(0.5, 1, 2.5)}],
    "StatelessRandomGammaV3": [{**_STATELESS_V2[0], "alpha": f32(0.5, 1, 2.5)}],
    "RandomPoissonV2": [{"shape": i32(3), "rate": f32(0.5, 40), "dtype": "int32", "seed": 3, "seed2": 5}],
    "StatelessRandomPoisson": [{"shape": i32(3, 2), "seed": i32(1, 2), "lam": f32(0.5, 40), "dtype": "float32"}],
    "StatelessRandomBinomial": [
        {"shape": i32(3, 2), "seed": i32(1, 2), "counts": f32(10, 100), "probs": np.float32(0.75), "dtype": "int32"},
    ],
    "ParameterizedTruncatedNormal": [
        {
            "shape": i32(2, 3),
            "means": f32(0, 1),
            "stdevs": f32(1, 2),
            "minvals": f32(-1, 3),
            "maxvals": np.float32(4),
            "seed": 3,
            "seed2": 5,
        },
    ],
    "StatelessParameterizedTruncatedNormal": [
        {
            "shape": i32(3, 2),
            "seed": i32(1, 2),
            "means": f32(0, 1),
            "stddevs": f32(1, 2),
            "minvals": f32(-1, 3),
            "maxvals": np.float32(4),
        },
    ],
    "NonDeterministicInts": [{"shape": i32(2, 3), "dtype": "int32"}],
    **WINDOW_CALLS,
}


def _effect() -> None:
    raw.PrintV2(input=tf.constant("an effect"))


def _conditional(effects: bool):
    def branch(sign):
        def run():
            if effects:
                _effect()
            return tf.constant(grid(3)) * sign

        return run

    return [tf.cond(tf.constant([1, 2])[0] > 1, branch(1.0), branch(-1.0))]


def _switch(effects: bool):
    def branch(value):
        def run():
            if effects:
                _effect()
            return tf.constant(grid(3)) + value

        return run

    return [tf.switch_case(tf.constant([1, 2])[0], [branch(1.0), branch(2.0), branch(3.0)])]


def _loop(effects: bool):
    def body(i, x):
        if effects:
            _effect()
        return i + 1, x * 1.5

    return list(tf.while_loop(lambda i, x: i < 3, body, [tf.constant(0), tf.constant(grid(3))]))


def _call(effects: bool):
    @tf.function
    def inner(x):
        if effects:
            _effect()
        return x + 1.0, x * 2.0

    return list(inner(tf.constant(grid(3))))


def _placeholder():
    graph = tf.inside_function()
    return [raw.Placeholder(dtype="float32", shape=[None, 3])] if graph else []


def _host_call(function):
    return lambda: [function(lambda x: x * 2, [tf.constant(grid(3))], tf.float32)]


# op: a function that builds a few nodes around it and gives back what to compare.
PROGRAMS: dict[str, Callable[[], list]] = {
    "StatelessIf": lambda: _conditional(False),
    "If": lambda: _conditional(True),
    "StatelessCase": lambda: _switch(False),
    "Case": lambda: _switch(True),
    "StatelessWhile": lambda: _loop(False),
    "While": lambda: _loop(True),
    "PartitionedCall": lambda: _call(False),
    "StatefulPartitionedCall": lambda: _call(True),
    "Placeholder": _placeholder,
    "EagerPyFunc": _host_call(tf.py_function),
    "PyFunc": _host_call(tf.numpy_function),
    "PyFuncStateless": _host_call(lambda f, x, t: tf.numpy_function(f, x, t, stateful=False)),
    **VARIABLE_PROGRAMS,
    **GENERATOR_PROGRAMS,
    **LIST_PROGRAMS,
}

# Ops that TensorFlow imports and cannot run from a graph alone: they call back into this process, or are fed.
NOT_RUN = {"EagerPyFunc", "NonDeterministicInts", "PyFunc", "PyFuncStateless", "Placeholder"}
# Ops that exist in graphs only: eager calls run their Python functions instead.
GRAPH_ONLY = frozenset({"StatelessIf", "If", "StatelessCase", "Case", "StatelessWhile", "While", "Placeholder"})


# Another dtype would need another shape, or other values.
ONE_DTYPE = {"Bitcast"}

# The families in the folder `families` beside this file define any of these tables for their ops.
for _family in pkgutil.iter_modules([str(pathlib.Path(__file__).with_name("families"))]):
    _tables = vars(importlib.import_module(f"support.families.{_family.name}"))
    CALLS.update(_tables.get("CALLS", {}))
    PROGRAMS.update(_tables.get("PROGRAMS", {}))
    NOT_RUN |= _tables.get("NOT_RUN", set())
    ONE_DTYPE |= _tables.get("ONE_DTYPE", set())


def _as_list(result) -> list:
    if result is None or hasattr(result, "traceback"):  # an op without outputs
        return []
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _flat(result) -> list:
    return [x for part in _as_list(result) for x in (part if isinstance(part, list) else [part])]


def calls(op: str) -> list[dict]:
    """The keyword arguments of the op's sample calls; empty when it has a program instead."""
    if op in CALLS:
        return CALLS[op]
    if op in UNARY or op in BINARY:
        dtypes = dtypes_of(op)
        dtype = next(d for d in ("float32", "int32", "bool", "complex64") if d in dtypes)
        names = [i["name"] for i in tf._core.op_record(op)["inputs"]]
        shapes = [(3, 4), (4,)]
        return [{name: sample(op, dtype, shapes[i], i) for i, name in enumerate(names)}]
    return []


NUMBERS = (
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split()
)


def converted(value, dtype: str):
    """An argument with its numbers in another dtype; no negative ones in an unsigned dtype."""
    if isinstance(value, list):
        return [converted(item, dtype) for item in value]
    array = np.asarray(value)
    kind = numpy_dtype(dtype).kind
    if kind == "b":
        return array.real > 0
    if kind == "u":
        array = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    return (array if kind == "c" else array.real).astype(numpy_dtype(dtype))


def typed_calls(op: str):
    """(attribute, dtype, arguments) for each type attribute of the op's inputs and each dtype that it may be; the calls
    as they are left out. Strings, resources and variants have samples of their own where they matter."""
    if op in ONE_DTYPE:
        return
    record = tf._core.op_record(op)
    declared = [p for p in inspect.signature(getattr(raw, op)).parameters if p != "name"]
    names = dict(zip((arg["name"] for arg in record["inputs"]), declared, strict=False))
    for attr in record["attrs"]:
        inputs = [names[arg["name"]] for arg in record["inputs"] if arg.get("type_attr") == attr["name"]]
        if not inputs:
            continue
        for dtype in NUMBERS:
            if attr.get("allowed") and dtype not in attr["allowed"]:
                continue
            for arguments in calls(op):
                first = arguments[inputs[0]]
                given = np.asarray(first[0] if isinstance(first, list) else first).dtype
                if given.kind == "O" or given == numpy_dtype(dtype):
                    continue
                if op in UNARY or op in BINARY:
                    typed = {n: sample(op, dtype, np.shape(arguments[n]), i) for i, n in enumerate(inputs)}
                else:
                    typed = {n: converted(arguments[n], dtype) for n in inputs}
                yield attr["name"], dtype, {**arguments, **typed}


def samples(op: str) -> list[Callable[[], list]]:
    """Functions of no argument that use the op and give back the list of the tensors to compare."""
    if op in PROGRAMS:
        return [PROGRAMS[op]]
    return [caller(op, arguments) for arguments in calls(op)]


def caller(op: str, arguments: dict) -> Callable[[], list]:
    return lambda: _flat(getattr(raw, op)(**arguments))
