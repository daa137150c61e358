"""`tensorflow.python.ops.rnn_cell_impl`: the recurrent cells of TensorFlow 1, which the package tf_keras has."""

from __future__ import annotations

from tracefn.compat.v1.recurrent_cells import check_cell
from tracefn.python.layers._legacy import legacy

_WRAPPERS = ("DeviceWrapper", "DropoutWrapper", "ResidualWrapper")
_CELLS = ("BasicLSTMCell", "BasicRNNCell", "GRUCell", "LSTMCell", "LSTMStateTuple", "LayerRNNCell", "MultiRNNCell", "RNNCell")
_HELPERS = ("_concat", "_hasattr", "_zero_state_tensors")
_OF_TF_KERAS = {
    **dict.fromkeys((*_CELLS, *_HELPERS), "legacy_cells"),
    **dict.fromkeys(_WRAPPERS, "legacy_cell_wrappers"),
}
__all__ = [name for name in (*_OF_TF_KERAS, "assert_like_rnncell") if not name.startswith("_")]


def assert_like_rnncell(cell_name, cell) -> None:
    """Checks that an argument is a cell.

    Args:
      cell_name: str, the argument's name.
      cell: its value.

    Raises:
      TypeError: it lacks what cells have.
    """
    check_cell(cell_name, cell)


def __getattr__(name: str):
    if name not in _OF_TF_KERAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(legacy(f"layers.rnn.{_OF_TF_KERAS[name]}", "tensorflow.python.ops.rnn_cell_impl"), name)
