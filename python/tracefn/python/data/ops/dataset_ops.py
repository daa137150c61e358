"""`tensorflow.python.data.ops.dataset_ops`: numbers that stand for something else, names in files, and classes that programs
derive their datasets from."""

from __future__ import annotations

from tracefn.data import AUTOTUNE, Dataset
from tracefn.data import INFINITE_CARDINALITY as INFINITE
from tracefn.data import UNKNOWN_CARDINALITY as UNKNOWN

__all__ = [
    "AUTOTUNE",
    "COMPRESSION_GZIP",
    "COMPRESSION_SNAPPY",
    "DATASET_SPEC_FILENAME",
    "INFINITE",
    "UNKNOWN",
    "DatasetSource",
    "UnaryDataset",
    "UnaryUnchangedStructureDataset",
]

COMPRESSION_GZIP = "GZIP"
COMPRESSION_SNAPPY = "NONE"  # as there
DATASET_SPEC_FILENAME = "dataset_spec.pb"


class DatasetSource(Dataset):
    """A dataset that is made of no others. A subclass has `element_spec`."""

    def _inputs(self) -> list:
        return []


class UnaryDataset(Dataset):
    """A dataset that is made of another one. A subclass has `element_spec`.

    Args:
      input_dataset: the other one.
      variant_tensor: variant scalar, the result of an op of it.
    """

    def __init__(self, input_dataset, variant_tensor):
        self._input_dataset = input_dataset
        super().__init__(variant_tensor)

    def _inputs(self) -> list:
        return [self._input_dataset]


class UnaryUnchangedStructureDataset(UnaryDataset):
    """A dataset whose elements have the specs of those of the one that it is made of."""

    @property
    def element_spec(self):
        return self._input_dataset.element_spec
