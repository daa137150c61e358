"""`tf.compat.v1.data`: datasets whose iterators are parts of a graph, which a session reads."""

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.compat.v1.data import experimental
from tracefn.compat.v1.data._dataset import (
    Dataset,
    FixedLengthRecordDataset,
    TextLineDataset,
    TFRecordDataset,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from tracefn.compat.v1.data._iterator import Iterator
from tracefn.compat.v1.data._structure import get_output_classes, get_output_shapes, get_output_types
from tracefn.data import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    DatasetSpec,
    NumpyIterator,
    Options,
    ThreadingOptions,
)

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]

__getattr__ = _getter("compat.v1.data")
_leave_out(globals(), "compat.v1.data")
