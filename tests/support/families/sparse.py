"""Samples of ops on sparse tensors, and of sets."""

import numpy as np
import tracefn as tf

from support.sample_values import f32, grid, i32, i64

_PLACES = i64([0, 1], [1, 0], [1, 2])
_OTHER = i64([0, 1], [1, 1])
_SHAPE = i64(2, 3)


def _parts(prefix: str, places=_PLACES, values=None, shape=_SHAPE, shape_name: str = "shape") -> dict:
    """A sparse tensor as the arguments `prefix` + "indices" and so on."""
    values = grid(len(places)) if values is None else values
    return {prefix + "indices": places, prefix + "values": values, prefix + shape_name: shape}


_TWO = _parts("a_") | _parts("b_", _OTHER, f32(3, 4))
_SETS = _parts("set2_", i64([0, 0], [0, 1], [1, 0]), i64(2, 7, 3), i64(2, 2))
_SET1 = i64([1, 2, 2], [3, 4, 5])
_WORDS = np.array([b"a", b"b", b"c"], object)
_COLUMNS = {
    "indices": [i64([0, 0], [0, 1], [1, 0])],
    "values": [_WORDS],
    "shapes": [i64(2, 2)],
    "dense_inputs": [i64([5, 6], [7, 8])],
}
_REDUCED = _parts("input_") | {"reduction_axes": i32(1)}
_CWISE = _parts("sp_") | {"dense": f32(2, 4, 8)}
_COUNTS = {"weights": f32(0.5, 1, 2), "minlength": 2, "binary_output": False}

CALLS = {
    "SparseToDense": [
        {"sparse_indices": _PLACES, "output_shape": _SHAPE, "sparse_values": grid(3), "default_value": np.float32(9)},
        {"sparse_indices": i32(1, 3), "output_shape": i32(5), "sparse_values": np.float32(2),
         "default_value": np.float32(0)},
    ],
    "SparseReorder": [_parts("input_", _PLACES[::-1].copy())],
    "SparseAdd": [
        _TWO | {"thresh": np.float32(0)},
        _TWO | {"thresh": np.float32(4)},
        _TWO | {name: _TWO[name].astype(np.float64) for name in ("a_values", "b_values")} | {"thresh": np.float64(0.5)},
    ],
    "SparseAddGrad": [{"backprop_val_grad": f32(1, 2, 3), "a_indices": i64([0, 1], [1, 0]), "b_indices": i64([1, 2]),
                       "sum_indices": i64([0, 1], [1, 0], [1, 2])}],
    "SparseSparseMaximum": [_TWO],
    "SparseSparseMinimum": [_TWO],
    "SparseTensorDenseAdd": [_parts("a_") | {"b": grid(2, 3)}],
    "SparseDenseCwiseAdd": [_CWISE],
    "SparseDenseCwiseMul": [_CWISE, _CWISE | {"dense": f32([2], [4])}],
    "SparseDenseCwiseDiv": [_CWISE, _CWISE | {"dense": np.float32(4)}],
    "SparseConcat": [{"indices": [_PLACES, _OTHER], "values": [grid(3), f32(7, 8)], "shapes": [_SHAPE, _SHAPE],
                      "concat_dim": 1}],
    "SparseSplit": [_parts("") | {"split_dim": np.int64(1), "num_split": 2}],
    "SparseSlice": [_parts("") | {"start": i64(0, 1), "size": i64(2, 2)}],
    "SparseSliceGrad": [{"backprop_val_grad": f32(5, 6), "input_indices": _PLACES, "input_start": i64(0, 1),
                         "output_indices": i64([0, 0], [1, 1])}],
    "SparseFillEmptyRows": [_parts("", i64([0, 1], [2, 0]), shape=i64(4, 3), shape_name="dense_shape")
                            | {"default_value": np.float32(9)}],
    "SparseFillEmptyRowsGrad": [{"reverse_index_map": i64(0, 2), "grad_values": f32(1, 2, 3, 4)}],
    "SparseReduceSum": [_REDUCED, _REDUCED | {"reduction_axes": i32(0, -1)}, _REDUCED | {"keep_dims": True}],
    "SparseReduceMax": [_REDUCED],
    "SparseReduceSumSparse": [_REDUCED],
    "SparseReduceMaxSparse": [_REDUCED | {"keep_dims": True}],
    "SparseReshape": [{"input_indices": _PLACES, "input_shape": _SHAPE, "new_shape": i64(3, -1)}],
    "SparseSoftmax": [_parts("sp_")],
    "SparseTensorDenseMatMul": [
        _parts("a_") | {"b": grid(3, 4)},
        _parts("a_") | {"b": grid(4, 2), "adjoint_a": True, "adjoint_b": True},
    ],
    "SparseMatMul": [
        {"a": grid(2, 3), "b": grid(3, 4), "a_is_sparse": True},
        {"a": grid(3, 2), "b": grid(4, 3), "transpose_a": True, "transpose_b": True},
    ],
    "SparseBincount": [_parts("", values=i32(1, 2, 2), shape_name="dense_shape")
                       | {"size": np.int32(4), "weights": f32(0.5, 1, 2)}],
    "DenseCountSparseOutput": [_COUNTS | {"values": i32(1, 2, 2)}],
    "SparseCountSparseOutput": [_COUNTS | _parts("", values=i32(1, 2, 2), shape_name="dense_shape")],
    "SparseCross": [
        _COLUMNS | {"hashed_output": True, "num_buckets": 100, "hash_key": 7, "out_type": tf.int64,
                    "internal_type": tf.int64},
        _COLUMNS | {"dense_inputs": [np.array([[b"x", b"y"], [b"z", b"x"]], object)], "hashed_output": False,
                    "num_buckets": 0, "hash_key": 7, "out_type": tf.string, "internal_type": tf.string},
    ],
    "SparseCrossV2": [_COLUMNS | {"sep": np.array(b"-", object)}],
    "SparseCrossHashed": [
        _COLUMNS | {"num_buckets": np.int64(0), "strong_hash": np.array(False), "salt": i64(1, 2)},
        _COLUMNS | {"num_buckets": np.int64(50), "strong_hash": np.array(True), "salt": i64(1, 2)},
    ],
    "DenseToDenseSetOperation": [{"set1": _SET1, "set2": i64([2, 9], [5, 3]), "set_operation": "a-b"}],
    "DenseToSparseSetOperation": [_SETS | {"set1": _SET1, "set_operation": "union"}],
    "SparseToSparseSetOperation": [
        _SETS | _parts("set1_", i64([0, 0], [1, 0]), i64(2, 4), i64(2, 1)) | {"set_operation": "intersection"},
    ],
    "SetSize": [_parts("set_", i64([0, 0], [0, 1], [1, 0]), i64(2, 2, 3), i64(3, 2))],
}

# TensorFlow reads a threshold of another type than the values' as if it were of that type.
ONE_DTYPE = {"SparseAdd"}
