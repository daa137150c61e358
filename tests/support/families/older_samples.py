"""Samples of ops of older programs."""

import numpy as np

from support.sample_values import f32, grid, i32

_IMAGES = grid(1, 3, 3, 1)
_AROUND = np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32)
_CONVOLVED = {"input": _IMAGES, "paddings": _AROUND, "filter": grid(2, 2, 1, 2), "strides": [1, 1, 1, 1]}
_SCORES = f32([0.1, 0.7, 0.2], [0.5, 0.3, 0.2])

CALLS: dict[str, list[dict]] = {
    "Concat": [{"concat_dim": np.int32(1), "values": [grid(2, 2), grid(2, 3)]}],
    "Gather": [{"params": grid(3, 2), "indices": i32(2, 0)}],
    "Reverse": [{"tensor": grid(2, 3), "dims": np.array([True, False])}],
    "BatchMatMul": [
        {"x": grid(2, 2, 3), "y": grid(2, 3, 2)},
        {"x": grid(2, 3, 2), "y": grid(2, 2, 3), "adj_x": True, "adj_y": True},
    ],
    "BiasAddV1": [{"value": grid(2, 3), "bias": f32(1, 2, 3)}],
    "FusedPadConv2D": [{**_CONVOLVED, "mode": "REFLECT", "padding": "VALID"}],
    "FusedResizeAndPadConv2D": [{**_CONVOLVED, "size": i32(4, 4), "mode": "SYMMETRIC", "padding": "SAME"}],
    "ListDiff": [{"x": i32(1, 2, 3, 2, 5), "y": i32(2, 7)}],
    "InTopK": [{"predictions": _SCORES, "targets": i32(2, 0), "k": 1}],
    "InTopKV2": [{"predictions": _SCORES, "targets": i32(2, 0), "k": np.int32(2)}],
    "ToBool": [{"input": np.float32(2)}, {"input": grid(2)}],
    "Empty": [{"shape": i32(2, 3), "dtype": "float32", "init": True}],
    "DeepCopy": [{"x": grid(2, 3)}],
    "Fact": [{}],
    "Print": [{"input": grid(2), "data": [grid(2, 2), i32(1)], "message": "values: ", "first_n": 1}],
    "PlaceholderWithDefault": [{"input": grid(2, 3), "shape": [None, 3]}],
    "InplaceAdd": [{"x": grid(3, 2), "i": i32(2, 0), "v": grid(2, 2)}],
    "InplaceSub": [{"x": grid(3, 2), "i": i32(2, 0), "v": grid(2, 2)}],
    "InplaceUpdate": [{"x": grid(3, 2), "i": i32(2, 0), "v": grid(2, 2)}],
    "DataFormatDimMap": [{"x": i32(0, 1, 2, 3, -1)}],
    "DataFormatVecPermute": [{"x": i32(1, 2, 3, 4)}, {"x": i32([1, 2], [3, 4], [5, 6], [7, 8])}],
}
