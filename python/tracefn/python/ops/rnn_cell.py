"""`tensorflow.python.ops.rnn_cell`: the public names of `rnn_cell_impl`."""

from tracefn.python.ops import rnn_cell_impl

__all__ = list(rnn_cell_impl.__all__)


def __getattr__(name: str):
    if name in __all__:
        return getattr(rnn_cell_impl, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
