"""`tf.raw_ops`: every registered op, under its registered name, with keyword-only arguments."""

from __future__ import annotations

from tracefn import _core
from tracefn._missing import missing as _missing
from tracefn._removed_ops import REMOVED as _REMOVED
from tracefn._removed_ops import removed_op as _removed_op

__all__ = sorted(_core.op_names())  # noqa: PLE0605 - a list


def __getattr__(name: str):
    if name in _REMOVED and name not in __all__:
        return _removed_op(name)
    if name in ("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"):
        from tracefn.ops.cudnn_rnn import OPS  # start-up time: few programs name them

        globals()[name] = OPS[name]
        return OPS[name]
    if name.startswith("CudnnRNN"):
        # start-up time: they read the names of TensorFlow
        from tracefn._missing.names import tensorflow_names
        from tracefn._missing.refused import refused_function

        if name in tensorflow_names()["raw_ops"]:
            globals()[name] = refused_function(f"raw_ops.{name}", "it is Nvidia's, and there is only the CPU.")
            return globals()[name]
    if name not in __all__:
        raise _missing("raw_ops", name)
    op = globals()[name] = _core.raw_op(name)
    return op


def __dir__() -> list[str]:
    return __all__
