"""Libraries look at the modules of classes: `type(x).__module__` starts with "tensorflow" while this package stands in."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from tracefn import _own_frames
from tracefn.data._base import rename_kinds

_DATASETS = "tensorflow.python.data.ops"
# The module of a kind of datasets that is not called like the kind: _RangeDataset is of range_op.
_MODULES_OF_KINDS = {
    "_AssertCardinalityDataset": "tensorflow.python.data.experimental.ops.cardinality",
    "CsvDatasetV2": "tensorflow.python.data.experimental.ops.readers",
    "_DenseToRaggedDataset": f"{_DATASETS}.ragged_batch_op",
    "_DenseToSparseBatchDataset": f"{_DATASETS}.sparse_batch_op",
    "FixedLengthRecordDatasetV2": f"{_DATASETS}.readers",
    "_GeneratorDataset": f"{_DATASETS}.from_generator_op",
    "_ListDataset": "tensorflow.python.data.experimental.ops.from_list",
    "_OptionsDataset": f"{_DATASETS}.dataset_ops",
    "_ParallelBatchDataset": f"{_DATASETS}.batch_op",
    "_ParallelInterleaveDataset": f"{_DATASETS}.interleave_op",
    "_ParallelMapDataset": f"{_DATASETS}.map_op",
    "RandomDatasetV2": "tensorflow.python.data.experimental.ops.random_ops",
    "_RestructuredDataset": f"{_DATASETS}.dataset_ops",
    "SqlDatasetV2": "tensorflow.python.data.experimental.ops.readers",
    "_TensorDataset": f"{_DATASETS}.from_tensors_op",
    "_TensorSliceDataset": f"{_DATASETS}.from_tensor_slices_op",
    "TextLineDatasetV2": f"{_DATASETS}.readers",
    "TFRecordDatasetV2": f"{_DATASETS}.readers",
    "_VariantDataset": f"{_DATASETS}.dataset_ops",
}


def rename() -> None:
    """Gives the classes the modules that TensorFlow's have, those of modules imported later, too."""
    sys.modules["tracefn"].data.Dataset.__name__ = "DatasetV2"  # Keras tells datasets by it
    rename_kinds(_module_of_kind)
    for module in [module for name, module in sys.modules.items() if name in _names()]:
        _rename_in(module)
    _own_frames.when_loaded.append(_rename_in)


@cache
def _names() -> dict[str, list[tuple[str, str]]]:
    """Of each module of this package, its classes that programs meet, with the modules that they have in TensorFlow."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        modules, _, classes = line.partition(": ")
        own, theirs = modules.split()
        found.setdefault(own, []).extend((name, theirs) for name in classes.split())
    return found


def _rename_in(module: ModuleType) -> None:
    for name, theirs in _names().get(module.__name__, ()):
        getattr(module, name).__module__ = theirs


def _module_of_kind(kind: str) -> str:
    words = re.findall("[A-Z][a-z]*", kind.removesuffix("Dataset"))
    return _MODULES_OF_KINDS.get(kind) or f"{_DATASETS}.{'_'.join(words).lower()}_op"
