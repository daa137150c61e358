"""Samples of ops that round numbers as integers of few bits would be."""

import numpy as np

from support.sample_values import f32, grid

X = f32(-7, -1.2, 0, 0.3, 3.4, 5, 9)
MIN, MAX = np.float32(-1), np.float32(5)
_CHANNELS = {"min": f32(0, -1, -2, -3), "max": f32(0, 1, 2, 3)}


def quantized(name, values):
    """An array of a quantized type: a record with one field."""
    kind = np.dtype(name.removeprefix("q"))
    return np.array(values, kind).view(np.dtype([(name, kind)]))


CALLS = {
    "FakeQuantWithMinMaxArgs": [{"inputs": X}, {"inputs": X, "min": -1.0, "max": 4.5, "num_bits": 3, "narrow_range": True}],
    "FakeQuantWithMinMaxArgsGradient": [{"gradients": X, "inputs": X[::-1].copy()}],
    "FakeQuantWithMinMaxVars": [
        {"inputs": X, "min": MIN, "max": MAX},
        {"inputs": grid(2, 3), "min": MIN, "max": MAX, "num_bits": 2},
        {"inputs": X, "min": np.float32(0), "max": np.float32(0)},
    ],
    "FakeQuantWithMinMaxVarsGradient": [{"gradients": X, "inputs": X, "min": MIN, "max": MAX}],
    "FakeQuantWithMinMaxVarsPerChannel": [{"inputs": grid(3, 4), **_CHANNELS}],
    "FakeQuantWithMinMaxVarsPerChannelGradient": [{"gradients": grid(3, 4), "inputs": 2 * grid(3, 4), **_CHANNELS}],
    "QuantizeV2": [
        {"input": X, "min_range": MIN, "max_range": MAX, "T": "qint8"},
        {"input": X, "min_range": MIN, "max_range": MAX, "T": "quint8", "mode": "MIN_FIRST"},
        {"input": grid(3, 4), "min_range": f32(-1, -2, -3), "max_range": f32(1, 2, 3), "T": "qint16", "mode": "SCALED", "axis": 0,
         "round_mode": "HALF_TO_EVEN", "narrow_range": True},
    ],
    "Dequantize": [
        {"input": quantized("qint8", [-128, 0, 127]), "min_range": MIN, "max_range": MAX},
        {"input": quantized("quint8", [0, 128, 255]), "min_range": MIN, "max_range": MAX, "mode": "MIN_FIRST"},
        {"input": quantized("qint8", [[-128, 0], [1, 127]]), "min_range": MIN, "max_range": MAX, "mode": "SCALED"},
    ],
    "QuantizeAndDequantizeV2": [
        {"input": X, "input_min": MIN, "input_max": MAX},
        {"input": X, "input_min": MIN, "input_max": MAX, "range_given": True, "num_bits": 4, "round_mode": "HALF_UP"},
        {"input": grid(3, 4), "input_min": f32(0, 0, 0), "input_max": f32(0, 0, 0), "axis": 0, "num_bits": 3},
    ],
    "QuantizeAndDequantizeV3": [
        {"input": grid(3, 4), "input_min": f32(-1, -1, -2, -2), "input_max": f32(1, 2, 3, 4), "num_bits": np.int32(5),
         "axis": 1},
    ],
    "QuantizeAndDequantizeV4": [{"input": X, "input_min": MIN, "input_max": MAX, "range_given": True}],
    "QuantizeAndDequantizeV4Grad": [{"gradients": X, "input": X, "input_min": MIN, "input_max": MAX}],
}  # fmt: skip
