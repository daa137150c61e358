"""`tf.data.experimental`: transformations for `Dataset.apply`, options, datasets of CSV files and examples."""

from tracefn._deprecated import leave_out as _leave_out
from tracefn._missing import getter as _getter
from tracefn.data._base import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from tracefn.data._csv import CsvDataset, make_csv_dataset
from tracefn.data._debug import enable_debug_mode
from tracefn.data._examples import make_batched_features_dataset, parse_example_dataset
from tracefn.data._options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from tracefn.data._reducing import Reducer, group_by_reducer
from tracefn.data._sql import SqlDataset
from tracefn.data._tables import DatasetInitializer, index_table_from_dataset, table_from_dataset
from tracefn.data.experimental._applied import (
    assert_cardinality,
    bucket_by_sequence_length,
    copy_to_device,
    dense_to_ragged_batch,
    dense_to_sparse_batch,
    enumerate_dataset,
    group_by_window,
    ignore_errors,
    map_and_batch,
    pad_to_cardinality,
    parallel_interleave,
    prefetch_to_device,
    rejection_resample,
    scan,
    shuffle_and_repeat,
    snapshot,
    take_while,
    unbatch,
    unique,
)
from tracefn.data.experimental._reading import (
    at,
    cardinality,
    get_next_as_optional,
    get_single_element,
    get_structure,
)
from tracefn.data.experimental._saveable import make_saveable_from_iterator
from tracefn.data.experimental._sources import (
    Counter,
    RandomDataset,
    TFRecordWriter,
    choose_from_datasets,
    from_list,
    from_variant,
    load,
    sample_from_datasets,
    save,
    to_variant,
)
from tracefn.ops.optional import Optional

SHARD_HINT = -1

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "SqlDataset",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]

__getattr__ = _getter("data.experimental")
_leave_out(globals(), "data.experimental")
