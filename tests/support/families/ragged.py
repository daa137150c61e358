"""Samples of ops on ragged tensors."""

import numpy as np
import tracefn as tf

from support.sample_values import f32, grid, i32, i64

_NESTED = [i64(0, 2, 2, 3), i64(0, 1, 3, 4)]

CALLS = {
    "RaggedRange": [
        {"starts": i32(0, 5, 8), "limits": i32(3, 5, 2), "deltas": i32(1, 1, -2)},
        {"starts": np.array(0.5, np.float32), "limits": f32(3, -1), "deltas": np.array(1, np.float32),
         "Tsplits": tf.int32},
    ],
    "RaggedGather": [
        {"params_nested_splits": _NESTED, "params_dense_values": grid(4, 2), "indices": i32(2, 0, 0),
         "OUTPUT_RAGGED_RANK": 2},
        {"params_nested_splits": [i32(0, 2, 3)], "params_dense_values": grid(3), "indices": i64([1, 0], [0, 0]),
         "OUTPUT_RAGGED_RANK": 2},
    ],
    "RaggedTensorToTensor": [
        {"shape": i64(-1, -1), "values": grid(3), "default_value": np.array(9, np.float32),
         "row_partition_tensors": [i64(0, 2, 2, 3)], "row_partition_types": ["ROW_SPLITS"]},
        {"shape": i32(2, 3, -1, 2), "values": grid(4, 2), "default_value": f32(7, 8), "row_partition_tensors": _NESTED,
         "row_partition_types": ["ROW_SPLITS", "ROW_SPLITS"]},
        {"shape": np.array(-1), "values": grid(3), "default_value": np.array(9, np.float32),
         "row_partition_tensors": [np.array(4), i64(0, 1, 1)], "row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]},
    ],
    "RaggedTensorToSparse": [{"rt_nested_splits": _NESTED, "rt_dense_values": grid(4, 2)}],
}
