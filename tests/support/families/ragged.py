"""Samples of ops on ragged tensors."""

import numpy as np
import tracefn as tf

from support.sample_values import f32, grid, i32, i64

_NESTED = [i64(0, 2, 2, 3), i64(0, 1, 3, 4)]

def words(*values) -> np.ndarray:
    """Strings."""
    return np.array([v.encode() for v in values], object)


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
    "RaggedBincount": [
        {"splits": i64(0, 2, 2, 5), "values": i32(1, 0, 2, 2, 7), "size": np.array(4, np.int32), "weights": f32()},
        {"splits": i64(0, 2, 2, 5), "values": i64(1, 0, 2, 2, 7), "size": np.array(3), "weights": f32(1, 2, 3, 4, 5),
         "binary_output": True},
    ],
    "RaggedCountSparseOutput": [
        {"splits": i64(0, 2, 2, 5), "values": i32(1, 0, 2, 2, 7), "weights": f32(1, 2, 3, 4, 5), "binary_output": False},
        {"splits": i64(0, 2, 2, 5), "values": i64(1, 0, 2, 2, 7), "weights": i64(), "binary_output": True, "maxlength": 5},
    ],
    "RaggedFillEmptyRows": [
        {"value_rowids": i64(2, 0, 2), "values": grid(3), "nrows": np.array(4), "default_value": np.array(9, np.float32)},
    ],
    "RaggedFillEmptyRowsGrad": [{"reverse_index_map": i64(2, 0), "grad_values": grid(4)}],
    "RaggedCross": [
        {"ragged_values": [words("a", "b", "c"), i64(1, 2)], "ragged_row_splits": [i64(0, 2, 3), i32(0, 1, 2)],
         "sparse_indices": [i64([0, 0], [1, 1])], "sparse_values": [words("p", "q")], "sparse_shape": [i64(2, 2)],
         "dense_inputs": [i64([3, 4], [5, 6])], "input_order": "RDRS", "hashed_output": hashed, "num_buckets": buckets,
         "hash_key": 5, "out_values_type": dtype, "out_row_splits_type": tf.int64}
        for hashed, buckets, dtype in ((False, 0, tf.string), (True, 0, tf.int64), (True, 100, tf.int64))
    ],
}


def _variants(batched: bool):
    """A ragged tensor as a variant, or its rows as variants."""
    return tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=_NESTED, rt_dense_values=grid(4, 2), batched_input=batched)


def _from_variants() -> list:
    results = []
    for batched, rank in ((True, 1), (True, -1), (False, 2)):
        splits, values = tf.raw_ops.RaggedTensorFromVariant(
            encoded_ragged=_variants(batched), input_ragged_rank=rank, output_ragged_rank=2, Tvalues=tf.float32)
        results += [*splits, values]
    return results


def _gradient_of_variants() -> list:
    return [tf.raw_ops.RaggedTensorToVariantGradient(
        encoded_ragged_grad=_variants(True), row_splits=i64(0, 2, 2, 3), dense_values_shape=i32(4, 2), Tvalues=tf.float32)]


PROGRAMS = {
    "RaggedTensorToVariant": _from_variants,
    "RaggedTensorFromVariant": _from_variants,
    "RaggedTensorToVariantGradient": _gradient_of_variants,
}
