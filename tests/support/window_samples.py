"""Calls of convolutions and of pooling: what op_samples.py has of them."""

from __future__ import annotations

import numpy as np


def waves(*shape: int) -> np.ndarray:
    """Multiples of 1/4 between -2 and 2, exact in every floating-point dtype."""
    n = np.arange(np.prod(shape, dtype=int))
    return ((n * 7 % 17 - 8) / 4).astype(np.float32).reshape(shape)


def steps(*shape: int) -> np.ndarray:
    """Whole numbers from 0 to 22 without neighbors of equal size."""
    n = np.arange(np.prod(shape, dtype=int))
    return (n * 7 % 23).astype(np.float32).reshape(shape)


def sizes(*values: int) -> np.ndarray:
    """A shape as a tensor."""
    return np.asarray(values, np.int32)


def largest(x: np.ndarray, window: int) -> np.ndarray:
    """The maxima of windows that do not overlap, over height and width, or also depth."""
    for axis in range(1, x.ndim - 1):
        x = np.stack([x.take(range(i, x.shape[axis] // window * window, window), axis) for i in range(window)]).max(0)
    return x


PLAIN = {"strides": [1, 1, 1, 1], "padding": "VALID"}
SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
EXPLICIT = {"strides": [1, 1, 2, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]}
PLAIN3 = {"strides": [1, 1, 1, 1, 1], "padding": "VALID"}
SAME3 = {"strides": [1, 1, 2, 2, 1], "padding": "SAME"}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
POOL_V2 = {"ksize": sizes(1, 2, 2, 1), "strides": sizes(1, 2, 2, 1), "padding": "VALID"}
POOL_SAME = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
POOL3 = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
POOL3_SAME = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME"}
DILATION = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
DILATION_SAME = {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"}
FRACTIONAL = {"pooling_ratio": [1.0, 1.5, 1.75, 1.0], "deterministic": True, "seed": 7, "seed2": 9}
_X, _F = waves(2, 4, 5, 2), waves(2, 3, 2, 3)
_V, _G = waves(1, 3, 4, 3, 2), waves(2, 2, 2, 2, 3)
_P, _Q = steps(2, 4, 6, 3), steps(1, 4, 2, 4, 3)

WINDOW_CALLS: dict[str, list[dict]] = {
    "Conv2D": [
        {"input": _X, "filter": _F, **PLAIN},
        {"input": _X, "filter": _F, **SAME},
        {"input": _X, "filter": _F, **EXPLICIT},
        {"input": _X, "filter": _F, **PLAIN, "dilations": [1, 2, 1, 1]},
    ],
    "Conv2DBackpropInput": [
        {"input_sizes": sizes(2, 4, 5, 2), "filter": _F, "out_backprop": waves(2, 3, 3, 3), **PLAIN},
        {"input_sizes": sizes(2, 4, 5, 2), "filter": _F, "out_backprop": waves(2, 2, 3, 3), **SAME},
    ],
    "Conv2DBackpropFilter": [
        {"input": _X, "filter_sizes": sizes(2, 3, 2, 3), "out_backprop": waves(2, 3, 3, 3), **PLAIN},
        {"input": _X, "filter_sizes": sizes(2, 3, 2, 3), "out_backprop": waves(2, 2, 3, 3), **SAME},
    ],
    "Conv3D": [{"input": _V, "filter": _G, **PLAIN3}, {"input": _V, "filter": _G, **SAME3}],
    "Conv3DBackpropInputV2": [
        {"input_sizes": sizes(1, 3, 4, 3, 2), "filter": _G, "out_backprop": waves(1, 2, 3, 2, 3), **PLAIN3},
        {"input_sizes": sizes(1, 3, 4, 3, 2), "filter": _G, "out_backprop": waves(1, 3, 2, 2, 3), **SAME3},
    ],
    "Conv3DBackpropFilterV2": [
        {"input": _V, "filter_sizes": sizes(2, 2, 2, 2, 3), "out_backprop": waves(1, 2, 3, 2, 3), **PLAIN3},
        {"input": _V, "filter_sizes": sizes(2, 2, 2, 2, 3), "out_backprop": waves(1, 3, 2, 2, 3), **SAME3},
    ],
    "MaxPool": [
        {"input": _P, **POOL},
        {"input": _P, **POOL_SAME},
        {"input": _P, "ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3], "padding": "VALID"},
    ],
    "MaxPoolV2": [{"input": _P, **POOL_V2}, {"input": _P, **POOL_V2, "padding": "SAME"}],
    "MaxPoolGradV2": [{"orig_input": _P, "orig_output": largest(_P, 2), "grad": waves(2, 2, 3, 3), **POOL_V2}],
    "MaxPoolGradGradV2": [{"orig_input": _P, "orig_output": largest(_P, 2), "grad": waves(2, 4, 6, 3), **POOL_V2}],
    "AvgPool": [{"value": _P, **POOL}, {"value": _P, **POOL_SAME}],
    "MaxPoolGrad": [{"orig_input": _P, "orig_output": largest(_P, 2), "grad": waves(2, 2, 3, 3), **POOL}],
    "MaxPoolGradGrad": [{"orig_input": _P, "orig_output": largest(_P, 2), "grad": waves(2, 4, 6, 3), **POOL}],
    "AvgPoolGrad": [
        {"orig_input_shape": sizes(2, 4, 6, 3), "grad": waves(2, 2, 3, 3), **POOL},
        {"orig_input_shape": sizes(2, 4, 6, 3), "grad": waves(2, 2, 6, 3), **POOL_SAME},
    ],
    "MaxPool3D": [{"input": _Q, **POOL3}, {"input": _Q, **POOL3_SAME}],
    "AvgPool3D": [{"input": _Q, **POOL3}, {"input": _Q, **POOL3_SAME}],
    "MaxPool3DGrad": [{"orig_input": _Q, "orig_output": largest(_Q, 2), "grad": waves(1, 2, 1, 2, 3), **POOL3}],
    "MaxPool3DGradGrad": [{"orig_input": _Q, "orig_output": largest(_Q, 2), "grad": waves(1, 4, 2, 4, 3), **POOL3}],
    "AvgPool3DGrad": [{"orig_input_shape": sizes(1, 4, 2, 4, 3), "grad": waves(1, 2, 1, 2, 3), **POOL3}],
    "MaxPoolWithArgmax": [{"input": _P, **POOL}, {"input": _P, **POOL_SAME, "include_batch_in_index": True}],
    "MaxPoolGradWithArgmax": [
        {
            "input": _P,
            "grad": waves(2, 2, 3, 3),
            "argmax": (np.arange(36) * 5 % 72).astype(np.int64).reshape(2, 2, 3, 3),
            **POOL,
        }
    ],
    "MaxPoolGradGradWithArgmax": [
        {
            "input": _P,
            "grad": waves(2, 4, 6, 3),
            "argmax": (np.arange(36) * 5 % 72).astype(np.int64).reshape(2, 2, 3, 3),
            **POOL,
        }
    ],
    "DepthwiseConv2dNative": [
        {"input": _X, "filter": _F, **PLAIN},
        {"input": _X, "filter": _F, **SAME},
        {"input": _X, "filter": _F, **EXPLICIT, "strides": [1, 1, 1, 1]},
    ],
    "DepthwiseConv2dNativeBackpropInput": [
        {"input_sizes": sizes(2, 4, 5, 2), "filter": _F, "out_backprop": waves(2, 3, 3, 6), **PLAIN},
        {"input_sizes": sizes(2, 4, 5, 2), "filter": _F, "out_backprop": waves(2, 2, 3, 6), **SAME},
    ],
    "DepthwiseConv2dNativeBackpropFilter": [
        {"input": _X, "filter_sizes": sizes(2, 3, 2, 3), "out_backprop": waves(2, 3, 3, 6), **PLAIN},
        {"input": _X, "filter_sizes": sizes(2, 3, 2, 3), "out_backprop": waves(2, 2, 3, 6), **SAME},
    ],
    "SpaceToBatchND": [
        {"input": waves(2, 4, 6, 3), "block_shape": sizes(2, 3), "paddings": np.array([[0, 0], [2, 1]], np.int32)},
        {"input": waves(2, 4, 6), "block_shape": sizes(2), "paddings": np.array([[1, 1]], np.int32)},
    ],
    "BatchToSpaceND": [
        {"input": waves(12, 2, 3, 2), "block_shape": sizes(2, 3), "crops": np.array([[0, 1], [2, 1]], np.int32)}
    ],
    "SpaceToBatch": [{"input": waves(2, 4, 5, 3), "block_size": 2, "paddings": np.array([[0, 0], [1, 0]], np.int32)}],
    "BatchToSpace": [{"input": waves(8, 2, 3, 3), "block_size": 2, "crops": np.array([[0, 1], [1, 0]], np.int32)}],
    "SpaceToDepth": [{"input": waves(2, 4, 6, 3), "block_size": 2}],
    "DepthToSpace": [{"input": waves(2, 2, 3, 8), "block_size": 2}],
    "Dilation2D": [
        {"input": _P, "filter": waves(2, 3, 3), **DILATION},
        {"input": _P, "filter": waves(2, 3, 3), **DILATION_SAME},
    ],
    "Dilation2DBackpropInput": [
        {"input": _P, "filter": waves(2, 3, 3), "out_backprop": waves(2, 3, 4, 3), **DILATION},
        {"input": _P, "filter": waves(2, 3, 3), "out_backprop": waves(2, 2, 6, 3), **DILATION_SAME},
    ],
    "Dilation2DBackpropFilter": [
        {"input": _P, "filter": waves(2, 3, 3), "out_backprop": waves(2, 3, 4, 3), **DILATION},
        {"input": _P, "filter": waves(2, 3, 3), "out_backprop": waves(2, 2, 6, 3), **DILATION_SAME},
    ],
    "FusedBatchNormV3": [
        {"x": _P, "scale": waves(3) + 3, "offset": waves(3), "mean": waves(0), "variance": waves(0)},
        {
            "x": _P,
            "scale": waves(3) + 3,
            "offset": waves(3),
            "mean": waves(3),
            "variance": waves(3) + 3,
            "exponential_avg_factor": 0.25,
            "epsilon": 0.01,
        },
    ],
    "FusedBatchNormGradV3": [
        {
            "y_backprop": waves(2, 4, 6, 3),
            "x": _P,
            "scale": waves(3) + 3,
            "reserve_space_1": _P.mean((0, 1, 2)),
            "reserve_space_2": _P.var((0, 1, 2)),
            "reserve_space_3": waves(0),
        },
        {
            "y_backprop": waves(2, 4, 6, 3),
            "x": _P,
            "scale": waves(3) + 3,
            "reserve_space_1": waves(3),
            "reserve_space_2": waves(3) + 3,
            "reserve_space_3": waves(0),
            "is_training": False,
        },
    ],
    **{
        name: [
            {"x": _P, "scale": waves(3) + 3, "offset": waves(3), "mean": waves(0), "variance": waves(0)},
            {
                "x": _P,
                "scale": waves(3) + 3,
                "offset": waves(3),
                "mean": waves(3),
                "variance": waves(3) + 3,
                "exponential_avg_factor": 0.25,
            },
        ]
        for name in ("FusedBatchNorm", "FusedBatchNormV2")
    },
    **{
        name: [
            {
                "y_backprop": waves(2, 4, 6, 3),
                "x": _P,
                "scale": waves(3) + 3,
                "reserve_space_1": _P.mean((0, 1, 2)),
                "reserve_space_2": _P.var((0, 1, 2)),
            }
        ]
        for name in ("FusedBatchNormGrad", "FusedBatchNormGradV2")
    },
    "LRN": [{"input": waves(1, 2, 3, 7), "depth_radius": 2}, {"input": waves(1, 2, 3, 7), "bias": 2.0, "beta": 0.75}],
    "LRNGrad": [
        {
            "input_grads": waves(1, 2, 2, 7),
            "input_image": steps(1, 2, 2, 7) / 4,
            "output_image": waves(1, 2, 2, 7),
            "depth_radius": 2,
        }
    ],
    "FractionalMaxPool": [
        {"value": steps(2, 7, 9, 3), **FRACTIONAL},
        {"value": steps(2, 7, 9, 3), **FRACTIONAL, "pseudo_random": True, "overlapping": True},
    ],
    "FractionalAvgPool": [
        {"value": steps(2, 7, 9, 3), **FRACTIONAL},
        {"value": steps(2, 7, 9, 3), **FRACTIONAL, "pseudo_random": True, "overlapping": True},
    ],
    "FractionalMaxPoolGrad": [
        {
            "orig_input": _P,
            "orig_output": largest(_P, 2),
            "out_backprop": waves(2, 2, 3, 3),
            "row_pooling_sequence": np.array([0, 2, 4]),
            "col_pooling_sequence": np.array([0, 2, 4, 6]),
        }
    ],
    "FractionalAvgPoolGrad": [
        {
            "orig_input_tensor_shape": np.array([2, 4, 6, 3]),
            "out_backprop": waves(2, 2, 3, 3),
            "row_pooling_sequence": np.array([0, 1, 4]),
            "col_pooling_sequence": np.array([0, 2, 3, 6]),
            "overlapping": True,
        }
    ],
}
