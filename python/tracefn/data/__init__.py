"""`tf.data`: input pipelines."""

from tracefn._missing import getter as _getter
from tracefn.data import experimental
from tracefn.data._base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, DatasetSpec
from tracefn.data._dataset import Dataset
from tracefn.data._iterator import Iterator, IteratorSpec, NumpyIterator
from tracefn.data._options import Options, ThreadingOptions
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

__getattr__ = _getter("data")
