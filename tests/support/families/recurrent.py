"""Samples of the steps of recurrent cells."""

import numpy as np

from support.sample_values import grid

_BATCH, _INPUTS, _CELL, _TIME = 2, 3, 2, 3


def _numbers(*shape: int) -> np.ndarray:
    # Exact, so that every machine makes the inputs that were recorded.
    return (((np.arange(np.prod(shape)) * 7 + 3) % 17 - 8) / 8).astype(np.float32).reshape(shape)


_GRU = {
    "x": _numbers(_BATCH, _INPUTS),
    "h_prev": _numbers(_BATCH, _CELL),
    "w_ru": _numbers(_INPUTS + _CELL, 2 * _CELL),
    "w_c": _numbers(_INPUTS + _CELL, _CELL),
    "b_ru": _numbers(2 * _CELL),
    "b_c": _numbers(_CELL),
}
_WEIGHTS = {
    "cs_prev": _numbers(_BATCH, _CELL),
    "h_prev": _numbers(_BATCH, _CELL),
    "w": _numbers(_INPUTS + _CELL, 4 * _CELL),
    "wci": _numbers(_CELL),
    "wcf": -_numbers(_CELL),
    "wco": grid(_CELL),
    "b": _numbers(4 * _CELL),
}
_LSTM = {"x": _numbers(_BATCH, _INPUTS), **_WEIGHTS}
_BLOCK = {"seq_len_max": np.int64(2), "x": _numbers(_TIME, _BATCH, _INPUTS), **_WEIGHTS}
_WHOLE = _BLOCK | {"seq_len_max": np.int64(_TIME)}
_STEPS = {name: _numbers(_TIME, _BATCH, _CELL) for name in ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")}
_STEP = {name: value[0] for name, value in _STEPS.items() if name != "h"}

CALLS = {
    "GRUBlockCell": [_GRU],
    "GRUBlockCellGrad": [_GRU | {name: _numbers(_BATCH, _CELL) for name in ("r", "u", "c", "d_h")}],
    "LSTMBlockCell": [_LSTM, _LSTM | {"use_peephole": True, "cell_clip": 0.3, "forget_bias": 0.0}],
    "LSTMBlockCellGrad": [_LSTM | _STEP | {"use_peephole": peephole} for peephole in (False, True)],
    # TensorFlow leaves its results for later times as the memory was.
    "BlockLSTM": [_WHOLE, _WHOLE | {"use_peephole": True, "cell_clip": -1.0}],
    "BlockLSTMV2": [_WHOLE, _WHOLE | {"use_peephole": True, "cell_clip": 0.3}],
    "BlockLSTMGrad": [_BLOCK | _STEPS | {"use_peephole": peephole} for peephole in (False, True)],
    "BlockLSTMGradV2": [_BLOCK | _STEPS | {"use_peephole": peephole} for peephole in (False, True)],
}

# TensorFlow rounds every sum over time to half; here floats are rounded once.
ONE_DTYPE = {"BlockLSTMGrad", "BlockLSTMGradV2"}
