"""`tf.raw_ops`: every registered op, under its registered name, with keyword-only arguments."""

from __future__ import annotations

from tracefn import _core
from tracefn._missing import missing as _missing

__all__ = sorted(_core.op_names())  # noqa: PLE0605 - a list


def __getattr__(name: str):
    if name not in __all__:
        raise _missing("raw_ops", name)
    op = globals()[name] = _core.raw_op(name)
    return op


def __dir__() -> list[str]:
    return __all__
