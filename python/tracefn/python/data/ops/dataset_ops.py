"""`tensorflow.python.data.ops.dataset_ops`: numbers that stand for something else, and names in files."""

from __future__ import annotations

from tracefn.data import AUTOTUNE
from tracefn.data import INFINITE_CARDINALITY as INFINITE
from tracefn.data import UNKNOWN_CARDINALITY as UNKNOWN

__all__ = ["AUTOTUNE", "COMPRESSION_GZIP", "COMPRESSION_SNAPPY", "DATASET_SPEC_FILENAME", "INFINITE", "UNKNOWN"]

COMPRESSION_GZIP = "GZIP"
COMPRESSION_SNAPPY = "NONE"  # as there
DATASET_SPEC_FILENAME = "dataset_spec.pb"
