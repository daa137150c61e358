"""`tf.data`: input pipelines."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tracefn._missing import missing as _missing
from tracefn.data._base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, DatasetSpec
from tracefn.data._dataset import Dataset
from tracefn.data._iterator import Iterator, IteratorSpec, NumpyIterator
from tracefn.data._options import Options, ThreadingOptions

if _TYPE_CHECKING:  # imported on first use
    from tracefn.data import experimental
    from tracefn.data._readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]

_READERS = ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset")


def __getattr__(name: str):
    if name == "experimental":
        import tracefn.data.experimental as experimental  # start-up time: few programs need it

        return experimental
    if name in _READERS:
        import tracefn.data._readers as readers  # start-up time: few programs read lines and records

        globals().update({reader: getattr(readers, reader) for reader in _READERS})
        return globals()[name]
    raise _missing("data", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
